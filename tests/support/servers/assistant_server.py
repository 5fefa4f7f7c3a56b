"""A stand-in for Home Assistant's REST API, as far as unitd uses it; a test says how it behaves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from jinja2.sandbox import ImmutableSandboxedEnvironment

TOKEN = "letmein"


class State:
    """A state as templates see it."""

    def __init__(self, entity_id: str, name: str, area: str = "", device_class: str = "") -> None:
        self.entity_id, self.name, self.area, self.device_class = entity_id, name, area, device_class
        self.domain = entity_id.partition(".")[0]


STATES = [
    State("light.desk", "desk lamp", "study"),
    State("media_player.radio", "radio"),
    State("update.core", "core update"),
    State("light.desk_2", "desk lamp", "hall"),
    State("binary_sensor.window", "kitchen window", "kitchen", "window"),
    State("sensor.nameless", " "),
]
AREAS = {"study": ("study", "up"), "hall": ("Hall", "down"), "kitchen": ("kitchen", "")}
FLOORS = {"up": "upstairs", "down": "ground floor"}


@dataclass
class AssistantServer:
    """The requests that have come, and the answers to give."""

    url: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    """The answer to give instead of the right one; None gives the right one."""

    longest_body: int = 0
    """The bytes of the longest answer so far."""

    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is cleared, requests are read and not answered."""

    states: dict[str, Any] = field(default_factory=lambda: {"light.kitchen": {"state": "on", "attributes": {}}})
    """The states that GET /api/states returns, by entity."""

    entities: list[State] = field(default_factory=lambda: list(STATES))
    """The states that a template sees."""

    talks: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)
    """The open connections, by the task that serves each."""

    def answer_to(self, path: str, token: str, data: Any) -> tuple[int, bytes]:
        """Return status and body as Home Assistant does."""
        if token != f"Bearer {TOKEN}":
            return 401, b"401: Unauthorized"
        if self.status != 200 or self.body is not None:
            return self.status, self.body or b""
        if path == "/api/template":
            return 200, self.rendered(data["template"]).encode()
        if path.startswith("/api/services/light/"):
            return 200, b"[]"  # the list of changed states: empty for a light that is off or does not exist
        if path.startswith("/api/states/"):
            state = self.states.get(path.removeprefix("/api/states/"))
            return (404, b'{"message":"Entity not found."}') if state is None else (200, orjson.dumps(state))
        return 400, b'{"message":"Service not found"}'

    def rendered(self, template: str) -> str:
        """Return a template as Home Assistant renders it, with the functions of its documentation that unitd uses."""
        templates = ImmutableSandboxedEnvironment()
        templates.filters["to_json"] = lambda value: orjson.dumps(value).decode()
        areas = {each.entity_id: each.area for each in self.entities}
        names = {
            "states": self.entities,
            "state_attr": lambda entity_id, key: self._entity(entity_id).device_class or None,
            "areas": lambda: list(AREAS),
            "area_name": lambda id: AREAS.get(areas.get(id) or id, (None,))[0],
            "floors": lambda: list(FLOORS),
            "floor_name": FLOORS.get,
            "floor_areas": lambda id: (area for area, (_, floor) in AREAS.items() if floor == id),
        }
        return templates.from_string(template).render(names)

    def _entity(self, entity_id: str) -> State:
        return next(each for each in self.entities if each.entity_id == entity_id)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until its end."""
        talk = asyncio.current_task()
        assert talk is not None
        self.talks[talk] = writer
        try:
            while head := await _head(reader):
                fields = dict(line.split(": ", 1) for line in head[1:])
                body = orjson.loads(await reader.readexactly(int(fields.get("content-length", 0))) or b"null")
                path = head[0].split()[1]
                self.calls.append((path, body))
                await self.may_answer.wait()
                status, answer = self.answer_to(path, fields.get("authorization", ""), body)
                self.longest_body = max(self.longest_body, len(answer))
                writer.write(b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%b" % (status, len(answer), answer))
                await writer.drain()
        finally:
            writer.close()
            del self.talks[talk]


async def _head(reader: asyncio.StreamReader) -> list[str]:
    """Return request line and header fields, names in lower case; an empty list at the end of the connection."""
    try:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return []
    pairs = [line.partition(":") for line in lines[1:]]
    return [lines[0], *(f"{name.lower()}: {value.strip()}" for name, _, value in pairs)]


@asynccontextmanager
async def assistant_server() -> AsyncIterator[AssistantServer]:
    """Run a server on a free port that answers as it should."""
    assistant = AssistantServer()
    assistant.may_answer.set()
    server = await asyncio.start_server(assistant.serve, "127.0.0.1", 0)
    assistant.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield assistant
    finally:
        assistant.may_answer.set()
        server.close()
        for writer in assistant.talks.values():
            writer.close()
        if assistant.talks:
            await asyncio.wait(assistant.talks)
