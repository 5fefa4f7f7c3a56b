"""The setup of a camera task."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from unitd.wire.cameras import is_camera_device, source_of, without_password
from units.setup_values import SetupValues, refusal

# Enough for a person at a screen and for every model, and little enough for a serial line's board.
USUAL_INTERVAL_MS = 200

SMALLEST, LARGEST = 16, 1920
"""The sides of a frame in pixels."""

MAX_PIXELS, MAX_RAW_PIXELS = 1920 * 1080, 1280 * 720
"""A frame as base64 must fit into the output that may wait for a client, 4 MiB, with room for other replies."""


class CameraSetup(NamedTuple):
    """What a task wants of its camera."""

    source: str
    """A device (/dev/video0), an address (rtsp://…, http://…) or a file."""

    width: int
    height: int
    wants_raw: bool
    """The client gets frames in YUYV besides those in JPEG, which linked tasks look at."""

    interval_seconds: float
    """The least time between two frames."""

    is_looped: bool
    """A file begins again at its end."""

    @property
    def name(self) -> str:
        """Return the source as errors and the log may name it: without a password."""
        return without_password(self.source)

    @property
    def is_device(self) -> bool:
        """Return True for a device of the board."""
        return is_camera_device(self.source)

    @property
    def is_address(self) -> bool:
        """Return True for a stream of the network."""
        return "://" in self.source

    @property
    def is_file(self) -> bool:
        """Return True for a file, which has an end."""
        return not (self.is_device or self.is_address)


def read_setup(data: Mapping[str, Any]) -> CameraSetup:
    """Return what a setup says; raise UnitFault for a bad value."""
    values = SetupValues(data)
    source = source_of(data)
    if not source:
        raise refusal("input must be one device, address or file")
    if "://" in source and not re.match(r"(rtsps?|https?)://", source):
        raise refusal("a camera's address begins with rtsp://, rtsps://, http:// or https://")
    if source.startswith("/dev/") and not is_camera_device(source):
        raise refusal(f"{source} is no camera: those of a board are /dev/video0, /dev/video1, …")
    width = values.whole("frame_width", 320, SMALLEST, LARGEST)
    height = values.whole("frame_height", 320, SMALLEST, LARGEST)
    wants_raw = values.flag("enoutput", True) and "jpeg" not in str(data.get("response_format", ""))
    _check_size(width, height, is_raw=wants_raw)
    return CameraSetup(
        source,
        width,
        height,
        wants_raw,
        values.number("frame_interval_ms", USUAL_INTERVAL_MS, 0, 1000) / 1000,
        values.flag("loop", False),
    )


def _check_size(width: int, height: int, *, is_raw: bool) -> None:
    most = MAX_RAW_PIXELS if is_raw else MAX_PIXELS
    if width * height > most:
        form = "raw frame" if is_raw else "frame"
        raise refusal(f"a {form} of {width} x {height} has {width * height} pixels, {most} are the most")
    if is_raw and width % 2:
        raise refusal("frame_width must be even for raw frames: two pixels share their color")
