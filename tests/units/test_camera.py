"""Covers units.camera without a daemon: the first answer, sources that hang, and videos that are not to be trusted."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.pictures import huge_png, square
from tests.support.units.fake_host import FakeHost
from tests.support.videos import color_of, write_video
from unitd.wire.envelope import Envelope
from units.base import SETUP_REFUSED
from units.camera import video, watch
from units.camera.frame_forms import fitted, yuyv_of
from units.camera.unit import CameraUnit

DATA = {"response_format": "image.jpeg.base64", "enoutput": True, "frame_width": 64, "frame_height": 48}


class Cameras:
    """The unit with a host that keeps what is said."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self.unit = CameraUnit(self.host)
        self.unit.load({})

    def send(self, type_: str, task: str = "camera.1", **fields: Any) -> None:
        """Give the unit a message, and answer it as the host does."""
        envelope = Envelope(type_, {"seq": 1, "task": task, **fields})
        self.host.carry_out(envelope, lambda: self.unit.handlers[type_](envelope))

    def look(self, source: str, task: str = "camera.1", *, is_again: bool = False, **data: Any) -> None:
        """Set a task up."""
        self.send("setup", task, data=DATA | {"input": source} | data, is_again=is_again)

    def all_of(self, type_: str) -> list[dict[str, Any]]:
        """Return the fields of all messages of this type."""
        return [fields for each, fields in list(self.host.said) if each == type_]

    def wait_for(self, condition: Callable[[], object], seconds: float = 10.0) -> None:
        """Return as soon as the condition holds."""
        given_up = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < given_up, self.host.said
            time.sleep(0.005)  # the thread of the camera works meanwhile


@pytest.fixture
def cameras() -> Iterator[Cameras]:
    """A unit whose threads end with the test."""
    cameras = Cameras()
    yield cameras
    cameras.unit.close()


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Return the address of a camera that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"rtsp://127.0.0.1:{server.getsockname()[1]}/camera"


def test_the_setup_is_answered_before_the_first_frame(cameras: Cameras, tmp_path: Path) -> None:
    """The client must know the task before it gets a picture."""
    cameras.look(str(write_video(tmp_path / "video.mp4", ["red"])))
    cameras.wait_for(lambda: cameras.all_of("camera"))

    assert [type_ for type_, _ in cameras.host.said][:2] == ["result", "frame"]
    assert cameras.all_of("camera") == [{"task": "camera.1", "state": "ended", "reason": ""}]


def test_a_camera_that_is_slow_to_fail_is_lost_and_not_refused(
    cameras: Cameras, silent_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then the daemon has told the client that the setup goes on."""
    monkeypatch.setattr(video, "OPEN_SECONDS", 0.5)
    monkeypatch.setattr(watch, "REFUSAL_SECONDS", 0.1)
    cameras.look(silent_server)
    cameras.wait_for(lambda: cameras.all_of("camera"))

    assert cameras.all_of("result") == [{}]
    assert cameras.all_of("camera")[0]["state"] == "lost"


def test_a_camera_that_hangs_is_refused_in_time(
    cameras: Cameras, silent_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that accepts and says nothing."""
    monkeypatch.setattr(video, "OPEN_SECONDS", 0.5)
    began = time.monotonic()
    cameras.look(silent_server)
    cameras.wait_for(lambda: cameras.all_of("result"))

    assert cameras.all_of("result")[0]["code"] == SETUP_REFUSED
    assert time.monotonic() - began < 2


def test_a_task_from_before_a_restart_waits_for_its_camera(cameras: Cameras, tmp_path: Path) -> None:
    """It is not refused: the camera may start later than the board. It is told once."""
    path = tmp_path / "video.mp4"
    cameras.look(str(path), is_again=True)
    cameras.wait_for(lambda: cameras.all_of("camera"))
    write_video(path, ["red"])
    cameras.wait_for(lambda: len(cameras.all_of("camera")) == 3)

    assert cameras.all_of("result") == [{}]
    assert [each["state"] for each in cameras.all_of("camera")] == ["lost", "open", "ended"]
    assert f"there is no file {path}" in cameras.all_of("camera")[0]["reason"]


def test_other_messages_are_handled_while_a_camera_hangs(cameras: Cameras, silent_server: str, tmp_path: Path) -> None:
    """Each source has a thread of its own."""
    cameras.look(silent_server, "camera.1")
    cameras.look(str(write_video(tmp_path / "video.mp4", ["red"])), "camera.2")
    cameras.wait_for(lambda: cameras.all_of("camera"), seconds=3)

    assert {each["task"] for each in cameras.all_of("frame")} == {"camera.2"}


def test_no_frame_follows_the_answer_to_pause(cameras: Cameras, tmp_path: Path) -> None:
    """The thread is gone, and with it the source."""
    cameras.look(str(write_video(tmp_path / "video.mp4", ["red"])), loop=True, frame_interval_ms=0)
    cameras.wait_for(lambda: len(cameras.all_of("frame")) > 3)
    cameras.send("pause")
    frames = len(cameras.all_of("frame"))
    threads = [each.name for each in threading.enumerate() if each.name.startswith("camera ")]

    assert threads == []
    assert len(cameras.all_of("frame")) == frames


def test_a_frame_keeps_its_shape() -> None:
    """What the size that was asked for has besides is black."""
    tall = _frame(square("red", size=(40, 80), ground="red"))
    picture = fitted(tall, 80, 80)

    assert picture.size == (80, 80)
    assert [color_of(picture, (x, 40)) for x in (5, 40, 75)] == ["black", "red", "black"]
    assert len(yuyv_of(picture)) == 2 * 80 * 80


def _frame(picture: Image.Image) -> Any:
    from av.video.frame import VideoFrame

    return VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]  # PyAV has no types for it


# What is not to be trusted


def test_a_huge_picture_costs_no_memory(cameras: Cameras, tmp_path: Path) -> None:
    """100 megapixels are refused by what the header says."""
    path = tmp_path / "huge.png"
    path.write_bytes(huge_png(20_000, 5_000))
    cameras.look(str(path))
    cameras.wait_for(lambda: cameras.all_of("result"))
    (result,) = cameras.all_of("result")

    assert result["code"] == SETUP_REFUSED
    assert "frames of 20000 x 5000 are too large" in result["message"]


@pytest.mark.parametrize("cut", [100, 1000, 3000])
def test_a_truncated_video_ends_or_is_refused(cameras: Cameras, tmp_path: Path, cut: int) -> None:
    """Always with words, never with a crash."""
    path = write_video(tmp_path / "video.mkv", ["red", "blue"])
    path.write_bytes(path.read_bytes()[:cut])
    cameras.look(str(path))
    cameras.wait_for(lambda: cameras.all_of("camera") or "code" in (cameras.all_of("result") or [{}])[0])

    assert cameras.all_of("result")


def test_a_file_leads_to_no_other_file(cameras: Cameras, tmp_path: Path) -> None:
    """A playlist that names a video shows nothing of it."""
    other = write_video(tmp_path / "other.ts", ["red"])
    playlist = tmp_path / "list.m3u8"
    playlist.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{other}\n#EXT-X-ENDLIST\n")
    cameras.look(str(playlist))
    cameras.wait_for(lambda: cameras.all_of("result"))

    assert cameras.all_of("result")[0]["code"] == SETUP_REFUSED
    assert "is a list of other files" in cameras.all_of("result")[0]["message"]
    assert cameras.all_of("frame") == []
