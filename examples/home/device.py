"""A simulated device on MQTT: `python device.py light "kitchen light"` uses the broker at $BROKER_PORT.

    home/<id>/set      accepts {"state": "on", "percent": 40}; a thermostat {"state": "on", "degrees": 21}
    home/<id>/state    is the retained state: off, on, on, 40 percent

Each change is printed.
"""

import asyncio
import json
import os
import sys

import aiomqtt

# Make room below, insert a line above the cursor's line, write there, and return the cursor to its place.
ABOVE = "\x1bD\x1b[A\x1b7\x1b[L\r{}\x1b8\x1b[B"

UNITS = {"light": ("percent", "percent"), "thermostat": ("degrees", "degrees")}


class Device:
    """A light with its brightness, or a thermostat with its temperature."""

    def __init__(self, kind: str, name: str) -> None:
        self.name = name
        self.topic = f"home/{name.replace(' ', '_')}"
        self._key, self._unit = UNITS[kind]
        self._is_on = False
        self._level: float | None = None

    def command(self, payload: bytes) -> None:
        """Carry out a message.

        Raises:
            ValueError: the message is not a command.
        """
        command = json.loads(payload)
        if not isinstance(command, dict):
            raise ValueError("a command is an object")
        self._is_on = command.get("state", "on") == "on"
        self._level = command.get(self._key, self._level)

    @property
    def state(self) -> str:
        """Return the state in words for people and language models."""
        if not self._is_on:
            return "off"
        return "on" if self._level is None else f"on, {self._level:g} {self._unit}"


async def run(device: Device, port: int) -> None:
    """Carry out commands until cancelled."""
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe(f"{device.topic}/set", qos=1)
        await client.publish(f"{device.topic}/state", device.state, qos=1, retain=True)
        async for message in client.messages:
            try:
                device.command(bytes(message.payload))
            except ValueError as error:
                show(f"{device.name} does not understand: {error}")
                continue
            await client.publish(f"{device.topic}/state", device.state, qos=1, retain=True)
            show(f"{device.name}: {device.state}")


def show(words: str) -> None:
    """Print a line; on a terminal, above the line that may contain the prompt of the conversation."""
    sys.stdout.write(ABOVE.format(f"    * {words}") if sys.stdout.isatty() else f"    * {words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(run(Device(sys.argv[1], sys.argv[2]), int(os.environ["BROKER_PORT"])))
