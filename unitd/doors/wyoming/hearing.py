"""Audio of a client: it is transcribed by an asr task, or searched for wake words by a kws task."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol

from wyoming.asr import Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
from wyoming.event import Event
from wyoming.wake import Detection, NotDetected

from unitd.doors.local_client import LocalClient, ReplyStream
from unitd.doors.pcm import wav_of
from unitd.wire.errors import RunFailed, UnitdError
from unitd.wire.messages import Reply

Write = Callable[[Event], Awaitable[None]]
GiveUp = Callable[[UnitdError], Awaitable[None]]

RATE, WIDTH, CHANNELS = 16000, 2, 1
"""The audio format of the units."""

BYTES_A_MS = RATE * WIDTH * CHANNELS // 1000
STOP_SECONDS = 60.0
"""Time limit for the end of the audio, besides the length of the audio itself. Home Assistant waits without a limit; 40
clients that stopped at once on two busy cores were answered after 47 s."""

ASR = {"response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}
KWS = {"response_format": "kws.json", "input": "kws.base64", "enoutput": True}


class Listener(Protocol):
    """The use of the audio between `audio-start` and `audio-stop`."""

    def hear(self, pcm: bytes) -> None:
        """Take a piece of audio."""

    async def finish(self) -> None:
        """Send the result: the audio has ended."""

    def close(self) -> None:
        """Stop listening."""


class Transcriber:
    """Transcribes audio while it arrives."""

    def __init__(self, local_client: LocalClient, work_id: str, write: Write) -> None:
        self._local_client = local_client
        self._work_id = work_id
        self._write = write
        self._heard_bytes = 0
        self._send, self._replies = local_client.feed(work_id, "asr.base64")

    @classmethod
    async def open(cls, local_client: LocalClient, model: str, language: str | None, write: Write) -> "Transcriber":
        """Set up the task. Raise UnitdError when the model is unknown or does not know the language."""
        setup = {"model": model, **ASR} | ({"language": language} if language else {})
        work_id, _ = await local_client.set_up("asr", setup)
        return cls(local_client, work_id, write)

    def hear(self, pcm: bytes) -> None:
        """Send a piece to the unit."""
        self._heard_bytes += len(pcm)
        self._send(pcm)

    async def finish(self) -> None:
        """Send the text, in pieces and as a whole."""
        rest = await _end_of_audio(self._local_client, self._work_id, self._heard_bytes)
        frames = [*self._replies.take_arrived(), rest]
        utterances = [str(frame.data).removesuffix(".").strip() for frame in frames]
        text = " ".join(each for each in utterances if each)
        await self._write(TranscriptStart().event())
        await self._write(TranscriptChunk(text=text).event())
        await self._write(TranscriptStop().event())
        await self._write(Transcript(text=text).event())

    def close(self) -> None:
        """End the task."""
        self._replies.close()
        self._local_client.leave(self._work_id)


class Detector:
    """Reports every wake word at once; gives up when the unit fails (its child has died)."""

    def __init__(self, local_client: LocalClient, work_id: str, write: Write, give_up: GiveUp) -> None:
        self._local_client = local_client
        self._work_id = work_id
        self._write = write
        self._give_up = give_up
        self._send, self._replies = local_client.feed(work_id, "kws.base64")
        self._was_detected = False
        self._heard_bytes = 0
        self._telling = asyncio.get_running_loop().create_task(self._tell(self._replies), name="wyoming wake words")

    @classmethod
    async def open(cls, local_client: LocalClient, phrases: Sequence[str], write: Write, give_up: GiveUp) -> "Detector":
        """Set up the task. Raise UnitdError when a phrase cannot be used."""
        work_id, _ = await local_client.set_up("kws", {"model": "unitd-kws", "kws": list(phrases), **KWS})
        return cls(local_client, work_id, write, give_up)

    def hear(self, pcm: bytes) -> None:
        """Send a piece to the unit."""
        self._heard_bytes += len(pcm)
        self._send(pcm)

    async def _tell(self, replies: ReplyStream) -> None:
        with suppress(OSError):  # the client is gone, which its session notices
            try:
                async for frame in replies:
                    if frame.data:
                        await self._detected(frame)
            except UnitdError as error:
                await self._give_up(error)

    async def _detected(self, frame: Reply) -> None:
        self._was_detected = True
        await self._write(Detection(name=_phrase_in(frame), timestamp=self._heard_bytes // BYTES_A_MS).event())

    async def finish(self) -> None:
        """Report the end of the audio, also when there was no wake word."""
        rest = await _end_of_audio(self._local_client, self._work_id, self._heard_bytes)
        if rest.data:  # a word that was recognised only at the end of the audio
            await self._detected(rest)
        if not self._was_detected:
            await self._write(NotDetected().event())

    def close(self) -> None:
        """End the task."""
        self._telling.cancel()
        self._replies.close()
        self._local_client.leave(self._work_id)


def _phrase_in(frame: Reply) -> str | None:
    return str(frame.data["phrase"]) if isinstance(frame.data, dict) and "phrase" in frame.data else None


async def _end_of_audio(local_client: LocalClient, work_id: str, audio_bytes: int) -> Reply:
    """Return the answer to an empty recording, which ends the utterance: all audio before it has been processed.

    Raises:
        UnitdError: the unit failed, or did not answer in time.
    """
    unit = work_id.partition(".")[0]
    limit = STOP_SECONDS + audio_bytes / BYTES_A_MS / 1000
    silence = local_client.infer(work_id, wav_of(b"", RATE), object_=f"{unit}.base64.wav")
    try:
        async with asyncio.timeout(limit):
            return await anext(silence)
    except TimeoutError:
        raise RunFailed(f"the audio was not heard within {limit:.0f} s") from None
    finally:
        silence.close()
