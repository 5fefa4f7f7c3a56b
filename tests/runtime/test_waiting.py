"""Covers waiting: how many bytes of requests one client may have in hand, in the daemon and in unit programs."""

import base64
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.pictures import file_of, square
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from unitd.app import App
from unitd.doors.http import door

assert door  # the daemon imports it with its first door; here it comes first, for the guard against blocking calls

LIMIT = 1024 * 1024
ASR = {"model": "unitd-asr", "response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}
PROMPT = "word " * 60_000  # 300,000 bytes: three of them fit


@pytest.fixture
async def gate(tmp_path: Path) -> Path:
    """The file that lets programs get ready."""
    return tmp_path / "gate"


@pytest.fixture
async def app(tmp_path: Path, gate: Path) -> AsyncIterator[App]:
    """A daemon whose asr program is not ready before the gate is open."""
    settings: dict[str, Any] = {"http": {"enabled": True}, "limits": {"waiting_bytes": LIMIT}}
    async with running_app(tmp_path / "state", settings, argv_for=bad_unit(asr="gated", gate=gate)) as app:
        yield app


@pytest.fixture
async def client(app: App) -> AsyncIterator[WireClient]:
    """Somebody who asks for much."""
    async with tcp_client(app) as client:
        yield client


async def paused(client: WireClient) -> str:
    """A task with a long queue in which everything waits."""
    work_id = await client.setup("llm", LLM_SETUP, queue=1000)
    await client.ask(work_id=work_id, action="pause")
    return work_id


async def refusals(client: WireClient, work_id: str, *prompts: dict[str, Any]) -> list[int]:
    """The codes of the errors that prompts get at once."""
    for each in prompts:
        await client.send(**{"work_id": work_id, "action": "inference", "object": "llm.utf-8"} | each)
    pong = await client.send(work_id="sys", action="ping")
    codes = []
    while (reply := await client.receive())["request_id"] != pong:
        codes.append(reply["error"]["code"])
    return codes


@pytest.mark.parametrize(
    "prompt",
    [
        {"data": PROMPT},
        {"options": {"messages": [{"role": "user", "content": PROMPT}]}},
        {"data": base64.b64encode(PROMPT.encode()).decode(), "object": "llm.base64"},
    ],
    ids=["a text", "messages", "bytes"],
)
async def test_prompts_wait_up_to_the_limit(client: WireClient, prompt: dict[str, Any]) -> None:
    """Further ones are refused in words that name the limit; small ones still fit."""
    work_id = await paused(client)

    assert await refusals(client, work_id, *[prompt] * 5) == [-10, -10]
    assert await refusals(client, work_id, {"data": "hello"}) == []


async def test_the_tasks_of_a_client_share_its_limit(client: WireClient) -> None:
    """It can make many."""
    first, second = await paused(client), await paused(client)

    assert await refusals(client, first, *[{"data": PROMPT}] * 2) == []
    assert await refusals(client, second, *[{"data": PROMPT}] * 2) == [-10]


async def test_another_client_has_a_limit_of_its_own(app: App, client: WireClient) -> None:
    """Also at the same task."""
    work_id = await paused(client)
    assert await refusals(client, work_id, *[{"data": PROMPT}] * 4) == [-10]

    async with tcp_client(app) as other:
        assert await refusals(other, work_id, *[{"data": PROMPT}] * 3) == []


async def test_what_a_program_has_got_counts_until_it_is_answered(client: WireClient) -> None:
    """A running inference waits there for its slot, or is held."""
    work_id = await client.setup("llm", LLM_SETUP, queue=1000)
    running = await client.send(work_id=work_id, action="inference", object="llm.utf-8", data="linger " + PROMPT)
    assert await refusals(client, work_id, *[{"data": PROMPT}] * 3) == [-10]

    await client.ask(work_id=work_id, action="cancel")
    assert await refusals(client, work_id, {"data": "linger " + PROMPT}, *[{"data": PROMPT}] * 3) == [-10]
    assert running


ENDINGS: dict[str, Callable[[WireClient, str], Any]] = {
    "cancel": lambda client, work_id: client.ask(work_id=work_id, action="cancel"),
    "exit": lambda client, work_id: client.ask(work_id=work_id, action="exit"),
    "reset": lambda client, work_id: client.ask(work_id="sys", action="reset"),
}


@pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS)
async def test_what_has_ended_counts_no_more(client: WireClient, end: Callable[[WireClient, str], Any]) -> None:
    """An inference stops counting however it ended."""
    work_id = await paused(client)
    assert await refusals(client, work_id, *[{"data": PROMPT}] * 4) == [-10]

    await end(client, work_id)

    assert await refusals(client, await paused(client), *[{"data": PROMPT}] * 4) == [-10]


async def test_requests_in_hand_count(client: WireClient, gate: Path) -> None:
    """Pushes wait behind a setup that waits for its model."""
    setup = await client.send(work_id="asr", action="setup", data=ASR)
    pushes = [
        await client.send(work_id="sys", action="push", object=f"sys.file./{name}", data=PROMPT) for name in "abcde"
    ]
    refused = {(reply := await client.receive())["request_id"]: reply["error"]["code"] for _ in range(2)}
    gate.touch()
    done = {(reply := await client.receive())["request_id"]: reply["error"]["code"] for _ in range(4)}

    assert refused == dict.fromkeys(pushes[3:], -10)
    assert done == dict.fromkeys([setup, *pushes[:3]], 0)


async def test_sound_that_is_to_be_heard_does_not_count(client: WireClient, gate: Path) -> None:
    """A recording may be longer; who sends it waits until there is room for more."""
    gate.touch()
    work_id = await client.setup("asr", ASR)
    recording = {"object": "asr.base64", "data": base64.b64encode(bytes(3 * LIMIT)).decode()}

    assert -10 not in await refusals(client, work_id, recording)


async def test_requests_of_http_share_the_limit_of_their_address(app: App, client: WireClient) -> None:
    """429, while a client of TCP has its own."""
    host, port = app.endpoints["http"]
    async with httpx.AsyncClient(base_url=f"http://{host}:{port}") as http:
        answer = await http.post("/v1/completions", json={"model": "default", "prompt": [PROMPT] * 4})

    assert answer.status_code == 429
    assert "of earlier requests wait" in answer.json()["error"]["message"]
    assert await refusals(client, await paused(client), *[{"data": PROMPT}] * 3) == []


@pytest.mark.timeout(60)
async def test_the_largest_request_that_may_wait_is_read(tmp_path: Path) -> None:
    """A picture of 28 MiB as base64 is decoded and described; its JSON takes many times as much memory."""
    limits = {"frame_bytes": 32 * 1024 * 1024, "waiting_bytes": 32 * 1024 * 1024}
    picture = base64.b64encode(file_of(square("red")) + bytes(21 * 1024 * 1024)).decode()
    async with running_app(tmp_path / "state", {"limits": limits}) as app, tcp_client(app) as client:
        task = await client.setup("llm", LLM_SETUP)
        options = {"images": [{"image": picture}]}
        answers = [
            await client.ask(work_id=task, action="inference", object="llm.utf-8", data="hi", options=options)
            for _ in range(3)
        ]

    assert [each["error"]["code"] for each in answers] == [0, 0, 0]
