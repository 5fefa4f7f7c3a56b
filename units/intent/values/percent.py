"""How much of something: "30 percent", "half", "maximum", or 5 of ten."""

import re
from collections.abc import Mapping

from units.intent.numbers import with_digits

_PERCENT: Mapping[str, str] = {
    "en": r"%|per ?cent",
    "de": r"%|prozent",
    "fr": r"%|pour ?cent",
    "es": r"%|por ciento",
    "zh": r"%|百分之",
}
_OF_TEN: Mapping[str, str] = {
    "en": r"out of (?:10|ten)",
    "de": r"von (?:10|zehn)",
    "fr": r"sur (?:10|dix)",
    "es": r"(?:de|sobre) (?:10|diez)",
    "zh": r"级|档|格",
}
_WORDS: Mapping[str, Mapping[str, int]] = {
    "en": {
        **dict.fromkeys(("max", "maximum", "the maximum", "full", "full volume", "the max", "one hundred"), 100),
        **dict.fromkeys(("half", "half volume", "medium", "the middle", "halfway", "half way"), 50),
        **dict.fromkeys(("min", "minimum", "the minimum", "the lowest"), 10),
        "a quarter": 25, "three quarters": 75, "3 quarters": 75, "2 thirds": 67,
        "a third": 33, "two thirds": 67, "zero": 0, "one": 10,
    },
    "de": {
        **dict.fromkeys(("maximum", "das maximum", "volle lautstärke", "voll", "maximal", "ganz laut"), 100),
        **dict.fromkeys(("die hälfte", "halb", "halbe lautstärke", "mittel"), 50),
        **dict.fromkeys(("minimum", "das minimum", "ganz leise"), 10),
        "ein viertel": 25, "drei viertel": 75, "3 viertel": 75, "null": 0, "eins": 10,
    },
    "fr": {
        **dict.fromkeys(("maximum", "au maximum", "le maximum", "fond", "max"), 100),
        **dict.fromkeys(("la moitié", "moitié", "mi-volume"), 50),
        **dict.fromkeys(("minimum", "au minimum", "le minimum"), 10),
        "un quart": 25, "zéro": 0, "un": 10,
    },
    "es": {
        **dict.fromkeys(("máximo", "al máximo", "el máximo", "tope"), 100),
        **dict.fromkeys(("la mitad", "mitad", "medio"), 50),
        **dict.fromkeys(("mínimo", "al mínimo", "el mínimo"), 10),
        "un cuarto": 25, "cero": 0, "uno": 10,
    },
    "zh": {
        **dict.fromkeys(("最大", "最高", "最响"), 100),
        **dict.fromkeys(("一半", "中等", "中间"), 50),
        **dict.fromkeys(("最小", "最低"), 10),
        "零": 0, "一": 10,
    },
}  # fmt: skip
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def read_percent(words: str, language: str) -> float | None:
    """Return the percentage that words say; a number up to ten that is said without "percent" is one of ten.

    None where they are no number from 0 to 100.
    """
    base, text = language.partition("-")[0], " ".join(words.casefold().split())
    if base not in _PERCENT:
        return None
    if (known := _WORDS[base].get(text)) is not None:
        return float(known)
    number = read_points(text, language)
    is_of_ten = re.search(_OF_TEN[base], text) or (
        number is not None and number <= 10 and not _says_percent(text, base)
    )
    return number * 10 if number is not None and is_of_ten and number <= 10 else number


def read_points(words: str, language: str) -> float | None:
    """Return by how much a percentage is to change: 5 for "5 percent" and for "5"; None for no number to 100."""
    base = language.partition("-")[0]
    if base not in _PERCENT:
        return None
    plain = re.sub(f"{_PERCENT[base]}|{_OF_TEN[base]}", " ", words.casefold())
    digits = with_digits(" ".join(plain.split()), base)
    number = float(digits.replace(",", ".")) if _NUMBER.fullmatch(digits) else 101.0
    return number if number <= 100 else None


def _says_percent(text: str, base: str) -> bool:
    return re.search(_PERCENT[base], text) is not None
