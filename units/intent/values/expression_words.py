"""How each language says the operations of a sum: phrases of plain words by operation."""

from collections.abc import Mapping

from units.intent.values.number_words import numbered

MARKS: Mapping[str, str] = {
    **{"+": "+", "-": "-", "\u2212": "-", "\u2013": "-", "*": "*", "\u00d7": "*", "\u00b7": "*", "\u22c5": "*"},
    **{"/": "/", "\u00f7": "/", "^": "^", "%": "%", "(": "(", ")": ")", "\u221a": "root2", "!": "factorial"},
}
"""Marks of every language."""

CURRENCIES: Mapping[str, str] = {
    **{"$": "$", "dollar": "$", "dollars": "$", "dolares": "$"},
    **{"\u20ac": "\u20ac", "euro": "\u20ac", "euros": "\u20ac"},
    **{"\u00a3": "\u00a3", "pound": "\u00a3", "pounds": "\u00a3"},
    **{"\u00a5": "\u00a5", "元": "\u00a5", "块": "\u00a5"},
}
"""Words and marks of currencies, which are passed over: a sum in one currency is a sum."""

_ENGLISH = {
    "+": "plus, added to, added with, and add, increased by, and then add, then add, then plus, and plus",
    "more": "more than, greater than, higher than, bigger than",
    "-": "minus, negative",
    "subtract": (
        "take away, takeaway, subtract, less, decreased by, reduced by, and subtract, then subtract, "
        "and then subtract, then minus, and take away, diminished by"
    ),
    "pi": "pi",
    "from": (
        "subtracted from, taken from, taken away from, less than, fewer than, lower than, smaller than, deducted from"
    ),
    "*": (
        "times, multiplied by, multiply by, x, multiplied with, multiplied to, then times, and multiply "
        "by, then multiply by, and then multiply by, times by, multiplied times"
    ),
    "/": (
        "divided by, divide by, over, divided with, divided through, and divide by, then divide by, and then divide by"
    ),
    "mod": "mod, modulo",
    "^": "to the power of, to the power, raised to the power of, raised to the power, raised to the, raised to, to the",
    "square": "squared",
    "cube": "cubed",
    "%": "percent, per cent",
    "of": "of, tip on, tip for, tip of",
    "off": "off, off of",
    "root2": "square root of, root of, square root",
    "root3": "cube root of, cubed root of",
    "twice": "twice, double, double of",
    "thrice": "triple, triple of, thrice",
    "factorial": "factorial",
    "factorial of": "factorial of",
    "square of": "square of, square",
    "cube of": "cube of, cube",
    "(": "open parenthesis, open bracket",
    ")": "close parenthesis, close bracket, closed parenthesis, closed bracket",
    "": "a, an, the, th, st, nd, rd, power, result of, answer to, value of, tax, tip, number, numbers, then, both",
}

_GERMAN = {
    "+": "plus",
    "-": "minus, weniger",
    "*": "mal, multipliziert mit, x",
    "/": "geteilt durch, durch, dividiert durch, :",
    "mod": "modulo, mod",
    "^": "hoch",
    "square": "zum quadrat, im quadrat, quadrat",
    "cube": "zur dritten potenz",
    "%": "prozent",
    "of": "von, trinkgeld auf",
    "root2": "quadratwurzel aus, quadratwurzel von, wurzel aus, wurzel von, quadratwurzel, wurzel",
    "root3": "kubikwurzel aus, kubikwurzel von, dritte wurzel aus",
    "twice": "das doppelte von, doppelte von",
    "thrice": "das dreifache von, dreifache von",
    "factorial": "fakultat",
    "factorial of": "fakultat von",
    "square of": "quadrat von",
    "(": "klammer auf",
    ")": "klammer zu",
    "": "die, das",
}

_FRENCH = {
    "+": "plus",
    "-": "moins",
    "*": "fois, multiplie par, x",
    "/": "divise par, sur",
    "mod": "modulo",
    "^": "puissance, a la puissance, exposant",
    "square": "au carre",
    "cube": "au cube",
    "%": "pour cent, pourcent, pourcents",
    "of": "de, du, des",
    "root2": "racine carree de, racine de, racine carree",
    "root3": "racine cubique de",
    "twice": "double de",
    "thrice": "triple de",
    "factorial": "factorielle",
    "factorial of": "factorielle de",
    "square of": "carre de",
    "cube of": "cube de",
    "(": "parenthese ouvrante, ouvrez la parenthese",
    ")": "parenthese fermante, fermez la parenthese",
    "": "la, le, les, l ', l",
}

_SPANISH = {
    "+": "mas",
    "-": "menos",
    "*": "por, multiplicado por, veces, x",
    "/": "dividido por, dividido entre, entre, sobre",
    "mod": "modulo",
    "^": "elevado a la potencia de, elevado a la potencia, elevado a la, elevado a, a la potencia de, a la potencia",
    "square": "al cuadrado",
    "cube": "al cubo",
    "%": "por ciento, porciento",
    "of": "de, del",
    "root2": "raiz cuadrada de, raiz de, raiz cuadrada",
    "root3": "raiz cubica de",
    "twice": "doble de",
    "thrice": "triple de",
    "factorial": "factorial",
    "factorial of": "factorial de",
    "square of": "cuadrado de",
    "cube of": "cubo de",
    "(": "abre parentesis",
    ")": "cierra parentesis",
    "": "la, el, los, las",
}

_CHINESE = {
    "+": "加, 加上",
    "-": "减, 减去, 负",
    "*": "乘, 乘以, 乘上, x",
    "/": "除以",
    "whose": "的",
    "power": "次方, 次幂",
    "square": "的平方, 平方",
    "cube": "的立方, 立方",
    "percent": "百分之",
    "half": "的一半, 的半",
    "root": "的平方根",
    "root2": "根号",
    "factorial": "的阶乘",
}

_BY_LANGUAGE = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh-CN": _CHINESE}


def operations(language: str) -> dict[tuple[str, ...], str]:
    """Return what the phrases of a language mean, each as its words; a word that means "" is passed over."""
    found: dict[tuple[str, ...], str] = {(mark,): meaning for mark, meaning in MARKS.items()}
    found |= {(word,): "" for word in (",", *CURRENCIES)}
    for meaning, phrases in _BY_LANGUAGE.get(language, {}).items():
        for phrase in phrases.split(", "):
            words = tuple(phrase) if language == "zh-CN" else tuple(phrase.split())
            found[words] = meaning
    return found


ORDINALS: Mapping[str, Mapping[str, int]] = {
    "en": numbered("second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 2),
}
"""Words that are numbers after "to the" alone; "third" is a part otherwise."""
