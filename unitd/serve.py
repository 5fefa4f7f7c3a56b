"""`unitd serve`: logging, signals, exit codes around the App."""

import argparse
import asyncio
import gc
import logging
import signal
import sys
from pathlib import Path

from unitd.app import App
from unitd.settings import find_places, load_settings
from unitd.wire.errors import ConfigError

EXIT_OK, EXIT_CONFIG = 0, 78  # EX_CONFIG of sysexits.h: a service manager need not try again


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """The options of `unitd serve`."""
    parser.add_argument("--config", type=Path, metavar="FILE", help="configuration (TOML)")
    parser.add_argument("--check", action="store_true", help="check the configuration and stop")
    parser.add_argument(
        "--log-level", choices=("debug", "info", "warning", "error"), help="instead of the configured one"
    )


def serve(arguments: argparse.Namespace) -> int:
    """Runs the daemon until SIGTERM or Ctrl-C; returns the exit code."""
    try:
        settings = load_settings(arguments.config)
        if arguments.check:
            sys.stdout.write("the configuration is fine\n")
            return EXIT_OK
        _start_logging(arguments.log_level or settings.log.level)
        asyncio.run(_run(App(settings, find_places())))
    except ConfigError as error:
        sys.stderr.write(f"unitd: {error}\n")
        return EXIT_CONFIG
    return EXIT_OK


async def _run(app: App) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, app.stop)
    # What was built so far lives as long as the daemon: leaving it out keeps every later collection short.
    gc.collect()
    gc.freeze()
    await app.run()


def _start_logging(level: str) -> None:
    logging.basicConfig(
        level=level.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)-7s %(name)s: %(message)s",
        datefmt="%H:%M:%S",
    )
    logging.getLogger("asyncio").setLevel(logging.WARNING)
