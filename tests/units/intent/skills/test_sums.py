"""Covers units.intent.skills.sums with units.intent.values.expression, arithmetic and written_number: exact sums."""

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.units.intent.skills.asking import answered
from units.intent.skills.sums import SKILL
from units.intent.values.arithmetic import SumProblem, computed
from units.intent.values.expression import read_expression
from units.intent.values.written_number import written


def asked(text: str, language: str = "en") -> str | None:
    """Return the answer of the skill."""
    return answered(text, (SKILL,), language)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("What is 345 plus 678?", "That is 1,023."),
        ("what's three hundred forty five plus six hundred seventy eight", "That is 1,023."),
        ("12 times 7", "That is 84."),
        ("how much is 15 percent of 80", "That is 12."),
        ("What's 20% off $80?", "That is 64."),
        ("what is 80 plus 15 percent", "That is 92."),
        ("a 20 percent tip on 50 dollars", "That is 10."),
        ("calculate 2 to the power of 10 please", "That is 1,024."),
        ("what's two to the tenth power", "That is 1,024."),
        ("what is the square root of 144", "That is 12."),
        ("what is half of 90", "That is 45."),
        ("how much is two thirds of 90", "That is 60."),
        ("100 divided by 8", "That is 12.5."),
        ("3.5 plus 2.25", "That is 5.75."),
        ("(2 + 3) * 4", "That is 20."),
        ("minus 5 plus 8", "That is 3."),
        ("5 minus 8", "That is minus 3."),
        ("what is 2 plus 3 times 4", "That is 14."),
        ("10 minus 3 minus 2", "That is 5."),
        ("what is five squared plus 3 cubed", "That is 52."),
        ("do you know what 6 times 7 is", "That is 42."),
        ("what's the sum of 2, 3 and 4", "That is 9."),
        ("what is the average of 3, 4 and 5", "That is 4."),
        ("subtract 5 from 12", "That is 7."),
        ("multiply 6 by 7", "That is 42."),
        ("divide 100 by 8", "That is 12.5."),
        ("add 5 and 3", "That is 8."),
        ("increase 80 by 15 percent", "That is 92."),
        ("what percent of 80 is 20", "That is 25 percent."),
        ("20 is what percentage of 30", "That is about 66.67 percent."),
        ("what is 5 factorial", "That is 120."),
        ("what is the square of 12", "That is 144."),
        ("what's point five plus point two five", "That is 0.75."),
        ("what is negative 5 plus 3", "That is minus 2."),
        ("what's the remainder of 17 divided by 5", "That is 2."),
        ("split a bill of 90 dollars between 4 people", "That is 22.5."),
        ("how many times does 5 go into 100", "That is 20."),
        ("how much is 30 dollars plus 8 percent tax", "That is 32.4."),
        ("12 hundred plus 5", "That is 1,205."),
    ],
)
def test_a_sum_is_answered(sentence: str, answer: str) -> None:
    """What is asked in digits or in words is computed exactly."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("i'm stuck with my homework: what is 14 plus 9", "That is 23."),
        ("hey google could you help me work out 17 times 3", "That is 51."),
        ("what number will you get if you multiply 13 by 5", "That is 65."),
        ("what's 6 times itself", "That is 36."),
        ("three by nine is", "That is 27."),
        ("share 84 equally among 7 kids", "That is 12."),
        ("80 divided into four equal parts", "That is 20."),
        ("6 divided into 42", "That is 7."),
        ("what is 40 percent less than 80", "That is 48."),
        ("20 percent more than 60", "That is 72."),
        ("subtract 20 minus 8", "That is 12."),
        ("how many 9s are there in 81", "That is 9."),
        ("what's pi times 10", "That is about 31.42."),
        ("2 thousand 500 plus 1 million 20", "That is 1,002,520."),
        ("2 1/2 plus 1/4", "That is 2.75."),
        ("write 7/8 as a decimal", "That is 0.875."),
        ("what is the fifth root of 32", "That is 2."),
        ("what is 12 out of 48", "That is 25 percent."),
        ("i bought 3 books at 12 dollars each what did i pay in total", "That is 36."),
        ("if a ball costs 4 dollars how much are 6 balls", "That is 24."),
        ("mary had 9 pencils and lost 4 how many does she have left", "That is 5."),
        ("there are 12 birds and then we got 5 more birds how many are there now", "That is 17."),
        ("what does a 60 dollar coat with 25 percent off cost", "That is 45."),
        ("i paid 40 dollars for 8 pounds of nuts how much is that per pound", "That is 5."),
        ("if i win 900 dollars how do we split it 3 ways", "That is 300."),
    ],
)
def test_a_sum_is_found_in_what_is_said_around_it(sentence: str, answer: str) -> None:
    """Questions of any kind, also those for prices and for what is left."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    "sentence",
    [
        "i'd like a 4 by 4",
        "i need 2 alarms at 7 per day",
        "mary had 9 pencils and lost 4 erasers how many pencils are left",
        "is 5 greater than 3",
        "take 2 pills 3 times a day",
        "play 2 plus 2",
        "pi",
    ],
)
def test_numbers_without_a_question_are_no_sum(sentence: str) -> None:
    """Nor is what has other things in it."""
    assert asked(sentence) is None


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("en", "help me with maths", "Tell me the sum."),
        ("en", "subtrack 6 from 20", "That is 14."),
        ("en", "60 divided buy 5", "That is 12."),
        ("en", "if it is 10% off $90, how much is it", "That is 81."),
        ("en", "what percentage nine is of thirty six", "That is 25 percent."),
        ("en", "18/24 as a percent", "That is 75 percent."),
        ("en", "what's two and two", "That is 4."),
        ("en", "what are seven eights", "That is 56."),
        ("en", "what would we pay for 3 hats at 12 dollars each", "That is 36."),
        ("en", "we had 30 dollars and bought lunch for 12.50, how much is left", "That is 17.5."),
        ("de", "Was ist 345 plus 678?", "Das ist 1.023."),
        ("de", "wie viel ist dreihundertfünfundvierzig plus sechshundertachtundsiebzig", "Das ist 1.023."),
        ("de", "Wie viel sind 15 Prozent von 80?", "Das ist 12."),
        ("de", "die Wurzel aus 144", "Das ist 12."),
        ("de", "rechne 3,5 plus 2,25 aus", "Das ist 5,75."),
        ("de", "was ist anderthalb mal zwei", "Das ist 3."),
        ("de", "die Hälfte von 90", "Das ist 45."),
        ("de", "100 geteilt durch 0", "Durch null kann man nicht teilen."),
        ("fr", "Combien font 345 plus 678 ?", "Ça fait 1 023."),
        ("fr", "combien font quatre-vingt-dix moins douze", "Ça fait 78."),
        ("fr", "quelle est la racine carrée de 144", "Ça fait 12."),
        ("fr", "combien font 15 % de 80", "Ça fait 12."),
        ("fr", "100 divisé par 8", "Ça fait 12,5."),
        ("es", "¿Cuánto es 345 más 678?", "Son 1.023."),
        ("es", "cuánto es doce por siete", "Son 84."),
        ("es", "cuánto es el 15 por ciento de 80", "Son 12."),
        ("es", "la mitad de 90", "Son 45."),
        ("es", "cuánto es 3 a la 4", "Son 81."),
        ("es", "cuánto suman 6 y 9", "Son 15."),
        ("de", "kannst du 54 durch 9 teilen", "Das ist 6."),
        ("de", "was ist der Rest von 17 durch 5", "Das ist 2."),
        ("fr", "résous 6 plus 3 fois 2", "Ça fait 12."),
        ("zh-CN", "7的三倍是多少", "等于 21。"),
        ("zh-CN", "17除以5余几", "等于 2。"),
        ("zh-CN", "345加678等于多少", "等于 1,023。"),
        ("zh-CN", "三百四十五加六百七十八是多少", "等于 1,023。"),
        ("zh-CN", "80的百分之15是多少", "等于 12。"),
        ("zh-CN", "2的10次方等于多少", "等于 1,024。"),
        ("zh-CN", "90的三分之二是多少", "等于 60。"),
        ("zh-CN", "百分之二十的250是多少", "等于 50。"),
        ("de", "was ist das Quadrat von 5", "Das ist 25."),
        ("zh-CN", "3和5的和是多少", "等于 8。"),
    ],
)
def test_a_sum_is_answered_in_its_language(language: str, sentence: str, answer: str) -> None:
    """Words, decimals and thousands are those of the language."""
    assert asked(sentence, language) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("what is 7 divided by zero", "Nothing can be divided by zero."),
        ("zero to the power of minus 1", "Nothing can be divided by zero."),
        ("17 mod 0", "Nothing can be divided by zero."),
        ("what is 9 to the power of 9 to the power of 9", "That number is too large for me."),
        ("2 to the power of minus 9 to the power of 9 to the power of 9", "That number is too large for me."),
        ("5000 factorial", "That number is too large for me."),
        ("3 factorial factorial factorial factorial", "That number is too large for me."),
        ("what is the square root of minus 4", "No real number is the result of that."),
        ("2.5 factorial", "No real number is the result of that."),
        ("1 divided by 3", "That is about 0.3333."),
        ("the square root of 2", "That is about 1.414."),
        ("one million divided by seven", "That is about 142,857.14."),
        ("2 to the power of 64", "That is 18,446,744,073,709,551,616."),
        ("2 to the power of 1000", "That is about 1.072 times 10 to the power of 301."),
        ("10 to the power of 100", "That is 10 to the power of 100."),
        ("1 divided by 7000000", "That is about 1.429 times 10 to the power of minus 7."),
    ],
)
def test_a_result_that_cannot_be_said_in_full_is_answered_clearly(sentence: str, answer: str) -> None:
    """What is undefined or too large has words, and what is rounded says so."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    "words",
    ["9" * 290 + "+1", "9^" * 20 + "9", "(" * 100 + "1+1" + ")" * 100, "-" * 200 + "1+1", "!" * 200, "1" + "+1" * 140,
     "2000!" + "*2000!" * 40, "(1/3)^0.5" + "+(1/7)^0.5" * 25, "7^20000*7^20000*7^20000", "1" + "/3^9999" * 10],
)  # fmt: skip
def test_no_sum_takes_long(words: str) -> None:
    """The time of a sum is bounded, whatever it is."""
    begin = time.process_time()

    operation = read_expression(words, "en")
    if operation is not None:
        try:
            written(computed(operation).value, "en")
        except SumProblem as problem:
            assert str(problem) in SKILL.texts["en"].answers

    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "what is love"),
        ("en", "two and two"),
        ("en", "what is 12 in roman numerals"),
        ("en", "what is 12"),
        ("en", "what is minus 5"),
        ("en", "what is half"),
        ("en", "what is 24/7"),
        ("en", "12/24"),
        ("en", "555-1234"),
        ("en", "what is 2026-11-22"),
        ("en", "what happened on 9/11"),
        ("en", "three times a day"),
        ("en", "add 5 eggs to the shopping list"),
        ("en", "add two"),
        ("en", "what is the difference between a crocodile and an alligator"),
        ("en", "what is 5 plus"),
        ("en", "what is (5 plus 3"),
        ("en", "what is 5 dollars plus 3 euros"),
        ("en", "what is 5 of 10"),
        ("en", "what is the square root of a tree"),
        ("en", "set the lamp to 50 percent"),
        ("en", "increase the volume by 10 percent"),
        ("en", "how much is a house in Berlin"),
        ("en", "what is the average of my grades"),
        ("en", "who was the fifth president"),
        ("en", "my number is 0176 5551234"),
        ("en", ""),
        ("de", "was ist liebe"),
        ("de", "wie viel ist zu viel"),
        ("de", "eins und eins"),
        ("de", "teile das mit Anna"),
        ("fr", "combien font les enfants de bruit"),
        ("fr", "quelle est la moitié de la pomme"),
        ("es", "cuánto es el alquiler"),
        ("es", "voy por la calle entre casas"),
        ("zh-CN", "今天怎么样"),
        ("zh-CN", "我的三个朋友是谁"),
    ],
)
def test_what_is_no_sum_is_left(language: str, sentence: str) -> None:
    """Numbers alone, dates, telephone numbers and other questions are for no sum."""
    assert asked(sentence, language) is None


Sum = tuple[str, Fraction]
"""Words and what they are, computed by Python."""

_NUMBERS = st.decimals(0, 10000, places=2, allow_nan=False).map(lambda each: (f"{each}", Fraction(each)))


def _joined(parts: tuple[Sum, str, Sum]) -> Sum:
    (left, one), name, (right, two) = parts
    if name == "divided by" and two == 0:
        name = "plus"
    value = {"plus": one + two, "minus": one - two, "times": one * two, "divided by": one / (two or 1)}[name]
    return f"({left} {name} {right})", value


_SUMS = st.recursive(
    _NUMBERS,
    lambda each: st.tuples(each, st.sampled_from(["plus", "minus", "times", "divided by"]), each).map(_joined),
    max_leaves=8,
)


@given(_SUMS)
@settings(max_examples=300, deadline=None)
def test_every_sum_is_exact(both: Sum) -> None:
    """A sum with parentheses is what Python's fractions say, to the last digit."""
    words, value = both

    operation = read_expression(f"{words} plus 0", "en")

    assert operation is not None
    assert computed(operation).value == value


@given(
    st.lists(st.tuples(st.sampled_from(["+", "-", "*"]), st.integers(0, 99)), min_size=1, max_size=8),
    st.integers(0, 99),
)
@settings(max_examples=300, deadline=None)
def test_multiplication_comes_before_addition(rest: list[tuple[str, int]], first: int) -> None:
    """A chain is computed by the usual precedence: products first, then from left to right."""
    words = str(first) + "".join(f" {name} {number}" for name, number in rest)
    products = [[first]]
    for name, number in rest:
        if name == "*":
            products[-1].append(number)
        else:
            products.append([1 if name == "+" else -1, number])
    expected = 0
    for factors in products:
        product = 1
        for factor in factors:
            product *= factor
        expected += product

    operation = read_expression(words, "en")

    assert operation is not None
    assert computed(operation).value == expected
