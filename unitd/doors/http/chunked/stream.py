"""One answer in chunks: `start_stream` begins it, `end_stream` forgets it.

    generating --policy--> held --continue_stream--> generating ... --the answer's end--> done

An error of the engine while a stream is held is reported after the next continue: a client that has not asked for more
does not wait for a message. A chunk is the text between two stops. Token streaming sends each token, then a message
about the chunk; buffered mode, the default, sends one message with the whole chunk.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from unitd.doors.chat_session import ChatSession, Ended, Held, Said
from unitd.wire.fields import Fields

# The original's values, which its document promises.
STOP_WORD = "<|im_end|>"
SAMPLING = {"top_p": 0.95, "top_k": 40, "repetition_penalty": 1.1, "stop": [STOP_WORD]}
DEFAULT_TEMPERATURE = 0.7
SENTENCE_CAP, WHOLE_CAP = 200, 500

Message = dict[str, Any]


class Refusal(Exception):
    """A message that cannot be served; its text is sent to the client."""


class _Fields(Fields):
    """One JSON object of a message."""

    def refusal(self, key: str, wanted: str, shown: str = "") -> Refusal:
        """Return the error, which names the place."""
        example = ' such as {"max_tokens": 10}' if self.place(key) == "pause" else ""
        return Refusal(f"{self.place(key)} must be {wanted}{example}")


@dataclass(frozen=True)
class Start:
    """The fields of `start_stream`."""

    stream_id: str
    messages: list[Message]
    pause: Message
    is_streaming: bool
    temperature: float


def read_start(stream_id: str, fields: Message) -> Start:
    """Read the fields and check their types; the unit checks ranges and roles.

    Raises:
        Refusal: a type is wrong.
    """
    given = _Fields(fields)
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages:
        raise given.refusal("messages", "a list of objects with role and content")
    temperature = given.number("temperature", DEFAULT_TEMPERATURE)
    return Start(stream_id, messages, read_pause(fields), given.flag("stream_tokens", False), temperature)


def read_pause(fields: Message) -> Message:
    """Return the pause policy, with the documented cap where the client sets none.

    Raises:
        Refusal: a field cannot be used.
    """
    given = _Fields({} if fields.get("pause") is None else fields["pause"], "pause")
    at_sentences = given.flag("sentence_boundary", False)
    if given.get("max_tokens") is None:
        return {"max_tokens": SENTENCE_CAP if at_sentences else WHOLE_CAP, "sentence_boundary": at_sentences}
    return {"max_tokens": given.whole("max_tokens", None, 1), "sentence_boundary": at_sentences}


@dataclass
class _Chunk:
    """The text between two stops; times are in seconds of the monotonic clock."""

    asked_at: float = field(default_factory=time.monotonic)
    first_at: float | None = None
    pieces: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add a piece."""
        if self.first_at is None:
            self.first_at = time.monotonic()
        self.pieces.append(text)

    @property
    def text(self) -> str:
        """Return the whole text."""
        return "".join(self.pieces)

    @property
    def ttft_ms(self) -> int:
        """Return the time from the client's message to the first token; 0 without a token."""
        return 0 if self.first_at is None else round((self.first_at - self.asked_at) * 1000)

    @property
    def elapsed_ms(self) -> int:
        """Return the time from the client's message until now."""
        return round((time.monotonic() - self.asked_at) * 1000)


class Stream:
    """One answer in chunks."""

    def __init__(self, start: Start, send: Callable[["Stream", Message], Awaitable[None]]) -> None:
        self.start = start
        self.is_done = False
        self._send = send
        self._chunk: _Chunk | None = _Chunk()
        self._is_first_chunk = True
        self._text = ""
        self._tokens = 0
        self._continued: asyncio.Queue[Message] = asyncio.Queue()

    @property
    def is_generating(self) -> bool:
        """Return True from a start or continue until the message about its chunk."""
        return self._chunk is not None

    @property
    def has_spoken(self) -> bool:
        """Return True as soon as there is a token."""
        return bool(self._text or (self._chunk and self._chunk.pieces))

    async def run(self, conversation: ChatSession, longest: int) -> None:
        """Generate the answer, of at most `longest` tokens, until it is done.

        Raises:
            UnitdError: the engine failed, or does not accept this conversation.
        """
        start = self.start
        options = SAMPLING | {"temperature": start.temperature, "max_token_len": longest, "pause": start.pause}
        async with aclosing(conversation.answer(start.messages, **options)) as events:
            async for event in events:
                if isinstance(event, Said):
                    await self._say(event.text)
                elif isinstance(event, Held):
                    await self._report(event.reason, event.tokens)
                    await conversation.resume(await self._continued.get())
                elif isinstance(event, Ended):
                    await self._end(event)

    async def go_on(self, pause: Message) -> None:
        """Generate the next chunk, with this pause policy."""
        self._chunk = _Chunk()
        if self.is_done:
            await self._report("already_done", 0)
        else:
            self._continued.put_nowait(pause)

    async def fail(self) -> None:
        """End the answer: the engine is lost."""
        assert self._chunk is not None
        self.is_done = True
        await self._report("connection_error", len(self._chunk.pieces))

    async def _say(self, text: str) -> None:
        assert self._chunk is not None
        self._chunk.add(text)
        if self.start.is_streaming:
            await self._send(self, {"type": "token", "content": text})

    async def _end(self, ended: Ended) -> None:
        assert self._chunk is not None
        said = len(self._chunk.pieces)
        counted = ended.completion_tokens - self._tokens
        self.is_done = True
        # The engine may count the end token as well, or report nothing for an answer that was cut.
        await self._report(_reason_of(ended, said), counted if said and counted > 0 else said)

    async def _report(self, reason: str, tokens: int) -> None:
        """Send the message about a chunk."""
        assert self._chunk is not None
        chunk, self._chunk = self._chunk, None
        self._text += chunk.text
        self._tokens += tokens
        say = self._summary if self.start.is_streaming else self._whole
        message = say(chunk, reason, tokens)
        self._is_first_chunk = False
        await self._send(self, message)

    def _summary(self, chunk: _Chunk, reason: str, tokens: int) -> Message:
        """Return the message about a chunk whose tokens were sent one by one."""
        return {
            "type": "done" if self.is_done else "paused",
            "reason": reason,
            "text": chunk.text,
            "tokens": tokens,
            "ttft_ms": chunk.ttft_ms,
            "elapsed_ms": chunk.elapsed_ms,
        }

    def _whole(self, chunk: _Chunk, reason: str, tokens: int) -> Message:
        """Return the message with a chunk in buffered mode."""
        status = {"status": "started"} if self._is_first_chunk else {}
        return {
            "stream_id": self.start.stream_id,
            **status,
            "text": chunk.text,
            "tokens": tokens,
            "paused": not self.is_done,
            "reason": reason,
            "done": self.is_done,
            "ttft_ms": chunk.ttft_ms,
            "full_text": self._text,
        }


def _reason_of(ended: Ended, said: int) -> str:
    """Return the documented word for the end of an answer whose last chunk has `said` pieces."""
    if ended.reason == "interrupted":  # another client has ended the task
        return "connection_error"
    if not said:
        return "empty_response"
    if ended.reason == "stop":
        return "stop_word" if ended.stop_word == STOP_WORD else "eos"
    return {"length": "max_tokens"}.get(ended.reason, ended.reason)
