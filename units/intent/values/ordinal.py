"""Places in a row: "the second one", "last", "第二个"."""

import re

from units.intent.values.plain import base_of, compiled, plain, with_ordinals

LAST = -1
"""The place of the last one."""

_AROUND = {
    "en": r"^(?:the|my) | (?:one|1)$",
    "de": r"^(?:der|die|das|den|dem|meine?n?) ",
    "fr": r"^(?:le|la|l'|mon|ma) ?",
    "es": r"^(?:el|la|mi) ",
    "zh": r"(?<=[一二三四五六七八九十\d])个$|(?<=最后|最後)一?个$",
}
_LAST = {
    "en": "last|final|latest",
    "de": "letzte[nrsm]?",
    "fr": "derniers?|dernières?|dernier",
    "es": "últim[oa]|ultim[oa]",
    "zh": "最后|最後",
}


def read_ordinal(words: str, language: str) -> int | None:
    """Return the place that words say, from 1 on, or `LAST`; None if they say none."""
    base = base_of(language)
    if base not in _LAST:
        return None
    text = compiled(_AROUND[base]).sub("", plain(words, language)).strip()
    if compiled(_LAST[base]).fullmatch(text):
        return LAST
    found = re.fullmatch(r"(\d+)\.", with_ordinals(text, language))
    return int(found[1]) if found and int(found[1]) else None
