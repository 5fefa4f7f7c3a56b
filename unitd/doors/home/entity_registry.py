"""Aliases, and which devices are no more than settings, from Home Assistant's registries by its WebSocket API.

Its REST API tells neither.

Documented at developers.home-assistant.io/docs/api/websocket. The commands are in its components/config: in
entity_registry.py, area_registry.py and floor_registry.py.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from unitd.core.home.devices import Entity, Floor
from unitd.core.home.home import Home

PATIENCE_SECONDS = 10.0
"""For everything, from the connection to the last page."""

CLOSE_SECONDS = 1.0
"""For the end of the connection, which a stopped Home Assistant does not confirm."""

PAGE = 200
"""Devices that are asked for at once: one has about 1 KB, and some KB with a list of effects or channels."""

LONGEST_MESSAGE = 4 * 1024 * 1024

MOST_ALIASES = 32
LONGEST_ALIAS = 100
"""What is read of one device, area or floor; more is left out."""

_SETTINGS = ("config", "diagnostic")
"""The categories of entities that say or change something about a device: its battery, its LED."""

# At the level debug the library logs every message, and the first one has the token.
_library_log = logging.getLogger("unitd.tools.websocket")
_library_log.setLevel(logging.WARNING)


class RegistryUnread(Exception):
    """The reason why the registries were not read, for the log."""


async def with_registry(home: Home, url: str, token: str, tls: ssl.SSLContext) -> Home:
    """Return a home of Home Assistant with the aliases of its devices, areas and floors, and without its settings.

    `url` is that of the REST API, without a slash at its end.

    Raises:
        RegistryUnread: Home Assistant cannot be reached by WebSocket, refuses, or sends no valid answer.
    """
    try:
        async with asyncio.timeout(PATIENCE_SECONDS), _open(url, tls) as socket:
            return await _read(home, _Session(socket), token)
    except TimeoutError as error:
        raise RegistryUnread("its WebSocket does not answer") from error
    except (OSError, WebSocketException) as error:
        raise RegistryUnread(f"its WebSocket cannot be used ({error})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RegistryUnread("its WebSocket answered nonsense") from error


class _Connect(connect):
    """A connection that follows no redirect, as in REST: the token is for this address alone."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


@asynccontextmanager
async def _open(url: str, tls: ssl.SSLContext) -> AsyncIterator[ClientConnection]:
    """Open the WebSocket for the time of a context."""
    address = f"ws{url.removeprefix('http')}/api/websocket"
    context = tls if address.startswith("wss:") else None
    async with _Connect(
        address, ssl=context, max_size=LONGEST_MESSAGE, close_timeout=CLOSE_SECONDS, logger=_library_log
    ) as socket:
        yield socket


class _Session:
    """Commands, one after the other: nothing is subscribed to, so each message answers the one before."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = count(1)

    async def authenticate(self, token: str) -> None:
        """Send the token that Home Assistant asks for first."""
        await self._receive()
        await self._send({"type": "auth", "access_token": token})
        if (await self._receive())["type"] != "auth_ok":
            raise RegistryUnread("its WebSocket refuses the token")

    async def ask(self, command: str, **fields: Any) -> Any:
        """Return the result of a command."""
        await self._send({"id": next(self._ids), "type": command} | fields)
        answer = await self._receive()
        if not answer["success"]:
            raise RegistryUnread(f"it refuses {command} ({str(answer['error']['code'])[:40]})")
        return answer["result"]

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._socket.send(orjson.dumps(message).decode())

    async def _receive(self) -> Any:
        return orjson.loads(await self._socket.recv())


async def _read(home: Home, session: _Session, token: str) -> Home:
    """Return the home with aliases and without settings.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: an answer is wrong.
    """
    await session.authenticate(token)
    areas = {row["name"]: row for row in await session.ask("config/area_registry/list")}
    floors = await session.ask("config/floor_registry/list")
    entities: list[Entity] = []
    for at in range(0, len(home.entities), PAGE):
        page = home.entities[at : at + PAGE]
        rows = await session.ask("config/entity_registry/get_entries", entity_ids=[each.id for each in page])
        devices = [each for each in page if not _is_setting(rows.get(each.id))]
        entities += [replace(each, aliases=_aliases(rows.get(each.id), each.name)) for each in devices]
    return replace(
        home,
        entities=tuple(entities),
        areas=tuple(replace(each, aliases=_aliases(areas.get(each.name), each.name)) for each in home.areas),
        floors=tuple(Floor(row["name"], _aliases(row, row["name"])) for row in floors),
    )


def _is_setting(row: Mapping[str, Any] | None) -> bool:
    """Return whether an entity belongs to the settings of a device; one without a row does not."""
    return row is not None and row.get("entity_category") in _SETTINGS


def _aliases(row: Mapping[str, Any] | None, name: str) -> tuple[str, ...]:
    """Return the aliases of a row, always in the same order; a device that has no row has none.

    Home Assistant keeps them without an order, and newer versions have null among them for the name itself.
    """
    if row is None:
        return ()
    own = name.casefold()
    said = {" ".join(each.split()) for each in row["aliases"] if isinstance(each, str)}
    usable = sorted(each for each in said if 0 < len(each) <= LONGEST_ALIAS and each.casefold() != own)
    return tuple(usable[:MOST_ALIASES])
