"""What Home Assistant is told: one device-based discovery payload for the board and everything on it.

Shapes after Home Assistant's documentation of MQTT discovery (device discovery, release 2024.11 and later): one
retained message on `<prefix>/device/<object id>/config` lists all components; one that shall go is listed once more
with nothing but its platform, and again until KEPT_GONE others have gone after it: a Home Assistant that was away for
a while shall hear of it, and a board whose tasks come and go for years shall not list them all. Pure: entries of
sys.lstask in, payload out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

Component = dict[str, Any]

HOMEPAGE = "https://github.com/unitd/unitd"
# A state in Home Assistant has at most 255 characters.
STATE_LENGTH = 255
# An llm task has five components.
KEPT_GONE = 100


@dataclass(frozen=True)
class Board:
    """Whose payload it is."""

    node: str
    base: str
    """The board's own topics: unitd/<node>."""

    prefix: str
    version: str

    @property
    def object_id(self) -> str:
        """The node's name as Home Assistant takes it in topics and ids."""
        return "unitd_" + re.sub(r"[^a-zA-Z0-9_-]", "_", self.node)

    @property
    def topic(self) -> str:
        """Where the payload is retained."""
        return f"{self.prefix}/device/{self.object_id}/config"


def discovery(board: Board, entries: Iterable[Mapping[str, Any]], known: Mapping[str, str]) -> dict[str, Any]:
    """The payload for these tasks; `known` are components (id to platform) that were announced before."""
    components = _board_components(board)
    for entry in entries:
        components |= _task_components(board, entry)
    gone = {each: {"platform": platform} for each, platform in known.items() if each not in components}
    return {
        "device": {
            "identifiers": [board.object_id],
            "name": board.node,
            "manufacturer": "unitd",
            "model": "voice and language device",
            "sw_version": board.version,
        },
        "origin": {"name": "unitd", "sw_version": board.version, "support_url": HOMEPAGE},
        "availability": [{"topic": f"{board.base}/status"}],
        "components": components | gone,
    }


def platforms_in(payload: Any) -> dict[str, str]:
    """The components of a payload that was announced before, by id; nothing if it is none of ours."""
    components = payload.get("components") if isinstance(payload, dict) else None
    if not isinstance(components, dict):
        return {}
    return {
        each: component["platform"]
        for each, component in components.items()
        if isinstance(component, dict) and isinstance(component.get("platform"), str)
    }


def living_in(payload: Any) -> dict[str, str]:
    """The same without those that were being taken back."""
    return {each: platform for each, platform in platforms_in(payload).items() if len(payload["components"][each]) > 1}


def known_after(payload: Any) -> dict[str, str]:
    """What the next payload has to know of this one: who was there, and who has gone last."""
    living = living_in(payload)
    # Who has just gone comes first: it was among the living of the payload before.
    gone = ((each, platform) for each, platform in platforms_in(payload).items() if each not in living)
    return living | dict(islice(gone, KEPT_GONE))


def _board_components(board: Board) -> dict[str, Component]:
    """How the board itself is."""
    stats = f"{board.base}/stats"

    def sensor(key: str, name: str, **more: Any) -> Component:
        return _component(
            board, "board", key, "sensor", name, state_topic=stats, value_template=f"{{{{ value_json.{key} }}}}", **more
        )

    measured = {"state_class": "measurement", "entity_category": "diagnostic"}
    sensors = [
        sensor("cpu_percent", "CPU", unit_of_measurement="%", **measured),
        sensor("memory_percent", "Memory", unit_of_measurement="%", **measured),
        sensor("temperature", "Temperature", unit_of_measurement="°C", device_class="temperature", **measured),
        sensor("uptime_s", "Uptime", unit_of_measurement="s", device_class="duration", entity_category="diagnostic"),
        sensor("version", "Version", entity_category="diagnostic"),
    ]
    return {each["unique_id"]: each for each in sensors}


def _task_components(board: Board, entry: Mapping[str, Any]) -> dict[str, Component]:
    maker = _MAKERS.get(entry["unit"])
    components = maker(board, entry["work_id"]) if maker else []
    available = [
        {"topic": f"{board.base}/status"},
        {
            "topic": f"{board.base}/{entry['work_id']}/state",
            "value_template": "{{ 'offline' if value_json.state == 'failed' else 'online' }}",
        },
    ]
    for each in components:
        each |= {"availability": available, "availability_mode": "all"}
    return {each["unique_id"]: each for each in components}


def _llm(board: Board, work_id: str) -> list[Component]:
    topic = f"{board.base}/{work_id}"
    return [
        _component(board, work_id, "ask", "text", f"Ask {work_id}", command_topic=f"{topic}/ask", max=STATE_LENGTH),
        _component(
            board,
            work_id,
            "answer",
            "sensor",
            f"Answer of {work_id}",
            state_topic=f"{topic}/answer",
            value_template=f"{{{{ value_json.text[:{STATE_LENGTH}] }}}}",
            json_attributes_topic=f"{topic}/answer",
        ),
        _component(
            board,
            work_id,
            "speed",
            "sensor",
            f"Speed of {work_id}",
            state_topic=f"{topic}/answer",
            value_template="{{ value_json.tokens_per_second }}",
            unit_of_measurement="tokens/s",
            state_class="measurement",
        ),
        _component(
            board,
            work_id,
            "work",
            "switch",
            f"{work_id} works",
            command_topic=f"{topic}/work",
            state_topic=f"{topic}/state",
            value_template="{{ 'OFF' if value_json.state == 'paused' else 'ON' }}",
        ),
        _component(board, work_id, "interrupt", "button", f"Interrupt {work_id}", command_topic=f"{topic}/interrupt"),
    ]


def _kws(board: Board, work_id: str) -> list[Component]:
    topic = f"{board.base}/{work_id}"
    return [
        _component(
            board,
            work_id,
            "wake",
            "event",
            f"Wake of {work_id}",
            state_topic=f"{topic}/wake",
            event_types=["wake"],
        ),
        _component(board, work_id, "wake_now", "button", f"Wake {work_id} now", command_topic=f"{topic}/wake_now"),
    ]


def _asr(board: Board, work_id: str) -> list[Component]:
    topic = f"{board.base}/{work_id}/utterance"
    return [
        _component(
            board,
            work_id,
            "utterance",
            "sensor",
            f"Utterance of {work_id}",
            state_topic=topic,
            value_template=f"{{{{ value_json.text[:{STATE_LENGTH}] }}}}",
            json_attributes_topic=topic,
        )
    ]


def _tts(board: Board, work_id: str) -> list[Component]:
    command = f"{board.base}/{work_id}/say"
    return [_component(board, work_id, "say", "notify", f"Speak by {work_id}", command_topic=command)]


_MAKERS = {"llm": _llm, "kws": _kws, "asr": _asr, "whisper": _asr, "tts": _tts, "melotts": _tts}


def _component(board: Board, owner: str, key: str, platform: str, name: str, **more: Any) -> Component:
    """What every component has; empty attributes are left to Home Assistant's defaults."""
    unique_id = f"{board.object_id}_{owner.replace('.', '_')}_{key}"
    return {"platform": platform, "name": name, "unique_id": unique_id, **more}
