"""Requests for several devices at once: all of a kind, of a room, of a floor, some without others, some by name."""

from __future__ import annotations

import random

from train.corpus.base import expand, fill
from train.corpus.tools.amounts import Amount
from train.corpus.tools.house import Entity, draw_area, with_article
from train.corpus.tools.mentions import may_mean
from train.corpus.tools.requests import KINDS, SWITCHED, Asked, Place, several
from train.corpus.tools.sorts import draw_sort

SETS = (
    ("light", ("turn_on", "turn_off")), ("light", ("turn_on", "turn_off")), ("fan", ("turn_on", "turn_off")),
    ("cover", ("open", "close")), ("lock", ("lock",)),
)  # fmt: skip
WIDE_SETS = (
    *SETS, ("light", ("turn_off", "turn_off", "brightness", "color")), ("cover", ("open", "close", "position")),
    ("lock", ("lock", "unlock")), ("media", ("turn_off", "turn_off", "volume")), ("switch", ("turn_off", "turn_on")),
    ("climate", ("turn_off", "turn_on", "temperature")), ("light", ("brightness", "color", "turn_on", "turn_off")),
)  # fmt: skip
"""Kinds, and what is done with all devices of them."""

VALUED = ("brightness", "color", "position", "volume", "temperature")
UNKNOWN_FLOORS = ("upstairs", "downstairs", "on the first floor", "on the second floor", "in the basement", "outside")


def amount_of(place: Place, meaning: str) -> Amount:
    """Return a value that is said in digits or number words, as the phrasings for sets have it."""
    if meaning not in VALUED:
        return Amount()
    return next(each for each in iter(lambda: place.amount(meaning), None) if not each.block)


def set_text(place: Place, meaning: str, them: str, amount: Amount, *, explicit: bool) -> str:
    """Return a request for devices in the plural: with "all" or "every" if it is explicit, else just "the lights"."""
    if meaning in VALUED:
        whole = f"{place.rng.choice(('all', 'all the', 'all of the', 'all'))} {them}" if explicit else f"the {them}"
        said = {key: each for key, each in amount.said.items() if key != "unit"}
        return fill(place.form(f"set_{meaning}"), them=whole, **said)
    form = f"{'all' if explicit else 'the'}_{meaning}"
    return fill(place.form(form), them=them, one=them.removesuffix("s"))


def where_words(rng: random.Random, area: str, is_here: bool) -> str:
    """Return a room in words."""
    if is_here and rng.random() < 0.6:
        return rng.choice(("in here", "in this room", "here", "in the room"))
    if "'s " in area:
        return f"in {area}"
    return rng.choice((f"in {with_article(area)}", f"in {with_article(area)}", f"in {area}", f"in my {area}")).lower()


def all_of_a_kind(place: Place) -> Asked | None:
    """Return a request for all lights, or all blinds, in one area, on one floor or everywhere."""
    rng, house = place.rng, place.house
    kind, meanings = rng.choice(WIDE_SETS if place.is_wide else SETS)
    meaning = rng.choice(meanings)
    if meaning not in place.toolbox.tools or not house.of(kind):
        return None
    where, there = _drawn_place(place, kind)
    if not there:
        return None
    them, there = draw_sort(rng, there, house.of(kind))
    if not there or house.called(them):
        return None
    amount = amount_of(place, meaning)
    explicit = not where or rng.random() < 0.4
    text = set_text(place, meaning, them, amount, explicit=explicit)
    if where and " " not in where and not explicit and rng.random() < 0.25:
        text = f"{where} {text}"
    elif where in house.areas(kind) and "'s " not in where:  # "the kitchen lights"
        text = set_text(place, meaning, f"{where.lower()} {them}", amount, explicit=explicit)
    elif where:
        text += f" {where}"
    return several(place, meaning, there, text, "all", amount.values)


def _drawn_place(place: Place, kind: str) -> tuple[str, list[Entity]]:
    """Return a place in words, or the name of an area alone, and the devices there; "" is the whole house."""
    rng, house = place.rng, place.house
    areas, floors = house.areas(kind), sorted({each.floor for each in house.of(kind) if each.floor})
    if floors and rng.random() < 0.4:
        floor = rng.choice(floors)
        return floor if " " not in floor else f"on the {floor}", house.of(kind, floor=floor)
    if not areas or rng.random() > 0.6:
        return "", house.of(kind)
    area = rng.choice(areas)
    if not place.is_wide:
        return f"in {with_article(area.lower())}", house.of(kind, area=area)
    there = house.of(kind, area=area)
    return area if rng.random() < 0.4 else where_words(rng, area, area == house.room), there


def everything(place: Place) -> Asked | None:
    """Return a request for everything that can be switched, or for all lights, in people's words for that."""
    form, meaning, kinds = place.rng.choice((
        ("everything_off", "turn_off", SWITCHED), ("every_light_off", "turn_off", ("light",)),
        ("every_light_on", "turn_on", ("light",)),
    ))  # fmt: skip
    if meaning not in place.toolbox.tools:
        return None
    return several(place, meaning, place.house.of(*kinds), place.form(form), "all")


def room_off(place: Place) -> Asked | None:
    """Return a request to turn everything off in one room or on one floor."""
    rng, house = place.rng, place.house
    areas = sorted({each.place for each in house.of(*SWITCHED) if each.place})
    floors = sorted({each.floor for each in house.of(*SWITCHED) if each.floor})
    if "turn_off" not in place.toolbox.tools or not areas:
        return None
    if floors and rng.random() < 0.35:
        floor = rng.choice(floors)
        where, there = floor if " " not in floor else f"on the {floor}", house.of(*SWITCHED, floor=floor)
    else:
        area = house.room if house.room in areas and rng.random() < 0.5 else rng.choice(areas)
        where, there = where_words(rng, area, area == house.room), house.of(*SWITCHED, area=area)
    return several(place, "turn_off", there, fill(place.form("room_off"), where=where), "all")


def all_except(place: Place) -> Asked | None:
    """Return a request for all devices of a kind but one or two."""
    rng, house = place.rng, place.house
    kind, meaning = rng.choice((("light", "turn_off"), ("light", "turn_off"), ("light", "turn_on"), ("cover", "close"),
                                ("lock", "lock"), ("fan", "turn_off")))  # fmt: skip
    if meaning not in place.toolbox.tools:
        return None
    areas = [area for area in house.areas(kind) if len(house.of(kind, area=area)) > 1]
    area = rng.choice(areas) if areas and rng.random() < 0.4 else None
    them, there = draw_sort(rng, house.of(kind, area=area), house.of(kind))
    if len(there) < 2:
        return None
    left = rng.sample(there, 2 if len(there) > 3 and rng.random() < 0.15 else 1)
    if any(house.called(each.name) != [each] for each in left):
        return None
    every = fill(place.form(f"all_{meaning}"), them=them, one=them.removesuffix("s"))
    every += f" {where_words(rng, area, area == house.room)}" if area else ""
    out = " and ".join(place.mention(each) for each in left)
    text = fill(expand(rng, place.form("except")), all=every, it=out)
    return several(place, meaning, [each for each in there if each not in left], text, "except")


def named(place: Place) -> Asked | None:
    """Return a request for two to four devices by name: "the desk lamp, the fan and the kettle"."""
    rng, house = place.rng, place.house
    meanings = [each for each in ("turn_on", "turn_off", "turn_off", "open", "close", "lock", "brightness", "color",
                                  "temperature", "volume", "position") if each in place.toolbox.tools]  # fmt: skip
    meaning = rng.choice(meanings) if meanings else ""
    devices = house.of(*KINDS[meaning]) if meaning else []
    count = rng.choice((2, 2, 2, 3, 3, 4))
    if len(devices) < count:
        return None
    chosen = rng.sample(devices, count)
    them = joined(rng, [place.mention(each) for each in chosen])
    return _command(place, meaning, chosen, them)


def joined(rng: random.Random, words: list[str]) -> str:
    """Return names as people say several of them."""
    if len(words) == 2:
        return rng.choice((" and ", " and ", " and ", " and also ", " plus ", " as well as ")).join(words)
    joint = rng.choice((" and ", " and ", ", ", ", and "))
    return " and ".join(words) if rng.random() < 0.25 else f"{', '.join(words[:-1])}{joint}{words[-1]}"


def _command(place: Place, meaning: str, chosen: list[Entity], them: str) -> Asked | None:
    amount = amount_of(place, meaning)
    text = place.command(meaning, "", them, amount)
    return several(place, meaning, chosen, text, "several", amount.values)


def both(place: Place) -> Asked | None:
    """Return a request for the two devices of a kind in the house or in a room: "both lamps in the bedroom"."""
    rng, house = place.rng, place.house
    kind = rng.choice(("light", "light", "cover", "fan", "media", "climate", "lock"))
    meanings = [each for each, kinds in KINDS.items() if kind in kinds and each not in ("pause", "play")]
    meanings = [each for each in meanings if each in place.toolbox.tools]
    sorts = [(area, *draw_sort(rng, house.of(kind, area=area), house.of(kind))) for area in house.areas(kind)]
    pairs = [each for each in (*sorts, ("", *draw_sort(rng, house.of(kind), house.of(kind)))) if len(each[2]) == 2]
    if not meanings or not pairs:
        return None
    area, them, there = rng.choice(pairs)
    both_of = rng.choice((f"both {them}", f"both the {them}", f"both of the {them}", f"both {them}", f"the two {them}"))
    where = f" {where_words(rng, area, area == house.room)}" if area else ""
    return _command(place, rng.choice(meanings), there, f"{both_of}{where}")


def two_areas(place: Place) -> Asked | None:
    """Return a request for the lights of two rooms: "the lights in the kitchen and the hall"."""
    rng, house = place.rng, place.house
    kind, meanings = rng.choice((("light", ("turn_on", "turn_off", "turn_off", "brightness", "color")),
                                 ("cover", ("open", "close"))))  # fmt: skip
    areas = [area for area in house.areas(kind) if "'s " not in area]
    meaning = rng.choice(meanings)
    if len(areas) < 2 or meaning not in place.toolbox.tools:
        return None
    chosen = rng.sample(areas, 3 if len(areas) > 3 and rng.random() < 0.15 else 2)
    them, there = draw_sort(rng, [each for each in house.of(kind) if each.place in chosen], house.of(kind))
    if {each.place for each in there} != set(chosen):
        return None
    rooms = joined(rng, [with_article(area).lower() if rng.random() < 0.7 else area.lower() for area in chosen])
    plain = " and ".join(area.lower() for area in chosen)
    said = rng.choice((f"the {them} in {rooms}", f"the {plain} {them}", f"{plain} {them}", f"all {them} in {rooms}"))
    return _command(place, meaning, there, said)


def not_there(place: Place) -> Asked | None:
    """Return a request for the lights of a room without lights, or of a floor that the list does not tell."""
    rng, house = place.rng, place.house
    meaning = rng.choice(("turn_on", "turn_off", "turn_off"))
    them = rng.choice(("lights", "lights", "lamps"))
    if house.of("light") and not any(each.floor for each in house.entities) and rng.random() < 0.4:
        floor = rng.choice(UNKNOWN_FLOORS)
        if any(floor.split()[-1] in each.line.lower() for each in house.entities) or "first floor" in str(
            house.listing
        ):
            return None
        text = f"{set_text(place, meaning, them, Amount(), explicit=rng.random() < 0.4)} {floor}"
        return Asked("unknown floor", text, (), (), f"I don't know which devices are {floor}.")
    area = draw_area(rng, place.split)
    if area.lower() in house.listing.lower() or "'s " in area or may_mean(house, f"{area} light"):
        return None
    text = f"{set_text(place, meaning, them, Amount(), explicit=rng.random() < 0.3)} in the {area}"
    if rng.random() < 0.5:
        text = set_text(place, meaning, f"{area} {them}", Amount(), explicit=False)
    return Asked("unknown device", text, (), (), f"I'm sorry, I can't find a light in the {area}.")
