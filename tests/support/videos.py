"""Videos for tests: one color after the other, with sound, and files that only look like videos."""

import io
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from tests.support.pictures import COLORS, square
from tests.support.units.spoken import RATE, Samples

SIZE = (96, 64)


def video(
    *grounds: str,
    sound: Samples | None = None,
    kind: str = "mp4",
    codec: str = "mpeg4",
    size: tuple[int, int] = SIZE,
    rate: int = 10,
) -> bytes:
    """Return a file in which a square stands on each of these grounds for a second."""
    file = io.BytesIO()
    with av.open(file, "w", format=kind) as container:
        pictures: Any = container.add_stream(codec, rate=rate)
        pictures.width, pictures.height, pictures.pix_fmt = *size, "yuv420p"
        heard: Any = container.add_stream("aac", rate=RATE, layout="mono") if sound is not None else None
        for ground in grounds:
            for _ in range(rate):
                container.mux(pictures.encode(_frame_of(square("white", ground=ground, size=size))))
        container.mux(pictures.encode())
        if sound is not None:
            for piece in _pieces(sound):
                container.mux(heard.encode(piece))
            container.mux(heard.encode())
    return file.getvalue()


def write_video(
    path: Path, colors: Sequence[str], *, seconds: float = 0.2, rate: int = 25, size: tuple[int, int] = (160, 120)
) -> Path:
    """Write a video that shows each color for so long."""
    with av.open(str(path), "w") as file:
        stream: Any = file.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for color in colors:
            picture = Image.new("RGB", size, COLORS[color])
            for _ in range(round(seconds * rate)):
                file.mux(stream.encode(_frame_of(picture)))
        file.mux(stream.encode())
    return path


def _frame_of(image: Any) -> av.VideoFrame:
    return av.VideoFrame.from_ndarray(np.asarray(image), format="rgb24")


def _pieces(sound: Samples) -> list[Any]:
    frame = av.AudioFrame.from_ndarray(np.atleast_2d(sound), format="s16", layout="mono")
    frame.sample_rate, frame.pts = RATE, 0
    return list(av.AudioResampler(format="fltp", layout="mono", rate=RATE, frame_size=1024).resample(frame))


def hour() -> bytes:
    """Return an hour of small grey pictures, ten a second."""
    file = io.BytesIO()
    with av.open(file, "w", format="matroska") as container:
        stream: Any = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
        frame = av.VideoFrame(32, 32, "yuv420p")
        for number in range(36_000):
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return file.getvalue()


def only_sound(sound: Samples) -> bytes:
    """Return an MP4 without pictures."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        heard: Any = container.add_stream("aac", rate=RATE, layout="mono")
        for piece in _pieces(sound):
            container.mux(heard.encode(piece))
        container.mux(heard.encode())
    return file.getvalue()


def with_claimed_frames(avi: bytes, frames: int) -> bytes:
    """Return an AVI whose headers claim so many frames."""
    claimed = bytearray(avi)
    in_file = avi.index(b"avih") + 8 + 16
    in_stream = avi.index(b"strh") + 8 + 32
    for place in (in_file, in_stream):
        struct.pack_into("<I", claimed, place, frames)
    return bytes(claimed)


def turned(mp4: bytes) -> bytes:
    """Return an MP4 whose pictures are to be turned by 90° clockwise, as of a phone that was held upright."""
    upright, clockwise = (struct.pack(">9i", *matrix) for matrix in (_UPRIGHT, _CLOCKWISE))
    track = mp4.index(b"tkhd")
    return mp4[:track] + mp4[track:].replace(upright, clockwise, 1)


_ONE = 0x10000
_UPRIGHT = (_ONE, 0, 0, 0, _ONE, 0, 0, 0, 0x40000000)
_CLOCKWISE = (0, _ONE, 0, -_ONE, 0, 0, 0, 0, 0x40000000)


def with_slow_sound(seconds: int) -> bytes:
    """Return an AVI whose sound has one sample a second, as its header says, and so many seconds."""
    file = io.BytesIO()
    with av.open(file, "w", format="avi") as container:
        pictures: Any = container.add_stream("mpeg4", rate=10)
        pictures.width, pictures.height, pictures.pix_fmt = *SIZE, "yuv420p"
        heard: Any = container.add_stream("pcm_s16le", rate=RATE, layout="mono")
        container.mux(pictures.encode(_frame_of(square(size=SIZE))))
        container.mux(pictures.encode())
        for start in range(0, seconds, RATE):
            silence = np.zeros((1, min(RATE, seconds - start)), np.int16)
            frame = av.AudioFrame.from_ndarray(silence, format="s16", layout="mono")
            frame.sample_rate, frame.pts = RATE, start
            container.mux(heard.encode(frame))
    slow = bytearray(file.getvalue())
    struct.pack_into("<I", slow, slow.rindex(b"strf") + 8 + 4, 1)
    return bytes(slow)


def colors_of(jpegs: Sequence[bytes]) -> list[str]:
    """Return the color that prevails at the edge of each picture: red, green or blue."""
    return [("red", "green", "blue")[int(np.argmax(_corner(each)))] for each in jpegs]


def color_of(jpeg: Image.Image, at: tuple[int, int] | None = None) -> str:
    """Return the name of the color in the middle of a picture, or at another place."""
    pixel = jpeg.convert("RGB").getpixel(at or (jpeg.width // 2, jpeg.height // 2))
    assert isinstance(pixel, tuple)
    named = COLORS | {"black": (0, 0, 0)}
    return min(named, key=lambda name: sum(abs(a - b) for a, b in zip(named[name], pixel, strict=True)))


def size_of(jpeg: bytes) -> tuple[int, int]:
    """Return the width and height of a picture."""
    return Image.open(io.BytesIO(jpeg)).size


def _corner(jpeg: bytes) -> tuple[int, ...]:
    pixel = Image.open(io.BytesIO(jpeg)).convert("RGB").getpixel((2, 2))
    assert isinstance(pixel, tuple)
    return tuple(int(each) for each in pixel)
