"""Covers units.intent.skills.plain_question: questions with more around them, and in other orders."""

import time

import pytest

from tests.units.intent.skills.asking import answered
from units.intent.skills.clock import SKILL as CLOCK
from units.intent.skills.conversions import SKILL as CONVERSIONS
from units.intent.skills.plain_question import plainer
from units.intent.skills.sums import SKILL as SUMS

SKILLS = (CLOCK, CONVERSIONS, SUMS)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("hey can you please tell me what 7 times 8 equals", "That is 56."),
        ("how much is left if i take 6 from 20", "That is 14."),
        ("if you multiply 3 by 9 what do you get", "That is 27."),
        ("the answer to 12 plus 30", "That is 42."),
        ("from 30 take away 8", "That is 22."),
        ("what is 2/5 of 40", "That is 16."),
        ("is 21 divisible by 7", "Yes, that is 3."),
        ("does 3 times 3 equal 10", "No, that is 9."),
        ("if i have six feet, how many inches is that", "6 feet is 72 inches."),
        ("what would 3 yards be in feet", "3 yards is 9 feet."),
        ("i was wondering how many cups there are in a two quarts", "2 quarts is 8 cups."),
        ("what number of minutes is in 4 hours", "4 hours is 240 minutes."),
        ("2 kilometers equals how many meters", "2 kilometers is 2,000 meters."),
        ("in rome, what's the time", "It is 5:04 PM in Rome."),
        ("what's the time in the eastern time zone", "It is 11:04 AM in Eastern Time."),
        ("do you happen to know london's current time", "It is 4:04 PM in London."),
    ],
)
def test_a_question_is_understood_in_other_words(sentence: str, answer: str) -> None:
    """What is said around a question, and the order of its parts, make no difference."""
    assert answered(sentence, SKILLS) == answer


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "Könntest du mir bitte sagen, was das Ergebnis von 6 mal 7 ist", "Das ist 42."),
        ("de", "wie spät ist es in einer Stunde", "Dann ist es 18:04 Uhr."),
        ("fr", "6 fois 7 ça fait combien", "Ça fait 42."),
        ("fr", "dans une heure, quelle heure sera-t-il", "Il sera 18 h 04."),
        ("es", "cuál es el resultado de 6 por 7", "Son 42."),
        ("es", "qué hora será en una hora", "Serán las 18:04."),
        ("zh-CN", "请帮我计算6乘7", "等于 42。"),
        ("zh-CN", "一小时后是几点", "到时候是18点04分。"),
    ],
)
def test_other_languages_have_it_too(language: str, sentence: str, answer: str) -> None:
    """Each language has its own words around a question."""
    assert answered(sentence, SKILLS, language) == answer


@pytest.mark.parametrize(
    "sentence",
    [
        "time for bed",
        "it's time for bed",
        "time to go",
        "i have no time",
        "do you have time to talk",
        "what time does the movie start",
        "how many people live in paris",
        "how long does it take to get to paris",
        "what is 24/7",
        "take 5",
        "how many cups of coffee a day is healthy",
        "i ran 5 miles",
        "bath time",
        "what is the date of the declaration of independence",
    ],
)
def test_other_sentences_stay_what_they_are(sentence: str) -> None:
    """What remains must be understood as a whole."""
    assert answered(sentence, SKILLS) is None


def test_a_long_text_is_made_plainer_in_a_short_time() -> None:
    """The patterns need no more than a moment for the longest text."""
    begun = time.perf_counter()
    for words in ("please tell me ", "what is ", "if i have how many ", "5 is in is in "):
        for skill in SKILLS:
            assert skill.plainer is not None
            skill.plainer((words * 30)[:300], "en")

    assert time.perf_counter() - begun < 2
    assert plainer({})("anything", "xx") == ()
