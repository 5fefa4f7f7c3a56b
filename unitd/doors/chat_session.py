"""A stream of answers by one llm task: what every dialect that chats is a translation of.

A dialect keeps the conversation itself and says the whole of it with each question; the unit finds what it has read of
it already. The task is seen by taskinfo while it lives, and ends with its stream.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from unitd.core.config.schema import HomeSettings
from unitd.doors.local_client import LocalClient, ReplyStream

# What the door reads, besides what was asked for.
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
    """The prompt is read; the first token comes next."""

    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Said:
    """More of the answer: the text of one token, or of a few."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model wants this function called; its result belongs into the next question."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """The answer stopped by its policy, after so many tokens of this chunk; `resume` lets it go on."""

    reason: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The end: stop, length, sentence_boundary_eos or interrupted."""

    reason: str
    stop_word: str | None
    """What ended it, if a stop string or the end of a turn did; None at the end of the text itself."""

    prompt_tokens: int
    completion_tokens: int


Event = Read | Said | ToolCall | Held | Ended


def home_tools(home: HomeSettings) -> dict[str, str]:
    """What a setup says so that the model may use the board's own tools; nothing where there are none."""
    return {"tools": "home"} if home.tools is not None else {}


class ChatSession:
    """One llm task. One answer at a time."""

    def __init__(self, local_client: LocalClient, work_id: str, replies: ReplyStream) -> None:
        self.work_id = work_id
        self._local_client = local_client
        self._replies = replies
        self._is_closed = False

    @classmethod
    async def open(cls, local_client: LocalClient, model: str = "default", **setup: Any) -> "ChatSession":
        """Sets the task up.

        Raises:
            UnitdError: the model is unknown or does not load, a value cannot be used, there is no room.
        """
        return cls(local_client, *await local_client.set_up("llm", {"model": model, **SETUP, **setup}))

    def answer(self, messages: Sequence[dict[str, Any]], **options: Any) -> AsyncGenerator[Event, None]:
        """Asks; yields what happens until the answer has ended. After `Held` it waits for `resume`.

        Raises:
            UnitdError: a value cannot be used, the prompt does not fit, the engine died.
        """
        return self._events(None, {"messages": list(messages), **options})

    def ask(self, question: str, **options: Any) -> AsyncGenerator[Event, None]:
        """As `answer`, of a task whose setup has the `messages`, the question the last of them.

        The board's own tools need it so: the devices are put in at setup.
        """
        return self._events(question, options)

    def complete(self, text: str, **options: Any) -> AsyncGenerator[Event, None]:
        """Goes on where a text ends, without any template; else as `answer`."""
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
        """The held answer goes on, to its end or to where the new policy stops it."""
        await self._local_client.ask(self.work_id, "work", {"pause": pause or {}})

    async def warm(self) -> None:
        """Reads the setup's `messages`, so that the first answer comes sooner that begins with them."""
        await self._local_client.ask(self.work_id, "warm")

    def close(self) -> None:
        """Ends the task, and with it what runs; safe to call twice."""
        if not self._is_closed:
            self._is_closed = True
            self._replies.close()
            self._local_client.leave(self.work_id)


def _event_of(data: dict[str, Any]) -> Event | None:
    """What a frame of a streamed answer says; an empty delta only says that it is alive."""
    if "finish" not in data:
        return ToolCall(**data)
    if data["finish"]:
        usage = data["usage"]
        return Ended(data["finish_reason"], data.get("stop_word"), usage["prompt_tokens"], usage["completion_tokens"])
    if "paused" in data:
        return Held(data["paused"], data["tokens"])
    if data["delta"]:
        return Said(data["delta"])
    return Read(data["prompt_tokens"]) if "prompt_tokens" in data else None
