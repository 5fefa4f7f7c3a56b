"""Speech by HTTP: the models and the rate that all dialects use, and recordings that become text."""

from typing import Any

from unitd.doors.local_client import LocalClient
from unitd.doors.pcm import wav_of

ASR_MODEL = "unitd-asr"
TTS_MODEL = "unitd-tts"

RATE = 24000
"""Samples a second of the speech that clients get: the rate of OpenAI's."""

SETUP = {"response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}
WAV = "asr.base64.wav"

# A recording with pauses gives several utterances, each in a frame of its own. The answer to an empty recording shows
# that everything before it has been transcribed.
SILENCE = wav_of(b"", 16000)


class Transcriber:
    """One asr task, which transcribes recordings."""

    def __init__(self, local_client: LocalClient, work_id: str) -> None:
        self._local_client = local_client
        self._work_id = work_id

    @classmethod
    async def open(cls, local_client: LocalClient, model: str = ASR_MODEL, **setup: Any) -> "Transcriber":
        """Set up the task.

        Raises:
            UnitdError: the model is unknown or does not load, a value cannot be used, there is no room.
        """
        work_id, _ = await local_client.set_up("asr", {"model": model, **SETUP, **setup})
        return cls(local_client, work_id)

    async def hear(self, wav: bytes) -> str:
        """Return the text of a WAV file, without the full stop that the unit adds to each utterance; "" without speech.

        Raises:
            UnitdError: the file cannot be used, or the engine died.
        """
        recording = self._local_client.infer(self._work_id, wav, object_=WAV)
        silence = self._local_client.infer(self._work_id, SILENCE, object_=WAV)
        try:
            await anext(silence)
            return " ".join(frame.data.removesuffix(".") for frame in recording.take_arrived() if frame.data)
        finally:
            recording.close()
            silence.close()

    def close(self) -> None:
        """End the task."""
        self._local_client.leave(self._work_id)
