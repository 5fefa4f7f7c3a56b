"""The pictures that are taken from a video: at most one a second, and a bounded number of them, evenly spread.

A video may be of any length, which nothing tells in advance. So one picture a second is kept until there are twice as
many as wanted; then every second one is dropped, and from there on they are taken half as often.

With `stack` pictures a second, those between two taken ones are put together into one picture, in rows, as smaller
copies; it follows the taken one.
"""

import io
import math
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from unitd.wire.envelope import Envelope

LONGEST_SIDE = 640
"""In pixels. Models make tokens of pixels, and there are many frames; letters on a board stay legible."""

JPEG_QUALITY = 85
# Times of frames are rounded.
TOLERANCE_SECONDS = 0.005


@dataclass
class _Second:
    """A picture that was taken, and those of the second after it."""

    at: float
    picture: Any
    others: list[Any] = field(default_factory=list)


class FrameChoice:
    """Chooses among the frames of a video."""

    def __init__(self, most: int, stack: int) -> None:
        self.taken: list[_Second] = []
        self.step_seconds = 1.0
        """Between two pictures that are taken."""

        self._most = most
        self._stack = stack
        self._columns = math.ceil(math.sqrt(stack - 1))

    def take(self, frame: Any, at: float) -> None:
        """Take a frame, if it is its turn."""
        last = self.taken[-1] if self.taken else None
        if last is None or at >= last.at + self.step_seconds - TOLERANCE_SECONDS:
            self._make_room()
            self.taken.append(_Second(at, _picture_of(frame, LONGEST_SIDE)))
        elif self._is_next_of(last, at):
            last.others.append(_picture_of(frame, LONGEST_SIDE // self._columns))

    def _is_next_of(self, second: _Second, at: float) -> bool:
        place = len(second.others) + 1
        is_due = at >= second.at + place / self._stack - TOLERANCE_SECONDS
        return place < self._stack and is_due and at < second.at + 1

    def _make_room(self) -> None:
        if len(self.taken) >= 2 * self._most:
            self.taken = self.taken[::2]
            self.step_seconds *= 2

    def messages(self) -> list[Envelope]:
        """Return the chosen pictures in their order."""
        count = len(self.taken)
        chosen = self.taken
        if count > self._most:
            chosen = [self.taken[(2 * at + 1) * count // (2 * self._most)] for at in range(self._most)]
        return [message for each in chosen for message in self._messages_of(each)]

    def _messages_of(self, second: _Second) -> list[Envelope]:
        pictures = [second.picture]
        if second.others:
            pictures.append(_joined(second.others, self._columns))
        return [Envelope("frame", {"at": second.at, "until": second.at}, _jpeg(each)) for each in pictures]


def _picture_of(frame: Any, longest: int) -> Any:
    """Return a frame as it is to be seen, scaled down."""
    factor = min(1.0, longest / max(frame.width, frame.height))
    width, height = (max(1, round(side * factor)) for side in (frame.width, frame.height))
    picture = frame.reformat(width, height, "rgb24").to_image()
    return picture.rotate(frame.rotation, expand=True) if frame.rotation else picture


def _joined(pictures: list[Any], columns: int) -> Any:
    """Return one picture that shows these in rows."""
    width, height = pictures[0].size
    columns = min(columns, len(pictures))
    whole = Image.new("RGB", (width * columns, height * math.ceil(len(pictures) / columns)), "white")
    for number, picture in enumerate(pictures):
        row, column = divmod(number, columns)
        whole.paste(picture, (column * width, row * height))
    return whole


def _jpeg(picture: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()
