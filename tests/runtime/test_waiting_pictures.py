"""Covers runtime.tasks.waiting_pictures: what waits for a question, and what is too much."""

import base64
from collections import Counter
from typing import Any

import pytest

from unitd.runtime.metrics import ModelMetrics
from unitd.runtime.tasks.waiting_pictures import MAX_WAITING_BYTES, WaitingPictures
from unitd.wire.errors import RunFailed, Unavailable
from unitd.wire.pictures import MAX_PICTURES

JPEG = b"\xff\xd8\xff and what follows"
PNG = b"\x89PNG\r\n\x1a\n and what follows"


class Released:
    """Counts what was given back."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def meter() -> ModelMetrics:
    """The counters of a model."""
    return ModelMetrics("llm", "eye", Counter())


@pytest.fixture
def pictures(meter: ModelMetrics) -> WaitingPictures:
    """The pictures of a task of that model."""
    return WaitingPictures(lambda: meter)


def images(*pictures: bytes) -> list[dict[str, str]]:
    """Return pictures as a question has them."""
    return [{"image": base64.b64encode(each).decode()} for each in pictures]


def test_pictures_go_with_one_question(pictures: WaitingPictures, meter: ModelMetrics) -> None:
    """In their order, before those that the question brings itself; after that nothing waits."""
    released = Released()
    pictures.add(JPEG, released)
    pictures.add(PNG, released)
    own = images(b"its own")

    assert pictures.go_with({"images": own, "temperature": 0}) == {
        "images": [*images(JPEG, PNG), *own],
        "temperature": 0,
    }
    assert released.count == 2
    assert pictures.go_with({}) == {}
    assert meter.pictures == {"taken": 2}


@pytest.mark.parametrize("options", [{"messages": [{"role": "user", "content": "hello"}]}, {"raw": True}])
def test_a_whole_conversation_brings_its_own_pictures(pictures: WaitingPictures, options: dict[str, Any]) -> None:
    """What waits goes on waiting for a question."""
    pictures.add(JPEG, Released())

    assert pictures.go_with(options) == options
    assert pictures.go_with({}) == {"images": images(JPEG)}


def test_the_newest_frame_of_a_camera_goes_with_every_question(pictures: WaitingPictures) -> None:
    """It is not used up; a camera that is gone shows nothing."""
    pictures.show("camera.1000", b"older")
    pictures.show("camera.1000", b"newer")
    pictures.show("camera.1001", b"another")

    assert pictures.go_with({}) == {"images": images(b"newer", b"another")}
    pictures.hide("camera.1000")
    assert pictures.go_with({}) == {"images": images(b"another")}
    pictures.hide("camera.1001")
    assert pictures.go_with({}) == {}


def test_more_pictures_than_a_prompt_may_have_are_refused(pictures: WaitingPictures, meter: ModelMetrics) -> None:
    """With the number; they are counted, and those that wait stay."""
    for _ in range(MAX_PICTURES):
        pictures.add(JPEG, Released())

    with pytest.raises(Unavailable, match="64 pictures wait already"):
        pictures.add(JPEG, Released())

    assert len(pictures) == MAX_PICTURES
    assert meter.pictures == {"taken": MAX_PICTURES, "refused": 1}


def test_more_bytes_than_may_wait_are_refused(pictures: WaitingPictures, meter: ModelMetrics) -> None:
    """With the figures."""
    pictures.add(JPEG + bytes(MAX_WAITING_BYTES - 100), Released())

    with pytest.raises(Unavailable, match=f"{MAX_WAITING_BYTES} bytes are the most"):
        pictures.add(JPEG + bytes(100), Released())

    assert meter.pictures["refused"] == 1


def test_what_is_no_picture_is_refused(pictures: WaitingPictures) -> None:
    """By its first bytes; nothing else is looked at."""
    with pytest.raises(RunFailed, match="it is no PNG, JPEG, WebP, BMP or GIF"):
        pictures.add(b"<svg/>", Released())

    assert len(pictures) == 0


def test_a_task_that_ends_gives_back_what_waits(pictures: WaitingPictures) -> None:
    """Nothing of it goes with a question."""
    released = Released()
    pictures.add(JPEG, released)

    pictures.clear()

    assert released.count == 1
    assert pictures.go_with({}) == {}
