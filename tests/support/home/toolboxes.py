"""What the tests of tools share: tools of every sort, a bridge without a broker, and how a call is made."""

import asyncio
from collections.abc import Callable
from typing import Any

from unitd.doors.home.toolbox import HomeToolbox

TOOLS = """
[[entity]]
name = "kitchen light"
kind = "light"
id = "kitchen"

[[tool]]
name = "turn_on"
kinds = ["light"]
topic = "home/{{ entity.id }}/set"
payload = '{"state": "ON"}'

[[tool]]
name = "turn_off"
kinds = ["light"]
service = "light.turn_off"
data = '{"entity_id": "light.{{ entity.id }}"}'
confirmation = "The {{ entity.name }} is off."

[[tool]]
name = "play"
service = "media_player.play"
data = '{"what": {{ what | tojson }}}'
parameters.what = {type = "string"}

[[tool]]
name = "say"
topic = "say/{{ room }}"
payload = "{{ words }}"
parameters = {room = {type = "string"}, words = {type = "string"}}

[[tool]]
name = "broken"
topic = "x"
payload = "{{ 1 / 0 }}"

[[tool]]
name = "greedy"
topic = "x"
payload = "{{ ''.__class__.__mro__ }}"

[[tool]]
name = "careless"
service = "light.turn_on"
data = "no JSON"

[[tool]]
name = "get_state"
kinds = ["light"]
state = "home/{{ entity.id }}/state"

[[tool]]
name = "get_weather"
state = "weather/now"

[[tool]]
name = "get_reading"
state_of = "sensor.{{ place }}"
parameters.place = {type = "string"}
"""

MakeToolbox = Callable[..., Any]


class Wire:
    """An MQTT bridge without a broker's moods: what is commanded is kept."""

    def __init__(self, values: dict[str, bytes] | None = None) -> None:
        self.commands: list[tuple[str, bytes]] = []
        self.values = values or {}
        self.is_there = True

    async def command(self, topic: str, payload: bytes) -> bool:
        """Taken while the broker is there."""
        if self.is_there:
            self.commands.append((topic, payload))
        return self.is_there

    def last_on(self, topic: str) -> bytes | None:
        """What a test says."""
        return self.values.get(topic)


async def results_of(toolbox: HomeToolbox, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """What is said about each of these calls."""
    made = [{"id": str(at), "name": name, "arguments": arguments} for at, (name, arguments) in enumerate(calls)]
    async with asyncio.timeout(10):
        return [await toolbox.do(call) for call in made]
