"""Interrupt, pause or end a task while one of its tools is at work, or let its client leave."""

from collections.abc import Awaitable, Callable

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.home.boards import SETUP, TURN_OFF, TURN_ON, begun, frames_of, rest_of, said
from tests.support.servers.assistant_server import AssistantServer
from tests.support.servers.brokers import Listener
from tests.support.servers.calling_server import WISH, CallingServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_interrupt_ends_the_answer_at_once(client: WireClient, assistant: AssistantServer) -> None:
    """Show that the answer ends at once, and that a late result of the tool goes to no other answer."""
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
    await listener.caught_up()
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
    clients: Callable[[], Awaitable[WireClient]], assistant: AssistantServer, listener: Listener
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
    clients: Callable[[], Awaitable[WireClient]], assistant: AssistantServer
) -> None:
    """Its answer is cut; the task lives and serves the next one."""
    first, second = await clients(), await clients()
    work_id = await first.setup("llm", SETUP)
    await begun(first, work_id, assistant)

    await first.close()
    assistant.may_answer.set()

    assert said(await frames_of(second, work_id, TURN_ON)) == "The kitchen light is on."
