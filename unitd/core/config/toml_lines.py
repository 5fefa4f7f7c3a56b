"""The line of each key of a TOML text, which the parser of the standard library does not tell. Pure.

A document is a sequence of statements: headers, and keys with their values. The shortest run of lines that parses by
itself is one statement, because a part of a statement leaves a bracket or a quotation mark open. Parsed alone, a
statement tells which keys it sets; the header before it tells in which table.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from unitd.core.config.problems import Key, Problem


class TomlLines:
    """The lines of the keys of one text, which must be valid TOML."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Key, int] = {}
        self._table: Key = ()
        self._last: dict[Key, int] = {}
        """The index of the last table of each array of tables."""

        for number, statement, document in _statements(text):
            if statement.lstrip().startswith("["):
                self._enter(document, number)
            else:
                self._note(self._table, document, number)

    def __contains__(self, key: Key) -> bool:
        return key in self._lines

    def of(self, key: Key) -> int | None:
        """Return the line of a key, or of the nearest table around a missing key; None if there is neither."""
        while key and key not in self._lines:
            key = key[:-1]
        return self._lines.get(key)

    def _enter(self, document: Any, number: int) -> None:
        """Note the table of a header; the name of an array of tables means its last table."""
        key: Key = ()
        while document:
            (name, document), *_ = document.items()
            key = (*key, name)
            self._lines.setdefault(key, number)
            if isinstance(document, list):
                self._last[key] = self._last.get(key, -1) + 1
                document = None
            if key in self._last:
                key = (*key, self._last[key])
                self._lines.setdefault(key, number)
        self._table = key

    def _note(self, key: Key, value: Any, number: int) -> None:
        """Note the line of the statement that sets a value, for the value and everything in it."""
        if key != self._table:
            self._lines.setdefault(key, number)
        parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, each in parts:
            self._note((*key, name), each, number)


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield for each statement the line on which it begins, its text, and its parsed content."""
    begin, statement = 1, ""
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        statement += line + "\n"
        if (document := _maybe_parse(statement)) is None:
            continue
        if document:  # neither a blank line nor a comment
            yield begin, statement, document
        begin, statement = number + 1, ""


def _maybe_parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None


def with_lines(problems: Sequence[Problem], path: object, text: str) -> list[Problem]:
    """Return the problems of one file in the order of its lines, each with its location FILE:LINE."""
    lines = TomlLines(text)
    in_order = sorted(problems, key=lambda each: lines.of(each.key) or 0)
    return [replace(each, location=f"{path}:{lines.of(each.key) or 1}") for each in in_order]
