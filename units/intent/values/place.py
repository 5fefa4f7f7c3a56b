"""Places with their zones: "Tokyo", "der Schweiz", "les États-Unis", "here".

The names are those of the zones, those that CLDR has for their cities and for countries in the language, a few
hundred of ours, and some 5,000 cities of `cities.txt`. The index of a language is made when the first place is read.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from units.intent.values.locales import locale_of
from units.intent.values.number import plain
from units.intent.values.place_words import ALIASES, ARTICLES, CITIES, HERE, REGIONS, REGIONS_OF_SEVERAL, SEVERAL, ZONES

MAX_WORDS = 6

_ZONE_WORDS = re.compile(r"(?: (?:standard|daylight|summer|winter))?(?: time)? ?(?:time ?zone|zone|time)$")
_NO_REGION = frozenset({"in", "me", "or", "hi", "ok", "oh", "id", "on"})
"""Short names of regions that are other words as well."""

_SHORTEST_MISSPELLED = 6
_SIMILAR = 86
"""How similar a misspelled name is at least, of 100."""

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
    for each in (name, *_shorter(name)):
        if place := places.get(each) or _city_of_table(each):
            return place
    words = name.split()
    for at in range(1, len(words) if len(words) <= MAX_WORDS else 0):
        if place := _within(" ".join(words[:at]), " ".join(words[at:]), language):
            return place
    return None


def _within(name: str, of: str, language: str) -> Place | None:
    """Return a place in a country or in a part of one: "Paris, France", "Portland, Maine"."""
    places = _places(language)
    place, region = places.get(name) or _city_of_table(name), read_region(of) if language == "en" else None
    around = region or places.get(of)
    if not place or not around or not _territory(around.zone) or _territory(place.zone) != _territory(around.zone):
        return None
    is_elsewhere = region and place.zone != region.zone and region.name not in REGIONS_OF_SEVERAL
    return place._replace(zone=around.zone) if is_elsewhere else place


def read_region(text: str) -> Place | None:
    """Return the part of a country that English words name, as they stand behind a city: "Texas", "tx"."""
    name = _bare(text)
    return None if name in _NO_REGION else _regions().get(name)


@cache
def _regions() -> dict[str, Place]:
    return {
        name: Place(zone, listed[0])
        for zone, regions in REGIONS.items()
        for listed in (each.split("/") for each in regions.split(", "))
        for name in listed
    }


def similar_place(text: str, language: str) -> Place | None:
    """Return the place whose name is spelled nearly as a text: "San Fransico"."""
    from rapidfuzz import fuzz, process

    name = _bare(text)
    if len(name) < _SHORTEST_MISSPELLED:
        return None
    names = [*_places(language), *(each for line in _table().splitlines() for each in line.split(";")[1:-1])]
    choices = [each for each in names if each[:1] == name[:1]]
    joined = [each.replace(" ", "") for each in choices]
    found = process.extractOne(name.replace(" ", ""), joined, scorer=fuzz.ratio, score_cutoff=_SIMILAR)
    return read_place(choices[found[2]], language) if found else None


@cache
def _table() -> str:
    return Path(__file__).with_name("cities.txt").read_text(encoding="utf-8")


def _city_of_table(name: str) -> Place | None:
    """Return a city of the table, which is searched as it is: an index would take much more memory."""
    table = _table()
    at = table.find(f";{name};") if name and ";" not in name else -1
    if at < 0:
        return None
    zone = table[table.rfind("\n", 0, at) + 1 :].partition(":")[0]
    return Place(zone, name.title())


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
