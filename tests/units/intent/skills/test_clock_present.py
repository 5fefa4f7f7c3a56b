"""Covers units.intent.skills.clock_present: the time and the date of now, asked for in any order of known words."""

import pytest

from tests.units.intent.skills.asking import answered
from units.intent.skills.clock import SKILL
from units.intent.skills.clock_present import read_present_question


@pytest.mark.parametrize(
    ("language", "sentence", "asked"),
    [
        ("de", "Kannst du mir mal eben die genaue Uhrzeit ansagen?", "time"),
        ("de", "wie spät haben wir's gerade", "time"),
        ("de", "verrate uns bitte das heutige Datum", "date"),
        ("de", "in welcher Kalenderwoche befinden wir uns", "week"),
        ("de", "gib mir Uhrzeit und Datum", "date_time"),
        ("fr", "t'as l'heure s'il te plaît", "time"),
        ("fr", "c'est quel jour de la semaine déjà", "date"),
        ("fr", "donne-moi l'année en cours", "year"),
        ("es", "oye, me dices la hora que es", "time"),
        ("es", "a cuántos estamos hoy", "date"),
        ("es", "en qué mes del año estamos ahora", "month"),
        ("zh-CN", "麻烦你告诉我一下现在的时间", "time"),
        ("zh-CN", "今儿几号啊", "date"),
        ("zh-CN", "现在是北京时间几点", "time"),
    ],
)
def test_the_words_say_what_is_asked_for(language: str, sentence: str, asked: str) -> None:
    """However they are put."""
    assert read_present_question(sentence, language) == asked


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "what time is it"),
        ("de", "hast du Zeit"),
        ("de", "wie war dein Tag"),
        ("de", "einen schönen Tag noch"),
        ("de", "welche Zeit ist die beste zum Laufen"),
        ("de", "um wie viel Uhr beginnt der Film"),
        ("fr", "il est l'heure"),
        ("fr", "à quelle heure on mange"),
        ("fr", "c'est l'heure de partir"),
        ("fr", "une heure"),
        ("es", "es hora de comer"),
        ("es", "qué día tan bonito"),
        ("es", "tienes tiempo"),
        ("zh-CN", "时间到了"),
        ("zh-CN", "你几点下班"),
    ],
)
def test_other_sentences_ask_for_something_else(language: str, sentence: str) -> None:
    """One unknown word is enough; words such as "Zeit" need a word of a question."""
    assert read_present_question(sentence, language) is None


@pytest.mark.parametrize(
    ("language", "sentence", "answer"),
    [
        ("de", "könntest du mir bitte die aktuelle Uhrzeit nennen", "Es ist 17:04 Uhr."),
        ("de", "ich möchte die genaue Zeit in Tokio wissen", "In Tokio ist es Montag, 1:04 Uhr."),
        ("de", "welcher Wochentag ist der 24.", "Das ist Dienstag, 24. November 2026."),
        ("de", "auf welchen Tag fällt dieses Jahr Silvester", "Das ist Donnerstag, 31. Dezember 2026."),
        ("de", "in wie vielen Stunden ist Mitternacht", "Bis dahin: 6 Stunden und 56 Minuten."),
        ("fr", "quelle est l'heure de Tokyo", "À Tokyo, il est 1 h 04, lundi."),
        ("fr", "on sera quel jour demain", "C'est le lundi 23 novembre 2026."),
        ("fr", "quel jour était-on hier", "C'était le samedi 21 novembre 2026."),
        ("es", "cuál es la zona horaria de Madrid", "Es hora estándar de Europa central."),
        ("de", "was waren die Daten vergangenes Wochenende", "Das war Samstag, 21. November 2026."),
        ("fr", "quelle est la date de mardi prochain", "C'est le mardi 24 novembre 2026."),
        ("es", "dame las fechas del fin de semana anterior", "Fue el sábado, 21 de noviembre de 2026."),
        ("es", "qué día cae este año navidad", "Es el viernes, 25 de diciembre de 2026."),
        ("zh-CN", "东京时间是多少", "东京现在是星期一1点04分。"),
        ("zh-CN", "离晚上八点还有多久", "还有2小时56分钟。"),
    ],
)
def test_further_questions_are_answered(language: str, sentence: str, answer: str) -> None:
    """Leave questions about other places, days and times."""
    assert answered(sentence, (SKILL,), language) == answer
