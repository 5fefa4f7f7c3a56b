"""The texts of a skill: its sentences and its answers in each language, from a TOML file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Texts:
    """The texts of a skill in one language."""

    sentences: Mapping[str, list[str]]
    """Templates of hassil by intent."""

    answers: Mapping[str, str]
    """Templates of Jinja by key."""

    rules: Mapping[str, str] = field(default_factory=dict)
    """Parts of sentences, for `<name>` in templates."""

    lists: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    """Slots whose words are known: the words of each value. All other slots take any words."""


class TextsError(ValueError):
    """A file of texts cannot be used; the words say where."""


def read_texts(path: Path) -> dict[str, Texts]:
    """Return the texts of a file by language.

    Raises:
        TextsError: it cannot be used.
        OSError: it cannot be read.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TextsError(f"{path.name}: {error}") from error
    return {language: texts_of(table, f"{path.name}: {language}") for language, table in data.items()}


def texts_of(table: Any, where: str) -> Texts:
    """Return the texts of one language; raise TextsError, which says where, for a table of another form."""
    if not isinstance(table, dict) or (unknown := table.keys() - {"sentences", "answers", "rules", "lists"}):
        raise TextsError(f"{where} has {', '.join(sorted(unknown)) if isinstance(table, dict) else 'no tables'}")
    sentences, answers = table.get("sentences", {}), table.get("answers", {})
    rules, lists = table.get("rules", {}), table.get("lists", {})
    for name, kind, good in (
        ("sentences", "a list of texts", all(_is_texts(each) for each in sentences.values())),
        ("answers", "a text", all(isinstance(each, str) for each in answers.values())),
        ("rules", "a text", all(isinstance(each, str) for each in rules.values())),
        (
            "lists",
            "a table of lists of texts",
            all(_is_texts(words) for each in lists.values() for words in each.values()),
        ),
    ):
        if not good:
            raise TextsError(f"{where}.{name}: each entry must be {kind}")
    return Texts(sentences, answers, rules, lists)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
