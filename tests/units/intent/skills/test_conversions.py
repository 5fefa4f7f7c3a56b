"""Covers units.intent.skills.conversions with units.intent.values.quantity: other units, no currencies."""

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.units.intent.skills.asking import answered
from units.intent.skills.conversions import SKILL
from units.intent.values.quantity import Quantity, converted, name_of, read_quantity, read_unit
from units.intent.values.unit_words import NAMES, UNITS


def asked(text: str, language: str = "en") -> str | None:
    """Return the answer of the skill."""
    return answered(text, (SKILL,), language)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("How many cups is a litre?", "1 liter is about 4.227 cups."),
        ("convert 5 miles to kilometres", "5 miles is about 8.047 kilometers."),
        ("what's 100 degrees fahrenheit in celsius", "100 degrees Fahrenheit is about 37.78 degrees Celsius."),
        ("how many grams in 3 ounces", "3 ounces is about 85.05 grams."),
        ("how many ounces are in a cup", "1 cup is 8 fluid ounces."),
        ("how many seconds in a day", "1 day is 86,400 seconds."),
        ("how many days are in a year", "1 year is 365 days."),
        ("how many months are in a year", "1 year is 12 months."),
        ("what is 20 degrees in fahrenheit", "20 degrees Celsius is 68 degrees Fahrenheit."),
        ("what is 72 degrees in celsius", "72 degrees Fahrenheit is about 22.22 degrees Celsius."),
        ("convert minus 40 celsius to fahrenheit", "Minus 40 degrees Celsius is minus 40 degrees Fahrenheit."),
        ("how many centimeters is 5 foot 10", "5 feet 10 inches is 177.8 centimeters."),
        ("convert two and a half feet to inches", "2.5 feet is 30 inches."),
        ("convert 1 1/2 cups to ml", "1.5 cups is about 354.88 milliliters."),
        ("half a cup in milliliters", "0.5 cups is about 118.29 milliliters."),
        ("how many teaspoons in a tablespoon", "1 tablespoon is 3 teaspoons."),
        ("how many minutes are in an hour and a half", "1.5 hours is 90 minutes."),
        ("how many seconds are there in 2 hours and 30 minutes", "2 hours 30 minutes is 9,000 seconds."),
        ("what is 5'10\" in cm", "5 feet 10 inches is 177.8 centimeters."),
        ("how many cups are there in 2 liters of water", "2 liters is about 8.454 cups."),
        ("60 mph in km/h", "60 miles per hour is about 96.56 kilometers per hour."),
        ("5 pounds in kilograms", "5 pounds is about 2.268 kilograms."),
        ("how tall is 6 feet in meters", "6 feet is about 1.829 meters."),
        ("convert 100 dollars to euros", "I have no exchange rates."),
        ("5 pounds in euros", "I have no exchange rates."),
        ("what's the exchange rate", "I have no exchange rates."),
    ],
)
def test_a_quantity_is_converted(sentence: str, answer: str) -> None:
    """The answer has both units; what was rounded says so, and money is not converted."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("how would somebody go about changing furlongs into yards", "1 furlong is 220 yards."),
        ("tell me the difference between a quart and a pint", "1 quart is 2 pints."),
        ("how do i get meters from feet", "1 foot is about 0.3048 meters."),
        ("a stone is how many pounds", "1 stone is 14 pounds."),
        ("my desk is 2 yards long what is that in inches", "2 yards is 72 inches."),
        ("if the recipe calls for 3 tablespoons, how many teaspoons do i need", "3 tablespoons is 9 teaspoons."),
        ("how many pints of juice are there in a gallon", "1 gallon is 8 pints."),
        ("hey google what's 3 feet in inches or centimeters", "3 feet is 36 inches or 91.44 centimeters."),
        ("how many feet and inches is 152.4 centimeters", "152.4 centimeters is 5 feet."),
        ("how many hours and minutes are in 200 minutes", "200 minutes is 3 hours 20 minutes."),
        ("how many ounces per pound", "1 pound is 16 ounces."),
        ("in seconds how much is an hour", "1 hour is 3,600 seconds."),
        ("how many meterss are in 2 kilomters", "2 kilometers is 2,000 meters."),
        ("how is fahrenheit turned into celsius", "Take 32 from the degrees Fahrenheit and divide by 1.8."),
    ],
)
def test_a_conversion_is_asked_for_in_any_order(sentence: str, answer: str) -> None:
    """Words that say nothing may stand anywhere; one of each unit is meant where no number is said."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "Wie viele Gramm sind 3 Unzen?", "3 Unzen sind ungefähr 85,05 Gramm."),
        ("de", "wie viele Tassen sind ein Liter", "1 Liter sind 4 Tassen."),
        ("de", "rechne fünf Meilen in Kilometer um", "5 Meilen sind ungefähr 8,047 Kilometer."),
        ("de", "rechne 100 Euro in Dollar um", "Ich habe keine Wechselkurse."),
        ("fr", "combien de secondes y a-t-il dans un jour", "1 jour, c'est 86 400 secondes."),
        ("fr", "convertis 5 miles en kilomètres", "5 miles, c'est environ 8,047 kilomètres."),
        ("es", "cuántos gramos son 3 onzas", "3 onzas son aproximadamente 85,05 gramos."),
        ("zh-CN", "5英里等于多少公里", "5英里大约等于8.047公里。"),
        ("zh-CN", "100美元等于多少人民币", "我没有汇率信息。"),
    ],
)
def test_a_quantity_is_converted_in_its_language(language: str, sentence: str, answer: str) -> None:
    """A cup has 250 milliliters outside of English."""
    assert asked(sentence, language) == answer


@pytest.mark.parametrize(
    "sentence",
    [
        "what is love",
        "what is 12 in roman numerals",
        "how many people live in Berlin",
        "how many miles is it to Berlin",
        "how many miles in a liter",
        "how many grams in a cup of flour",
        "how many days in a month",
        "how many legs does a spider have",
        "how many bits does the music have",
        "how long is a day on Mars",
        "10 to 5",
        "five minutes to midnight",
        "two in one",
        "what is in a cup",
        "convert the file to mp3",
        "change the light to red",
        "turn the heating to 20 degrees",
        "set a timer for 5 minutes",
        "how much is a cup of coffee in Paris",
        "how much is the fish",
        "how much is a dollar",
        "what is 5g",
        "what is vitamin c in food",
        "give me a second",
        "how many 8 ounce cups fill a gallon",
        "how many feet has my yard",
        "how many hours a day do they run",
        "how much does a gallon of oil weigh",
        "i need a pint and a quart",
        "make it 20 degrees in celsius",
        "how many miles per gallon do i get",
        "how many minutes of light are in a day",
        "wait a minute",
        "what is a foot in the door",
    ],
)
def test_what_is_no_conversion_is_left(sentence: str) -> None:
    """Units that measure different things, and sentences without two units, are for no conversion."""
    assert asked(sentence) is None


@pytest.mark.parametrize(
    ("words", "unit", "wanted", "value"),
    [
        ("1 mile", "mile", "meter", Fraction("1609.344")),
        ("1 inch", "inch", "centimeter", Fraction("2.54")),
        ("1 pound", "pound", "gram", Fraction("453.59237")),
        ("1 gallon", "gallon", "cubic_inch", Fraction(231)),
        ("1 imperial gallon", "imperial_gallon", "liter", Fraction("4.54609")),
        ("1 cup", "cup", "milliliter", Fraction("236.5882365")),
        ("1 acre", "acre", "square_yard", Fraction(4840)),
        ("1 nautical mile", "nautical_mile", "meter", Fraction(1852)),
        ("1 kilowatt hour", "kilowatt_hour", "kilojoule", Fraction(3600)),
        ("1 gigabyte", "gigabyte", "megabyte", Fraction(1000)),
        ("1 gibibyte", "gibibyte", "mebibyte", Fraction(1024)),
        ("0 celsius", "celsius", "kelvin", Fraction("273.15")),
    ],
)
def test_units_are_what_they_are_defined_to_be(words: str, unit: str, wanted: str, value: Fraction) -> None:
    """Conversions are exact by the definitions of the international agreements."""
    quantity = read_quantity(words, "en")

    assert quantity is not None
    assert converted(quantity, (wanted,)) == (unit, wanted, value)


@given(st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)), st.fractions(-1000, 1000, max_denominator=1000))
@settings(max_examples=200, deadline=None)
def test_a_conversion_there_and_back_is_the_same(unit: str, wanted: str, number: Fraction) -> None:
    """Units of the same kind are converted without loss, and those of different kinds not at all."""
    there = converted(Quantity(number, (unit,)), (wanted,))

    if there is None:
        assert UNITS[unit].dimension != UNITS[wanted].dimension
    else:
        assert converted(Quantity(there[2], (wanted,)), (unit,)) == (wanted, unit, number)


@pytest.mark.parametrize("language", sorted(NAMES))
def test_every_name_of_a_unit_is_read(language: str) -> None:
    """What an answer calls a unit is read as that unit."""
    lines = [line.partition(": ") for line in NAMES[language].strip().splitlines()]

    for unit, _, names in lines:
        read = read_unit(names.split("/")[0].replace("|", "/"), language)
        assert read is not None, unit
        assert unit == "degree" or unit in read
        assert unit == "degree" or name_of(unit, Fraction(2), language)


def test_nothing_heavy_is_loaded_before_the_first_conversion() -> None:
    """pint comes with the first conversion, without numpy; babel with the first answer."""
    program = """
import sys
from fractions import Fraction
from units.intent.skills import clock, conversions, sums
from units.intent.values.quantity import converted, read_quantity, read_unit
quantity, unit = read_quantity("5 miles", "en"), read_unit("kilometers", "en")
assert not {"pint", "babel", "numpy"} & sys.modules.keys()
assert converted(quantity, unit)[2] == Fraction("8.04672")
assert "pint" in sys.modules and "numpy" not in sys.modules
import numpy
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
