"""Asks the sentences of the check in a real daemon: a house becomes a tools file and retained states on a broker."""

import asyncio
import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import aiomqtt

from tests.support.home.houses import Device, Sentence
from tests.support.home.judging import Call

CALL = "llm.tool_call"

_PERCENT = "{type = 'integer', minimum = 0, maximum = 100}"
_SWITCHED = ("light", "switch", "fan", "media", "climate")
_TOOLS: Mapping[str, tuple[tuple[str, ...], str, str, str]] = {
    "turn_on": (_SWITCHED, "on", "", ""),
    "turn_off": (_SWITCHED, "off", "", ""),
    "set_brightness": (("light",), '{"brightness": {{ percent }}}', "percent", _PERCENT),
    "set_color": (("light",), '{"color": {{ color | tojson }}}', "color", "{type = 'string'}"),
    "open_cover": (("cover",), "open", "", ""),
    "close_cover": (("cover",), "close", "", ""),
    "set_position": (("cover",), '{"position": {{ percent }}}', "percent", _PERCENT),
    "set_temperature": (
        ("climate",), '{"temperature": {{ degrees }}}', "degrees", "{type = 'number', minimum = 5, maximum = 30}"
    ),
    "set_volume": (("media",), '{"volume": {{ percent }}}', "percent", _PERCENT),
    "play_media": (("media",), '{"play": {{ media | tojson }}}', "media", "{type = 'string'}"),
    "pause_media": (("media",), "pause", "", ""),
    "lock": (("lock",), "lock", "", ""),
    "unlock": (("lock",), "unlock", "", ""),
    "activate_scene": (("scene",), "on", "", ""),
}  # fmt: skip
"""The usual tools: the kinds of devices, the payload, the parameter and its schema."""

_GET_STATE = """
[[tool]]
name = "get_state"
kinds = ["light", "switch", "fan", "cover", "climate", "media", "lock", "sensor"]
state = "home/{{ entity.id }}/state"
"""

_STATES: Mapping[str, dict[str, Any]] = {
    "light": {"state": "on", "brightness": 127},  # of 254
    "switch": {"state": "on"},
    "fan": {"state": "on"},
    "cover": {"state": "open", "position": 50},
    "climate": {"state": "heat", "temperature": 20, "current_temperature": 19.5},
    "media": {"state": "playing", "volume": 40},
    "lock": {"state": "locked"},
}
_SENSORS: Mapping[str, dict[str, Any]] = {
    "temperature": {"state": 19.5, "unit_of_measurement": "°C"},
    "humidity": {"state": 48, "unit_of_measurement": "%"},
}


def tools_file(house: Sequence[Device], areas: Iterable[Mapping[str, Any]] = ()) -> str:
    """Return the tools file of a house: its areas, its devices with a topic each, and the usual tools."""
    used = {device["area"] for device in house}
    rows = [_table("area", area) for area in areas if area["name"] in used]
    rows += [_table("entity", {**device, "id": f"d{at}"}) for at, device in enumerate(house)]
    return "\n".join([*rows, *map(_tool, _TOOLS), _GET_STATE])


def _tool(name: str) -> str:
    kinds, payload, parameter, schema = _TOOLS[name]
    row = _table("tool", {"name": name, "kinds": kinds, "topic": "home/{{ entity.id }}/set", "payload": payload})
    return f"{row}parameters.{parameter} = {schema}\n" if parameter else row


def _table(name: str, values: Mapping[str, Any]) -> str:
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value]
    return "\n".join([f"[[{name}]]", *lines, ""])


def states_of(house: Sequence[Device]) -> dict[str, str]:
    """Return what each device reports, by topic."""
    states = (
        _STATES.get(each["kind"]) or _SENSORS.get(each.get("device_class", ""), {"state": "off"}) for each in house
    )
    return {f"home/d{at}/state": json.dumps(state) for at, state in enumerate(states)}


async def publish_states(client: aiomqtt.Client, house: Sequence[Device]) -> None:
    """Publish the state of each device, retained."""
    for topic, state in states_of(house).items():
        await client.publish(topic, state, qos=1, retain=True)


class Answer(NamedTuple):
    """The calls and the answer that a sentence led to."""

    calls: list[Call]
    words: str
    seconds: float
    """From the question to the first call; to the end of the answer where there was no call."""

    by: str
    """Who understood the sentence: "intent" or "model"; "" where there was no call."""

    seconds_to_end: float
    """From the question to the end of the answer."""


class Asker:
    """A client that asks each sentence in a task of its own, so that none knows of the one before."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        await self._writer.wait_closed()

    async def ask(self, sentence: Sentence, *, unit: str = "llm", language: str = "en") -> Answer:
        """Set a task up for the sentence's room, ask, and end the task."""
        work_id = await self.set_up(unit, language, sentence.get("room", ""))
        answer = await self._inference(work_id, sentence["say"])
        await self._answer(await self._send(work_id, "exit"))
        return answer

    async def set_up(self, unit: str, language: str, room: str = "") -> str:
        """Set a task up; while one is there, the programs of the next ones need not start."""
        setup = {"response_format": f"{unit}.utf-8.stream", "enoutput": True, "input": f"{unit}.utf-8"}
        setup |= {"tools": "home", "area": room, "language": language, "frame_interval_ms": 0}
        setup |= {"model": "default", "prompt": "You are a home assistant."} if unit == "llm" else {}
        reply = await self._answer(await self._send(unit, "setup", data=setup))
        if reply["error"]["code"]:
            raise RuntimeError(reply["error"]["message"])
        return str(reply["work_id"])

    async def _inference(self, work_id: str, text: str) -> Answer:
        began = asyncio.get_running_loop().time()
        unit = work_id.partition(".")[0]
        data = {"delta": text, "index": 0, "finish": True}
        number = await self._send(work_id, "inference", object=f"{unit}.utf-8.stream", data=data)
        calls: list[Call] = []
        words, first, by = "", 0.0, ""
        while True:
            frame = await self._answer(number)
            if frame["error"]["code"]:
                raise RuntimeError(f"{text!r}: {frame['error']['message']}")
            if frame["object"] == CALL:
                first, by = first or asyncio.get_running_loop().time(), frame["data"]["by"]
                calls.append((frame["data"]["name"], frame["data"]["arguments"]))
                continue
            words += frame["data"]["delta"]
            if frame["data"]["finish"]:
                end = asyncio.get_running_loop().time()
                return Answer(calls, words, (first or end) - began, by, end - began)

    async def _send(self, work_id: str, action: str, **fields: Any) -> str:
        number = str(next(self._numbers))
        request = {"request_id": number, "work_id": work_id, "action": action, **fields}
        self._writer.write(json.dumps(request).encode())
        await self._writer.drain()
        return number

    async def _answer(self, number: str) -> dict[str, Any]:
        """Return the next frame of this request; others are of tasks that have ended."""
        while True:
            frame: dict[str, Any] = json.loads(await self._reader.readline())
            if frame["request_id"] == number:
                return frame
