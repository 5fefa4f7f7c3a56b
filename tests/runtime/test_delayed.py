"""Covers unitd.runtime.tasks.delayed."""

from collections.abc import Mapping
from typing import Any

import pytest

from unitd.core.outcomes import Outcome
from unitd.runtime.tasks.delayed import DelayedCommands
from unitd.runtime.tasks.tool_loop import Recognition
from unitd.runtime.tasks.tool_messages import Call

CALL: Call = {"id": "1", "name": "turn_off", "arguments": {"entity": "fan"}}
KITCHEN = {"area": "kitchen", "language": "en"}


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


@pytest.fixture
def hands() -> Hands:
    """Return tools that note what is to be done."""
    return Hands()


@pytest.fixture
def program() -> Program:
    """Return a place in an intent program."""
    return Program()


@pytest.fixture
def commands(hands: Hands, program: Program) -> DelayedCommands:
    """Return what carries commands out with them."""
    commands = DelayedCommands(lambda name, data: program)  # type: ignore[arg-type, return-value]
    commands.use(hands)  # type: ignore[arg-type]
    return commands


async def test_a_command_is_done_in_its_room(commands: DelayedCommands, hands: Hands, program: Program) -> None:
    """With a place in the intent program for as long as it takes."""
    await commands.do("turn off the fan", KITCHEN)

    assert hands.calls == [CALL]
    assert hands.setups == [KITCHEN]
    assert program.is_closed


@pytest.mark.parametrize("text", ["turn off that\nturn off the fan", "turn off the fan\nturn off the fan"])
async def test_the_reply_to_a_question_belongs_to_the_command(
    commands: DelayedCommands, hands: Hands, text: str
) -> None:
    """It is a line of the command, and is passed over if the command is clear when it is due."""
    await commands.do(text, KITCHEN)

    assert hands.calls == [CALL]


async def test_a_command_that_means_nothing_any_more_is_said_in_the_log(
    commands: DelayedCommands, hands: Hands, caplog: pytest.LogCaptureFixture
) -> None:
    """The device of the command is not in the home when it is due."""
    await commands.do("turn off the moon", KITCHEN)

    assert "could not be carried out" in caplog.text
    assert hands.calls == []
