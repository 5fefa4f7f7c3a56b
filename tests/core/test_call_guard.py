"""Covers unitd.core.home.call_guard: which calls of a model the words of a sentence back."""

from typing import Any

import pytest

from tests.units.intent.houses import FAMILY, family
from unitd.core.home.call_guard import Attempt, Verdict, agrees, check, evidence_of, targets
from unitd.core.home.call_guard_words import forgotten
from unitd.core.home.devices import Entity
from unitd.core.home.tools import Tool
from units.intent.evidence import evidence

ENTITIES = {
    each["name"]: Entity(each["name"], each["kind"], each["area"], tuple(each["aliases"]), each["id"])
    for each in FAMILY
}
ENUM_OF_UNITS = {"unit": {"type": "string", "enum": ["seconds", "minutes", "hours"]}}


def attempt(name: str, device: str = "", *, is_confirmed_first: bool = False, **values: Any) -> Attempt:
    """Return a call of a model; the tool get_state reads, all others switch."""
    is_reading = name == "get_state"
    tool = Tool(
        name, kinds=("light",) if device else (), state="a" if is_reading else "", topic="" if is_reading else "a"
    )
    arguments = {**({"entity": device} if device else {}), **values}
    return Attempt(name, arguments, tool, ENTITIES.get(device), is_confirmed_first)


def verdict(said: str, call: Attempt, before: str = "", area: str = "", language: str = "en") -> Verdict:
    """Return the verdict on a call after a sentence, and after one before it."""
    index = family(area, language)
    earlier = evidence(before, index, language) if before else None
    return check(call, evidence(said, index, language), earlier)


def is_done(said: str, call: Attempt, before: str = "", area: str = "", language: str = "en") -> bool:
    """Return whether the call is done."""
    return verdict(said, call, before, area, language).is_allowed


@pytest.mark.parametrize(
    ("said", "device"),
    [
        ("turn on the desk lamp", "desk lamp"),
        ("turn on the ceiling lamp", "kitchen light"),
        ("it is too dark in the office", "desk lamp"),
        ("lights on in the bedroom", "bedside lamp"),
        ("turn on the fan", "bathroom fan"),
        ("all lights on", "bedroom light"),
    ],
)
def test_a_device_that_the_words_name_is_switched(said: str, device: str) -> None:
    assert is_done(said, attempt("turn_on", device))


@pytest.mark.parametrize(
    ("said", "tool", "device"),
    [
        ("make the desk lamp blink", "turn_on", "desk lamp"),
        ("set the desk lamp to disco", "turn_off", "desk lamp"),
        ("mach die desk lamp bunt", "turn_on", "desk lamp"),
    ],
)
def test_a_device_is_switched_only_by_a_word_for_it(said: str, tool: str, device: str) -> None:
    """A model that has no tool for a wish takes one that it knows."""
    language = "de" if said.startswith("mach") else "en"

    found = verdict(said, attempt(tool, device), language=language)

    assert (found.is_allowed, found.is_asked) == (False, True)
    assert device in found.answer


@pytest.mark.parametrize(
    ("said", "called", "meant"),
    [
        ("make all the lights blue", "desk lamp", {each.name for each in ENTITIES.values() if each.kind == "light"}),
        ("make the lights blue in the kitchen", "desk lamp", {"kitchen light"}),
        ("make the light blue in the kitchen", "desk lamp", {"kitchen light"}),
        ("make the light blue in the bedroom", "desk lamp", {"desk lamp"}),
        ("make the desk lamp and all other lights blue", "kitchen light", {"kitchen light"}),
        ("make the desk lamp and the one in the kitchen blue", "kitchen light", {"kitchen light"}),
        ("make all the quixotic lights blue", "desk lamp", {"desk lamp"}),
        ("make all the lights blue", "bathroom fan", {"bathroom fan"}),
    ],
)
def test_a_call_stands_for_the_whole_set_that_the_words_mean(said: str, called: str, meant: set[str]) -> None:
    found = targets(ENTITIES[called], ENTITIES.values(), evidence(said, family("", "en"), "en"))

    assert {each.name for each in found} == meant


@pytest.mark.parametrize(
    ("said", "device"),
    [
        ("turn on the desk lamp", "kitchen light"),
        ("turn on the light in the kitchen", "bedroom light"),
        ("turn off the fan in the bathroom", "front door"),
        ("turn off everything upstairs", "front door"),
        ("turn off all lights except the desk lamp", "desk lamp"),
        ("I like your lamp", "desk lamp"),
        ("thank you", "desk lamp"),
        ("tell me a joke", "kitchen radio"),
    ],
)
def test_a_device_that_they_do_not_name_is_not_switched_and_not_asked_about(said: str, device: str) -> None:
    found = verdict(said, attempt("turn_on", device))
    assert found == Verdict(False, "I did not understand.")


@pytest.mark.parametrize(
    ("said", "device"),
    [
        ("turn on the dusk lamp", "desk lamp"),
        ("turn on the light", "desk lamp"),
        ("turn on the dishwasher in the kitchen", "kitchen light"),
        ("turn on the oven light", "kitchen light"),
    ],
)
def test_a_device_that_may_be_meant_is_asked_about(said: str, device: str) -> None:
    found = verdict(said, attempt("turn_on", device))
    assert found == Verdict(False, f"Do you mean the {device}?", is_asked=True)


@pytest.mark.parametrize(
    ("said", "device", "before"),
    [
        ("turn it off", "desk lamp", "turn on the desk lamp"),
        ("off again", "desk lamp", "turn on the desk lamp"),
        ("now turn it off and close the kitchen blinds", "desk lamp", "turn on the desk lamp"),
        ("and the bedroom too", "bedroom light", "turn on the light in the kitchen"),
        ("and in the bedroom", "bedroom light", "turn on the light in the kitchen"),
    ],
)
def test_a_sentence_may_mean_what_the_turn_before_named(said: str, device: str, before: str) -> None:
    assert is_done(said, attempt("turn_off", device), before)


@pytest.mark.parametrize(
    ("said", "device", "before"),
    [
        ("turn on the bedside lamp", "desk lamp", "turn on the desk lamp"),
        ("thank you", "desk lamp", "turn on the desk lamp"),
        ("that was nice", "desk lamp", "turn on the desk lamp"),
        ("tell me a joke", "desk lamp", "turn on the desk lamp"),
        ("turn it off", "kitchen light", "turn on the desk lamp"),
        ("and the bedroom too", "bedroom tv", "turn on the light in the kitchen"),
    ],
)
def test_it_does_not_mean_what_it_does_not_point_at(said: str, device: str, before: str) -> None:
    assert not is_done(said, attempt("turn_off", device), before)


def test_a_turn_that_was_done_without_a_model_counts_as_the_one_before() -> None:
    before = evidence_of([ENTITIES["desk lamp"]], "en")
    assert check(attempt("turn_off", "desk lamp"), evidence("turn it off", family(), "en"), before).is_allowed


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "is the desk lamp on"), ("en", "did you turn off the desk lamp?"),
        ("en", "don't turn off the desk lamp"),
        ("de", "ist die desk lamp an?"), ("de", "schalte die desk lamp nicht aus"),
        ("fr", "n'éteins pas la desk lamp"),
        ("es", "no apagues la desk lamp"), ("zh", "不要关 desk lamp"), ("zh", "desk lamp 开着吗"),
    ],
)  # fmt: skip
def test_questions_and_negated_wishes_only_read(language: str, said: str) -> None:
    assert not is_done(said, attempt("turn_off", "desk lamp"), language=language)
    assert is_done(said, attempt("get_state", "desk lamp"), language=language)


@pytest.mark.parametrize("said", ["could you turn off the desk lamp?", "would you mind turning off the desk lamp?"])
def test_a_polite_request_is_done(said: str) -> None:
    assert is_done(said, attempt("turn_off", "desk lamp"))


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("desk lamp to 20 percent", {"percent": 20}),
        ("desk lamp to twenty percent", {"percent": 20}),
        ("desk lamp at half brightness", {"percent": 50}),
        ("make the desk lamp blue", {"color": "blue"}),
        ("make the desk lamp blue", {"rgb": [0, 0, 255]}),
        ("play the blue danube on the desk lamp", {"media": "The Blue Danube"}),
        ("desk lamp on for half an hour", {"amount": 30}),
        ("set the desk lamp on for 5 minutes", {"is_soft": True}),
    ],
)
def test_a_value_of_the_words_is_used(said: str, values: dict[str, Any]) -> None:
    assert is_done(said, attempt("set", "desk lamp", **values))


@pytest.mark.parametrize(
    ("said", "values", "asked"),
    [
        ("desk lamp to 20 percent", {"percent": 70}, "70 %"),
        ("heat up the desk lamp", {"degrees": 22.5}, "22.5 °"),
        ("make the desk lamp cosy", {"color": "red"}, "red"),
        ("play something on the desk lamp", {"media": "Bohemian Rhapsody"}, "Bohemian Rhapsody"),
    ],
)
def test_a_value_that_is_not_in_the_words_is_asked_about(said: str, values: dict[str, Any], asked: str) -> None:
    assert verdict(said, attempt("set", "desk lamp", **values)) == Verdict(
        False, f"Do you mean {asked}?", is_asked=True
    )


@pytest.mark.parametrize(
    ("said", "percent", "read", "is_allowed"),
    [
        ("desk lamp brighter", 70, {"brightness": 50}, True),
        ("desk lamp brighter", 30, {"brightness": 50}, False),
        ("dim the desk lamp a bit", 30, {"brightness": 50}, True),
        ("dim the desk lamp a bit", 30, {}, False),
        ("set the desk lamp as it was", 50, {"brightness": 50}, True),
    ],
)
def test_a_relative_wish_goes_from_the_state_that_was_read(
    said: str, percent: int, read: dict[str, float], is_allowed: bool
) -> None:
    call = attempt("set_brightness", "desk lamp", percent=percent)
    with_state = Attempt(call.name, call.arguments, call.tool, call.entity, state=read)
    assert is_done(said, with_state) == is_allowed


@pytest.mark.parametrize(
    ("said", "name", "values"),
    [
        ("set a timer for five minutes", "set_timer", {"amount": 5, "unit": "minutes"}),
        ("Stelle einen Timer auf 5 Minuten", "set_timer", {"amount": 5, "unit": "minutes"}),
        ("tell Anna that I am late", "send_message", {"to": "Anna", "text": "I am late"}),
        ("remind me at 7:30", "set_alarm", {"time": "07:30"}),
        ("wake me at 7 pm", "set_alarm", {"time": "19:00"}),
        ("water the plants", "water_plants", {}),
        ("good night", "good_night", {}),
        ("cancel the timer", "cancel_timer", {}),
        ("add milk to the shopping list", "add_item", {"item": "milk", "list": "shopping"}),
    ],
)
def test_a_tool_without_devices_is_used_with_what_was_said(said: str, name: str, values: dict[str, Any]) -> None:
    call = attempt(name, **values)
    language = "de" if said.startswith("Stelle") else "en"
    tool = Tool(name, parameters=ENUM_OF_UNITS if "unit" in values else {}, topic="a")
    assert is_done(said, Attempt(call.name, call.arguments, tool), language=language)


@pytest.mark.parametrize(
    ("said", "name", "values"),
    [
        ("set a timer", "set_timer", {"amount": 10}),
        ("is the timer at 10 minutes", "set_timer", {"amount": 10}),
        ("don't water the plants", "water_plants", {}),
        ("I am bored", "water_plants", {}),
        ("send a message to Anna", "send_message", {"to": "Bob", "text": "hello there my friend"}),
    ],
)
def test_a_tool_without_devices_is_not_used_with_anything_else(said: str, name: str, values: dict[str, Any]) -> None:
    assert not is_done(said, attempt(name, **values))


@pytest.mark.parametrize(
    ("language", "said", "asked", "yes"),
    [
        ("en", "unlock the front door", "Shall I unlock the front door?", "yes please"),
        ("de", "front door aufschließen", "Soll ich front door aufschließen?", "ja"),
        ("fr", "déverrouille front door", "Dois-je déverrouiller front door ?", "oui"),
        ("es", "desbloquea front door", "¿Debo desbloquear front door?", "sí"),
        ("zh", "打开 front door", "要解锁front door吗？", "好的"),  # noqa: RUF001
    ],
)
def test_some_tools_are_used_after_a_yes_only(language: str, said: str, asked: str, yes: str) -> None:
    found = verdict(said, attempt("unlock", "front door", is_confirmed_first=True), language=language)
    assert found == Verdict(False, asked, is_asked=True)
    assert agrees(evidence(yes, family("", language), language))


def test_a_value_and_a_tool_of_an_own_name_are_confirmed_in_words() -> None:
    heater = attempt("set_temperature", "office heater", is_confirmed_first=True, degrees=21)
    assert verdict("office heater to 21", heater).answer == "Shall I set the office heater to 21 °?"
    assert verdict("water the plants", attempt("water_plants", is_confirmed_first=True)).answer == (
        "Shall I do this: water plants?"
    )


@pytest.mark.parametrize("said", ["no", "yes, but not that one", "turn on the desk lamp", "what?", ""])
def test_anything_but_a_yes_forgets_the_call(said: str) -> None:
    assert not agrees(evidence(said, family(), "en"))


def test_nothing_is_agreed_to_without_evidence() -> None:
    assert not agrees(None)


def test_without_evidence_nothing_is_switched_but_all_can_be_read() -> None:
    assert check(attempt("turn_on", "desk lamp"), None) == Verdict(False, "I did not understand.")
    assert check(attempt("get_state", "desk lamp"), None).is_allowed


def test_a_language_without_words_is_answered_in_english() -> None:
    assert (
        verdict("zet maar open", attempt("unlock", "front door"), language="nl").answer == "Do you mean the front door?"
    )
    assert forgotten("nl") == forgotten("en") == "All right."
