"""An answer that uses tools: what the model calls is done, and the daemon says what came of it.

The model is told the outcomes and may call again, up to four times. It does not put them into words: it might garble
an error, or claim more than was done. This holds only for tasks that were set up with the board's own tools; a client
that brings tools gets the calls and does them.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from unitd.core.outcomes import told

# A model that goes on calling is not asked again.
MAX_ROUNDS = 4

AUTO = "auto"
"""What a setup says to have the board's own tools; where there are none the model is told so."""

Call = dict[str, Any]
"""id, name and arguments."""


class Toolbox(Protocol):
    """The tools of this board."""

    @property
    def defaults(self) -> Mapping[str, Any]:
        """What a setup with these tools has unless it says otherwise; wins over the defaults of a model's card."""

    async def prepare(self, setup: dict[str, Any]) -> dict[str, Any]:
        """Add schemas and devices to a setup that names the board's tools; raise LoadFailed when there are none."""

    async def listing(self) -> list[dict[str, Any]]:
        """Return name, description and devices of each tool that can be used; empty when there is none."""

    async def do(self, call: Call) -> str:
        """Do a call and return what is said of it; never raises, a failure is told like a success."""


class ToolUse:
    """One inference on its way through calls and their outcomes, a sentence each, to the answer that tells them."""

    def __init__(self, toolbox: Toolbox, prompt: str, question: str, given: Any) -> None:
        """`prompt` is the task's system prompt, `given` are the inference's own messages, if it brought any."""
        self.question = question
        self._toolbox = toolbox
        self._prompt = prompt
        self.messages: list[dict[str, Any]] = list(given or ())
        """The conversation with its calls and outcomes, for the next round."""

        self._calls: list[Call] = []
        self._made: list[tuple[str, Any]] = []
        """Name and arguments of every call of this turn."""

        self._outcomes: list[str] = []
        self._rounds = 0
        self.usage: dict[str, int] = {}
        """The tokens of all rounds."""

        self.round: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """Done at the end of the present round, True when calls are to be done; cancelled with the answer."""

    def note(self, call: Call) -> bool:
        """Take a call that the model wants done. Return False for one that repeats another of the same turn."""
        made = (call["name"], call["arguments"])
        if made in self._made:
            return False
        self._made.append(made)
        self._calls.append(call)
        return True

    def end_round(self, usage: Mapping[str, int], *, has_failed: bool) -> None:
        """Add the tokens of a round, and let its calls be done; those of a round that failed are not."""
        self.usage = {key: self.usage.get(key, 0) + tokens for key, tokens in usage.items()}
        self.round.set_result(bool(self._calls) and not has_failed)

    @property
    def has_outcomes(self) -> bool:
        """True as soon as a call was done, or was tried."""
        return bool(self._outcomes)

    @property
    def may_call_again(self) -> bool:
        """True until the model has had all its rounds of calls."""
        return self._rounds < MAX_ROUNDS

    @property
    def answer(self) -> str:
        """The last words: what was done, and what could not be done."""
        return told(self._outcomes)

    async def do_calls(self, memory: Any, is_wanted: Callable[[], bool]) -> bool:
        """Do the calls of a round in their order; the next round begins.

        Return False, without the rest of the calls, as soon as they are not wanted any more. `memory` is what the unit
        remembers of the conversation so far, as its last finish said.
        """
        calls, self._calls = self._calls, []
        self.messages = self.messages or _conversation(self._prompt, memory, self.question)
        self._rounds += 1
        outcomes = []
        for call in calls:
            if not is_wanted():
                return False
            outcomes.append(await self._toolbox.do(call))
        self._outcomes += outcomes
        self.messages.append({"role": "assistant", "content": "", "tool_calls": [_as_chat(each) for each in calls]})
        self.messages += [
            {"role": "tool", "tool_call_id": call["id"], "content": outcome}
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        self.round = asyncio.get_running_loop().create_future()
        return is_wanted()


def _conversation(prompt: str, memory: Any, question: str) -> list[dict[str, Any]]:
    """Return what the unit had as its prompt."""
    messages = [{"role": "system", "content": prompt}] if prompt else []
    for user, assistant in (memory or {}).get("history", []):
        messages += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
    return [*messages, {"role": "user", "content": question}]


def _as_chat(call: Call) -> dict[str, Any]:
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
