"""What somebody wants of a list: what is to be done, with which list, and the things that are said.

A sentence is taken as it remains without what is said around a wish. It is one wish, or a row of wishes of which one
names the list: "take bread off my shopping list and add milk".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from units.intent.skills.known_words import longest_first, read_words
from units.intent.values.items import read_items
from units.intent.values.plain import base_of

WORDS: Mapping[str, Any] = read_words("list_words")
"""By language."""

SHOPPING, TODO = "shopping", "todo"

_MARKS = re.compile(r"[!?]+|\.(?!\d)|[,:;]+$|[\"\u201c\u201d]|(?<!\w)'|'(?!\w)")
_LIST = "\x00"
"""Stands in a sentence where a list was named."""

_MOST_WORDS = {"buy": 4, "verbless": 3}
"""Who says more after "we are out of" may say anything."""

_NAME = r"(?P<name>\w[\w'-]*(?: \w[\w'-]*){0,2})"

_NEVER = re.compile("(?!)")

_HOWS = ("buy", "do", "verbless")
"""How a wish without the name of a list, or without a verb, is said."""

_COMMANDS = ("add", "remove", "tick", "clear")

_NAMES = {"buy": SHOPPING, "do": TODO}


@dataclass(frozen=True)
class ListWish:
    """A wish for a list, as it was read from a sentence."""

    do: str
    """add, remove, remove_alone, tick, read, lists, is_on, clear, make, ask_add or ask_remove."""

    name: str = ""
    """shopping, todo, any other name, or "" where none is said."""

    items: tuple[str, ...] = ()


Wishes = tuple[ListWish, ...]


@dataclass(frozen=True)
class _Patterns:
    """The patterns of a language."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    named: tuple[tuple[str, re.Pattern[str]], ...]
    """How a list is named, the clearest first, with its name; "" where a group has it."""

    sentences: tuple[tuple[str, re.Pattern[str]], ...]
    short: tuple[tuple[str, re.Pattern[str]], ...]
    """Wishes that name no list, beside one that does."""

    read: re.Pattern[str]
    """All words of a question for a list."""

    asks: re.Pattern[str]
    """A word of which such a question has one at least."""

    words: Mapping[str, re.Pattern[str]]
    """The others, by their key."""


def read_wish(words: str, language: str) -> Wishes | None:
    """Return what a sentence wants of lists; None if it is about something else, or not clear."""
    base = base_of(language)
    if base not in WORDS:
        return None
    known = _patterns(base)
    text = " ".join(_MARKS.sub(" ", words.replace("\u2019", "'")).split()).strip(" ,:;")
    bare = _bare(text, known)
    if found := known.words["if_not"].search(text):
        asked = _one(_bare(text[: found.start()], known), language, known)
        return (replace(asked, do="add"),) if asked and asked.do in ("is_on", "add") and asked.items else None
    bare = _reordered(bare, language)
    for each in dict.fromkeys((bare, text)):
        if wishes := _wishes(each, language, known):
            return wishes
    if found := known.words["reason"].match(bare):
        wishes = _wishes(_bare(bare[found.end() :], known), language, known)
        return wishes if wishes and wishes[0].do in _COMMANDS else None
    return None


def _reordered(text: str, language: str) -> str:
    """Return a wish that stands for two others as those: to replace is to remove and to add."""
    for pattern, instead in WORDS[base_of(language)].get("orders", ()):
        if found := _compiled(pattern).fullmatch(text):
            return str(found.expand(instead))
    return text


def _wishes(text: str, language: str, known: _Patterns) -> Wishes | None:
    one = _one(text, language, known)
    return (one,) if one else _row(text, language, known)


def _row(text: str, language: str, known: _Patterns) -> Wishes | None:
    """Return the two wishes of a sentence of which one at least names the list; None if there are none."""
    for joint in known.words["joint"].finditer(text):
        parts = [_bare(each, known) for each in (text[: joint.start()], text[joint.end() :])]
        short = [_short(each, language, known) for each in parts]
        full = [None if few else _one(each, language, known) for each, few in zip(parts, short, strict=True)]
        named = next((each for each in full if each and each.do in ("add", "remove", "tick", "make")), None)
        found = [each or few for each, few in zip(full, short, strict=True)]
        wishes = tuple(replace(each, name=each.name or named.name) for each in found if each and named)
        if named is not None and named.do == "make" and short[-1] and named.name:
            return (wishes[-1],)
        if len(wishes) == len(parts) and all(each.items for each in wishes):
            return wishes
    return None


def _short(text: str, language: str, known: _Patterns) -> ListWish | None:
    for do, pattern in known.short:
        if (found := pattern.fullmatch(text)) and not _names_list(text, known):
            wish = _wish(do, "", found, language)
            return None if wish is None or any(known.words["alone"].search(each) for each in wish.items) else wish
    return None


def _names_list(text: str, known: _Patterns) -> bool:
    return any(_LIST in marked for _, marked in _marked(text, known))


def _one(text: str, language: str, known: _Patterns) -> ListWish | None:
    for name, marked in _marked(text, known):
        if _LIST in marked and known.read.fullmatch(marked) and (known.asks.search(marked) or marked == _LIST):
            return ListWish("read", name)
        for do, pattern in known.sentences:
            if (found := pattern.fullmatch(marked)) and (wish := _wish(do, name, found, language)):
                return wish
    return None


def _bare(text: str, known: _Patterns) -> str:
    """Return a text without the words around a wish."""
    before = None
    while text != before:
        before, text = text, known.after.sub("", known.before.sub("", text.strip(" ,;"))).strip(" ,;")
    return " ".join(text.split())


def _marked(text: str, known: _Patterns) -> Iterator[tuple[str, str]]:
    """Yield the ways to find a list in a text: its name, and the text with a mark in its place; at last without one."""
    for name, pattern in known.named:
        for found in pattern.finditer(text):
            yield (
                name or found.groupdict().get("name", "").casefold(),
                _LIST.join((text[: found.start()], text[found.end() :])),
            )
    yield "", text


def _wish(do: str, name: str, found: re.Match[str], language: str) -> ListWish | None:
    """Return a wish with its things; None for words that are none."""
    known = _patterns(base_of(language))
    said = found.groupdict().get("items")
    how = do.rpartition("_")[2] if do.endswith(_HOWS) else ""
    kind = do.removesuffix(f"_{how}")
    name = _NAMES.get(how, name) or (found.groupdict().get("name") or "").casefold()
    if said is None:
        return ListWish(kind, name)
    words = known.words
    items = tuple(_item(each, known) for each in read_items(_item(said, known), language) or ())
    size = len(said.split()) if len(items) == 1 else 0
    is_other = not all(items) or not items or _LIST in said or size > _MOST_WORDS.get(how, size)
    is_other |= words["no_inside"].search(said) is not None or any(words["item_other"].match(each) for each in items)
    is_other |= how == "buy" and any(words["no_need"].match(each) for each in items)
    is_other |= how in ("buy", "verbless") and any(words["no_verbless"].match(each) for each in items)
    is_other |= kind == "remove_alone" and any(words["alone"].search(each) for each in items)
    return None if is_other else ListWish(kind, name, items)


def _item(said: str, known: _Patterns) -> str:
    """Return a thing without the words around it."""
    before = None
    while said != before:
        before, said = said, known.words["item_after"].sub("", known.words["item_before"].sub("", said)).strip(" ,;:")
    return said


@cache
def _patterns(base: str) -> _Patterns:
    words = WORDS[base]
    rules = _rules(words.get("rules", {}), words.get("polite", ""))
    sentences, short = (
        [(do, _sentence(form, words, rules)) for do, forms in words.get(kind, {}).items() for form in forms]
        for kind in ("sentences", "short")
    )
    return _Patterns(
        _compiled(rf"^(?:{_joined(words['before'])})(?![\w'])[ ,]*"),
        _compiled(rf"[ ,;]*(?<![\w'])(?:{_joined(words['after'])})$"),
        tuple(_lists(words)),
        tuple(sentences),
        tuple(short),
        _bag(words),
        _whole(words.get("read", "(?!)")),
        {
            **{key: _compiled(words.get(key, "(?!)")) for key in ("no_inside", "reason", "joint")},
            **{key: _compiled(rf"(?:{words[key]})(?!\w)") for key in ("no_need", "no_verbless")},
            "item_other": _compiled(rf"(?:{words.get('item_other', '(?!)')})(?![\w'])"),
            "alone": _whole(words["alone"]),
            "if_not": _at_end(_joined(words.get("if_not", "")).replace("POLITE", words.get("polite", ""))),
            "item_before": _compiled(rf"^(?:{words.get('item_before', '(?!)')})(?![\w'])[ ,]*"),
            "item_after": _at_end(words.get("item_after", "")),
        },
    )


def _lists(words: Mapping[str, Any]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield how lists are named, with the names of those that every board has."""
    article, adjective = words["forms"]["article"], words["forms"].get("adjective", "(?!)")
    after, forms, known = words["forms"].get("list_after", ""), words["forms"], words["known"]

    def named(form: str) -> re.Pattern[str]:
        whole = rf"(?:(?:{article}) )?(?:(?:{adjective}) )*(?:{form}){after}"
        return _compiled(rf"(?<![\w'])(?:{whole})(?![\w'])")

    word = rf"(?!(?:{words['no_name']}|{article})(?![\w'-]))\w[\w-]*?"
    name = rf"(?P<name>{word}(?: {word}){{0,2}}?)"
    yield from ((each, named(rf"(?:{known[each]})[- ]lists?")) for each in known)
    yield from ((each, named(forms[each])) for each in known)
    yield from (("", named(forms[each].replace("NAME", name))) for each in ("called", "named"))
    yield "", named(forms["any"])


def _rules(rules: Mapping[str, str], polite: str) -> Mapping[str, str]:
    """Return the parts of sentences, each as a group."""
    return {**{name: f"(?:{pattern})" for name, pattern in rules.items()}, "polite": polite, "L": _LIST}


def _sentence(form: str, words: Mapping[str, Any], rules: Mapping[str, str]) -> re.Pattern[str]:
    items = rf"(?P<items>(?!(?:{words['no_item']})(?![\w'])).+?)"
    while (replaced := re.sub(r"<(\w+)>", lambda each: rules[each[1]], form)) != form:
        form = replaced
    return _compiled(form.replace("{I}", items).replace("{N}", _NAME))


def _bag(words: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern of texts that consist of the words of a question for a list."""
    if "read" not in words:
        return _NEVER
    either = rf"{words['read']}|{words['read_more']}|{_LIST}"
    return _compiled(rf"(?>(?:{longest_first(either)})(?:[ ,;]+|$))+")


def _whole(alternatives: str) -> re.Pattern[str]:
    return _compiled(rf"(?<![\w'])(?:{alternatives})(?![\w'])")


def _at_end(alternatives: str) -> re.Pattern[str]:
    return _compiled(rf"[ ,;]+(?:{alternatives})$") if alternatives else _NEVER


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _joined(alternatives: str) -> str:
    """Return alternatives that stand in several lines as one."""
    return "".join(each.strip() for each in alternatives.splitlines())
