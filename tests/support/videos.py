"""Videos for tests: one color after the other."""

from collections.abc import Sequence
from pathlib import Path

import av
from PIL import Image

from tests.support.pictures import COLORS


def write_video(
    path: Path, colors: Sequence[str], *, seconds: float = 0.2, rate: int = 25, size: tuple[int, int] = (160, 120)
) -> Path:
    """Write a video that shows each color for so long."""
    with av.open(str(path), "w") as file:
        stream = file.add_stream("mpeg4", rate=rate)
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        for color in colors:
            picture = Image.new("RGB", size, COLORS[color])
            for _ in range(round(seconds * rate)):
                file.mux(stream.encode(_frame_of(picture)))
        file.mux(stream.encode())
    return path


def _frame_of(picture: Image.Image) -> av.VideoFrame:
    frame: av.VideoFrame = av.VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]  # it has no types
    return frame


def color_of(jpeg: Image.Image, at: tuple[int, int] | None = None) -> str:
    """Return the name of the color in the middle of a picture, or at another place."""
    pixel = jpeg.convert("RGB").getpixel(at or (jpeg.width // 2, jpeg.height // 2))
    assert isinstance(pixel, tuple)
    named = COLORS | {"black": (0, 0, 0)}
    return min(named, key=lambda name: sum(abs(a - b) for a, b in zip(named[name], pixel, strict=True)))
