"""Numbers in the words of a sentence: digits, number words of any size, decimals, halves and other parts.

`words_of` cuts a text into words; `number_at` reads the longest number that begins at one of them. Values are exact.
"""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from units.intent.values.number_words import NUMBER_WORDS, NumberWords

MAX_DIGITS = 300
"""A number with more digits is none that somebody says."""

_CHINESE = "zh-CN"
_HAN = "\u4e00-\u9fff\u3007"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*|[.,]\d+|[{_HAN}]|[^\W\d_{_HAN}]+|[^\w\s]")
_HYPHEN = re.compile(r"(?<=[^\W\d])[-\u2010\u2011](?=[^\W\d])")
_EIGHTY = re.compile(r"\bquatre[\s-]vingts?\b")
_ONE_AND_A_HALF = re.compile(r"\b(?:anderthalb|eineinhalb)\b")
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?:[\s\u202f]\d{3})+(?!\d)")
_HAN_PLACES = {"十": 10, "百": 100, "千": 1000}


class Found(NamedTuple):
    """A number, and where the words go on after it."""

    value: Fraction
    end: int


def plain(text: str) -> str:
    """Return a text in lower case without accents, with ss for ß and a plain apostrophe."""
    spelled = unicodedata.normalize("NFKD", _with_fractions(text.casefold()).replace("\u2019", "'"))
    return "".join(each for each in spelled if not unicodedata.combining(each)).replace("\u2044", "/")


def _with_fractions(text: str) -> str:
    """Return a text with " 1/2" for ½, of which the next step would make 11/2 after a 1."""
    return "".join(f" {each}" if unicodedata.decomposition(each).startswith("<fraction>") else each for each in text)


def words_of(text: str, language: str) -> list[str]:
    """Return the words, numbers and marks of a text, plain; number words that are written together are cut."""
    spaced = _HYPHEN.sub(" ", _EIGHTY.sub("quatrevingt", _ONE_AND_A_HALF.sub("ein einhalb", plain(text))))
    if language == "fr":
        spaced = _SPACED.sub(lambda found: "".join(found[0].split()), spaced)
    words = _WORD.findall(spaced)
    if language in NUMBER_WORDS and NUMBER_WORDS[language].together:
        return [part for word in words for part in _parts(word, language)]
    return words


def _parts(word: str, language: str) -> list[str]:
    """Return the numbers that a word consists of ("einundzwanzig"), or the word itself."""
    found, pattern = [], _compound(language)
    at = 0
    while at < len(word):
        if (part := pattern.match(word, at)) is None:
            return [word]
        found.append(part[0])
        at = part.end()
    return found


@cache
def _compound(language: str) -> re.Pattern[str]:
    words = NUMBER_WORDS[language]
    known = {*words.added, *words.hundreds, *words.scales, *words.together}
    return re.compile("|".join(sorted(known, key=len, reverse=True)))


def read_number(text: str, language: str) -> Fraction | None:
    """Return the number that a text is; None if it is anything else."""
    words = words_of(text, language)
    if words and (words[0] == "-" or (language in NUMBER_WORDS and words[0] in NUMBER_WORDS[language].minus)):
        found = number_at(words, 1, language)
        return -found.value if found and found.end == len(words) else None
    found = number_at(words, 0, language)
    return found.value if found and found.end == len(words) else None


def number_at(words: Sequence[str], at: int, language: str) -> Found | None:
    """Return the longest number that begins at a word; None if none does.

    In a language whose number words are not known there are digits alone.
    """
    of = NUMBER_WORDS.get(language, NumberWords({}, frozenset(), {}, frozenset(), frozenset(), {}))
    found = _whole_at(words, at, of, language) or _point_at(words, at, of)
    if found is None:
        return _part_at(words, at, of, Fraction(1)) if language != _CHINESE else _half_at(words, at)
    found = _han_part(words, found, of) if language == _CHINESE else found
    found = _decimals(words, found, of, language)
    if part := _part_at(words, found.end, of, found.value):
        return part
    return _scaled(words, _with_half(words, found, of), of)


def fraction_at(words: Sequence[str], at: int) -> Fraction | None:
    """Return the fraction in digits at a word, with a stroke: 3/4."""
    three = words[at : at + 3]
    if len(three) < 3 or three[1] != "/" or not (three[0].isdecimal() and three[2].isdecimal()) or int(three[2]) == 0:
        return None
    return Fraction(int(three[0]), int(three[2]))


def _whole_at(words: Sequence[str], at: int, of: NumberWords, language: str) -> Found | None:
    if at >= len(words):
        return None
    if words[at][-1:].isdigit():
        value = digits_value(words[at], of.has_comma)
        return None if value is None else Found(value, at + 1)
    return _han_at(words, at, of) if language == _CHINESE else _spoken_at(words, at, of)


def _point_at(words: Sequence[str], at: int, of: NumberWords) -> Found | None:
    """Return the zero that is not said before "point five"."""
    is_decimal = at + 1 < len(words) and words[at] in of.points and of.added.get(words[at + 1], (10, 0))[0] < 10
    return Found(Fraction(0), at) if is_decimal else None


def digits_value(digits: str, has_comma: bool) -> Fraction | None:
    """Return the value of a number in digits; None for marks that make none, or too many digits.

    A mark that is not the language's own for decimals is one all the same where it cannot part thousands: 3.5.
    """
    if len(digits) > MAX_DIGITS or not digits.isascii():
        return None
    comma, point = (",", ".") if has_comma else (".", ",")
    if re.fullmatch(rf"[1-9]\d{{0,2}}(?:\{point}\d{{3}})+(?:\{comma}\d+)?", digits):
        digits = digits.replace(point, "")
    if sum(map(digits.count, ".,")) > 1:
        return None
    return Fraction(f"0{digits.replace(',', '.')}")


class _Spoken(NamedTuple):
    """Number words that have been read."""

    scaled: tuple[tuple[int, int], ...] = ()
    """What stands before words for thousands and more, multiplied, each with its scale."""

    group: int | None = None
    """The number after the last of these; None if there is none."""

    below: int = 10**3
    """A word must add less than this."""

    @property
    def value(self) -> int:
        return sum(value for value, _ in self.scaled) + (self.group or 0)

    def with_word(self, word: str, of: NumberWords) -> "_Spoken | None":
        """Return the number with its next word; None if the word does not go on with it."""
        if word in of.added and of.added[word][0] < self.below:
            value, room = of.added[word]
            return self._replace(group=(self.group or 0) + value, below=room)
        if word in of.hundreds and (self.group is None or 0 < self.group < 100):
            return self._replace(group=(self.group or 1) * 100, below=100)
        if word in of.scales:
            return self._times(of.scales[word])
        return None

    def _times(self, scale: int) -> "_Spoken | None":
        smaller = sum(value for value, of in self.scaled if of < scale)
        larger = tuple(each for each in self.scaled if each[1] >= scale)
        if any(of == scale for _, of in larger):
            return None
        # "Un millón mil" is said without "one" before the thousand.
        value = (self.group or 0) + smaller if self.group is not None or smaller else 1
        return _Spoken((*larger, (value * scale, scale)), below=min(scale, 10**3))


def _spoken_at(words: Sequence[str], at: int, of: NumberWords) -> Found | None:
    """Read number words from left to right, as long as each goes on with the number."""
    spoken, end = _Spoken(), at
    if (
        words[at] in of.articles
        and at + 1 < len(words)
        and (words[at + 1] in of.hundreds or words[at + 1] in of.scales)
    ):
        end += 1
    begin = end
    while end < len(words):
        # "and" counts only between words of the number.
        step = 1 if end > begin and words[end] in of.joints else 0
        if (tens := _reversed_tens(words, end + step, of)) and tens < spoken.below:
            spoken, end = spoken._replace(group=(spoken.group or 0) + tens, below=0), end + step + 3
        elif end + step < len(words) and (longer := spoken.with_word(words[end + step], of)):
            spoken, end = longer, end + step + 1
        else:
            break
    return Found(Fraction(spoken.value), end) if end > begin else None


def _reversed_tens(words: Sequence[str], at: int, of: NumberWords) -> int:
    """Return 21 for "ein und zwanzig"; 0 if there are other words, or the language says the tens first."""
    three = words[at : at + 3]
    if not of.units_first or len(three) < 3 or three[1] not in of.joints:
        return 0
    unit, tens = of.added.get(three[0], (0, 0)), of.added.get(three[2], (0, 0))
    return unit[0] + tens[0] if 0 < unit[0] < 10 and tens[1] == 10 else 0


def _han_at(words: Sequence[str], at: int, of: NumberWords) -> Found | None:
    """Read a number in Chinese, where each place has its sign: 三百四十五. In 两百五 the last place has none."""
    total = section = 0
    digit: int | None = None
    place, largest, end = 0, 0, at
    while end < len(words):
        word = words[end]
        if word in of.added and (digit is None or digit == 0):
            digit, place = of.added[word][0], 0 if of.added[word][0] == 0 else place
        elif word in _HAN_PLACES and (digit is not None or end == at or place):
            section, digit, place = section + (digit or 1) * _HAN_PLACES[word], None, _HAN_PLACES[word]
        elif word in of.scales and end > at:
            scale, group = of.scales[word], section + (digit or 0)
            total = total + group * scale if scale < largest else (total + group) * scale
            section, digit, place, largest = 0, None, scale, max(scale, largest)
        else:
            break
        end += 1
    last = (digit or 0) * (place // 10 if place > 10 else 1)
    return Found(Fraction(total + section + last), end) if end > at else None


def _decimals(words: Sequence[str], found: Found, of: NumberWords, language: str) -> Found:
    """Return a number with the decimals that are said after it: "three point one four", "trois virgule vingt-cinq"."""
    if found.end + 1 >= len(words) or words[found.end] not in of.points or found.value.denominator != 1:
        return found
    digits, end = "", found.end + 1
    while end < len(words) and (one := of.added.get(words[end])) and one[0] < 10:
        digits, end = f"{digits}{one[0]}", end + 1
    if not digits:
        after = _whole_at(words, end, of, language)
        if after is None or after.value.denominator != 1:
            return found
        digits, end = words[end] if words[end].isdigit() else str(after.value), after.end
    return Found(found.value + Fraction(int(digits), 10 ** len(digits)), end)


def _part_at(words: Sequence[str], at: int, of: NumberWords, count: Fraction) -> Found | None:
    """Return so many parts of one: "a third", "three quarters", "half"; None if no word for parts is there."""
    if count == 1 and at < len(words) and words[at] in of.articles:
        at += 1
    if at < len(words) and words[at] in of.parts and count.denominator == 1:
        return Found(count / of.parts[words[at]], at + 1)
    return None


def _with_half(words: Sequence[str], found: Found, of: NumberWords) -> Found:
    """Return a number with the half or the quarters that are said after it: "two and a half"."""
    if found.end < len(words) and words[found.end] in of.halves:
        return Found(found.value + Fraction(1, 2), found.end + 1)
    at = found.end + (1 if found.end < len(words) and words[found.end] in of.joints else 0)
    part = _part_at(words, at, of, Fraction(1))
    if part is None and at > found.end and (count := _whole_at(words, at, of, "")) is not None:
        part = _part_at(words, count.end, of, count.value)
    return Found(found.value + part.value, part.end) if part else found


def _scaled(words: Sequence[str], found: Found, of: NumberWords) -> Found:
    """Return a number in digits or with decimals times the word after it: "2.5 million", "3 thousand 200"."""
    if found.end == len(words):
        return found
    scale = 100 if words[found.end] in of.hundreds else of.scales.get(words[found.end], 1)
    scaled = Found(found.value * scale, found.end + (scale != 1))
    at = scaled.end + (1 if words[scaled.end : scaled.end + 1] and words[scaled.end] in of.joints else 0)
    if scale == 1 or of.units_first or at >= len(words):
        return scaled
    rest = _whole_at(words, at, of, "")
    rest = rest and _scaled(words, rest, of)
    return Found(scaled.value + rest.value, rest.end) if rest and rest.value < scale else scaled


def _han_part(words: Sequence[str], found: Found, of: NumberWords) -> Found:
    """Return the part that 三分之二 is, its lower number first."""
    if words[found.end : found.end + 2] != ["分", "之"] or found.value == 0:
        return found
    above = _whole_at(words, found.end + 2, of, _CHINESE)
    return Found(above.value / found.value, above.end) if above else found


def _half_at(words: Sequence[str], at: int) -> Found | None:
    """Return the half that 一半 and 半 are in Chinese."""
    if words[at : at + 2] == ["一", "半"]:
        return Found(Fraction(1, 2), at + 2)
    return Found(Fraction(1, 2), at + 1) if words[at : at + 1] == ["半"] else None
