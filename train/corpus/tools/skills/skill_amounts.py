"""Sums, word problems, amounts and units, as people say and write them."""

from __future__ import annotations

import random
from collections.abc import Mapping

from train.corpus.banks import bank, words_in
from train.corpus.base import draw_until, fill, is_held_combination
from train.corpus.names import person
from train.corpus.numbers import in_words
from train.corpus.tools.skills.skill_spans import Draw, Filler, Span

PLUS = ("plus", "plus", "plus", "+", "and", "added to")
MINUS = ("minus", "minus", "minus", "-", "less", "take away")
TIMES = ("times", "times", "times", "x", "*", "multiplied by", "by")
OVER = ("divided by", "divided by", "/", "over", "÷", "divided through")
CURRENCIES = ("dollars", "bucks", "euros", "pounds", "cents", "francs", "yen", "euro")
UNITS: Mapping[str, tuple[str, ...]] = {
    "far": ("miles|mile|mi", "kilometers|kilometer|km", "kilometres|kilometre|kms", "meters|meter|m", "yards|yard|yd",
            "feet|foot|ft", "nautical miles|nautical mile|nmi", "light years|light year|ly"),
    "tall": ("feet|foot|ft", "inches|inch|in", "centimeters|centimeter|cm", "meters|meter|m",
    "millimeters|millimeter|mm",
             "centimetres|centimetre|cms", "feet and inches|foot|ft", "yards|yard|yd", "micrometers|micrometer|µm"),
    "heavy": ("pounds|pound|lb", "kilos|kilo|kg", "kilograms|kilogram|kgs", "ounces|ounce|oz", "grams|gram|g",
              "stone|stone|st", "milligrams|milligram|mg", "tons|ton|t", "tonnes|tonne|t", "pounds|pound|lbs"),
    "cook": ("cups|cup|c", "tablespoons|tablespoon|tbsp", "teaspoons|teaspoon|tsp", "milliliters|milliliter|ml",
             "litres|litre|l", "liters|liter|l", "fluid ounces|fluid ounce|fl oz", "pints|pint|pt", "quarts|quart|qt",
             "gallons|gallon|gal", "deciliters|deciliter|dl", "centiliters|centiliter|cl",
             "millilitres|millilitre|mls"),
    "warm": ("degrees celsius|degree celsius|°C", "degrees fahrenheit|degree fahrenheit|°F", "celsius|celsius|c",
             "fahrenheit|fahrenheit|f", "kelvin|kelvin|K", "degrees|degree|°"),
    "fast": ("miles per hour|mile per hour|mph", "kilometers per hour|kilometer per hour|km/h", "knots|knot|kn",
             "meters per second|meter per second|m/s", "kilometers an hour|kilometer an hour|kph"),
    "data": ("megabytes|megabyte|MB", "gigabytes|gigabyte|GB", "kilobytes|kilobyte|kB", "bytes|byte|B", "bits|bit|bit",
             "terabytes|terabyte|TB", "mebibytes|mebibyte|MiB", "gibibytes|gibibyte|GiB", "megabits|megabit|Mbit"),
    "time": ("minutes|minute|min", "hours|hour|h", "seconds|second|s", "days|day|d", "weeks|week|wk", "years|year|y",
             "milliseconds|millisecond|ms", "months|month|mo", "decades|decade|dec"),
    "area": ("acres|acre|ac", "hectares|hectare|ha", "square feet|square foot|sq ft", "square meters|square meter|m2",
             "square miles|square mile|sq mi", "square kilometers|square kilometer|km2"),
    "energy": ("calories|calorie|cal", "kilojoules|kilojoule|kJ", "joules|joule|J", "kilowatt hours|kilowatt hour|kWh",
               "kilocalories|kilocalorie|kcal", "horsepower|horsepower|hp", "watts|watt|W", "kilowatts|kilowatt|kW"),
    "press": ("bar|bar|bar", "psi|psi|psi", "pascal|pascal|Pa", "hectopascals|hectopascal|hPa",
    "atmospheres|atmosphere|atm"),
    "money": ("dollars|dollar|$", "euros|euro|€", "pounds|pound|£", "yen|yen|¥", "swiss francs|swiss franc|CHF",
              "us dollars|us dollar|USD", "bucks|buck|$", "kronor|krona|kr", "rupees|rupee|₹", "pesos|peso|MXN"),
}  # fmt: skip
"""Kinds of quantities; of each unit its plural, its singular and its sign."""

SHARES = {"far": 16, "tall": 16, "heavy": 18, "cook": 20, "warm": 14, "fast": 5, "data": 6, "time": 6, "area": 3,
          "energy": 3, "press": 2, "money": 5}  # fmt: skip


def number(rng: random.Random, most: int = 0) -> str:
    """Return a number in digits or words."""
    most = most or rng.choice((10, 20, 100, 100, 1000, 10000))
    value = rng.randint(1, most)
    chance = rng.random()
    if chance < 0.3 and value < 1000:
        return in_words(value)
    if chance < 0.4:
        return f"{value}.{rng.choice((5, 25, 75, rng.randint(1, 99)))}"
    return f"{value:,}" if value > 999 and chance < 0.8 else str(value)


def _price(rng: random.Random) -> str:
    value = rng.choice((rng.randint(1, 20), rng.randint(5, 200), 5 * rng.randint(1, 60)))
    cents = rng.choice(("", "", "", ".50", ".99", ".95", f".{rng.randint(10, 99)}"))
    chance = rng.random()
    if chance < 0.35:
        return f"{rng.choice('$$€£')}{value}{cents}"
    said = in_words(value) if chance < 0.55 and not cents else f"{value}{cents}"
    return said if chance > 0.9 else f"{said} {rng.choice(CURRENCIES[:4])}"


def _share(rng: random.Random) -> str:
    value = rng.choice((5, 10, 15, 18, 20, 25, 30, 50, 75, rng.randint(1, 100)))
    return rng.choice((f"{value} percent", f"{value} percent", f"{value}%", f"{value} %", f"{in_words(value)} percent",
                       f"{value}.5 percent", f"{value} per cent"))  # fmt: skip


def _chain(rng: random.Random) -> str:
    said = number(rng)
    for _ in range(rng.choices((1, 2, 3, 4), (74, 17, 6, 3))[0]):
        sign = rng.choice(rng.choice((PLUS[:5], MINUS[:5], TIMES[:6], OVER[:5])))
        said += f" {sign} {number(rng, rng.choice((10, 12, 100, 0)))}"
    return said


def _of_percent(rng: random.Random) -> str:
    a = _price(rng) if rng.random() < 0.5 else number(rng)
    p = _share(rng)
    return rng.choice((f"{p} of {a}", f"{p} of {a}", f"{p} off {a}", f"{a} plus {p}", f"{a} minus {p}",
                       f"{p} off of {a}",
                       f"{a} and {p}", f"{p} from {a}", f"{a} with {p} off", f"{p} more than {a}"))  # fmt: skip


def _power(rng: random.Random) -> str:
    a, b = number(rng, 30), rng.randint(2, 12)
    nth = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(b, f"{b}th")
    return rng.choice((
        f"{a} squared", f"{a} cubed", f"{a} to the power of {b}", f"{a} to the {nth}", f"{a} ^ {b}",
        f"{a} to the {nth} power",
        f"the square root of {a}", f"square root of {number(rng, 1000)}",
        f"the square root of {rng.randint(2, 30) ** 2}",
        f"the cube root of {rng.randint(2, 12) ** 3}", f"root of {rng.randint(2, 30) ** 2}", f"{b} factorial",
        f"the {nth} root of {number(rng, 500)}", f"sqrt {rng.randint(2, 30) ** 2}", f"2 to the {b}", f"10 to the {nth}",
    ))  # fmt: skip


def _part(rng: random.Random) -> str:
    a = _price(rng) if rng.random() < 0.3 else number(rng)
    return rng.choice((
        f"half of {a}", f"a third of {a}", f"a quarter of {a}", f"two thirds of {a}", f"three quarters of {a}",
        f"twice {a}",
        f"double {a}", f"triple {a}", f"{rng.randint(1, 4)}/{rng.randint(5, 9)} of {a}", f"a tenth of {a}", f"half {a}",
        f"three times {a}", "a half plus a quarter", f"one half times {a}", "three fourths plus one half",
        f"a fifth of {a}",
        f"{rng.randint(1, 5)}/{rng.randint(2, 9)} {rng.choice('+-*')} {rng.randint(1, 5)}/{rng.randint(2, 9)}",
        f"a dozen times {a}",
        f"two fifths of {a}", f"a hundredth of {a}", f"one and a half times {a}", f"four times {a}",
    ))  # fmt: skip


def _several(rng: random.Random) -> str:
    some = [number(rng, 100) for _ in range(rng.randint(2, 5))]
    joined = f"{', '.join(some[:-1])} and {some[-1]}"
    a, b = some[0], some[1]
    return rng.choice((
        f"the average of {joined}", f"the sum of {joined}", f"the product of {a} and {b}", f"the mean of {joined}",
        f"the difference between {a} and {b}", f"average of {joined}", f"sum of {joined}", f"{a} out of {b} in percent",
        f"{a} of {b} in percent", f"the median of {joined}", f"{a} mod {b}", f"the remainder of {a} divided by {b}",
        f"the quotient of {a} and {b}", f"{a} out of {b} as a percentage", f"{joined} together", f"{joined} added up",
        f"negative {a} plus {b}", f"minus {a} times {b}", f"{a} added to {b}", f"{a} subtracted from {b}",
        f"add {a} and {b}",
        f"multiply {a} by {b}", f"divide {a} by {b}", f"subtract {a} from {b}", f"{a} times {a}", f"{a} into {b}",
    ))  # fmt: skip


def sum_words(draw: Draw) -> Span:
    """Return a sum in words or signs."""
    rng = draw.rng
    make = rng.choices((_chain, _of_percent, _power, _part, _several, _price_sum), (46, 16, 12, 10, 12, 4))[0]
    return Span(make(rng))


def _price_sum(rng: random.Random) -> str:
    sign = rng.choice(("plus", "minus", "and", "times", "divided by", "+"))
    second = str(rng.randint(2, 12)) if sign in ("times", "divided by") else _price(rng)
    return f"{_price(rng)} {sign} {second}"


def expression(draw: Draw) -> Span:
    """Return a sum in signs alone."""
    rng = draw.rng
    space = rng.choice((" ", " ", ""))
    a, b, c = (str(rng.randint(1, rng.choice((10, 100, 1000)))) for _ in range(3))
    first, second = rng.choice("+-*/x"), rng.choice("+-*/")
    return Span(rng.choice((
        f"{a}{space}{first}{space}{b}", f"{a}{space}{first}{space}{b}",
        f"{a}{space}{first}{space}{b}{space}{second}{space}{c}",
        f"({a}{space}{first}{space}{b}){space}{second}{space}{c}", f"{a}^{rng.randint(2, 9)}", f"sqrt({a})",
        f"{a}{space}{second}{space}({b}{space}{first}{space}{c})", f"{a}.5{space}{first}{space}{b}", f"{a}% of {b}",
        f"{a}²",
        f"-{a}{space}{first}{space}{b}", f"{a}{space}÷{space}{b}", f"{a}{space}x{space}{b}",
    )))  # fmt: skip


def word_problem(block: str) -> Filler:
    """Return what makes whole word problems of a block, which are the sum as they stand."""

    def make(draw: Draw) -> Span:
        rng = draw.rng
        template = bank("skill_stories")[block].pick(rng, draw.split if draw.split == "heldout" else "train")
        things = words_in("skill_words")["items"]
        thing, other = (draw_until(lambda: rng.choice(things), lambda each: each.endswith("s")) for _ in range(2))
        n, m = rng.randint(3, 60), rng.randint(2, 12)
        says = (lambda value: in_words(value)) if rng.random() < 0.25 else str
        note = rng.choice(
            ("20 dollars", "a twenty", "50 euros", "$20", "$50", "100 dollars", "a ten", "ten pounds", "€10")
        )
        return Span(fill(template, n=says(max(n, m)), m=says(min(n, m)), k=says(rng.randint(2, 9)),
                         thing=thing, other=other,
                         who=person(rng), person=person(rng), price=_price(rng), percent=_share(rng), note=note,
                         few=says(rng.randint(2, 9)), year=str(rng.randint(1940, 2015)),
                         later=str(rng.randint(2020, 2060))))  # fmt: skip

    return make


def _unit_words(rng: random.Random, unit: str) -> str:
    """Return a unit as one asks for it."""
    plural, single, sign = unit.split("|")
    return rng.choices((plural, sign if len(sign) > 1 or sign.isalpha() else plural, single), (76, 19, 5))[0]


def _amount_words(rng: random.Random, kind: str, unit: str, other: str) -> str:
    plural, single, sign = unit.split("|")
    value = number(rng, {"warm": 250, "tall": 200, "time": 500, "fast": 150, "cook": 20, "heavy": 250}.get(kind, 0))
    chance = rng.random()
    if kind == "tall" and chance < 0.2 and not other.startswith("feet"):
        feet, inches = rng.randint(4, 6), rng.randint(1, 11)
        return rng.choice((f"{feet} foot {inches}", f"{feet} feet {inches} inches", f"{feet}'{inches}\"",
                           f"{feet} ft {inches} in",
                           f"{in_words(feet)} foot {in_words(inches)}", f"{feet} foot {inches} inches"))  # fmt: skip
    if kind == "warm" and chance < 0.15:
        return f"{rng.choice(('minus', '-', 'negative'))} {value} {plural}".replace("- ", "-")
    if chance < 0.2:
        return f"{'an' if single[0] in 'aeiou' or single == 'hour' else 'a'} {single}"
    if chance < 0.28:
        return rng.choice((f"half a {single}", f"one {single}", f"a quarter {single}", f"1 {single}", f"1/2 {single}",
                           f"two and a half {plural}", f"one and a half {plural}", f"3/4 {single}"))  # fmt: skip
    if chance < 0.5:
        if kind == "money" and len(sign) == 1:
            return f"{sign}{value}"
        return f"{value}{rng.choice(('', ' '))}{sign}"
    return f"{value} {plural if value not in ('1', 'one') else single}"


def _base(unit: str) -> str:
    """Return what is the same for two names of one unit."""
    return (
        unit.split("|")[0].split()[-1].replace("tres", "ters").replace("kilos", "kilograms").replace("bucks", "dollars")
    )


def _pair(rng: random.Random, kind: str) -> tuple[str, str]:
    kind = kind or rng.choices(list(SHARES), list(SHARES.values()))[0]
    first, second = draw_until(lambda: rng.sample(UNITS[kind], 2), lambda units: _base(units[0]) != _base(units[1]))
    if kind == "tall" and first.startswith("feet and"):
        first, second = second, first
    if second.startswith("degrees|"):
        first, second = second, first
    return _amount_words(rng, kind, first, second), _unit_words(rng, second)


def _fresh(draw: Draw, kind: str) -> tuple[str, str]:
    is_held = draw.split != "train"
    return draw_until(lambda: _pair(draw.rng, kind), lambda pair: is_held_combination("amount", *pair) == is_held)


def amount_of(kind: str) -> Filler:
    """Return what makes amounts of a kind; the unit for each is shared with the slot of the unit."""

    def make(draw: Draw) -> Span:
        if "amount" in draw.shared:
            return Span(draw.shared.pop("amount"))
        said, draw.shared["unit"] = _fresh(draw, kind)
        return Span(said)

    return make


def amount(draw: Draw) -> Span:
    """Return an amount of anything."""
    return amount_of("")(draw)


def unit_of(kind: str) -> Filler:
    """Return what makes units for amounts of a kind; the amount for each is shared with the slot of the amount."""

    def make(draw: Draw) -> Span:
        if "unit" in draw.shared:
            return Span(draw.shared.pop("unit"))
        draw.shared["amount"], said = _fresh(draw, kind)
        return Span(said)

    return make


def unit(draw: Draw) -> Span:
    """Return the unit for the amount, whichever of the two comes first."""
    return unit_of("")(draw)


def kind_of(said: str) -> str:
    """Return the kind of quantity that a unit measures, or "" for a unit that was misspelled."""
    names = ((kind, each) for kind, units in UNITS.items() for unit in units for each in unit.split("|"))
    return next((kind for kind, each in names if each.lower() == said.lower()), "")
