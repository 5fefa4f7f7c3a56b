"""Pause policies: where an answer stops by itself until its client lets it go on.

The rules are those of the chunked server's document: after so many tokens, or at the end of a sentence. At a sentence's
end one token is looked at in advance, so that a client need not continue an answer that is complete.
"""

import re
from dataclasses import dataclass
from typing import Any

from units.setup_values import SetupValues

_SENTENCE_END = re.compile(r"""[.!?]["')]*$""")


@dataclass(frozen=True)
class PausePolicy:
    """Where an answer stops: at the first of the two; without any, it runs to its end."""

    max_tokens: int | None = None
    """Tokens of one chunk, counted from the start or from the last pause."""

    sentence_boundary: bool = False


NEVER = PausePolicy()
"""The answer runs to its end."""


def ends_sentence(text: str) -> bool:
    """Return True when the text ends with `.`, `!` or `?`; closing quotes and brackets may follow."""
    return bool(_SENTENCE_END.search(text.rstrip()))


def read_policy(value: Any) -> PausePolicy:
    """Return the policy of `{"max_tokens": n, "sentence_boundary": true}`; raise ValueError for a bad value."""
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
