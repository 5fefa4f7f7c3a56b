"""One turn of the barge-in dialect: an utterance on its way to its answer.

    ack ──> [toolcall …] ──> token … ──> final ──> done       or, at any point, done with `cancelled`, or an error

Where the board has tools of its own the model may use them, and `toolcall` reports it: `yes` at each call, `no` before
the first token of an answer without calls.

A turn can be cut at any moment, by its own client or by another connection of its session. The last frame is queued at
once, the engine is told at once, and no other frame of the turn can follow.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import orjson

from unitd.core.config.schema import BargeInSettings
from unitd.doors.chat_session import ChatSession, Ended, Said, ToolCall, home_tools
from unitd.doors.http.bargein.request import Start
from unitd.doors.http.bargein.sanitizer import Sanitizer
from unitd.doors.http.bargein.session import Session
from unitd.doors.http.context import HttpContext
from unitd.doors.http.frame_queue import FrameQueue
from unitd.doors.http.health import is_well
from unitd.doors.local_client import LocalClient
from unitd.wire.errors import InternalError, RunFailed, TaskFull, Unavailable, UnitdError

log = logging.getLogger("unitd.doors")

SAMPLING_KEYS = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
)
CANCELLED = {"type": "done", "cancelled": True}


@dataclass(frozen=True)
class Question:
    """The request to the engine, and the treatment of its answer."""

    utterance: str
    messages: list[dict[str, str]]
    """All messages before the answer; the utterance is the last."""

    options: dict[str, Any]
    is_sanitized: bool
    conversation: str
    """The id of the session."""


def question_of(start: Start, session: Session, settings: BargeInSettings) -> Question:
    """Return the question of a turn, with the values of the session, else those of the configuration."""
    system = session.persona.prompt(settings.system_template, start.history)
    sampling = {key: session.sampling.get(key, getattr(settings, key)) for key in SAMPLING_KEYS}
    return Question(
        utterance=start.utterance,
        messages=[*system_message(system), {"role": "user", "content": start.utterance}],
        options={"max_token_len": settings.max_tokens, **sampling},
        is_sanitized=session.sampling.get("sanitize_output", True),
        conversation=start.session_id,
    )


def system_message(prompt: str) -> list[dict[str, str]]:
    """Return the system message of a conversation as a list; [] without a prompt."""
    return [{"role": "system", "content": prompt}] if prompt else []


def error_frame(error: UnitdError, *, is_refusal: bool = False) -> dict[str, Any]:
    """Return the frame of an engine's error; with `is_refusal` the request itself was wrong."""
    code = "internal_error"
    if is_refusal:
        code = "validation_error"
    elif isinstance(error, TaskFull | Unavailable):
        code = "server_at_capacity"
    return {"type": "error", "error_code": code, "message": str(error)}


class Turn:
    """One turn: an answer for one client."""

    def __init__(
        self,
        context: HttpContext,
        local_client: LocalClient,
        question: Question,
        out: FrameQueue,
        when_over: Callable[["Turn"], None],
    ) -> None:
        self._context = context
        self._local_client = local_client
        self._question = question
        self._out = out
        self._when_over = when_over
        self._task: asyncio.Task[None] | None = None
        self._tidy = Sanitizer() if question.is_sanitized else None
        self._said: list[str] = []
        self._tools = home_tools(context.settings.home)
        self._has_decided = not self._tools
        """True when the client has been told whether tools are used, or there are none."""

        self._is_over = False

    def begin(self, group: asyncio.TaskGroup) -> None:
        """Start the turn as a task of the group."""
        self._task = group.create_task(self._run(), name=f"turn of {self._local_client.name}")

    def cut(self, **echo: Any) -> bool:
        """End the turn and tell the client, with these fields. Return False when it has ended already."""
        if self._is_over:
            return False
        self._out.put(CANCELLED | echo)
        self._end()
        if self._task is not None:
            self._task.cancel()
        return True

    def _end(self) -> None:
        """Release everything. Safe to call twice."""
        if not self._is_over:
            self._is_over = True
            self._local_client.close()
            self._when_over(self)

    async def _run(self) -> None:
        try:
            await self._answer()
        except UnitdError as error:
            self._out.put(error_frame(error))
        except Exception:
            log.exception("a bug in a turn of %s", self._local_client.name)
            self._out.put(error_frame(InternalError()))
        finally:
            self._end()

    async def _answer(self) -> None:
        question, model = self._question, self._context.settings.http.barge_in.model
        setup = {"messages": question.messages, "conversation": question.conversation}
        conversation = await ChatSession.open(self._local_client, model, **setup, **self._tools)
        try:
            async with aclosing(conversation.ask(question.utterance, **question.options)) as events:
                async for event in events:
                    if isinstance(event, Said):
                        self._say(self._tidy.feed(event.text) if self._tidy else event.text)
                        await self._out.wait_for_room()
                    elif isinstance(event, ToolCall):
                        self._decide(event)
                    elif isinstance(event, Ended):
                        self._finish(event)
        except RunFailed as error:
            is_refusal = not self._said and await is_well(self._context, self._local_client, conversation)
            self._out.put(error_frame(error, is_refusal=is_refusal))

    def _say(self, text: str) -> None:
        if text:
            self._decide()
            self._said.append(text)
            self._out.put({"type": "token", "text": text})

    def _decide(self, *calls: ToolCall) -> None:
        """Report calls as they are made, or once that there are none."""
        if calls or not self._has_decided:
            self._has_decided = True
            listed = [{"name": call.name, "arguments": call.arguments} for call in calls]
            self._out.put(
                {"type": "toolcall", "status": "yes" if calls else "no", "raw": orjson.dumps(listed).decode()}
            )

    def _finish(self, end: Ended) -> None:
        """Send the last frames. Another client may have ended the task by `exit`, `cancel` or reset."""
        if end.reason == "interrupted":
            self._out.put(CANCELLED)
            self._end()
            return
        if self._tidy is not None:
            self._say(self._tidy.finish())
        self._decide()
        self._out.put({"type": "final", "normalized_text": "".join(self._said)})
        usage = {
            "prompt_tokens": end.prompt_tokens,
            "completion_tokens": end.completion_tokens,
            "total_tokens": end.prompt_tokens + end.completion_tokens,
        }
        self._out.put({"type": "done", "usage": usage})
        self._end()
