"""The forms in which a frame goes out: JPEG, and the original's YUYV."""

import io

from av.video.frame import VideoFrame
from PIL import Image

JPEG_QUALITY = 85


def fitted(frame: VideoFrame, width: int, height: int) -> Image.Image:
    """Return a frame as a picture of exactly this size: it keeps its shape, bars of black fill the rest."""
    scale = min(width / frame.width, height / frame.height)
    size = max(1, round(frame.width * scale)), max(1, round(frame.height * scale))
    picture: Image.Image = frame.to_image(width=size[0], height=size[1])  # type: ignore[no-untyped-call]
    if size == (width, height):
        return picture
    ground = Image.new("RGB", (width, height))
    ground.paste(picture, ((width - size[0]) // 2, (height - size[1]) // 2))
    return ground


def jpeg_of(picture: Image.Image) -> bytes:
    """Return a picture as a JPEG file."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()


def yuyv_of(picture: Image.Image) -> bytes:
    """Return the pixels of a picture as YUYV, two bytes for each."""
    frame = VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]  # PyAV has no types for these two
    pixels: bytes = frame.reformat(format="yuyv422").to_ndarray().tobytes()
    return pixels
