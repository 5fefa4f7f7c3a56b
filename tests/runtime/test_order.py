"""Covers dispatcher: the order of one client's requests, their bound, and clients that send no more."""

import asyncio
from collections.abc import Mapping

import orjson
import pytest

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import tcp_client
from tests.support.setups import KWS_SETUP, LLM_SETUP
from unitd.app import App
from unitd.runtime.dispatcher import MAX_PENDING


def glued(*requests: Mapping[str, object]) -> bytes:
    """Several requests in one packet, numbered."""
    return b"".join(orjson.dumps({"request_id": str(number), **each}) for number, each in enumerate(requests))


async def test_a_pushed_file_can_be_pulled_in_the_same_packet(client: WireClient) -> None:
    """Both take a thread; the second waits for the first."""
    name = "sys.file./note"

    await client.send_bytes(
        glued(
            {"work_id": "sys", "action": "push", "object": name, "data": "hello"},
            {"work_id": "sys", "action": "pull", "object": name},
        )
    )
    pushed, pulled = [await client.receive() for _ in range(2)]

    assert (pushed["request_id"], pushed["error"]["code"]) == ("0", 0)
    assert (pulled["request_id"], pulled["data"]) == ("1", "aGVsbG8=")


async def test_setups_in_one_packet_get_their_ids_in_order(client: WireClient) -> None:
    """The llm may name the ids of the tasks before it."""
    asr = {"model": "sherpa-ncnn-streaming-zipformer-20M-2023-02-17", "response_format": "asr.utf-8", "enoutput": True}

    await client.send_bytes(
        glued(
            {"work_id": "kws", "action": "setup", "data": KWS_SETUP},
            {"work_id": "asr", "action": "setup", "data": asr | {"input": ["sys.pcm", "kws.1000"]}},
            {"work_id": "llm", "action": "setup", "data": LLM_SETUP | {"input": ["asr.1001", "kws.1000"]}},
        )
    )
    ids = [(await client.receive())["work_id"] for _ in range(3)]
    info = await client.ask(work_id="llm.1002", action="taskinfo")

    assert ids == ["kws.1000", "asr.1001", "llm.1002"]
    assert info["data"]["inputs_"] == ["asr.1001", "kws.1000"]


async def test_a_flood_of_slow_requests_is_bounded(client: WireClient) -> None:
    """What is over the bound is told so; what is under it is answered."""
    flood = [{"work_id": "sys", "action": "hwinfo"}] * (MAX_PENDING + 10)

    await client.send_bytes(glued(*flood))
    codes = [(await client.receive())["error"]["code"] for _ in flood]

    assert (codes.count(0), codes.count(-10)) == (MAX_PENDING, 10)


async def test_a_flood_of_one_client_does_not_delay_another(daemon: App, client: WireClient) -> None:
    """One measurement of the board serves all who ask for it."""
    await client.send_bytes(glued(*[{"work_id": "sys", "action": "hwinfo"}] * MAX_PENDING))

    async with tcp_client(daemon) as other, asyncio.timeout(3):
        assert await other.setup("kws", KWS_SETUP)


@pytest.mark.parametrize("action", ["ping", "hwinfo", "lsmode"])
async def test_who_sends_no_more_is_still_answered(client: WireClient, action: str) -> None:
    """`printf … | nc -N`: the reply comes, then the end."""
    await client.send_bytes(glued({"work_id": "sys", "action": action}))
    client.writer.write_eof()

    reply = await client.receive()

    assert reply["error"]["code"] == 0
    assert await client.reader.read() == b""


async def test_deep_data_is_refused_and_harms_no_child(client: WireClient) -> None:
    """What no unit could be told is no request."""
    work_id = await client.setup("llm", LLM_SETUP)
    deep = b'{"a":' * 300 + b"1" + b"}" * 300

    await client.send_bytes(b'{"request_id":"deep","work_id":"llm","action":"setup","data":' + deep + b"}")
    reply = await client.receive()

    assert (reply["request_id"], reply["error"]["code"]) == ("deep", -2)
    assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == [work_id]
    assert await client.answer(work_id, "hello")


async def test_a_huge_prompt_of_control_characters_harms_no_child(client: WireClient) -> None:
    """Six times as long in JSON, it travels as it is; it is too long for the model, and that is all."""
    work_id = await client.setup("llm", LLM_SETUP)
    header = {"RAW": 7 * 1024 * 1024, "request_id": "raw", "work_id": work_id, "action": "inference"}

    await client.send_bytes(orjson.dumps(header | {"object": "llm.utf-8"}) + b"\x01" * (7 * 1024 * 1024))
    (end,) = await client.frames("raw")

    assert end["error"]["code"] == -11
    assert await client.answer(work_id, "hello")


async def test_warm_then_a_question_can_be_paused_and_ended(client: WireClient) -> None:
    """The question replaces the reading ahead; pause and exit reach it."""
    work_id = await client.setup("llm", LLM_SETUP, prompt="You are kind. " * 150)

    await client.send_bytes(
        glued(
            {"work_id": work_id, "action": "warm"},
            {"work_id": work_id, "action": "inference", "object": "llm.utf-8", "data": "tell me a very long story"},
        )
    )
    warmed = await client.receive()
    paused = await client.ask(work_id=work_id, action="pause")
    pong = await client.send(work_id="sys", action="ping")
    silent = await client.receive()
    await client.send(request_id="bye", work_id=work_id, action="exit")

    assert (warmed["request_id"], paused["error"]["code"], silent["request_id"]) == ("0", 0, pong)
    assert (await client.frames("1"))[-1]["data"]["finish"]
    assert (await client.receive())["request_id"] == "bye"


async def test_a_refused_prompt_keeps_the_conversation(client: WireClient) -> None:
    """What is too long is forgotten, not what was said before."""
    work_id = await client.setup("llm", LLM_SETUP, history=True, usage=True)
    await client.answer(work_id, "hello")
    await client.frames(await client.infer(work_id, "far too long " * 3000))

    frames = await client.frames(await client.infer(work_id, "hello"))
    alone = await client.setup("llm", LLM_SETUP, usage=True)
    without = await client.frames(await client.infer(alone, "hello"))

    prompt_tokens = [each[-1]["data"]["usage"]["prompt_tokens"] for each in (frames, without)]
    assert prompt_tokens[0] > prompt_tokens[1]


async def test_a_message_quotes_only_the_beginning(client: WireClient) -> None:
    """A serial line has better things to carry than two megabytes of somebody's mistake."""
    reply = await client.ask(work_id="llm", action="x" * 100_000)

    assert reply["error"]["code"] == -18
    assert len(reply["error"]["message"]) < 1000


async def test_a_pulled_file_arrives_whole_at_a_slow_reader(daemon: App, client: WireClient) -> None:
    """Frames are sent no faster than they are read."""
    await client.ask(work_id="sys", action="push", object="sys.file./big", data="x" * 6_000_000)
    slow = WireClient(*await asyncio.open_connection(*daemon.endpoints["tcp"], limit=4096))

    frames = await slow.frames(await slow.send(work_id="sys", action="pull", object="sys.stream.file./big"))

    assert len(text_of(frames)) == 8_000_000
    await slow.close()
