"""Covers units.intent.skills.clock with units.intent.values.place, feast and past_day: time, dates, zones."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.units.intent.skills.asking import NOW, answered
from units.intent.skills.clock import SKILL
from units.intent.values.feast import easter, read_feast
from units.intent.values.place import read_place


def asked(text: str, language: str = "en", now: datetime = NOW) -> str | None:
    """Return the answer of the skill, on Sunday, 22 November 2026, 17:04 in Berlin."""
    return answered(text, (SKILL,), language, now)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("What time is it?", "It is 5:04 PM."),
        ("what's the time right now", "It is 5:04 PM."),
        ("tell me the time please", "It is 5:04 PM."),
        ("do you have the time", "It is 5:04 PM."),
        ("sorry, would you mind telling me the time", "It is 5:04 PM."),
        ("i really need to know what time it is", "It is 5:04 PM."),
        ("what does the clock say", "It is 5:04 PM."),
        ("is it past noon yet", "It is 5:04 PM."),
        ("what time will it be in 20 minutes", "Then it will be 5:24 PM."),
        ("in 8 hours, what time is it", "Then it will be 1:04 AM on Monday."),
        ("what time was it an hour ago", "It was 4:04 PM."),
        ("date and time please", "It is Sunday, November 22, 2026, 5:04 PM."),
        ("today is what day", "It is Sunday, November 22, 2026."),
        ("quick question what day are we", "It is Sunday, November 22, 2026."),
        ("what is today's date", "It is Sunday, November 22, 2026."),
        ("what day is it", "It is Sunday, November 22, 2026."),
        ("which day of the week is it today", "It is Sunday, November 22, 2026."),
        ("what year is it", "It is 2026."),
        ("what month is it", "It is November."),
        ("what week number is it", "It is week 47."),
        ("what time zone are we in", "The time zone is Central European Standard Time."),
    ],
)
def test_the_clock_says_what_it_shows(sentence: str, answer: str) -> None:
    """Time, date, weekday, year, month and week are those of the board's own zone."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("how many days until Christmas", "It is 33 days until Friday, December 25, 2026."),
        ("how many days is it until the 24th of December", "It is 32 days until Thursday, December 24, 2026."),
        ("how many days until Friday", "It is 5 days until Friday, November 27, 2026."),
        ("how long until Monday", "That is tomorrow, Monday, November 23, 2026."),
        ("how many days till new year's eve", "It is 39 days until Thursday, December 31, 2026."),
        ("how many days until November 22", "That is today, Sunday, November 22, 2026."),
        ("how many days until the weekend", "It is 6 days until Saturday, November 28, 2026."),
        ("how many weeks until Christmas", "It is 4 weeks and 5 days until Friday, December 25, 2026."),
        ("how many days since Christmas", "That was 332 days ago, on Thursday, December 25, 2025."),
        ("how many days between the 1st of March and the 15th of April", "That is 45 days."),
        ("how many days are left this year", "After today 39 days of the year are left."),
        ("how many days are in February", "February 2026 has 28 days."),
        ("how many days are in February 2028", "February 2028 has 29 days."),
        ("how many days does this month have", "November has 30 days."),
        ("is 2028 a leap year", "Yes, 2028 is a leap year."),
        ("was 1900 a leap year", "No, 1900 is not a leap year."),
        ("is it a leap year", "No, 2026 is not a leap year."),
        ("when is the next leap year", "That is 2028."),
        ("how long until 8 pm", "It is 2 hours and 56 minutes until then."),
        ("how long until midnight", "It is 6 hours and 56 minutes until then."),
    ],
)
def test_days_are_counted(sentence: str, answer: str) -> None:
    """Days until a day, since a day and between days are those of the calendar."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("what day is the 3rd of March", "That is Wednesday, March 3, 2027."),
        ("what day of the week is December 24th", "That is Thursday, December 24, 2026."),
        ("what day was July 4th 1776", "That was Thursday, July 4, 1776."),
        ("what day was the 3rd of March", "That was Tuesday, March 3, 2026."),
        ("when is Easter", "That is Sunday, March 28, 2027."),
        ("when is Thanksgiving this year", "That is Thursday, November 26, 2026."),
        ("what's tomorrow's date", "That is Monday, November 23, 2026."),
        ("what is the date tomorrow", "That is Monday, November 23, 2026."),
        ("what day was yesterday", "That was Saturday, November 21, 2026."),
        ("what day was it 3 days ago", "That was Thursday, November 19, 2026."),
        ("what date was last Friday", "That was Friday, November 20, 2026."),
        ("what day was it the day before yesterday", "That was Friday, November 20, 2026."),
        ("is today Monday", "No, it is Sunday, November 22, 2026."),
        ("is it Sunday today", "Yes, it is Sunday, November 22, 2026."),
        ("what day of the year is it", "Today is day 326 of the year."),
        ("what date is next Friday", "That is Friday, November 27, 2026."),
    ],
)
def test_a_day_has_its_weekday_and_its_date(sentence: str, answer: str) -> None:
    """The next such day is meant, or the last one where the sentence is about the past."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("what time is it in Tokyo", "It is 1:04 AM on Monday in Tokyo."),
        ("What's the time in New York right now?", "It is 11:04 AM in New York."),
        ("what time is it in Kathmandu", "It is 9:49 PM in Kathmandu."),
        ("time in San Francisco", "It is 8:04 AM in San Francisco."),
        ("what time is it in Paris, France", "It is 5:04 PM in Paris."),
        ("what time is it in Japan", "It is 1:04 AM on Monday in Tokyo."),
        ("what time is it in the USA", "It is 11:04 AM in New York. Other parts of the country have other times."),
        ("what day is it in Sydney", "In Sydney it is Monday, November 23, 2026."),
        ("what time is it in Bielefeld", "It is 5:04 PM in Bielefeld."),
        ("what time is it in Entenhausen", "I do not know the time zone of Entenhausen."),
        ("time difference between here and New York", "New York is 6 hours behind us."),
        ("what's the time difference between London and Tokyo", "London is 9 hours behind Tokyo."),
        ("how many hours ahead is Tokyo", "Tokyo is 8 hours ahead of us."),
        ("what is the time difference to Mumbai", "Mumbai is 4 hours and 30 minutes ahead of us."),
        ("what's the time difference between Paris and Rome", "Paris has the same time as Rome."),
        ("when it's 5 pm in London what time is it in Tokyo", "It is 2 AM on Monday in Tokyo."),
        ("what time is it in Tokyo when it's 3 pm here", "It is 11 PM in Tokyo."),
    ],
)
def test_the_time_elsewhere_is_that_of_its_zone(sentence: str, answer: str) -> None:
    """Cities, countries and states have their zones; a country with several says so, an unknown place as well."""
    assert asked(sentence) == answer


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "Wie spät ist es?", "Es ist 17:04 Uhr."),
        ("de", "wie viel Uhr ist es in New York", "In New York ist es 11:04 Uhr."),
        ("de", "wie spät ist es in München", "In München ist es 17:04 Uhr."),
        ("de", "welches Datum haben wir heute", "Heute ist Sonntag, 22. November 2026."),
        ("de", "wie viele Tage sind es noch bis Weihnachten", "Es sind noch 33 Tage bis Freitag, 25. Dezember 2026."),
        ("de", "welcher Wochentag ist der 3. März", "Das ist Mittwoch, 3. März 2027."),
        ("de", "wann ist Ostern", "Das ist Sonntag, 28. März 2027."),
        ("de", "welche Kalenderwoche haben wir", "Es ist Kalenderwoche 47."),
        ("de", "wie groß ist die Zeitverschiebung nach Tokio", "Tokio ist uns um 8 Stunden voraus."),
        ("fr", "Quelle heure est-il ?", "Il est 17 h 04."),
        ("fr", "quelle heure est-il à Londres", "À Londres, il est 16 h 04."),
        ("fr", "quel jour sommes-nous", "Nous sommes le dimanche 22 novembre 2026."),
        ("fr", "combien de jours avant Noël", "Il reste 33 jours avant le vendredi 25 décembre 2026."),
        ("fr", "quel jour est le 3 mars", "C'est le mercredi 3 mars 2027."),
        ("fr", "quel est le décalage horaire avec New York", "New York a 6 heures de retard sur nous."),
        ("es", "¿Qué hora es?", "Son las 17:04."),
        ("es", "qué hora es en Tokio", "En Tokio es la 1:04 del lunes."),
        ("es", "qué día es hoy", "Hoy es domingo, 22 de noviembre de 2026."),
        ("es", "cuántos días faltan para Navidad", "Faltan 33 días para el viernes, 25 de diciembre de 2026."),
        ("es", "cuál es la diferencia horaria con Nueva York", "Nueva York va 6 horas por detrás de nosotros."),
        ("zh-CN", "现在几点", "现在是17点04分。"),
        ("zh-CN", "东京现在几点", "东京现在是星期一1点04分。"),
        ("zh-CN", "今天星期几", "今天是2026年11月22日星期日。"),
        ("zh-CN", "离圣诞节还有多少天", "距离2026年12月25日星期五还有33天。"),
        ("zh-CN", "3月3号是星期几", "那天是2027年3月3日星期三。"),
        ("zh-CN", "上周一是几号", "那天是2026年11月9日星期一。"),
        ("de", "was war vorgestern für ein Tag", "Das war Freitag, 20. November 2026."),
        ("fr", "quel jour était-ce il y a trois jours", "C'était le jeudi 19 novembre 2026."),
        ("es", "qué día fue hace tres días", "Fue el jueves, 19 de noviembre de 2026."),
        ("zh-CN", "东京和纽约的时差是多少", "东京比纽约早14小时。"),
    ],
)
def test_the_clock_speaks_its_languages(language: str, sentence: str, answer: str) -> None:
    """Twelve or 24 hours, dates and names of cities are those of the language."""
    assert asked(sentence, language) == answer


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "what is love"),
        ("en", "what time does the shop close"),
        ("en", "how many people live in Berlin"),
        ("en", "what is the time signature of a waltz"),
        ("en", "what time is it in my room"),
        ("en", "what day is garbage day"),
        ("en", "when is the next train"),
        ("en", "when is the meeting"),
        ("en", "how long until the pizza is done"),
        ("en", "how long is it until my birthday"),
        ("en", "what time is sunset"),
        ("en", "what time is my alarm"),
        ("en", "what is the date of the battle of Hastings"),
        ("en", "how far away is New York"),
        ("en", "how long is the Nile"),
        ("en", "what's the weather in Tokyo"),
        ("en", "what year was the Berlin wall built"),
        ("en", "what year is it set in"),
        ("en", "how many days are in the movie"),
        ("en", "what month was Napoleon born"),
        ("en", "is a whale a leap year"),
        ("en", "what time zone does my phone use"),
        ("en", "what is the difference between London and Paris"),
        ("en", "when was the war"),
        ("en", "it is time to go"),
        ("en", "the time has come"),
        ("en", "what a day"),
        ("en", "what was the date when we met"),
        ("en", "set a timer for five minutes"),
        ("en", "turn on the lights in Tokyo"),
        ("de", "wann schließt der Laden"),
        ("de", "wie spät ist es in der Küche"),
        ("de", "wie lange dauert der Film"),
        ("de", "welcher Tag ist der schönste"),
        ("de", "wie viele Tage lebt eine Biene"),
        ("fr", "à quelle heure ferme le magasin"),
        ("fr", "quelle heure est-il dans ma chambre"),
        ("fr", "combien de jours vit une abeille"),
        ("es", "a qué hora cierra la tienda"),
        ("es", "qué hora es en la cocina"),
        ("zh-CN", "商店几点关门"),
        ("zh-CN", "你几点睡觉"),
        ("zh-CN", "厨房现在几点"),
    ],
)
def test_what_is_not_for_the_clock_is_left(language: str, sentence: str) -> None:
    """Questions about other times and places are for no clock."""
    assert asked(sentence, language) is None


def test_a_question_at_night_has_the_date_of_the_zone() -> None:
    """Minutes before midnight in Berlin it is tomorrow in Tokyo, and today in New York."""
    night = datetime(2026, 12, 31, 23, 58, tzinfo=ZoneInfo("Europe/Berlin"))

    assert asked("what day is it in Tokyo", now=night) == "In Tokyo it is Friday, January 1, 2027."
    assert asked("what day is it in New York", now=night) == "In New York it is Thursday, December 31, 2026."
    assert asked("how many days until Christmas", now=night) == "It is 359 days until Saturday, December 25, 2027."


def test_a_change_of_the_clock_counts() -> None:
    """In the night in which the clock goes back, it is an hour longer until the morning."""
    evening = datetime(2026, 10, 24, 22, 0, tzinfo=ZoneInfo("Europe/Berlin"))

    assert asked("how long until 7 am", now=evening) == "It is 10 hours until then."
    assert asked("what's the time difference to London", now=evening) == "London is 1 hour behind us."


@given(st.datetimes(datetime(2000, 1, 1), datetime(2037, 1, 1)), st.integers(1, 12), st.integers(1, 28))
@settings(max_examples=150, deadline=None)
def test_every_day_is_counted_as_in_the_calendar(now: datetime, month: int, day: int) -> None:
    """The days until a day of the year are what Python's calendar says."""
    today = now.date()
    wanted = date(today.year, month, day)
    wanted = wanted if wanted >= today else wanted.replace(year=today.year + 1)
    left = (wanted - today).days

    answer = asked(f"how many days until {wanted:%B} {day}", now=now.replace(tzinfo=UTC))

    assert answer is not None
    assert {0: "today", 1: "tomorrow"}.get(left, f"is {left} days until") in answer
    assert f"{wanted:%A, %B} {day}, {wanted.year}" in answer


@pytest.mark.parametrize(
    "sunday",
    [date(1961, 4, 2), date(2000, 4, 23), date(2024, 3, 31), date(2025, 4, 20), date(2026, 4, 5), date(2038, 4, 25)],
)
def test_easter_is_where_the_church_has_it(sunday: date) -> None:
    """Easter and the days around it are those of the printed calendars."""
    good_friday = read_feast("Good Friday", "en")

    assert easter(sunday.year) == sunday
    assert good_friday is not None
    assert good_friday.on(date(sunday.year, 1, 1)) == sunday - timedelta(2)


@pytest.mark.parametrize(
    ("language", "name", "day"),
    [
        ("en", "Mother's Day", date(2027, 5, 9)),
        ("en", "Memorial Day", date(2027, 5, 31)),
        ("en", "Black Friday", date(2026, 11, 27)),
        ("de", "Christi Himmelfahrt", date(2027, 5, 6)),
        ("de", "Erster Advent", date(2026, 11, 29)),
        ("fr", "la Pentecôte", date(2027, 5, 16)),
        ("es", "Día de la Madre", date(2027, 5, 2)),
        ("zh-CN", "感恩节", date(2026, 11, 26)),
    ],
)
def test_feasts_are_found_by_their_names(language: str, name: str, day: date) -> None:
    """Each language has names of its own for days that move."""
    feast = read_feast(name, language)

    assert feast is not None
    assert feast.on(NOW.date()) == day


@pytest.mark.parametrize(
    ("language", "name", "zone"),
    [
        ("en", "Ho Chi Minh City", "Asia/Ho_Chi_Minh"),
        ("en", "the UK", "Europe/London"),
        ("en", "São Paulo", "America/Sao_Paulo"),
        ("en", "London England", "Europe/London"),
        ("en", "Washington D.C.", "America/New_York"),
        ("en", "Hawaii", "Pacific/Honolulu"),
        ("de", "der Schweiz", "Europe/Zurich"),
        ("de", "Kalifornien", "America/Los_Angeles"),
        ("fr", "les États-Unis", "America/New_York"),
        ("es", "Nueva York", "America/New_York"),
        ("zh-CN", "洛杉矶", "America/Los_Angeles"),
        ("en", "here", ""),
    ],
)
def test_a_place_has_its_zone(language: str, name: str, zone: str) -> None:
    """Names of zones, CLDR's names of cities and countries, and ours are read, with articles and accents."""
    place = read_place(name, language)

    assert place is not None
    assert place.zone == zone


@pytest.mark.parametrize("words", ["the oven", "paris berlin", "the time", "", "my garden", "love"])
def test_other_words_are_no_place(words: str) -> None:
    """Two cities of different countries and all other words are no place."""
    assert read_place(words, "en") is None
