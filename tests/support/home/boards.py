"""The tools of a home, the setup of a task that uses them, questions that call them, and the frames of the answers."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app
from tests.support.servers.assistant_server import TOKEN, AssistantServer, assistant_server
from tests.support.servers.brokers import Broker, listening, running_broker
from tests.support.servers.calling_server import CallingServer, calling_server
from tests.support.waiting import eventually
from unitd.app import App

TOOLS = """
[[entity]]
name = "kitchen light"
kind = "light"
id = "kitchen"

[[tool]]
name = "turn_on"
kinds = ["light"]
topic = "home/{{ entity.id }}/set"
payload = "ON"

[[tool]]
name = "turn_off"
kinds = ["light"]
service = "light.turn_off"
data = '{"entity_id": "light.{{ entity.id }}"}'

[[tool]]
name = "broken"
topic = "x"
payload = "{{ 1 / 0 }}"

[[tool]]
name = "get_state"
kinds = ["light"]
state = "home/{{ entity.id }}/state"
"""
SETUP = {
    "model": "caller",
    "response_format": "llm.utf-8.stream",
    "input": "llm.utf-8",
    "enoutput": True,
    "prompt": "You are a home assistant.",
    "tools": "home",
    "usage": True,
}
LIGHT = {"entity": "kitchen light"}
TURN_ON, TURN_OFF = (
    'please turn [["turn_on", {"entity": "kitchen light"}]]',
    'please turn [["turn_off", {"entity": "kitchen light"}]]',
)
GET_STATE = 'please turn [["get_state", {"entity": "kitchen light"}]]'


async def frames_of(client: WireClient, work_id: str, question: str) -> list[dict[str, Any]]:
    """Ask a question; return calls and deltas up to the finish frame."""
    return await rest_of(client, await client.infer(work_id, question))


async def rest_of(client: WireClient, request_id: str) -> list[dict[str, Any]]:
    """Return the remaining frames of a request."""
    frames = []
    while True:
        frame = await client.receive()
        if frame["request_id"] == request_id:
            frames.append(frame)
            if frame["error"]["code"] or frame["data"].get("finish"):
                return frames


def said(frames: list[dict[str, Any]]) -> str:
    """Return the text of the answer without the calls."""
    return text_of([frame for frame in frames if frame["object"] != "llm.tool_call"])


def calls_of(frames: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Return tool and device of each call that was told."""
    calls = [frame["data"] for frame in frames if frame["object"] == "llm.tool_call"]
    return [(call["name"], call["arguments"]["entity"]) for call in calls]


async def begun(client: WireClient, work_id: str, assistant: AssistantServer) -> str:
    """Begin a wish whose tool waits for Home Assistant; return its request_id."""
    assistant.may_answer.clear()
    asked = len(assistant.calls)
    request_id = await client.infer(work_id, TURN_OFF)
    await eventually(lambda: len(assistant.calls) > asked)
    assert (await client.receive())["object"] == "llm.tool_call"
    return request_id


@dataclass
class Board:
    """The board "kitchen" with its tools, and what it talks to."""

    app: App
    broker: Broker
    caller: CallingServer
    assistant: AssistantServer


@asynccontextmanager
async def running_board(folder: Path) -> AsyncIterator[Board]:
    """Run that board; return when it is online."""
    (folder / "tools.toml").write_text(TOOLS)
    (folder / "token").write_text(TOKEN)
    async with AsyncExitStack() as stack:
        broker = await stack.enter_async_context(running_broker(folder / "broker"))
        listener = await stack.enter_async_context(listening(broker))
        caller = await stack.enter_async_context(calling_server())
        assistant = await stack.enter_async_context(assistant_server())
        caller.card(folder)
        home = {
            "tools": str(folder / "tools.toml"),
            "homeassistant_url": assistant.url,
            "homeassistant_token_file": str(folder / "token"),
        }
        mqtt = {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}
        app = await stack.enter_async_context(running_app(folder, {"mqtt": mqtt, "home": home}))
        await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"))
        yield Board(app, broker, caller, assistant)
