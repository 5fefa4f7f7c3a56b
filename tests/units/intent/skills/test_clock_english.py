"""Covers units.intent.skills.clock_question with its tokens and frames, and units.intent.values.calendar_day."""

from datetime import date

import pytest

from tests.units.intent.skills.asking import answered
from units.intent.skills.clock import SKILL
from units.intent.skills.clock_question import read_question
from units.intent.values.calendar_day import read_counted_day
from units.intent.values.place import read_place, similar_place


def asked(text: str) -> str | None:
    """Return the answer of the skill, on Sunday, 22 November 2026, 17:04 in Berlin."""
    return answered(text, (SKILL,))


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("at this very moment what time is it", "It is 5:04 PM."),
        ("announce the time", "It is 5:04 PM."),
        ("have you got the right time?", "It is 5:04 PM."),
        ("the time it is", "It is 5:04 PM."),
        ("for Hawaii what is the time", "It is 6:04 AM in Hawaii."),
        ("current Oslo time", "It is 5:04 PM in Oslo."),
        ("what is Pacific Time right now", "It is 8:04 AM in Pacific Time."),
        ("what would the time be in Kobe", "It is 1:04 AM on Monday in Kobe."),
        ("is it day or night in Sapporo", "It is 1:04 AM on Monday in Sapporo."),
        ("what's the time in Houston, TX", "It is 10:04 AM in Houston."),
        ("time in Portland, Maine", "It is 11:04 AM in Portland."),
        ("what time is it in Upper Nowhere, Texas", "It is 10:04 AM in Upper Nowhere."),
        ("what time is it in Sacremento", "It is 8:04 AM in Sacramento."),
        ("convert 3 pm EST to GMT", "It is 8 PM in GMT."),
        ("what time is 9 am Tokyo time in Berlin", "It is 1 AM in Berlin."),
        ("which day and what hour is it", "It is Sunday, November 22, 2026, 5:04 PM."),
        ("what are the date and the time in Lima", "In Lima it is Sunday, November 22, 2026, 11:04 AM."),
        ("how many hours until midnight in London", "It is 7 hours and 56 minutes until then."),
        ("pretend to be a clock", "It is 5:04 PM."),
        ("has it turned five yet", "It is 5:04 PM."),
        ("is it 7 o clock already", "It is 5:04 PM."),
        ("I can't see the clock, what time is it", "It is 5:04 PM."),
        ("my aunt is in Lima, what time is it there", "It is 11:04 AM in Lima."),
        ("what will the time be in Lima in 3 hours", "Then it will be 2:04 PM in Lima."),
        ("is it already tomorrow in Japan", "In Tokyo it is Monday, November 23, 2026."),
        ("how long until 6", "It is 56 minutes until then."),
    ],
)
def test_the_time_is_asked_for_in_any_order(sentence: str, answer: str) -> None:
    """The parts of a question make it one, whatever their order."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "zone"),
    [
        ("Utah is in which time zone", "Mountain Standard Time"),
        ("tell me Peru's time zone", "Peru Standard Time"),
        ("if I was in Vienna what time zone would I be in", "Central European Standard Time"),
        ("does Iowa follow Central Time", "Central Standard Time"),
        ("Hanoi time zone", "Indochina Time"),
        ("which time zone is used in Dublin", "Greenwich Mean Time"),
        ("the Japanese time zone", "Japan Standard Time"),
    ],
)
def test_a_place_has_a_zone_with_a_name(sentence: str, zone: str) -> None:
    """The zone is that of the place, in whatever way it is asked for."""
    assert asked(sentence) == f"The time zone is {zone}."


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("are Utah and Texas in the same time zone", "Utah is 1 hour behind Texas."),
        ("how many hours is Japan ahead of us", "Tokyo is 8 hours ahead of us."),
        ("is the time different in Lagos", "Lagos has the same time as we have here."),
        ("what is tomorrow", "That is Monday, November 23, 2026."),
        ("the date 3 weeks ago", "That was Sunday, November 1, 2026."),
        ("on what day does Easter fall in 2030", "That is Sunday, April 21, 2030."),
        ("what day was Halloween this year", "That was Saturday, October 31, 2026."),
        ("what day of the week does the 20th fall on this month", "That was Friday, November 20, 2026."),
        ("when is the second Tuesday of next month", "That is Tuesday, December 8, 2026."),
        ("what date is it three months from today", "That is Monday, February 22, 2027."),
        ("is the 5th of May a Wednesday", "Yes, that is Wednesday, May 5, 2027."),
        ("is tomorrow Friday", "No, that is Monday, November 23, 2026."),
        ("how many months until Christmas", "It is 1 month and 3 days until Friday, December 25, 2026."),
        ("how many hours until Tuesday", "It is 31 hours until Tuesday, November 24, 2026."),
        ("how many days until March", "It is 99 days until Monday, March 1, 2027."),
        ("how many days are left this month", "After today 8 days of the month are left."),
        ("what year will it be in 10 years", "That is 2036."),
    ],
)
def test_days_are_asked_for_in_any_order(sentence: str, answer: str) -> None:
    """A day in a year that is said is that of the year, even if it is over."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    "sentence",
    [
        "how's your day",
        "how many days off have i had this year",
        "what is on the calendar for tomorrow",
        "what is on my calendar on march 2",
        "what's for today",
        "what's it going to be like tomorrow",
        "remind me when it's sunday",
        "what did you do tomorrow",
        "what time will the storm hit chicago",
        "switch to eastern time zone",
        "set the time zone to canada",
        "is it in time",
        "it is the time in paris",
        "the day is over",
        "what is time",
        "what time is it there",
        "how long until the next day off",
        "what is the zone",
        "i have the time",
        "how many days do i have",
        "what year is the car",
        "what is the date of my wedding",
        "which day is best for a walk in tokyo",
    ],
)
def test_what_has_a_part_that_no_question_wants_is_left(sentence: str) -> None:
    """Each word must belong to a part of the question."""
    assert read_question(sentence, "en") is None


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("a week from Monday", date(2026, 11, 30)),
        ("two weeks before Christmas", date(2026, 12, 11)),
        ("the day after Easter", date(2027, 3, 29)),
        ("six months ago", date(2026, 5, 22)),
        ("the last day of February", date(2027, 2, 28)),
        ("the last Friday of this month", date(2026, 11, 27)),
        ("Friday the 13th", date(2027, 8, 13)),
        ("last Christmas", date(2025, 12, 25)),
        ("the 4th of July next year", date(2027, 7, 4)),
        ("May 5th twenty thirty", date(2030, 5, 5)),
    ],
)
def test_days_are_found_by_counting(words: str, day: date) -> None:
    """They are counted from today in the calendar."""
    found = read_counted_day(words)

    assert found is not None
    assert found.on(date(2026, 11, 22)) == day


@pytest.mark.parametrize("words", ["the year", "three", "the 5th", "Monday the rest", "next", "a day of rest"])
def test_other_words_are_no_counted_day(words: str) -> None:
    """Leave words that are no day, and days that other readers know."""
    assert read_counted_day(words) is None


def test_a_day_that_a_month_has_not_is_none() -> None:
    """There is no 31st of a month of 30 days."""
    found = read_counted_day("the 31st of this month")

    assert found is not None
    assert found.on(date(2026, 11, 22)) is None


@pytest.mark.parametrize(
    ("name", "zone"),
    [
        ("Reno", "America/Los_Angeles"),
        ("Ourense", "Europe/Madrid"),
        ("Atlanta, Georgia", "America/New_York"),
        ("El Paso, Texas", "America/Denver"),
        ("Reno's", "America/Los_Angeles"),
    ],
)
def test_cities_of_the_table_have_their_zones(name: str, zone: str) -> None:
    """A city's own zone counts where its state has several."""
    place = read_place(name, "en")

    assert place is not None
    assert place.zone == zone


def test_only_a_name_that_is_nearly_right_is_taken_for_a_place() -> None:
    """Other words are no place, nor are short ones."""
    similar = similar_place("San Fransico", "en")

    assert similar is not None
    assert similar.zone == "America/Los_Angeles"
    assert similar_place("laundry basket", "en") is None
    assert similar_place("Rom", "en") is None


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("what day will 3/17/2027 be", "That is Wednesday, March 17, 2027."),
        ("which weekday was 23.4.1999", "That was Friday, April 23, 1999."),
        ("what is the date after tomorrow", "That is Tuesday, November 24, 2026."),
        ("which day comes before May 1st", "That is Friday, April 30, 2027."),
        ("in another ten days what day will it be", "That is Wednesday, December 2, 2026."),
        ("what month is next", "That is December."),
        ("is it still October", "It is November."),
        ("is it Monday tomorrow", "Yes, that is Monday, November 23, 2026."),
        ("what is the 3rd of March", "That is Wednesday, March 3, 2027."),
        ("is next year a leap year", "No, 2027 is not a leap year."),
    ],
)
def test_a_date_is_told_however_it_is_written_or_counted(sentence: str, answer: str) -> None:
    """Dates in digits have the month first where both orders are possible."""
    assert asked(sentence) == answer


@pytest.mark.parametrize("sentence", ["my brother asked me if he knows what time it is", "if I have 5 in Rome"])
def test_a_number_or_a_story_is_no_question_for_the_time(sentence: str) -> None:
    """Pass over words before a question only where the question is whole."""
    assert asked(sentence) is None
