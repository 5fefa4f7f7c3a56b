"""Covers how long one client can keep the event loop from all others: talk, small_reads, and what they feed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import orjson
import pytest
from websockets.asyncio.client import connect

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from unitd.app import App
from unitd.core.tasks.kinds import MAX_INPUTS
from unitd.doors.http import door
from unitd.doors.wyoming import door as wyoming_door
from unitd.wire.session import MAX_MESSAGE_OBJECTS

# The daemon imports these with its first door; here they come first, for the guard against blocking calls.
assert door and wyoming_door

# Of the processor, in one turn of the loop with everything that is in it: this test's own clients too.
LONGEST_SECONDS = 0.1


class Turns:
    """The longest turn of the event loop."""

    longest = 0.0

    async def watch(self) -> None:
        """Looks at every turn, until it is cancelled."""
        while True:
            began = time.thread_time()
            await asyncio.sleep(0)
            self.longest = max(self.longest, time.thread_time() - began)


@asynccontextmanager
async def watched() -> AsyncIterator[Turns]:
    """Measures every turn while the block runs, without the checks that asyncio makes in tests."""
    loop, turns = asyncio.get_running_loop(), Turns()
    loop.set_debug(False)
    watching = asyncio.create_task(turns.watch())
    try:
        yield turns
    finally:
        watching.cancel()
        loop.set_debug(True)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon with its HTTP door open."""
    settings = {"http": {"enabled": True}, "wyoming": {"port": 0}}
    async with running_app(tmp_path, settings, argv_for=bad_unit()) as app:
        yield app


async def flooded(app: App, flood: bytes, count: int) -> None:
    """Sends bytes while so many lines are read."""
    reader, writer = await asyncio.open_connection(*app.endpoints["tcp"])
    writer.write(flood)
    lines = 0
    async with asyncio.timeout(30):
        while lines < count:
            lines += (await reader.read(65536)).count(b"\n")
    writer.close()
    await writer.wait_closed()


# TCP


@pytest.mark.parametrize(
    ("flood", "replies"),
    [
        (b"{}" * 20_000, 20_000),
        (b"{\n" * 20_000, 19_999),
        (b'{"request_id":"1","work_id":"sys","action":"ping"}' * 10_000, 10_000),
        (b'{"data":[' + b"1," * 1_000_000 + b"1]}", 1),
        (b'{"data":[' + b"{}," * 300_000 + b"1]}", 1),
        (b'{"data":{' + b",".join(b'"%d":1' % each for each in range(200_000)) + b"}}", 1),
    ],
    ids=["empty objects", "open braces", "requests", "numbers", "objects in a list", "keys"],
)
async def test_a_flood_lets_others_in_between(app: App, flood: bytes, replies: int) -> None:
    """Everything in it is answered, and no turn of the loop is long."""
    async with watched() as turns:
        await flooded(app, flood, replies)

    assert turns.longest < LONGEST_SECONDS


async def test_requests_keep_their_order_over_many_turns(app: App) -> None:
    """What waits for the next turn comes before what is read then."""
    reader, writer = await asyncio.open_connection(*app.endpoints["tcp"])
    pings = [{"request_id": str(each), "work_id": "sys", "action": "ping"} for each in range(5000)]
    writer.write(b"".join(map(orjson.dumps, pings)))
    answered = [orjson.loads(await reader.readline())["request_id"] for _ in pings]
    writer.close()
    await writer.wait_closed()

    assert answered == [each["request_id"] for each in pings]


async def test_an_object_of_too_many_values_is_refused_and_the_next_is_served(client: WireClient) -> None:
    """One -2, however it is cut."""
    await client.send_bytes(b'{"request_id":"1","data":[' + b'"a",' * 100_000 + b"1]}")
    refusal = await client.receive()

    assert (refusal["error"]["code"], refusal["request_id"]) == (-2, "0")
    assert "values" in refusal["error"]["message"]
    assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0


# Names and inputs


@pytest.mark.parametrize("field", ["request_id", "work_id"])
@pytest.mark.parametrize("name", ["x" * 257, "é" * 129, "R" * 1_000_000], ids=["bytes", "letters", "a megabyte"])
async def test_a_name_that_is_too_long_is_not_said_back(client: WireClient, field: str, name: str) -> None:
    """The error stands under "0" or sys."""
    request = {"request_id": "1", "work_id": "sys", "action": "ping"} | {field: name}
    await client.send_bytes(orjson.dumps(request))
    refusal = await client.receive()

    assert refusal["error"] == {"code": -2, "message": f"json format error: {field} may have 256 bytes"}
    assert refusal[field] == {"request_id": "0", "work_id": "sys"}[field]


async def test_a_name_of_256_bytes_is_said_back(client: WireClient) -> None:
    """The limit itself is allowed."""
    assert (await client.ask(request_id="é" * 128, work_id="sys", action="ping"))["error"]["code"] == 0


async def test_a_setup_names_at_most_so_many_inputs(client: WireClient) -> None:
    """More are refused at once, in words that name the limit."""
    inputs = [f"{each:x}" for each in range(20_000)]
    async with watched() as turns:
        reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"input": inputs})

    assert (reply["error"]["code"], reply["work_id"]) == (-5, "llm")
    assert reply["error"]["message"].endswith(f"input may name {MAX_INPUTS} sources, it names 20000")
    assert turns.longest < LONGEST_SECONDS


async def test_inputs_that_mean_nothing_are_left_out_with_one_line(
    client: WireClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Tasks that are not there, other forms, and megabytes alike."""
    unknown = ["kws." + "1" * 1_000_000, "anything", *(f"kws.{each}" for each in range(MAX_INPUTS - 3))]
    work_id = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", *unknown])
    info = await client.ask(work_id=work_id, action="taskinfo")

    assert info["data"]["inputs_"] == ["llm.utf-8"]
    (line,) = [each.getMessage() for each in caplog.records if "left out" in each.getMessage()]
    assert f"and {len(unknown) - 4} more" in line
    assert len(line) < 500


async def test_links_are_as_many_as_inputs(client: WireClient) -> None:
    """-20; those that are there stay."""
    work_id = await client.setup("llm", LLM_SETUP, input=[f"llm.form{each}" for each in range(MAX_INPUTS)])
    refused = await client.ask(work_id=work_id, action="link", data="llm.one.more")
    info = await client.ask(work_id=work_id, action="taskinfo")

    assert refused["error"]["code"] == -20
    assert len(info["data"]["inputs_"]) == MAX_INPUTS


@pytest.mark.parametrize("key", ["model", "response_format"])
async def test_a_setup_value_that_is_said_back_is_short(client: WireClient, key: str) -> None:
    """It would stand in every frame, or in every list of tasks."""
    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {key: "llm." + "x" * 1_000_000})

    assert (reply["error"]["code"], reply["work_id"]) == (-5, "llm")
    assert reply["error"]["message"] == f"Model loading failed. {key} may have 256 bytes"


# HTTP


BODIES: dict[str, bytes] = {
    "messages": b'{"messages":[' + b'{"role":"user","content":""},' * 30_000 + b'{"role":"user","content":"x"}]}',
    "stops": b'{"messages":[{"role":"user","content":"x"}],"stop":[' + b"1," * 500_000 + b"1]}",
    "parts": b'{"messages":[{"role":"user","content":[' + b'{"type":"text","text":"a"},' * 40_000 + b"{}]}]}",
    "book": orjson.dumps({"messages": [{"role": "user", "content": "a, " * 3_000_000}]}),
}


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions", "/v1/audio/speech", "/api/chat"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_a_body_that_would_take_long_is_refused(app: App, path: str, body: bytes) -> None:
    """400, in words that name the limit."""
    host, port = app.endpoints["http"]
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as http, watched() as turns:
        answer = await http.post(path, content=body)

    assert answer.status_code == 400
    assert "it may h" in answer.text
    assert turns.longest < LONGEST_SECONDS


async def test_a_body_in_small_chunks_lets_others_in_between(app: App) -> None:
    """Each of them is looked at on its own."""
    host, port = app.endpoints["http"]
    head = f"POST /api/chat HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    async with watched() as turns:
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(head.encode() + b"1\r\na\r\n" * 40_000 + b"0\r\n\r\n")
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert turns.longest < LONGEST_SECONDS


async def test_a_message_holds_few_objects(app: App) -> None:
    """The first are answered, the rest is refused as a whole, and the next message is served."""
    host, port = app.endpoints["http"]
    async with connect(f"ws://{host}:{port}/ws/units") as ws:
        await ws.send('{"request_id":"1","work_id":"sys","action":"ping"}' * (MAX_MESSAGE_OBJECTS + 500))
        codes = [orjson.loads(await ws.recv())["error"]["code"] for _ in range(MAX_MESSAGE_OBJECTS + 1)]
        await ws.send('{"request_id":"2","work_id":"sys","action":"ping"}\n' * MAX_MESSAGE_OBJECTS)
        next_codes = [orjson.loads(await ws.recv())["error"]["code"] for _ in range(MAX_MESSAGE_OBJECTS)]

    assert codes == [0] * MAX_MESSAGE_OBJECTS + [-2]
    assert next_codes == [0] * MAX_MESSAGE_OBJECTS


@pytest.mark.parametrize("path", ["/ws", "/ws/chat", "/ws/units"])
@pytest.mark.parametrize("message", ["[" + "1," * 500_000 + "1]", '{"a":[' + "{}," * 2_500_000 + "1]}"], ids="[{")
async def test_a_message_that_would_take_long_is_refused(app: App, path: str, message: str) -> None:
    """As one that means nothing, in the dialect's own words."""
    host, port = app.endpoints["http"]
    # To compress it would be work of this test in the same loop.
    async with connect(f"ws://{host}:{port}{path}", compression=None) as ws, watched() as turns:
        await ws.send(message)
        answer = await ws.recv()

    assert "error" in str(answer)
    assert turns.longest < LONGEST_SECONDS


# Wyoming


async def test_a_flood_of_events_lets_others_in_between(app: App) -> None:
    """Each is answered, and others have their turn after each."""
    count = 10_000
    async with watched() as turns:
        reader, writer = await asyncio.open_connection(*app.endpoints["wyoming"])
        writer.write(b'{"type":"ping"}\n' * count)
        answered = b""
        async with asyncio.timeout(20):
            while answered.count(b'"pong"') < count:
                answered += await reader.read(1_000_000)
        writer.close()
        await writer.wait_closed()

    assert turns.longest < LONGEST_SECONDS


async def test_an_event_of_much_data_ends_its_connection(app: App) -> None:
    """Sound may be long, what is said about it is not."""
    data = b'{"a":[' + b"1," * 1_000_000 + b"1]}"
    async with watched() as turns:
        reader, writer = await asyncio.open_connection(*app.endpoints["wyoming"])
        writer.write(b'{"type":"describe","data_length":%d}\n' % len(data) + data)
        with suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()
        with suppress(ConnectionResetError):
            await writer.wait_closed()

    assert turns.longest < LONGEST_SECONDS
