"""Requests that cannot be done, for devices or tools that do not exist. The answer must be words and no call.

A function that makes a request returns None if this house has no such request.
"""

from __future__ import annotations

import re

from train.corpus.base import fill, normal
from train.corpus.home_words import errands, things
from train.corpus.numbers import spoken
from train.corpus.tools.house import House, draw_area, draw_name, with_article
from train.corpus.tools.phrases import fill_for, form, listed, named_back, reply, words_chat
from train.corpus.tools.requests import KINDS, SHARES, Asked, Place, values_of
from train.corpus.tools.skills.skill_gaps import NO_TOOL, has_skill
from train.corpus.tools.words import GENERIC, KIND_SHARES, NOUNS
from train.corpus.verb_forms import COULD

UNFIT = {
    "color": ("switch", "fan", "media", "climate", "cover", "lock"), "brightness": ("switch", "lock"),
    "temperature": ("light", "switch", "lock"), "lock": ("light", "switch", "fan", "media"), "unlock": ("light", "fan"),
    "volume": ("light", "switch", "lock", "cover"), "pause": ("light", "lock"), "turn_on": ("sensor", "lock"),
    "turn_off": ("sensor", "lock"), "position": ("switch", "lock"), "play": ("light", "switch", "lock"),
}  # fmt: skip
"""Kinds of devices for which a request makes no sense, whatever tools there are.

"Open the light" is not among them: many people say so when they mean to turn it on."""

MEASURED = ("brightness", "position", "temperature")
NO_WAY = (
    "I'm sorry, I have no way to {do}.", "I can't {do}.", "I'm sorry, I can't {do}.", "I have no tool to {do}.",
    "Sorry, I have no way to {do}.", "I can't {do}: I have no tool for that.", "There is no tool to {do}.",
    "I'm sorry, I have no tool to {do}.", "No, I can't {do}.", "I can't {do} here.",
)  # fmt: skip
APPLIANCES = (
    "the light", "the lights", "the lamp", "the heating", "the heater", "the tv", "the oven", "the fan", "the iron",
    "the air conditioning", "the coffee machine", "the computer", "the radio", "all the lights", "the kettle",
)  # fmt: skip


def _may_mean(house: House, name: str) -> bool:
    """Return whether a user who says this name could mean a device of the house."""
    wanted = set(normal(name).split())
    for each in house.entities:
        generic = (*GENERIC[each.kind], each.noun, each.kind)
        words = {word for text in (each.name, each.area, *each.aliases, *generic) for word in normal(text).split()}
        if wanted <= words:
            return True
    return False


def _not_found(place: Place, it: str) -> str:
    """Return the answer for a device that is not in the list."""
    if place.split != "train" or place.rng.random() < 0.55:
        return f"I'm sorry, I can't find {it}."
    answers = listed("unclear", "can't find answers")
    if not it.startswith("the "):
        answers = [answer for answer in answers if "{bare}" not in answer]
    text = place.rng.choice(answers).format(it=it, bare=it.removeprefix("the "))
    return text[:1].upper() + text[1:]


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
        return Asked("unknown device", text, (), (), _not_found(place, f"the {name} scene"))
    said = values_of(place, meaning)[1]
    if "state" in place.toolbox.tools and rng.random() < 0.12:
        meaning = "shut" if meaning in ("open", "close", "lock", "unlock", "position") else "state"
    text = fill(place.form(meaning), it=it, **said)
    return Asked("unknown device", text, (), (), _not_found(place, with_article(name)))


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


def _no_way(place: Place, do: str) -> str:
    """Return the answer where the tool is missing, mostly in the words of the daemon."""
    if place.split != "train" or place.rng.random() < 0.55:
        return f"I have no way to {do}."
    return place.rng.choice(NO_WAY).format(do=do)


def impossible(place: Place) -> Asked | None:
    """Return a request for which there is no tool."""
    rng, tools = place.rng, place.toolbox.tools
    draw = rng.random()
    if draw < 0.12 and "play" not in tools:
        music = rng.choice(things.MUSIC)
        text = fill(place.form("play"), music=music)
        return Asked(NO_TOOL, text, (), (), _no_way(place, f"play {music.replace('my ', 'your ')}"))
    if draw < 0.24 and not has_skill(place, "timer"):
        text = fill(place.form("timer"), time=f"{spoken(rng, rng.randint(2, 60))} minutes")
        return Asked(NO_TOOL, text, (), (), _no_way(place, "set a timer"))
    if draw < 0.32 and not has_skill(place, "alarm"):
        clock = f"{rng.randint(1, 12)}{rng.choice((':30', ' am', ' pm'))}"
        text = fill(errands.ALARM_FORMS.pick(rng, "train"), time=clock)
        return Asked(NO_TOOL, text, (), (), _no_way(place, "set an alarm"))
    if draw < 0.4 and not has_skill(place, "list"):
        text = fill(errands.LIST_FORMS.pick(rng, "train"), item=rng.choice(things.GROCERIES))
        return Asked(NO_TOOL, text, (), (), _no_way(place, "keep a list"))
    return _unfit(place) if draw < 0.6 else _without_tool(place)


def _without_tool(place: Place) -> Asked | None:
    """Return a request for a device whose tool is missing."""
    missing = [meaning for meaning in SHARES if meaning not in ("scene", "play") and meaning not in place.toolbox.tools
               and place.house.of(*KINDS[meaning])]  # fmt: skip
    if not missing:
        return None
    meaning = place.rng.choice(missing)
    return _refused(place, meaning, KINDS[meaning], COULD[meaning])


def _unfit(place: Place) -> Asked | None:
    """Return a request that makes no sense for the device: the colour of a plug."""
    possible = [meaning for meaning, kinds in UNFIT.items() if place.house.of(*kinds)]
    if not possible:
        return None
    meaning = place.rng.choice(possible)
    return _refused(place, meaning, UNFIT[meaning], "do that with {it}" if meaning in MEASURED else COULD[meaning])


def _refused(place: Place, meaning: str, kinds: tuple[str, ...], do: str) -> Asked:
    it = place.mention(place.rng.choice(place.house.of(*kinds)))
    said = values_of(place, meaning)[1]
    text = fill(place.form(meaning), it=it, **said) + (f" on {it}" if meaning == "play" else "")
    return Asked(NO_TOOL, text, (), (), _no_way(place, do.format(it=named_back(it))))


def strange(place: Place) -> Asked | None:
    """Return a request for something that is no device of any house, such as the moon."""
    thing = place.rng.choice(listed("unclear", "things"))
    bare = thing.removeprefix("the ").removeprefix("my ")
    if _may_mean(place.house, bare) or any(bare.split()[-1] in normal(each.line) for each in place.house.entities):
        return None
    text = fill_for(place, form(place, "unclear", "strange"), thing=thing)
    it = thing.replace("my ", "your ")
    return Asked("unknown device", text, (), (), _not_found(place, it)) if text else None


def elsewhere(place: Place) -> Asked | None:
    """Return a request for a device that is not in this house but at work, in a hotel, in the car."""
    known = {word for each in place.house.entities for word in normal(each.line).split()}
    if place.rng.random() < 0.25:
        text = fill_for(place, form(place, "unclear", "elsewhere car"))
        what = "bike" if text and "bike" in text else "car"
        return (
            words_chat(text, reply(place, "unclear", f"{what} answers"), "elsewhere")
            if text and what not in known
            else None
        )
    where = place.rng.choice(listed("not_commands", "places"))
    if where.split()[-1] in known:
        return None
    device = place.rng.choice(APPLIANCES)
    text = fill_for(place, form(place, "unclear", "elsewhere"), place=where, device=device)
    answer = reply(place, "unclear", "elsewhere answers", where=where.replace("my ", "your "))
    return words_chat(text, answer, "elsewhere") if text else None
