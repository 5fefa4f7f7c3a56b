"""What clients can learn of each other, and take from each other: one token is one owner, this machine another."""

import asyncio
import importlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from websockets.asyncio.client import connect

from tests.runtime.children.conftest import becomes
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import KWS_SETUP, LLM_SETUP, LONG_QUESTION
from tests.support.tokens import NO_TRUST, asking_app, client_with, show, write_tokens
from tests.support.units.voice_host import tone
from tests.support.units.voice_setups import ask_audio, wav_of
from tests.support.waiting import MS
from unitd.app import App
from unitd.core.access.grants import Role

# The daemon imports it when it opens the door; here it comes first, for the guard against blocking calls.
importlib.import_module("unitd.doors.http.door")

TWO = {"anna": Role.USE, "ben": Role.USE}
ENDLESS = LLM_SETUP | {"max_token_len": 4000, "end_bias": -100}


# An engine's time


async def test_a_newcomer_does_not_wait_for_many_long_answers(tmp_path: Path) -> None:
    """Six clients have two slots and would keep them for a minute; "hello" is answered within two seconds."""
    async with running_app(tmp_path, {"llm": {"slots": 2}}) as app, asyncio.TaskGroup() as group:
        hogs = [await group.create_task(begin(app)) for _ in range(6)]
        async with tcp_client(app) as client:
            task = await client.setup("llm", LLM_SETUP)

            async with asyncio.timeout(2000 * MS):
                frames = await client.frames(await client.infer(task, "hello"))

        said = [await hog.receive() for hog in hogs]
        for hog in hogs:
            await hog.close()
    assert frames[-1]["data"]["finish"]
    assert not any(frame["data"]["finish"] for frame in said)


async def begin(app: App) -> WireClient:
    """A client whose answer has begun."""
    reader, writer = await asyncio.open_connection(*app.endpoints["tcp"])
    client = WireClient(reader, writer)
    await client.infer(await client.setup("llm", ENDLESS), LONG_QUESTION)
    return client


# Whose words


async def whose(client: WireClient, **setup: str) -> list[str]:
    """What a unit program is told: the client, the owner, and whether the prompt is the board's own."""
    task = await client.setup("llm", LLM_SETUP, **setup)
    return (await client.answer(task, "whose")).split(" ")


async def test_a_program_is_told_who_is_one_and_not_who_it_is(tmp_path: Path) -> None:
    """A token's connections are one owner and several clients; neither name nor token is passed on."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        running_app(tmp_path, NO_TRUST, argv_for=bad_unit()) as app,
        client_with(app, tokens["anna"]) as one,
        client_with(app, tokens["anna"]) as other,
        client_with(app, tokens["ben"]) as ben,
    ):
        first, second, his = [await whose(each) for each in (one, other, ben)]

    assert first[1] == second[1] != his[1]
    assert len({first[0], second[0], his[0]}) == 3
    assert not any("anna" in word or tokens["anna"] in word for word in first)


async def test_this_machine_is_one_owner(tmp_path: Path) -> None:
    """Programs of this machine share the prompts that were read, as without tokens."""
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as one, tcp_client(app) as other:
        first, second = await whose(one), await whose(other)

    assert first[1] == second[1] == ""
    assert first[0] != second[0]


async def test_a_prompt_that_nobody_made_up_is_the_board_s(tmp_path: Path) -> None:
    """A client's own words are its own."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        running_app(tmp_path, NO_TRUST, argv_for=bad_unit()) as app,
        client_with(app, tokens["anna"]) as anna,
    ):
        assert (await whose(anna))[2] == "private"
        assert (await whose(anna, prompt=""))[2] == "public"
        assert (await whose(anna, prompt="", system_prompt="I am Anna."))[2] == "private"


async def test_http_requests_of_one_address_are_one_client(tmp_path: Path) -> None:
    """Each is a connection of its own, perhaps, but it is the same program that asks."""
    document = {"http": {"enabled": True}}
    async with running_app(tmp_path, document, argv_for=bad_unit()) as app, httpx.AsyncClient() as http:
        host, port = app.endpoints["http"]
        body = {"model": "default", "messages": [{"role": "user", "content": "whose"}], "prompt": "whose"}
        answers = [await http.post(f"http://{host}:{port}/v1/completions", json=body) for _ in range(2)]

    first, second = [each.json()["choices"][0]["text"].split(" ")[0] for each in answers]
    assert first == second != ""


# The loudspeaker


async def test_what_others_play_is_not_there_for_a_token(tmp_path: Path) -> None:
    """It neither stops nor replaces it, and is not told of it; an administrator's word ends all."""
    tokens = write_tokens(tmp_path, TWO | {"root": Role.ADMIN})
    sound = {"object": "audio.wav.base64", "data": wav_of(tone(60))}
    async with (
        asking_app(tmp_path, audio={"playback": f"file:{tmp_path}/out.wav"}) as app,
        client_with(app, tokens["anna"]) as anna,
        client_with(app, tokens["ben"]) as ben,
        client_with(app, tokens["root"]) as root,
    ):
        await ask_audio(anna, "play", **sound)
        told = [await queued(each) for each in (ben, root)]
        await ask_audio(ben, "play", **sound)
        await ask_audio(ben, "play", **sound)
        await ask_audio(ben, "play_stop")
        left = [await queued(each) for each in (anna, ben)]
        await ask_audio(root, "play_stop")

        assert told[0] == 0 < 50 < told[1]
        assert left[1] == 0 < 50 < left[0]
        assert [await queued(each) for each in (anna, root)] == [0, 0]


async def queued(client: WireClient) -> float:
    """Seconds that wait for the loudspeaker, as a client is told."""
    return float((await ask_audio(client, "audio_status"))["data"]["queued_seconds"])


async def test_the_board_s_volumes_are_for_administrators(tmp_path: Path) -> None:
    """Else a token would mute another one's answers. What the original's clients send changes nothing anyway."""
    tokens = write_tokens(tmp_path, TWO | {"root": Role.ADMIN})
    async with (
        asking_app(tmp_path, audio={"playback": f"file:{tmp_path}/out.wav"}) as app,
        client_with(app, tokens["ben"]) as ben,
        client_with(app, tokens["root"]) as root,
    ):
        refused = await ask_audio(ben, "setup", data={"playback_volume": 0})
        usual = await ask_audio(ben, "setup", data={"capVolume": 0.5, "playVolume": 0.15})
        allowed = await ask_audio(root, "setup", data={"playback_volume": 0.5})

    assert [each["error"]["code"] for each in (refused, usual, allowed)] == [-8, 0, 0]


# A connection that becomes another one's


async def test_who_shows_another_token_hears_no_more_of_the_former_one_s(tmp_path: Path) -> None:
    """Neither the answer that runs, nor a wake, nor the microphone; the tasks stay their owner's."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path) as app,
        client_with(app, tokens["anna"]) as changing,
        client_with(app, tokens["anna"]) as anna,
    ):
        talk = await changing.setup("llm", ENDLESS)
        ears = await changing.setup("kws", KWS_SETUP, input="kws.base64")
        await changing.ask(work_id="audio", action="cap", request_id="capture")
        await changing.infer(talk, LONG_QUESTION, request_id="long")
        await changing.receive_reply_to("long", never="finish")

        await show(changing, tokens["ben"])
        await anna.ask(work_id=ears, action="trigger")
        await becomes(anna, talk, "idle")
        await changing.send(work_id="sys", action="lstask", request_id="behind")
        next_line = await changing.receive()
        listed = (await anna.ask(work_id="sys", action="lstask"))["data"]

    assert (next_line["request_id"], next_line["data"]) == ("behind", [])
    assert [task["work_id"] for task in listed] == [talk, ears]


@pytest.mark.parametrize("is_back", [False, True])
async def test_a_socket_that_becomes_another_one_s_ends_the_tasks_of_the_former(tmp_path: Path, is_back: bool) -> None:
    """They were to end with it."""
    tokens = write_tokens(tmp_path, TWO)
    async with (
        asking_app(tmp_path, http={"enabled": True}) as app,
        client_with(app, tokens["anna"]) as anna,
        units_socket(app, tokens["anna"]) as ask,
    ):
        talk = (await ask("llm", "setup", ENDLESS))["work_id"]
        await ask("sys", "auth", {"token": tokens["ben"]})
        if is_back:
            await ask("sys", "auth", {"token": tokens["anna"]})

        gone = await ask(talk, "taskinfo")
        listed = (await anna.ask(work_id="sys", action="lstask"))["data"]
        mine = (await ask("llm", "setup", LLM_SETUP))["work_id"]

    assert gone["error"]["code"] == -6
    assert listed == []
    assert mine != talk


@asynccontextmanager
async def units_socket(app: App, token: str) -> AsyncIterator[Callable[..., Awaitable[dict[str, Any]]]]:
    """What asks by a socket of the wire; any other message than the answer fails the test."""
    host, port = app.endpoints["http"]
    async with connect(f"ws://{host}:{port}/ws/units?api_key={token}") as ws:
        numbers = itertools.count(1)

        async def ask(work_id: str, action: str, data: Any = "None") -> dict[str, Any]:
            request_id = str(next(numbers))
            request = {"request_id": request_id, "work_id": work_id, "action": action, "data": data}
            await ws.send(orjson.dumps(request).decode())
            reply: dict[str, Any] = orjson.loads(await ws.recv())
            assert reply["request_id"] == request_id
            return reply

        yield ask


async def test_nobody_leaves_before_all_is_answered(tmp_path: Path) -> None:
    """The answer would come to the next one."""
    tokens = write_tokens(tmp_path, TWO)
    async with asking_app(tmp_path) as app, client_with(app, tokens["anna"]) as client:
        await client.send(work_id="llm", action="setup", data=LLM_SETUP, request_id="setup")

        early = await show(client, tokens["ben"])
        late = await client.ask(work_id="sys", action="whoami")

    assert early["error"]["code"] == -10
    assert late["data"]["name"] == "anna"
