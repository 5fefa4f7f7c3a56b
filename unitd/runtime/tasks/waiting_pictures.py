"""The pictures that wait for the next question of one task: those that clients have sent, and what its cameras show.

A picture that was sent waits for the next question, goes with it, and is used up. Of each linked camera the newest
frame goes with every question, until the camera has another one or has nothing to show any more. The daemon looks only
at the first bytes of a picture.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from unitd.runtime.metrics import ModelMetrics
from unitd.wire.errors import RunFailed, Unavailable
from unitd.wire.pictures import MAX_PICTURE_BYTES, MAX_PICTURES, media_type

# With this many tasks as there may be by default, this is 1.5 GiB at the most.
MAX_WAITING_BYTES = MAX_PICTURE_BYTES

_NO_OWN_QUESTION = ("messages", "raw")
"""Options of an inference that says by itself what the model gets to read and to see."""


class WaitingPictures:
    """The pictures of one task."""

    def __init__(self, meter: Callable[[], ModelMetrics]) -> None:
        """`meter` returns that of the task's present model."""
        self._meter = meter
        self._sent: list[tuple[bytes, Callable[[], None]]] = []
        self._shown: dict[str, bytes] = {}
        """The newest frame of each camera, by its work_id."""

    def __len__(self) -> int:
        """Return how many pictures would go with a question now."""
        return len(self._sent) + len(self._shown)

    def add(self, picture: bytes, release: Callable[[], None]) -> None:
        """Keep a picture for the next question; `release` is called when it does not wait any more.

        Raises:
            RunFailed: it is no picture.
            Unavailable: too many pictures wait, or they are too large.
        """
        waiting = sum(len(each) for each, _ in self._sent)
        if not media_type(picture):
            raise self._refused(RunFailed("the picture cannot be read: it is no PNG, JPEG, WebP, BMP or GIF"))
        if len(self._sent) >= MAX_PICTURES:
            raise self._refused(Unavailable(f"{MAX_PICTURES} pictures wait already for a question"))
        if waiting + len(picture) > MAX_WAITING_BYTES:
            most = f"{MAX_WAITING_BYTES} bytes are the most that may wait for a question"
            raise self._refused(Unavailable(f"pictures of {waiting} bytes wait, with this one there are more: {most}"))
        self._meter().pictures["taken"] += 1
        self._sent.append((picture, release))

    def show(self, camera: str, frame: bytes) -> None:
        """Let the newest frame of a linked camera be what it shows."""
        self._shown[camera] = frame

    def hide(self, camera: str) -> None:
        """Forget what a camera has shown: it shows nothing any more, or is not linked any more."""
        self._shown.pop(camera, None)

    def go_with(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a question with all pictures that wait; those that were sent do not wait any more."""
        if not len(self) or any(options.get(key) for key in _NO_OWN_QUESTION):
            return dict(options)
        own = options.get("images") or []
        waiting = [*(picture for picture, _ in self._sent), *self._shown.values()]
        self.clear()
        encoded = [{"image": base64.b64encode(picture).decode()} for picture in waiting]
        return {**options, "images": [*encoded, *own] if isinstance(own, list) else own}

    def clear(self) -> None:
        """Drop the pictures that were sent."""
        sent, self._sent = self._sent, []
        for _, release in sent:
            release()

    def _refused(self, error: Unavailable | RunFailed) -> Unavailable | RunFailed:
        self._meter().pictures["refused"] += 1
        return error
