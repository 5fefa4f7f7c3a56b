"""The words for numbers in each language, without accents and with ss for ß."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class NumberWords:
    """The words for numbers in one language."""

    added: Mapping[str, tuple[int, int]]
    """What a word adds, and below which value a word must be that may follow it: "forty" is followed by 1 to 9."""

    hundreds: frozenset[str]
    scales: Mapping[str, int]
    """Words for thousands and more."""

    joints: frozenset[str]
    """Words between the parts of a number, as "and"."""

    points: frozenset[str]
    """Words before decimals."""

    parts: Mapping[str, int]
    """Into how many parts a word divides one: 2 for "half"."""

    articles: frozenset[str] = frozenset()
    """Words that mean one before "hundred" and before parts only."""

    minus: frozenset[str] = frozenset({"minus"})
    has_comma: bool = True
    """Whether 1.234,5 is written for 1,234.5."""

    units_first: bool = False
    """Whether the units are said before the tens."""

    halves: frozenset[str] = frozenset()
    """Words that add a half to the number before them."""

    together: frozenset[str] = frozenset()
    """Numbers that are words of several numbers in one: these may be in them besides all others."""


def _added(first: str, tens: Mapping[str, int], wide: frozenset[int] = frozenset()) -> dict[str, tuple[int, int]]:
    """Return what is added by the words for 0, 1, 2 and so on, and by those for tens; nothing may follow the first."""
    small = {word: (value, 0) for word, value in numbered(first, 0).items()}
    return small | {word: (value, 20 if value in wide else 10) for word, value in tens.items()}


def numbered(words: str, first: int) -> dict[str, int]:
    """Return words by the order in which they stand; several for the same number have a slash between them."""
    return {word: at for at, several in enumerate(words.split(), first) for word in several.split("/")}


def _tens(words: str) -> dict[str, int]:
    return {word: 10 * value for word, value in numbered(words, 2).items()}


_ENGLISH = NumberWords(
    added=_added(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen",
        _tens("twenty thirty forty/fourty fifty sixty seventy eighty ninety"),
    ),
    hundreds=frozenset({"hundred"}),
    scales={"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
    joints=frozenset({"and"}),
    points=frozenset({"point"}),
    parts=numbered(
        "half/halves third/thirds quarter/quarters/fourth/fourths fifth/fifths sixth/sixths seventh/sevenths"
        " eighth/eighths ninth/ninths tenth/tenths",
        2,
    ),
    articles=frozenset({"a", "an"}),
    minus=frozenset({"minus", "negative"}),
    has_comma=False,
)

_GERMAN = NumberWords(
    added=_added(
        "null ein/eins/eine/einen/einem/einer zwei/zwo drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn"
        " vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn",
        _tens("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig"),
    ),
    hundreds=frozenset({"hundert"}),
    scales={
        **dict.fromkeys(("tausend",), 10**3),
        **dict.fromkeys(("million", "millionen"), 10**6),
        **dict.fromkeys(("milliarde", "milliarden"), 10**9),
        **dict.fromkeys(("billion", "billionen"), 10**12),
    },
    joints=frozenset({"und"}),
    points=frozenset({"komma", "punkt"}),
    parts=numbered(
        "halb/halbe/halber/halbes/halben/halfte drittel viertel funftel sechstel siebtel achtel neuntel zehntel", 2
    ),
    units_first=True,
    halves=frozenset({"einhalb"}),
    together=frozenset({"und", "einhalb", "drittel", "viertel"}),
)

_FRENCH = NumberWords(
    added=_added(
        "zero un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
        {
            "vingt": 20,
            "trente": 30,
            "quarante": 40,
            "cinquante": 50,
            "soixante": 60,
            "septante": 70,
            "huitante": 80,
            "quatrevingt": 80,
            "nonante": 90,
        },
        frozenset({60, 80}),
    )
    | {"dix": (10, 10)},
    hundreds=frozenset({"cent", "cents"}),
    scales={
        "mille": 10**3,
        **dict.fromkeys(("million", "millions"), 10**6),
        **dict.fromkeys(("milliard", "milliards"), 10**9),
        **dict.fromkeys(("billion", "billions"), 10**12),
    },
    joints=frozenset({"et"}),
    points=frozenset({"virgule", "point"}),
    parts={
        **dict.fromkeys(("demi", "demie", "moitie"), 2),
        "tiers": 3,
        **dict.fromkeys(("quart", "quarts"), 4),
        **dict.fromkeys(("cinquieme", "cinquiemes"), 5),
        **dict.fromkeys(("dixieme", "dixiemes"), 10),
    },
    minus=frozenset({"moins"}),
)

_SPANISH = NumberWords(
    added=_added(
        "cero un/uno/una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis"
        " diecisiete dieciocho diecinueve - veintiun/veintiuno/veintiuna veintidos veintitres veinticuatro"
        " veinticinco veintiseis veintisiete veintiocho veintinueve",
        _tens("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa"),
    )
    | {
        f"{word}{ending}": (100 * value, 100)
        for word, value in numbered(
            "doscient trescient cuatrocient quinient seiscient setecient ochocient novecient", 2
        ).items()
        for ending in ("os", "as")
    }
    | {"cien": (100, 100), "ciento": (100, 100)},
    hundreds=frozenset(),
    scales={
        "mil": 10**3,
        **dict.fromkeys(("millon", "millones"), 10**6),
        **dict.fromkeys(("billon", "billones"), 10**12),
    },
    joints=frozenset({"y"}),
    points=frozenset({"coma", "punto"}),
    parts={
        **dict.fromkeys(("medio", "media", "mitad"), 2),
        **dict.fromkeys(("tercio", "tercios", "tercera"), 3),
        **dict.fromkeys(("cuarto", "cuartos", "cuarta"), 4),
        **dict.fromkeys(("quinto", "quintos", "quinta"), 5),
        **dict.fromkeys(("decimo", "decimos", "decima"), 10),
    },
    minus=frozenset({"menos"}),
)

_CHINESE = NumberWords(
    added={**_added("零/\u3007 一 二/两 三 四 五 六 七 八 九", {})},
    hundreds=frozenset(),
    scales={"万": 10**4, "亿": 10**8},
    joints=frozenset(),
    points=frozenset({"点"}),
    parts={"半": 2},
    minus=frozenset({"负"}),
    has_comma=False,
)

NUMBER_WORDS: Mapping[str, NumberWords] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "zh-CN": _CHINESE,
}
