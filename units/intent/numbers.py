"""The numbers in a sentence: digits, number words of the language, fractions and words such as "half"."""

import re
from functools import cache

from hassil.numbers import get_rbnf_engine

from units.intent.phrases import LANGUAGES, Language

# Nothing in a home goes beyond two hundred in words; larger numbers are said in digits by every transcript.
MOST = 201

_DIGITS = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)?")
_FRACTION = re.compile(r"(?<![\d/])(\d{1,3})\s*/\s*(\d{1,3})(?![\d/])")
_NUMBER = r"(\d+(?:\.\d+)?)"
_PERCENT = re.compile(r"\bp(?:er|our|or) ?c(?:ent|iento)\b")  # not the hundred in it
_SOFT_HYPHEN = "\u00ad"


def numbers_in(text: str, language: str) -> list[float]:
    """Return the numbers of a sentence in lower case; those of an unknown language are its digits."""
    words = LANGUAGES.get(language)
    if words is None:
        return _unique(_digits_of(text))
    text = with_digits(_PERCENT.sub("%", text), language)
    found = [_fraction(*map(int, each.groups())) for each in _FRACTION.finditer(text)]
    pattern = _joints(language)
    found += [_float(f"{each[1]}.{each[2]}") for each in pattern["point"].finditer(text)]
    found += [_float(each[1]) + 0.5 for each in pattern["halves"].finditer(text)]
    found += _digits_of(text)
    for word, values in words.values.items():
        if words.pattern((word,)).search(text):
            found += values
    return _unique(found + _in_smaller_units(found, text, words))


def _digits_of(text: str) -> list[float]:
    return [_float(each) for each in _DIGITS.findall(text)]


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _fraction(part: int, whole: int) -> float:
    return round(part / whole, 2) if whole else 0.0


def _unique(numbers: list[float]) -> list[float]:
    """Return the numbers once each, with fractions also in percent."""
    percents = [round(each * 100) for each in numbers if 0 < each < 1]
    return list(dict.fromkeys(float(each) for each in (*numbers, *percents)))


def _in_smaller_units(numbers: list[float], text: str, words: Language) -> list[float]:
    """Return the numbers times 60 where the sentence has a word for hours or minutes: half an hour is 30 minutes."""
    return [each * 60 for each in numbers] if words.pattern(words.hours_and_minutes).search(text) else []


def with_digits(text: str, language: str) -> str:
    """Return a text with digits for its number words."""
    pattern, values = _number_words(language)
    return pattern.sub(lambda found: str(values[_spelled(found[0])]), text)


@cache
def _joints(language: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of "21 point 5" and "21 and a half"."""
    words = LANGUAGES[language]
    return {
        "point": re.compile(rf"{_NUMBER}\s*(?:{words.point})\s*(\d+)"),
        "halves": re.compile(rf"{_NUMBER}(?: [^\W\d]+)?\s*(?:{words.halves})"),
    }


@cache
def _number_words(language: str) -> tuple[re.Pattern[str], dict[str, int]]:
    """Return a pattern for the number words of a language, the longest first, and what they stand for.

    One is left out: in most languages it is also the article.
    """
    engine, values = get_rbnf_engine(language), dict[str, int]()
    for number in (0, *range(2, MOST)):
        for rules, said in engine.format_number(number).text_by_ruleset.items():
            if "ordinal" not in rules and "financial" not in rules and "days" not in rules:
                values.setdefault(_spelled(said), number)
    spaced = sorted(values, key=len, reverse=True)
    words = "|".join(re.escape(each).replace(r"\ ", r"[\s-]+(?:and\s+)?") for each in spaced)
    edges = (r"(?<!\w)", r"(?=einhalb|(?!\w))") if LANGUAGES[language].has_spaces else ("", "")
    return re.compile(f"{edges[0]}(?:{words}){edges[1]}"), values


def _spelled(said: str) -> str:
    """Return number words in lower case, with spaces for hyphens and without "and"; ß is ss."""
    words = said.casefold().replace(_SOFT_HYPHEN, "").replace("-", " ").split()
    return " ".join(each for each in words if each != "and")
