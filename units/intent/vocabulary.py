"""The words of a language's sentences, and the one that a misspelled word was meant to be."""

import re
from collections.abc import Iterable, Set
from functools import cache

from hassil import Intents
from hassil.expression import Expression, Group, TextChunk
from hassil.intents import TextSlotList
from rapidfuzz.distance import OSA

SHORTEST = 4
"""Shorter words are too easily another word."""

_WORD = re.compile(r"[^\W\d_]+")
_REFERENCE = re.compile(r"<[^<>]*>|\{[^{}]*\}")


class Vocabulary:
    """The words of a language's sentences."""

    def __init__(self, intents: Intents) -> None:
        self._words = frozenset(_words_of(intents))
        self._nearest = cache(self._find)

    def corrected(self, text: str, more: Set[str]) -> str:
        """Return a text with each unknown word as the only known one from which one mistake makes it; of a word
        and its plural it is the plural.

        `more` are the words of the home's names. The first letter of a word is seldom wrong: "clock" is no "lock".
        """

        def right(found: re.Match[str]) -> str:
            word = found[0].casefold()
            return (
                found[0] if len(word) < SHORTEST or word in more else self._nearest(word, frozenset(more)) or found[0]
            )

        return _WORD.sub(right, text)

    def _find(self, word: str, more: frozenset[str]) -> str:
        if word in self._words:
            return ""
        near = {each for words in (self._words, more) for each in words if _is_near(word, each)}
        longest = max(near, key=len, default="")
        return longest if all(longest.startswith(each) for each in near) else ""


def _is_near(word: str, other: str) -> bool:
    if word[0] != other[0] or abs(len(word) - len(other)) > 1 or len(other) < SHORTEST:
        return False
    return OSA.distance(word, other, score_cutoff=1) <= 1


def _words_of(intents: Intents) -> Iterable[str]:
    blocks = [block for intent in intents.intents.values() for block in intent.data]
    rules = [*intents.expansion_rules.values(), *(rule for block in blocks for rule in block.expansion_rules.values())]
    values = [
        value.text_in for each in intents.slot_lists.values() if isinstance(each, TextSlotList) for value in each.values
    ]
    for expression in (*(rule.expression for rule in rules), *values):
        yield from _of_expression(expression)
    for template in (text for block in blocks for text in block.sentence_texts):  # they may not be parsed yet
        yield from _WORD.findall(_REFERENCE.sub(" ", template.casefold()))


def _of_expression(expression: Expression) -> Iterable[str]:
    if isinstance(expression, TextChunk):
        yield from _WORD.findall(expression.text.casefold())
    elif isinstance(expression, Group):
        for item in expression.items:
            yield from _of_expression(item)
