"""Cameras of Home Assistant through the whole daemon: the picture goes with the question to a model with vision."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import calls_of, frames_of, rest_of, said
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, square
from tests.support.servers.assistant_server import TOKEN, AssistantServer, Camera, State, assistant_server
from tests.support.servers.calling_server import CallingServer, calling_server
from unitd.app import App

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]

RED, BLUE = (file_of(square(color), "JPEG") for color in ("red", "blue"))
QUESTION = "what do you see on the front door camera?"
LOOK = [("look_at", "front door camera")]
PICTURE_TOKENS = 16
SETUP: dict[str, Any] = {
    "model": "unitd-eye-test",
    "response_format": "llm.utf-8.stream",
    "input": "llm.utf-8",
    "enoutput": True,
    "max_token_len": 20,
    "prompt": "Be brief.",
    "tools": "home",
    "usage": True,
}
INTENT_SETUP = {**SETUP, "response_format": "intent.utf-8.stream", "input": "intent.utf-8"}


@dataclass
class Board:
    """The board with its Home Assistant, and a model on another machine that calls what it is told."""

    app: App
    assistant: AssistantServer
    caller: CallingServer


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Board]:
    """A board that may see two cameras."""
    folder: Path = tmp_path_factory.mktemp("cameras")
    (folder / "token").write_text(TOKEN)
    await asyncio.to_thread(vision_model, folder / "models")
    await asyncio.to_thread(blind_model, folder / "models")
    async with AsyncExitStack() as stack:
        assistant = await stack.enter_async_context(assistant_server())
        assistant.entities = [
            State("light.desk", "desk lamp", "study", supported_color_modes=["onoff"]),
            State("camera.front", "front door camera", "hall"),
            State("camera.garden", "garden camera", "garden"),
        ]
        caller = await stack.enter_async_context(calling_server())
        caller.card(folder, 'capabilities = ["vision"]\n')
        home = {
            "homeassistant_url": assistant.url,
            "homeassistant_token_file": str(folder / "token"),
            "domains": ["light", "camera", "image"],
        }
        app = await stack.enter_async_context(running_app(folder, {"home": home}))
        keeper = await stack.enter_async_context(tcp_client(app))
        await keeper.setup("intent", INTENT_SETUP)
        for model in ("unitd-eye-test", BLIND, "caller"):
            await frames_of(keeper, await keeper.setup("llm", SETUP | {"model": model}), "hello")
        with kept_children():
            yield Board(app, assistant, caller)


@pytest.fixture
def board(running: Board) -> Board:
    """The same with its house as it was."""
    running.assistant.states = {
        each.entity_id: {"state": "idle", "attributes": {}} for each in running.assistant.entities
    }
    running.assistant.pictures = {"camera.front": RED, "camera.garden": BLUE}
    running.assistant.camera = Camera.WORKS
    running.assistant.calls.clear()
    running.caller.bodies.clear()
    return running


@pytest_asyncio.fixture(loop_scope="module")
async def client(board: Board) -> AsyncIterator[WireClient]:
    """A client on this machine."""
    async with tcp_client(board.app) as connected:
        yield connected


def tokens(frames: list[dict[str, Any]]) -> int:
    """Return how many tokens the prompt had."""
    number: int = frames[-1]["data"]["usage"]["prompt_tokens"]
    return number


async def asked(client: WireClient, work_id: str, question: str, **options: Any) -> list[dict[str, Any]]:
    """Ask with these options; return the frames of the answer."""
    unit = work_id.partition(".")[0]
    request = {"work_id": work_id, "action": "inference", "object": f"{unit}.utf-8", "data": question}
    return await rest_of(client, await client.send(**request, options=options))


async def test_a_model_with_vision_is_shown_what_the_camera_shows(board: Board, client: WireClient) -> None:
    """The answer is that of the same picture in the question itself, without tools."""
    llm = await client.setup("llm", SETUP)

    frames = await frames_of(client, llm, QUESTION)
    own = {"images": [{"image": base64.b64encode(RED).decode()}], "tools": []}
    same = await asked(client, llm, QUESTION, **own)

    assert calls_of(frames) == LOOK
    assert frames[0]["data"]["by"] == "intent"
    assert said(frames) == said(same) != ""
    assert tokens(frames) == tokens(same)
    assert board.assistant.calls[-1] == ("/api/camera_proxy/camera.front", None)


async def test_the_next_question_is_asked_without_the_picture(client: WireClient) -> None:
    """It belongs to the one question, and the task has its tools again."""
    llm = await client.setup("llm", SETUP)
    before = await frames_of(client, llm, "what is the capital of France?")
    await frames_of(client, llm, QUESTION)

    assert tokens(await frames_of(client, llm, "what is the capital of France?")) == tokens(before)
    assert calls_of(await frames_of(client, llm, "turn on the desk lamp")) == [("turn_on", "desk lamp")]


async def test_a_vlm_sees_its_own_pictures_too(client: WireClient) -> None:
    """One that was sent before waits for the question, and that of the camera comes with it."""
    vlm = await client.setup("vlm", SETUP | {"response_format": "vlm.utf-8.stream", "input": "vlm.utf-8"})
    one = tokens(await asked(client, vlm, QUESTION))
    picture = {"work_id": vlm, "action": "inference", "object": "cv.jpeg.base64"}
    await client.send(**picture, data=base64.b64encode(BLUE).decode())

    assert tokens(await asked(client, vlm, QUESTION)) == one + PICTURE_TOKENS


async def test_a_conversation_remembers_the_picture(client: WireClient) -> None:
    """The task keeps it with the question; a reply to a question back is no question for the model."""
    llm = await client.setup("llm", SETUP | {"history": True})

    which = await frames_of(client, llm, "what do you see on the camera?")
    looked = await frames_of(client, llm, "the garden camera")
    later = await frames_of(client, llm, "and what is the capital of France?")

    assert said(which) == "Which one do you mean: the front door camera or the garden camera?"
    assert calls_of(looked) == [("look_at", "garden camera")]
    assert tokens(later) > tokens(looked) > PICTURE_TOKENS


async def test_a_conversation_of_the_client_works_too(client: WireClient) -> None:
    """As Assist and barge-in inference send it."""
    llm = await client.setup("llm", SETUP)
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}]

    frames = await asked(client, llm, QUESTION, messages=messages)

    assert calls_of(frames) == LOOK
    assert said(frames)
    assert tokens(frames) > PICTURE_TOKENS


async def test_what_else_was_wished_is_told_first(client: WireClient) -> None:
    """The words of the program, then those of the model."""
    llm = await client.setup("llm", SETUP)

    frames = await frames_of(client, llm, "turn on the desk lamp and show me the garden camera")

    assert calls_of(frames) == [("turn_on", "desk lamp"), ("look_at", "garden camera")]
    assert said(frames).startswith("Turned on the light ")
    assert len(said(frames)) > len("Turned on the light ")


async def test_a_model_without_vision_says_so(board: Board, client: WireClient) -> None:
    """No picture is fetched; a task without a model says the same."""
    llm = await client.setup("llm", SETUP | {"model": BLIND})
    intent = await client.setup("intent", INTENT_SETUP)
    answers = [said(await frames_of(client, llm, QUESTION)), said(await asked(client, intent, QUESTION))]

    assert answers == ["That did not work for the front door camera: this model sees no pictures."] * 2
    assert board.assistant.calls == []


@pytest.mark.parametrize(
    ("shown", "state", "words"),
    [
        (RED + bytes(20 * 1024 * 1024), "idle", "its picture is too large"),
        (b"<html>", "idle", "Home Assistant sends no picture of it"),
        (RED, "unavailable", "the device is unavailable in Home Assistant"),
    ],
)
async def test_a_camera_that_does_not_work_is_told(
    board: Board, client: WireClient, shown: bytes, state: str, words: str
) -> None:
    """The task goes on."""
    llm = await client.setup("llm", SETUP)
    board.assistant.pictures["camera.front"] = shown
    board.assistant.states["camera.front"]["state"] = state

    frames = await frames_of(client, llm, QUESTION)

    assert said(frames) == f"That did not work for the front door camera: {words}."
    assert calls_of(await frames_of(client, llm, "turn on the desk lamp")) == [("turn_on", "desk lamp")]


async def test_a_picture_that_cannot_be_read_is_an_error_of_the_answer(board: Board, client: WireClient) -> None:
    """It begins like a JPEG; the next question is answered."""
    llm = await client.setup("llm", SETUP)
    board.assistant.pictures["camera.front"] = RED[: len(RED) // 2]

    error = (await frames_of(client, llm, QUESTION))[-1]["error"]

    assert error["code"] == -11
    assert "images[0] cannot be read" in error["message"]
    board.assistant.pictures["camera.front"] = RED
    assert said(await frames_of(client, llm, QUESTION))


@pytest.mark.parametrize(
    "options",
    [
        {"messages": 5},
        {"messages": "what do you see?"},
        {"messages": [5]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": QUESTION}, 7]},
        {"messages": {"role": "user", "content": QUESTION}},
        {"images": 5},
    ],
)
async def test_nonsense_of_a_client_ends_its_own_answer(client: WireClient, options: dict[str, Any]) -> None:
    """Whether the sentence stands in it or beside it; the daemon goes on."""
    llm = await client.setup("llm", SETUP)
    answers = [await asked(client, llm, QUESTION, **options)]
    if "messages" in options:
        answers.append(await asked(client, llm, "None", **options))

    assert [frames[-1]["error"]["code"] for frames in answers] == [-11] * len(answers)
    assert said(await frames_of(client, llm, QUESTION))


async def test_an_answer_is_cut_while_the_camera_is_waited_for(board: Board, client: WireClient) -> None:
    """The finish frame comes at once, and nothing of the picture later."""
    llm = await client.setup("llm", SETUP)
    board.assistant.camera = Camera.SILENT
    request = await client.infer(llm, QUESTION)
    call = await client.receive()
    await client.send(work_id=llm, action="cancel")
    end = (await rest_of(client, request))[-1]["data"]
    board.assistant.camera = Camera.WORKS
    board.assistant.may_answer.set()

    assert call["object"] == "llm.tool_call"
    assert end["finish_reason"] == "interrupted"
    assert calls_of(await frames_of(client, llm, "turn on the desk lamp")) == [("turn_on", "desk lamp")]


async def test_a_model_may_look_by_itself(board: Board, client: WireClient) -> None:
    """In words that no sentence has; it is asked again with the picture and without tools."""
    llm = await client.setup("llm", SETUP | {"model": "caller"})

    frames = await frames_of(client, llm, 'please turn [["look_at", {"entity": "front door camera"}]]')

    assert calls_of(frames) == LOOK
    assert frames[0]["data"]["by"] == "model"
    first, second = board.caller.bodies
    assert "look_at" in [each["function"]["name"] for each in first["tools"]]
    assert "tools" not in second
    image, text = second["messages"][-1]["content"]
    assert image["image_url"]["url"] == f"data:image/jpeg;base64,{base64.b64encode(RED).decode()}"
    assert said(frames) == text["text"].removeprefix("please turn ")
