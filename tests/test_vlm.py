"""The vlm unit through the whole daemon: pictures that are sent before the question, as the original has it."""

import base64
import os
import pty
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.original_clients import ArduinoClient, MicroPythonClient
from tests.support.clients.wire_client import WireClient, open_terminal, text_of
from tests.support.daemon import running_app, shared_app, tcp_client
from tests.support.models.projector import BLIND, blind_model, vision_model
from tests.support.pictures import file_of, square
from tests.support.setups import ASR_SETUP, KWS_SETUP, LLM_SETUP, LONG_QUESTION
from tests.support.units.spoken import speak
from tests.support.units.voice_setups import wav_of
from unitd.app import App

pytestmark = pytest.mark.timeout(60)

EYE = "unitd-eye-test"
VLM_SETUP = LLM_SETUP | {
    "model": EYE,
    "response_format": "vlm.utf-8.stream",
    "input": "vlm.utf-8",
    "max_token_len": 30,
    "usage": True,
}
RED, BLUE = (file_of(square(color), "JPEG") for color in ("red", "blue"))
QUESTION = "what is this?"
PICTURE_TOKENS = 16


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The configuration of a daemon that has a model with vision, and one without."""
    folder = tmp_path_factory.mktemp("models")
    vision_model(folder)
    blind_model(folder)
    return {"models": {"dir": [str(folder)]}}


@pytest.fixture(scope="module")
def module_app(models: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Run that daemon for all, with a vlm task."""
    with shared_app(tmp_path_factory.mktemp("state"), models, {"vlm": VLM_SETUP}) as app:
        yield app


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """That daemon."""
    return shared_daemon


async def show(client: WireClient, work_id: str, picture: bytes, **fields: Any) -> str:
    """Send a picture after a RAW header; return the request_id."""
    request: dict[str, Any] = {"work_id": work_id, "action": "inference", "object": "cv.jpeg.base64"}
    request["RAW"] = len(picture)
    sent = await client.send(**(request | fields))
    await client.send_bytes(picture)
    return sent


async def asked(client: WireClient, work_id: str, question: str = QUESTION, **options: Any) -> tuple[str, int]:
    """Ask; return the answer and the number of tokens of the prompt."""
    request = {"work_id": work_id, "action": "inference", "object": "vlm.utf-8"}
    frames = await client.frames(await client.send(**request, data=question, options=options))
    return text_of(frames), frames[-1]["data"]["usage"]["prompt_tokens"]


# The happy day


async def test_a_picture_goes_with_the_next_question_alone(client: WireClient) -> None:
    """It is stored without a reply, used, and cleared; the answer is that of a picture in the question itself."""
    vlm = await client.setup("vlm", VLM_SETUP)
    unseen = await asked(client, vlm)

    await show(client, vlm, RED)
    seen = await asked(client, vlm)

    assert seen[1] == unseen[1] + PICTURE_TOKENS
    assert seen == await asked(client, vlm, images=[{"image": base64.b64encode(RED).decode()}])
    assert await asked(client, vlm) == unseen


async def test_a_picture_may_come_as_base64(client: WireClient) -> None:
    """As an object with data, and as a stream of chunks."""
    vlm = await client.setup("vlm", VLM_SETUP)
    text = base64.b64encode(RED).decode()
    request = {"work_id": vlm, "action": "inference"}

    await show(client, vlm, RED)
    first = await asked(client, vlm)
    await client.send(**request, object="cv.jpeg.base64", data=text)
    second = await asked(client, vlm)
    for index, piece in enumerate((text[:100], text[100:])):
        data = {"delta": piece, "index": index, "finish": index == 1}
        await client.send(**request, request_id="picture", object="cv.jpeg.base64.stream", data=data)
    third = await asked(client, vlm)

    assert first == second == third


async def test_several_pictures_wait_in_their_order(client: WireClient) -> None:
    """Red and blue is another question than blue and red."""
    vlm = await client.setup("vlm", VLM_SETUP)
    answers: dict[tuple[bytes, bytes], list[tuple[str, int]]] = {(RED, BLUE): [], (BLUE, RED): []}
    for (first, second), told in answers.items():
        for question in ("what is this?", "what do you see?", "tell me a story", "which one is red?"):
            await show(client, vlm, first)
            await show(client, vlm, second)
            told.append(await asked(client, vlm, question))

    one, other = answers.values()
    assert [tokens for _, tokens in one] == [tokens for _, tokens in other]
    assert min(tokens for _, tokens in one) > 2 * PICTURE_TOKENS
    assert one != other


async def test_a_picture_belongs_to_the_question_that_follows_it(client: WireClient) -> None:
    """Also while another answer runs: the questions wait, each with its own picture."""
    vlm = await client.setup("vlm", VLM_SETUP | {"max_token_len": 200})
    first = await client.send(work_id=vlm, action="inference", object="vlm.utf-8", data=LONG_QUESTION)
    await show(client, vlm, RED)
    second = await client.send(work_id=vlm, action="inference", object="vlm.utf-8", data=QUESTION)
    third = await client.send(work_id=vlm, action="inference", object="vlm.utf-8", data=QUESTION)

    ends = [(await client.frames(each))[-1] for each in (first, second, third)]

    tokens = [end["data"]["usage"]["prompt_tokens"] for end in ends]
    assert tokens[1] == tokens[2] + PICTURE_TOKENS


async def test_an_llm_takes_pictures_too(client: WireClient) -> None:
    """The same program serves both."""
    llm = await client.setup("llm", VLM_SETUP | {"response_format": "llm.utf-8.stream", "input": "llm.utf-8"})
    unseen = await asked(client, llm)
    await show(client, llm, RED)

    assert (await asked(client, llm))[1] == unseen[1] + PICTURE_TOKENS


async def test_pause_work_cancel_and_exit(client: WireClient) -> None:
    """They are those of llm; taskinfo has the vlm's own names."""
    vlm = await client.setup("vlm", VLM_SETUP)
    await show(client, vlm, RED)
    codes = [(await client.ask(work_id=vlm, action=action))["error"]["code"] for action in ("pause", "work", "cancel")]
    info = await client.ask(work_id=vlm, action="taskinfo")
    tasks = await client.ask(work_id="vlm", action="taskinfo")
    seen = await asked(client, vlm)
    codes.append((await client.ask(work_id=vlm, action="exit"))["error"]["code"])

    assert codes == [0, 0, 0, 0]
    assert (info["object"], info["data"]["response_format"]) == ("vlm.taskinfo", "vlm.utf-8.stream")
    assert (tasks["object"], vlm in tasks["data"]) == ("vlm.tasklist", True)
    assert seen[1] > PICTURE_TOKENS


async def test_a_wake_ends_the_answer_and_leaves_the_picture(client: WireClient) -> None:
    """What was shown before the wake word is asked about after it; ears may be linked as to an llm."""
    kws = await client.setup("kws", KWS_SETUP)
    asr = await client.setup("asr", {"model": "unitd-asr", "response_format": "asr.utf-8", "enoutput": True})
    vlm = await client.setup("vlm", VLM_SETUP | {"max_token_len": 400, "input": ["vlm.utf-8", kws]})
    linked = await client.ask(work_id=vlm, action="link", data=asr)
    unseen = await asked(client, vlm)
    story = await client.send(work_id=vlm, action="inference", object="vlm.utf-8", data=LONG_QUESTION)
    await show(client, vlm, RED)
    await client.send(work_id=kws, action="trigger")
    frames = await client.frames(story)

    assert linked["error"]["code"] == 0
    assert frames[-1]["data"]["finish_reason"] == "interrupted"
    assert (await asked(client, vlm))[1] == unseen[1] + PICTURE_TOKENS


async def test_a_spoken_question_is_asked_about_the_picture(client: WireClient) -> None:
    """From the sound through asr and its link to the answer, which is that of the same question in writing."""
    asr = await client.setup("asr", ASR_SETUP)
    data = VLM_SETUP | {"input": ["vlm.utf-8", asr]}
    reply = await client.ask(request_id="linked", work_id="vlm", action="setup", object="vlm.setup", data=data)
    vlm = reply["work_id"]
    await show(client, vlm, RED)

    sound = {"object": "asr.wav.base64", "data": wav_of(speak("what is your name"))}
    heard = await client.ask(work_id=asr, action="inference", **sound)
    answer = await client.frames("linked")

    question = heard["data"].removesuffix(".")  # a link passes on what was said, without the full stop
    await show(client, vlm, RED)
    written = await asked(client, vlm, question)
    assert "name" in question
    assert (text_of(answer), answer[-1]["data"]["usage"]["prompt_tokens"]) == written
    assert (await asked(client, vlm, question))[1] == written[1] - PICTURE_TOKENS


# The original's clients


async def test_the_vlm_example_of_the_arduino_library(models: dict[str, Any], tmp_path: Path) -> None:
    """Over a serial line: reset, setup, a picture, a question. The library forces the name of the model."""
    main_end, line_end = pty.openpty()
    tty.setraw(main_end)
    tty.setraw(line_end)
    async with running_app(tmp_path, models | {"serial": {"device": os.ttyname(line_end)}}):
        line = await open_terminal(main_end)
        arduino = ArduinoClient(line)
        await arduino.begin()
        vlm = await arduino.set_up("vlm")
        await arduino.show(vlm, RED)
        answer = await arduino.ask(vlm, "Describe the content of the image")
        await line.close()
    os.close(main_end)
    os.close(line_end)

    assert arduino.codes == [0]
    assert answer


async def test_the_micropython_client_shows_a_picture(models: dict[str, Any], tmp_path: Path) -> None:
    """Its picture is a stream of one chunk, and has the request_id of the question."""
    async with running_app(tmp_path, models) as app, tcp_client(app) as client:
        uiflow = MicroPythonClient(client)
        await uiflow.begin()  # which ends all tasks
        vlm = await uiflow.set_up("vlm", temperature=0)
        unseen = await uiflow.ask(vlm, QUESTION)
        await uiflow.show(vlm, RED)
        seen = await uiflow.ask(vlm, QUESTION)
        await uiflow.exit(vlm)

    assert uiflow.codes == [0, 0]
    assert seen
    assert seen != unseen


async def test_a_model_with_vision_answers_for_one_that_is_not_here(client: WireClient) -> None:
    """The name of an original's vlm is served by a fetched model that can see, not by the bundled one."""
    await client.setup("vlm", VLM_SETUP | {"model": "smolvlm-256M-ax630c"})
    tasks = (await client.ask(work_id="sys", action="lstask"))["data"]

    assert [each["model"] for each in tasks] == [EYE, "smolvlm-256M-ax630c"]
    assert (await client.ask(work_id="sys", action="lsmode", data="all"))["error"]["code"] == 0


# What is refused


@pytest.mark.parametrize(
    ("fields", "picture", "code", "words"),
    [
        ({}, b"no picture at all", -11, "it is no PNG, JPEG, WebP, BMP or GIF"),
        ({}, b"", -24, "nothing to infer from"),
        ({"object": "cv.jpeg", "RAW": None, "data": "text"}, b"", -11, "travels as base64"),
        ({"object": "cv.jpeg.base64", "RAW": None, "data": "%%%"}, b"", -23, "Base64"),
    ],
)
async def test_what_is_no_picture_is_refused(
    client: WireClient, fields: dict[str, Any], picture: bytes, code: int, words: str
) -> None:
    """At once and in the request's id; the next question is asked without it."""
    vlm = await client.setup("vlm", VLM_SETUP)
    request: dict[str, Any] = {"object": "cv.jpeg.base64", "RAW": len(picture)} | fields
    given = {key: value for key, value in request.items() if value is not None}
    sent = await client.send(work_id=vlm, action="inference", **given)
    await client.send_bytes(picture)
    reply = await client.receive()

    assert (reply["request_id"], reply["error"]["code"]) == (sent, code)
    assert words in reply["error"]["message"]
    assert (await asked(client, vlm))[0]


async def test_a_model_without_vision_refuses_the_picture(client: WireClient) -> None:
    """The picture, and not the question after it."""
    vlm = await client.setup("vlm", VLM_SETUP | {"model": BLIND})
    sent = await show(client, vlm, RED)
    reply = await client.receive()

    assert (reply["request_id"], reply["error"]["code"]) == (sent, -10)
    assert f"the model {BLIND} has no vision" in reply["error"]["message"]
    assert (await asked(client, vlm))[0]


async def test_ears_take_no_pictures(client: WireClient) -> None:
    """A wake word does not take the bytes for sound."""
    kws = await client.setup("kws", KWS_SETUP | {"input": "kws.base64"})
    await show(client, kws, RED)
    reply = await client.receive()

    assert reply["error"]["code"] == -11
    assert "kws takes no pictures" in reply["error"]["message"]


async def test_a_damaged_picture_is_refused_with_its_question(client: WireClient) -> None:
    """What the first bytes do not tell is found when the picture is looked at; the task goes on."""
    vlm = await client.setup("vlm", VLM_SETUP)
    await show(client, vlm, RED[: len(RED) // 2])
    request = {"work_id": vlm, "action": "inference", "object": "vlm.utf-8", "data": QUESTION}
    (frame,) = await client.frames(await client.send(**request))

    assert frame["error"]["code"] == -11
    assert "images[0] cannot be read: it is" in frame["error"]["message"]
    assert (await asked(client, vlm))[0]
