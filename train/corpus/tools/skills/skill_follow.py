"""What people say after a skill has answered: an answer to its question, a correction, one more of the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from train.corpus.banks import bank
from train.corpus.tools.requests import Place
from train.corpus.tools.skills.skill_amounts import amount_of, kind_of, unit_of
from train.corpus.tools.skills.skill_fillers import slots_of
from train.corpus.tools.skills.skill_requests import KEPT, SkillAsked, Wish, answered, skills_of, written
from train.corpus.tools.skills.skill_spans import Draw, parts_of
from train.corpus.tools.skills.skill_tools import CHOICES, SIGNATURES
from train.corpus.tools.toolbox import Call

Arguments = dict[str, str]
Change = Callable[[Arguments, Arguments], list[tuple[str, Arguments]]]
"""The arguments of the call before and those that were said now, to the calls that are required."""

QUESTIONS = (
    ("For how long?", "start_timer length"), ("At what time?", "set_alarm when"),
    ("When should I remind you?", "remind when"), ("Which one:", "cancel_timer which"),
    ("Which one:", "cancel_alarm which"), ("What shall I add", "add_to_list item"),
)  # fmt: skip
"""How the daemon's questions begin, and the phrasings of the answers."""

OFTEN = {"start_timer correct": 3, "add_to_list": 2, "get_time place": 2, "convert unit": 2, "board_volume": 2}


def _again(tool: str, *kept: str) -> Change:
    """Return the same tool with what was said now, and with these arguments of the call before."""
    return lambda before, now: [(tool, {**{name: before.get(name, "") for name in kept}, **now})]


def _call_of(before: Arguments) -> str:
    """Return the words that tell the timer or alarm of the call before from others: its name, else its time."""
    return before.get("name", "") or before.get("length", "") or before.get("when", "")


def _instead(stop: str, start: str) -> Change:
    """Return that a timer or an alarm is cancelled, and another one set instead."""
    return lambda before, now: [(stop, {"which": _call_of(before)}), (start, {"name": before.get("name", ""), **now})]


def _other_day(before: Arguments, now: Arguments) -> list[tuple[str, Arguments]]:
    """Return an alarm at the time of the one before, on another day."""
    return [("set_alarm", {"when": f"{before['when']} {now['when']}", "name": before.get("name", "")})]


CHANGES: Mapping[str, Change] = {
    "start_timer length": _again("start_timer", "name"),
    "set_alarm when": _again("set_alarm", "name"),
    "remind when": _again("remind", "what"),
    "remind what": _again("remind", "when"),
    "cancel_timer which": _again("cancel_timer"),
    "cancel_alarm which": _again("cancel_alarm"),
    "add_to_list item": _again("add_to_list", "list"),
    "start_timer another": _again("start_timer"),
    "start_timer same": _again("start_timer", "length"),
    "start_timer correct": _instead("cancel_timer", "start_timer"),
    "start_timer cancel": lambda before, now: [("cancel_timer", {"which": _call_of(before)})],
    "start_timer ask": lambda before, now: [("ask_timer", {"which": before.get("name", "")})],
    "start_timer add": lambda before, now: [("change_timer", {"change": "add", "name": before.get("name", ""), **now})],
    "set_alarm correct": _instead("cancel_alarm", "set_alarm"),
    "set_alarm another": _again("set_alarm"),
    "set_alarm same": _other_day,
    "set_alarm ask": _again("ask_alarm"),
    "set_alarm cancel": lambda before, now: [("cancel_alarm", {"which": _call_of(before)})],
    "remind same": _again("remind", "what"),
    "remind another": _again("remind", "when"),
    "get_time place": _again("get_time"),
    "get_date day": _again("get_date"),
    "count_days day": _again("count_days"),
    "get_weather day": _again("get_weather", "place"),
    "get_weather place": _again("get_weather", "day"),
    "get_calendar day": _again("get_calendar"),
    "convert unit": _again("convert", "amount"),
    "convert amount": _again("convert", "unit"),
    "calculate": _again("calculate"),
    "board_volume": _again("board_volume"),
    "add_to_list": _again("add_to_list", "list"),
    "add_to_list remove": _again("remove_from_list", "list"),
    "add_to_list read": _again("read_list", "list"),
    "remove_from_list": _again("remove_from_list", "list"),
    "read_list": _again("read_list"),
    "read_list add": _again("add_to_list", "list"),
    "read_list clear": _again("clear_list", "list"),
    "board_info": _again("board_info"),
}
"""By block of phrasings, what is required. Blocks begin with the tool of the call before."""

FORMS = {"set_alarm cancel": "start_timer cancel"}
"""Blocks with the phrasings of another one."""

INFO = {
    "address": ("ip address", "ip", "address in the network"), "temperature": ("temperature", "cpu temperature"),
    "memory": ("memory", "memory usage", "ram"), "uptime": ("uptime",), "name": ("host name", "hostname"),
    "version": ("version", "software version"),
}  # fmt: skip


def _possible(place: Place, before: SkillAsked) -> list[str]:
    """Return the blocks that may follow a request."""
    call = before.calls[0]
    said = call["arguments"]
    question = next(
        (name for begin, name in QUESTIONS if before.answer.startswith(begin) and name.startswith(call["name"])), ""
    )
    if question:
        return [] if question == "remind when" and not said.get("what") else [question]
    if "did not work" in before.answer or before.answer.endswith("?"):
        return []
    offered = set(skills_of(place))
    names = [name for name in CHANGES if name.split()[0] == call["name"] and name not in dict(QUESTIONS).values()]
    found = [name for name in names if {tool for tool, _ in CHANGES[name](said, {"when": ""})} <= offered]
    return [name for name in found if _fits(name, said)]


def _fits(name: str, said: Mapping[str, str]) -> bool:
    """Return whether a block makes sense after a call with these arguments."""
    if name in ("cancel_timer which", "cancel_alarm which", "remind what", "add_to_list item"):
        return False
    if name == "set_alarm same":
        words = said["when"].lower().split()
        return len(words) < 3 and not {"tomorrow", "today", "tonight", "daily", "in", "on"} & set(words)
    if name in ("convert amount", "convert unit"):
        return bool(kind_of(said["unit"]))
    wanted = {
        "remind same": "what",
        "remind another": "when",
        "start_timer same": "length",
        "start_timer add": "length",
    }
    return bool(said.get(wanted.get(name, ""), "yes"))


def follow_skill(place: Place, before: SkillAsked) -> SkillAsked | None:
    """Return a request that can only be understood from the one before."""
    rng = place.rng
    if len(before.calls) != 1 or not before.answer:
        return None
    possible = _possible(place, before)
    if not possible:
        return None
    name = rng.choices(possible, [OFTEN.get(each, 1) for each in possible])[0]
    forms = bank("skill_follow")[FORMS.get(name, name)]
    tool = CHANGES[name](before.calls[0]["arguments"], {"when": ""})[-1][0]
    draw = Draw(rng, place.split if rng.random() < 0.5 else "train", {})
    template, change = forms.pick(rng, place.split), ""
    if name == "board_info":
        change = rng.choice(list(INFO))
        template = template.replace("{info}", rng.choice(INFO[change]))
    slots = dict(slots_of(tool))
    if tool == "convert":
        # Miles are never asked for in litres.
        kind = kind_of(before.calls[0]["arguments"]["unit"])
        slots |= {"amount": ("amount", amount_of(kind)), "unit": ("unit", unit_of(kind))}
    wish = Wish(tuple(parts_of(template, draw, slots, KEPT.get(tool, ""))), ((tool, change),), "follow-up")
    asked = written(rng, wish)
    calls = _calls(name, before.calls[0]["arguments"], asked, change)
    told = _told(name, before, wish, change)
    done = answered(rng, replace(asked, calls=calls, told=told))
    return replace(done, wish=None)


def _calls(name: str, before: Arguments, asked: SkillAsked, change: str) -> tuple[Call, ...]:
    said = {key: words for key, words in asked.calls[0]["arguments"].items() if words}
    return tuple(
        {"name": tool, "arguments": {key: arguments.get(key, "") for key in SIGNATURES[tool]}}
        for tool, arguments in CHANGES[name](before, said)
    )


def _told(name: str, before: SkillAsked, wish: Wish, change: str) -> tuple[Mapping[str, str], ...]:
    """Return the arguments of the calls in the words of answers."""
    made = CHANGES[name]({"when": "", **before.told[0]}, {key: words for key, words in wish.told(0).items() if words})
    return tuple({**arguments, **dict.fromkeys(CHOICES.get(tool, ()), change or arguments.get("change", ""))}
                 for tool, arguments in made)  # fmt: skip
