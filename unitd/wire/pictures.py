"""Limits of pictures in a conversation, and their formats by the first bytes. The daemon passes pictures on unread."""

MAX_PICTURES = 64
"""The number of pictures in one prompt."""

MAX_PICTURE_BYTES = 24 * 1024 * 1024
"""The size of one picture's file."""

MAX_SLICES = 64
"""The number of slices into which a model may cut one picture."""

DETAILS = ("auto", "low", "high")
"""How closely a picture is looked at: `low` is one slice."""

_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


def is_picture(object_: str) -> bool:
    """Return True for the object of an inference that is a picture: cv.jpeg.base64, image.png.base64."""
    return "jpeg" in object_ or object_.startswith(("cv.", "image."))


def media_type(data: bytes) -> str:
    """Return the media type of a picture's file by its first bytes; "" for what is no known format."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for beginning, kind in _BEGINNINGS.items() if data.startswith(beginning)), "")
