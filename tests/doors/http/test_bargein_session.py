"""Covers unitd.doors.http.bargein.session: personas, their prompt, and how much is remembered."""

from unitd.core.config.schema import SYSTEM_TEMPLATE, BargeInSettings
from unitd.doors.http.bargein.session import (
    MAX_CHARACTERS,
    MAX_SESSIONS,
    Persona,
    Sessions,
)


def test_braces_of_a_client_mean_nothing() -> None:
    """A value is put in once and not looked at again."""
    persona = Persona("I am {history} {gender.__class__} {0}", identity="{persona}")

    prompt = persona.prompt("{persona}\nTo {identity}. {{x}} {history}", "secret")

    assert prompt == "I am {history} {gender.__class__} {0}\nTo {persona}. {{x}} secret"


def test_a_line_about_nothing_is_left_out() -> None:
    """What nobody told is not spoken of; a line of the template's own stays."""
    assert Persona(gender="man").prompt(SYSTEM_TEMPLATE, "") == "You are a man."
    assert Persona().prompt("Be brief.\n{persona} {style}", "") == "Be brief."


def test_the_session_that_was_away_longest_is_forgotten() -> None:
    """A session that comes again counts as the newest."""
    sessions = Sessions(BargeInSettings())
    first, second = sessions.of("", "first"), sessions.of("", "second")
    for number in range(MAX_SESSIONS - 2):
        sessions.of("", str(number))

    sessions.of("", "first")
    sessions.of("", "one more")

    assert len(sessions) == MAX_SESSIONS
    assert sessions.of("", "first") is first
    assert sessions.of("", "second") is not second


def test_much_text_is_not_kept_for_long() -> None:
    """Few sessions with books for personas do not fill the memory."""
    sessions = Sessions(BargeInSettings())
    for number in range(20):
        sessions.of("", str(number)).persona = Persona("x" * (MAX_CHARACTERS // 10))

    sessions.of("", "next")

    assert len(sessions) <= 11


class EndlessTurn:
    """A turn that goes on."""

    def cut(self) -> bool:
        """It ends."""
        return True


def test_a_session_in_mid_turn_is_not_forgotten() -> None:
    """The next start has to find its turn."""
    sessions = Sessions(BargeInSettings())
    busy = sessions.of("", "busy")
    busy.turn = EndlessTurn()

    for number in range(2 * MAX_SESSIONS):
        sessions.of("", str(number))

    assert sessions.of("", "busy") is busy
