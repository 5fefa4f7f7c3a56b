"""The board's skills as tools of a model that has learned them: a call becomes a sentence for the skill. Pure.

All arguments are words of the person, "" for what was not said: the skill reads times, amounts and names, not the
model. A call with words that the person has not said is not done.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

_SLOT = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"\w+")

LANGUAGE = "en"
"""The language of the sentences below."""


class SkillTool(NamedTuple):
    """A tool with its parameters, and the sentences for a call of it, the best first."""

    parameters: Sequence[str]
    sentences: Sequence[str] = ()
    choices: Mapping[str, Mapping[str, Sequence[str]]] = {}
    """The words of the first parameter if it is one of a few, and the sentences for each."""


SKILL_TOOLS: Mapping[str, SkillTool] = {
    "start_timer": SkillTool(
        ("length", "name"),
        (
            "set a {name} timer for {length}",
            "set a timer for {length} called {name}",
            "set a timer for {length}",
            "set a {name} timer",
            "set a timer",
        ),
    ),
    "change_timer": SkillTool(
        ("change", "length", "name"),
        choices={
            "change": {
                "add": (
                    "add {length} to the {name} timer",
                    "add {length} to the timer",
                    "make the {name} timer longer",
                    "make the timer longer",
                ),
                "subtract": (
                    "take {length} off the {name} timer",
                    "take {length} off the timer",
                    "make the {name} timer shorter",
                    "make the timer shorter",
                ),
                "pause": ("pause the {name} timer", "pause the timer"),
                "resume": ("resume the {name} timer", "resume the timer"),
                "restart": ("restart the {name} timer", "restart the timer"),
            }
        },
    ),
    "cancel_timer": SkillTool(("which",), ("cancel the {which} timer", "cancel {which} timers", "cancel the timer")),
    "ask_timer": SkillTool(
        ("which",),
        (
            "how long is left on the {which} timer",
            "how long is left on {which} timers",
            "how long is left on the timer",
        ),
    ),
    "set_alarm": SkillTool(
        ("when", "name"),
        (
            "set an alarm for {when} called {name}",
            "set an alarm {when} called {name}",
            "set an alarm for {when}",
            "set an alarm {when}",
            "set an alarm called {name}",
            "set an alarm",
        ),
    ),
    "cancel_alarm": SkillTool(
        ("which",),
        (
            "cancel the {which} alarm",
            "cancel the alarm for {which}",
            "cancel {which} alarms",
            "cancel the alarm",
        ),
    ),
    "ask_alarm": SkillTool(
        ("which",),
        (
            "when is the {which} alarm",
            "is there an alarm for {which}",
            "which alarms are set for {which}",
            "which alarms are set",
        ),
    ),
    "remind": SkillTool(
        ("what", "when"),
        (
            "remind me {when} to {what}",
            "remind me at {when} to {what}",
            "remind me to {what} {when}",
            "remind me {when} about {what}",
            "remind me at {when} about {what}",
            "remind me to {what}",
            "remind me about {what}",
            "set a reminder for {when}",
            "set a reminder {when}",
            "set a reminder",
        ),
    ),
    "snooze": SkillTool(("length",), ("snooze for {length}", "snooze {length}", "snooze")),
    "stop": SkillTool((), ("stop",)),
    "get_time": SkillTool(("place",), ("what time is it in {place}", "what time is it")),
    "get_date": SkillTool(
        ("day",), ("what date is {day}", "when is {day}", "what day is {day}", "what is the date today")
    ),
    "count_days": SkillTool(
        ("day",), ("how many days until {day}", "how many days until the {day}", "how long until {day}")
    ),
    "calculate": SkillTool(("sum",), ("what is {sum}", "calculate {sum}", "{sum}")),
    "convert": SkillTool(
        ("amount", "unit"),
        (
            "convert {amount} to {unit}",
            "how many {unit} are {amount}",
            "what is {amount} in {unit}",
            "convert {amount}",
        ),
    ),
    "board_volume": SkillTool(
        ("change",),
        (
            "set the volume to {change}",
            "turn the volume {change}",
            "volume {change}",
            "{change} the volume",
            "make it {change}",
            "turn it {change}",
            "{change}",
            "it is {change}",
        ),
    ),
    "add_to_list": SkillTool(
        ("item", "list"),
        (
            "add {item} to the {list} list",
            "add {item} to {list} list",
            "add {item} to the list",
            "add something to the {list} list",
            "add something to the list",
        ),
    ),
    "remove_from_list": SkillTool(
        ("item", "list"),
        (
            "remove {item} from the {list} list",
            "remove {item} from {list} list",
            "remove {item} from the list",
            "remove something from the {list} list",
            "remove something from the list",
        ),
    ),
    "read_list": SkillTool(("list",), ("what is on the {list} list", "what is on {list} list", "read the list")),
    "clear_list": SkillTool(("list",), ("clear the {list} list", "clear {list} list", "clear the list")),
    "speak": SkillTool(
        ("change",),
        choices={
            "change": {
                "repeat": ("say that again",),
                "slower": ("speak slower",),
                "faster": ("speak faster",),
                "normal": ("speak at normal speed", "speak normally"),
            }
        },
    ),
    "get_weather": SkillTool(
        ("place", "day"),
        (
            "what is the weather in {place} {day}",
            "what is the weather in {place} on {day}",
            "what is the weather {day}",
            "what is the weather on {day}",
            "what is the weather in {place}",
            "what is the weather",
        ),
    ),
    "get_calendar": SkillTool(
        ("day",),
        (
            "what is on my calendar {day}",
            "what is on my calendar on {day}",
            "what is my {day} appointment",
            "what is on my calendar",
        ),
    ),
    "board_info": SkillTool(
        ("what",),
        choices={
            "what": {
                "address": ("what is your ip address",),
                "temperature": ("what is your own temperature", "how hot is your processor"),
                "memory": ("how much memory do you have left", "how much memory do you use"),
                "uptime": ("what is your uptime",),
                "name": ("what is your host name",),
                "version": ("which version do you run", "what is your version"),
            }
        },
    ),
}


def skill_functions(languages: str | Sequence[str]) -> list[dict[str, Any]]:
    """Return all of them as OpenAI function schemas; none if English is no language of the sentences."""
    tags = [languages] if isinstance(languages, str) else languages
    has_language = any(tag.partition("-")[0] == LANGUAGE for tag in tags)
    return [_function(name, tool) for name, tool in SKILL_TOOLS.items()] if has_language else []


def _function(name: str, tool: SkillTool) -> dict[str, Any]:
    properties = {each: {"type": "string"} | _enum(tool.choices.get(each, ())) for each in tool.parameters}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": "", "parameters": schema}}


def _enum(words: Iterable[str]) -> dict[str, Any]:
    return {"enum": list(words)} if words else {}


def beside(functions: Sequence[Mapping[str, Any]], skills: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those of the skills' functions whose names no other function has."""
    names = {each["function"]["name"] for each in functions}
    return [each for each in skills if each["function"]["name"] not in names]


def skills_among(functions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the skills' functions among those of a setup."""
    return [each for each in functions if each in skill_functions(LANGUAGE)]


def sentences_for(name: str, arguments: Mapping[str, Any]) -> list[str]:
    """Return the sentences for a call: those that name all of its arguments, and no others."""
    tool = SKILL_TOOLS[name]
    said = {key: str(value).strip() for key, value in arguments.items() if str(value).strip()}
    ways: Sequence[str] = tool.sentences
    for parameter, choices in tool.choices.items():
        ways = choices.get(said.pop(parameter, ""), ())
    return [way.format(**said) for way in ways if set(_SLOT.findall(way)) == said.keys()]


def are_said(name: str, arguments: Mapping[str, Any], text: str) -> bool:
    """Return whether the words of all arguments stand in a text."""
    free = (str(value) for key, value in arguments.items() if key not in SKILL_TOOLS[name].choices)
    return set(_words(" ".join(free))) <= set(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
