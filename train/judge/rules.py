"""What an answer must have, and must not have. Pure.

A rule has `has`, a list of lists: of each at least one must stand in the answer; `not`, words that may not stand there;
and `least_words`. Words are compared whole and in any case. No answer may contain marks of the frame or say the same
over and over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

_MARKS = re.compile(r"[<>{}|]|tool_call|im_start|im_end")
_WORD = re.compile(r"[^\W_]+(?:['.,:][^\W_]+)*")
_RUN = 4
_MOST_RUNS = 3


def obeys(answer: str, rule: Mapping[str, Any]) -> bool:
    """Return whether an answer is what a rule asks for."""
    return (
        is_sound(answer)
        and len(_WORD.findall(answer)) >= rule.get("least_words", 1)
        and all(any(has(answer, word) for word in words) for words in rule.get("has", ()))
        and not any(has(answer, word) for word in rule.get("not", ()))
    )


def has(answer: str, word: str) -> bool:
    """Return whether the word or words stand in the answer, and not as a part of another word or number."""
    answer, word = answer.replace("\u2019", "'"), word.replace("\u2019", "'")
    before = "" if word.startswith("n't") else r"(?<![^\W_])(?<!\d[.,:])"
    return re.search(rf"{before}{re.escape(word)}(?![^\W_])(?![.,:]\d)", answer, re.IGNORECASE) is not None


def is_sound(answer: str) -> bool:
    """Return whether an answer has words, no marks of the frame, and says nothing over and over."""
    words = _WORD.findall(answer.lower())
    runs = Counter(zip(*(words[at:] for at in range(_RUN)), strict=False))
    return bool(words) and not _MARKS.search(answer) and max(runs.values(), default=0) < _MOST_RUNS


def is_copied(answer: str, result: str, keep: list[str]) -> bool:
    """Return whether a result stands unchanged in an answer: what is to be kept of it, or all of it without `keep`.

    Of a state with commas ("heat, 21 degrees") each part must stand there.
    """
    if not keep:
        return _spaced(result) in _spaced(answer)
    parts = [part for text in keep for part in text.split(", ")]
    return all(re.search(rf"(?<![^\W_])(?<!\d[.,:]){re.escape(each)}(?![^\W_])(?![.,:]\d)", answer) for each in parts)


def _spaced(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
