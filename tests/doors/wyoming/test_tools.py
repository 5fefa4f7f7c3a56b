"""Covers unitd.doors.wyoming: a board with tools is asked through Assist."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncTcpClient
from wyoming.handle import Handled
from wyoming.info import Describe, Info

from tests.support.clients.satellite import hear
from tests.support.daemon import running_app
from tests.support.home.toolboxes import TOOLS
from tests.support.servers.assistant_server import TOKEN, AssistantServer
from tests.support.servers.calling_server import CallingServer


def with_tools(tmp_path: Path, tools: str, assistant: AssistantServer) -> dict[str, Any]:
    """Return the configuration of a board with these tools, the devices of which are those of Home Assistant."""
    (tmp_path / "tools.toml").write_text(tools)
    (tmp_path / "token").write_text(TOKEN)
    home = {
        "tools": str(tmp_path / "tools.toml"),
        "homeassistant_url": assistant.url,
        "homeassistant_token_file": str(tmp_path / "token"),
    }
    return {"wyoming": {"port": 0, "system_prompt": "Be brief."}, "llm": {"model": "caller"}, "home": home}


@pytest.fixture
async def switching(tmp_path: Path, caller: CallingServer, assistant: AssistantServer) -> AsyncIterator[AsyncTcpClient]:
    """A client of a board whose tools are services of Home Assistant."""
    tables = with_tools(tmp_path, TOOLS, assistant)
    async with running_app(tmp_path, tables) as app, AsyncTcpClient(*app.endpoints["wyoming"]) as client:
        yield client


async def test_what_is_asked_through_assist_switches_things(
    switching: AsyncTcpClient, caller: CallingServer, assistant: AssistantServer
) -> None:
    """The answer is what came of the call, word for word; the model was told which devices there are."""
    await switching.write_event(Transcript(text='please turn [["turn_off", {"entity": "kitchen light"}]]').event())

    answer = Handled.from_event((await hear(switching, "handled"))[-1])

    assert answer.text == "The kitchen light is off."
    assert assistant.calls[1:] == [("/api/services/light/turn_off", {"entity_id": "light.kitchen"})]
    assert (
        caller.bodies[0]["messages"][0]["content"] == 'Be brief.\n\nDevices:\n- kitchen light; light: "kitchen light"'
    )


async def test_home_assistant_is_told_that_things_can_be_switched(switching: AsyncTcpClient) -> None:
    """It asks whether an agent controls the home."""
    await switching.write_event(Describe().event())

    info = Info.from_event((await hear(switching, "info"))[-1])

    assert info.handle[0].supports_home_control


async def test_a_conversation_goes_on_after_something_was_switched(
    switching: AsyncTcpClient, caller: CallingServer
) -> None:
    """What was asked and said is remembered, how it was done is not."""
    context = {"conversation_id": "1"}
    wish = 'please turn [["turn_off", {"entity": "kitchen light"}]]'
    await switching.write_event(Transcript(text=wish, context=context).event())
    await hear(switching, "handled")

    await switching.write_event(Transcript(text="thank you", context=context).event())
    answer = Handled.from_event((await hear(switching, "handled"))[-1])

    assert answer.text == "thank you"
    said = [(each["role"], each["content"]) for each in caller.bodies[-1]["messages"][1:]]
    assert said == [("user", wish), ("assistant", "The kitchen light is off."), ("user", "thank you")]


async def test_a_question_back_is_answered_in_the_next_sentence(
    tmp_path: Path, caller: CallingServer, assistant: AssistantServer
) -> None:
    """Which has a task of its own; in another conversation it is no answer."""
    rooms = TOOLS.replace('id = "kitchen"', 'id = "kitchen"\narea = "kitchen"', 1)
    lamp = '[[entity]]\nname = "hall lamp"\nkind = "light"\narea = "hall"\n'
    tables = with_tools(tmp_path, f'confirm = ["turn_off"]\n{rooms}\n{lamp}', assistant)
    said = []
    async with running_app(tmp_path, tables) as app, AsyncTcpClient(*app.endpoints["wyoming"]) as client:
        for text, conversation in (
            ("turn off the lights", "1"),
            ("the kitchen", "2"),
            ("the kitchen", "1"),
            ("yes", "2"),
            ("yes", "1"),
        ):
            await client.write_event(Transcript(text=text, context={"conversation_id": conversation}).event())
            said.append(Handled.from_event((await hear(client, "handled"))[-1]).text)

    assert said == [
        "Which one do you mean: the kitchen or the hall?",
        "the kitchen",
        "Shall I turn off the kitchen light?",
        "yes",
        "The kitchen light is off.",
    ]
    assert assistant.calls[1:] == [("/api/services/light/turn_off", {"entity_id": "light.kitchen"})]


async def test_what_cannot_be_switched_is_said(switching: AsyncTcpClient, assistant: AssistantServer) -> None:
    """Home Assistant has taken the token back."""
    assistant.status = 401
    await switching.write_event(Transcript(text='please turn [["turn_off", {"entity": "kitchen light"}]]').event())

    answer = Handled.from_event((await hear(switching, "handled"))[-1])

    assert answer.text == "That did not work for the kitchen light: Home Assistant refuses the token."
