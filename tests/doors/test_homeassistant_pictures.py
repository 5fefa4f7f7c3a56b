"""Covers unitd.doors.home: what the cameras and image entities of Home Assistant show, by a toolbox."""

from collections.abc import Awaitable, Callable

import pytest

from tests.support.home.toolboxes import MakeToolbox
from tests.support.pictures import file_of, square
from tests.support.servers.assistant_server import AssistantServer, Camera, State, assistant_server
from unitd.core.outcomes import Outcome, Reason
from unitd.doors.home import homeassistant
from unitd.doors.home.toolbox import HomeToolbox
from unitd.wire.errors import LoadFailed

JPEG = file_of(square("red"), "JPEG")
FRONT, GARDEN = "camera.front_door", "image.garden"
LOOK = {"id": "1", "name": "look_at", "arguments": {"entity": "front door camera"}}
FAILED = "That did not work for the front door camera: "
Open = Callable[[], Awaitable[HomeToolbox]]


@pytest.fixture
def open_toolbox(make_toolbox: MakeToolbox, assistant: AssistantServer) -> Open:
    """Opens the tools of a board whose Home Assistant has a light, a camera and an image."""
    assistant.entities = [
        State("light.kitchen", "kitchen light"),
        State(FRONT, "front door camera", "hall"),
        State(GARDEN, "picture of the garden"),
    ]
    assistant.states |= {FRONT: {"state": "idle", "attributes": {}}, GARDEN: {"state": "2026-11-22", "attributes": {}}}
    assistant.pictures = {FRONT: JPEG, GARDEN: JPEG + b"garden"}

    async def opened() -> HomeToolbox:
        toolbox: HomeToolbox = await make_toolbox("", assistant=assistant, domains=("light", "camera", "image"))
        assistant.calls.clear()
        return toolbox

    return opened


async def look(toolbox: HomeToolbox) -> Outcome:
    """Look at the camera at the front door."""
    return await toolbox.do(LOOK, sees=True)


async def test_the_picture_of_a_camera_is_fetched(open_toolbox: Open, assistant: AssistantServer) -> None:
    """After a look whether the camera is there."""
    outcome = await look(await open_toolbox())

    assert outcome == Outcome("This is the picture of the front door camera.", is_done=True, picture=JPEG)
    assert [path for path, _ in assistant.calls] == [f"/api/states/{FRONT}", f"/api/camera_proxy/{FRONT}"]
    assert "picture" not in outcome.as_data()


async def test_an_image_entity_has_a_path_of_its_own(open_toolbox: Open, assistant: AssistantServer) -> None:
    """Home Assistant gives the picture of an image entity at another path than that of a camera."""
    toolbox = await open_toolbox()

    outcome = await toolbox.do(LOOK | {"arguments": {"entity": "picture of the garden"}}, sees=True)

    assert outcome.picture == JPEG + b"garden"
    assert assistant.calls[-1] == (f"/api/image_proxy/{GARDEN}", None)


async def test_nothing_is_fetched_for_a_model_that_sees_nothing(open_toolbox: Open, assistant: AssistantServer) -> None:
    """The answer says why."""
    toolbox = await open_toolbox()

    outcome = await toolbox.do(LOOK)

    assert (outcome.text, outcome.reason) == (f"{FAILED}this model sees no pictures.", Reason.NO_VISION)
    assert assistant.calls == []


async def test_only_a_model_that_sees_is_told_of_cameras(open_toolbox: Open) -> None:
    """The bundled one has not learned what to do with them."""
    toolbox = await open_toolbox()

    seeing, other = [await toolbox.prepare({"prompt": ""}, sees=sees) for sees in (True, False)]

    assert '- front door camera; camera in hall, ground floor: "front door camera"' in seeing["prompt"]
    assert [each["function"]["name"] for each in seeing["tools"]] == ["turn_on", "turn_off", "get_state", "look_at"]
    assert other["prompt"] == 'Devices:\n- kitchen light; light: "kitchen light"'
    assert [each["function"]["name"] for each in other["tools"]] == ["turn_on", "turn_off", "get_state"]


async def test_a_home_of_cameras_has_no_tools_for_a_model_that_sees_nothing(
    open_toolbox: Open, assistant: AssistantServer
) -> None:
    """Its task works nevertheless, for sentences are recognised without it."""
    assistant.entities = assistant.entities[1:]
    toolbox = await open_toolbox()

    assert await toolbox.prepare({"prompt": ""}, sees=False) == {"prompt": "Tools: none()", "tools": None}

    assistant.entities = []
    with pytest.raises(LoadFailed):
        await (await open_toolbox()).prepare({"prompt": ""}, sees=False)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"<html>401</html>",
        b"\x1f\x8b\x08" + bytes(100),
        None,  # its camera does not answer
    ],
)
async def test_what_is_no_picture_is_told_in_words(
    open_toolbox: Open, assistant: AssistantServer, sent: bytes | None
) -> None:
    """A map of a vacuum cleaner is an SVG, say."""
    if sent is None:
        del assistant.pictures[FRONT]
    else:
        assistant.pictures[FRONT] = sent

    outcome = await look(await open_toolbox())

    assert (outcome.text, outcome.reason) == (f"{FAILED}Home Assistant sends no picture of it.", Reason.NO_PICTURE)
    assert outcome.picture == b""


async def test_a_picture_is_read_no_further_than_it_may_be_long(open_toolbox: Open, assistant: AssistantServer) -> None:
    """One of 20 MiB is not kept in memory."""
    assistant.pictures[FRONT] = JPEG + bytes(20 * 1024 * 1024)

    outcome = await look(await open_toolbox())

    assert (outcome.text, outcome.reason) == (f"{FAILED}its picture is too large.", Reason.PICTURE_TOO_LARGE)


async def test_a_slow_camera_is_not_waited_for_long(
    open_toolbox: Open, assistant: AssistantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home Assistant takes the request and is silent."""
    monkeypatch.setattr(homeassistant, "PICTURE_SECONDS", 0.2)
    toolbox = await open_toolbox()
    assistant.camera = Camera.SILENT

    outcome = await look(toolbox)

    assert (outcome.text, outcome.reason) == (f"{FAILED}Home Assistant sends no picture of it.", Reason.NO_PICTURE)


@pytest.mark.parametrize(
    ("state", "words", "reason"),
    [
        ("unavailable", "the device is unavailable in Home Assistant", Reason.UNAVAILABLE),
        (None, "Home Assistant does not have it", Reason.UNKNOWN_DEVICE),
    ],
)
async def test_a_camera_that_is_not_there_is_not_asked(
    open_toolbox: Open, assistant: AssistantServer, state: str | None, words: str, reason: Reason
) -> None:
    """Home Assistant has lost it, or has removed it since."""
    toolbox = await open_toolbox()
    assistant.states.pop(FRONT)
    if state:
        assistant.states[FRONT] = {"state": state, "attributes": {}}

    outcome = await look(toolbox)

    assert (outcome.text, outcome.reason) == (f"{FAILED}{words}.", reason)
    assert [path for path, _ in assistant.calls] == [f"/api/states/{FRONT}"]


async def test_no_redirect_is_followed(open_toolbox: Open, assistant: AssistantServer) -> None:
    """The token is for this address alone."""
    toolbox = await open_toolbox()
    assistant.camera = Camera.MOVED

    async with assistant_server() as other:
        assistant.elsewhere = f"{other.url}/api/camera_proxy/{FRONT}"
        outcome = await look(toolbox)

        assert other.calls == []
    assert outcome.text == f"{FAILED}Home Assistant failed (302)."


async def test_a_picture_of_which_the_end_is_missing_is_none(open_toolbox: Open, assistant: AssistantServer) -> None:
    """The connection breaks before."""
    toolbox = await open_toolbox()
    assistant.camera = Camera.CUT

    outcome = await look(toolbox)

    assert outcome.text == f"{FAILED}Home Assistant cannot be reached."
    assert outcome.reason == Reason.HOME_ASSISTANT_UNREACHABLE


async def test_a_name_of_a_model_becomes_no_other_address(open_toolbox: Open, assistant: AssistantServer) -> None:
    """Only a device that was read can be looked at."""
    toolbox = await open_toolbox()

    outcome = await toolbox.do(LOOK | {"arguments": {"entity": "camera.x/../../config"}}, sees=True)

    assert outcome.text == "There is no camera.x/../../config here."
    assert assistant.calls == []
