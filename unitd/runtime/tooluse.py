"""An answer that uses tools: what the model calls is done, and the results go back to it until it has said its answer.

Only tasks that were set up with `"tools": "home"`; who brings tools of their own gets the calls and does them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

# A model that goes on calling is told to speak.
MAX_ROUNDS = 4

Call = dict[str, Any]
"""id, name and arguments."""


class Toolbox(Protocol):
    """Who knows the tools of this board."""

    async def prepare(self, setup: dict[str, Any]) -> dict[str, Any]:
        """A setup that names the board's tools, with their schemas and the devices in it.

        Raises:
            LoadFailed: there are none.
        """

    async def listing(self) -> list[dict[str, Any]]:
        """Return name, description and devices of each tool that can be used; empty when there is none."""

    def run(self, calls: Sequence[Call], then: Callable[[Sequence[str]], None], is_wanted: Callable[[], bool]) -> None:
        """Does them, and gives the results back in their order; never fails, a failure is a result.

        What is not wanted any more when its turn comes is not done, and nothing is given back.
        """


class ToolUse:
    """One inference on its way through calls and results."""

    def __init__(self, toolbox: Toolbox, prompt: str, question: str, given: Any) -> None:
        """`prompt` is the task's system prompt, `given` are the inference's own messages, if it brought any."""
        self._toolbox = toolbox
        self._prompt = prompt
        self._question = question
        self._messages: list[dict[str, Any]] = list(given or ())
        self._calls: list[Call] = []
        self._rounds = 0
        self.is_at_work = False
        """The tools are being used: nothing is to be computed until their results are there."""

    def note(self, call: Call) -> None:
        """The model wants this done."""
        self._calls.append(call)

    @property
    def is_calling(self) -> bool:
        """True when something is to be done before the answer can go on."""
        return bool(self._calls)

    def run(self, memory: Any, then: Callable[[dict[str, Any]], None], is_wanted: Callable[[], bool]) -> None:
        """Does what was called as long as it `is_wanted`; `then` gets the options with which the answer goes on.

        `memory` is what the unit remembers of the conversation so far, as its last finish said.
        """
        calls, self._calls = self._calls, []
        self._messages = self._messages or _conversation(self._prompt, memory, self._question)
        self._rounds += 1
        self.is_at_work = True

        def go_on(results: Sequence[str]) -> None:
            self.is_at_work = False
            self._messages.append(
                {"role": "assistant", "content": "", "tool_calls": [_as_chat(each) for each in calls]}
            )
            self._messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": result}
                for call, result in zip(calls, results, strict=True)
            ]
            then({"messages": self._messages} | ({"tool_choice": "none"} if self._rounds >= MAX_ROUNDS else {}))

        self._toolbox.run(calls, go_on, is_wanted)


def _conversation(prompt: str, memory: Any, question: str) -> list[dict[str, Any]]:
    """What the unit had as its prompt."""
    messages = [{"role": "system", "content": prompt}] if prompt else []
    for user, assistant in (memory or {}).get("history", []):
        messages += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
    return [*messages, {"role": "user", "content": question}]


def _as_chat(call: Call) -> dict[str, Any]:
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
