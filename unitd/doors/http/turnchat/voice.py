"""An answer's voice: a tts task linked to the answer's llm task, so that it speaks while the text is still written."""

import base64
from collections.abc import AsyncIterator

from unitd.doors.http.speech import RATE, TTS_MODEL
from unitd.doors.local_client import LocalClient, ReplyStream
from unitd.doors.pcm import floats_of_s16

BYTES_A_SECOND = 2 * RATE

# A client of the `websockets` package takes messages of 1 MiB, 8 s of this audio, unless it says otherwise.
SEGMENT_BYTES = BYTES_A_SECOND

CLOSING_PAUSE = bytes(BYTES_A_SECOND // 10)
"""The end of what is spoken: `done` carries it when the rest has been streamed. It holds no word, because clients may
not play what comes with `done`; the document's own examples do not."""


class Voice:
    """Speaks one answer; 16-bit PCM at RATE comes out."""

    def __init__(self, work_id: str, frames: ReplyStream) -> None:
        self.work_id = work_id
        self._frames = frames

    @classmethod
    async def open(cls, local_client: LocalClient, speaker: str, language: str) -> "Voice":
        """Links a new voice to the llm task `speaker`, before its answer begins.

        Raises:
            UnitdError: there is no voice, or none for this language.
        """
        setup = {"model": TTS_MODEL, "response_format": "tts.base64.stream", "enoutput": True, "input": [speaker]}
        setup |= {"sample_rate": RATE} | ({"language": language} if language else {})
        return cls(*await local_client.set_up("tts", setup))

    async def segments(self) -> AsyncIterator[bytes]:
        """The sound of sentence after sentence, a second at most at a time, until the answer is spoken.

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
        """Nobody listens any more."""
        self._frames.close()


def for_client(pcm: bytes) -> str | None:
    """Base64 of float PCM, as browsers take it; None for no sound."""
    return base64.b64encode(floats_of_s16(pcm)).decode() if pcm else None
