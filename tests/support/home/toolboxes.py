"""Tools of every kind, a stand-in for the MQTT bridge, and how a test calls tools."""

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
    """A stand-in for the MQTT bridge that keeps all commands."""

    def __init__(self, values: dict[str, bytes] | None = None) -> None:
        self.commands: list[tuple[str, bytes]] = []
        self.values = values or {}
        self.is_there = True

    async def command(self, topic: str, payload: bytes) -> bool:
        """Keep a command; return False while the broker is away."""
        if self.is_there:
            self.commands.append((topic, payload))
        return self.is_there

    def last_on(self, topic: str) -> bytes | None:
        """Return the value that the test has set for a topic, or None."""
        return self.values.get(topic)


async def results_of(toolbox: HomeToolbox, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """Make these calls; return what is said about each."""
    made = [{"id": str(at), "name": name, "arguments": arguments} for at, (name, arguments) in enumerate(calls)]
    async with asyncio.timeout(10):
        return [(await toolbox.do(call)).text for call in made]
