"""Covers units.intent.skills: short everyday sentences in German, French, Spanish and Chinese."""

from typing import Any

import pytest

from tests.support.units.timer_board import Speaker
from units.intent.skills.timer_length import read_meal
from units.intent.skills.volume_wish import read_wish


@pytest.mark.parametrize(
    ("language", "text", "calls"),
    [
        ("de", "8 Minuten für die Nudeln", [("timer_start", 480.0, "Nudeln")]),
        ("de", "Timer auf ne Viertelstunde", [("timer_start", 900.0)]),
        (
            "de",
            "stell zwei Timer, einen auf 5 und einen auf 10 Minuten",
            [("timer_start", 300.0), ("timer_start", 600.0)],
        ),
        ("de", "weck mich um 7, ich muss zur Arbeit", [("alarm_set", "07:00", [], "")]),
        ("de", "ich hab was im Ofen, stell einen Timer auf 25 Minuten", [("timer_start", 1500.0)]),
        ("fr", "euh mets moi un minuteur 1h20 s'il te plaît", [("timer_start", 4800.0)]),
        ("fr", "8 minutes pour les pâtes", [("timer_start", 480.0, "pâtes")]),
        ("fr", "un minuteur de 35 minutes, j'ai un gâteau au four", [("timer_start", 2100.0)]),
        (
            "fr",
            "mets deux minuteurs un de 5 minutes et un de 10 minutes",
            [("timer_start", 300.0), ("timer_start", 600.0)],
        ),
        ("es", "ponme 8 minutos para los huevos", [("timer_start", 480.0, "huevos")]),
        ("es", "quiero que me avises en 15 minutos", [("timer_start", 900.0)]),
        ("zh-CN", "定个一小时二十分钟的计时器", [("timer_start", 4800.0)]),
        ("zh-CN", "给我定个半小时的计时器", [("timer_start", 1800.0)]),
        ("zh-CN", "煮鸡蛋八分钟", [("timer_start", 480.0, "煮鸡蛋")]),
        ("zh-CN", "我要睡半小时,到时候叫我", [("timer_start", 1800.0)]),
    ],
)
def test_a_timer_is_set_in_few_words(language: str, text: str, calls: list[tuple[Any, ...]]) -> None:
    """Without the word for a timer, with a reason beside it, or with several lengths."""
    made, _ = Speaker(language).say(text)
    assert made == calls


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "wenn ich zu Hause bin, stell einen Timer auf 8 Minuten"),
        ("de", "ich will nicht, dass du einen Timer stellst"),
        ("de", "20 Minuten für wen"),
        ("zh-CN", "煮面需要八分钟"),
        ("de", "füge den Song zu meiner Playliste hinzu"),
        ("fr", "quand je rentre, mets un minuteur de 5 minutes"),
        ("es", "cuando llegue, pon un temporizador de 5 minutos"),
    ],
)
def test_conditions_and_other_wishes_are_left(language: str, text: str) -> None:
    """What is said before a wish is no reason where it is a condition."""
    assert Speaker(language).say(text) == ([], "")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "wann weckst du mich morgen"),
        ("fr", "à quelle heure tu me réveilles demain"),
        ("es", "a qué hora me despiertas mañana"),
        ("zh-CN", "你明天几点叫我"),
    ],
)
def test_who_asks_when_to_be_woken_means_alarms(language: str, text: str) -> None:
    """A timer is none of them."""
    speaker = Speaker(language)
    speaker.timers.add(600)
    speaker.timers.add(63000, kind="alarm", time="07:00")
    assert "10" not in speaker.answer(text)
    assert "7" in speaker.answer(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "hör auf zu piepen"),
        ("de", "schluss mit dem Gebimmel"),
        ("fr", "arrête de biper"),
        ("es", "deja de pitar"),
        ("zh-CN", "不要再响了"),
    ],
)
def test_what_rings_is_silenced(language: str, text: str) -> None:
    """Stop what rings, also where the sentence names its noise."""
    speaker = Speaker(language)
    speaker.timers.add(600, state="ringing")
    made, _ = speaker.say(text)
    assert made[-1] == ("timer_stop",)


@pytest.mark.parametrize(
    ("language", "text", "do"),
    [
        ("de", "ich versteh dich nicht, mach mal lauter", "up"),
        ("fr", "je voudrais que tu montes le son", "up"),
        ("fr", "j'aimerais que tu baisses le volume", "down"),
        ("es", "se escucha bajito súbele", "up"),
        ("es", "te escucho muy bajo", "up"),
        ("es", "vuelve a poner el sonido", "unmute"),
        ("zh-CN", "把音量拉满", "set"),
        ("zh-CN", "听不见", "up"),
        ("zh-CN", "别响了", None),
    ],
)
def test_the_volume_in_everyday_words(language: str, text: str, do: str | None) -> None:
    """Also in the subjunctive, and by what one hears."""
    wish = read_wish(text, language)
    assert (wish and wish.do) == do


def test_a_meal_has_a_length_and_a_name() -> None:
    """Any other words after the length are no name."""
    assert read_meal("10 minutos para la pasta", "es") is not None
    for words, language in (("para la pasta", "es"), ("10 minutes pour moi", "fr"), ("10 minutes for the eggs", "en")):
        assert read_meal(words, language) is None


@pytest.mark.parametrize(
    ("language", "text", "part"),
    [
        ("de", "Könnten Sie mir die Zeit in London sagen?", "London"),
        ("de", "rechne mal aus was 123 plus 32 mal 3 ist", "219"),
        ("fr", "c'est combien 8 fois 7", "56"),
        ("fr", "combien font 3 et 4", "7"),
        ("es", "oye y en buenos aires qué hora es ahorita", "Buenos Aires"),
        ("es", "me ayudas con una cuenta cuanto es 8 por 7", "56"),
        ("zh-CN", "今年还剩多少天", "39"),
    ],
)
def test_questions_are_answered(language: str, text: str, part: str) -> None:
    """With the words around them, and those of one country."""
    assert part in Speaker(language).answer(text)
