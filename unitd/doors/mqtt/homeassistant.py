"""What Home Assistant is told: one device-based discovery payload for the board and everything on it.

Shapes after Home Assistant's documentation of MQTT discovery (device discovery, release 2024.11 and later): one
retained message on `<prefix>/device/<object id>/config` lists all components; one that shall go is listed once more
with nothing but its platform, and again until KEPT_GONE others have gone after it: a Home Assistant that was away for
a while shall hear of it, and a board whose tasks come and go for years shall not list them all.

What people set for an entity (its name, its room, automations) hangs on its unique_id. So that has no work_id in it,
which is another one after each start, but a place: the first llm task of the board is llm_1, whichever task that is.
Pure: entries of sys.lstask in, payload out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, islice
from typing import Any

from unitd.core.tasks.kinds import Output, kind_named

Component = dict[str, Any]

# A state in Home Assistant has at most 255 characters.
STATE_LENGTH = 255
# An llm task has six components.
KEPT_GONE = 100
# Of an earlier run: more than the tasks of a board with the usual limit have.
MAX_ANNOUNCED = 1024
# The part of an id that follows the board's.
_TASK_ID = re.compile(r"(?P<unit>[a-z][a-z0-9]*)_(?P<number>[1-9][0-9]{0,5})_[a-z_]+")


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
        """The node's name as Home Assistant takes it in topics and ids; names in other letters stay different."""
        more = "" if self.node.isascii() else "_" + sha256(self.node.encode()).hexdigest()[:6]
        return "unitd_" + re.sub(r"[^a-zA-Z0-9_-]", "_", self.node) + more

    @property
    def topic(self) -> str:
        """Where the payload is retained."""
        return f"{self.prefix}/device/{self.object_id}/config"


class Places:
    """Which place each task has: the first that is free for its unit."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, int]] = {}

    def take(self, work_id: str) -> None:
        """For a task that is new."""
        unit = work_id.partition(".")[0]
        taken = set(self._taken.values())
        self._taken[work_id] = next((unit, number) for number in count(1) if (unit, number) not in taken)

    def leave(self, work_id: str) -> None:
        """For one that has ended."""
        self._taken.pop(work_id, None)

    def __contains__(self, work_id: str) -> bool:
        return work_id in self._taken

    def __getitem__(self, work_id: str) -> "Place":
        return Place(work_id, *self._taken[work_id])


@dataclass(frozen=True)
class Place:
    """Whose entities they are, for Home Assistant and in words."""

    work_id: str
    unit: str
    number: int

    @property
    def key(self) -> str:
        """Part of every unique_id."""
        return f"{self.unit}_{self.number}"

    @property
    def label(self) -> str:
        """Part of every name."""
        return self.unit if self.number == 1 else f"{self.unit} {self.number}"


def discovery(
    board: Board,
    tasks: Iterable[tuple[Place, Mapping[str, Any]]],
    known: Mapping[str, str],
    expected: Mapping[str, Component] | None = None,
) -> dict[str, Any]:
    """The payload for these tasks, each with its entry.

    `known`: components (id to platform) that were announced before. `expected`: those of an earlier run that may come
    back, as they were; Home Assistant keeps them meanwhile.
    """
    components = dict(expected or {}) | _board_components(board)
    for place, entry in tasks:
        components |= _task_components(board, place, entry)
    gone = {each: {"platform": platform} for each, platform in known.items() if each not in components}
    return {
        "device": {
            "identifiers": [board.object_id],
            "name": board.node,
            "manufacturer": "unitd",
            "model": "voice and language device",
            "sw_version": board.version,
        },
        "origin": {"name": "unitd", "sw_version": board.version},
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


def living_in(payload: Any) -> dict[str, Component]:
    """The components themselves, without those that were being taken back."""
    found = {each: payload["components"][each] for each in platforms_in(payload)}
    return {each: component for each, component in found.items() if len(component) > 1}


def announced_before(board: Board, payload: Any) -> dict[str, Component]:
    """Return the components of tasks that an earlier run of this board announced, as this one announces such.

    Whoever may publish on the topic may have written the payload: nothing but the ids is taken from it, of those that
    this board gives, and the numbers of their tasks; and not more of them than a board has.
    """
    old = [(id_, each) for id_, each in living_in(payload).items() if id_.startswith(board.object_id)]
    made = {id_: _maybe_made(board, id_, each) for id_, each in old[:MAX_ANNOUNCED]}
    return {id_: each for id_, each in made.items() if each is not None}


def _maybe_made(board: Board, id_: str, old: Component) -> Component | None:
    """The component of this id, with the topics of its task then; None for an id that this board does not give."""
    found = _TASK_ID.fullmatch(id_.removeprefix(f"{board.object_id}_"))
    if found is None:
        return None
    unit, number = found["unit"], int(found["number"])
    topic = str(old.get("state_topic") or old.get("command_topic"))
    work_id = topic.removeprefix(f"{board.base}/").partition("/")[0]
    if re.fullmatch(rf"{unit}\.[0-9]{{1,20}}", work_id) is None:
        work_id = f"{unit}.0"  # of no task
    return _task_components(board, Place(work_id, unit, number), {"inputs_": [f"{unit}.utf-8"]}).get(id_)


def known_after(payload: Any) -> dict[str, str]:
    """What the next payload has to know of this one: who was there, and who has gone last."""
    living = living_in(payload)
    # Who has just gone comes first: it was among the living of the payload before.
    platforms = platforms_in(payload)
    gone = [each for each in platforms if each not in living]
    return {each: platforms[each] for each in (*living, *islice(gone, KEPT_GONE))}


def _board_components(board: Board) -> dict[str, Component]:
    """How the board itself is."""
    stats = f"{board.base}/stats"

    def sensor(key: str, name: str, **more: Any) -> Component:
        template = f"{{{{ value_json.{key} }}}}"
        return _component(board, "board", key, "sensor", name, state_topic=stats, value_template=template, **more)

    measured = {"state_class": "measurement", "entity_category": "diagnostic"}
    sensors = [
        sensor("cpu_percent", "CPU", unit_of_measurement="%", **measured),
        sensor("memory_percent", "Memory", unit_of_measurement="%", **measured),
        sensor("temperature", "Temperature", unit_of_measurement="°C", device_class="temperature", **measured),
        sensor("uptime_s", "Uptime", unit_of_measurement="s", device_class="duration", entity_category="diagnostic"),
        sensor("version", "Version", entity_category="diagnostic"),
    ]
    return {each["unique_id"]: each for each in sensors}


def _task_components(board: Board, place: Place, entry: Mapping[str, Any]) -> dict[str, Component]:
    kind = kind_named(place.unit)
    maker = _MAKERS.get(kind.output)
    components = maker(board, place) if maker else []
    if maker and not kind.takes_itself(entry["inputs_"]):
        components = [each for each in components if each["platform"] not in ("text", "notify")]
    available = [
        {"topic": f"{board.base}/status"},
        {
            "topic": f"{board.base}/{place.work_id}/state",
            # It is empty when the task has ended, also with the daemon of an earlier run: then nothing is there.
            "value_template": f"{{{{ 'offline' if {_STATE} | default('failed') == 'failed' else 'online' }}}}",
        },
    ]
    for each in components:
        each |= {"availability": available, "availability_mode": "all"}
    state = _state(board, place)
    return {each["unique_id"]: each for each in (*components, state)}


_ENTRY = "(value_json | default({}))"
_STATE = f"{_ENTRY}.state"
STATES = ["loading", "idle", "running", "paused", "failed", "ended"]


def _state(board: Board, place: Place) -> Component:
    """How the task is, and why it has failed: the one entity that a failed task leaves available."""
    topic = f"{board.base}/{place.work_id}/state"
    state = f"{{{{ {_STATE} | default('ended') }}}}"
    return _component(
        board,
        place.key,
        "state",
        "sensor",
        f"State of {place.label}",
        state_topic=topic,
        value_template=state,
        device_class="enum",
        options=STATES,
        entity_category="diagnostic",
        json_attributes_topic=topic,
        json_attributes_template=f"{{{{ {{'reason': {_ENTRY}.reason | default('')}} | to_json }}}}",
        availability=[
            {"topic": f"{board.base}/status"},
            {"topic": topic, "value_template": f"{{{{ 'online' if {_STATE} | default('') else 'offline' }}}}"},
        ],
        availability_mode="all",
    )


def _llm(board: Board, place: Place) -> list[Component]:
    topic = f"{board.base}/{place.work_id}"

    def component(key: str, platform: str, name: str, **more: Any) -> Component:
        return _component(board, place.key, key, platform, name, **more)

    return [
        component("ask", "text", f"Ask {place.label}", command_topic=f"{topic}/ask", max=STATE_LENGTH),
        component(
            "answer",
            "sensor",
            f"Answer of {place.label}",
            state_topic=f"{topic}/answer",
            value_template=f"{{{{ value_json.text[:{STATE_LENGTH}] }}}}",
            json_attributes_topic=f"{topic}/answer",
        ),
        component(
            "speed",
            "sensor",
            f"Speed of {place.label}",
            state_topic=f"{topic}/answer",
            value_template="{{ value_json.tokens_per_second }}",
            unit_of_measurement="tokens/s",
            state_class="measurement",
        ),
        component(
            "work",
            "switch",
            f"{place.label} works",
            command_topic=f"{topic}/work",
            state_topic=f"{topic}/state",
            value_template=f"{{{{ 'OFF' if {_STATE} == 'paused' else 'ON' }}}}",
        ),
        component("interrupt", "button", f"Interrupt {place.label}", command_topic=f"{topic}/interrupt"),
    ]


def _kws(board: Board, place: Place) -> list[Component]:
    topic, name = f"{board.base}/{place.work_id}", f"Wake of {place.label}"
    now = f"Wake {place.label} now"
    return [
        _component(board, place.key, "wake", "event", name, state_topic=f"{topic}/wake", event_types=["wake"]),
        _component(board, place.key, "wake_now", "button", now, command_topic=f"{topic}/wake_now"),
    ]


def _asr(board: Board, place: Place) -> list[Component]:
    topic = f"{board.base}/{place.work_id}/utterance"
    return [
        _component(
            board,
            place.key,
            "utterance",
            "sensor",
            f"Utterance of {place.label}",
            state_topic=topic,
            value_template=f"{{{{ value_json.text[:{STATE_LENGTH}] }}}}",
            json_attributes_topic=topic,
        )
    ]


def _tts(board: Board, place: Place) -> list[Component]:
    command = f"{board.base}/{place.work_id}/say"
    return [_component(board, place.key, "say", "notify", f"Speak by {place.label}", command_topic=command)]


_MAKERS = {Output.ANSWER: _llm, Output.WAKE: _kws, Output.TRANSCRIPT: _asr, Output.SOUND: _tts}


def _component(board: Board, owner: str, key: str, platform: str, name: str, **more: Any) -> Component:
    """What every component has; empty attributes are left to Home Assistant's defaults."""
    unique_id = f"{board.object_id}_{owner}_{key}"
    return {"platform": platform, "name": name, "unique_id": unique_id, **more}
