"""Covers the command line's part in tools: chat --home, send; and the example of examples/home."""

import asyncio
import os
import pty
import sys
import tomllib
from pathlib import Path

import orjson
import pytest

from tests.support.command_line import unitd
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import SETUP, TURN_ON
from tests.support.servers.brokers import MISSING, MOSQUITTO, Broker, Listener
from tests.support.setups import LLM_SETUP
from unitd.app import App
from unitd.core.home.tools_file import read_home

EXAMPLE = Path(__file__).parents[2] / "examples" / "home"


async def test_chat_shows_what_is_called(home: App, tmp_path: Path, listener: Listener) -> None:
    """Before the answer, in brackets; the board's tools are used without being asked for."""
    socket = str(tmp_path / "unitd.sock")

    done = [
        await unitd("chat", "--socket", socket, *options, "--model", "caller", TURN_ON) for options in ((), ("--home",))
    ]

    assert [(each.code, each.out) for each in done] == [(0, "[turn_on kitchen light]\nThe kitchen light is on.\n")] * 2
    await listener.until(lambda: listener.on("home/kitchen/set") == [b"ON"] * 2)


async def test_chat_without_a_home_has_its_skills_and_claims_nothing(tmp_path: Path) -> None:
    """With the option and without it; what there are no tools for, the bundled model knows not to have."""
    async with running_app(tmp_path) as app, tcp_client(app) as keeper:
        await keeper.setup("llm", LLM_SETUP | {"tools": "auto"})  # so that the programs stay
        socket = str(tmp_path / "unitd.sock")
        answers = [await unitd("chat", "--socket", socket, *more, "12 times 7") for more in ((), ("--home",))]
        claimed = await unitd("chat", "--socket", socket, "turn on the kitchen light")

    assert [(each.code, each.out) for each in answers] == [(0, "That is 84.\n")] * 2
    assert (claimed.code, claimed.out) == (0, "I'm sorry, I can't find the kitchen light.\n")


async def test_send_goes_on_behind_a_call(home: App, tmp_path: Path) -> None:
    """Up to the finish frame."""
    socket = str(tmp_path / "unitd.sock")
    setup = {"request_id": "1", "work_id": "llm", "action": "setup", "data": SETUP}
    made = orjson.loads((await unitd("send", "--socket", socket, orjson.dumps(setup).decode())).out)
    question = {"request_id": "2", "work_id": made["work_id"], "action": "inference", "object": "llm.utf-8"}

    done = await unitd("send", "--socket", socket, orjson.dumps(question | {"data": TURN_ON}).decode())

    frames = [orjson.loads(line) for line in done.out.splitlines()]
    assert [frame["object"] for frame in frames] == ["llm.tool_call", "llm.utf-8.stream", "llm.utf-8.stream"]


def test_the_examples_tools_can_be_read() -> None:
    """And its grammar has a word for every device."""
    home = read_home(tomllib.loads((EXAMPLE / "tools.toml").read_text()))
    grammar = (EXAMPLE / "commands.jsgf").read_text()

    assert [each.kind for each in home.entities] == ["light", "light", "light", "climate"]
    for entity in home.entities:
        assert all(name in grammar for name in (entity.name, *entity.aliases))


@pytest.mark.timeout(60)
async def test_a_home_in_a_box_does_what_is_typed() -> None:
    """One command: broker, devices, unitd; and the light itself says that it is on. All of it ends with the talk."""
    if MOSQUITTO is None:
        pytest.skip(MISSING)
    example = await asyncio.create_subprocess_exec(
        sys.executable, EXAMPLE / "run.py", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert example.stdin is not None
    assert example.stdout is not None

    example.stdin.write(b"it is too dark in the kitchen\n")
    async for line in example.stdout:
        if b"* kitchen light: on" in line:
            break
    example.stdin.write_eof()
    await example.communicate()

    assert example.returncode == 0


async def test_a_device_does_not_write_behind_the_prompt(broker: Broker, listener: Listener) -> None:
    """On a terminal its line is inserted above the cursor's, and the cursor goes back to where it was."""
    ours, theirs = pty.openpty()
    device = await asyncio.create_subprocess_exec(
        sys.executable, EXAMPLE / "device.py", "light", "desk lamp", stdout=theirs,
        env=os.environ | {"BROKER_PORT": str(broker.port)},
    )  # fmt: skip
    os.close(theirs)
    await listener.until(lambda: listener.on("home/desk_lamp/state") == [b"off"])

    await listener.publish("home/desk_lamp/set", '{"state": "on"}')
    shown = await asyncio.to_thread(os.read, ours, 1024)
    device.terminate()
    await device.wait()
    os.close(ours)

    saved, went_back = shown.split(b"    * desk lamp: on")
    assert saved.endswith(b"\x1b7\x1b[L\r")
    assert went_back == b"\x1b8\x1b[B"
