"""The second engine, `openai`: the same unit with any OpenAI-compatible chat server.

It is for those who outgrow one board: llama-server, vLLM on a cluster, Ollama. A card names it:

    name = "qwen3-32b"
    unit = "llm"
    engine = "openai"
    base_url = "http://gpu-box:8000/v1"
    remote_model = "Qwen/Qwen3-32B"
    api_key_file = "/etc/unitd/gpu-box.key"

Requests run in one asyncio loop in a thread of its own. Messages of the daemon are handled there too, one after the
other and never in the middle of a delta, so that a `pause` or a `cancel` takes effect as reliably as in the other
engine. A cancel closes the upstream stream, at which these servers stop computing.
"""

import asyncio
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import orjson

from unitd.wire.envelope import Envelope
from unitd.wire.errors import reason_of
from unitd.wire.pictures import media_type
from units.base import RUN_FAILED, UNAVAILABLE, Handler, LoadError, Unit, UnitFault
from units.host import Host
from units.llm.chat_api import CallPieces, request_body
from units.llm.messages import Message
from units.llm.options import LlmOptions
from units.llm.policy import PausePolicy, ends_sentence, read_policy
from units.llm.task import LlmTask, conversation
from units.setup_values import refusal

CONNECT_SECONDS = 5.0
# Between two pieces of an answer; the first one may have to wait for a model to be loaded.
SILENCE_SECONDS = 120.0
# Without its tokenizer a prompt can only be estimated; the server refuses what is too long.
BYTES_PER_TOKEN = 4
# A sentence's end with its closing quotes and brackets is shorter.
RECENT_PIECES = 8


@dataclass(eq=False)
class Answer:
    """One answer on its way."""

    number: int
    policy: PausePolicy
    may_speak: asyncio.Event = field(default_factory=asyncio.Event)
    chunk_pieces: int = 0
    pieces: int = 0
    running: "asyncio.Task[None] | None" = None


class RemoteLlmUnit(Unit):
    """A unit that serves all llm tasks of one remote model."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._tasks: dict[str, LlmTask] = {}
        self._answers: dict[str, Answer] = {}
        handlers: dict[str, Callable[[Envelope], Coroutine[Any, Any, None]]] = {
            "setup": self._setup,
            "infer": self._infer,
            "pause": self._pause,
            "work": self._resume,
            "policy": self._set_policy,
            "cancel": self._cancel,
            "warm": self._warm,
            "turn_end": self._turn_end,
            "exit": self._exit,
        }
        self.handlers: Mapping[str, Handler] = {
            name: partial(self._in_loop, handler) for name, handler in handlers.items()
        }

    def _in_loop(self, handler: Callable[[Envelope], Coroutine[Any, Any, None]], envelope: Envelope) -> None:
        asyncio.run_coroutine_threadsafe(handler(envelope), self._loop).result()

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Read the card's values. The server is first asked at the first question, so it may start later than this."""
        options = load["engine_options"]
        if not isinstance(options.get("base_url"), str):
            raise LoadError("the card of an openai model needs base_url")
        self._url = options["base_url"].rstrip("/") + "/chat/completions"
        self._model = options.get("remote_model", load["model"])
        self._context = load["context"]
        headers = {}
        if key_file := options.get("api_key_file"):
            headers["Authorization"] = f"Bearer {_read_key(Path(key_file).expanduser())}"
        timeout = httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
        self._http = httpx.AsyncClient(headers=headers, timeout=timeout)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="requests", daemon=True)
        self._thread.start()
        return {"about": f"{self._model} at {options['base_url']}"}

    def close(self) -> None:
        """Close the connections to the server."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        running = [answer.running for answer in self._answers.values() if answer.running]
        for each in running:
            each.cancel()
        await asyncio.gather(*running)
        await self._http.aclose()

    # Messages, in the loop

    async def _setup(self, envelope: Envelope) -> None:
        fields = envelope.fields
        task = LlmTask.from_setup(fields["task"], fields["data"], fields.get("memory"), self._context)
        if task.options.sampler.grammar:
            raise refusal("grammar needs the llama engine; json_schema works here")
        if fields["data"].get("lora"):
            raise refusal("lora needs the llama engine")
        self._tasks[task.work_id] = task

    async def _infer(self, envelope: Envelope) -> None:
        task, number = self._tasks[envelope.fields["task"]], envelope.fields["inference"]
        text = envelope.payload.decode() if envelope.fields["is_text"] else None
        task.begin(text or "")
        try:
            if text is None:
                raise UnitFault(RUN_FAILED, "llm takes text (llm.utf-8)")
            if ready := task.ready_answer(envelope.fields.get("answer", "")):
                self._host.say("delta", task=task.work_id, inference=number, text=ready)
                self._finish(task, number, "stop")
                return
            options = task.options_with(envelope.fields.get("options", {}))
            task.images = options.images
            if unknown := [each for each in task.pictures_for(options) if not media_type(each.data)]:
                raise refusal(f"{unknown[0].where} cannot be read: it is no PNG, JPEG, WebP, BMP or GIF")
            if options.is_raw:
                raise refusal("raw needs the llama engine; a chat server takes messages")
        except UnitFault as fault:
            self._finish(task, number, "error", code=RUN_FAILED, message=str(fault))
            return
        answer = self._answers[task.work_id] = Answer(number, options.policy)
        answer.may_speak.set()
        answer.running = self._loop.create_task(self._run(task, options, answer, text))

    async def _pause(self, envelope: Envelope) -> None:
        if answer := self._answers.get(envelope.fields["task"]):
            answer.may_speak.clear()

    async def _resume(self, envelope: Envelope) -> None:
        if answer := self._answers.get(envelope.fields["task"]):
            answer.chunk_pieces = 0
            answer.may_speak.set()

    async def _set_policy(self, envelope: Envelope) -> None:
        try:
            policy = read_policy(envelope.fields["pause"])
        except ValueError as error:
            raise UnitFault(RUN_FAILED, str(error)) from error
        if answer := self._answers.get(envelope.fields["task"]):
            answer.policy = policy

    async def _cancel(self, envelope: Envelope) -> None:
        answer = self._answers.get(envelope.fields["task"])
        if answer and answer.running and envelope.fields.get("inference") in (None, answer.number):
            answer.running.cancel()
            await asyncio.wait([answer.running])

    async def _exit(self, envelope: Envelope) -> None:
        await self._cancel(envelope)
        self._tasks.pop(envelope.fields["task"], None)

    async def _warm(self, envelope: Envelope) -> None:
        """Do nothing: the cache is the server's own."""

    async def _turn_end(self, envelope: Envelope) -> None:
        raise UnitFault(UNAVAILABLE, "turn_end: a server does not tell the probability of the end of a turn")

    # One answer

    async def _run(self, task: LlmTask, options: LlmOptions, answer: Answer, text: str) -> None:
        """Ask the server, pass its pieces on, and end exactly once."""
        usage: dict[str, Any] = {}
        reason, failure = "stop", ""
        try:
            reason = await self._speak(task, options, answer, text, usage)
        except asyncio.CancelledError:
            reason = "interrupted"
        except (httpx.HTTPError, httpx.InvalidURL, RemoteError, orjson.JSONDecodeError) as error:
            reason, failure = "error", f"{self._url}: {_words_of(error)}"
        except Exception as bug:
            traceback.print_exc()
            reason, failure = "error", f"internal error: {bug!r}"
        del self._answers[task.work_id]
        if not failure:
            task.remember()
        counted = usage or {"prompt_tokens": 0, "completion_tokens": answer.pieces, "total_tokens": answer.pieces}
        details = {"code": RUN_FAILED, "message": failure} if failure else {}
        self._finish(task, answer.number, reason, usage=counted, **details)

    async def _speak(self, task: LlmTask, options: LlmOptions, answer: Answer, text: str, usage: dict[str, Any]) -> str:
        """Pass an answer on and return the reason of its end."""
        body = request_body(self._model, options, self._messages(task, options, text))
        reason, is_at_boundary, calls = "stop", False, CallPieces()
        async with self._http.stream("POST", self._url, json=body) as response:
            if response.is_error:
                raise RemoteError(_status_words(response.status_code, await response.aread(), response.headers))
            if options.tells_prompt:  # how long it is, the server says at the end
                self._host.say("read", task=task.work_id, inference=answer.number, prompt_tokens=0)
            async for event in _events(response):
                usage |= _usage_of(event)
                for choice in event.get("choices") or ():
                    if choice.get("finish_reason"):
                        reason = choice["finish_reason"]
                    delta = choice.get("delta") or {}
                    calls.add(delta.get("tool_calls") or ())
                    if piece := delta.get("content"):
                        if is_at_boundary:
                            await self._hold(task, answer, "sentence_boundary")
                        is_at_boundary = await self._say(task, answer, piece)
        for call in calls.complete():
            task.has_called = True
            self._host.say("tool_call", task=task.work_id, inference=answer.number, **call._asdict())
        if reason == "tool_calls":
            return "stop"
        return "sentence_boundary_eos" if is_at_boundary and reason == "stop" else reason

    async def _say(self, task: LlmTask, answer: Answer, piece: str) -> bool:
        """Say a piece when that is allowed; return True when the policy stops after it, at a sentence's end."""
        await answer.may_speak.wait()
        task.said.append(piece)
        answer.pieces += 1
        answer.chunk_pieces += 1
        self._host.say("delta", task=task.work_id, inference=answer.number, text=piece)
        if answer.chunk_pieces == answer.policy.max_tokens:
            await self._hold(task, answer, "max_tokens")
            return False
        recent = task.said[-min(answer.chunk_pieces, RECENT_PIECES) :]
        return answer.policy.sentence_boundary and ends_sentence("".join(recent))

    async def _hold(self, task: LlmTask, answer: Answer, reason: str) -> None:
        """Stop by the policy until `work`."""
        answer.may_speak.clear()
        self._host.say("paused", task=task.work_id, inference=answer.number, reason=reason, tokens=answer.chunk_pieces)
        await answer.may_speak.wait()

    def _messages(self, task: LlmTask, options: LlmOptions, text: str) -> Sequence[Message]:
        """Return the conversation without the oldest turns that cannot fit by the estimate; a client's own as it is."""
        if options.messages is not None:
            return options.messages
        room = (options.context - min(options.max_tokens, options.context // 2)) * BYTES_PER_TOKEN
        while task.history and _size(conversation(options.system_prompt, task.history, text)) > room:
            del task.history[0]
        return conversation(options.system_prompt, task.history, text, options.images)

    def _finish(self, task: LlmTask, number: int, reason: str, **fields: Any) -> None:
        self._host.say("finish", task=task.work_id, inference=number, reason=reason, **task.memory, **fields)


class RemoteError(Exception):
    """The server sent no usable answer; the words say what to do."""


def _read_key(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError as error:
        raise LoadError(f"api_key_file {path}: {error.strerror}") from error


def _size(messages: Sequence[Message]) -> int:
    return sum(len(message.content.encode()) for message in messages)


async def _events(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    """Yield the JSON objects of a server-sent event stream, up to [DONE] or its end."""
    async for line in response.aiter_lines():
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            return
        event = orjson.loads(data)
        if not isinstance(event, dict):
            raise RemoteError("it sent an event that is no object")
        if "error" in event:
            raise RemoteError(f"it failed: {event['error']}")
        yield event


def _usage_of(event: dict[str, Any]) -> dict[str, Any]:
    usage = event.get("usage") or {}
    return {key: usage[key] for key in ("prompt_tokens", "completion_tokens", "total_tokens") if key in usage}


_STATUS_WORDS = {
    400: "it refuses the request",
    401: "it refuses the key; check api_key_file in the model's card",
    403: "it refuses the key; check api_key_file in the model's card",
    404: "there is no such model or address; check remote_model and base_url in the model's card",
    429: "it is busy or the quota is used up",
}


def _status_words(status: int, body: bytes, headers: Mapping[str, str]) -> str:
    words = _STATUS_WORDS.get(status, "it failed" if status >= 500 else "it refuses the request")
    wait = f", try again in {headers['retry-after']} s" if "retry-after" in headers else ""
    return f"{words}{wait} ({status}: {_detail(body)})"


def _detail(body: bytes) -> str:
    """Return the server's own words, from OpenAI's error shape or as they are."""
    try:
        return str(orjson.loads(body)["error"]["message"])[:200]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return body.decode(errors="replace").strip()[:200] or "no reason given"


def _words_of(error: Exception) -> str:
    """Return a sentence for each way in which a connection fails."""
    if isinstance(error, httpx.ConnectTimeout):
        return f"no connection within {CONNECT_SECONDS:.0f} s"
    if isinstance(error, httpx.TimeoutException):
        return f"silent for {SILENCE_SECONDS:.0f} s"
    if isinstance(error, httpx.ConnectError):
        return f"cannot be reached ({reason_of(error)})"
    if isinstance(error, httpx.HTTPError):
        return f"the answer broke off ({reason_of(error)})"
    return str(error) if isinstance(error, RemoteError) else f"it sent what is no JSON ({error})"
