"""Things that are said in a row: "milk, eggs and butter"."""

import re
from collections.abc import Mapping

MOST_ITEMS, MOST_WORDS = 20, 12
"""Of more words one thing does not consist: such a sentence is no list of things."""

_JOINTS: Mapping[str, str] = {
    "en": r"\s*,\s*(?:and\s+)?|\s+and(?:\s+also)?\s+|\s+as well as\s+|\s*&\s*",
    "de": r"\s*,\s*(?:und\s+)?|\s+und(?:\s+auch)?\s+|\s+sowie\s+|\s*&\s*",
}
_ARTICLES: Mapping[str, str] = {
    "en": r"(?:some|the|a|an|any)\s+",
    "de": r"(?:etwas|ein|eine|einen|die|der|das|den)\s+",
}


def read_items(words: str, language: str) -> list[str] | None:
    """Return the things without their articles; None where the words are no such row."""
    base = language.partition("-")[0]
    if base not in _JOINTS:
        return None
    parts = [each.strip(" .,!?") for each in re.split(_JOINTS[base], words, flags=re.IGNORECASE)]
    items = [re.sub(f"^{_ARTICLES[base]}", "", each, flags=re.IGNORECASE) for each in parts]
    if not items or len(items) > MOST_ITEMS or any(not each or len(each.split()) > MOST_WORDS for each in items):
        return None
    return list(dict.fromkeys(items))
