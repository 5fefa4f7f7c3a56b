"""Covers units.intent.library, units.intent.unit: the languages of a task."""

from typing import Any

import pytest
from hassil.intents import RangeSlotList
from home_assistant_intents import get_intents

from tests.support.units.intent_home import Inhabitant, device, home
from units.base import SETUP_REFUSED, UnitFault
from units.intent.library import UnknownLanguage, find_language, load_intents


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "schalte die Leselampe ein"),
        ("fr", "allume la Leselampe"),
        ("es", "enciende la Leselampe"),
        ("zh", "打开Leselampe"),
        ("nl", "zet de Leselampe aan"),
    ],
)
def test_each_language_has_its_sentences(language: str, text: str) -> None:
    """A regional tag finds those of its language."""
    somebody = Inhabitant(home([device("Leselampe", "light", "Büro")], languages=[language]))

    assert somebody.calls(text) == [("turn_on", "Leselampe")]


def test_another_language_is_tried_where_the_first_finds_nothing() -> None:
    """The answer is in the language of the sentence."""
    somebody = Inhabitant(home(languages=["en", "de"]))

    assert somebody.say("turn on the desk lamp")[1] == "Turned on the light"
    assert somebody.say("schalte die desk lamp ein") == ([("turn_on", "desk lamp")], "desk lamp eingeschaltet")
    assert "evidence" in somebody.recognize("allume la desk lamp")


def test_the_setup_may_name_the_languages() -> None:
    """One tag or a list of them, in place of the home's."""
    somebody = Inhabitant()

    somebody.tell("setup", data={"home": home(), "language": "de-AT"})

    assert "evidence" in somebody.recognize("turn on the desk lamp")
    assert somebody.calls("schalte die desk lamp ein") == [("turn_on", "desk lamp")]


@pytest.mark.parametrize("language", ["xx", "tlh", ""])
def test_a_language_without_the_sentences_is_refused(language: str) -> None:
    """With those that work; the task that was there goes on."""
    somebody = Inhabitant()

    with pytest.raises(UnitFault, match=r"languages that work: .*de.*en.*zh-CN") as fault:
        somebody.tell("setup", data={"home": home(), "language": ["en", language]})

    assert fault.value.code == SETUP_REFUSED
    assert f" {language}," not in str(fault.value).partition(":")[2]
    assert somebody.calls("turn on the desk lamp") == [("turn_on", "desk lamp")]


def test_a_language_that_turns_nothing_off_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's files differ in what they hold; none of this one's lacks it."""

    def thinner(language: str) -> dict[str, Any] | None:
        data = get_intents(language)
        if data and language == "sw":
            del data["intents"]["HassTurnOff"]
        return data

    monkeypatch.setattr("units.intent.library.get_intents", thinner)
    with pytest.raises(UnknownLanguage, match="too few sentences in 'sw'"):
        load_intents("sw")


def test_tags_find_the_nearest_language() -> None:
    """Case and underscores do not matter."""
    found = [find_language(tag) for tag in ("en", "EN_us", "de-CH", "de-AT", "zh", "zh-tw", "pt_BR", "sr-Latn")]

    assert found == ["en", "en", "de-CH", "de", "zh-CN", "zh-TW", "pt-BR", "sr-Latn"]


@pytest.mark.parametrize("data", [{}, {"home": "mine"}, {"home": {}, "language": 7}, {"home": {}, "area": 7}])
def test_a_bad_setup_is_refused(data: dict[str, Any]) -> None:
    """By the name of the key."""
    with pytest.raises(UnitFault) as fault:
        Inhabitant().tell("setup", data=data)

    assert fault.value.code == SETUP_REFUSED


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "zh-CN"])
def test_no_two_ranges_share_their_number_words(language: str) -> None:
    """hassil keeps them by language and bounds, with the sign of the first one that it meets."""
    lists = load_intents(language).slot_lists.values()
    ranges = [each for each in lists if isinstance(each, RangeSlotList) and each.words]
    signs: dict[Any, Any] = {}
    for each in ranges:
        bounds = (each.start, each.stop, each.step, each.fraction_type)
        assert signs.setdefault(bounds, each.multiplier) == each.multiplier
