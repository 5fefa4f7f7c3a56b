"""Speech by a tts task, sentence by sentence while the text is still being generated."""

import base64
import re
from collections.abc import Awaitable, Callable

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event
from wyoming.tts import SynthesizeVoice

from unitd.doors.local_client import LocalClient

Write = Callable[[Event], Awaitable[None]]

RATE, WIDTH, CHANNELS = 22050, 2, 1
# Home Assistant plays each chunk at once: a tenth of a second comes early and makes not too many events.
CHUNK_BYTES = RATE * WIDTH // 10

_SENTENCE = re.compile(r"(?<=[.!?…])\s+")


class Speaker:
    """Speaks one text for one client."""

    def __init__(self, local_client: LocalClient, work_id: str, write: Write) -> None:
        self._local_client = local_client
        self._work_id = work_id
        self._write = write
        self._held = ""
        self._has_begun = False

    @classmethod
    async def open(cls, local_client: LocalClient, voice: SynthesizeVoice | None, write: Write) -> "Speaker":
        """Set up the task. Raise UnitdError when there is no such voice, or none for this language."""
        setup = {
            "model": (voice and voice.name) or "unitd-tts",
            "response_format": "tts.base64.stream",
            "input": "tts.utf-8",
            "enoutput": True,
            "sample_rate": RATE,
        }
        if voice and voice.language:
            setup["language"] = voice.language
        if voice and voice.speaker:
            setup["speaker"] = voice.speaker
        work_id, _ = await local_client.set_up("tts", setup)
        return cls(local_client, work_id, write)

    async def add(self, text: str) -> None:
        """Add text, and speak the sentences that are complete."""
        *sentences, self._held = _SENTENCE.split(self._held + text)
        for sentence in sentences:
            await self._say(sentence)

    async def finish(self) -> None:
        """Speak the rest, and end the sound."""
        await self._say(self._held)
        self._held = ""
        await self._begin()
        await self._write(AudioStop().event())

    def close(self) -> None:
        """End the task, and with it the running speech."""
        self._local_client.leave(self._work_id)

    async def _say(self, text: str) -> None:
        if not text.strip():
            return
        frames = self._local_client.infer(self._work_id, text, object_="tts.utf-8")
        try:
            async for frame in frames:
                await self._play(base64.b64decode(frame.data["delta"]))
                if frame.data["finish"]:
                    return
        finally:
            frames.close()

    async def _play(self, pcm: bytes) -> None:
        if pcm:
            await self._begin()
        for start in range(0, len(pcm), CHUNK_BYTES):
            audio = pcm[start : start + CHUNK_BYTES]
            await self._write(AudioChunk(rate=RATE, width=WIDTH, channels=CHANNELS, audio=audio).event())

    async def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            await self._write(AudioStart(rate=RATE, width=WIDTH, channels=CHANNELS).event())
