"""Places with their zones: "Tokyo", "der Schweiz", "les États-Unis", "here".

The names are those of the zones, those that CLDR has for their cities and for countries in the language, and a few
hundred of ours. The index of a language is made when the first place is read.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from units.intent.values.locales import locale_of
from units.intent.values.number import plain
from units.intent.values.place_words import ALIASES, ARTICLES, CITIES, HERE, SEVERAL, ZONES

MAX_WORDS = 6

_ZONE_WORDS = re.compile(r"(?: (?:standard|daylight|summer|winter))?(?: time)? ?(?:time ?zone|zone|time)$")
_NO_WORD = re.compile(r"[^\w]+")


class Place(NamedTuple):
    """A place; without a zone it is where the board is."""

    zone: str
    name: str
    """As it is said in an answer; for a country, that of a city in it, which needs no article."""

    is_one_of_several: bool = False
    """Whether it is a country of which other parts have other zones."""


def read_place(text: str, language: str) -> Place | None:
    """Return the place that a text names, with or without its country ("Paris, France"); None for anything else."""
    name = _bare(text)
    articles = _listed(ARTICLES, language)
    while (first := name.partition(" ")) and first[0] in articles and first[2]:
        name = first[2]
    if name in _listed(HERE, language):
        return Place("", "")
    places = _places(language)
    if place := places.get(name):
        return place
    for shorter in _shorter(name):
        if place := places.get(shorter):
            return place
    words = name.split()
    for at in range(1, len(words) if len(words) <= MAX_WORDS else 0):
        place, of = (places.get(" ".join(part)) for part in (words[:at], words[at:]))
        if place and of and _territory(place.zone) and _territory(place.zone) == _territory(of.zone):
            return place
    return None


def _shorter(name: str) -> Iterator[str]:
    """Yield a name without the words of a zone, and without the ending of a genitive: "pacific time zone", "rome's"."""
    if (zone := _ZONE_WORDS.sub(" time", name)) != name:
        yield zone
        yield zone.removesuffix(" time")
    if name.endswith(" s"):
        yield name.removesuffix(" s")


def _listed(words: Mapping[str, str], language: str) -> list[str]:
    return words.get(language, "").split(", ")


def _bare(name: str) -> str:
    """Return a name in lower case, without accents and marks."""
    return _NO_WORD.sub(" ", plain(name)).strip()


def _territory(zone: str) -> str | None:
    from babel.core import get_global

    return get_global("zone_territories").get(zone)


@cache
def _places(language: str) -> dict[str, Place]:
    """Return all places by their bare names; cities come before countries of the same name, except where it is one."""
    from babel.core import get_global

    locale, zones = locale_of(language), get_global("zone_territories")
    cities = {zone: _city(zone, language) for zone in zones if "/" in zone and not zone.startswith("Etc/")}
    found = {_bare(name): Place(zone, name) for zone, name in cities.items()}
    for zone, name in cities.items():
        found.setdefault(_bare(_last_part(zone)), Place(zone, name))
    ours: dict[str, Place] = {}
    for zone, listed in CITIES.items():
        for name in (name.strip() for each in listed.split(", ") for name in each.split("/")):
            ours.setdefault(_bare(name), Place(zone, name))
    found |= ours
    by_territory = get_global("territory_zones")
    for code, name in locale.territories.items():
        of = [each for each in by_territory.get(code, ()) if "/" in each] if len(code) == 2 else []
        if zone := ZONES.get(code) or (of[0] if len(of) == 1 else ""):
            place = Place(zone, _city(zone, language), code in SEVERAL)
            for each in (_bare(name), *filter(None, ALIASES.get(code, "").split(", "))):
                found.setdefault(each, place)
    return found


def _city(zone: str, language: str) -> str:
    """Return the name of a zone's city in a language."""
    known = locale_of(language).time_zones.get(zone, {}).get("city")
    return str(known or _last_part(zone))


def _last_part(zone: str) -> str:
    return zone.rpartition("/")[2].replace("_", " ")
