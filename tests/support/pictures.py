"""Pictures for tests, drawn by a seed, and files that only look like pictures."""

import base64
import io
import math
import struct
import zlib
from typing import Any

import numpy as np
from PIL import Image

COLORS = {"red": (220, 30, 30), "blue": (30, 60, 220), "green": (20, 160, 60), "white": (255, 255, 255)}


def square(color: str = "red", *, size: tuple[int, int] = (96, 64), ground: str = "white") -> Image.Image:
    """Return a picture of a square on a ground."""
    image = Image.new("RGB", size, COLORS[ground])
    side = min(size) // 2
    image.paste(COLORS[color], (size[0] // 4, size[1] // 4, size[0] // 4 + side, size[1] // 4 + side))
    return image


def noise(seed: int, size: tuple[int, int] = (640, 480)) -> Image.Image:
    """Return a picture of which no two parts are alike."""
    return Image.fromarray(np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8))


def file_of(image: Image.Image, kind: str = "PNG", **more: Any) -> bytes:
    """Return a picture as a file."""
    file = io.BytesIO()
    image.save(file, kind, **more)
    return file.getvalue()


def part(data: bytes, **more: Any) -> dict[str, Any]:
    """Return a file as a part of a message."""
    return {"type": "image", "image": base64.b64encode(data).decode(), **more}


def text(words: str) -> dict[str, str]:
    """Return words as a part of a message."""
    return {"type": "text", "text": words}


def huge_png(width: int, height: int, *, is_colored: bool = False) -> bytes:
    """Return a PNG of one color, of any size, whose file is small: each row is a filter and zeros."""
    channels, kind = (3, 2) if is_colored else (1, 0)
    row_bytes, rows = width * channels + 1, math.gcd(height, 100)
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    # After a full flush nothing refers to what came before, so these rows may be repeated.
    packed = packer.compress(bytes(rows * row_bytes)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = row_bytes * height % 65521 << 16 | 1  # Adler-32 of zeros
    data = b"\x78\xda" + packed * (height // rows) + b"\x03\x00" + struct.pack(">I", checksum)
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
