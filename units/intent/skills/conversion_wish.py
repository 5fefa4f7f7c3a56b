"""Which quantity is wanted in which units: read from all words of a question, in any order.

A question is one for other units only where each of its words is known here, so that "how many cups fit in my cupboard"
is left alone; which unit is wanted follows from the words around them.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from units.intent.skills.known_words import read_words
from units.intent.values.number import number_at, words_of
from units.intent.values.quantity import Quantity, near_unit_at, quantity_at, unit_at
from units.intent.values.unit_words import UNITS

_WORDS: Mapping[str, Mapping[str, Sequence[str]]] = read_words("conversion_words")
"""By language, by kind."""

MOST_WORDS = 40
"""Of more words no question for units consists."""

_APOSTROPHE = re.compile("(?<=[a-z])['\u2019](?=[a-z])")
_OWN = frozenset({"my", "your", "our", "their", "this", "his", "her"})
""""My yard" is no unit."""

_ARTICLES = frozenset({"a", "an"})
_MARKS = frozenset("?!.:;-")
_MOST_WORDS_OF_STUFF = 2
_STUFF = frozenset({"volume", "mass"})
"""What is measured makes no difference for these: "how many cups of milk are in a gallon"."""


class ConversionWish(NamedTuple):
    """A wish in other units, as it was read from a sentence."""

    quantity: Quantity
    units: tuple[tuple[str, ...], ...]
    """One or more units, each as what its word may mean."""

    has_number: bool
    """Whether a number was said: "how do i convert inches to feet" has none."""


class _Item(NamedTuple):
    kind: str
    """amount (with a number), one (with an article), unit, or a kind of words."""

    quantity: Quantity = Quantity(Fraction(1), ())


_THINGS = ("amount", "one", "unit")


def read_conversion(text: str, language: str) -> ConversionWish | None:
    """Return what a question wants in other units; None if it is about something else, or not clear."""
    if language not in _WORDS:
        return None
    words = words_of(_APOSTROPHE.sub("", text.casefold()), language)
    items = _items(words, language) if len(words) <= MOST_WORDS else None
    if items is None:
        return None
    items = [
        item
        for at, item in enumerate(items)
        if item.kind not in ("to", "from", "per", "between")
        or (at + 1 < len(items) and items[at + 1].kind in (*_THINGS, "many"))
    ]
    amounts = [at for at, item in enumerate(items) if item.kind == "amount"]
    if len(amounts) > 1:
        return None
    return _of_amount(items, amounts[0]) if amounts else _of_units(items)


def _items(words: Sequence[str], language: str) -> list[_Item] | None:
    """Return what a question consists of, without what says nothing; None if a word is not known."""
    found, at, stuff = list[_Item](), 0, 0
    before = ""
    while at < len(words):
        item, end = _item_at(words, at, language)
        if item is None and before == "of" and stuff < _MOST_WORDS_OF_STUFF and any(e.kind in _THINGS for e in found):
            stuff, at = stuff + 1, at + 1
            continue
        if item is None or (item.kind in _THINGS and before in _OWN):
            return None
        if item.kind not in ("other", "of"):
            found.append(item)
        before = words[end - 1]
        at = end
    is_measured = all(UNITS[item.quantity.units[0]].dimension in _STUFF for item in found if item.kind in _THINGS)
    return None if stuff and not is_measured else found


def _item_at(words: Sequence[str], at: int, language: str) -> tuple[_Item | None, int]:
    """Return what begins at a word, and where it ends."""
    if words[at] in _MARKS and not (words[at] == "-" and at + 1 < len(words) and words[at + 1][0].isdecimal()):
        return _Item("other"), at + 1
    if words[at] in _ARTICLES and at + 1 < len(words) and (unit := unit_at(words, at + 1, language)):
        after = quantity_at(words, at, language)
        if after and after[1] > unit[1] and not (after[0].parts and words[unit[1] + 1] in _ARTICLES):
            return _Item("amount", after[0]), after[1]
        return _Item("one", Quantity(Fraction(1), unit[0])), unit[1]
    if words[at] != "the" and (quantity := quantity_at(words, at, language)):
        return _Item("amount", quantity[0]), quantity[1]
    unit = unit_at(words, at, language)
    kinds, longest = _phrases(language)
    for length in range(min(longest, len(words) - at), (unit[1] - at if unit else 0), -1):
        if kind := kinds.get(tuple(words[at : at + length])):
            return _Item(kind), at + length
    number = None if unit else number_at(words, at, language)
    unit = unit or near_unit_at(words, number.end if number else at, language)
    if unit is None:
        return None, at + 1
    return _Item("amount" if number else "unit", Quantity(number.value if number else Fraction(1), unit[0])), unit[1]


@cache
def _phrases(language: str) -> tuple[dict[tuple[str, ...], str], int]:
    """Return the kind of each phrase, as its words, and the most words that one has."""
    found: dict[tuple[str, ...], str] = {}
    for kind, phrases in _WORDS[language].items():
        for phrase in phrases:
            found.setdefault(tuple(phrase.split()), kind)
    return found, max(map(len, found))


def _of_amount(items: Sequence[_Item], at: int) -> ConversionWish | None:
    """Return in what a quantity with a number is wanted: all other units, none of them with a number or an article."""
    others = [item for place, item in enumerate(items) if place != at and item.kind in _THINGS]
    if not others or any(item.kind == "one" for item in others) or not _is_one_list(items):
        return None
    before, after = _kind(items, at - 1), _kind(items, at + 1)
    if before == "many" or after in _THINGS or (before == "unit" and _kind(items, at - 2) != "many"):
        return None  # "how many 8 ounce cups"
    has = {item.kind for item in items}
    if not has & {"many", "change", "much", "to"}:
        return None
    if items[0].kind == "be" and not has & {"many", "change", "much"}:
        return None  # "make it 20 degrees celsius in fahrenheit" is an order for something else
    return ConversionWish(items[at].quantity, tuple(item.quantity.units for item in others), has_number=True)


def _is_one_list(items: Sequence[_Item]) -> bool:
    """Return whether the bare units stand together: "feet and inches"."""
    places = [at for at, item in enumerate(items) if item.kind == "unit"]
    return all(
        all(item.kind in ("and", "many", "to") for item in items[first + 1 : last]) and last - first > 1
        for first, last in pairwise(places)
    )


def _of_units(items: Sequence[_Item]) -> ConversionWish | None:
    """Return which of several units without numbers is wanted in which."""
    places = [at for at, item in enumerate(items) if item.kind in _THINGS]
    if len(places) < 2:
        return None
    wanted = [at for at in places if _kind(items, at - 1) == "many"]
    if wanted:
        if _kind(items, wanted[-1] + 1) == "one":
            return None  # "how many days a week do i run"
        while (after := wanted[-1] + 2) in places and _kind(items, after - 1) == "and" and places[-1] != after:
            wanted.append(after)
    elif len(places) == 2:
        wanted = _wanted_of_two(items, *places)
    sources = [at for at in places if at not in wanted]
    if not wanted or len(sources) != 1 or any(items[at].kind == "one" for at in wanted if len(wanted) > 1):
        return None
    source = items[sources[0]]
    return ConversionWish(source.quantity, tuple(items[at].quantity.units for at in wanted), has_number=False)


def _wanted_of_two(items: Sequence[_Item], first: int, last: int) -> list[int]:
    """Return the place of the unit that is wanted, of two without a number; none where the words do not say it."""
    has = {item.kind for item in items}
    between = {item.kind for item in items[first + 1 : last]}
    if "per" in between:
        return [first]
    if _kind(items, last - 1) == "from" and "to" not in between:
        return [first]
    if between == {"to"} and items[first].kind == "unit" and items[last].kind == "one":
        return [first]  # "inches in a foot"
    if "and" in between:
        return [last] if has & {"between", "change"} else []
    if "to" in between and (between == {"to"} or "change" in has or has & {"much"}):
        return [last]
    if _kind(items, first - 1) == "to" and first == 1 and has & {"much", "change"}:
        return [first]  # "in inches, how much is a foot"
    return [last] if "change" in has and between <= {"change", "be", "much"} and between & {"change"} else []


def _kind(items: Sequence[_Item], at: int) -> str:
    return items[at].kind if 0 <= at < len(items) else ""
