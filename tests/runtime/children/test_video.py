"""Covers unitd.runtime.children.video: what the daemon makes of the program that reads videos, however that behaves."""

import asyncio
import sys
from collections.abc import Sequence

import pytest

from tests.support.children import children_left
from tests.support.units.spoken import RATE, silence
from tests.support.videos import colors_of, video
from unitd.runtime.children import video as video_module
from unitd.runtime.children.video import TOO_MUCH, VideoFrame, VideoReader, VideoSound
from unitd.wire.errors import RunFailed, Unavailable

pytestmark = pytest.mark.timeout(60)


def saying(program: str) -> Sequence[str]:
    """Start this instead of the program."""
    return (sys.executable, "-c", program)


async def test_a_video_becomes_pictures_and_sound() -> None:
    """In order; the pictures as JPEG, the sound as PCM."""
    data = await asyncio.to_thread(video, "red", "blue", sound=silence(2))

    read = await VideoReader().read(data, frames=4)

    red, blue, sound = read.parts
    assert isinstance(red, VideoFrame) and isinstance(blue, VideoFrame) and isinstance(sound, VideoSound)
    assert colors_of([red.jpeg, blue.jpeg]) == ["red", "blue"]
    assert len(sound.pcm) / 2 / RATE == pytest.approx(2, abs=0.1)
    assert read.seconds == pytest.approx(1.9)
    assert not read.is_sound_cut


async def test_what_cannot_be_read_is_told_in_the_program_s_words() -> None:
    """The caller knows the place."""
    with pytest.raises(RunFailed, match="it is no video"):
        await VideoReader().read(b"hello", frames=4)


async def test_several_videos_are_read_two_at_a_time() -> None:
    """The others wait, and all are read."""
    data = await asyncio.to_thread(video, "red")
    reader = VideoReader()

    read = await asyncio.gather(*(reader.read(data, frames=1) for _ in range(4)))

    assert [each.frames for each in read] == [1] * 4


@pytest.mark.parametrize(
    "program",
    [
        "import os, signal; os.kill(os.getpid(), signal.SIGPROF)",
        "import sys; sys.stdin.buffer.read(); raise SystemExit(1)",
        "import sys; sys.stdin.buffer.read(); [sys.stdout.buffer.write(bytes(1 << 20)) for _ in range(100)]",
    ],
)
async def test_a_program_that_dies_or_floods_is_told_as_too_much(program: str) -> None:
    """It reached a limit."""
    with pytest.raises(RunFailed) as raised:
        await VideoReader(saying(program)).read(bytes(1_000_000), frames=4)

    assert raised.value.reason == TOO_MUCH


@pytest.mark.parametrize(
    "said",
    [
        "",
        "hello",
        '{"type": "end"}\\n',
        '{"type": "end", "seconds": 1, "is_cut": false}\\n',
        '{"type": "cat", "length": 1}\\nx{"type": "end", "seconds": 1, "is_cut": false}\\n',
        '{"type": "frame"}\\n' * 9 + '{"type": "end", "seconds": 1, "is_cut": false}\\n',
        '{"type": "frame"}\\n{"type": "end", "seconds": "x", "is_cut": false}\\n',
        '{"type": "refusal"}\\n',
    ],
)
async def test_a_program_is_not_believed(said: str) -> None:
    """It reads hostile files, and may be theirs."""
    program = f"import sys; sys.stdin.buffer.read(); sys.stdout.write('{said}')"

    with pytest.raises(RunFailed, match="does not answer as it should"):
        await VideoReader(saying(program)).read(b"x", frames=4)


async def test_a_program_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what it started."""
    monkeypatch.setattr(video_module, "PATIENCE_SECONDS", 0.3)
    hanging = saying("import subprocess, time; subprocess.Popen(['sleep', '100']); time.sleep(100)")

    with pytest.raises(RunFailed, match="takes more than"):
        await VideoReader(hanging).read(b"x", frames=4)

    assert not children_left()


async def test_a_reader_who_leaves_ends_the_program() -> None:
    """A client hangs up while its video is read."""
    reading = asyncio.create_task(VideoReader(saying("import time; time.sleep(100)")).read(b"x", frames=4))
    await asyncio.sleep(0)

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert not children_left()


async def test_a_program_that_is_not_there_is_told() -> None:
    """Not as a fault of the video."""
    with pytest.raises(Unavailable, match="could not be started"):
        await VideoReader(("/no/such/program",)).read(b"x", frames=4)
