"""The discovery payload for Home Assistant: one device with components for the board and its tasks.

The format follows Home Assistant's documentation of MQTT discovery (device discovery, release 2024.11 and later): one
retained message on `<prefix>/device/<object id>/config` lists all components. A component that must be removed is
listed with nothing but its platform, until KEPT_GONE others have been removed after it: so a Home Assistant that was
offline for a while learns of it, and the list does not grow for years.

The settings of an entity (its name, its room, automations) belong to its unique_id. So that contains no work_id, which
changes with each start, but a place: the first llm task of the board is llm_1, whichever task that is. Pure: entries of
sys.lstask in, payload out.
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
TIMER_EVENTS = ["started", "changed", "cancelled", "ringing", "stopped", "snoozed", "missed"]

# An llm task has six components.
KEPT_GONE = 100
# Components of an earlier run: more than the tasks of a board with the default limit have.
MAX_ANNOUNCED = 1024
# The part of an id that follows the board's.
_TASK_ID = re.compile(r"(?P<unit>[a-z][a-z0-9]*)_(?P<number>[1-9][0-9]{0,5})_[a-z_]+")


@dataclass(frozen=True)
class Board:
    """The board of a payload."""

    node: str
    base: str
    """The board's own topics: unitd/<node>."""

    prefix: str
    version: str

    @property
    def object_id(self) -> str:
        """Return the node's name with characters for topics and ids; a hash keeps names in other letters unique."""
        more = "" if self.node.isascii() else "_" + sha256(self.node.encode()).hexdigest()[:6]
        return "unitd_" + re.sub(r"[^a-zA-Z0-9_-]", "_", self.node) + more

    @property
    def topic(self) -> str:
        """Return the topic of the payload."""
        return f"{self.prefix}/device/{self.object_id}/config"


class Places:
    """The place of each task: the first that is free for its unit."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, int]] = {}

    def take(self, work_id: str) -> None:
        """Give a new task a place."""
        unit = work_id.partition(".")[0]
        taken = set(self._taken.values())
        self._taken[work_id] = next((unit, number) for number in count(1) if (unit, number) not in taken)

    def leave(self, work_id: str) -> None:
        """Free the place of a task that has ended."""
        self._taken.pop(work_id, None)

    def __contains__(self, work_id: str) -> bool:
        return work_id in self._taken

    def __getitem__(self, work_id: str) -> "Place":
        return Place(work_id, *self._taken[work_id])


@dataclass(frozen=True)
class Place:
    """The place of a task, for ids and names of its entities."""

    work_id: str
    unit: str
    number: int

    @property
    def key(self) -> str:
        """Return the part of every unique_id."""
        return f"{self.unit}_{self.number}"

    @property
    def label(self) -> str:
        """Return the part of every name."""
        return self.unit if self.number == 1 else f"{self.unit} {self.number}"


def discovery(
    board: Board,
    tasks: Iterable[tuple[Place, Mapping[str, Any]]],
    known: Mapping[str, str],
    expected: Mapping[str, Component] | None = None,
) -> dict[str, Any]:
    """Return the payload for these tasks, each with its entry.

    `known` are the components (id to platform) that were announced before. `expected` are those of an earlier run that
    may come back; they are announced as they were, so that Home Assistant keeps them.
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
    """Return the platforms of a payload's components by id; {} when the payload has another form."""
    components = payload.get("components") if isinstance(payload, dict) else None
    if not isinstance(components, dict):
        return {}
    return {
        each: component["platform"]
        for each, component in components.items()
        if isinstance(component, dict) and isinstance(component.get("platform"), str)
    }


def living_in(payload: Any) -> dict[str, Component]:
    """Return the components of a payload, without those that were being removed."""
    found = {each: payload["components"][each] for each in platforms_in(payload)}
    return {each: component for each, component in found.items() if len(component) > 1}


def announced_before(board: Board, payload: Any) -> dict[str, Component]:
    """Return the components of tasks that an earlier run of this board announced, in the present form.

    Another client may have written the payload: only ids that this board gives, and the numbers of their tasks, are
    taken from it, and at most MAX_ANNOUNCED.
    """
    old = [(id_, each) for id_, each in living_in(payload).items() if id_.startswith(board.object_id)]
    made = {id_: _maybe_made(board, id_, each) for id_, each in old[:MAX_ANNOUNCED]}
    return {id_: each for id_, each in made.items() if each is not None}


def _maybe_made(board: Board, id_: str, old: Component) -> Component | None:
    """Return the component of this id, with the topics of its former task; None for an id of no board's task."""
    found = _TASK_ID.fullmatch(id_.removeprefix(f"{board.object_id}_"))
    if found is None:
        return None
    unit, number = found["unit"], int(found["number"])
    topic = str(old.get("state_topic") or old.get("command_topic"))
    work_id = topic.removeprefix(f"{board.base}/").partition("/")[0]
    if re.fullmatch(rf"{unit}\.[0-9]{{1,20}}", work_id) is None:
        work_id = f"{unit}.0"  # a work_id of no task
    return _task_components(board, Place(work_id, unit, number), {"inputs_": [f"{unit}.utf-8"]}).get(id_)


def known_after(payload: Any) -> dict[str, str]:
    """Return the components that the next payload must know: the present ones, and the last removed ones."""
    living = living_in(payload)
    # The newest removed ones come first: they were present in the payload before.
    platforms = platforms_in(payload)
    gone = [each for each in platforms if each not in living]
    return {each: platforms[each] for each in (*living, *islice(gone, KEPT_GONE))}


def _board_components(board: Board) -> dict[str, Component]:
    """Return the components of the board itself."""
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
    return {each["unique_id"]: each for each in (*sensors, *_timer_components(board))}


def _timer_components(board: Board) -> list[Component]:
    """Return the components of the board's timers."""
    topic = f"{board.base}/timers"

    def component(key: str, platform: str, name: str, **more: Any) -> Component:
        return _component(board, "board", f"timer_{key}", platform, name, **more)

    return [
        component(
            "next",
            "sensor",
            "Next timer",
            state_topic=topic,
            value_template="{{ value_json.next }}",
            device_class="timestamp",
            json_attributes_topic=topic,
        ),
        component("count", "sensor", "Timers", state_topic=topic, value_template="{{ value_json.count }}"),
        component("stop", "button", "Stop ringing", command_topic=f"{board.base}/timer/stop"),
        component("snooze", "button", "Snooze", command_topic=f"{board.base}/timer/snooze"),
        component("event", "event", "Timer", state_topic=f"{board.base}/timer/event", event_types=TIMER_EVENTS),
    ]


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
            # The state is empty when the task has ended, also with the daemon of an earlier run.
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
    """Return the sensor of a task's state and failure: the one entity that stays available when a task has failed."""
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
    """Return a component with the keys that all have."""
    unique_id = f"{board.object_id}_{owner}_{key}"
    return {"platform": platform, "name": name, "unique_id": unique_id, **more}
