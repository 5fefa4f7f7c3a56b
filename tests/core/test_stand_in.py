"""Covers stand_in, languages: what a bundled model leaves out of a setup that is meant for another one."""

from dataclasses import replace
from typing import Any

import pytest

from unitd.core.models.catalog import Card
from unitd.core.models.stand_in import fitted
from unitd.wire.languages import main_language

EARS = Card("unitd-asr", "asr", languages=("en",), is_bundled=True)
WAKE = Card("unitd-kws", "kws", languages=("en",), defaults={"kws": "hey jarvis"}, is_bundled=True)
VOICE = Card("unitd-tts", "tts", languages=("en", "ja", "zh"), is_bundled=True)


def standing_in(card: Card, *languages: str) -> Card:
    """The card in place of a model of these languages."""
    return replace(card, stands_for=Card("the-model", card.unit, languages=languages))


@pytest.mark.parametrize(("tag", "language"), [("en", "en"), ("en-US", "en"), ("en_US", "en"), (" ZH-cn ", "zh")])
def test_the_region_of_a_tag_does_not_count(tag: str, language: str) -> None:
    """Clients write it with a hyphen, with an underscore, or not at all."""
    assert main_language(tag) == language


@pytest.mark.parametrize("asked", ["en", "en-US", "en_US", "EN"])
def test_a_known_language_stays(asked: str) -> None:
    """In whatever region."""
    assert fitted(standing_in(EARS, "mul"), {"language": asked}) == ({"language": asked}, "")


def test_an_unknown_language_is_left_out_with_a_warning() -> None:
    """The original's whisper takes it; the bundled ears hear English."""
    setup, warning = fitted(standing_in(EARS, "mul"), {"language": "zh", "enoutput": True})

    assert setup == {"enoutput": True}
    assert warning == "unitd-asr does not know the language 'zh', it hears en"


def test_the_language_of_a_name_counts_where_none_is_asked_for() -> None:
    """A Chinese model is asked for; who has one of its languages knows it."""
    assert "'zh'" in fitted(standing_in(EARS, "zh"), {}).warning
    assert fitted(standing_in(EARS, "zh", "en"), {}).warning == ""
    assert fitted(standing_in(EARS), {}).warning == ""


@pytest.mark.parametrize(
    ("languages", "spoken"),
    [(("ja",), {"language": "ja"}), (("zh", "en"), {"language": "zh"}), (("en",), {}), (("mul",), {}), ((), {})],
)
def test_a_voice_speaks_the_language_of_the_name(languages: tuple[str, ...], spoken: dict[str, str]) -> None:
    """Clients that name a voice send no other sign of its language; an English one still goes by the letters."""
    assert fitted(standing_in(VOICE, *languages), {}) == (spoken, "")


@pytest.mark.parametrize(
    ("asked", "heard", "left_out"),
    [
        ("你好你好", ["hey jarvis"], "'你好你好'"),
        (["你好", "HELLO"], ["HELLO"], "'你好'"),
        (["привет", "こんにちは"], ["hey jarvis"], "'привет', 'こんにちは'"),
    ],
)
def test_wake_words_in_other_letters_give_way_to_what_can_be_heard(asked: Any, heard: list[str], left_out: str) -> None:
    """The others are heard, or the usual one where none is left; a threshold goes with its word."""
    words = [asked] if isinstance(asked, str) else asked
    setup, warning = fitted(standing_in(WAKE, "zh"), {"kws": asked, "threshold": dict.fromkeys(words, 0.5)})

    assert setup["kws"] == heard
    assert set(setup["threshold"]) <= set(heard)
    assert f"does not know the wake words {left_out}" in warning


@pytest.mark.parametrize("words", ["HELLO", "Hey, Zoë!", ["ok computer", "R2-D2"]])
def test_wake_words_in_latin_letters_stay(words: Any) -> None:
    """With accents, digits and signs."""
    assert fitted(standing_in(WAKE, "en"), {"kws": words}) == ({"kws": words}, "")


@pytest.mark.parametrize("setup", [{"language": 7}, {"kws": 7}, {"kws": [7]}])
def test_values_of_another_type_are_the_unit_s_to_refuse(setup: dict[str, Any]) -> None:
    """The stand-in passes them on, and the unit answers with an error."""
    assert fitted(standing_in(WAKE, "en"), setup).setup == setup


def test_a_model_under_its_own_name_gets_what_was_asked() -> None:
    """The unit itself then refuses what it does not know."""
    assert fitted(EARS, {"language": "zh"}) == ({"language": "zh"}, "")
    assert fitted(WAKE, {"kws": "你好"}) == ({"kws": "你好"}, "")
