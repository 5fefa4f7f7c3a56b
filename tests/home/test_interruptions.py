"""What happens while a tool is at work: an interrupt, a pause, the end of the task, of its client, of its unit."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import SETUP, TOOLS, TURN_OFF, TURN_ON, frames_of, rest_of, said
from tests.support.programs.bad_unit import bad_unit
from tests.support.servers.assistant_server import AssistantServer
from tests.support.servers.brokers import Listener
from tests.support.servers.calling_server import WISH, CallingServer
from tests.support.waiting import eventually
from unitd.app import App


async def begun(client: WireClient, work_id: str, assistant: AssistantServer) -> str:
    """A wish whose tool waits for Home Assistant; its request_id."""
    assistant.may_answer.clear()
    asked = len(assistant.calls)
    request_id = await client.infer(work_id, TURN_OFF)
    await eventually(lambda: len(assistant.calls) > asked)
    assert (await client.receive())["object"] == "llm.tool_call"
    return request_id


async def test_an_interrupt_ends_the_answer_at_once(client: WireClient, assistant: AssistantServer) -> None:
    """It does not wait for the tool, and what the tool says later is nobody's; the next wish has its own result."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    cancelled = await client.send(work_id=work_id, action="cancel")
    frames = await rest_of(client, request_id)
    assert (await client.receive())["request_id"] == cancelled
    assistant.may_answer.set()

    assert [frame["data"]["finish_reason"] for frame in frames] == ["interrupted"]
    assert said(await frames_of(client, work_id, TURN_ON)) == "The kitchen light is on."


async def test_what_an_interrupted_answer_has_called_besides_is_not_done(
    client: WireClient, assistant: AssistantServer, listener: Listener
) -> None:
    """Two calls in one answer, interrupted at the first one: the second is left."""
    work_id = await client.setup("llm", SETUP)
    assistant.may_answer.clear()
    request_id = await client.infer(work_id, f"{TURN_OFF[:-1]}, {TURN_ON.removeprefix(WISH)[1:]}")
    await eventually(lambda: len(assistant.calls) == 1)

    await client.send(work_id=work_id, action="cancel")
    frames = await rest_of(client, request_id)
    assistant.may_answer.set()

    assert [each["object"] for each in frames[:-1]] == ["llm.tool_call"] * 2
    assert said(await frames_of(client, work_id, TURN_OFF)) == "The kitchen light is off."
    assert said(await frames_of(client, work_id, TURN_ON)) == "The kitchen light is on."
    assert listener.on("home/kitchen/set") == [b"ON"]


async def test_a_task_that_ends_meanwhile_ends_its_answer(client: WireClient, assistant: AssistantServer) -> None:
    """Finish frame first, then the exit's reply."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    left = await client.send(work_id=work_id, action="exit")
    frames = await rest_of(client, request_id)
    reply = await client.receive()
    assistant.may_answer.set()

    assert frames[-1]["data"]["finish_reason"] == "interrupted"
    assert (reply["request_id"], reply["error"]["code"]) == (left, 0)
    assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0


async def test_a_pause_holds_the_answer_until_work(client: WireClient, assistant: AssistantServer) -> None:
    """The result waits; no frame comes before `work`."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    await client.ask(work_id=work_id, action="pause")
    assistant.may_answer.set()
    pinged = await client.send(work_id="sys", action="ping")
    assert (await client.receive_reply_to(pinged, never=request_id))["error"]["code"] == 0
    worked = await client.send(work_id=work_id, action="work")
    frames = await rest_of(client, request_id)

    assert worked
    assert said(frames) == "The kitchen light is off."


async def test_work_before_the_result_does_not_ask_again(
    client: WireClient, assistant: AssistantServer, caller: CallingServer
) -> None:
    """Pause and work in the middle of the tool: one call, one answer."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    await client.ask(work_id=work_id, action="pause")
    await client.ask(work_id=work_id, action="work")
    assistant.may_answer.set()

    assert said(await rest_of(client, request_id)) == "The kitchen light is off."
    assert (len(assistant.calls), len(caller.bodies)) == (2, 2)  # the state, the service


async def test_a_second_client_waits_its_turn(
    clients: Callable[[], Any], assistant: AssistantServer, listener: Listener
) -> None:
    """On the same task: its question is served behind the first one's answer, with its own result."""
    first, second = await clients(), await clients()
    work_id = await first.setup("llm", SETUP)
    request_id = await begun(first, work_id, assistant)

    waiting = await second.infer(work_id, TURN_ON)
    pinged = await second.send(work_id="sys", action="ping")
    await second.receive_reply_to(pinged, never=waiting)
    assert listener.on("home/kitchen/set") == []
    assistant.may_answer.set()

    assert said(await rest_of(first, request_id)) == "The kitchen light is off."
    assert said(await rest_of(second, waiting)) == "The kitchen light is on."


async def test_a_client_that_leaves_meanwhile_harms_nobody(
    clients: Callable[[], Any], assistant: AssistantServer
) -> None:
    """Its answer is cut; the task lives and serves the next one."""
    first, second = await clients(), await clients()
    work_id = await first.setup("llm", SETUP)
    await begun(first, work_id, assistant)

    await first.close()
    assistant.may_answer.set()

    assert said(await frames_of(second, work_id, TURN_ON)) == "The kitchen light is on."


async def test_the_daemon_stops_while_a_tool_hangs(home: App, client: WireClient, assistant: AssistantServer) -> None:
    """It does not wait for Home Assistant."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    home.stop()

    assert (await rest_of(client, request_id))[-1]["data"]["finish_reason"] == "interrupted"
    await asyncio.wait_for(eventually(lambda: client.reader.at_eof()), 5)


async def test_a_unit_that_dies_meanwhile_answers_after_its_restart(
    client: WireClient, assistant: AssistantServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The tool is not used twice."""
    work_id = await client.setup("llm", SETUP)
    request_id = await begun(client, work_id, assistant)

    for process in await asyncio.to_thread(lambda: psutil.Process().children()):
        if "units" in await asyncio.to_thread(process.cmdline):
            process.kill()
    await eventually(lambda: "llm/caller died" in caplog.text)
    assistant.may_answer.set()

    assert said(await rest_of(client, request_id)) == "The kitchen light is off."
    assert len(assistant.calls) == 2  # the state, the service


ECHO = SETUP | {"model": "default", "messages": [{"role": "user", "content": "light!"}]}


@pytest.mark.parametrize("change", [{"action": "setup", "data": ECHO}, {"action": "exit"}])
async def test_what_an_unfinished_answer_has_called_is_not_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, Any]
) -> None:
    """Another setup, or the end of its task, interrupts it as a wake does."""
    (tmp_path / "tools.toml").write_text(TOOLS)
    home = {"home": {"tools": str(tmp_path / "tools.toml")}}
    async with running_app(tmp_path, home, argv_for=bad_unit()) as app, tcp_client(app) as client:
        work_id = await client.setup("llm", ECHO)
        request_id = await client.infer(work_id, "call linger")
        assert (await client.receive())["object"] == "llm.tool_call"

        changing = await client.send(work_id=work_id, **change)
        frames = await rest_of(client, request_id)
        reply = await client.receive()

    assert frames[-1]["data"]["finish_reason"] == "interrupted"
    assert (reply["request_id"], reply["error"]["code"]) == (changing, 0)
    assert "tool turn_on failed" not in caplog.text  # it has no arguments
