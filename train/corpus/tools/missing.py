"""Requests that cannot be done, for devices or tools that do not exist. The answer must be words and no call.

A function that makes a request returns None if this house has no such request.
"""

from __future__ import annotations

import re

from train.corpus.base import fill, normal
from train.corpus.home_words import errands, things
from train.corpus.numbers import spoken
from train.corpus.tools.house import House, draw_area, draw_name, with_article
from train.corpus.tools.requests import HOW_MUCH, KINDS, SHARES, Asked, Place, values_of
from train.corpus.tools.words import GENERIC, KIND_SHARES, NOUNS

NO_TOOL = "I'm sorry, I have no tool for that."
MORE_OR_LESS = {
    "warmer": ("temperature", "To how many degrees?"), "cooler": ("temperature", "To how many degrees?"),
    "brighter": ("brightness", "To how many percent?"), "darker": ("brightness", "To how many percent?"),
    "louder": ("volume", "To how many percent?"), "quieter": ("volume", "To how many percent?"),
}  # fmt: skip
"""Relative requests: the action that would do each, and the value that it needs."""


def _may_mean(house: House, name: str) -> bool:
    """Return whether a user who says this name could mean a device of the house."""
    wanted = set(normal(name).split())
    for each in house.entities:
        generic = (*GENERIC[each.kind], each.noun, each.kind)
        words = {word for text in (each.name, each.area, *each.aliases, *generic) for word in normal(text).split()}
        if wanted <= words:
            return True
    return False


def _strange_name(place: Place, kinds: tuple[str, ...]) -> str:
    """Return a name that no device of the house has, made of existing words where possible."""
    rng, house = place.rng, place.house
    kind = rng.choice([each for each in KIND_SHARES if each in kinds])
    near = house.of(*kinds)
    draw = rng.random()
    is_generic = draw > 0.8 and kind != "scene"
    noun = rng.choice(near).noun if near and draw < 0.5 else rng.choice(GENERIC[kind] if is_generic else NOUNS[kind])
    areas = [each.place.lower() for each in house.entities if each.place and "'s " not in each.place]
    area = rng.choice(areas) if areas and rng.random() < 0.5 else draw_area(rng, place.split)
    is_area_and_noun = kind != "scene" and rng.random() < 0.6
    return f"{area} {noun}" if is_area_and_noun else draw_name(rng, place.split, kind, noun, area)


def unknown(place: Place) -> Asked | None:
    """Return a request for a device or scene that is not in the list, whether or not a tool could do it."""
    rng = place.rng
    tools = SHARES if rng.random() < 0.15 else place.toolbox.tools
    possible = [meaning for meaning in SHARES if meaning in tools and meaning != "play"]
    if not possible:
        return None
    meaning = rng.choices(possible, [SHARES[each] for each in possible])[0]
    name = _strange_name(place, KINDS[meaning])
    if _may_mean(place.house, name):
        return None
    it = with_article(name)
    it = it if rng.random() < 0.7 or "'s " in name else rng.choice((f"my {name}", name))
    if meaning == "scene":
        text = fill(place.form("scene"), scene=name)
        return Asked("unknown device", text, (), (), f"I'm sorry, I can't find the {name} scene.")
    said = values_of(place, meaning)[1]
    if "state" in place.toolbox.tools and rng.random() < 0.12:
        meaning = "shut" if meaning in ("open", "close", "lock", "unlock", "position") else "state"
    text = fill(place.form(meaning), it=it, **said)
    return Asked("unknown device", text, (), (), f"I'm sorry, I can't find {with_article(name)}.")


def presence(place: Place) -> Asked | None:
    """Return a question whether a device exists, in few words, so that a list is searched often."""
    rng = place.rng
    if not place.house.entities:
        return None
    if rng.random() < 0.5:
        name = _strange_name(place, tuple(KIND_SHARES))
        if _may_mean(place.house, name):
            return None
        answer = f"I'm sorry, I can't find {with_article(name)}."
    else:
        entity = rng.choice(place.house.entities)
        # The phrasings contain an article.
        name = re.sub("^(the|my) ", "", place.mention(entity), flags=re.IGNORECASE)
        answer = f"Yes, there is {with_article(entity.name)}."
    said = name.lower() if rng.random() < 0.5 else name
    return Asked("presence", fill(place.form("presence"), it=said), (), (), answer)


def impossible(place: Place) -> Asked | None:
    """Return a request for which there is no tool."""
    rng, tools = place.rng, place.toolbox.tools
    missing = [meaning for meaning in SHARES if meaning not in ("scene", "play") and meaning not in tools
               and place.house.of(*KINDS[meaning])]  # fmt: skip
    draw = rng.random()
    if draw < 0.15 and "play" not in tools:
        text = fill(place.form("play"), music=rng.choice(things.MUSIC))
    elif draw < 0.3 and "timer" not in tools:
        text = fill(place.form("timer"), time=f"{spoken(rng, rng.randint(2, 60))} minutes")
    elif draw < 0.4:
        clock = f"{rng.randint(1, 12)}{rng.choice((':30', ' am', ' pm'))}"
        text = fill(errands.ALARM_FORMS.pick(rng, "train"), time=clock)
    elif draw < 0.5:
        text = fill(errands.LIST_FORMS.pick(rng, "train"), item=rng.choice(things.GROCERIES))
    elif missing:
        meaning = rng.choice(missing)
        text = fill(place.form(meaning), it=place.mention(rng.choice(place.house.of(*KINDS[meaning]))),
                    **values_of(place, meaning)[1])  # fmt: skip
    else:
        return None
    return Asked("no tool", text, (), (), NO_TOOL)


def more_or_less(place: Place) -> Asked | None:
    """Return a relative request (warmer, darker, louder), music to be switched off, or the next song.

    The amount must be asked, or there is no tool; no tool ever changes to the next song.
    """
    wish = place.rng.choice((*MORE_OR_LESS, "music_off", "next_song"))
    meaning, answer = MORE_OR_LESS.get(wish, ("pause" if wish == "music_off" else "", ""))
    text = place.form(wish)
    if meaning not in place.toolbox.tools:
        return Asked("no tool", text, (), (), NO_TOOL)
    them = place.house.of(*KINDS[meaning])
    return Asked(HOW_MUCH, text, (), (), answer, meaning, them[0]) if answer and len(them) == 1 else None
