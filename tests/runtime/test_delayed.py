"""Covers unitd.runtime.tasks.delayed."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.waiting import eventually
from unitd.core.outcomes import Outcome
from unitd.runtime.tasks.delayed import MAX_LATE_SECONDS, MAX_WAITING, DelayedCommands
from unitd.runtime.tasks.tool_loop import Recognition
from unitd.runtime.tasks.tool_messages import Call

CALL: Call = {"id": "1", "name": "turn_off", "arguments": {"entity": "fan"}}
KITCHEN = {"area": "kitchen", "language": "en", "prompt": "Be brief."}


class Hands:
    """A toolbox that notes what is to be done."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.setups: list[Mapping[str, Any]] = []

    def recognition(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Note the setup."""
        self.setups.append(dict(setup))
        return {}

    def evidence_of(self, calls: Any, language: str) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def confirmation(self, calls: Any, language: str) -> str:
        """Ask nothing."""
        return ""

    async def do(self, call: Call, *, sees: bool) -> Outcome:
        """Note the call."""
        self.calls.append(call)
        return Outcome("The fan is off.", is_done=True)


class Program:
    """A place in an intent program that recognises one sentence."""

    def __init__(self) -> None:
        self.is_closed = False

    async def ask(self, message: str, **fields: Any) -> Recognition:
        """Return the call of "turn off the fan"."""
        if message == "outcomes":
            return {"answer": "Turned off the fan."}
        return {"turn": 1, "calls": [CALL]} if fields["text"] == "turn off the fan" else {"evidence": {}}

    def close(self) -> None:
        """Note the end."""
        self.is_closed = True


class Board:
    """A board whose clock a test moves."""

    def __init__(self, path: Path) -> None:
        self.now = 1_000_000.0
        self.hands = Hands()
        self.programs: list[Program] = []
        self.commands = DelayedCommands(path, lambda: self.now, self._recognizer)  # type: ignore[arg-type]
        self._run = asyncio.create_task(self.commands.run(self.hands))  # type: ignore[arg-type]

    def _recognizer(self, work_id: str, data: dict[str, Any]) -> Program:
        self.programs.append(Program())
        return self.programs[-1]

    async def add(self, seconds: float, text: str = "turn off the fan") -> bool:
        """Let a command wait."""
        return await self.commands.add(seconds, text, KITCHEN)

    async def pass_time(self, seconds: float) -> None:
        """Let the clock go on; whoever sleeps looks at it again."""
        self.now += seconds
        self.commands._changed.set()
        await asyncio.sleep(0)

    async def stop(self) -> None:
        """Stop, as the daemon does."""
        self._run.cancel()
        await asyncio.wait([self._run])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of the commands."""
    return tmp_path / "delayed.json"


@pytest.mark.parametrize("text", ["turn off that\nturn off the fan", "turn off the fan\nturn off the fan"])
async def test_the_reply_to_a_question_belongs_to_the_command(path: Path, text: str) -> None:
    """Keep the reply as a line of the command; it is passed over if the command is clear when it is due."""
    board = Board(path)
    await board.add(300, text)

    await board.pass_time(301)
    await eventually(lambda: bool(board.programs) and board.programs[0].is_closed)

    assert board.hands.calls == [CALL]
    await board.stop()


async def test_a_command_is_done_when_it_is_due(path: Path) -> None:
    """In the room and the language of the task that was told, and not before."""
    board = Board(path)
    await board.add(300)

    await board.pass_time(299)
    too_early = list(board.hands.calls)
    await board.pass_time(2)
    await eventually(lambda: board.hands.calls == [CALL])

    assert too_early == []
    assert board.hands.setups == [{"area": "kitchen", "language": "en"}]
    await eventually(lambda: board.programs[0].is_closed)
    assert orjson.loads(path.read_bytes()) == []
    await board.stop()


async def test_a_command_survives_the_daemon(path: Path) -> None:
    """The next one does it, also a little late."""
    first = Board(path)
    await first.add(300)
    await first.stop()

    second = Board(path)
    second.now += 400
    await eventually(lambda: second.hands.calls == [CALL])
    await second.stop()
    assert orjson.loads(path.read_bytes()) == []


async def test_a_command_that_is_long_overdue_is_left_undone(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A lamp that goes out an hour late surprises; the log has it."""
    first = Board(path)
    await first.add(300)
    await first.stop()

    second = Board(path)
    second.now += 300 + MAX_LATE_SECONDS + 60
    await eventually(lambda: "left undone" in caplog.text)

    assert second.hands.calls == []
    await second.stop()


async def test_a_command_that_means_nothing_any_more_is_said_in_the_log(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The device of the command is not in the home when it is due."""
    board = Board(path)
    await board.add(1, "turn off the moon")

    await board.pass_time(2)

    await eventually(lambda: "could not be carried out" in caplog.text)
    assert board.hands.calls == []
    await board.stop()


async def test_too_many_commands_are_refused(path: Path) -> None:
    """Those that wait stay."""
    board = Board(path)

    kept = [await board.add(300) for _ in range(MAX_WAITING + 1)]

    assert kept == [*[True] * MAX_WAITING, False]
    assert len(orjson.loads(path.read_bytes())) == MAX_WAITING
    await board.stop()


@pytest.mark.parametrize("content", [b"", b"{", b'[{"due": 1}]', b'["x"]', b"7"])
async def test_a_damaged_file_loses_its_commands_and_says_so(
    path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """New commands work."""
    caplog.set_level(logging.ERROR)
    path.write_bytes(content)
    board = Board(path)

    await eventually(lambda: "left undone" in caplog.text)
    await board.add(1)
    await board.pass_time(2)

    await eventually(lambda: board.hands.calls == [CALL])
    await board.stop()
