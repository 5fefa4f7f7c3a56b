"""Covers units.video: the pictures and the sound of a video, and files that try to cost more than they should."""

import io
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.support.units.spoken import RATE, silence
from tests.support.videos import (
    colors_of,
    hour,
    only_sound,
    size_of,
    turned,
    video,
    with_claimed_frames,
    with_slow_sound,
)
from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope
from unitd.wire.videos import DECODE_BYTES, MAX_SOUND_SECONDS

pytestmark = pytest.mark.timeout(60)

NOISE = np.random.default_rng(7).integers(-9000, 9000, RATE, dtype=np.int16)


def read(data: bytes, *, frames: int = 16, stack: int = 1, in_pieces: bool = False, **more: Any) -> list[Envelope]:
    """What the program says of a video."""
    order = Envelope("read", {"frames": frames, "stack": stack, "in_pieces": in_pieces}, data)
    command = (sys.executable, "-m", "units.video")
    finished = subprocess.run(command, input=encode_envelope(order), stdout=subprocess.PIPE, check=True, **more)
    return list(EnvelopeReader().feed(finished.stdout))


def frames_of(said: list[Envelope]) -> list[bytes]:
    """The pictures."""
    return [each.payload for each in said if each.type == "frame"]


def pixel_at(picture: Image.Image, x: int, y: int) -> tuple[int, ...]:
    """The red, green and blue of a place."""
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return tuple(int(each) for each in pixel)


def refusal_of(said: list[Envelope]) -> str:
    """Why there is nothing else."""
    (refusal,) = said
    return str(refusal.fields["words"])


# Pictures


@pytest.mark.parametrize(("kind", "codec"), [("mp4", "libx264"), ("webm", "libvpx"), ("avi", "mpeg4")])
def test_one_picture_a_second(kind: str, codec: str) -> None:
    """In the order of time, whatever the container and the codec."""
    said = read(video("red", "blue", "green", kind=kind, codec=codec))

    assert colors_of(frames_of(said)) == ["red", "blue", "green"]
    assert said[-1].fields["seconds"] == pytest.approx(2.9)


def test_a_long_video_is_seen_evenly() -> None:
    """Forty seconds in four pictures: the first half is red, the second blue."""
    said = read(video(*["red"] * 20, *["blue"] * 20), frames=4)

    times = [each.fields["at"] for each in said if each.type == "frame"]
    assert colors_of(frames_of(said)) == ["red", "red", "blue", "blue"]
    assert min(np.diff(times)) >= 8


def test_a_very_long_video_takes_no_longer_than_its_key_pictures() -> None:
    """An hour in a few seconds, and still from its beginning to its end."""
    said = read(hour())

    assert len(frames_of(said)) == 16
    assert said[-1].fields["seconds"] > 3000
    assert said[-2].fields["at"] > 2500


def test_large_pictures_are_scaled_down() -> None:
    """Models make tokens of pixels."""
    (frame,) = frames_of(read(video("red", size=(1920, 1080), codec="libx264")))

    assert size_of(frame) == (640, 360)


def test_a_video_of_a_phone_held_upright_stands_upright() -> None:
    """The square is at the left of the pictures that are stored, so at the top of what is to be seen."""
    (frame,) = frames_of(read(turned(video("red"))))

    picture = Image.open(io.BytesIO(frame)).convert("RGB")
    assert picture.size == (64, 96)
    assert min(pixel_at(picture, 32, 30)) > 200
    assert pixel_at(picture, 32, 66)[1] < 80


def test_stacked_pictures_follow_the_one_of_their_second() -> None:
    """Five a second: one alone, four in two rows of small ones."""
    said = read(video("red", "blue"), stack=5)

    assert colors_of(frames_of(said)) == ["red", "red", "blue", "blue"]
    assert [size_of(each) for each in frames_of(said)] == [(96, 64), (192, 128)] * 2


# Sound


def test_the_sound_comes_after_the_pictures() -> None:
    """As long as it was, and at 16 kHz."""
    said = read(video("red", "blue", sound=np.tile(NOISE, 2)))

    assert [each.type for each in said] == ["frame", "frame", "sound", "end"]
    assert len(said[2].payload) / 2 / RATE == pytest.approx(2, abs=0.1)


def test_in_pieces_the_sound_stands_where_it_is_heard() -> None:
    """A piece ends in a pause, and comes after the pictures that were seen until then."""
    sound = np.concatenate([np.tile(NOISE, 5), silence(0.5), np.tile(NOISE, 6)])

    said = read(video(*["red"] * 11, sound=sound), in_pieces=True)

    types = [each.type for each in said]
    ends = [each.fields["until"] for each in said if each.type == "sound"]
    assert ends[0] == pytest.approx(5.25, abs=0.3)
    assert types[:7] == ["frame"] * 6 + ["sound"]
    assert sum(len(each.payload) for each in said if each.type == "sound") / 2 / RATE == pytest.approx(11.5, abs=0.2)


def test_of_a_very_long_sound_the_beginning_is_heard() -> None:
    """The end says so."""
    said = read(video("red", sound=np.tile(NOISE, MAX_SOUND_SECONDS + 20)))

    assert len(said[1].payload) == MAX_SOUND_SECONDS * RATE * 2
    assert said[-1].fields["is_cut"] is True


# What is no video, or too much of one


def test_what_is_no_video_is_told() -> None:
    """A text, nothing, and a playlist that names a file of this machine."""
    playlist = b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"

    refusals = {refusal_of(read(data)) for data in (b"hello" * 100, b"", playlist, b"ffconcat version 1.0\nfile /x\n")}

    assert refusals == {"it is no video (MP4, WebM, AVI, MPEG-TS), or it is truncated"}


def test_a_file_without_pictures_is_told() -> None:
    """It belongs into an audio item."""
    assert refusal_of(read(only_sound(NOISE))) == "it has no pictures"


def test_a_truncated_file_is_told() -> None:
    """An MP4 lacks its table of contents; an AVI lacks all pictures."""
    mp4, avi = video("red", "blue"), video("red", "blue", kind="avi")

    refusals = [refusal_of(read(mp4[: len(mp4) // 2])), refusal_of(read(avi[: avi.index(b"movi") + 4]))]

    assert refusals[0].endswith("or it is truncated")
    assert refusals[1] in ("none of its pictures can be decoded", refusals[0])


def test_a_header_may_claim_any_number_of_frames() -> None:
    """What counts is what is there."""
    said = read(with_claimed_frames(video("red", "blue", kind="avi"), 1_000_000_000))

    assert colors_of(frames_of(said)) == ["red", "blue"]


def test_pictures_that_are_too_large_are_not_decoded() -> None:
    """The file is small, its pictures are not."""
    bomb = video("red", size=(6000, 4000), rate=1)

    assert refusal_of(read(bomb)) == "its pictures have 6000 x 4000 pixels, 9 megapixels are the most"


def test_a_damaged_file_ends_in_words_or_in_what_is_left_of_it() -> None:
    """A hundred random bytes, ten times over."""
    whole = video("red", "blue", sound=NOISE)
    rng = np.random.default_rng(11)

    ends = set()
    for _ in range(10):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), 100):
            damaged[place] = rng.integers(256)
        ends.add(read(bytes(damaged))[-1].type)

    assert ends <= {"end", "refusal"}


def test_the_program_has_limits_before_it_loads_a_library() -> None:
    """Of memory, of the processor's time, and it writes no file."""
    program = (
        "import resource, signal, sys, units.video.__main__ as program;"
        "program._answers = lambda order: print(resource.getrlimit(resource.RLIMIT_DATA)[0],"
        " resource.getrlimit(resource.RLIMIT_FSIZE)[0], signal.getitimer(signal.ITIMER_PROF)[0] > 20,"
        " 'av' in sys.modules, file=sys.stderr) or [];"
        "program.main()"
    )
    order = encode_envelope(Envelope("read", {}, b"x"))

    finished = subprocess.run([sys.executable, "-c", program], input=order, stderr=subprocess.PIPE, check=True)

    data, files, has_time, has_av = finished.stderr.decode().split()
    assert DECODE_BYTES < int(data) < 2 * DECODE_BYTES
    assert (files, has_time, has_av) == ("0", "True", "False")


def test_no_file_takes_more_memory_than_it_may() -> None:
    """Sound of one sample a second becomes 16,000 times as much; of it the beginning is kept."""
    program = (
        "import sys, units.video.__main__ as program; program.main();"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0], file=sys.stderr)"
    )
    order = Envelope("read", {"frames": 16, "stack": 1, "in_pieces": True}, with_slow_sound(1_000_000))

    command = (sys.executable, "-c", program)
    finished = subprocess.run(command, input=encode_envelope(order), capture_output=True, check=True)

    said = list(EnvelopeReader().feed(finished.stdout))
    assert sum(len(each.payload) for each in said if each.type == "sound") == MAX_SOUND_SECONDS * RATE * 2
    assert int(finished.stderr) * 1024 < DECODE_BYTES * 1.1


def test_without_pyav_the_command_to_install_it_is_told(tmp_path: Any) -> None:
    """The packages are of an extra."""
    hidden = "import sys\nsys.modules['av'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)

    (said,) = read(video("red"), env=os.environ | {"PYTHONPATH": str(tmp_path)})

    assert said.fields["words"] == "videos need PyAV: pip install 'unitd[vision]'"
