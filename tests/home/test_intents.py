"""The unit intent: sentences that are recognised without a model, and tasks that use it before they ask one."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.children import kept_children
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.asking import publish_states, tools_file
from tests.support.home.boards import calls_of, frames_of, rest_of, said
from tests.support.servers.brokers import Broker, Listener, listening, running_broker
from tests.support.waiting import eventually
from unitd.app import App
from unitd.core.home.call_guard_words import cannot_wait

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}
LLM_SETUP = {
    "response_format": "llm.utf-8.stream",
    "enoutput": True,
    "input": "llm.utf-8",
    "model": "unitd-chat",
    "prompt": "Be brief.",
    "tools": "home",
}
TTS_SETUP = {"model": "unitd-tts", "response_format": "tts.base64", "enoutput": True}
SETUPS = {"intent": SETUP, "llm": LLM_SETUP}
HOUSE: list[dict[str, Any]] = [
    {"name": "kitchen light", "kind": "light", "area": "kitchen", "aliases": ["ceiling lamp"]},
    {"name": "island lamp", "kind": "light", "area": "kitchen"},
    {"name": "bedroom lamp", "kind": "light", "area": "bedroom"},
    {"name": "front door", "kind": "lock", "area": "hallway"},
    {"name": "kitchen window", "kind": "sensor", "device_class": "window", "area": "kitchen"},
    {"name": "kitchen blinds", "kind": "cover", "device_class": "blind", "area": "kitchen"},
    {"name": "tv", "kind": "media", "area": "living room"},
    {"name": "back door", "kind": "lock", "area": "garage"},
]


@dataclass
class Board:
    """A board in the kitchen, in a house of eight devices, and its broker; to unlock needs a confirmation."""

    app: App
    broker: Broker


@asynccontextmanager
async def running_board(folder: Path) -> AsyncIterator[Board]:
    """Run the board; every device has said how it is."""
    (folder / "tools.toml").write_text('confirm = ["unlock"]\n' + tools_file(HOUSE))
    home = {"tools": str(folder / "tools.toml"), "area": "kitchen", "languages": ["en", "de"]}
    async with running_broker(folder / "broker") as broker, listening(broker) as listener:
        await publish_states(listener.client, HOUSE)
        tables = {"mqtt": {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}, "home": home}
        async with running_app(folder, tables) as app:
            await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"))
            yield Board(app, broker)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def board(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Board]:
    """One board for all who leave it as it was: its programs take longer to start than all else that a test does."""
    async with running_board(tmp_path_factory.mktemp("board")) as board, tcp_client(board.app) as keeper:
        for unit, setup in (("intent", SETUP), ("llm", LLM_SETUP), ("tts", TTS_SETUP)):
            await keeper.setup(unit, setup)
        with kept_children():
            yield board


@pytest_asyncio.fixture(loop_scope="module")
async def own_board(tmp_path: Path) -> AsyncIterator[Board]:
    """A board for a test that breaks something."""
    async with running_board(tmp_path) as board:
        yield board


@pytest_asyncio.fixture(loop_scope="module")
async def listener(board: Board) -> AsyncIterator[Listener]:
    """Run a client that receives every message of the board's broker."""
    async with listening(board.broker) as listener:
        yield listener


@pytest_asyncio.fixture(loop_scope="module")
async def clients(board: Board) -> AsyncIterator[Callable[[], Any]]:
    """Return a function that makes clients of the board."""
    async with AsyncExitStack() as stack:

        async def make() -> WireClient:
            return await stack.enter_async_context(tcp_client(board.app))

        yield make


@pytest_asyncio.fixture(loop_scope="module")
async def client(clients: Callable[[], Any]) -> WireClient:
    """Return a client of the board."""
    made: WireClient = await clients()
    return made


async def test_a_sentence_is_done_and_answered(client: WireClient, listener: Listener) -> None:
    """Setup, inference, taskinfo and exit as with every unit; the frames are those of an llm that uses tools."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "turn on the bedroom lamp")
    info = await client.ask(work_id=work_id, action="taskinfo")
    ended = await client.ask(work_id=work_id, action="exit")

    assert work_id.startswith("intent.")
    assert calls_of(frames) == [("turn_on", "bedroom lamp")]
    assert frames[0]["data"]["by"] == "intent"
    assert said(frames) == "Turned on the light"
    assert [frame["data"]["finish"] for frame in frames[1:]] == [False, True]
    await listener.until(lambda: listener.on("home/d2/set") == [b"on"])
    assert info["data"]["response_format"] == SETUP["response_format"]
    assert ended["error"]["code"] == 0


async def test_a_set_is_every_device_of_it_once(client: WireClient) -> None:
    """Here, because the board stands in the kitchen, and there where the task says so."""
    here = await client.setup("intent", SETUP)
    there = await client.setup("intent", SETUP | {"area": "bedroom"})

    in_kitchen = calls_of(await frames_of(client, here, "turn off the lights"))
    in_bedroom = calls_of(await frames_of(client, there, "turn off the lights"))

    assert sorted(in_kitchen) == [("turn_off", "island lamp"), ("turn_off", "kitchen light")]
    assert in_bedroom == [("turn_off", "bedroom lamp")]


async def test_a_question_switches_nothing(client: WireClient) -> None:
    """The answer comes from the states."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "is the front door locked?")

    assert calls_of(frames) == [("get_state", "front door")]
    assert said(frames) == "Yes"


async def test_a_relative_wish_reads_the_state_first(client: WireClient, listener: Listener) -> None:
    """From half to a little more."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "make the bedroom lamp brighter")

    assert calls_of(frames) == [("get_state", "bedroom lamp"), ("set_brightness", "bedroom lamp")]
    assert 50 < frames[1]["data"]["arguments"]["percent"] < 100


async def test_what_is_not_recognised_is_said(client: WireClient) -> None:
    """There is no model to ask."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "tell me a joke")

    assert calls_of(frames) == []
    assert said(frames)


async def test_a_second_language_is_tried_after_the_first(client: WireClient) -> None:
    """And answers in its words."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "schalte bedroom lamp aus")

    assert calls_of(frames) == [("turn_off", "bedroom lamp")]
    assert "aus" in said(frames)


@pytest.mark.parametrize("yes", [True, False])
async def test_what_needs_a_confirmation_waits_for_a_yes(client: WireClient, listener: Listener, *, yes: bool) -> None:
    """A no leaves the door locked."""
    work_id = await client.setup("intent", SETUP)

    asked = await frames_of(client, work_id, "unlock the front door")
    answered = await frames_of(client, work_id, "yes" if yes else "no")

    assert (calls_of(asked), said(asked)) == ([], "Shall I unlock the front door?")
    assert calls_of(answered) == ([("unlock", "front door")] if yes else [])
    await listener.caught_up()
    assert listener.on("home/d3/set") == ([b"unlock"] if yes else [])


async def test_a_reply_completes_the_wish_of_its_conversation(clients: Callable[[], Any], listener: Listener) -> None:
    """Once; what another client of the same task says is no reply."""
    anna, ben = await clients(), await clients()
    work_id = await anna.setup("intent", SETUP)

    asked = await frames_of(anna, work_id, "lock the door")
    elsewhere = await frames_of(ben, work_id, "the one in the garage")
    answered = await frames_of(anna, work_id, "the one in the garage")
    again = await frames_of(anna, work_id, "the front door")

    assert said(asked) == "Which one do you mean: the front door or the back door?"
    assert [calls_of(frames) for frames in (asked, elsewhere, again)] == [[], [], []]
    assert calls_of(answered) == [("lock", "back door")]
    await listener.until(lambda: listener.on("home/d7/set") == [b"lock"])


async def test_a_yes_counts_in_its_own_conversation(clients: Callable[[], Any], listener: Listener) -> None:
    """Another client of the same task does not unlock the door with it."""
    anna, ben = await clients(), await clients()
    work_id = await anna.setup("intent", SETUP)

    await frames_of(anna, work_id, "unlock the front door")
    elsewhere = await frames_of(ben, work_id, "yes")
    answered = await frames_of(anna, work_id, "yes")

    assert (calls_of(elsewhere), calls_of(answered)) == ([], [("unlock", "front door")])
    await listener.until(lambda: listener.on("home/d3/set") == [b"unlock"])


async def test_what_is_asked_by_mqtt_is_answered_by_mqtt(client: WireClient, listener: Listener) -> None:
    """A task's topic `ask` is a conversation of its own."""
    work_id = await client.setup("intent", SETUP)
    topic = f"unitd/kitchen/{work_id}"
    await listener.client.publish(f"{topic}/ask", "lock the door", qos=1)
    await listener.until(lambda: len(listener.on(f"{topic}/text")) == 1)

    elsewhere = await frames_of(client, work_id, "the back door")
    await listener.client.publish(f"{topic}/ask", "the back door", qos=1)
    await listener.until(lambda: listener.on("home/d7/set") == [b"lock"])

    assert calls_of(elsewhere) == []


async def test_a_task_that_listens_to_the_intents_gets_the_answer(client: WireClient) -> None:
    """As a voice does with an llm."""
    work_id = await client.setup("intent", SETUP)
    voice = await client.setup("tts", TTS_SETUP | {"input": work_id})

    await client.infer(work_id, "turn on the bedroom lamp")
    while (spoken := await client.receive())["work_id"] != voice:
        pass

    assert spoken["object"] == "tts.base64"
    assert spoken["data"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"language": "tlh"}, "tlh"),
        ({"language": 7}, "language"),
        ({"area": 7}, "area"),
    ],
)
@pytest.mark.parametrize("unit", ["intent", "llm"])
async def test_a_setup_that_cannot_work_is_refused(
    client: WireClient, unit: str, keys: dict[str, Any], words: str
) -> None:
    """By name, whoever asks the intents; the next setup works."""
    reply = await client.ask(work_id=unit, action="setup", data=SETUPS[unit] | keys)

    assert reply["error"]["code"] == -5
    assert words in reply["error"]["message"]
    assert await client.setup(unit, SETUPS[unit])


async def test_a_board_without_a_home_has_skills(tmp_path: Path) -> None:
    """A device is not there."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        work_id = await client.setup("intent", SETUP)
        told = [said(await frames_of(client, work_id, each)) for each in ("louder", "turn on the bedroom lamp")]

    assert told[0] == "I have no loudspeaker here."
    assert "bedroom lamp" in told[1] or "understand" in told[1]


async def test_a_paused_task_does_nothing_until_work(client: WireClient, listener: Listener) -> None:
    """A sentence that comes meanwhile waits."""
    work_id = await client.setup("intent", SETUP)
    await client.ask(work_id=work_id, action="pause")

    asked = await client.infer(work_id, "turn on the bedroom lamp")
    await client.ask(work_id=work_id, action="taskinfo")
    before = listener.on("home/d2/set")
    await client.send(work_id=work_id, action="work")

    assert before == []
    assert calls_of(await rest_of(client, asked)) == [("turn_on", "bedroom lamp")]


async def test_a_command_for_later_is_done_then(client: WireClient, listener: Listener) -> None:
    """The answer comes at once."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "turn on the bedroom lamp in one second")
    at_once = listener.on("home/d2/set")
    await listener.until(lambda: listener.on("home/d2/set") == [b"on"])

    assert (calls_of(frames), at_once) == ([], [])
    assert "1 second" in said(frames)


async def test_a_command_for_later_is_made_clear_before(client: WireClient, listener: Listener) -> None:
    """The reply holds when it is due."""
    work_id = await client.setup("intent", SETUP)

    asked = await frames_of(client, work_id, "lock the door in one second")
    answered = await frames_of(client, work_id, "the back door")
    await listener.until(lambda: listener.on("home/d7/set") == [b"lock"])

    assert said(asked) == "Which one do you mean: the front door or the back door?"
    assert "1 second" in said(answered)
    assert calls_of(asked + answered) == []


async def test_a_command_for_later_that_needs_a_confirmation_is_refused(client: WireClient) -> None:
    """Refuse at once what could not be carried out when it is due."""
    work_id = await client.setup("intent", SETUP)

    frames = await frames_of(client, work_id, "unlock the front door in ten minutes")

    assert (calls_of(frames), said(frames)) == ([], cannot_wait("en"))


async def test_a_program_that_dies_is_back_for_the_next_sentence(own_board: Board) -> None:
    """Which waits for it, of whichever task it is; no task is lost."""
    async with tcp_client(own_board.app) as one, tcp_client(own_board.app) as other:
        intent, llm = await one.setup("intent", SETUP), await other.setup("llm", LLM_SETUP)
        child = next(each for each in own_board.app._supervisor.children if each.card.unit == "intent")
        assert child.pid is not None

        os.kill(child.pid, signal.SIGKILL)
        await eventually(lambda: not child.is_ready)
        first, second = await asyncio.gather(
            frames_of(one, intent, "turn on the bedroom lamp"), frames_of(other, llm, "turn on the kitchen light")
        )

    assert calls_of(first) == [("turn_on", "bedroom lamp")]
    assert calls_of(second) == [("turn_on", "kitchen light")]


async def test_two_clients_in_two_rooms_do_not_hear_each_other(clients: Callable[[], Any]) -> None:
    """At the same time, in one program."""
    one, two = await clients(), await clients()
    here = await one.setup("intent", SETUP | {"area": "kitchen"})
    there = await two.setup("intent", SETUP | {"area": "bedroom"})

    first, second = await asyncio.gather(
        frames_of(one, here, "turn off the lights"), frames_of(two, there, "turn on the lights")
    )

    assert {device for _, device in calls_of(first)} == {"kitchen light", "island lamp"}
    assert calls_of(second) == [("turn_on", "bedroom lamp")]


async def test_a_client_that_leaves_after_its_wish_harms_nobody(clients: Callable[[], Any], listener: Listener) -> None:
    """The next one is served."""
    gone, stays = await clients(), await clients()
    work_id = await gone.setup("intent", SETUP)
    await gone.infer(work_id, "turn on the kitchen light")
    await gone.close()

    other = await stays.setup("intent", SETUP)

    assert calls_of(await frames_of(stays, other, "turn off the bedroom lamp")) == [("turn_off", "bedroom lamp")]


async def test_a_broker_that_is_away_is_said(own_board: Board) -> None:
    """In the language of the sentence. Each wish ends; nothing is switched later either."""
    async with tcp_client(own_board.app) as client:
        work_id = await client.setup("intent", SETUP)
        await own_board.broker.stop()

        in_english = await frames_of(client, work_id, "turn on the bedroom lamp")
        in_german = await frames_of(client, work_id, "schalte die bedroom lamp ein")

    assert "the broker does not answer" in said(in_english)
    assert "der Broker antwortet nicht" in said(in_german)
