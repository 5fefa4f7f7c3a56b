"""The source of a camera: a device of the board, an address in the network, or a file. Pure."""

import re
from collections.abc import Mapping
from typing import Any

_DEVICE = re.compile(r"/dev/(video\d+|v4l/by-(id|path)/[^/]+)")
_SECRET = re.compile(r"(://[^/@:]*):[^/@]*@")


def source_of(data: Mapping[str, Any]) -> str:
    """Return the source that a setup names; "" if that is not one text."""
    named = data.get("input")
    listed = named if isinstance(named, list) else [named]
    return listed[0] if len(listed) == 1 and isinstance(listed[0], str) else ""


def is_camera_device(source: str) -> bool:
    """Return True for /dev/video0 and for the other names of such a device."""
    return _DEVICE.fullmatch(source) is not None


def without_password(source: str) -> str:
    """Return a source as replies, errors and the log may show it."""
    return _SECRET.sub(r"\1:***@", source)
