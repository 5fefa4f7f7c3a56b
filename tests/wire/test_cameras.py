"""Covers wire.cameras and the rule of core.access.grants for it: what a camera's source is, and who may name it."""

from typing import Any

import pytest

from unitd.core.access.grants import TRUSTED, Grant, Role, check_request
from unitd.wire.cameras import is_camera_device, source_of, without_password
from unitd.wire.errors import NotAllowed
from unitd.wire.messages import Request

ANNA = Grant("anna", Role.USE)
VISITOR = Grant("visitor", Role.OBSERVE)


@pytest.mark.parametrize(
    ("named", "source"),
    [("/dev/video0", "/dev/video0"), (["a.mp4"], "a.mp4"), ([], ""), (["a", "b"], ""), (None, ""), (7, ""), ([7], "")],
)
def test_a_source_is_one_text(named: Any, source: str) -> None:
    """The original has a text, the other units a list."""
    assert source_of({"input": named}) == source


@pytest.mark.parametrize(
    ("source", "is_device"),
    [
        ("/dev/video0", True),
        ("/dev/v4l/by-id/usb-046d_C270-video-index0", True),
        ("/dev/video0/../sda", False),
        ("/dev/watchdog", False),
        ("video.mp4", False),
        ("rtsp://10.0.0.7/dev/video0", False),
    ],
)
def test_devices_of_a_board(source: str, is_device: bool) -> None:
    """No other file under /dev: opening one may have effects."""
    assert is_camera_device(source) is is_device


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("rtsp://anna:secret@10.0.0.7/stream", "rtsp://anna:***@10.0.0.7/stream"),
        ("rtsp://anna@10.0.0.7/stream", "rtsp://anna@10.0.0.7/stream"),
        ("http://10.0.0.7:8080/a@b:c@d", "http://10.0.0.7:8080/a@b:c@d"),
        ("/videos/a:b@c.mp4", "/videos/a:b@c.mp4"),
    ],
)
def test_a_password_is_not_shown(source: str, shown: str) -> None:
    """Everything else is."""
    assert without_password(source) == shown


@pytest.mark.parametrize("work_id", ["camera", "camera.1000"])
@pytest.mark.parametrize("source", ["/etc/video.mp4", "rtsp://10.0.0.7/stream", ["http://169.254.169.254/"], None])
def test_only_an_admin_names_a_file_or_an_address(work_id: str, source: Any) -> None:
    """They could be used to read files, and to reach the network behind the board."""
    request = Request("1", work_id, "setup", data={"input": source})

    with pytest.raises(NotAllowed, match="for the role 'admin'"):
        check_request(ANNA, request)
    check_request(TRUSTED, request)


def test_everybody_who_may_use_units_has_the_board_s_cameras() -> None:
    """Show that a device of the board needs no admin, as its microphone does not, but still a role for units."""
    for request in (
        Request("1", "camera", "setup", data={"input": "/dev/video0"}),
        Request("2", "camera.1000", "exit"),
    ):
        check_request(ANNA, request)
        with pytest.raises(NotAllowed, match="role"):
            check_request(VISITOR, request)
