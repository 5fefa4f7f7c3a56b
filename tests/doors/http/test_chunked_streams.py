"""Covers chunked and chunked_stream: several streams of one connection, what is refused, and how streams end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.onlooker import tasks_of, until_no_task_is_left
from tests.support.clients.voice_agent import JOKE, TOKENS, Agent, Message, agent_at, asking, health_of
from tests.support.daemon import running_app
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LONG_QUESTION
from tests.support.tokens import asking_app, write_tokens
from unitd.app import App
from unitd.core.access.grants import Limits, Role
from unitd.doors.http.chunked.handler import MAX_STREAMS
from unitd.doors.http.chunked.stream import Refusal, read_pause

# Several streams


@pytest.fixture
def http_daemon(shared_daemon: App) -> App:
    """One daemon for the tests that leave it as it was."""
    return shared_daemon


async def test_streams_of_one_connection_run_side_by_side(agent: Agent) -> None:
    """The second is done while the first still generates; no text is mixed up."""
    story = (await agent.ask("start_stream", "story", **asking(LONG_QUESTION)))["text"]
    hello = (await agent.ask("start_stream", "hello", **asking("hello")))["text"]
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION))

    second = await agent.ask("start_stream", "b", **asking("hello"))
    first = await agent.hear()

    assert (second["stream_id"], second["text"]) == ("b", hello)
    assert (first["stream_id"], first["text"]) == ("a", story)


async def test_tokens_of_two_streams_say_whose_they_are(agent: Agent) -> None:
    """Only while more than one speaks: the document knows no id in them."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    alone = await agent.hear()

    await agent.tell("start_stream", "b", **asking(JOKE, **TOKENS))
    said = [alone, *[await agent.hear() for _ in range(40)]]
    while not (said[-1]["type"] == "done" and said[-1].get("stream_id") != "b"):
        said.append(await agent.hear())

    assert "stream_id" not in alone
    of_b = [each for each in said if each.get("stream_id") == "b"]
    assert "".join(each.get("content", "") for each in of_b) == of_b[-1]["text"]
    of_a = [each for each in said if each.get("stream_id") != "b"]
    assert "".join(each.get("content", "") for each in of_a) == of_a[-1]["text"]


async def test_ids_belong_to_their_connection(agents: Callable[[], Any]) -> None:
    """Two agents that call their streams alike do not meet."""
    one, other = await agents(), await agents()
    await one.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 5}))

    assert await other.ask("continue_stream", "a") == {"error": "Stream not found"}
    assert (await other.ask("start_stream", "a", **asking("hello")))["done"] is True
    assert (await one.ask("continue_stream", "a", pause={"max_tokens": 5}))["tokens"] == 5


async def test_a_ping_is_answered_while_a_stream_generates(agent: Agent) -> None:
    """The answer of the stream comes later."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION))

    assert await agent.ask("ping") == {"status": "pong"}
    assert (await agent.hear())["status"] == "started"


# Bad input


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("{no json", {"error": "Invalid JSON"}),
        ("[1, 2]", {"error": "Invalid JSON"}),
        (b"\x00\xff", {"error": "Invalid JSON"}),
        (b'{"action": "ping"}', {"error": "Invalid JSON"}),
        ("{}", {"error": "Unknown action: None"}),
        ('{"action": "foo"}', {"error": "Unknown action: foo"}),
        ('{"action": ["ping"]}', {"error": "Unknown action: ['ping']"}),
        ('{"action": "start_stream"}', {"error": "stream_id required"}),
        ('{"action": "continue_stream", "stream_id": ""}', {"error": "stream_id required"}),
        ('{"action": "end_stream", "stream_id": 7}', {"error": "stream_id required"}),
        (f'{{"action": "start_stream", "stream_id": "{"x" * 257}"}}', {"error": "stream_id may have 256 characters"}),
        ('{"action": "continue_stream", "stream_id": "x"}', {"error": "Stream not found"}),
        ('{"action": "end_stream", "stream_id": "x"}', {"error": "Stream not found"}),
    ],
)
async def test_bad_messages_get_the_documents_errors(agent: Agent, message: str | bytes, reply: Message) -> None:
    """And the next message is served."""
    await agent.ask("ping")

    await agent.socket.send(message)

    assert await agent.hear() == reply
    assert await agent.ask("ping") == {"status": "pong"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"messages": None}, "messages must be a list"),
        ({"messages": []}, "messages must be a list"),
        ({"messages": "hello"}, "messages must be a list"),
        ({"messages": ["hello"]}, "messages[0] must be an object"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0]"),
        ({"messages": [{"role": "user", "content": "x " * 20_000}]}, "the context holds 4096"),
        ({"temperature": "hot"}, "temperature must be a number"),
        ({"temperature": True}, "temperature must be a number"),
        ({"temperature": -1}, "temperature is -1"),
        ({"stream_tokens": "yes"}, "stream_tokens must be true or false"),
        ({"pause": 10}, "pause must be an object"),
        ({"pause": {"max_tokens": 0}}, "pause.max_tokens must be a whole number from 1"),
        ({"pause": {"max_tokens": "10"}}, "pause.max_tokens must be a whole number from 1"),
        ({"pause": {"sentence_boundary": "yes"}}, "pause.sentence_boundary must be true or false"),
    ],
)
async def test_a_start_that_cannot_be_served_starts_nothing(agent: Agent, fields: Message, words: str) -> None:
    """The error names the stream, whose id is free again."""
    reply = await agent.ask("start_stream", "a", **(asking("hello") | fields))

    assert set(reply) == {"stream_id", "error"}
    assert (reply["stream_id"], words in reply["error"]) == ("a", True)
    assert (await agent.ask("start_stream", "a", **asking("hello")))["done"] is True


async def test_a_stream_is_started_once(agent: Agent) -> None:
    """Whether it is held or done; after its end the id may be used again."""
    await agent.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 3}))
    twice = await agent.ask("start_stream", "a", **asking("hello"))
    still_held = await agent.ask("continue_stream", "a")
    thrice = await agent.ask("start_stream", "a", **asking("hello"))

    assert twice == thrice == {"stream_id": "a", "error": "Stream already started"}
    assert still_held["done"] is True
    await agent.ask("end_stream", "a")
    assert (await agent.ask("start_stream", "a", **asking("hello")))["status"] == "started"


async def test_a_bad_continue_leaves_the_stream_held(agent: Agent) -> None:
    """A wrong policy, or one while it still generates."""
    await agent.ask("start_stream", "a", **asking(LONG_QUESTION, pause={"max_tokens": 3}))
    refused = await agent.ask("continue_stream", "a", pause="soon")
    await agent.tell("continue_stream", "a")
    impatient = await agent.ask("continue_stream", "a")

    assert refused == {"stream_id": "a", "error": 'pause must be an object such as {"max_tokens": 10}'}
    assert impatient == {"stream_id": "a", "error": "Stream is still generating"}
    assert (await agent.hear())["reason"] == "stop_word"


def test_a_policy_that_is_none_is_refused() -> None:
    """By name."""
    with pytest.raises(Refusal, match="pause must be an object"):
        read_pause({"pause": []})


async def test_an_agent_with_too_many_requests_is_told_and_stays(tmp_path: Path) -> None:
    """It may set a task up, but neither ask it nor ask why that failed."""
    token = write_tokens(tmp_path, {"anna": Role.USE}, Limits(requests_per_minute=1))["anna"]
    async with (
        asking_app(tmp_path, http={"enabled": True}) as app,
        agent_at(app, f"?api_key={token}") as agent,
    ):
        refused = await agent.ask("start_stream", "a", **asking("hello"))
        pong = await agent.ask("ping")

    assert refused["stream_id"] == "a"
    assert "1 requests a minute are allowed" in refused["error"]
    assert pong == {"status": "pong"}


async def test_a_connection_has_so_many_streams(agent: Agent) -> None:
    """An agent that never ends its streams is told, and may go on when it has ended one."""
    for number in range(MAX_STREAMS):
        await agent.ask("start_stream", str(number), **asking("hello", pause={"max_tokens": 1}))
        await agent.ask("continue_stream", str(number))

    refused = await agent.ask("start_stream", "more", **asking("hello"))
    await agent.ask("end_stream", "7")

    assert refused == {
        "stream_id": "more",
        "error": f"{MAX_STREAMS} streams are open on this connection, end one first",
    }
    assert (await agent.ask("start_stream", "more", **asking("hello")))["done"] is True


# Ends


@pytest.mark.own_daemon
async def test_an_end_cuts_what_is_generated(agent: Agent, http_daemon: App) -> None:
    """Its confirmation is the last that is heard of the stream; its task is gone."""
    await agent.tell("start_stream", "a", **asking(LONG_QUESTION, **TOKENS))
    await agent.hear()

    await agent.tell("end_stream", "a")
    while (message := await agent.hear()).get("type") == "token":
        pass

    assert message == {"stream_id": "a", "status": "ended"}
    assert await agent.ask("ping") == {"status": "pong"}
    await until_no_task_is_left(http_daemon)


async def test_an_end_before_the_engine_is_there_leaves_nothing(tmp_path: Path) -> None:
    """The task that is born after all ends at once."""
    gate = tmp_path / "gate"
    argv_for = bad_unit("gated", gate)
    async with running_app(tmp_path, {"http": {"enabled": True}}, argv_for) as app, agent_at(app) as agent:
        await agent.tell("start_stream", "a", **asking("hello"))
        ended = await agent.ask("end_stream", "a")
        gate.touch()

        assert ended == {"stream_id": "a", "status": "ended"}
        await until_no_task_is_left(app)


@pytest.mark.own_daemon
async def test_a_client_that_vanishes_frees_its_slot(http_daemon: App) -> None:
    """What it left running and held ends at once, seen by everybody."""
    async with agent_at(http_daemon) as agent:
        await agent.ask("start_stream", "held", **asking(LONG_QUESTION, pause={"max_tokens": 3}))
        await agent.tell("start_stream", "running", **asking(LONG_QUESTION, **TOKENS))
        await agent.hear()
        seen = await tasks_of(http_daemon)

        agent.socket.transport.abort()

        assert [(task["unit"], task["door"], task["state"]) for task in seen] == [
            ("llm", "ws", "paused"),
            ("llm", "ws", "running"),
        ]
        await until_no_task_is_left(http_daemon)
        assert (await health_of(http_daemon))["active_streams"] == 0
