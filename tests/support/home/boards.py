"""The tools of a home, the setup of a task that uses them, questions that call them, and the frames of the answers."""

from typing import Any

from tests.support.clients.wire_client import WireClient, text_of

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
