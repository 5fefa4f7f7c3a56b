"""Remove the wake phrase, which is no part of the question, where a recogniser has written it down."""

import functools
import re


def without_wake_phrase(text: str, phrase: str) -> str:
    """Return the text after the phrases at its beginning; "" when nothing else was said."""
    words = re.findall(r"\w+", phrase.casefold())
    return _beginning_of(tuple(words)).sub("", text) if words else text


@functools.lru_cache(maxsize=64)
def _beginning_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the words, once or more often, with any marks and blanks between and after them."""
    spoken = r"\W+".join(map(re.escape, words))
    return re.compile(rf"\A(?:\W*{spoken}\b\W*)+", re.IGNORECASE)
