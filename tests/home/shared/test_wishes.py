"""A wish, the whole way: model, tool call, MQTT or Home Assistant, result, spoken answer."""

import re
from pathlib import Path

import orjson
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import (
    GET_STATE,
    LIGHT,
    SETUP,
    TURN_OFF,
    TURN_ON,
    Board,
    calls_of,
    frames_of,
    said,
)
from tests.support.servers.assistant_server import AssistantServer
from tests.support.servers.brokers import Listener
from tests.support.servers.calling_server import WISH, CallingServer
from unitd.doors.home import homeassistant
from unitd.doors.local_client import LocalClient

pytestmark = pytest.mark.asyncio(loop_scope="module")


# The way of a wish


async def test_a_wish_becomes_a_command_and_a_spoken_answer(
    client: WireClient, listener: Listener, caller: CallingServer
) -> None:
    """The call as a frame of its own, the command on the topic, the result in the answer, one finish frame."""
    work_id = await client.setup("llm", SETUP)

    frames = await frames_of(client, work_id, TURN_ON)

    call = frames[0]
    assert (call["object"], call["data"]["name"], call["data"]["arguments"]) == ("llm.tool_call", "turn_on", LIGHT)
    assert said(frames) == "The kitchen light is on."
    assert [frame["data"].get("finish") for frame in frames] == [None, False, True]
    await listener.until(lambda: listener.on("home/kitchen/set") == [b"ON"])
    assert [each["role"] for each in caller.bodies[-1]["messages"]] == ["system", "user", "assistant", "tool"]


async def test_the_model_is_told_what_there_is(client: WireClient, caller: CallingServer) -> None:
    """Devices in the prompt, tools as functions."""
    work_id = await client.setup("llm", SETUP)

    await frames_of(client, work_id, "hello")

    system = caller.bodies[0]["messages"][0]["content"]
    assert system == 'You are a home assistant.\n\nDevices:\n- kitchen light; light: "kitchen light"'
    names = [each["function"]["name"] for each in caller.bodies[0]["tools"]]
    assert names == ["turn_on", "turn_off", "broken", "get_state"]


async def test_a_client_is_told_which_tools_there_are(client: WireClient) -> None:
    """Before it sets a task up, so that the page and `unitd chat` know whether they can switch anything."""
    reply = await client.ask(work_id="sys", action="lstools")

    assert reply["object"] == "sys.lstools"
    assert [row["name"] for row in reply["data"]] == ["turn_on", "turn_off", "broken", "get_state"]
    assert reply["data"][0] == {
        "tools": "home", "name": "turn_on", "description": "", "entities": ["kitchen light"]
    }  # fmt: skip


async def test_a_board_without_tools_lists_none(tmp_path: Path) -> None:
    """An empty list is no error."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        reply = await client.ask(work_id="sys", action="lstools")

    assert (reply["error"]["code"], reply["data"]) == (0, [])


async def test_a_conversation_remembers_what_was_done(client: WireClient, caller: CallingServer) -> None:
    """The question and the spoken answer, once."""
    work_id = await client.setup("llm", SETUP, history=True)

    await frames_of(client, work_id, TURN_ON)
    await frames_of(client, work_id, "thank you")
    await frames_of(client, work_id, TURN_ON)

    contents = [each["content"] for each in caller.bodies[-1]["messages"]]
    assert contents[1:] == [
        TURN_ON, "The kitchen light is on.", "thank you", "thank you", TURN_ON, "", "The kitchen light is on.",
    ]  # fmt: skip


async def test_a_whole_text_comes_as_one(client: WireClient) -> None:
    """Without a stream: the call, then the answer."""
    work_id = await client.setup("llm", SETUP, response_format="llm.utf-8")
    request_id = await client.infer(work_id, TURN_ON)

    call, answer = await client.receive(), await client.receive()

    assert (call["object"], call["request_id"]) == ("llm.tool_call", request_id)
    assert (answer["object"], answer["data"]) == ("llm.utf-8", "The kitchen light is on.")


async def test_whoever_asks_by_mqtt_gets_the_answer_too(listener: Listener) -> None:
    """The call is not the last frame."""
    reply = await listener.ask("kitchen", request_id="1", work_id="llm", action="setup", data=SETUP)
    work_id = reply["work_id"]

    asked = await listener.request(
        "kitchen", request_id="2", work_id=work_id, action="inference", object="llm.utf-8", data=TURN_ON
    )
    await listener.until(lambda: bool(listener.on(f"unitd/kitchen/{work_id}/answer")))

    assert said(listener.answers_to(asked)) == "The kitchen light is on."
    await listener.caught_up()
    assert listener.on(f"unitd/kitchen/{work_id}/text") == [b"The kitchen light is on."]


@pytest.mark.parametrize("word", ["yes", "no"])
async def test_the_question_about_a_call_is_answered_with_yes_or_no(
    client: WireClient, listener: Listener, word: str
) -> None:
    """The words name no device, and the model calls one: it alone reads what is escaped."""
    work_id = await client.setup("llm", SETUP)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in "kitchen light")

    asked = await frames_of(client, work_id, f'please turn [["turn_on", {{"entity": "{escaped}"}}]]')
    answered = await frames_of(client, work_id, word)

    assert (calls_of(asked), said(asked)) == ([], "Do you mean the kitchen light?")
    assert said(answered) == ("The kitchen light is on." if word == "yes" else "All right.")
    assert listener.on("home/kitchen/set") == ([b"ON"] if word == "yes" else [])


async def test_a_model_that_calls_the_same_again_ends(
    client: WireClient, caller: CallingServer, listener: Listener
) -> None:
    """A call that repeats one of the same turn is neither told nor done, and the turn is over."""
    work_id = await client.setup("llm", SETUP)

    frames = await frames_of(client, work_id, f"again {TURN_ON}")

    assert [frame["object"] for frame in frames].count("llm.tool_call") == 1
    assert said(frames) == "The kitchen light is on."
    assert len(caller.bodies) == 2
    await listener.caught_up()
    assert listener.on("home/kitchen/set") == [b"ON"]


async def test_identical_calls_of_one_answer_are_merged(client: WireClient, listener: Listener) -> None:
    """Three times the same light and once a question: one message, one frame for each, both told at the end."""
    work_id = await client.setup("llm", SETUP)
    calls = [["turn_on", LIGHT], ["turn_on", LIGHT], ["broken", LIGHT], ["turn_on", LIGHT]]

    frames = await frames_of(client, work_id, WISH + orjson.dumps(calls).decode())

    assert [frame["data"]["name"] for frame in frames if frame["object"] == "llm.tool_call"] == ["turn_on", "broken"]
    assert said(frames) == "The kitchen light is on. That did not work: its template failed."
    await listener.caught_up()
    assert listener.on("home/kitchen/set") == [b"ON"]


async def test_what_is_asked_again_is_done_again(client: WireClient, listener: Listener) -> None:
    """Another turn: somebody may have switched it off by hand."""
    work_id = await client.setup("llm", SETUP, history=True)

    answers = [said(await frames_of(client, work_id, TURN_ON)) for _ in range(2)]

    assert answers == ["The kitchen light is on."] * 2
    await listener.until(lambda: len(listener.on("home/kitchen/set")) == 2)


async def test_a_model_may_call_again_when_it_knows_the_outcome(
    client: WireClient, caller: CallingServer, assistant: AssistantServer
) -> None:
    """It goes by what came of the first call; all of it is told at the end, in one sentence each."""
    work_id = await client.setup("llm", SETUP)

    frames = await frames_of(client, work_id, f"then {TURN_OFF} {TURN_ON}")

    assert said(frames) == "The kitchen light is off. The kitchen light is on."
    assert caller.bodies[1]["messages"][-1]["content"] == "The kitchen light is off."
    assert frames[-1]["data"]["usage"]["completion_tokens"] == 1  # the word for which it was cut


async def test_what_a_model_says_of_its_calls_is_not_heard(client: WireClient, caller: CallingServer) -> None:
    """Neither behind a call nor in place of another one; what it said before its first call is."""
    work_id = await client.setup("llm", SETUP)

    frames = await frames_of(client, work_id, f"well {TURN_ON}")

    assert caller.bodies[-1]["messages"][-1]["role"] == "tool"  # it was asked, and said "told: …"
    assert said(frames) == "Well. The kitchen light is on."


async def test_tools_of_ones_own_stay_with_whoever_asks(board: Board, client: WireClient, listener: Listener) -> None:
    """What a door gives along with one question is not the board's to use."""
    work_id = await client.setup("llm", SETUP)
    own = [{"type": "function", "function": {"name": "turn_on", "parameters": {"type": "object", "properties": {}}}}]
    local_client = LocalClient(board.app, "a door", "test")

    frames = []
    async for reply in local_client.infer(
        work_id, 'please turn [["turn_on", {}]]', object_="llm.utf-8", options={"tools": own}
    ):
        frames.append(reply)
        if reply.data.get("finish"):
            break

    assert [frame.object for frame in frames] == ["llm.tool_call", "llm.utf-8.stream"]
    await listener.caught_up()
    assert listener.on("home/kitchen/set") == []


# What goes wrong


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ('please turn [["broken", {"turn": "on"}]]', "That did not work: its template failed."),
        ('please turn [["turn_on", {"entity": "moon"}]]', "There is no moon here."),
        ('please turn [["explode", {}]]', "There is no tool explode."),
        (GET_STATE, "That did not work for the kitchen light: the device does not respond."),
    ],
)
async def test_what_cannot_be_done_is_said(
    client: WireClient, caplog: pytest.LogCaptureFixture, question: str, words: str
) -> None:
    """In the answer and in the log; the next wish is served."""
    work_id = await client.setup("llm", SETUP)

    assert said(await frames_of(client, work_id, question)) == words
    assert words.rpartition(": ")[2].removesuffix(".") in caplog.text
    assert said(await frames_of(client, work_id, TURN_ON)) == "The kitchen light is on."


async def test_a_home_assistant_that_refuses_is_said(
    client: WireClient, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """401: somebody has taken the token back."""
    work_id = await client.setup("llm", SETUP)
    assistant.status = 401

    answer = said(await frames_of(client, work_id, TURN_OFF))

    assert answer == "That did not work for the kitchen light: Home Assistant refuses the token."
    assert "tool turn_off failed: Home Assistant refuses the token" in caplog.text


async def test_a_home_assistant_that_hangs_is_given_up(
    client: WireClient, assistant: AssistantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the answer says so."""
    monkeypatch.setattr(homeassistant, "PATIENCE_SECONDS", 0.2)
    work_id = await client.setup("llm", SETUP)
    assistant.may_answer.clear()

    assert said(await frames_of(client, work_id, TURN_OFF)) == (
        "That did not work for the kitchen light: Home Assistant does not answer."
    )


async def test_a_setup_with_unknown_tools_is_refused(tmp_path: Path) -> None:
    """The setup names what is missing; a board without a home has its skills."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        reply = await client.ask(work_id="llm", action="setup", data=SETUP | {"model": "default", "tools": "garage"})
        task = await client.setup("llm", SETUP | {"model": "default"})
        answer = await client.answer(task, "what time is it?")

    assert reply["error"]["code"] == -5
    assert re.fullmatch(r"It is \d+(:\d\d)? [AP]M\.", answer)
    assert "[home] tools names a file of them" in reply["error"]["message"]
