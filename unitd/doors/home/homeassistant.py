"""Home Assistant's REST API, as far as tools and skills need it: services, devices, their states and pictures.

Documented at developers.home-assistant.io/docs/api/rest: POST /api/services/<domain>/<service>, POST /api/template,
GET /api/states/<entity_id>, GET /api/config, GET /api/camera_proxy/<entity_id>. GET /api/image_proxy/<entity_id> is in
its components/image.
"""

import asyncio
import logging
from typing import Any

import httpx
import orjson

from unitd.core.home.devices import ALL_KINDS, CAMERA, ENTITY_ID, Area, Entity
from unitd.core.home.home import Home
from unitd.core.home.readings import read_homeassistant
from unitd.core.home.services import PROTOCOL, allowed_tools, service_tools
from unitd.core.outcomes import DeviceState, Reason
from unitd.doors.home.assistant_error import HomeAssistantError
from unitd.doors.home.entity_registry import RegistryUnread, with_registry
from unitd.wire.errors import ConfigError
from unitd.wire.pictures import media_type

log = logging.getLogger("unitd.tools")

PATIENCE_SECONDS = 5.0

PICTURE_SECONDS = 12.0
"""For a picture: Home Assistant itself waits 10 s for a camera."""

MAX_PICTURE_BYTES = 8 * 1024 * 1024
"""Twice what a camera of 12 megapixels sends."""

UNAVAILABLE, UNKNOWN = "unavailable", "unknown"
"""The states of a device that Home Assistant has lost, or has no state of yet."""

_KIND_OF_DOMAIN = {"media_player": "media", "script": "scene", "binary_sensor": "sensor", "image": CAMERA}

MOST_DEVICES = 20_000
"""Where reading stops, whatever Home Assistant sends."""

PAGE = 500
"""Devices that are read with one request; Home Assistant refuses to render more than 256 KiB."""

# Home Assistant renders these, because it knows areas and floors. Its templates know no aliases. A disabled device has
# no state; a hidden one has, and is not offered. Nor is one whose integration is gone, so that it is only remembered.
_PLACES = """
{"areas": [{% for id in areas() -%}
{{ {"id": id, "name": area_name(id)} | to_json }}{{ "," if not loop.last }}
{%- endfor %}],
"floors": [{% for id in floors() -%}
{{ {"name": floor_name(id), "areas": floor_areas(id) | list} | to_json }}{{ "," if not loop.last }}
{%- endfor %}]}
"""
_ENTITIES = """
[{% for state in (states | selectattr("domain", "in", %DOMAINS%)
    | rejectattr("entity_id", "is_hidden_entity") | list)[%FROM%:%TO%] -%}
{{ {"id": state.entity_id, "name": state.name, "domain": state.domain, "area": area_name(state.entity_id) or "",
    "device_class": state_attr(state.entity_id, "device_class") or "",
    "is_gone": state_attr(state.entity_id, "restored") == true,
    "features": state_attr(state.entity_id, "supported_features") | int(0),
    "color_modes": (state_attr(state.entity_id, "supported_color_modes") or []) | list} | to_json }}
{{- "," if not loop.last }}
{%- endfor %}]
"""


_STATES = """
[{% for state in states | selectattr("domain", "eq", "%DOMAIN%")
    | rejectattr("entity_id", "is_hidden_entity") | list -%}
{{ {"id": state.entity_id, "name": state.name, "state": state.state,
    "features": state_attr(state.entity_id, "supported_features") | int(0),
    "temperature": state_attr(state.entity_id, "temperature"),
    "unit": state_attr(state.entity_id, "temperature_unit")} | to_json }}
{{- "," if not loop.last }}
{%- endfor %}]
"""


class HomeAssistant:
    """A client of one Home Assistant."""

    def __init__(self, url: str, token: str) -> None:
        """Raise ConfigError when the URL or the token cannot be used."""
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"home.homeassistant_url is {url!r}, it must look like http://homeassistant.local:8123")
        self._url, self._token = url.rstrip("/"), token
        self._tls = httpx.create_ssl_context()
        headers = {"Authorization": f"Bearer {token}"}
        try:
            self._http = httpx.AsyncClient(
                base_url=self._url, headers=headers, timeout=PATIENCE_SECONDS, verify=self._tls
            )
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise ConfigError(f"home.homeassistant_url or its token cannot be used: {error}") from error

    async def call(self, service: str, data: dict[str, Any]) -> None:
        """Call a service such as light.turn_on, after a check that its entities are available.

        Home Assistant answers a call for an unknown or lost entity with success and an empty list of changed states, as
        for a light that is on already. So the states are read first.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached or refuses, or an entity is unavailable.
        """
        for entity_id in _entity_ids(data.get("entity_id")):
            await self._check_available(entity_id)
        domain, _, name = service.partition(".")
        await self._ask("POST", f"/api/services/{domain}/{name}", data)

    async def state(self, entity_id: str) -> DeviceState:
        """Return the state of an entity; its `state` is "" when Home Assistant does not know it.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached, lacks the entity, or sends no valid answer.
        """
        known = await self._state(entity_id)
        return DeviceState("") if known.state in (UNAVAILABLE, UNKNOWN) else known

    async def picture(self, entity_id: str) -> bytes:
        """Return what a camera shows now, or the picture of an image entity, as its file.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached, lacks the entity, or sends no picture in time; or the
                picture is too large.
        """
        await self._check_available(entity_id)
        domain = entity_id.partition(".")[0]
        try:
            async with asyncio.timeout(PICTURE_SECONDS):
                picture = await self._download(f"/api/{domain}_proxy/{entity_id}")
        except (TimeoutError, httpx.TimeoutException) as error:
            raise HomeAssistantError("Home Assistant sends no picture of it", Reason.NO_PICTURE) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HomeAssistantError("Home Assistant cannot be reached", Reason.HOME_ASSISTANT_UNREACHABLE) from error
        if not media_type(picture):
            raise HomeAssistantError("Home Assistant sends no picture of it", Reason.NO_PICTURE)
        return picture

    async def _download(self, path: str) -> bytes:
        """Return the body of an answer, which is read no further than a picture may be long."""
        plain = {"Accept-Encoding": "identity"}  # what is unpacked may be of any size
        content = bytearray()
        async with self._http.stream("GET", path, headers=plain, timeout=PICTURE_SECONDS) as answer:
            if answer.status_code in (500, 503):  # its camera does not answer, or is off
                raise HomeAssistantError("Home Assistant sends no picture of it", Reason.NO_PICTURE)
            _check_status(answer, _missing())
            async for chunk in answer.aiter_raw():
                content += chunk
                if len(content) > MAX_PICTURE_BYTES:
                    raise HomeAssistantError("its picture is too large", Reason.PICTURE_TOO_LARGE)
        return bytes(content)

    async def _check_available(self, entity_id: str) -> None:
        if (await self._state(entity_id)).state == UNAVAILABLE:
            raise HomeAssistantError("the device is unavailable in Home Assistant", Reason.UNAVAILABLE)

    async def _state(self, entity_id: str) -> DeviceState:
        answer = await self._ask("GET", f"/api/states/{entity_id}", missing=_missing())
        try:
            return read_homeassistant(orjson.loads(answer.content))
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise HomeAssistantError("Home Assistant answered nonsense") from error

    async def home(self, domains: tuple[str, ...]) -> Home:
        """Return the devices of these domains that are not hidden, with the usual tools, and all areas and floors.

        If the WebSocket cannot be used they have no aliases, and settings are among them; the log says so.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached, is starting, or sends no valid answer.
        """
        home = await self._home(domains)
        try:
            return await with_registry(home, self._url, self._token, self._tls)
        except RegistryUnread as error:
            log.warning("no aliases are read from Home Assistant: %s", error)
            return home

    async def _home(self, domains: tuple[str, ...]) -> Home:
        entities: list[Entity] = []
        try:
            config = orjson.loads((await self._ask("GET", "/api/config")).content)
            if config["state"] != "RUNNING":
                raise HomeAssistantError("Home Assistant is starting or stopping")
            areas = _areas(await self.rendered(_PLACES))
            for at in range(0, MOST_DEVICES, PAGE):
                page = _ENTITIES.replace("%DOMAINS%", orjson.dumps(domains).decode())
                page = page.replace("%FROM%", str(at)).replace("%TO%", str(at + PAGE))
                rows = await self.rendered(page)
                entities += [_entity(row) for row in rows if not row["is_gone"]]
                if len(rows) < PAGE:
                    break
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise HomeAssistantError("Home Assistant answered nonsense") from error
        usable = tuple(each for each in entities if each.kind in ALL_KINDS and each.name.strip())
        is_fahrenheit = config.get("unit_system", {}).get("temperature") == "°F"
        return Home(usable, tuple(service_tools(is_fahrenheit)), areas)

    async def rendered(self, template: str) -> Any:
        """Return the JSON that Home Assistant makes of a template.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached, or refuses.
            JSONDecodeError: it makes something else of it.
        """
        refused = "Home Assistant refuses the token, which is not an administrator's"
        answer = await self._ask("POST", "/api/template", {"template": template}, refused=refused)
        return orjson.loads(answer.content)

    async def response(self, service: str, data: dict[str, Any]) -> dict[str, Any]:
        """Call a service that answers, such as weather.get_forecasts, and return its answer by entity.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached or refuses, or sends no valid answer.
        """
        domain, _, name = service.partition(".")
        answer = await self._ask("POST", f"/api/services/{domain}/{name}?return_response", data)
        try:
            found = orjson.loads(answer.content)["service_response"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise HomeAssistantError("Home Assistant answered nonsense") from error
        return found if isinstance(found, dict) else {}

    async def entities(self, domain: str) -> list[dict[str, Any]]:
        """Return id, name, state and attributes of the entities of a domain that are available and not hidden.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached or refuses, or sends no valid answer.
        """
        try:
            rows = await self.rendered(_STATES.replace("%DOMAIN%", domain))
            return [each for each in rows if each["state"] != UNAVAILABLE and isinstance(each["name"], str)]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise HomeAssistantError("Home Assistant answered nonsense") from error

    async def shopping_list(self) -> list[dict[str, Any]] | None:
        """Return the items of the shopping list that is no entity; None where there is none.

        Raises:
            HomeAssistantError: Home Assistant cannot be reached or refuses, or sends no valid answer.
        """
        missing = HomeAssistantError("Home Assistant has no shopping list", Reason.UNKNOWN_DEVICE)
        try:
            found = orjson.loads((await self._ask("GET", "/api/shopping_list", missing=missing)).content)
        except HomeAssistantError as error:
            if error is missing:
                return None
            raise
        except orjson.JSONDecodeError as error:
            raise HomeAssistantError("Home Assistant answered nonsense") from error
        return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _ask(
        self,
        method: str,
        path: str,
        data: dict[str, Any] | None = None,
        missing: HomeAssistantError | None = None,
        refused: str = "Home Assistant refuses the token",
    ) -> httpx.Response:
        """Return the answer to a request; `missing` is the error when there is nothing at the path."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):  # httpx starts its timeout anew with every byte
                answer = await self._http.request(method, path, json=data)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise HomeAssistantError("Home Assistant does not answer", Reason.HOME_ASSISTANT_UNREACHABLE) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HomeAssistantError("Home Assistant cannot be reached", Reason.HOME_ASSISTANT_UNREACHABLE) from error
        _check_status(answer, missing, refused)
        return answer


def _check_status(
    answer: httpx.Response,
    missing: HomeAssistantError | None = None,
    refused: str = "Home Assistant refuses the token",
) -> None:
    """Raise HomeAssistantError for an answer that is no success; a redirect is none."""
    if answer.status_code in (401, 403):
        raise HomeAssistantError(refused, Reason.REFUSED)
    if answer.status_code in (400, 404):
        raise missing or HomeAssistantError("Home Assistant does not know that")
    if not answer.is_success:
        raise HomeAssistantError(f"Home Assistant failed ({answer.status_code})")


def _missing() -> HomeAssistantError:
    return HomeAssistantError("Home Assistant does not have it", Reason.UNKNOWN_DEVICE)


def _entity(row: dict[str, Any]) -> Entity:
    """Return the device of a row of `_ENTITIES`.

    Raises:
        KeyError, TypeError, AttributeError: this is no row of it.
    """
    domain, features, color_modes = row["domain"], row["features"], row["color_modes"]
    if not isinstance(features, int) or not isinstance(color_modes, list):
        raise TypeError(f"no features: {features!r:.40}, {color_modes!r:.40}")
    kind = _KIND_OF_DOMAIN.get(domain, domain)
    texts = (row["name"], kind, row["area"], row["id"], row["device_class"])
    name, kind, area, entity_id, device_class = map(_text, texts)
    allowed = allowed_tools(domain, features, [_text(each) for each in color_modes])
    return Entity(name, kind, area, id=entity_id, device_class=device_class, protocol=PROTOCOL, allowed_tools=allowed)


def _areas(found: dict[str, Any]) -> tuple[Area, ...]:
    """Return the areas of what `_PLACES` rendered; it raises what `_entity` does."""
    floor_of = {area: _text(floor["name"]) for floor in found["floors"] for area in floor["areas"]}
    return tuple(Area(_text(row["name"]), floor_of.get(row["id"], "")) for row in found["areas"])


def _text(value: Any) -> str:
    """Return a value that is a text; raise TypeError for any other."""
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r:.40}")
    return value


def _entity_ids(value: Any) -> list[str]:
    """Return the entities that a service's data names: one, several separated by commas, or a list."""
    named = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    ids = [str(each).strip() for each in named]
    return [each for each in ids if ENTITY_ID.fullmatch(each)]  # "all" is no id
