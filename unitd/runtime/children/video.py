"""Videos that clients send become pictures and sound, in a program of its own for each file (`units.video`).

The daemon neither decodes a video nor believes what the program says of it: what is more than was asked for is refused.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from unitd.runtime.children.process import environment
from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope
from unitd.wire.errors import RunFailed, Unavailable, reason_of
from unitd.wire.videos import (
    DECODE_BYTES,
    DECODE_SECONDS,
    MAX_FRAMES,
    MAX_SOUND_SECONDS,
    SOUND_RATE,
)

log = logging.getLogger("unitd.process")

VIDEO_ARGV = (sys.executable, "-m", "units.video")
"""The program that reads one video."""

# Each may take DECODE_BYTES, and a core.
AT_ONCE = 2
# The program ends by itself after DECODE_SECONDS of the processor, which it may have to share.
PATIENCE_SECONDS = 2 * DECODE_SECONDS

# A frame of 640 pixels that is all noise has 600 KB as JPEG; there may be a second one for each.
MAX_OUTPUT_BYTES = 2 * MAX_FRAMES * 1024 * 1024 + 2 * MAX_SOUND_SECONDS * SOUND_RATE
_CHUNK_BYTES = 256 * 1024

TOO_MUCH = f"it takes more than {DECODE_SECONDS:g} s or {DECODE_BYTES >> 20} MiB"


class VideoFrame(NamedTuple):
    """A picture of a video, as a JPEG file."""

    jpeg: bytes


class VideoSound(NamedTuple):
    """A piece of a video's sound: 16-bit PCM at SOUND_RATE."""

    pcm: bytes


@dataclass(frozen=True)
class Video:
    """The parts of a video that are shown to a model."""

    parts: tuple[VideoFrame | VideoSound, ...]
    seconds: float
    """The length of its pictures."""

    is_sound_cut: bool
    """True when its sound is longer than what is listened to."""

    @property
    def frames(self) -> int:
        """Return the number of its pictures."""
        return sum(isinstance(part, VideoFrame) for part in self.parts)


class VideoReader:
    """Starts the programs that read videos."""

    def __init__(self, argv: Sequence[str] = VIDEO_ARGV) -> None:
        self._argv = argv
        self._lanes = asyncio.Semaphore(AT_ONCE)

    async def read(self, data: bytes, *, frames: int, stack: int = 1, in_pieces: bool = False) -> Video:
        """Return up to `frames` pictures of a video, at most one a second, and its sound.

        With `stack` pictures a second, those between two pictures are joined to one that follows the first. The sound
        comes after the pictures; `in_pieces` it comes among them, where it is heard.

        Raises:
            RunFailed: the file cannot be read.
            Unavailable: the libraries for videos are not installed.
        """
        order = Envelope("read", {"frames": frames, "stack": stack, "in_pieces": in_pieces}, data)
        async with self._lanes:
            output = await self._run(encode_envelope(order))
        try:
            return _video_of(list(EnvelopeReader().feed(output)), most=2 * frames)
        except (ValueError, KeyError) as error:
            raise RunFailed("the program that reads videos does not answer as it should") from error

    async def _run(self, order: bytes) -> bytes:
        """Start a program and return what it writes."""
        pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *self._argv, stdin=pipe, stdout=pipe, stderr=null, env=environment(), start_new_session=True
            )
        except OSError as error:
            raise Unavailable(f"the program that reads videos could not be started: {reason_of(error)}") from error
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await _exchange(process, order)
        except TimeoutError as error:
            raise RunFailed(TOO_MUCH) from error
        finally:
            await _end(process)


async def _exchange(process: asyncio.subprocess.Process, order: bytes) -> bytes:
    """Write the order, which the program reads to its end first, and return its output."""
    assert process.stdin is not None and process.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it died early; its status tells why
        process.stdin.write(order)
        await process.stdin.drain()
        process.stdin.write_eof()
    output = bytearray()
    while chunk := await process.stdout.read(_CHUNK_BYTES):
        output += chunk
        if len(output) > MAX_OUTPUT_BYTES:
            raise RunFailed(TOO_MUCH)
    if status := await process.wait():
        log.debug("= a video ended its program with status %d", status)
        raise RunFailed(TOO_MUCH)
    return bytes(output)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill the program, if it still runs, with what it has started."""
    assert process.stdout is not None
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    while await process.stdout.read(_CHUNK_BYTES):  # asyncio waits for the end of the pipe, too
        pass
    await process.wait()


def _video_of(answers: list[Envelope], *, most: int) -> Video:
    """Return the video in these messages; raise ValueError or KeyError for messages that make none."""
    *parts, last = answers or [Envelope("")]
    if last.type == "refusal":
        log.debug("= a video cannot be read: %s", last.fields.get("cause"))
        words = str(last.fields["words"])
        raise Unavailable(words) if last.fields.get("is_missing") else RunFailed(words)
    frames = sum(each.type == "frame" for each in parts)
    if last.type != "end" or not 0 < frames <= most:
        raise ValueError(f"{frames} frames, then {last.type!r}")
    seconds, is_cut = float(last.fields["seconds"]), bool(last.fields["is_cut"])
    return Video(tuple(_PARTS[each.type](each.payload) for each in parts), seconds, is_cut)


_PARTS: dict[str, Callable[[bytes], VideoFrame | VideoSound]] = {"frame": VideoFrame, "sound": VideoSound}
