"""The sentences of our own, units/intent/sentences, merged with those of home-assistant-intents."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import pytest
import yaml
from hassil import Intents, recognize_all
from hassil.expression import Expression, Group, ListReference, RuleReference
from hassil.intents import IntentData, SlotList, TextSlotList, TextSlotValue
from hassil.recognize import RecognizeResult
from hassil.util import merge_dict
from home_assistant_intents import get_intents

from tests.support.home.houses import areas, core_house
from tests.units.intent.said import SAID, TALK, Said

FILES = resources.files("units") / "intent" / "sentences"
LANGUAGES = ("en", "de", "fr", "es", "zh-CN")
OUR_INTENTS = {"UnitdAdjust", "UnitdCannot", "UnitdLook", "UnitdReply", "UnitdStop"}
FROM_HOUSE = {"name", "area", "floor"}
Named = tuple[str, str, dict[str, Any]]
DOMAINS = {"media": ["media_player"], "sensor": ["sensor", "binary_sensor"]}


@cache
def ours(language: str) -> Mapping[str, Any]:
    """Return what a file says."""
    data: dict[str, Any] = yaml.safe_load((FILES / f"{language}.yaml").read_text(encoding="utf-8"))
    return data


@cache
def merged(language: str) -> Intents:
    """Return our sentences with those of the library."""
    data = get_intents(language)
    assert data is not None
    merge_dict(data, deepcopy(dict(ours(language))))
    return Intents.from_dict(data)


@cache
def house_lists(language: str) -> dict[str, SlotList]:
    """Return the names of the core house of a language."""
    home = language.partition("-")[0]
    devices: list[Named] = [
        (name, device["name"], {"domain": domain})
        for device in core_house(home)
        for name in (device["name"], *device["aliases"])
        for domain in DOMAINS.get(device["kind"], [device["kind"]])
    ]
    rooms: list[Named] = [(name, area["name"], {}) for area in areas(home) for name in (area["name"], *area["aliases"])]
    floors: list[Named] = [(floor, floor, {}) for floor in {area["floor"] for area in areas(home)}]
    return {
        slot: TextSlotList(slot, [TextSlotValue.from_tuple(value, allow_template=False) for value in values])
        for slot, values in (("name", devices), ("area", rooms), ("floor", floors))
    }


@cache
def only(language: str, names: frozenset[str]) -> Intents:
    """Return these intents alone: each is read by itself, and to read all takes ten times as long."""
    data = merged(language)
    return replace(data, intents={name: intent for name, intent in data.intents.items() if name in names})


def readings(language: str, text: str, room: str, names: frozenset[str]) -> list[RecognizeResult]:
    """Return every way in which a sentence is understood as one of these intents."""
    lists = house_lists(language)
    context = {"area": room or "?"}
    known = only(language, names)
    return list(recognize_all(text, known, slot_lists=lists, language=language, intent_context=context))


def slots(result: RecognizeResult) -> dict[str, Any]:
    """Return the values of a reading by slot."""
    return {name: entity.value for name, entity in result.entities.items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_file_is_for_the_language_of_its_name(language: str) -> None:
    """The recogniser takes the words for numbers from it."""
    assert ours(language)["language"] == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_intent_is_known(language: str) -> None:
    """By the library, or as one of our own. English has them all."""
    known = get_intents("en")

    assert known is not None
    assert set(ours(language)["intents"]) - OUR_INTENTS <= set(known["intents"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wish_for_more_or_less_says_which(language: str) -> None:
    """Whatever the words are."""
    adjusting = merged(language).intents["UnitdAdjust"]
    silent = [text for block in adjusting.data for text in block.sentence_texts if ":direction}" not in text]

    assert silent == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_list_and_rule_of_our_templates_exists(language: str) -> None:
    """A missing one would fail only when somebody says such a sentence."""
    lists = {*merged(language).slot_lists, *FROM_HOUSE}
    used = list(_references(language))

    assert [name for kind, name, _ in used if kind == "list" and name not in lists] == []
    assert [name for kind, name, is_known in used if kind == "rule" and not is_known] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_list_and_no_rule_of_ours_is_left_over(language: str) -> None:
    """Those that replace the library's own are used by its templates."""
    used = {(kind, name) for kind, name, _ in _references(language)}
    rules = {name for name in ours(language)["expansion_rules"] if name.startswith("unitd_")}
    lists = {name for name in ours(language)["lists"] if name.startswith("unitd_")}

    assert {name for name in rules if ("rule", name) not in used} == set()
    assert {name for name in lists if ("list", name) not in used} == set()


@pytest.mark.parametrize("said", SAID, ids=lambda said: said.text)
def test_what_people_say_is_understood(said: Said) -> None:
    """By one of the readings with these values and no others."""
    found = [
        (each.intent.name, slots(each))
        for each in readings(said.language, said.text, said.room, frozenset({said.intent}))
    ]

    assert (said.intent, dict(said.slots)) in found


@pytest.mark.parametrize(("language", "text"), TALK)
def test_talk_is_no_sentence(language: str, text: str) -> None:
    """Neither what was, nor what shall not be, nor what has only the words of a wish."""
    found = readings(language, text, _room(language), _switching())

    assert [(each.intent.name, slots(each)) for each in found] == []


def _room(language: str) -> str:
    name: str = core_house(language.partition("-")[0])[0]["area"]
    return name


def _switching() -> frozenset[str]:
    """Return the intents that a home may carry out: no lists, no timers, and no name alone, which is a reply."""
    intents = {name for language in LANGUAGES for name in ours(language)["intents"]}
    return frozenset(intents - {"UnitdReply", "UnitdStop"})


def _references(language: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each list and rule that a template of ours uses, with whether the rule is known where it is used."""
    for intent in ours(language)["intents"]:
        blocks = merged(language).intents[intent].data[-len(ours(language)["intents"][intent]["data"]) :]
        for block in blocks:
            for sentence in block.sentences:
                yield from _used(sentence.expression, language, block, set())


def _used(
    expression: Expression, language: str, block: IntentData, seen: set[tuple[str, str]]
) -> Iterator[tuple[str, str, bool]]:
    if isinstance(expression, Group):
        for item in expression.items:
            yield from _used(item, language, block, seen)
    elif isinstance(expression, RuleReference) and ("rule", expression.rule_name) not in seen:
        seen.add(("rule", expression.rule_name))
        rules = {**merged(language).expansion_rules, **block.expansion_rules}
        yield "rule", expression.rule_name, expression.rule_name in rules
        if expression.rule_name in rules:
            yield from _used(rules[expression.rule_name].expression, language, block, seen)
    elif isinstance(expression, ListReference) and ("list", expression.list_name) not in seen:
        seen.add(("list", expression.list_name))
        yield "list", expression.list_name, True
        values = merged(language).slot_lists.get(expression.list_name)
        if isinstance(values, TextSlotList):
            for value in values.values:
                yield from _used(value.text_in, language, block, seen)
