"""A chat with one llm task, for all protocols that chat.

The protocol keeps the conversation and sends all of it with each question; the unit reuses what it has already read.
The task is listed by taskinfo until the session is closed.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from unitd.core.config.schema import HomeSettings
from unitd.doors.local_client import LocalClient, ReplyStream

# Options that make the unit send the frames that this module reads.
SETUP = {
    "response_format": "llm.utf-8.stream",
    "input": "llm.utf-8",
    "enoutput": True,
    "prompt": "",
    "usage": True,
    "prompt_done": True,
}


@dataclass(frozen=True, slots=True)
class Read:
    """The prompt has been read; the first token comes next."""

    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Said:
    """The next piece of the answer: the text of one or a few tokens."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the model wants to be called; its result belongs in the next question."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """The answer paused by its policy, after so many tokens of this chunk; `resume` continues it."""

    reason: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the answer; the reason is stop, length, sentence_boundary_eos or interrupted."""

    reason: str
    stop_word: str | None
    """The stop string or end-of-turn token that ended the answer; None at the end of the text itself."""

    prompt_tokens: int
    completion_tokens: int


Event = Read | Said | ToolCall | Held | Ended


def home_tools(home: HomeSettings) -> dict[str, str]:
    """Return the keys of a setup that let the model use the board's own tools; {} when the board has none."""
    return {"tools": "home"} if home.tools is not None or (home.homeassistant_url and home.domains) else {}


class ChatSession:
    """One llm task, with one answer at a time."""

    def __init__(self, local_client: LocalClient, work_id: str, replies: ReplyStream) -> None:
        self.work_id = work_id
        self._local_client = local_client
        self._replies = replies
        self._is_closed = False

    @classmethod
    async def open(cls, local_client: LocalClient, model: str = "default", **setup: Any) -> "ChatSession":
        """Set up the task and return the session.

        Raises:
            UnitdError: the model is unknown or does not load, a value cannot be used, there is no room.
        """
        return cls(local_client, *await local_client.set_up("llm", {"model": model, **SETUP, **setup}))

    def answer(self, messages: Sequence[dict[str, Any]], **options: Any) -> AsyncGenerator[Event, None]:
        """Ask, and yield events until the answer has ended. After `Held` the answer waits for `resume`.

        Raises:
            UnitdError: a value cannot be used, the prompt does not fit, the engine died.
        """
        return self._events(None, {"messages": list(messages), **options})

    def ask(self, question: str, **options: Any) -> AsyncGenerator[Event, None]:
        """Do the same for a task whose setup has the `messages`, with the question as the last one.

        The board's own tools need this, because the devices are added at setup.
        """
        return self._events(question, options)

    def complete(self, text: str, **options: Any) -> AsyncGenerator[Event, None]:
        """Continue a text without any chat template; otherwise the same as `answer`."""
        return self._events(text, {"raw": True, **options})

    async def _events(self, text: str | None, options: dict[str, Any]) -> AsyncGenerator[Event, None]:
        frames = self._local_client.infer(self.work_id, text, object_="llm.utf-8", options=options)
        try:
            async for frame in frames:
                event = _event_of(frame.data)
                if event is not None:
                    yield event
                if isinstance(event, Ended):
                    return
        finally:
            frames.close()

    async def resume(self, pause: dict[str, Any] | None = None) -> None:
        """Continue a held answer, until its end or until the new policy pauses it."""
        await self._local_client.ask(self.work_id, "work", {"pause": pause or {}})

    async def warm(self) -> None:
        """Read the setup's `messages` ahead, so that the first answer that begins with them comes sooner."""
        await self._local_client.ask(self.work_id, "warm")

    def close(self) -> None:
        """End the task and its answer. Safe to call twice."""
        if not self._is_closed:
            self._is_closed = True
            self._replies.close()
            self._local_client.leave(self.work_id)


def _event_of(data: dict[str, Any]) -> Event | None:
    """Return the event of a frame; None for an empty delta, which only shows that the answer is still alive."""
    if "finish" not in data:
        return ToolCall(data["id"], data["name"], data["arguments"])
    if data["finish"]:
        usage = data["usage"]
        return Ended(data["finish_reason"], data.get("stop_word"), usage["prompt_tokens"], usage["completion_tokens"])
    if "paused" in data:
        return Held(data["paused"], data["tokens"])
    if data["delta"]:
        return Said(data["delta"])
    return Read(data["prompt_tokens"]) if "prompt_tokens" in data else None
