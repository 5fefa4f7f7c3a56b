"""One turn of the turn-based chat: the question is made ready, the answer is generated, and spoken meanwhile.

    messages ──(asr, video)──> question ──(llm)──> text ──(tts, linked)──> sound

Text and sound are sent to the client as they come, each in order. When the voice fails the text goes on, and `warnings`
has the reason.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from unitd.doors.chat_session import ChatSession, Ended, Read, Said
from unitd.doors.http.turnchat.question import PreparedQuestion
from unitd.doors.http.turnchat.request import ChatRequest
from unitd.doors.http.turnchat.voice import BYTES_A_SECOND, CLOSING_PAUSE, Voice, for_client
from unitd.doors.local_client import LocalClient
from unitd.wire.errors import RunFailed, UnitdError, UnknownTask

Send = Callable[[dict[str, Any]], Awaitable[None]]
"""Sends one message to the client."""

# Sound of an answer that is not streamed: 38 MB as base64. An answer of 512 tokens takes three minutes.
MAX_KEPT_SECONDS = 300

OWN_VOICE = "the voice of the reference audio cannot be imitated; this is the unit's own voice"


@dataclass(frozen=True)
class Outcome:
    """The result of a turn."""

    text: str
    input_tokens: int
    generated_tokens: int
    sound: bytes
    """The whole speech as 16-bit PCM; b"" unless it had to be kept."""

    last_segment: bytes
    """The end of the speech, which has not been streamed."""

    warnings: list[str]


class Turn:
    """One question and its answer."""

    def __init__(
        self,
        local_client: LocalClient,
        request: ChatRequest,
        question: PreparedQuestion,
        send: Send,
        *,
        is_recorded: bool,
    ) -> None:
        self._local_client = local_client
        self._request = request
        self._question = question
        self._send = send
        self._keeps_sound = is_recorded or not request.is_streaming
        self._has_read = False
        self._said: list[str] = []
        self._sound = bytearray()
        self._has_spoken = False
        self._warnings: list[str] = []

    async def run(self) -> Outcome:
        """Answer the question.

        Raises:
            UnitdError: there is no answer.
        """
        prompt = await self._question.messages()
        self._warnings += self._question.warnings
        conversation = await ChatSession.open(self._local_client)
        voice = await self._voice_of(conversation)
        try:
            async with asyncio.TaskGroup() as group:
                if voice is not None:
                    group.create_task(self._speak(voice), name=f"voice of {conversation.work_id}")
                end = await self._say(conversation, prompt)
                if voice is not None:
                    await self._let_finish(voice)
        except* UnitdError as errors:
            error = errors.exceptions[0]
            raise self._question.with_own_place(error) if isinstance(error, UnitdError) else error from None
        return self._outcome(end)

    def _outcome(self, end: Ended) -> Outcome:
        if end.reason == "interrupted":
            self._warnings.append("the answer was interrupted")
        pause = CLOSING_PAUSE if self._has_spoken else b""
        return Outcome(
            text="".join(self._said),
            input_tokens=end.prompt_tokens,
            generated_tokens=end.completion_tokens,
            sound=bytes(self._sound) + pause if self._sound else b"",
            last_segment=pause,
            warnings=self._warnings,
        )

    # The answer

    async def _say(self, conversation: ChatSession, prompt: list[dict[str, Any]]) -> Ended:
        options = self._request.generation.options | {"thinking": self._request.thinks}
        async for event in conversation.answer(prompt, **options):
            if isinstance(event, Read):
                await self._tell_read(event.prompt_tokens)
            elif isinstance(event, Said):
                await self._tell_read(None)
                self._said.append(event.text)
                await self._stream(event.text)
            elif isinstance(event, Ended):
                await self._tell_read(event.prompt_tokens)
                return event
        raise RunFailed("the answer broke off")

    async def _tell_read(self, tokens: int | None) -> None:
        """Send `prefill_done` once, before the first text; a remote engine does not report the end of the prompt."""
        if not self._has_read:
            self._has_read = True
            await self._send({"type": "prefill_done", "input_tokens": tokens or None})

    async def _stream(self, text: str, segment: bytes = b"") -> None:
        if self._request.is_streaming:
            # In a thread: there may be minutes of sound, and other clients must not wait for the conversion.
            sound = await asyncio.to_thread(for_client, segment) if segment else None
            await self._send({"type": "chunk", "text_delta": text, "audio_data": sound})

    # The voice

    async def _voice_of(self, conversation: ChatSession) -> Voice | None:
        """Return a voice for the language, else the unit's usual voice; None without speech or without any voice."""
        speech = self._request.speech
        if speech is None:
            return None
        for language in dict.fromkeys((speech.language, "")):
            try:
                voice = await Voice.open(self._local_client, conversation.work_id, language)
            except UnitdError as error:
                self._warnings.append(f"there is no voice{f' for {language!r}' if language else ''}: {error}")
                continue
            if speech.wants_other_voice:
                self._warnings.append(OWN_VOICE)
            return voice
        return None

    async def _speak(self, voice: Voice) -> None:
        try:
            async for segment in voice.segments():
                self._has_spoken = True
                self._keep(segment)
                await self._stream("", segment)
        except UnitdError as error:
            self._warnings.append(f"the voice failed: {error}")

    def _keep(self, segment: bytes) -> None:
        if not self._keeps_sound:
            return
        self._sound += segment
        if len(self._sound) > MAX_KEPT_SECONDS * BYTES_A_SECOND:
            self._keeps_sound = False
            if not self._request.is_streaming:
                self._warnings.append(f"the speech is cut after {MAX_KEPT_SECONDS} s; ask for streaming")

    async def _let_finish(self, voice: Voice) -> None:
        """Close a voice that will not report its end: it got no text, or its task has been ended."""
        if not self._said:
            voice.close()
            return
        try:
            await self._local_client.ask(voice.work_id, "taskinfo")
        except UnknownTask:
            self._warnings.append("the voice was ended while the answer was written")
            voice.close()
