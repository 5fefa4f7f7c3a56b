"""Files of pictures are read by Pillow in processes of their own, with limits of memory and of time.

A hostile file (a bomb, a polyglot, a truncated one) costs its process, never the program with the model. First only the
header is read, which tells the size, so that tokens are counted before any work; the pixels come when the picture is
encoded, already scaled down. A picture that was measured alone is kept by its process for a moment: most are encoded
at once, and to read the header of some takes as long as to read all of the file.

The processes are forked from a program of its own (`python -m units.llm.vision`), which the first picture starts: until
then it takes no memory, and there is nothing of the model or of a conversation in it.
"""

import importlib
import io
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from units import confined
from units.fork_server import ForkServer, hang_up, serve

MAX_PIXELS = 50_000_000
"""The pixels that a file's header may claim."""

# The pixels of an opaque picture of that size take 143 MiB, twice that while they change their form.
BYTES = 512 * 1024 * 1024
# PNG of that size takes 1.5 s on an x86 core, and boards are given more.
SECONDS = 10.0
# For a machine that gives the process hardly any time.
PATIENCE_SECONDS = 30.0

# A measured picture that is not encoded within this time waits for others.
KEPT_SECONDS = 2.0

# Larger pictures are scaled down before they cost memory: models that look at all pixels make 2,600 tokens of so many,
# which fit into the usual context.
MOST_KEPT_PIXELS = 2_100_000
LONGEST_SIDE = 4096
# Models cut or stretch a picture by its shape; their code does not expect a thread.
MAX_RATIO = 100

PROGRAM = "units.llm.vision"
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
TOO_MUCH = f"it takes more than {SECONDS:g} s or {BYTES >> 20} MiB"
_ORIENTATION = 0x0112
_TURNS = {
    2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE",
    6: "ROTATE_270", 7: "TRANSVERSE", 8: "ROTATE_90",
}  # fmt: skip
"""What each orientation of EXIF asks for, in Pillow's words."""

_TURNED = (5, 6, 7, 8)
"""The orientations that exchange width and height."""


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


class BadPicture(Exception):
    """A file that cannot be read; the words say why."""


def fitting(size: Size, share: float = 1.0) -> Size:
    """Return the size to which a picture is scaled down, times `share`, so that it stays under the limits."""
    area = (MOST_KEPT_PIXELS / (size.width * size.height)) ** 0.5
    factor = min(1.0, area, LONGEST_SIDE / max(size)) * share
    return Size(*(max(1, round(side * factor)) for side in size))


class Reading:
    """A process that reads files. It is asked when the answer is awaited, for to send files takes time."""

    def __init__(self, connection: "Connection[Any, Any]", request: tuple[str, Any]) -> None:
        self._connection = connection
        self._request = request

    def poll(self, seconds: float, /) -> bool:
        """Ask, and return True when the answer is there."""
        with suppress(OSError):  # it died already: `recv` fails
            self._connection.send(self._request)
        return self._connection.poll(seconds)

    def recv(self) -> Any:
        """Return the answer; raise EOFError or OSError when none will come."""
        return self._connection.recv()

    def end(self) -> None:
        """Hang up, so that the process ends at once or by its limits, and a thread that waits goes on."""
        hang_up(self._connection)

    def close(self) -> None:
        """End the process and close the connection; called once."""
        self.end()
        self._connection.close()


class _Measured(Reading):
    """A process that has measured one file; closed, it is kept for its pixels."""

    def __init__(self, connection: "Connection[Any, Any]", data: bytes, keep: "Callable[[_Measured], None]") -> None:
        super().__init__(connection, ("measure", [data]))
        self.data = data
        self.until = 0.0
        self._keep = keep

    def recv(self) -> Any:
        """Return the answer as `Reading` does; from then on the process waits."""
        self.until = time.monotonic() + KEPT_SECONDS / 2
        return super().recv()

    def close(self) -> None:
        """Keep the process, or end it if it cannot be of use."""
        self._keep(self)

    def ask_for(self, size: Size) -> Reading:
        """Return the same process as one that reads the pixels."""
        return Reading(self._connection, ("pixels", size))

    def drop(self) -> None:
        """End the process."""
        super().close()


class PictureReader:
    """Starts processes that read pictures. Any thread may call it."""

    def __init__(self) -> None:
        self._fork_server = ForkServer(lambda: confined.start_program(PROGRAM))
        self._lock = threading.Lock()
        self._kept: _Measured | None = None
        """The last picture that was measured."""

    def close(self) -> None:
        """End the processes."""
        self._keep(None)
        self._fork_server.close()

    def measure(self, files: Sequence[bytes]) -> Reading:
        """Return a process whose answer is a Size for each file, or words that say why it cannot be read."""
        connection = self._fork_server.begin()
        if len(files) == 1:
            return _Measured(connection, files[0], self._keep)
        return Reading(connection, ("measure", list(files)))

    def pixels(self, data: bytes, size: Size) -> Reading:
        """Return a process whose answer is the RGB of a picture in this size, or words."""
        with self._lock:
            kept = self._kept
            if kept is not None and kept.data == data and time.monotonic() < kept.until:
                self._kept = None
                return kept.ask_for(size)
        return Reading(self._fork_server.begin(), ("pixels", (data, size)))

    def _keep(self, measured: _Measured | None) -> None:
        with self._lock:
            before, self._kept = self._kept, measured
        if before is not None:
            before.drop()


def answer_of(reading: Reading) -> Any:
    """Wait for an answer; raise BadPicture when there is none, or only words."""
    try:
        answer = reading.recv() if reading.poll(PATIENCE_SECONDS) else TOO_MUCH
    except (EOFError, OSError):
        answer = TOO_MUCH
    if isinstance(answer, str):
        raise BadPicture(answer)
    return answer


# In the fork server


def fork_on_demand(connection: "Connection[Any, Any]") -> None:
    """Fork a process for each request."""
    serve(
        connection,
        _serve,
        prepare=_import_pillow,
        refusal=lambda error: f"pictures cannot be read now: {error.strerror}",
    )


def _import_pillow() -> None:
    """Load what all processes need; the formats that are not wanted are never registered."""
    for name in ("Bmp", "Gif", "Jpeg", "Png", "WebP"):
        importlib.import_module(f"PIL.{name}ImagePlugin")


# In a process of its own


def _serve(connection: "Connection[Any, Any]") -> None:
    confined.limit_memory(BYTES)
    confined.limit_time(SECONDS)
    action, argument = connection.recv()
    if action == "pixels":
        data, size = argument
        connection.send(_or_words(lambda: _pixels_of(_opened(data), size)))
    elif len(argument) == 1:
        _measure_and_keep(connection, argument[0])
    else:
        connection.send([_or_words(partial(_size_of_file, data)) for data in argument])


def _measure_and_keep(connection: "Connection[Any, Any]", data: bytes) -> None:
    """Send the size of a picture, and its pixels if they are asked for soon."""
    opened: list[Any] = []

    def measured() -> Size:
        opened.append(_opened(data))
        return _size_of(opened[0])

    connection.send([size := _or_words(measured)])
    if isinstance(size, Size) and connection.poll(KEPT_SECONDS):
        _, wanted = connection.recv()
        connection.send(_or_words(lambda: _pixels_of(opened[0], wanted)))


def _or_words(work: Callable[[], Any]) -> Any:
    """Return the result, or the reason why there is none: Pillow's formats raise whatever their code stumbles over."""
    from PIL import UnidentifiedImageError

    try:
        return work()
    except BadPicture as error:
        return str(error)
    except UnidentifiedImageError:
        return "it is no PNG, JPEG, WebP, BMP or GIF"
    except MemoryError:
        return TOO_MUCH
    except Exception as error:
        return "it is truncated" if "truncated" in str(error) else "it is damaged"


def _opened(data: bytes) -> Any:
    """Return the picture, of which only the header is read; check what the header claims."""
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None  # its own limit comes without figures
    image = Image.open(io.BytesIO(data), formats=FORMATS)
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise BadPicture(f"it has {width * height / 1e6:.1f} megapixels, {MAX_PIXELS / 1e6:g} are the most")
    if min(width, height) < 1 or max(width, height) > MAX_RATIO * min(width, height):
        raise BadPicture(f"it is {width} x {height} pixels, one side may be {MAX_RATIO} times the other")
    return image


def _size_of_file(data: bytes) -> Size:
    return _size_of(_opened(data))


def _size_of(image: Any) -> Size:
    size = Size(*image.size)
    return Size(size.height, size.width) if image.getexif().get(_ORIENTATION) in _TURNED else size


def _pixels_of(image: Any, size: Size) -> bytes:
    """Return the first frame as RGB, turned as EXIF says, on white, in this size."""
    from PIL import Image

    orientation = image.getexif().get(_ORIENTATION)
    target = Size(size.height, size.width) if orientation in _TURNED else size
    image.draft("RGB", target)  # a JPEG is decoded in a smaller size at once
    image.load()
    image = _plain(image)
    if (factor := min(image.width // target.width, image.height // target.height) // 2) > 1:
        image = image.reduce(factor)
    image = image.resize(target, Image.Resampling.BICUBIC)
    if image.mode == "RGBA":
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image).convert("RGB")
    if orientation in _TURNS:
        image = image.transpose(Image.Transpose[_TURNS[orientation]])
    return bytes(image.tobytes())


def _plain(image: Any) -> Any:
    """Return the picture as RGB, or as RGBA where it is not opaque."""
    if image.mode.startswith("I"):  # 16 bits of grey, which Pillow would clip
        image = image.point(lambda value: value / 256).convert("L")
    if image.mode in ("RGB", "RGBA"):
        return image
    is_opaque = image.mode not in ("LA", "PA", "RGBa", "La") and "transparency" not in image.info
    return image.convert("RGB" if is_opaque else "RGBA")
