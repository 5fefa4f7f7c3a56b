"""What somebody wants of a list: what is to be done, with which list, and the things that are said."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from units.intent.values.items import read_items
from units.intent.values.plain import base_of

WORDS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("list_words.toml").read_text(encoding="utf-8"))
"""By language."""

SHOPPING, TODO = "shopping", "todo"

_MARKS = re.compile(r"[!?;]+|\.(?!\d)|[,:]+$")
_LIST = "\x00"
"""Stands in a sentence where a list was named."""

_MOST_WORDS = {"buy": 4, "verbless": 3}
"""Who says more after "we are out of" may say anything."""


@dataclass(frozen=True)
class ListWish:
    """What is wanted."""

    do: str
    """add, remove, remove_alone, tick, read, is_on or clear."""

    name: str = ""
    """shopping, todo, any other name, or "" where none is said."""

    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Patterns:
    """The patterns of a language."""

    before: re.Pattern[str]
    after: re.Pattern[str]
    named: tuple[tuple[str, re.Pattern[str]], ...]
    """How a list is named, the clearest first, with its name; "" where a group has it."""

    sentences: tuple[tuple[str, re.Pattern[str]], ...]
    no_need: re.Pattern[str]
    no_verbless: re.Pattern[str]
    alone: re.Pattern[str]


def read_wish(words: str, language: str) -> ListWish | None:
    """Return what a sentence wants of a list; None if it is about something else."""
    base = base_of(language)
    if base not in WORDS:
        return None
    known = _patterns(base)
    text = " ".join(_MARKS.sub(" ", words.replace("\u2019", "'")).split())
    readings = (_reading(each, language, known) for each in dict.fromkeys((text, _bare(text, known))))
    return next(filter(None, readings), None)


def _reading(text: str, language: str, known: _Patterns) -> ListWish | None:
    for name, marked in _marked(text, known):
        for do, pattern in known.sentences:
            if (found := pattern.fullmatch(marked)) and (wish := _wish(do, name, found, language)):
                return wish
    return None


def _bare(text: str, known: _Patterns) -> str:
    """Return a text without the words around a wish."""
    before = None
    while text != before:
        before, text = text, known.after.sub("", known.before.sub("", text.strip(" ,"))).strip(" ,")
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
    how = do.rpartition("_")[2] if do.endswith(("_buy", "_verbless")) else ""
    kind = do.removesuffix(f"_{how}")
    if how == "buy":
        name = SHOPPING
    if said is None:
        return ListWish(kind, name)
    items = tuple(read_items(_bare(said, known), language) or ())
    size = len(said.split()) if len(items) == 1 else 0
    is_other = not items or _LIST in said or size > _MOST_WORDS.get(how, size)
    is_other |= how == "buy" and any(known.no_need.match(each) for each in items)
    is_other |= how == "verbless" and known.no_verbless.match(said) is not None
    is_other |= do == "remove_alone" and any(known.alone.search(each) for each in items)
    return None if is_other else ListWish(kind, name, items)


@cache
def _patterns(base: str) -> _Patterns:
    words = WORDS[base]
    article, forms, known = words["forms"]["article"], words["forms"], words["known"]

    def named(form: str) -> re.Pattern[str]:
        return _compiled(rf"(?<![\w'])(?:(?:{article}) )?(?:{form})(?![\w'])")

    word = rf"(?!(?:{words['no_name']}|{article})(?![\w'-]))\w[\w-]*?"
    name = rf"(?P<name>{word}(?: {word}){{0,2}}?)"
    lists = [
        *((each, named(rf"(?:{known[each]})(?: shopping)?[- ]lists?")) for each in known),
        *((each, named(forms[each])) for each in known),
        *(("", named(forms[each].replace("NAME", name))) for each in ("called", "named")),
        ("", named(forms["any"])),
    ]
    sentences = [
        (do, _sentence(form, words["no_item"])) for do, several in words["sentences"].items() for form in several
    ]
    return _Patterns(
        _compiled(rf"^(?:{_joined(words['before'])})(?![\w'])[ ,]*"),
        _compiled(rf"[ ,]*(?<![\w'])(?:{_joined(words['after'])})$"),
        tuple(lists),
        tuple(sentences),
        _compiled(rf"(?:{words['no_need']})(?!\w)"),
        _compiled(rf"(?:{words['no_verbless']})(?!\w)"),
        _compiled(rf"(?<!\w)(?:{words['alone']})(?!\w)"),
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _joined(alternatives: str) -> str:
    """Return alternatives that stand in several lines as one."""
    return "".join(each.strip() for each in alternatives.splitlines())


def _sentence(form: str, no_item: str) -> re.Pattern[str]:
    items = rf"(?P<items>(?!(?:{no_item})(?![\w'])).+?)"
    return _compiled(form.replace("<L>", _LIST).replace("{I}", items))
