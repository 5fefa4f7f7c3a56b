"""A stand-in for Home Assistant's REST and WebSocket APIs, as far as unitd uses them; a test says how it behaves."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import orjson
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.support.servers.assistant_socket import CommandError, Session, serve_socket

TOKEN = "letmein"


class State:
    """A state as templates see it, and what the registry has of its device; None where it has nothing."""

    def __init__(
        self,
        entity_id: str,
        name: str,
        area: str = "",
        device_class: str = "",
        aliases: list[str | None] | None = None,
        is_hidden: bool = False,
        category: str | None = None,
        **attributes: Any,
    ) -> None:
        self.entity_id, self.name, self.area = entity_id, name, area
        self.aliases, self.is_hidden, self.category = aliases, is_hidden, category
        self.attributes = attributes | ({"device_class": device_class} if device_class else {})
        self.domain = entity_id.partition(".")[0]
        self.state = "on"


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
SERVICES = [
    *(f"{domain}/turn_on" for domain in ("light", "switch", "fan", "climate", "media_player", "scene", "script")),
    *(f"{domain}/turn_off" for domain in ("light", "switch", "fan", "climate", "media_player")),
    *(f"cover/{name}" for name in ("open_cover", "close_cover", "set_cover_position")),
    *(f"media_player/{name}" for name in ("volume_set", "media_pause", "play_media")),
    *("climate/set_temperature", "lock/lock", "lock/unlock"),
    *(f"todo/{name}" for name in ("add_item", "update_item", "remove_item")),
    *("shopping_list/add_item", "shopping_list/complete_item"),
]
ALIASES = {"study": ["work room", "office"], "up": ["top storey"]}
"""The aliases of areas and floors, by their ids."""


class Camera(Enum):
    """What happens to a picture that is asked for."""

    WORKS = "works"
    SILENT = "the server waits for it longer than anyone waits for the server"
    MOVED = "it is elsewhere"
    CUT = "the connection ends before its last byte"


@dataclass
class AssistantServer:
    """The requests that have come, and the answers to give."""

    url: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    """The answer to give instead of the right one; None gives the right one."""

    config: bytes = b'{"state": "RUNNING"}'
    """The answer to GET /api/config, whatever `body` is."""

    is_admin: bool = True
    """Whether the token is an administrator's."""

    socket_status: int = 101
    """The answer to a client that opens the WebSocket; 101 lets it in."""

    socket_token: str = TOKEN
    """The token that the WebSocket wants."""

    is_socket_silent: bool = False
    """Whether the WebSocket says nothing after it is open."""

    results: dict[str, Any] = field(default_factory=dict)
    """Results to give instead of the right ones, by the command of the WebSocket; an exception is raised."""

    longest_body: int = 0
    """The bytes of the longest answer so far."""

    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    """While it is cleared, requests are read and not answered."""

    states: dict[str, Any] = field(default_factory=lambda: {"light.kitchen": {"state": "on", "attributes": {}}})
    """The states that GET /api/states returns, by entity."""

    pictures: dict[str, bytes] = field(default_factory=dict)
    """What the cameras and image entities show; one that is not here does not answer Home Assistant."""

    camera: Camera = Camera.WORKS
    """How each camera behaves."""

    elsewhere: str = ""
    """Where the pictures are, if they have moved."""

    entities: list[State] = field(default_factory=lambda: list(STATES))
    """The states that a template sees."""

    todo: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    """The items of each to-do list, by entity: `summary` and `status`."""

    shopping: list[dict[str, Any]] | None = None
    """The items of a shopping list that is no entity: `name` and `complete`."""

    responses: dict[str, Any] = field(default_factory=dict)
    """What services answer that return something, by their names."""

    talks: dict[asyncio.Task[None], asyncio.StreamWriter] = field(default_factory=dict)
    """The open connections, by the task that serves each."""

    def forget(self) -> None:
        """Forget the requests of earlier tests and what they made of the lists, and answer all that come as usual."""
        self.calls.clear()
        self.status, self.body, self.shopping = 200, None, None
        self.todo, self.responses = {}, {}
        self.may_answer.set()

    def answer_to(self, path: str, token: str, data: Any) -> tuple[int, bytes]:
        """Return status and body as Home Assistant does."""
        if token != f"Bearer {TOKEN}":
            return 401, b"401: Unauthorized"
        if self.status == 200 and path == "/api/config":
            return 200, self.config
        if self.status != 200 or self.body is not None:
            return self.status, self.body or b""
        if path == "/api/template":
            if not self.is_admin:
                return 401, b"401: Unauthorized"
            return 200, self.rendered(data["template"]).encode()
        service, _, wants_response = path.removeprefix("/api/services/").partition("?")
        if wants_response and (service in self.responses or service == "todo/get_items"):
            response = self.responses.get(service) or {data["entity_id"]: {"items": self.todo[data["entity_id"]]}}
            return 200, orjson.dumps({"changed_states": [], "service_response": response})
        if path == "/api/shopping_list" and self.shopping is not None:
            return 200, orjson.dumps(self.shopping)
        if service in SERVICES:
            self._change_lists(service, data)
            return 200, b"[]"  # the list of changed states: empty for a light that is off or does not exist
        if "_proxy/" in path:
            return self._picture(path.rpartition("/")[2])
        if path.startswith("/api/states/"):
            state = self.states.get(path.removeprefix("/api/states/"))
            return (404, b'{"message":"Entity not found."}') if state is None else (200, orjson.dumps(state))
        if path == "/api/shopping_list":
            return 404, b"404: Not Found"
        return 400, b'{"message":"Service not found"}'

    def _picture(self, entity_id: str) -> tuple[int, bytes]:
        if entity_id not in self.states:
            return 404, b"404: Not Found"
        if entity_id not in self.pictures:
            return 500, b"500: Internal Server Error"
        return 200, self.pictures[entity_id]

    def _change_lists(self, service: str, data: dict[str, Any]) -> None:
        """Do what the services of lists do."""
        items = self.todo.get(str(data.get("entity_id")), [])
        if service == "todo/add_item":
            items.append({"summary": data["item"], "status": "needs_action"})
        elif service == "todo/remove_item":
            items[:] = [each for each in items if each["summary"] not in data["item"]]
        elif service == "todo/update_item":
            next(each for each in items if each["summary"] == data["item"])["status"] = data["status"]
        elif service == "shopping_list/add_item":
            assert self.shopping is not None
            self.shopping.append({"name": data["name"], "complete": False})
        elif service == "shopping_list/complete_item":
            next(each for each in self.shopping or [] if each["name"] == data["name"])["complete"] = True

    def result_of(self, command: str, fields: dict[str, Any]) -> Any:
        """Return the result of a command of the WebSocket as Home Assistant does."""
        self.calls.append((command, fields))
        if isinstance(self.results.get(command), CommandError):
            raise self.results[command]
        if command in self.results:
            return self.results[command]
        if command == "config/area_registry/list":
            return [{"area_id": id, "name": name, "aliases": ALIASES.get(id, [])} for id, (name, _) in AREAS.items()]
        if command == "config/floor_registry/list":
            return [{"floor_id": id, "name": name, "aliases": ALIASES.get(id, [])} for id, name in FLOORS.items()]
        if command != "config/entity_registry/get_entries":
            raise CommandError("unknown_command")
        known = {
            each.entity_id: {"aliases": each.aliases or [], "entity_category": each.category}
            for each in self.entities
            if each.aliases is not None or each.category is not None
        }
        return {each: known.get(each) for each in fields["entity_ids"]}

    def rendered(self, template: str) -> str:
        """Return a template as Home Assistant renders it, with the functions of its documentation that unitd uses."""
        templates = ImmutableSandboxedEnvironment()
        templates.filters["to_json"] = lambda value: orjson.dumps(value).decode()
        templates.tests["is_hidden_entity"] = {each.entity_id for each in self.entities if each.is_hidden}.__contains__
        areas = {each.entity_id: each.area for each in self.entities}
        names = {
            "states": self.entities,
            "state_attr": lambda entity_id, key: self._entity(entity_id).attributes.get(key),
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
            while raw := await _head(reader):
                head = raw.decode().split("\r\n")[:-2]
                fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
                if "upgrade" in fields and self.socket_status == 101:
                    session = Session(self.socket_token, self.result_of)
                    await serve_socket(raw, reader, writer, None if self.is_socket_silent else session)
                    return
                body = orjson.loads(await reader.readexactly(int(fields.get("content-length", 0))) or b"null")
                path = head[0].split()[1]
                self.calls.append((path, body))
                camera = self.camera if "_proxy/" in path else Camera.WORKS
                if camera is Camera.SILENT:
                    self.may_answer.clear()
                await self.may_answer.wait()
                status, answer = self.answer_to(path, fields.get("authorization", ""), body)
                place = b""
                if camera is Camera.MOVED:
                    status, answer, place = 302, b"", b"Location: %b\r\n" % self.elsewhere.encode()
                if "upgrade" in fields:
                    status, answer, place = self.socket_status, b"", b"Location: /elsewhere\r\n"
                self.longest_body = max(self.longest_body, len(answer))
                size = len(answer) + (camera is Camera.CUT)
                writer.write(b"HTTP/1.1 %d x\r\n%bContent-Length: %d\r\n\r\n%b" % (status, place, size, answer))
                await writer.drain()
                if camera is Camera.CUT:
                    return
        finally:
            writer.close()
            del self.talks[talk]


async def _head(reader: asyncio.StreamReader) -> bytes:
    """Return request line and header fields with the empty line after them; b"" at the end of the connection."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return b""


@asynccontextmanager
async def assistant_server(tls: ssl.SSLContext | None = None) -> AsyncIterator[AssistantServer]:
    """Run a server on a free port that answers as it should, with TLS if there is a context for it."""
    assistant = AssistantServer()
    assistant.may_answer.set()
    server = await asyncio.start_server(assistant.serve, "127.0.0.1", 0, ssl=tls)
    assistant.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield assistant
    finally:
        assistant.may_answer.set()
        server.close()
        for writer in assistant.talks.values():
            writer.close()
        if assistant.talks:
            await asyncio.wait(assistant.talks)
