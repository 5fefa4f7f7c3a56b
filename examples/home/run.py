"""A simulated home: a broker, three lights, a thermostat and unitd, in one terminal.

    make home                                   type what you want: it is too dark in the bedroom
    make home ARGS='--spoken FILE.wav'          the same, spoken: wake word, speech recognition, model, tool, voice

Everything uses free ports and a folder that is removed at the end. It ends with the conversation.
"""

import argparse
import asyncio
import os
import shutil
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEVICES = (("light", "kitchen light"), ("light", "bedroom lamp"), ("light", "desk lamp"), ("thermostat", "heater"))
PROMPT = "You are a home assistant."
MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
START_SECONDS = 60.0

CONFIG = """
[state]
dir = "{folder}"
[unix]
path = "{folder}/unitd.sock"
[tcp]
port = 0
[http]
enabled = false
[mqtt]
port = {port}
node = "box"
[home]
tools = "{here}/tools.toml"
[llm]
model = "{model}"
[audio]
capture = "{capture}"
playback = "{playback}"
echo = "hear"
[log]
level = "warning"
"""


@asynccontextmanager
async def program(*command: str | Path, **environment: str) -> AsyncIterator[Process]:
    """Run a program in the background until the end of the block; the terminal's Ctrl-C does not reach it."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, start_new_session=True, env=os.environ | environment
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def until_there(path: Path, process: Process) -> None:
    """Wait until unitd is ready."""
    async with asyncio.timeout(START_SECONDS):
        while not path.exists():  # noqa: ASYNC240  (a glance)
            if process.returncode is not None:
                raise SystemExit("unitd did not start")
            await asyncio.sleep(0.05)


def free_port() -> int:
    """Return a port that is free at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def write_config(folder: Path, port: int, arguments: argparse.Namespace) -> Path:
    """Write unitd's configuration and return its path; with speech, microphone and loudspeaker are files."""
    spoken = arguments.spoken
    devices = (
        {"capture": f"file:{spoken.resolve()}", "playback": f"file:{arguments.answer.resolve()}"} if spoken else {}
    )
    config = folder / "unitd.toml"
    values = {"capture": "", "playback": ""} | devices
    config.write_text(CONFIG.format(folder=folder, port=port, here=HERE, model=arguments.model, **values))
    return config


async def run(arguments: argparse.Namespace) -> int:
    """Start everything, then run the conversation; return the exit code."""
    if MOSQUITTO is None:
        raise SystemExit("Mosquitto is missing: sudo apt-get install mosquitto")
    port = free_port()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker_config = folder / "mosquitto.conf"
        broker_config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type error\n")
        await stack.enter_async_context(program(MOSQUITTO, "-c", broker_config))
        await until_open(port)
        for kind, name in DEVICES:
            await stack.enter_async_context(
                program(sys.executable, HERE / "device.py", kind, name, BROKER_PORT=str(port))
            )
        config = write_config(folder, port, arguments)
        unitd = (sys.executable, "-m", "unitd")
        daemon = await stack.enter_async_context(program(*unitd, "serve", "--config", config))
        await until_there(folder / "endpoints.json", daemon)
        say("Lights: kitchen light, bedroom lamp, desk lamp. A thermostat: heater. Every message:")
        say(f"mosquitto_sub -p {port} -t 'home/#' -v")
        # The conversation handles Ctrl-C: it interrupts an answer, and at the prompt it ends the conversation.
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, lambda: None)
        own = ("--config", config, "--home", "--system", PROMPT)
        if arguments.spoken:
            return await listen(*unitd, "chain", *own, "--wake", arguments.wake, "--grammar", HERE / "commands.jsgf")
        return await talk(*unitd, "chat", *own)


async def until_open(port: int) -> None:
    """Wait until the broker accepts connections."""
    async with asyncio.timeout(START_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return


async def talk(*command: str | Path) -> int:
    """Run a conversation on this terminal; return the exit code."""
    chat = await asyncio.create_subprocess_exec(*command)
    return await chat.wait()


async def listen(*command: str | Path) -> int:
    """Show the events of the chain until the answer has been spoken; return the exit code."""
    chain = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    assert chain.stdout is not None
    async for line in chain.stdout:
        say(line.decode().rstrip())
        if b" spoken " in line:
            chain.send_signal(signal.SIGINT)
    await chain.wait()
    return 0


def say(words: str) -> None:
    """Print a line on the terminal."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def main() -> int:
    """Read the command line, and run; return the exit code."""
    parser = argparse.ArgumentParser(description="A home in a box.")
    parser.add_argument("--spoken", type=Path, metavar="WAV", help="what somebody says, instead of typing")
    parser.add_argument("--answer", type=Path, default=Path("answer.wav"), metavar="WAV", help="where the answer goes")
    parser.add_argument("--wake", default="hey jarvis", metavar="PHRASE", help="wake phrase (default: hey jarvis)")
    parser.add_argument("--model", default="unitd-chat", help="language model (default: the bundled one)")
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
