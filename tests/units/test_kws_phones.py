"""Covers units.kws.phones and the spelling in units.kws.sphinx: how any word becomes phones."""

from pathlib import Path

import pytest

from units.base import SETUP_REFUSED, UnitFault
from units.kws.phones import arpabet_of, phones_of
from units.kws.sphinx import default_threshold, spell, words_of

pocketsphinx = pytest.importorskip("pocketsphinx", reason="pip install pocketsphinx")
pytest.importorskip("espeakng_loader", reason="pip install espeakng-loader")

ARPABET = "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH"


@pytest.mark.parametrize(
    ("word", "phones"),
    [
        ("nabu", "N AA B UW"),
        ("snowboy", "S N OW B OY"),
        ("stackflow", "S T AE K F L OW"),
        ("jarvis", "JH AA R V IH S"),
        ("ladder", "L AE D ER"),
        ("r2d2", "AA R T UW D IY T UW"),
    ],
)
def test_a_word_outside_the_dictionary_gets_its_phones(word: str, phones: str) -> None:
    """As an American would read it."""
    assert phones_of(word) == tuple(phones.split())


def test_a_word_of_the_dictionary_is_spoken_as_it_says() -> None:
    """In the first of its ways."""
    (keyphrase,) = spell([("Hey, Jarvis!", None)])

    assert keyphrase.pronunciation == (("hey", ("HH", "EY")), ("jarvis", ("JH", "AA", "R", "V", "AH", "S")))


def test_every_word_of_the_dictionary_can_be_read_without_it() -> None:
    """The table knows all sounds of espeak's English: some 500 words, and no sound that the model lacks."""
    lines = Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict")).read_text().splitlines()
    words = [line.partition(" ")[0] for line in lines[::270]]
    phones = {phone for word in words if word.isalpha() for phone in phones_of(word)}

    assert phones <= set(ARPABET.split())
    assert len(phones) > 35


@pytest.mark.parametrize("word", ["42", "你好", "привет", "a/b", "c++", "x你"])
def test_a_word_that_cannot_be_pronounced_is_named(word: str) -> None:
    """The setup's error."""
    with pytest.raises(UnitFault) as fault:
        spell([(f"hey {word}", None)])

    assert fault.value.code == SETUP_REFUSED
    assert repr(word) in str(fault.value)


def test_a_sound_without_a_phone_is_named() -> None:
    """With its word."""
    with pytest.raises(UnitFault, match="'tsk' of kws cannot be pronounced: English has no '\u01c3a'"):
        arpabet_of("k\u01c3a", "tsk")


def test_punctuation_is_not_spoken() -> None:
    """Neither marks nor dashes get phones."""
    assert words_of("Hey, wake-up (now)!") == ("hey", "wake", "up", "now")


@pytest.mark.parametrize(
    ("phones", "threshold"), [(2, 1e-5), (4, 1e-5), (5, 1e-15), (6, 1e-20), (7, 1e-25), (8, 1e-30), (30, 1e-30)]
)
def test_longer_phrases_may_be_heard_more_easily(phones: int, threshold: float) -> None:
    """The measured table, by phones."""
    assert default_threshold([("word", ("AH",) * phones)]) == threshold
