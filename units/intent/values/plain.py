"""How words are spelled before they are read: in lower case, with digits, without marks and words of hesitation."""

import re
from functools import cache

from hassil.numbers import get_rbnf_engine
from unicode_rbnf import FormatPurpose

from units.intent.numbers import with_digits

LAST_ORDINAL = 31
"""Days of a month need so many; nobody counts timers further."""

_HESITATIONS = {
    "en": "uh|um|uhm|erm|er|hmm|ah|please|like|about|around|exactly|roughly|just",
    "de": "äh|ähm|öhm|hm|also|bitte|mal|ungefähr|etwa|genau|noch|so",
    "fr": "euh|heu|ben|bah|environ|exactement|encore|s'il (?:te|vous) pla[iî]t",
    "es": "eh|em|este|pues|unos|unas|aproximadamente|exactamente|por favor",
    "zh": "嗯|呃|额|那个|大概|大约|左右|请|吧",
}
"""Said between the words of a value; they change nothing."""

_HUNDREDS = {
    "en": re.compile(r"\b(\d+|an?) hundred(?: (?:and )?(\d{1,2})\b)?"),
    "de": re.compile(r"(?<!\w)(?:(\d|ein) )?hundert(?: (\d{1,2})\b)?"),
}
"""Hundreds, of which those up to 200 are also read as numbers of one word."""

_GERMAN_HUNDREDS = re.compile(r"(?<!\w)([^\W\d]*)hundert(?:und)?([^\W\d]*)")

_JOINED = {
    "de": (re.compile(r"(tag|mittwoch|sonnabend)(morgen|vormittag|mittag|nachmittag|abend|nacht)s?(?!\w)"), r"\1 \2"),
    "zh": (re.compile(r"([明昨])([早晚])上?"), r"\1天\2上"),
}
"""A day and a part of it, written as one."""

_APOSTROPHES = str.maketrans({"\u2019": "'", "\u00ad": None})
_MARKS = re.compile(r"[;!?。，、！？]|[.,](?!\d)")  # noqa: RUF001  # Chinese has marks of its own


compiled = cache(re.compile)
"""Compiles a pattern; the cache of `re` itself is too small for those of five languages."""


def base_of(language: str) -> str:
    """Return the language of a tag: "zh" for "zh-CN"."""
    return language.partition("-")[0]


def plain(words: str, language: str) -> str:
    """Return words in lower case with single spaces, without marks and hesitations; Chinese without spaces."""
    base = base_of(language)
    text = words.translate(_APOSTROPHES).casefold()
    if base in _JOINED:
        joined, apart = _JOINED[base]
        text = joined.sub(apart, text)
    if base == "zh":
        return compiled(rf"\s+|{_HESITATIONS[base]}").sub("", _MARKS.sub("", text))
    if base in _HESITATIONS:
        text = compiled(rf"(?<![\w'])(?:{_HESITATIONS[base].casefold()})(?![\w'])").sub(" ", text)
    return " ".join(_MARKS.sub(" ", text).split())


def counted(words: str, language: str) -> str:
    """Return plain words with digits for their numbers."""
    return digits_in(plain(words, language), language)


def digits_in(text: str, language: str) -> str:
    """Return a plain text with digits for its numbers."""
    base = base_of(language)
    if base == "de":
        text = _GERMAN_HUNDREDS.sub(r"\1 hundert \2", text)
    text = with_digits(text, base)
    return " ".join(_HUNDREDS[base].sub(_hundreds, text).split()) if base in _HUNDREDS else text


def _hundreds(found: re.Match[str]) -> str:
    hundreds = int(found[1]) if (found[1] or "").isdigit() else 1
    return str(hundreds * 100 + int(found[2] or 0))


def with_ordinals(words: str, language: str) -> str:
    """Return plain words with `2.` for "second" and "2nd"; cardinal numbers stay as they are."""
    pattern, values = _ordinals(base_of(language))
    return pattern.sub(lambda found: f"{found['digits'] or values[_bare(found[0])]}.", words)


@cache
def _ordinals(language: str) -> tuple[re.Pattern[str], dict[str, int]]:
    """Return a pattern for the ordinals of a language, in words and in digits, and what the words stand for."""
    engine, values = get_rbnf_engine(language), dict[str, int]()
    for number in range(1, LAST_ORDINAL + 1):
        for said in engine.format_number(number, FormatPurpose.ORDINAL).text_by_ruleset.values():
            if not any(each.isdigit() for each in said):
                values.setdefault(_bare(said.casefold()), number)
    either = "|".join(re.escape(each).replace(r"\ ", r"[\s-]") for each in sorted(values, key=len, reverse=True))
    if language == "zh":
        return re.compile(rf"{either}|第(?P<digits>\d+)"), values
    endings = {"en": "st|nd|rd|th", "fr": "ère|er|ème|eme|re|e", "es": "º|ª|o|a|er"}.get(language, r"\.(?!\d)")
    return re.compile(rf"(?<!\w)(?:(?:{either})(?!\w)|(?P<digits>\d+)(?:{endings})(?!\w))"), values


def _bare(said: str) -> str:
    return " ".join(said.replace("\u00ad", "").replace("-", " ").split())
