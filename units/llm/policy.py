"""Pause policies: where an answer stops by itself, to go on when the client says so.

The rules are those of the chunked server's document: after so many tokens, or at the end of a sentence. At a sentence's
end one token is looked at in advance, so that a client is not told to go on where nothing follows.
"""

import re
from dataclasses import dataclass
from typing import Any

from units.setup_values import SetupValues

_SENTENCE_END = re.compile(r"""[.!?]["')]*$""")


@dataclass(frozen=True)
class PausePolicy:
    """Both given: whichever comes first. Neither: the answer runs to its end."""

    max_tokens: int | None = None
    """Tokens of one chunk, counted from the start or from the last pause."""

    sentence_boundary: bool = False


NEVER = PausePolicy()
"""The answer runs to its end."""


def ends_sentence(text: str) -> bool:
    """True when the text ends with `.`, `!` or `?`, closing quotes and brackets allowed behind it."""
    return bool(_SENTENCE_END.search(text.rstrip()))


def read_policy(value: Any) -> PausePolicy:
    """A policy from `{"max_tokens": n, "sentence_boundary": true}`.

    Raises:
        ValueError: another shape, or a value out of range.
    """
    if not isinstance(value, dict):
        raise ValueError('pause must be an object such as {"max_tokens": 10}')
    if unknown := sorted(set(value) - {"max_tokens", "sentence_boundary"}):
        raise ValueError(f"pause knows max_tokens and sentence_boundary, not {unknown[0]}")
    pause = _Pause(value, "pause")
    return PausePolicy(
        pause.whole("max_tokens", None, 1) if value.get("max_tokens") is not None else None,
        pause.flag("sentence_boundary", False),
    )


class _Pause(SetupValues):
    def error(self, words: str) -> Exception:
        return ValueError(words)
