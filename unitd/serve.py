"""`unitd serve`: runs the App with logging, signals and exit codes."""

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys
import time
from dataclasses import replace
from functools import partial
from typing import Any

from unitd.app import App, all_kinds, open_model_store
from unitd.core.config.checks import Check
from unitd.core.config.schema import Settings
from unitd.core.models.catalog import Catalog
from unitd.doors.preflight import (
    access_words,
    missing_packages,
    substitutions,
    taken_ports,
    unknown_models,
    unusable_audio,
    unusable_files,
    unusable_pipelines,
)
from unitd.runtime.children.malloc import bound_heap
from unitd.service.log_setup import LoopErrors, start_logging
from unitd.service.systemd import Service, activated_sockets, take_variables
from unitd.settings import files_words, find_program_folders, load_settings
from unitd.wire.errors import ConfigError

log = logging.getLogger("unitd")

EXIT_OK, EXIT_CONFIG = 0, 78  # EX_CONFIG of sysexits.h, for which a service manager does not restart the daemon

OPTIONS = {
    "llama_url": ("llm", "url"),
    "num_slots": ("llm", "slots"),
    "host": ("http", "host"),
    "port": ("http", "port"),
}
"""Options of the original chunked streaming server, which this daemon accepts, and the keys that they set."""


def serve(arguments: argparse.Namespace) -> int:
    """Run the daemon until SIGTERM or Ctrl-C; return the exit code."""
    try:
        variables = take_variables(os.environ)
        service, activated = Service(variables), activated_sockets(variables)
        checks: list[Check] = [missing_packages, unusable_files, partial(taken_ports, activated=activated)]
        if arguments.check:
            return _check(arguments, checks)
        settings = _settings(arguments, *checks)
        start_logging(settings.log.level, settings.log.format, os.environ)
        bound_heap()
        read_again = partial(_settings, arguments)
        app = App(settings, find_program_folders(), service=service, activated=activated, read_again=read_again)
        asyncio.run(_run(app, service))
    except ConfigError as error:
        sys.stderr.write(f"unitd: {error}\n")
        return EXIT_CONFIG
    return EXIT_OK


def _check(arguments: argparse.Namespace, checks: list[Check]) -> int:
    """Print which files were read, which models are replaced, and who can connect; return the exit code.

    Raises:
        ConfigError: the configuration cannot be used.
    """

    def catalog(settings: Settings) -> Catalog:
        return asyncio.run(open_model_store(settings, find_program_folders()).catalog())

    settings = _settings(arguments, *checks, unusable_audio, partial(unknown_models, kinds=all_kinds, catalog=catalog))
    sys.stdout.write(f"read: {files_words(arguments.config, settings)}\nthe configuration is fine\n")
    sys.stdout.writelines(f"note: {words}\n" for words in substitutions(settings, all_kinds(), catalog(settings)))
    warnings, reach = access_words(settings, time.time())
    sys.stdout.writelines(f"open: {words}\n" for words in warnings or [reach])
    return EXIT_OK


def _settings(arguments: argparse.Namespace, *checks: Check) -> Settings:
    """Return the settings of the configuration as it is now and of the command line, which wins."""
    always = partial(unusable_pipelines, kinds=all_kinds)
    settings = load_settings(arguments.config, options=chosen_options(arguments), checks=[always, *checks])
    level = arguments.log_level or settings.log.level
    return replace(settings, log=replace(settings.log, level=level))


def chosen_options(arguments: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the options of the command line, by table and key of the configuration."""
    chosen: dict[str, dict[str, Any]] = {}
    for option, (table, key) in OPTIONS.items():
        if (value := getattr(arguments, option)) is not None:
            chosen.setdefault(table, {})[key] = value
    return chosen


async def _run(app: App, service: Service) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(LoopErrors())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, app.stop)
    hang_ups = asyncio.Event()
    loop.add_signal_handler(signal.SIGHUP, hang_ups.set)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})  # `main` has blocked it
    # All objects so far live as long as the daemon; without them every later collection is short.
    gc.collect()
    gc.freeze()
    try:
        async with asyncio.TaskGroup() as group:
            heeding = group.create_task(_heed(hang_ups, app, service), name="SIGHUP")
            try:
                await app.run()
            finally:
                heeding.cancel()
    except* ConfigError as errors:
        raise errors.exceptions[0] from None


async def _heed(hang_ups: asyncio.Event, app: App, service: Service) -> None:
    """Reload the configuration at each SIGHUP; stop the daemon if its terminal has closed."""
    was_at_terminal = sys.stderr.isatty()
    await app.started.wait()
    while True:
        await hang_ups.wait()
        hang_ups.clear()
        if was_at_terminal and not sys.stderr.isatty():
            app.stop()
            return
        service.reloading()
        try:
            await app.reload()
        except ConfigError as error:
            log.error("the configuration cannot be used, the old one stays: %s", error.reason)
            app.tell_ready()
