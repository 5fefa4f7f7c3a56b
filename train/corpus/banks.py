"""Banks of phrasings that are kept in text files, one phrasing a line.

`# name` begins a block, `;` a comment. A phrasing may contain `[a|b|]` choices and `{slots}`. An error in a file is
reported with its line when the file is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from train.corpus.base import CHOICE, Phrasings, is_held_place, words_of

SLOT = re.compile(r"\{[a-z_0-9]+\}")


class BankError(ValueError):
    """A text file that is no bank of phrasings."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"data/{name}.txt, line {line}: {problem}")


@cache
def bank(name: str) -> Mapping[str, Phrasings]:
    """Return the blocks of phrasings in `data/<name>.txt` by their names, in the order of the file.

    Every eighth phrasing of a block is held out, unless it has a word that no trained phrasing of the file has.
    """
    blocks = words_in(name)
    known = frozenset(
        word
        for phrasings in blocks.values()
        for place, phrasing in enumerate(phrasings)
        if not is_held_place(place)
        for word in words_of(phrasing)
    )
    return {block: Phrasings(phrasings, known) for block, phrasings in blocks.items()}


@cache
def words_in(name: str) -> Mapping[str, Sequence[str]]:
    """Return the lines of each block in `data/<name>.txt`, of which none is held out: lists of words."""
    return parse_bank(name, files("train.corpus").joinpath(f"data/{name}.txt").read_text("utf-8"))


def parse_bank(name: str, text: str) -> dict[str, list[str]]:
    """Return the phrasings of each block; `name` is the name of the file in an error."""
    blocks: dict[str, dict[str, int]] = {}
    begins: dict[str, int] = {}
    block = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line.startswith(";"):
            continue
        if line.startswith("#"):
            block = line.removeprefix("#").strip()
            if not block or block in blocks:
                raise BankError(name, number, f"the block {block!r} begins twice" if block else "a block has no name")
            blocks[block], begins[block] = {}, number
            continue
        if not block:
            raise BankError(name, number, "a phrasing stands before the first block")
        if problem := _problem(line, blocks[block]):
            raise BankError(name, number, problem)
        blocks[block][line] = number
    for block, phrasings in blocks.items():
        if not phrasings:
            raise BankError(name, begins[block], f"the block {block!r} is empty")
    return {block: list(phrasings) for block, phrasings in blocks.items()}


def _problem(line: str, before: Mapping[str, int]) -> str:
    """Return what is wrong with a phrasing, or ""."""
    if line in before:
        return f"the phrasing of line {before[line]} again: {line!r}"
    without = line
    while CHOICE.search(without):
        without = CHOICE.sub("", without)
    if set("[]") & set(without):
        return f"a bracket without its other one: {line!r}"
    if set("{}") & set(SLOT.sub("", line)):
        return f"a brace that is no slot: {line!r}"
    return ""
