"""Commands of the home that are due later ("turn off the fan in 5 minutes"): timers, whose ring is a sentence.

A command is recognised again when it is due, so a device that came meanwhile is found. What became of it stands in the
log; there may be nobody left to tell.
"""

import logging
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from unitd.core.outcomes import Outcome
from unitd.runtime.tasks.board_tools import Toolbox
from unitd.runtime.tasks.recognizer import Recognizer
from unitd.runtime.tasks.tool_loop import ToolUse
from unitd.runtime.tasks.tool_messages import Call

log = logging.getLogger("unitd.tools")


class DelayedCommands:
    """Carries out commands that nobody waits for."""

    def __init__(self, recognizer_for: Callable[[str, dict[str, Any]], Recognizer]) -> None:
        self._recognizer_for = recognizer_for
        self._toolbox: Toolbox | None = None
        self._numbers = count(1)

    def use(self, toolbox: Toolbox) -> None:
        """Carry commands out with these tools."""
        self._toolbox = toolbox

    async def do(self, text: str, setup: Mapping[str, Any]) -> None:
        """Carry out a command in the room and the languages of a setup.

        The text is a sentence; if it was asked back about, the replies are further lines.
        """
        assert self._toolbox is not None
        toolbox = self._toolbox
        recognizer = self._recognizer_for(f"delayed.{next(self._numbers)}", toolbox.recognition(setup))
        user = _Unattended()
        try:
            for line in text.splitlines():
                if not user.calls:  # what is clear by now needs no reply
                    use = ToolUse(toolbox, recognizer, user, setup=setup, text=line)
                    await use.answer(lambda: None, has_model=False)
        finally:
            recognizer.close()
        if user.calls:
            log.info("a delayed command was carried out: %s", ", ".join(user.calls))
        else:
            log.warning("a delayed command could not be carried out: it is not recognised any more, or is asked about")


class _Unattended:
    """A command that nobody waits for."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        """The names of the tools that were used."""

    async def may_go_on(self, use: ToolUse) -> bool:
        return True

    def tell(self, call: Call) -> None:
        self.calls.append(call["name"])

    def ask_model(self, changes: Mapping[str, Any], question: str = "") -> None:
        raise AssertionError("a delayed command has no model")

    def say(self, words: str) -> None:
        raise AssertionError("a delayed command has no model")

    async def delay(self, seconds: float, text: str) -> bool:
        return False

    async def act(self, call: Call) -> Outcome:
        return Outcome("A skill is not asked later.", is_done=False)
