"""Videos through PyAV: a device, a stream of the network or a file, as frames one after the other.

What a source is and says is not trusted: only the protocols of its kind may be used (a playlist in a file cannot lead
to the network), the size of its frames is limited, and a wait for the network has an end.
"""

import errno
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError
from av.video.frame import VideoFrame

from units.camera.camera_setup import CameraSetup

OPEN_SECONDS, READ_SECONDS = 8.0, 5.0
"""How long a source may take to answer, and to send the next frame."""

MAX_PIXELS = 50_000_000

# A file without times is shown at the usual speed.
USUAL_FRAMES_PER_SECOND = 25.0

_FILE_PROTOCOLS = "file"
_LISTS = ("hls", "concat", "dash", "imf")
"""Formats that only name other files."""

_ADDRESS_PROTOCOLS = {
    "rtsp": "rtsp,rtp,udp,tcp",
    "rtsps": "rtsps,rtsp,rtp,srtp,tls,udp,tcp",
    "http": "http,httpproxy,tcp",
    "https": "https,http,httpproxy,tls,tcp",
}

# The first frame of a camera comes at once: its rate, for which ffmpeg would watch it for 5 s, is of no use here.
_LIVE = {"analyzeduration": "1000000", "fpsprobesize": "0"}


class VideoFault(Exception):
    """A source cannot be opened, or sends nothing more; the words are for the client."""


def frames_of(setup: CameraSetup) -> Iterator[VideoFrame]:
    """Yield the frames of a source until it ends; raise VideoFault when it cannot be read."""
    try:
        with _opened(setup) as container:
            if setup.is_file and container.format.name in _LISTS:
                raise VideoFault(f"{setup.name} is a list of other files")
            if not container.streams.video:
                raise VideoFault(f"{setup.name} holds no video")
            video = container.streams.video[0]
            _check_size(setup, video.codec_context)
            for frame in container.decode(video):
                if frame.width * frame.height > MAX_PIXELS:
                    raise VideoFault(f"{setup.name}: frames of {frame.width} x {frame.height} are too large")
                yield frame
    except (FFmpegError, OSError, ValueError) as error:
        raise VideoFault(_words(setup, error)) from error
    except MemoryError as error:
        raise VideoFault(f"{setup.name} needs more memory than the program of cameras may take") from error


def in_real_time(frames: Iterator[VideoFrame], wait: Callable[[float], None]) -> Iterator[VideoFrame]:
    """Yield the frames of a file at the times at which they are to be seen; `wait` takes the seconds until then."""
    began = first = None
    for number, frame in enumerate(frames):
        at = number / USUAL_FRAMES_PER_SECOND if frame.time is None else float(frame.time)
        if began is None or first is None:
            began, first = time.monotonic(), at
        wait(began + at - first - time.monotonic())
        yield frame


def _opened(setup: CameraSetup) -> Any:
    if setup.is_device:
        if not Path(setup.source).exists():
            raise VideoFault(f"there is no camera {setup.source}")
        size = f"{setup.width}x{setup.height}"  # a device that does not have it takes the nearest
        return closing(_open(setup.source, "v4l2", {"video_size": size}))
    if setup.is_address:
        scheme = setup.source.partition("://")[0]
        options = {"protocol_whitelist": _ADDRESS_PROTOCOLS[scheme], **_LIVE}
        if scheme.startswith("rtsp"):
            options["rtsp_transport"] = "tcp"  # over UDP a frame with a lost packet is damaged
        return closing(_open(setup.source, None, options))
    if not Path(setup.source).is_file():
        raise VideoFault(f"there is no file {setup.source}")
    return closing(_open(f"file:{setup.source}", None, {"protocol_whitelist": _FILE_PROTOCOLS}))


def _open(name: str, form: str | None, options: dict[str, str]) -> av.container.InputContainer:
    return av.open(name, mode="r", format=form, options=options, timeout=(OPEN_SECONDS, READ_SECONDS))


def _check_size(setup: CameraSetup, codec: Any) -> None:
    """Refuse a video by what its header says, before a frame takes memory."""
    if codec.width * codec.height > MAX_PIXELS:
        raise VideoFault(f"{setup.name}: frames of {codec.width} x {codec.height} are too large")


def _words(setup: CameraSetup, error: Exception) -> str:
    if isinstance(error, av.error.ExitError):
        return f"{setup.name} does not answer, or sends no frame for {READ_SECONDS:g} s"
    if isinstance(error, av.error.InvalidDataError):
        return f"{setup.name} {'sends' if setup.is_address else 'is'} no video that can be read"
    if setup.is_device and isinstance(error, OSError) and error.errno == errno.EBUSY:
        return f"{setup.source} is in use by another program"
    reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return f"{setup.name} cannot be read: {reason}"
