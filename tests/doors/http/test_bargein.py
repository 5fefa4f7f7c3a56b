"""Covers handler and turn of unitd.doors.http.bargein, and frame_queue: turns, and what cuts them short."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.clients.bargein_client import (
    Person,
    Script,
    capacity_of,
    engine_that_says,
    kinds_of,
    person_at,
    text_of,
    until_nobody_is_left,
)
from tests.support.clients.onlooker import at_work, tasks_of
from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LONG_QUESTION
from tests.support.waiting import MS
from unitd.app import App
from unitd.core.config.schema import BargeInSettings
from unitd.doors.local_client import LocalClient

# About 3,000 tokens: the bundled model reads for some seconds.
LONG_HISTORY = "the fox and the hen went to the old mill by the river " * 230
TURN = ["ack", "token", "final", "done"]
CANCELLED = {"type": "done", "cancelled": True}


@pytest.fixture
async def ann(http_daemon: App) -> AsyncIterator[Person]:
    """Somebody who talks."""
    async with person_at(http_daemon) as person:
        yield person


@pytest.fixture
async def script() -> AsyncIterator[Script]:
    """An engine elsewhere whose words are known."""
    async with engine_that_says("\n\n**Hel", "lo** <b", ">you</b> ", " 😀") as script:
        yield script


@pytest.fixture
async def reader(script: Script, tmp_path: Path) -> AsyncIterator[Person]:
    """Somebody who talks to that engine."""
    settings = {"http": {"enabled": True}, "llm": {"url": script.url}}
    async with running_app(tmp_path, settings) as app, person_at(app) as person:
        yield person


def now() -> float:
    """Seconds."""
    return asyncio.get_running_loop().time()


# The happy day


async def test_a_turn_is_acknowledged_streamed_and_ended(ann: Person) -> None:
    """Every token, then the whole text, then what it took."""
    ack, *said, final, done = await ann.turn("hello", persona_text="You are a friendly robot.")

    assert ack == {"type": "ack", "for": "start", "ok": True, "session_id": "ann"}
    assert len(said) > 2
    assert final == {"type": "final", "normalized_text": text_of(said)}
    assert done["usage"]["total_tokens"] == done["usage"]["prompt_tokens"] + done["usage"]["completion_tokens"]
    assert done["usage"]["completion_tokens"] >= len(said)


async def test_a_turn_is_a_task_while_it_lasts(ann: Person, http_daemon: App) -> None:
    """Everybody sees it, and it ends with its answer."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")
    seen = await tasks_of(http_daemon)
    await ann.until("done")

    assert [(task["unit"], task["door"], task["state"]) for task in seen] == [("llm", "ws", "running")]
    assert await tasks_of(http_daemon) == []


async def test_a_session_keeps_its_persona(ann: Person, http_daemon: App) -> None:
    """On whatever connection it goes on; another session knows nothing of it."""
    first = await ann.turn("hello", persona_text="You are a pirate.", gender="woman")
    async with person_at(http_daemon) as elsewhere:
        again = await elsewhere.turn("hello")
        stranger = await elsewhere.turn("hello", "bob")

    assert again[-1] == first[-1]
    assert stranger[-1]["usage"]["prompt_tokens"] < first[-1]["usage"]["prompt_tokens"]


async def test_everything_that_is_told_becomes_one_system_prompt(reader: Person, script: Script) -> None:
    """By the template of the configuration; the utterance is the question."""
    told = {"persona_text": "A robot.", "persona_style": "dry", "gender": "man", "user_identity": "woman"}
    await reader.turn("hi", **told, history_text="woman: hello")

    assert script.system == (
        "A robot.\nYou speak in this style: dry.\nYou are a man.\nYou talk to a woman.\n"
        "This was said before: woman: hello"
    )
    assert script.asked[-1]["messages"][1:] == [{"role": "user", "content": "hi"}]


async def test_a_history_belongs_to_its_turn(reader: Person, script: Script) -> None:
    """The client keeps the transcript; an old one would be wrong a turn later."""
    await reader.turn("hi", persona_text="A robot.", history_text="woman: hello")
    await reader.turn("hi")

    assert script.system == "A robot."


async def test_an_answer_comes_as_plain_text(reader: Person) -> None:
    """Marks, tags, emoji and needless space are gone, also where tokens cut them."""
    frames = await reader.turn("hi")

    assert (text_of(frames), frames[-2]["normalized_text"]) == ("Hello you", "Hello you")


async def test_an_answer_comes_raw_to_who_wants_it_so(reader: Person) -> None:
    """`sanitize_output` is off from this turn on."""
    await reader.turn("hi", sampling={"sanitize_output": False})
    frames = await reader.turn("hi", sampling=None)

    assert text_of(frames) == frames[-2]["normalized_text"] == "\n\n**Hello** <b>you</b>  😀"


async def test_sampling_lasts_until_there_is_another(reader: Person, script: Script) -> None:
    """What a new `sampling` leaves out is the configuration's again."""
    await reader.turn("hi", sampling={"temperature": 0.1, "top_p": 0.5})
    await reader.turn("hi", sampling=None)
    await reader.turn("hi", sampling={"top_p": 0.6})

    used = [(asked["temperature"], asked["top_p"]) for asked in script.asked]
    assert used == [(0.1, 0.5), (0.1, 0.5), (BargeInSettings.temperature, 0.6)]


async def test_a_persona_is_changed_between_two_turns(reader: Person, script: Script) -> None:
    """The keys that the change does not name keep their values."""
    await reader.turn("hi", persona_text="A robot.", gender="man")
    await reader.say(type="chat_prompt", persona_text="A pirate.")
    answer = await reader.hear()
    await reader.turn("hi")

    assert answer == {"type": "ack", "for": "chat_prompt", "ok": True, "code": 200, "message": "updated"}
    assert script.system == "A pirate.\nYou are a man."


@pytest.mark.alone
async def test_a_warmed_prompt_is_answered_sooner(ann: Person) -> None:
    """What was read for `warmed` is not read again."""
    began = now()
    await ann.say(type="warm_persona", persona_text="Be kind.")
    persona = await ann.hear()
    await ann.say(type="warm_history", history_text=LONG_HISTORY)
    history = await ann.hear()
    warming = now() - began

    began = now()
    await ann.start("hello", persona_text="Be kind.", history_text=LONG_HISTORY)
    await ann.until("token")

    assert persona == {"type": "warmed", "segment": "persona", "bytes": 8}
    assert history == {"type": "warmed", "segment": "history", "bytes": len(LONG_HISTORY)}
    assert now() - began < warming / 4


@pytest.mark.alone
async def test_a_ping_is_answered_while_a_prompt_is_read(ann: Person) -> None:
    """A pong wants no answer."""
    await ann.start("hello", history_text=LONG_HISTORY)
    await ann.hear()

    began = now()
    await ann.say(type="pong")
    await ann.say(type="ping")

    assert await ann.hear() == {"type": "pong"}
    assert now() - began < 50 * MS


# Barge-in


async def test_a_new_start_stops_the_old_answer(ann: Person) -> None:
    """The old turn is over before the new one begins."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    await ann.start("hello")
    old = await ann.until("done")
    new = await ann.until("done")

    assert old[-1] == CANCELLED
    assert kinds_of(new) == TURN


@pytest.mark.alone
async def test_a_new_start_stops_the_reading_of_a_long_prompt(ann: Person, http_daemon: App) -> None:
    """At once, and the new answer comes as if nothing had been."""
    await ann.turn("hello")
    began = now()
    await ann.start("who are you")
    await ann.until("token")
    alone = now() - began
    await ann.until("done")
    await ann.start("hello", history_text=LONG_HISTORY)
    await ann.hear()
    await at_work(http_daemon)

    began = now()
    await ann.start("who are you")
    cancelled = await ann.hear()
    silenced = now() - began
    frames = await ann.until("token")

    assert (cancelled, kinds_of(frames)) == (CANCELLED, ["ack", "token"])
    assert silenced < 100 * MS
    assert now() - began < alone + 100 * MS


async def test_a_start_elsewhere_stops_the_session_s_old_turn(ann: Person, http_daemon: App) -> None:
    """A phone takes over from a speaker: both are told."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    async with person_at(http_daemon) as elsewhere:
        frames = await elsewhere.turn("hello")
    old = await ann.until("done")

    assert old[-1] == CANCELLED
    assert kinds_of(frames) == TURN


async def test_two_sessions_do_not_disturb_each_other(ann: Person, http_daemon: App) -> None:
    """Each hears its own answer."""
    alone = text_of(await ann.turn("hello"))
    async with person_at(http_daemon) as bob:
        await ann.start(LONG_QUESTION)
        said = await bob.turn("hello", "bob")
        told = await ann.until("done")

    assert text_of(said) == alone
    assert kinds_of(told) == TURN


async def test_a_connection_says_one_thing_at_a_time(ann: Person) -> None:
    """Another session's start ends the turn too: frames do not name their session."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    await ann.start("hello", "bob")

    assert (await ann.until("done"))[-1] == CANCELLED
    assert (await ann.hear())["session_id"] == "bob"


@pytest.mark.parametrize("message", ['{"type":"cancel"}', '{"cancel": true}', "__CANCEL__", " __CANCEL__\n"])
async def test_a_turn_is_cancelled_in_any_spelling(ann: Person, http_daemon: App, message: str) -> None:
    """One answer, nothing of the turn behind it, and its task is gone."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    await ann.socket.send(message)
    frames = await ann.until("done")
    await ann.say(type="ping")

    assert frames[-1] == CANCELLED
    assert await ann.hear() == {"type": "pong"}
    assert await tasks_of(http_daemon) == []


@pytest.mark.parametrize("request_id", ["r-1", 7])
async def test_a_cancel_is_answered_in_its_own_id(ann: Person, request_id: str | int) -> None:
    """With a turn to cancel and without one."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    await ann.say(type="cancel", request_id=request_id)
    cut = (await ann.until("done"))[-1]
    await ann.say(cancel=True, request_id=request_id)

    assert cut == await ann.hear() == CANCELLED | {"request_id": request_id}


async def test_a_turn_is_cut_while_its_model_loads(tmp_path: Path) -> None:
    """The task of the turn ends as soon as it is set up."""
    gate = tmp_path / "gate"
    argv_for = bad_unit("gated", gate)
    async with running_app(tmp_path, {"http": {"enabled": True}}, argv_for) as app:
        async with person_at(app) as person:
            await person.start("hello")
            await person.hear()
            await person.say(type="cancel")
            answer = await person.hear()
        gate.touch()

        assert answer == CANCELLED
        await until_nobody_is_left(app)


async def test_a_stopping_daemon_ends_the_turn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its client is told, and nothing is complained about."""
    async with running_app(tmp_path, {"http": {"enabled": True}}) as app, person_at(app) as person:
        await person.start(LONG_QUESTION)
        await person.until("token")

        app.stop()

        assert (await person.until("done"))[-1] == CANCELLED
        await person.socket.wait_closed()
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []


async def test_somebody_else_s_interrupt_ends_a_turn(ann: Person, http_daemon: App) -> None:
    """Any client of the daemon may stop its tasks."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    await LocalClient(http_daemon, "administrator", "tcp").ask(await at_work(http_daemon), "exit")

    assert (await ann.until("done"))[-1] == CANCELLED
    assert kinds_of(await ann.turn("hello")) == TURN


# The goodbye


@pytest.mark.parametrize("message", ['{"type":"end"}', "__END__"])
async def test_a_client_ends_its_connection(ann: Person, message: str) -> None:
    """It is told so, then the socket closes."""
    await ann.turn("hello")

    await ann.socket.send(message)

    assert await ann.hear() == {"type": "connection_closed", "reason": "client_request"}
    await ann.socket.wait_closed()
    assert ann.socket.close_code == 1000


async def test_an_end_in_mid_answer_ends_the_turn_first(ann: Person) -> None:
    """Every turn has its last frame."""
    await ann.start(LONG_QUESTION)
    await ann.until("token")

    await ann.say(type="end")
    frames = await ann.until("connection_closed")

    assert frames[-2] == CANCELLED


async def test_a_client_that_vanishes_frees_slot_and_seat(ann: Person, http_daemon: App) -> None:
    """In the middle of reading a prompt."""
    await ann.start("hello", history_text=LONG_HISTORY)
    await at_work(http_daemon)
    before = await capacity_of(http_daemon)

    ann.socket.transport.abort()
    await until_nobody_is_left(http_daemon)

    assert before == {"active": 1, "max": 256, "available": 255, "at_capacity": False}
    assert (await capacity_of(http_daemon))["available"] == 256


async def test_a_session_outlives_a_client_that_vanishes(ann: Person, http_daemon: App) -> None:
    """Its persona is there for the next connection, its turn is not."""
    await ann.start(LONG_QUESTION, persona_text="You are a pirate.")
    await ann.until("token")
    ann.socket.transport.abort()

    async with person_at(http_daemon) as again:
        frames = await again.turn("hello")
        plain = await again.turn("hello", "bob")

    assert kinds_of(frames) == TURN
    assert frames[-1]["usage"]["prompt_tokens"] > plain[-1]["usage"]["prompt_tokens"]
