"""A home for the intent program, and somebody who lives in it: their sentences, and what then happens."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from tests.support.units.fake_host import FakeHost
from tests.support.units.skill_talk import read_skills
from unitd.wire.envelope import Envelope
from units.intent.recognizer import Recognizer
from units.intent.unit import IntentUnit

read_language = cache(Recognizer)
"""To read the sentences of a language takes longer than most tests, and nothing that is recognised changes them."""

PERCENT = {"percent": {"type": "integer", "minimum": 0, "maximum": 100}}
SWITCHED = ["light", "switch", "fan", "climate", "media"]
TOOLS: Mapping[str, tuple[list[str], Mapping[str, Any]]] = {
    "turn_on": (SWITCHED, {}),
    "turn_off": (SWITCHED, {}),
    "set_brightness": (["light"], {"percent": {"type": "integer", "minimum": 1, "maximum": 100}}),
    "set_color": (["light"], {"color": {"type": "string"}}),
    "open_cover": (["cover"], {}),
    "close_cover": (["cover"], {}),
    "set_position": (["cover"], PERCENT),
    "set_temperature": (["climate"], {"degrees": {"type": "number", "minimum": 5, "maximum": 30}}),
    "set_volume": (["media"], PERCENT),
    "play_media": (["media"], {"media": {"type": "string"}}),
    "pause_media": (["media"], {}),
    "lock": (["lock"], {}),
    "unlock": (["lock"], {}),
    "activate_scene": (["scene"], {}),
    "get_state": ([*SWITCHED, "cover", "lock", "sensor"], {}),
}
"""Name, kinds and parameters of the usual tools."""

FLOORS = {"kitchen": "downstairs", "hall": "downstairs", "living room": "downstairs", "study": "upstairs"}


def device(name: str, kind: str, area: str = "", *aliases: str, **more: str) -> dict[str, Any]:
    """Return a row of the home."""
    return {"name": name, "kind": kind, "area": area, "aliases": list(aliases), "id": name.replace(" ", "_"), **more}


DEVICES = [
    device("kitchen light", "light", "kitchen", "ceiling lamp"),
    device("counter lamp", "light", "kitchen"),
    device("desk lamp", "light", "study"),
    device("study fan", "fan", "study"),
    device("front door", "lock", "hall"),
    device("back door", "lock", "kitchen"),
    device("kitchen blind", "cover", "kitchen"),
    device("study curtain", "cover", "study"),
    device("kitchen window", "sensor", "kitchen"),
    device("study window", "cover", "study"),
    device("heater", "climate", "living room"),
    device("television", "media", "living room", "tv"),
    device("movie night", "scene"),
]


def home(devices: Sequence[Mapping[str, Any]] = DEVICES, **more: Any) -> dict[str, Any]:
    """Return the data of a home with the usual tools, as the daemon sends it."""
    areas = dict.fromkeys(each["area"] for each in devices if each["area"])
    tools = [{"name": name, "kinds": kinds, "parameters": schema} for name, (kinds, schema) in TOOLS.items()]
    return {
        "entities": list(devices),
        "areas": [{"name": name, "floor": FLOORS.get(name, ""), "aliases": []} for name in areas],
        "floors": [{"name": name, "aliases": []} for name in dict.fromkeys(FLOORS.values())],
        "tools": tools,
        "area": "",
        "languages": ["en"],
        **more,
    }


def without_tools(data: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return a home that lacks these tools."""
    return {**data, "tools": [tool for tool in data["tools"] if tool["name"] not in names]}


class Inhabitant:
    """Somebody who speaks to the program; the calls are done at once, by devices that are remembered here."""

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        read: Callable[[str], Recognizer] = read_language,
        today: Callable[[], datetime] = lambda: datetime.now().astimezone(),
        **setup: Any,
    ) -> None:
        self.now = 0.0
        """The time of the program's clock."""

        self.unit = IntentUnit(FakeHost(), read, clock=lambda: self.now, now=today, read_skills=read_skills)
        self.states: dict[str, dict[str, Any]] = {}
        """By device what `get_state` finds; devices that are not in it are silent."""

        self.failing: dict[str, str] = {}
        """By device why its calls fail, as the daemon says it."""

        self.reasons: dict[str, dict[str, Any]] = {}
        """By device that fails the code of its reason, and what would be allowed."""

        self.tell("setup", data={"home": home() if data is None else data, **setup})

    def tell(self, type_: str, **fields: Any) -> dict[str, Any]:
        """Send a message of the task, and return the fields of the answer."""
        return dict(self.unit.handlers[type_](Envelope(type_, {"task": "intent.1", **fields})) or {})

    def recognize(self, text: str, **more: Any) -> dict[str, Any]:
        """Return the answer to a sentence, before anything is done."""
        return self.tell("recognize", text=text, **more)

    def calls(self, text: str, **more: Any) -> list[tuple[Any, ...]]:
        """Return the first calls of a sentence: the tool and its arguments."""
        return [called(call) for call in self.recognize(text, **more).get("calls", [])]

    def say(self, text: str, **more: Any) -> tuple[list[tuple[Any, ...]], str]:
        """Let everything be done that a sentence asks for; return the calls that were made, and the answer.

        The answer is "" where a model is to answer.
        """
        reply, made = self.recognize(text, **more), []
        while "calls" in reply:
            made += [called(call) for call in reply["calls"]]
            outcomes = [self._outcome(call) for call in reply["calls"]]
            reply = self.tell("outcomes", turn=reply["turn"], outcomes=outcomes)
        return made, reply.get("answer", "")

    def _outcome(self, call: Mapping[str, Any]) -> dict[str, Any]:
        if "skill" in call:  # this board has no skills
            return {"is_done": False, "text": "That did not work.", "state": None, "reason": "failed"}
        entity = call["arguments"]["entity"]
        if entity in self.failing:
            return {"is_done": False, "text": self.failing[entity], "state": None, **self.reasons.get(entity, {})}
        state = self.states.get(entity) if call["name"] == "get_state" else None
        return {"is_done": True, "text": f"The {entity} is done.", "state": state}


def called(call: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the name of a call's tool and the values of its arguments."""
    return (call["name"], *call["arguments"].values())


def state(value: str, unit: str = "", **attributes: Any) -> dict[str, Any]:
    """Return a state as the daemon reads it."""
    return {"state": value, "unit": unit, "attributes": attributes}
