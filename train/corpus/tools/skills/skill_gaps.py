"""Skills that a list of tools has or lacks: with its tool a skill is never denied, without it never promised."""

from __future__ import annotations

from train.corpus.base import normal
from train.corpus.tools.phrases import form, reply, words_chat
from train.corpus.tools.requests import Asked, Place
from train.corpus.wishes import SKILLS, asked_for, errand_wish

SKILL_TOOLS = {
    "time": ("get_time",), "date": ("get_date", "count_days"), "timer": ("start_timer", "set_timer"),
    "alarm": ("set_alarm",), "remind": ("remind",), "volume": ("board_volume",), "list": ("add_to_list",),
    "weather": ("get_weather",), "agenda": ("get_calendar",), "board": ("board_info",),
}  # fmt: skip
"""The tools of each skill; one of them is enough."""

NO_TOOL = "no tool"


def has_skill(place: Place, skill: str) -> bool:
    """Return whether the list of tools has this skill, under its own name or another one."""
    signatures = {f"{tool.name}({', '.join(tool.parameters)})" for tool in place.toolbox.order}
    names = {tool.name for tool in place.toolbox.order}
    return skill in place.toolbox.tools or any(wanted in names | signatures for wanted in SKILL_TOOLS[skill])


def _is_own_tool(place: Place, text: str) -> bool:
    """Return whether a user's own tool may be meant."""
    words = set(normal(text).split())
    return any(words & set(meaning.split()) for meaning in place.toolbox.customs)


def ability(place: Place) -> Asked | None:
    """Return the question whether there is a clock, a timer and the like."""
    skill = place.rng.choice(list(SKILL_TOOLS))
    answers = f"{skill} {'yes' if has_skill(place, skill) else 'no'}"
    return words_chat(form(place, "abilities", skill), reply(place, "abilities", answers), "ability")


def missing_skill(place: Place) -> Asked | None:
    """Return a wish for a skill that this list of tools lacks."""
    rng, house = place.rng, place.house
    skills = [each for each in SKILLS if not has_skill(place, each)]
    # A sensor or a player of the house may be meant instead.
    skills = [each for each in skills if not (each == "weather" and house.of("sensor"))]
    skills = [each for each in skills if not (each == "volume" and house.of("media"))]
    if not skills:
        return None
    skill = rng.choices(skills, [SKILLS[each][-1] for each in skills])[0]
    text, _ = asked_for(rng, place.split, skill)
    if _is_own_tool(place, text):
        return None
    return words_chat(text, reply(place, "abilities", f"{skill} missing"), NO_TOOL)


def errand(place: Place) -> Asked | None:
    """Return a wish for a call, an order, a booking and the like, which no tool does."""
    text, wish = errand_wish(place.rng, place.split)
    if _is_own_tool(place, text) or any(
        word in normal(wish.it).split() for each in place.house.entities for word in normal(each.name).split()
    ):
        return None
    return words_chat(text, reply(place, "abilities", "errand missing", do=wish.do), NO_TOOL)
