"""The llm unit's document, request by request, over TCP and over a pseudo-terminal, whole and mangled.

Every request below is the document's; ids that the daemon gives are put in. Every expected reply is the document's,
with the time and the generated text left out.
"""

import asyncio
import os
import pty
import tty
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient, open_terminal
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import KWS_SETUP
from unitd.app import unit_argv

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETUP: dict[str, Any] = {
    "request_id": "2",
    "work_id": "llm",
    "action": "setup",
    "object": "llm.setup",
    "data": {
        "model": "qwen2.5-0.5B-prefill-20e",
        "response_format": "llm.utf-8.stream",
        "input": "llm.utf-8",
        "enoutput": True,
        "max_token_len": 256,
        "prompt": "You are a knowledgeable assistant capable of answering various questions and providing information.",
    },
}
NO_ERROR = {"code": 0, "message": ""}


def plain_answer(request_id: str, work_id: str) -> dict[str, Any]:
    """The document's answer to everything but inference and taskinfo."""
    return {"data": "None", "error": NO_ERROR, "object": "None", "request_id": request_id, "work_id": work_id}


def without_time(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, its creation time checked and taken out."""
    created = reply.pop("created")
    assert type(created) is int
    return reply


Mangle = Callable[[bytes], Iterator[bytes]]


def whole(request: bytes) -> Iterator[bytes]:
    yield request


def single_bytes(request: bytes) -> Iterator[bytes]:
    yield from (request[at : at + 1] for at in range(len(request)))


def behind_garbage(request: bytes) -> Iterator[bytes]:
    yield b"\r\n\x00noise \xff\xfe ]]\"'\r\n" + request + b"\r\n more noise"


def pretty_printed(request: bytes) -> Iterator[bytes]:
    yield orjson.dumps(orjson.loads(request), option=orjson.OPT_INDENT_2) + b"\r\n"


def reversed_keys(request: bytes) -> Iterator[bytes]:
    yield orjson.dumps(dict(reversed(orjson.loads(request).items())))


class Talker:
    """A client that sends every request in one mangled way."""

    def __init__(self, client: WireClient, mangle: Mangle) -> None:
        self.client = client
        self._mangle = mangle

    async def say(self, request: dict[str, Any]) -> None:
        """Sends one request."""
        for piece in self._mangle(orjson.dumps(request)):
            await self.client.send_bytes(piece)

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sends one request; returns the next line without its time."""
        await self.say(request)
        return without_time(await self.client.receive())


def argv_for(unit: str) -> Sequence[str]:
    """The llm is real; kws and asr are only there to be linked to."""
    return unit_argv(unit) if unit == "llm" else bad_unit()(unit)


@pytest_asyncio.fixture(params=["tcp", "terminal"], scope="module", loop_scope="module")
async def shared_line(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[WireClient]:
    """A client on each kind of line, of a daemon with kws.1000, asr.1001 and llm.1002 set up."""
    main_end, line_end = pty.openpty()
    tty.setraw(main_end)
    tty.setraw(line_end)
    async with AsyncExitStack() as stack:
        stack.callback(os.close, main_end)
        stack.callback(os.close, line_end)
        serial = {"serial": {"device": os.ttyname(line_end)}}
        app = await stack.enter_async_context(running_app(tmp_path_factory.mktemp("board"), serial, argv_for))
        if request.param == "tcp":
            client = await stack.enter_async_context(tcp_client(app))
        else:
            client = await open_terminal(main_end)
            stack.push_async_callback(client.close)
        assert await client.setup("kws", KWS_SETUP) == "kws.1000"
        assert await client.setup("asr", ASR_SETUP) == "asr.1001"
        assert await client.setup("llm", SETUP["data"]) == "llm.1002"
        stack.enter_context(kept_children())
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def line(shared_line: WireClient) -> AsyncIterator[WireClient]:
    """That client; the tasks that a test sets up end with it."""
    yield shared_line
    tasks = await shared_line.ask(work_id="llm", action="taskinfo")
    for work_id in tasks["data"]:
        if work_id != "llm.1002":
            await shared_line.ask(work_id=work_id, action="exit")


@pytest_asyncio.fixture(loop_scope="module")
async def llm(line: WireClient) -> str:
    """The id of the llm task that is set up next: numbers rise by one, and none is given twice."""
    last = await line.setup("kws", KWS_SETUP)
    await line.ask(work_id=last, action="exit")
    return f"llm.{int(last.removeprefix('kws.')) + 1}"


ASR_SETUP = {
    "model": "sherpa-ncnn-streaming-zipformer-20M-2023-02-17",
    "response_format": "asr.utf-8.stream",
    "input": ["sys.pcm", "kws.1000"],
    "enoutput": True,
}


@pytest.fixture(params=[whole, single_bytes, behind_garbage, pretty_printed, reversed_keys])
def talker(request: pytest.FixtureRequest, line: WireClient) -> Talker:
    """That client, mangling what it sends."""
    return Talker(line, request.param)


async def test_every_request_of_the_document_gets_its_reply(talker: Talker, llm: str) -> None:
    """Setup, the other actions and taskinfo answer with exactly the document's keys, types and values."""
    assert await talker.ask(SETUP) == plain_answer("2", llm)

    for request_id, action in (("3", "link"), ("4", "unlink")):
        request = {"request_id": request_id, "work_id": llm, "action": action, "object": "work_id"}
        assert await talker.ask(request | {"data": "kws.1000"}) == plain_answer(request_id, llm)

    for request_id, action in (("5", "pause"), ("6", "work")):
        request = {"request_id": request_id, "work_id": llm, "action": action}
        assert await talker.ask(request) == plain_answer(request_id, llm)

    assert await talker.ask({"request_id": "2", "work_id": "llm", "action": "taskinfo"}) == {
        "data": ["llm.1002", llm],
        "error": NO_ERROR,
        "object": "llm.tasklist",
        "request_id": "2",
        "work_id": "llm",
    }
    assert await talker.ask({"request_id": "2", "work_id": llm, "action": "taskinfo"}) == {
        "data": {
            "enoutput": True,
            "inputs_": ["llm.utf-8"],
            "model": "qwen2.5-0.5B-prefill-20e",
            "response_format": "llm.utf-8.stream",
        },
        "error": NO_ERROR,
        "object": "llm.taskinfo",
        "request_id": "2",
        "work_id": llm,
    }
    exit_request = {"request_id": "7", "work_id": llm, "action": "exit"}
    assert await talker.ask(exit_request) == plain_answer("7", llm)


STREAMED = {"delta": "What's ur name?", "index": 0, "finish": True}


@pytest.mark.parametrize(
    ("object_", "data"), [("llm.utf-8.stream", STREAMED), ("llm.utf-8", "What's ur name?")], ids=["stream", "whole"]
)
async def test_a_streamed_answer_has_the_documents_frames(talker: Talker, llm: str, object_: str, data: Any) -> None:
    """Both forms of input give deltas with rising index and one empty last frame."""
    await talker.ask(SETUP)

    await talker.say({"request_id": "2", "work_id": llm, "action": "inference", "object": object_, "data": data})
    frames = [without_time(frame) for frame in await talker.client.frames("2")]

    last = len(frames) - 1
    assert last > 0
    for index, frame in enumerate(frames):
        delta = frame["data"]["delta"]
        assert bool(delta) is (index < last)
        assert frame == {
            "data": {"delta": delta, "finish": index == last, "index": index},
            "error": NO_ERROR,
            "object": "llm.utf-8.stream",
            "request_id": "2",
            "work_id": llm,
        }


@pytest.mark.parametrize(
    ("object_", "data"), [("llm.utf-8.stream", STREAMED), ("llm.utf-8", "What's ur name?")], ids=["stream", "whole"]
)
async def test_a_non_streamed_answer_is_one_frame(talker: Talker, llm: str, object_: str, data: Any) -> None:
    """With response_format llm.utf-8 the whole text comes at once."""
    await talker.ask(SETUP | {"data": SETUP["data"] | {"response_format": "llm.utf-8"}})

    request = {"request_id": "2", "work_id": llm, "action": "inference", "object": object_, "data": data}
    reply = await talker.ask(request)

    text = reply.pop("data")
    assert isinstance(text, str)
    assert text
    assert reply == {"error": NO_ERROR, "object": "llm.utf-8", "request_id": "2", "work_id": llm}


async def test_links_at_setup_are_taken_over(talker: Talker, llm: str) -> None:
    """The document's second setup names its links in `input`."""
    setup = SETUP | {"data": SETUP["data"] | {"input": ["llm.utf-8", "asr.1001", "kws.1000"]}}

    assert await talker.ask(setup) == plain_answer("2", llm)
    info = await talker.ask({"request_id": "9", "work_id": llm, "action": "taskinfo"})

    assert info["data"]["inputs_"] == ["llm.utf-8", "asr.1001", "kws.1000"]


async def test_glued_requests_are_answered_one_by_one(line: WireClient) -> None:
    """No delimiter is needed between neighbours."""
    requests = [{"request_id": str(n), "work_id": "sys", "action": "ping"} for n in range(5)]

    await line.send_bytes(b"".join(map(orjson.dumps, requests)))
    replies = [without_time(await line.receive()) for _ in requests]

    assert replies == [plain_answer(str(n), "sys") for n in range(5)]


async def test_braces_quotes_and_emoji_pass_through_strings(line: WireClient) -> None:
    """What the original trips over comes back as it was sent, though it arrives byte by byte."""
    odd = 'a } lone { brace, a "quote" \\ and a 🦊'
    request = orjson.dumps({"request_id": odd, "work_id": "sys", "action": "ping"})

    for piece in single_bytes(request):
        await line.send_bytes(piece)
    reply = await line.receive()

    assert reply["request_id"] == odd


async def test_a_raw_frame_is_text_too(line: WireClient) -> None:
    """`{"RAW":n}` and n bytes carry a question; the next request may follow at once."""
    work_id = await line.setup("llm", SETUP["data"])
    question = "hello 🦊".encode()
    header = {"RAW": len(question), "request_id": "r", "work_id": work_id, "action": "inference"}

    await line.send_bytes(orjson.dumps(header | {"object": "llm.utf-8.base64"}) + question + b"\n")
    frames = await line.frames("r")

    assert frames[-1]["data"]["finish"]
    assert (await line.ask(work_id="sys", action="ping"))["error"] == NO_ERROR


async def test_base64_and_chunks_give_the_same_answer(line: WireClient) -> None:
    """Streamed, base64 and streamed base64 input are the same question."""
    work_id = await line.setup("llm", SETUP["data"] | {"temperature": 0})
    plain = await line.answer(work_id, "What is unitd?")
    chunks = ["V2hhdCBpcyB1b", "ml0ZD8="]

    for index, chunk in enumerate(chunks):
        data = {"delta": chunk, "index": index, "finish": index == 1}
        await line.send(
            request_id="b", work_id=work_id, action="inference", object="llm.utf-8.stream.base64", data=data
        )
    streamed = "".join(frame["data"]["delta"] for frame in await line.frames("b"))

    assert streamed == plain


async def test_a_terminal_line_holds_neither_braces_in_strings_nor_other_than_ascii(tmp_path: Path) -> None:
    """The Arduino client counts braces, the MicroPython one cuts characters: both read this."""
    main_end, line_end = pty.openpty()
    tty.setraw(main_end)
    tty.setraw(line_end)
    async with running_app(tmp_path, {"serial": {"device": os.ttyname(line_end)}}):
        client = await open_terminal(main_end)

        await client.send(request_id="{🦊}", work_id="sys", action="ping")
        async with asyncio.timeout(5):
            received = await client.reader.readline()

        assert b'"\\u007b\\ud83e\\udd8a\\u007d"' in received
        await client.close()
    os.close(main_end)
    os.close(line_end)
