"""The camera unit through the whole daemon: files, streams of the network, and what a linked vlm sees."""

import asyncio
import base64
import io
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.models.projector import vision_model
from tests.support.pictures import file_of, noise, square
from tests.support.servers.brokers import free_port
from tests.support.servers.network_cameras import mjpeg_camera, rtsp_camera
from tests.support.setups import LLM_SETUP
from tests.support.videos import color_of, write_video
from tests.support.waiting import eventually
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

CAMERA_SETUP = {
    "response_format": "image.jpeg.base64",
    "enoutput": True,
    "frame_width": 64,
    "frame_height": 48,
    "frame_interval_ms": 50,
}
VLM_SETUP = LLM_SETUP | {
    "model": "unitd-eye-test",
    "response_format": "vlm.utf-8.stream",
    "input": "vlm.utf-8",
    "usage": True,
}
PICTURE_TOKENS = 16
QUESTIONS = ("what is this? ", "what do you see?", "tell me a story", "which one is red?")


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """A video that shows red, blue and green."""
    return write_video(tmp_path / "video.mp4", ["red", "blue", "green"], seconds=0.4)


async def messages_until(client: WireClient, data: Any) -> list[dict[str, Any]]:
    """Return the messages up to the one with this data."""
    messages = [await client.receive()]
    while messages[-1]["data"] != data:
        messages.append(await client.receive())
    return messages


def picture_of(message: dict[str, Any]) -> Image.Image:
    """Return the picture of a frame."""
    return Image.open(io.BytesIO(base64.b64decode(message["data"])))


# Files


async def test_a_file_is_shown_to_its_end(client: WireClient, video: Path) -> None:
    """Every frame is a JPEG of the size that was asked for, at the speed of the video."""
    camera = await client.setup("camera", CAMERA_SETUP, input=str(video))
    *frames, end = await messages_until(client, "ended")

    assert camera == "camera.1000"
    assert {(each["work_id"], each["object"]) for each in frames} == {(camera, "image.jpeg.base64")}
    assert {picture_of(each).size for each in frames} == {(64, 48)}
    assert list(dict.fromkeys(color_of(picture_of(each)) for each in frames)) == ["red", "blue", "green"]
    assert (end["object"], end["error"]["code"]) == ("camera.state", 0)


async def test_a_looped_file_has_no_end(client: WireClient, tmp_path: Path) -> None:
    """After the last color comes the first."""
    video = write_video(tmp_path / "loop.mp4", ["red", "blue"])
    await client.setup("camera", CAMERA_SETUP, input=str(video), loop=True)
    colors = [color_of(picture_of(await client.receive())) for _ in range(20)]

    assert "".join(each[0] for each in colors).replace("rr", "r").count("br") >= 1


async def test_raw_frames_are_those_of_the_original(client: WireClient, video: Path) -> None:
    """`camera.raw` is YUYV: two bytes for each pixel, and bars where the video has another shape."""
    await client.setup("camera", CAMERA_SETUP | {"response_format": "camera.raw"}, input=str(video), frame_height=64)
    frame = base64.b64decode((await client.receive())["data"])

    assert len(frame) == 64 * 64 * 2
    assert frame[0] < 32 < frame[64 * 64]  # the brightness of the bar above, and of the middle


async def test_frames_have_the_rate_that_was_asked_for(client: WireClient, video: Path) -> None:
    """1.2 s of video at most every 400 ms."""
    await client.setup("camera", CAMERA_SETUP | {"frame_interval_ms": 400}, input=str(video))

    assert 3 <= len(await messages_until(client, "ended")) <= 5


async def test_a_slow_client_gets_the_newest_frame(daemon: App, client: WireClient, tmp_path: Path) -> None:
    """It stays connected; frames that it had no room for are dropped and counted."""
    path = tmp_path / "large.jpg"
    path.write_bytes(file_of(noise(1, (320, 180)), "JPEG"))
    setup = CAMERA_SETUP | {"response_format": "camera.raw", "frame_width": 1280, "frame_height": 720}
    camera = await client.setup("camera", setup, input=str(path), loop=True, frame_interval_ms=0)
    meter = daemon.metrics.model("camera", "camera")
    await eventually(lambda: meter.pictures["dropped"] >= 3, timeout=30)  # the client does not read meanwhile
    await client.send(request_id="exit", work_id=camera, action="exit")
    received = await messages_until(client, "None")

    assert received[-1]["request_id"] == "exit"
    assert len(received) - 1 == meter.pictures["sent"]


# What a vlm sees


@pytest.fixture
async def seeing(tmp_path: Path) -> AsyncIterator[WireClient]:
    """Return a client of a daemon that has a model with vision."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    async with (
        running_app(tmp_path / "state", {"models": {"dir": [str(tmp_path / "models")]}}) as app,
        tcp_client(app) as client,
    ):
        yield client


async def asked(client: WireClient, vlm: str, question: str = "what is this? ") -> tuple[str, int]:
    """Ask; return the answer and the number of tokens of the prompt."""
    request = {"work_id": vlm, "action": "inference", "object": "vlm.utf-8", "data": question}
    frames = await client.frames(await client.send(request_id=None, **request))
    return text_of(frames), frames[-1]["data"]["usage"]["prompt_tokens"]


async def test_a_vlm_sees_what_its_camera_shows(seeing: WireClient, tmp_path: Path) -> None:
    """The newest frame goes with every question; without the link there is none."""
    setup = CAMERA_SETUP | {"enoutput": False}
    cameras = [
        await seeing.setup("camera", setup, input=str(write_video(tmp_path / f"{color}.mp4", [color])), loop=True)
        for color in ("red", "blue")
    ]
    vlm = await seeing.setup("vlm", VLM_SETUP)
    unseen = await asked(seeing, vlm)
    seen = []
    for camera in cameras:
        await seeing.ask(work_id=vlm, action="link", data=camera)
        async with asyncio.timeout(10):
            while (await asked(seeing, vlm))[1] == unseen[1]:
                pass  # the camera has sent no frame since it was linked
        seen.append([await asked(seeing, vlm, question) for question in QUESTIONS])
        await seeing.ask(work_id=vlm, action="unlink", data=camera)

    assert min(seen[0][0][1], seen[1][0][1]) == unseen[1] + PICTURE_TOKENS
    assert seen[0] != seen[1]
    assert await asked(seeing, vlm) == unseen


async def test_a_camera_at_its_end_shows_nothing(seeing: WireClient, tmp_path: Path) -> None:
    """The last frame of a video does not stay for all later questions."""
    video = write_video(tmp_path / "short.mp4", ["red"], seconds=1)
    host, port = seeing.writer.get_extra_info("peername")
    watching = WireClient(*await asyncio.open_connection(host, port))
    vlm = await seeing.setup("vlm", VLM_SETUP)
    camera = await watching.setup("camera", CAMERA_SETUP, input=str(video))
    await seeing.ask(work_id=vlm, action="link", data=camera)
    info = await seeing.ask(work_id=vlm, action="taskinfo")
    await messages_until(watching, "ended")
    await watching.close()
    unseen = await asked(seeing, vlm)
    await seeing.ask(work_id=vlm, action="unlink", data=camera)

    assert info["data"]["inputs_"] == ["vlm.utf-8", camera]
    assert unseen == await asked(seeing, vlm)


# Streams of the network


async def test_an_rtsp_camera_is_lost_and_comes_back(client: WireClient) -> None:
    """One error when it goes, one word when it is back, and frames before and after."""
    port = free_port()
    with rtsp_camera(port, "red") as address:
        camera = await client.setup("camera", CAMERA_SETUP, input=address)
        before = await client.receive()
    while not (lost := await client.receive(20))["error"]["code"]:
        pass
    with rtsp_camera(port, "blue"):
        back, after = await client.receive(20), await client.receive(20)

    assert color_of(picture_of(before)) == "red"
    assert (lost["work_id"], lost["error"]["code"]) == (camera, -11)
    assert f"127.0.0.1:{port}" in lost["error"]["message"]
    assert (back["object"], back["data"]) == ("camera.state", "open")
    assert color_of(picture_of(after)) == "blue"


async def test_two_tasks_share_one_connection(client: WireClient) -> None:
    """Each has frames of its own size; the camera is left when nobody looks any more."""
    async with mjpeg_camera(file_of(square("red"), "JPEG")) as camera:
        first = await client.setup("camera", CAMERA_SETUP, input=camera.address)
        second = await client.setup("camera", CAMERA_SETUP, input=camera.address, frame_width=32, frame_height=32)
        sizes: dict[str, tuple[int, int]] = {}
        while len(sizes) < 2:
            message = await client.receive()
            sizes[message["work_id"]] = picture_of(message).size
        connections = camera.connections

    assert sizes == {first: (64, 48), second: (32, 32)}
    assert connections == 1


async def test_a_stream_that_falls_silent_is_an_error(client: WireClient) -> None:
    """After five seconds, with words that say so; it is tried again."""
    async with mjpeg_camera(file_of(square("red"), "JPEG")) as camera:
        await client.setup("camera", CAMERA_SETUP, input=camera.address)
        camera.is_silent = True
        while not (lost := await client.receive(20))["error"]["code"]:
            pass
        camera.is_silent = False
        while (back := await client.receive(20))["data"] != "open":
            pass

    assert lost["error"]["code"] == -11
    assert "sends no frame for 5 s" in lost["error"]["message"]
    assert back["object"] == "camera.state"
    assert camera.connections == 2


# Actions


async def test_pause_work_and_exit(client: WireClient, video: Path) -> None:
    """A paused camera sends nothing and closes its source; `work` opens it again; `exit` ends the task."""
    camera = await client.setup("camera", CAMERA_SETUP, input=str(video), loop=True)
    await client.ask(work_id=camera, action="pause")
    with pytest.raises(TimeoutError):
        await client.receive(0.3)
    resumed = await client.ask(work_id=camera, action="work")
    frame = await client.receive()
    ended = await client.ask(work_id=camera, action="exit")
    tasks = await client.ask(work_id="camera", action="taskinfo")

    assert (resumed["error"]["code"], ended["error"]["code"]) == (0, 0)
    assert picture_of(frame).size == (64, 48)
    assert tasks["data"] == []


async def test_a_camera_changes_its_source(client: WireClient, tmp_path: Path) -> None:
    """A setup on the task; one that cannot be changes nothing."""
    red, blue = (str(write_video(tmp_path / f"{color}.mp4", [color])) for color in ("red", "blue"))
    camera = await client.setup("camera", CAMERA_SETUP, input=red, loop=True)
    request = {"work_id": camera, "action": "setup"}
    failed = await client.ask(**request, data=CAMERA_SETUP | {"input": "/dev/video77"})
    before = picture_of(await client.receive())
    changed = await client.ask(**request, data=CAMERA_SETUP | {"input": blue, "loop": True})
    async with asyncio.timeout(10):
        while color_of(picture_of(await client.receive())) != "blue":
            pass  # frames that were on their way

    assert (failed["error"]["code"], changed["error"]["code"]) == (-5, 0)
    assert "there is no camera /dev/video77" in failed["error"]["message"]
    assert color_of(before) == "red"


async def test_frames_go_on_after_the_program_died(daemon: App, client: WireClient, video: Path) -> None:
    """It is started again, and looks again."""
    await client.setup("camera", CAMERA_SETUP, input=str(video), loop=True)
    (child,) = daemon._supervisor.children
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    await eventually(lambda: child.meter.restarts == 1)
    sent = child.meter.pictures["sent"]
    await eventually(lambda: child.meter.pictures["sent"] > sent + 2, timeout=20)

    assert picture_of(await client.receive()).size == (64, 48)


async def test_taskinfo_and_the_list_of_devices(client: WireClient) -> None:
    """In the original's form, and without the password of an address."""
    async with mjpeg_camera(file_of(square("red"), "JPEG")) as source:
        address = source.address.replace("//", "//anna:secret@")
        camera = await client.setup("camera", CAMERA_SETUP | {"enoutput": False}, input=address)
        info = await client.ask(work_id=camera, action="taskinfo")
        tasks = await client.ask(work_id="sys", action="lstask")
        devices = await client.ask(work_id="camera", action="list_camera")

    assert info["data"] == {
        "enoutput": False,
        "frame_height": 48,
        "frame_width": 64,
        "input": source.address.replace("//", "//anna:***@"),
        "response_format": "image.jpeg.base64",
    }
    assert "secret" not in str(tasks)
    assert devices["object"] == "camera.devices"
    assert isinstance(devices["data"], list)


@pytest.mark.parametrize("action", ["link", "unlink", "inference", "cancel"])
async def test_what_a_camera_does_not_do(client: WireClient, video: Path, action: str) -> None:
    """It listens to nothing and answers nothing, as in the original."""
    camera = await client.setup("camera", CAMERA_SETUP | {"enoutput": False}, input=str(video), loop=True)
    reply = await client.ask(work_id=camera, action=action, object="camera.raw", data="kws.1000")

    assert reply["error"]["code"] == -18


# What is refused


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"input": "/dev/video77"}, "there is no camera /dev/video77"),
        ({"input": "/dev/null"}, "/dev/null is no camera"),
        ({"input": "/nowhere/video.mp4"}, "there is no file /nowhere/video.mp4"),
        ({"input": "ftp://127.0.0.1/video"}, "begins with rtsp://"),
        ({"input": "rtsp://127.0.0.1:1/camera"}, "Connection refused"),
        ({"input": []}, "input must be one device, address or file"),
        ({"input": "/dev/video77", "frame_width": 1920, "frame_height": 1920}, "2073600 are the most"),
        ({"input": "/dev/video77", "response_format": "camera.raw", "frame_width": 65}, "frame_width must be even"),
        ({"input": "/dev/video77", "frame_width": 100_000}, "frame_width is 100000, it must be a whole number"),
    ],
)
async def test_a_source_that_is_not_there_is_refused(client: WireClient, changes: dict[str, Any], words: str) -> None:
    """At setup, with the reason; no task is left."""
    reply = await client.ask(work_id="camera", action="setup", data=CAMERA_SETUP | changes)
    tasks = await client.ask(work_id="camera", action="taskinfo")

    assert (reply["work_id"], reply["error"]["code"]) == ("camera", -5)
    assert words in reply["error"]["message"]
    assert tasks["data"] == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no video at all",
        b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/video.ts\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile /etc/passwd\n",
    ],
    ids=["empty", "text", "playlist", "list of files"],
)
async def test_a_file_that_is_no_video_is_refused(client: WireClient, tmp_path: Path, content: bytes) -> None:
    """A playlist leads to no other file, and not to the network."""
    path = tmp_path / "video.mp4"
    path.write_bytes(content)
    reply = await client.ask(work_id="camera", action="setup", data=CAMERA_SETUP | {"input": str(path)})

    assert reply["error"]["code"] == -5
    assert str(path) in reply["error"]["message"]


# Restarts


async def test_a_camera_and_its_link_come_back_with_the_daemon(tmp_path: Path) -> None:
    """Both tasks and what is between them are restored; the vlm sees again."""
    await asyncio.to_thread(vision_model, tmp_path / "models")
    video = write_video(tmp_path / "video.mp4", ["red"])
    document = {"models": {"dir": [str(tmp_path / "models")]}}
    async with running_app(tmp_path / "state", document) as app, tcp_client(app) as client:
        camera = await client.setup("camera", CAMERA_SETUP | {"enoutput": False}, input=str(video), loop=True)
        vlm = await client.setup("vlm", VLM_SETUP | {"input": ["vlm.utf-8", camera]})
        await client.ask(work_id=vlm, action="unlink", data=camera)
        unseen = await asked(client, vlm)
        await client.ask(work_id=vlm, action="link", data=camera)
    async with running_app(tmp_path / "state", document) as app, tcp_client(app) as client:
        async with asyncio.timeout(20):
            while (await asked(client, vlm))[1] == unseen[1]:
                pass  # the camera has sent no frame yet
        seen = await asked(client, vlm)

    assert seen[1] == unseen[1] + PICTURE_TOKENS
