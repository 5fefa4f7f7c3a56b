"""Covers units.intent.skills.accents, matcher: sentences that were typed without accents."""

from typing import Any

import pytest

from tests.support.units.timer_board import Speaker
from units.intent.skills.accents import Accents, as_said

EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("language", "text", "calls"),
    [
        ("de", "stell einen timer auf fuenf minuten", [("timer_start", 300.0)]),
        ("de", "erstelle einen taeglichen wecker fuer 8 uhr", [("alarm_set", "08:00", EVERY_DAY, "")]),
        ("de", "Timer fur zwolf Minuten", [("timer_start", 720.0)]),
        ("fr", "reveille moi dans une demi-heure", [("timer_start", 1800.0)]),
        ("fr", "regle un minuteur a 10 minutes", [("timer_start", 600.0)]),
        ("fr", "RÈGLE UNE ALARME À 7H TOUS LES JOURS", [("alarm_set", "07:00", EVERY_DAY, "")]),
        ("es", "pon una alarma manana a las siete", [("alarm_set", "07:00", [], "2026-11-23")]),
        ("es", "despiertame en dieciseis minutos", [("timer_start", 960.0)]),
    ],
)
def test_a_sentence_is_understood_without_its_accents(language: str, text: str, calls: list[tuple[Any, ...]]) -> None:
    """Umlauts may be written with an e or not at all; capital letters make no difference."""
    speaker = Speaker(language)
    made, _ = speaker.say(text)
    assert made == calls


def test_words_that_exist_in_both_forms_stay_as_they_are() -> None:
    """Only a reader that understands nothing is asked for the other spelling."""
    accents = Accents("es", ["(qué|que) hora es", "(cómo) está [esta] alarma"])
    assert accents.restored("que tal esta, como") == "que tal esta, cómo"
    assert accents.all_restored("esta manana") == "está mañana"


def test_a_name_keeps_the_accents_that_were_said() -> None:
    """Take the words of a slot from the sentence as it was typed."""
    assert as_said("pates", "Minuteur pâtes") == "pâtes"
    speaker = Speaker("fr")
    made, _ = speaker.say("mets un minuteur pâtes de 8 minutes")
    assert made == [("timer_start", 480.0, "pâtes")]
