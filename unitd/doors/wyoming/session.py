"""One connection of a Wyoming client.

A client announces a service (`transcribe`, `detect`), then sends audio; or it sends a text to speak or to answer. A
failure is an `error` event with the reason, and the end of the connection: Home Assistant's speech to text ignores
error events and waits without a limit, until the connection ends.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioChunkConverter
from wyoming.error import Error
from wyoming.event import Event
from wyoming.handle import Handled, HandledChunk, HandledStart, HandledStop, NotHandled
from wyoming.info import Info
from wyoming.ping import Ping, Pong
from wyoming.server import AsyncEventHandler
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStopped
from wyoming.wake import Detect

from unitd.core.config.schema import WyomingSettings
from unitd.doors.local_client import LocalClient
from unitd.doors.wyoming.answering import Assistant
from unitd.doors.wyoming.hearing import CHANNELS, RATE, WIDTH, Detector, Listener, Transcriber
from unitd.doors.wyoming.info import asr_model_for
from unitd.doors.wyoming.speaking import Speaker
from unitd.doors.wyoming.timer_events import TimerTeller
from unitd.runtime.models.store import ModelStore
from unitd.wire.errors import UnitdError

log = logging.getLogger("unitd.wyoming")

Describe = Callable[[], Awaitable[Info]]

RATES = range(4000, 192_001)
"""Sample rates that are accepted; at one sample per second a chunk would be hours long and fill the memory."""

LONGEST_CHUNK_SECONDS = 60


class Session(AsyncEventHandler):
    """The session of one client."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        local_client: LocalClient,
        settings: WyomingSettings,
        assistant: Assistant,
        models: ModelStore,
        describe: Describe,
    ) -> None:
        super().__init__(reader, writer)
        self._local_client = local_client
        self._settings = settings
        self._assistant = assistant
        self._models = models
        self._describe = describe
        self._listener: Listener | None = None
        self._converter = AudioChunkConverter(rate=RATE, width=WIDTH, channels=CHANNELS)
        self._speaker: Speaker | None = None
        self._timers = TimerTeller(local_client, self.write_event)
        self._handlers: Mapping[str, Callable[[Event], Awaitable[None]]] = {
            "describe": self._on_describe,
            "ping": self._on_ping,
            "transcribe": self._on_transcribe,
            "detect": self._on_detect,
            "audio-chunk": self._on_audio,
            "audio-stop": self._on_audio_stop,
            "transcript": self._on_question,
            "synthesize": self._on_synthesize,
            "synthesize-start": self._on_synthesize_start,
            "synthesize-chunk": self._on_synthesize_chunk,
            "synthesize-stop": self._on_synthesize_stop,
        }

    async def handle_event(self, event: Event) -> bool:
        """Handle one event; ignore unknown ones, as the protocol demands. Return False after an error."""
        handler = self._handlers.get(event.type)
        if handler is None:
            return True
        try:
            await handler(event)
            return True
        except UnitdError as error:
            await self._tell(error)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            log.debug("%s sent a damaged %s: %r", self._local_client.name, event.type, error)
            await self.write_event(Error(text=f"{event.type} is damaged: {error}", code="BadEvent").event())
        return False

    async def _tell(self, error: UnitdError) -> None:
        await self.write_event(Error(text=str(error), code=type(error).__name__).event())

    async def _give_up(self, error: UnitdError) -> None:
        """Report an error and end the connection: the client must connect and ask again."""
        await self._tell(error)
        await self.stop()

    async def disconnect(self) -> None:
        """Cut the requests of the client: it is gone."""
        self._stop_listening()
        self._timers.close()
        self._local_client.close()

    # Information

    async def _on_describe(self, event: Event) -> None:
        await self.write_event((await self._describe()).event())

    async def _on_ping(self, event: Event) -> None:
        await self.write_event(Pong(text=Ping.from_event(event).text).event())

    # Hearing

    async def _on_transcribe(self, event: Event) -> None:
        wanted = Transcribe.from_event(event)
        self._stop_listening()
        model, language = asr_model_for(await self._models.catalog(), wanted.name, wanted.language)
        self._listener = await Transcriber.open(self._local_client, model, language, self.write_event)

    async def _on_detect(self, event: Event) -> None:
        phrases = Detect.from_event(event).names or self._settings.wake_words
        self._stop_listening()
        self._listener = await Detector.open(self._local_client, list(phrases), self.write_event, self._give_up)

    async def _on_audio(self, event: Event) -> None:
        if self._listener is None:
            return
        # In a thread: Python 3.13 has no audioop any more, and its replacement is slow.
        pcm = await asyncio.to_thread(self._pcm_of, AudioChunk.from_event(event))
        if self._listener is not None:  # it may have given up meanwhile
            self._listener.hear(pcm)

    def _pcm_of(self, chunk: AudioChunk) -> bytes:
        """Return the audio in the units' format.

        Raises:
            ValueError: the chunk is not the audio that it declares, or its format is not accepted.
        """
        if chunk.rate not in RATES:
            raise ValueError(f"{chunk.rate} samples a second")
        if len(chunk.audio) > LONGEST_CHUNK_SECONDS * chunk.rate * chunk.width * chunk.channels:
            raise ValueError(f"more than {LONGEST_CHUNK_SECONDS} s in one piece")
        try:
            return self._converter.convert(chunk).audio
        except Exception as error:  # audioop and its replacement (Python 3.13) have errors of their own
            raise ValueError(error) from error

    async def _on_audio_stop(self, event: Event) -> None:
        if self._listener is not None:
            try:
                await self._listener.finish()
            finally:
                self._stop_listening()

    def _stop_listening(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    # Answering

    async def _on_question(self, event: Event) -> None:
        with self._timers.asking():
            await self._answer(event)

    async def _answer(self, event: Event) -> None:
        question = Transcript.from_event(event)
        said: list[str] = []
        try:
            async for text in self._assistant.answer(self._local_client, question.text, _context_of(event)):
                if not said:
                    await self.write_event(HandledStart().event())
                said.append(text)
                await self.write_event(HandledChunk(text=text).event())
        except UnitdError as error:
            await self.write_event(NotHandled(text=str(error)).event())
            return
        if said:
            await self.write_event(HandledStop().event())
        await self.write_event(Handled(text="".join(said)).event())

    # Speaking

    async def _on_synthesize(self, event: Event) -> None:
        """Speak a whole text; ignore it after a streamed text, which it repeats for servers that do not stream."""
        wanted = Synthesize.from_event(event)
        if self._speaker is not None:
            return
        speaker = await Speaker.open(self._local_client, wanted.voice, self.write_event)
        try:
            await speaker.add(wanted.text)
            await speaker.finish()
        finally:
            speaker.close()

    async def _on_synthesize_start(self, event: Event) -> None:
        self._speaker = await Speaker.open(
            self._local_client, SynthesizeStart.from_event(event).voice, self.write_event
        )

    async def _on_synthesize_chunk(self, event: Event) -> None:
        if self._speaker is not None:
            await self._speaker.add(SynthesizeChunk.from_event(event).text)

    async def _on_synthesize_stop(self, event: Event) -> None:
        speaker, self._speaker = self._speaker, None
        if speaker is not None:
            try:
                await speaker.finish()
            finally:
                speaker.close()
        await self.write_event(SynthesizeStopped().event())


def _context_of(event: Event) -> Any:
    return (event.data or {}).get("context")
