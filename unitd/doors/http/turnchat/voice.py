"""The voice of an answer: a tts task linked to the llm task, so that it speaks while the text is generated."""

import base64
from collections.abc import AsyncIterator

from unitd.doors.http.speech import RATE, TTS_MODEL
from unitd.doors.local_client import LocalClient, ReplyStream
from unitd.doors.pcm import floats_of_s16

BYTES_A_SECOND = 2 * RATE

# The `websockets` package accepts messages of 1 MiB by default: 8 s of this audio.
SEGMENT_BYTES = BYTES_A_SECOND

CLOSING_PAUSE = bytes(BYTES_A_SECOND // 10)
"""The end of the speech, which `done` carries when the rest has been streamed. It holds no word, because clients may
ignore the audio of `done`, like the document's own examples."""


class Voice:
    """The voice of one answer, as 16-bit PCM at RATE."""

    def __init__(self, work_id: str, frames: ReplyStream) -> None:
        self.work_id = work_id
        self._frames = frames

    @classmethod
    async def open(cls, local_client: LocalClient, speaker: str, language: str) -> "Voice":
        """Link a new voice to the llm task `speaker`, before its answer begins.

        Raises:
            UnitdError: there is no voice, or none for this language.
        """
        setup = {"model": TTS_MODEL, "response_format": "tts.base64.stream", "enoutput": True, "input": [speaker]}
        setup |= {"sample_rate": RATE} | ({"language": language} if language else {})
        return cls(*await local_client.set_up("tts", setup))

    async def segments(self) -> AsyncIterator[bytes]:
        """Yield the sound of one sentence after the other, at most a second at a time, until the answer is spoken.

        Raises:
            UnitdError: the engine failed.
        """
        async for frame in self._frames:
            pcm = base64.b64decode(frame.data["delta"])
            for start in range(0, len(pcm), SEGMENT_BYTES):
                yield pcm[start : start + SEGMENT_BYTES]
            if frame.data["finish"]:
                return

    def close(self) -> None:
        """Stop listening to the voice."""
        self._frames.close()


def for_client(pcm: bytes) -> str | None:
    """Return the sound as base64 of float PCM, for browsers; None without sound."""
    return base64.b64encode(floats_of_s16(pcm)).decode() if pcm else None
