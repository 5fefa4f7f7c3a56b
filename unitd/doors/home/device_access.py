"""Access to devices: messages over MQTT, services, states and pictures of Home Assistant."""

from typing import TYPE_CHECKING

import orjson

from unitd.core.home.devices import ENTITY_ID
from unitd.core.outcomes import DeviceState, Reason
from unitd.doors.base import Commands
from unitd.doors.home.assistant_error import HomeAssistantError

if TYPE_CHECKING:  # it loads a client of HTTP, which a board without Home Assistant does not need
    from unitd.doors.home.homeassistant import HomeAssistant


class ToolFailed(Exception):
    """The reason why a call failed, in a few words and as a code."""

    def __init__(self, words: str, reason: Reason = Reason.FAILED) -> None:
        super().__init__(words)
        self.reason = reason


class DeviceAccess:
    """The broker and the Home Assistant of this board; each method raises ToolFailed when it cannot do its work."""

    def __init__(self, mqtt: Commands | None, homeassistant: "HomeAssistant | None") -> None:
        self._mqtt = mqtt
        self._homeassistant = homeassistant

    async def publish(self, topic: str, payload: str) -> None:
        """Send an MQTT message, and wait until the broker has it."""
        if self._mqtt is None:
            raise ToolFailed("no broker is configured", Reason.NOT_CONFIGURED)
        if not topic or len(topic.encode()) > 65535 or not set(topic).isdisjoint("+#\0"):
            raise ToolFailed("its topic cannot be used") from ValueError(repr(topic[:100]))
        if not await self._mqtt.command(topic, payload.encode()):
            raise ToolFailed("the broker does not answer", Reason.BROKER_UNREACHABLE)

    def last_on(self, topic: str) -> str:
        """Return the last message on a topic; "" if there was none."""
        if self._mqtt is None:
            raise ToolFailed("no broker is configured", Reason.NOT_CONFIGURED)
        return (self._mqtt.last_on(topic) or b"").decode(errors="replace").strip()

    async def state_of(self, entity_id: str) -> DeviceState:
        """Return the state of an entity of Home Assistant."""
        homeassistant = self._configured_homeassistant()
        _check_id(entity_id)
        try:
            return await homeassistant.state(entity_id)
        except HomeAssistantError as error:
            raise ToolFailed(str(error), error.reason) from error.__cause__

    async def picture_of(self, entity_id: str) -> bytes:
        """Return the file of the picture of a camera or image of Home Assistant."""
        homeassistant = self._configured_homeassistant()
        _check_id(entity_id)
        try:
            return await homeassistant.picture(entity_id)
        except HomeAssistantError as error:
            raise ToolFailed(str(error), error.reason) from error.__cause__

    def _configured_homeassistant(self) -> "HomeAssistant":
        if self._homeassistant is None:
            raise ToolFailed("no Home Assistant is configured", Reason.NOT_CONFIGURED)
        return self._homeassistant

    async def call_service(self, service: str, data: str) -> None:
        """Call a service of Home Assistant with a JSON object."""
        homeassistant = self._configured_homeassistant()
        try:
            fields = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise ToolFailed("its data is no JSON") from error
        if not isinstance(fields, dict):
            raise ToolFailed("its data is no JSON object")
        try:
            await homeassistant.call(service, fields)
        except HomeAssistantError as error:
            raise ToolFailed(str(error), error.reason) from error.__cause__


def _check_id(entity_id: str) -> None:
    """Raise ToolFailed for a text that is no entity id: it would become another address."""
    if not ENTITY_ID.fullmatch(entity_id):
        cause = ValueError(f"no entity_id: {entity_id[:100]!r}")
        raise ToolFailed("Home Assistant does not have it", Reason.UNKNOWN_DEVICE) from cause
