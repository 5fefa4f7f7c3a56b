"""Answers of the llm unit, as a stream of events or as a whole.

Each choice is one llm task; several run at the same time. The constant parts of an event are encoded once; for each
token only the text is encoded.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson
from starlette.requests import Request

from unitd.doors.chat_session import ChatSession, Ended, Event, Said, ToolCall
from unitd.doors.http.context import HttpContext
from unitd.doors.http.openai.requests import Asked
from unitd.doors.http.responses import Served, Stream
from unitd.wire.errors import RunFailed, Unavailable, UnitdError

DONE = b"data: [DONE]\n\n"

NOT_FETCHED = "is not fetched: send it as a data: URL, or set [http] fetch_images = true"

Fetch = Callable[[dict[str, str]], Awaitable[dict[str, bytes]]]
"""Gets the images at these addresses, by their places."""


@dataclass
class Choice:
    """One answer, or the part of it so far."""

    index: int
    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    ended: Ended = field(default_factory=lambda: Ended("stop", None, 0, 0))

    @property
    def finish_reason(self) -> str:
        """Return OpenAI's word for the end; an interrupted answer counts as stopped."""
        if self.ended.reason == "length":
            return "length"
        return "tool_calls" if self.calls else "stop"


class Form(Protocol):
    """The format of an answer: chat or completion."""

    def opening(self, index: int) -> bytes:
        """Return the bytes before the first event of a choice; may be b""."""

    def around_text(self, index: int) -> tuple[bytes, bytes]:
        """Return the bytes before and after the JSON of a text, which are constant for a choice."""

    def call(self, choice: Choice) -> bytes:
        """Return the event of the newest call."""

    def end(self, choice: Choice) -> bytes:
        """Return the last event of a choice."""

    def usage(self, usage: dict[str, int]) -> bytes:
        """Return the event after all choices, if the request asked for it."""

    def whole(self, choices: list[Choice], usage: dict[str, int]) -> dict[str, Any]:
        """Return the whole response."""


class Answer(Served):
    """The answer to one request, in one or several choices."""

    def __init__(
        self, context: HttpContext, request: Request, asked: Asked, form: Form, fetch: Fetch | None = None
    ) -> None:
        """Make the answer; `fetch` gets images from the web, if that is allowed."""
        super().__init__(context, request, asked.model)
        self._asked = asked
        self._form = form
        self._fetch = fetch

    async def serve(self, stream: Stream) -> None:
        """Answer as a stream or as a whole."""
        if addresses := self._asked.web_images:
            self._asked.put_images(await self._fetched(addresses))
        if not self._asked.is_stream:
            choices = await self._all(self._collect)
            await stream.whole(orjson.dumps(self._form.whole(choices, self._usage(choices))))
            return
        choices = await self._all(lambda choice: self._say(choice, stream))
        usage = self._form.usage(self._usage(choices)) if self._asked.tells_usage else b""
        await stream.end(usage + DONE)

    async def _fetched(self, addresses: dict[str, str]) -> dict[str, bytes]:
        """Return the files at these addresses; raise UnitdError before any is fetched for a model that cannot see."""
        place = next(iter(addresses))
        if self._fetch is None:
            raise RunFailed(f"{place} {NOT_FETCHED}")
        if not (await self._models.resolve(self.unit, self._model)).has_vision:
            raise Unavailable(f"{place} is an image; this model has no vision")
        return await self._fetch(addresses)

    async def _all(self, answer: Callable[[Choice], Coroutine[Any, Any, None]]) -> list[Choice]:
        """Generate all choices at the same time, which the unit computes together."""
        choices = [Choice(index) for index in range(len(self._asked.prompts))]
        if len(choices) == 1:
            await answer(choices[0])
            return choices
        try:
            async with asyncio.TaskGroup() as group:
                for choice in choices:
                    group.create_task(answer(choice), name=f"choice {choice.index} of {self._local_client.name}")
        except* UnitdError as errors:
            raise errors.exceptions[0] from None
        return choices

    async def _collect(self, choice: Choice) -> None:
        async for event in self._events(choice):
            if isinstance(event, Said):
                choice.texts.append(event.text)
            elif isinstance(event, ToolCall):
                choice.calls.append(event)
            elif isinstance(event, Ended):
                choice.ended = event

    async def _say(self, choice: Choice, stream: "Stream") -> None:
        opening, (before, behind) = self._form.opening(choice.index), self._form.around_text(choice.index)
        async for event in self._events(choice):
            if isinstance(event, Said):
                await stream.say(opening + before + orjson.dumps(event.text) + behind)
            elif isinstance(event, ToolCall):
                choice.calls.append(event)
                await stream.say(opening + self._form.call(choice))
            elif isinstance(event, Ended):
                choice.ended = event
                await stream.say(opening + self._form.end(choice))
            else:
                continue
            opening = b""

    async def _events(self, choice: Choice) -> AsyncIterator[Event]:
        """Yield the events of one choice; its task ends with the client."""
        prompt, options = self._asked.prompts[choice.index], self._asked.options_of(choice.index)
        conversation = await ChatSession.open(self._local_client, self._asked.model)
        if isinstance(prompt, str):
            events = conversation.complete(prompt, **options)
        else:
            events = conversation.answer(prompt, **options)
        async for event in events:
            yield event

    def _usage(self, choices: list[Choice]) -> dict[str, int]:
        """Return the usage; a prompt counts once for all its answers."""
        prompt = sum(choice.ended.prompt_tokens for choice in choices[:: self._asked.repeats])
        completion = sum(choice.ended.completion_tokens for choice in choices)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
