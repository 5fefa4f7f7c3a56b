"""The tools of the skills: what a board does by itself, in the order in which the daemon offers them after the house's.

All arguments are words of the user; an argument that was not said is the empty string.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from train.corpus.tools.toolbox import Tool, Toolbox
from unitd.core.home.skill_tools import SKILL_TOOLS

SIGNATURES: Mapping[str, tuple[str, ...]] = {name: tuple(tool.parameters) for name, tool in SKILL_TOOLS.items()}
CHOICES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    name: {parameter: tuple(words) for parameter, words in tool.choices.items()}
    for name, tool in SKILL_TOOLS.items()
    if tool.choices
}
"""Parameters that are one of a few words; the others are words of the sentence."""

SKILLS: Mapping[str, Tool] = {
    name: Tool(name, parameters, CHOICES.get(name, {}), {name: {}}) for name, parameters in SIGNATURES.items()
}
GROUPS = (
    ("start_timer", "change_timer", "cancel_timer", "ask_timer"),
    ("set_alarm", "cancel_alarm", "ask_alarm", "snooze"),
    ("remind",),
    ("stop",),
    ("get_time", "get_date", "count_days"),
    ("calculate", "convert"),
    ("board_volume",),
    ("add_to_list", "remove_from_list", "read_list", "clear_list"),
    ("speak",),
    ("get_weather",),
    ("get_calendar",),
    ("board_info",),
)
"""Skills that a board has or lacks together."""

LACKING = {
    "start_timer": "I have no timers here.", "change_timer": "I have no timers here.",
    "cancel_timer": "I have no timers here.", "ask_timer": "I have no timers here.",
    "set_alarm": "I have no alarms here.", "cancel_alarm": "I have no alarms here.",
    "ask_alarm": "I have no alarms here.", "remind": "I can't remind you of things here.",
    "get_time": "I have no clock here.", "get_date": "I have no calendar here.",
    "count_days": "I have no calendar here.",
    "board_volume": "I can't change the volume here.", "add_to_list": "I have no lists here.",
    "remove_from_list": "I have no lists here.", "read_list": "I have no lists here.",
    "clear_list": "I have no lists here.", "get_weather": "I have no weather here.",
    "get_calendar": "I have no calendar here.", "board_info": "I can't see that from here.",
}  # fmt: skip
"""The answer where a skill is not offered; of the others a model may know the answer itself."""


def draw_skills(rng: random.Random) -> list[Tool]:
    """Return the skills of a board: mostly all of them, else some groups or any few; mostly in the usual order."""
    draw = rng.random()
    if draw < 0.55:
        names = set(SKILLS)
    elif draw < 0.85:
        names = {name for group in rng.sample(GROUPS, rng.randint(3, len(GROUPS) - 1)) for name in group}
    else:
        names = set(rng.sample(sorted(SKILLS), rng.randint(4, 16)))
    offered = [tool for name, tool in SKILLS.items() if name in names]
    if rng.random() < 0.1:
        rng.shuffle(offered)
    return offered


def with_skills(toolbox: Toolbox, skills: Sequence[Tool]) -> Toolbox:
    """Return the tools of a house and then the skills; without the house's tools that have the name of a skill."""
    names = {tool.name for tool in skills} | {"set_timer", "stop_timer"}
    kept = {meaning: tool for meaning, tool in toolbox.tools.items() if tool.name not in names}
    order = tuple(tool for tool in toolbox.order if tool.name not in names)
    return replace(toolbox, tools={**kept, **{tool.name: tool for tool in skills}}, order=(*order, *skills))
