"""The judge of the sentence check: what a sentence wants, and whether the calls that were made are that.

A call is the name of a tool and its arguments, with `entity` as the name of the device. A sentence has one or several
readings (`expect`, or the list `or`); the calls are held against each of them, and the best result counts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from tests.support.home.houses import Device, Sentence, chosen

READ = "get_state"
OF_SKILLS = ("timer_", "alarm_", "list_", "volume_", "speech_", "board_", "weather_", "calendar_")
"""The beginnings of the names of what skills do. A sentence that wants nothing of the home may be for one of them."""

HARMLESS = ("_get", "_list", "_read", "_state", "_again", "timer_stop")
"""The ends of the names of what skills do and nothing is changed by; "stop" ends a ring where there is one."""

VALUES = {
    "set_brightness": "percent",
    "set_position": "percent",
    "set_volume": "percent",
    "set_temperature": "degrees",
    "set_color": "color",
    "play_media": "media",
}
# An open cover is at 100 percent and a closed one at 0: either tool does what is wanted.
POSITIONS = {"open_cover": 100, "close_cover": 0}

# A tool may want the English name of a color, or the one that was said.
COLORS = {
    "rot": "red", "blau": "blue", "grün": "green", "gelb": "yellow", "weiß": "white",
    "rouge": "red", "bleu": "blue", "vert": "green",
    "rojo": "red", "azul": "blue", "verde": "green",
    "红色": "red", "蓝色": "blue", "绿色": "green",
}  # fmt: skip

Call = tuple[str, Mapping[str, Any]]
Wanted = dict[tuple[str, str], Any]  # tool and device, and the value that is wanted


class Result(IntEnum):
    """What became of a sentence, from best to worst."""

    RIGHT = 0
    INCOMPLETE = 1
    NOTHING_DONE = 2
    WRONG_ACTION = 3

    @property
    def words(self) -> str:
        """Return the name for people."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True)
class Verdict:
    """The result, and by which calls: the missing ones, and those that nobody wanted."""

    result: Result
    missing: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """One meaning of a sentence in a house: calls that switch, and devices whose state is asked for."""

    actions: Wanted
    asked: frozenset[str]


def readings(sentence: Sentence, house: Sequence[Device]) -> list[Reading]:
    """Return the meanings of a sentence; one whose set is empty in this house is left out."""
    wanted = sentence["or"] if "or" in sentence else [sentence["expect"]]
    found = [_reading(actions, house) for actions in wanted]
    return [reading for reading in found if reading is not None]


def judge(sentence: Sentence, house: Sequence[Device], calls: Iterable[Call]) -> Verdict:
    """Return the verdict about the calls that were made for a sentence in a house."""
    is_for_home = sentence["type"] != "nothing"
    made = [
        (name, arguments)
        for name, arguments in calls
        if not name.startswith(OF_SKILLS) or (is_for_home and not name.endswith(HARMLESS))
    ]
    verdicts = [_verdict(reading, made) for reading in readings(sentence, house)]
    if not verdicts:
        raise ValueError(f"{sentence['say']!r} means nothing in this house")
    return min(verdicts, key=lambda verdict: verdict.result)


def table(judged: Iterable[tuple[Sentence, Verdict]]) -> str:
    """Return the results by type of sentence, with the share that is right, as lines of text."""
    counts: dict[str, Counter[Result]] = {}
    for sentence, verdict in judged:
        for row in (sentence["type"], "all"):
            counts.setdefault(row, Counter())[verdict.result] += 1
    rows = [*sorted(row for row in counts if row != "all"), *(["all"] if counts else [])]
    titles = "".join(f"{result.words:>15}" for result in Result)
    return "\n".join([f"{'':10}{titles}{'share':>9}", *(_row(row, counts[row]) for row in rows)])


def _row(name: str, counts: Counter[Result]) -> str:
    numbers = "".join(f"{counts[result]:>15}" for result in Result)
    return f"{name:10}{numbers}{counts[Result.RIGHT] / counts.total():>9.1%}"


def _reading(actions: Sequence[Mapping[str, Any]], house: Sequence[Device]) -> Reading | None:
    wanted: Wanted = {}
    asked: set[str] = set()
    for action in actions:
        devices = _devices(action, house)
        if not devices:
            return None
        if "ask" in action:
            asked.update(devices)
        else:
            wanted.update(_normal(action["tool"], device, _value(action)) for device in devices)
    return Reading(wanted, frozenset(asked))


def _devices(action: Mapping[str, Any], house: Sequence[Device]) -> list[str]:
    """Return the names of the devices that an action means, without the excepted ones."""
    if "device" in action:
        return [device["name"] for device in house if device["name"] == action["device"]]
    meant = action["ask"] if "ask" in action else action["all"]
    if isinstance(meant, list):
        return [device["name"] for device in house if device["name"] in meant]
    excepted: set[str] = set()
    for exception in action.get("but", []):
        excepted.update([exception] if isinstance(exception, str) else chosen(exception, house))
    return [name for name in chosen(meant, house) if name not in excepted]


def _value(values: Mapping[str, Any]) -> Any:
    return next((values[name] for name in VALUES.values() if name in values), None)


def _normal(tool: str, device: str, value: Any) -> tuple[tuple[str, str], Any]:
    if tool in POSITIONS:
        return ("set_position", device), POSITIONS[tool]
    return (tool, device), value


def _verdict(reading: Reading, calls: Sequence[Call]) -> Verdict:
    missing = dict(reading.actions)
    unread = set(reading.asked)
    unwanted = []
    for tool, arguments in calls:
        if tool == READ:
            unread.discard(arguments.get("entity", ""))
            continue
        key, value = _normal(tool, arguments.get("entity", ""), arguments.get(VALUES.get(tool, "")))
        if key in missing and _fits(tool, value, missing[key]):
            del missing[key]  # a second call of the same kind is not wanted any more
        else:
            unwanted.append(f"{tool} {arguments}")
    open_ends = (*(f"{tool} {device}" for tool, device in missing), *(f"{READ} {name}" for name in sorted(unread)))
    return Verdict(_result(reading, len(open_ends), bool(unwanted)), open_ends, tuple(unwanted))


def _result(reading: Reading, missing: int, has_unwanted: bool) -> Result:
    if has_unwanted:
        return Result.WRONG_ACTION
    if not missing:
        return Result.RIGHT
    return Result.NOTHING_DONE if missing == len(reading.actions) + len(reading.asked) else Result.INCOMPLETE


def _fits(tool: str, value: Any, wanted: Any) -> bool:
    """Return whether a value is the wanted one, or lies on the wanted side of a limit."""
    if wanted is None:
        return True
    if isinstance(wanted, str):
        return isinstance(value, str) and _is_same_text(tool, value.casefold(), wanted.casefold())
    try:
        number = float(value)
    except (TypeError, ValueError):
        return False
    if isinstance(wanted, dict):
        return float(wanted.get("above", "-inf")) < number < float(wanted.get("below", "inf"))
    return number == float(wanted)


def _is_same_text(tool: str, value: str, wanted: str) -> bool:
    """Return whether it is the wanted color, also by its English name, or names the wanted media."""
    if tool == "play_media":
        return wanted in value
    return value in (wanted, COLORS.get(wanted))
