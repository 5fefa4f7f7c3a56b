"""Conversations with clients' tools, with more kinds of devices, and with sentences that lean on each other."""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import pytest

from train.corpus.base import Message, normal
from train.corpus.tools.follow_ups.follow_ups import (
    draw_base,
    draw_related_place,
    make_follow_up_probes,
    make_follow_up_talk,
)
from train.corpus.tools.follow_ups.follow_ups_makers import bit_more, other_one, undone
from train.corpus.tools.follow_ups.follow_ups_state import Step
from train.corpus.tools.house import Entity, House
from train.corpus.tools.more_devices import make_device_probes, make_device_talk
from train.corpus.tools.own.own_tools import make_own_tool_probes, make_own_tool_talk
from train.corpus.tools.own.own_tools_asking import question_about
from train.corpus.tools.own.own_tools_catalog import all_functions
from train.corpus.tools.own.own_tools_chains import all_chains
from train.corpus.tools.own.own_tools_fillers import Filled
from train.corpus.tools.own.own_tools_results import sorry, told
from train.corpus.tools.own.own_tools_saying import say
from train.corpus.tools.requests import Place
from train.corpus.tools.talk import Probe
from train.corpus.tools.toolbox import draw_toolbox, read_calls

Talk = list[Message]
MAKERS: dict[str, Callable[[random.Random], Talk]] = {
    "own": make_own_tool_talk,
    "device": make_device_talk,
    "follow-up": make_follow_up_talk,
}
SIGNATURE = re.compile(r"^([\w.-]+)\((.*)\)$", re.MULTILINE)


@pytest.fixture(scope="module")
def talks() -> Mapping[str, list[Talk]]:
    rng = random.Random(5)
    return {name: [make(rng) for _ in range(70)] for name, make in MAKERS.items()}


@pytest.fixture(scope="module")
def probes() -> list[Probe]:
    return [*make_own_tool_probes(60), *make_device_probes(30), *make_follow_up_probes(60)]


def _every(talks: Mapping[str, list[Talk]]) -> Iterator[Talk]:
    for found in talks.values():
        yield from found


def _tools(system: str) -> dict[str, dict[str, list[str]]]:
    """The parameters of each tool of a system prompt, with the values that each allows."""
    found = {}
    for name, inside in SIGNATURE.findall(system.partition("Tools:\n")[2]):
        parts = [part.partition(": ") for part in inside.replace("?", "").split(", ") if part]
        found[name] = {part: values.split("|") if values else [] for part, _, values in parts}
    return found


def _calls(talk: Talk) -> Iterator[tuple[int, Mapping[str, object]]]:
    for at, message in enumerate(talk):
        if message.role == "assistant":
            for call in read_calls(message.content) or []:
                yield at, call


def test_the_same_seed_gives_the_same_conversations() -> None:
    for make in MAKERS.values():
        assert make(random.Random(2)) == make(random.Random(2))


def test_there_are_many_functions_and_a_tenth_is_never_trained() -> None:
    functions = all_functions()
    held = [each for each in functions if each.is_held]
    assert len(functions) > 250
    assert len(functions) / 20 < len(held) < len(functions) / 6
    assert any(chain.is_held for chain in all_chains())


def test_every_call_fits_the_list_of_tools(talks: Mapping[str, list[Talk]]) -> None:
    """Its name and its parameters stand in the list, in their order, and so do the values of an enum."""
    seen = 0
    for talk in _every(talks):
        tools = _tools(talk[0].content)
        for _, call in _calls(talk):
            seen += 1
            parameters, arguments = tools[str(call["name"])], call["arguments"]
            assert isinstance(arguments, dict)
            assert list(arguments) == [name for name in parameters if name in arguments]
            assert all(not parameters[name] or str(value) in parameters[name] for name, value in arguments.items())
    assert seen > 600


def test_every_text_of_a_call_was_said_or_found(talks: Mapping[str, list[Talk]]) -> None:
    """Letter by letter: in what the user said, in a result, or in the list of devices."""
    for talk in _every(talks):
        tools = _tools(talk[0].content)
        for at, call in _calls(talk):
            arguments = call["arguments"]
            assert isinstance(arguments, dict)
            before = "\n".join(json.dumps(m.content, ensure_ascii=False) + m.content for m in talk[:at])
            for name, value in arguments.items():
                if isinstance(value, str) and not tools[str(call["name"])][name] and name not in ("unit",):
                    assert value in before or value.lower() in before.lower()


def test_every_number_of_an_answer_stands_in_a_result_or_a_call(talks: Mapping[str, list[Talk]]) -> None:
    for talk in _every(talks):
        for before, message in pairwise(talk):
            if before.role == "tool" and message.role == "assistant" and not read_calls(message.content):
                known = " ".join(each.content for each in talk[: talk.index(message)])
                assert all(number in known for number in re.findall(r"\d+(?:\.\d+)?", message.content))


def test_calls_results_and_words_follow_each_other(talks: Mapping[str, list[Talk]]) -> None:
    for talk in _every(talks):
        for before, message in pairwise(talk):
            calls = len(read_calls(before.content) or []) if before.role == "assistant" else 0
            assert (message.role == "tool") == (calls > 0 or (before.role == "tool" and message.role == "tool"))
        assert re.fullmatch(r"s(u(at+)*a)+", "".join(message.role[0] for message in talk))


def test_no_question_of_the_evaluation_is_trained(probes: list[Probe], talks: Mapping[str, list[Talk]]) -> None:
    asked = frozenset(probe.asked for probe in probes)
    trained = {normal(m.content) for talk in _every(talks) for m in talk if m.role == "user"}
    assert not asked & trained

    talk = talks["own"][0]
    first = next(normal(message.content) for message in talk if message.role == "user")
    again = make_own_tool_talk(random.Random(5), frozenset({first}))
    assert first not in {normal(message.content) for message in again if message.role == "user"}


def test_the_evaluation_asks_for_functions_that_were_never_trained() -> None:
    trained = {name for each in all_functions() if not each.is_held for name in each.names}
    never = {each.names[0] for each in all_functions() if each.is_held} - trained
    called = [call["name"] for probe in make_own_tool_probes(150) for call in probe.calls]
    plain = {re.sub(r"[_-]|(?<=[a-z])(?=[A-Z])", " ", name.rpartition(".")[2]).lower() for name in called}
    assert len(plain & never) > 8


def test_a_question_of_the_evaluation_has_the_tools_that_it_needs(probes: list[Probe]) -> None:
    for probe in probes:
        names = {function["function"]["name"] for function in probe.functions}
        assert {call["name"] for call in probe.calls} <= names
        assert bool(probe.calls) != bool(probe.answer)


def test_copied_words_are_spelled_as_in_the_sentence() -> None:
    """Lower case and lost commas of a speech recogniser included; typing errors stand around them only."""
    rng = random.Random(4)
    for _ in range(300):
        message = Filled("don't wait, I'm late", is_open=True)
        said = say(rng, "tell {to} {text}", {"to": Filled("Zoë O'Brien"), "text": message})
        assert str(said.values["text"]) in said.text
        assert str(said.values["to"]) in said.text
        assert str(said.values["text"]).lower().replace(",", "") == "don't wait i'm late"


def test_results_are_reported_unchanged() -> None:
    assert told({"order": "AX-1138", "status": "shipped"}) == "Order AX-1138 is shipped."
    assert told({"value": 21.5, "unit": "°C"}) == "It is 21.5 °C."
    assert told({"state": "on"}) == "It is on."
    assert told({"heart_rate": 61}) == "The heart rate is 61."
    assert (
        told({"ph": 7.2, "temperature": 24, "oxygen": 80})
        == "The ph is 7.2, the temperature is 24 and the oxygen is 80."
    )
    assert sorry("no paper") == "I'm sorry, that did not work: no paper."


def test_what_is_missing_is_asked_by_the_name_of_the_parameter() -> None:
    assert question_about("recipient") == "Who do you mean?"
    assert question_about("startTime") == "When?"
    assert question_about("file_name") == "Which file name?"
    assert question_about("size", ("small", "large")) == "Which size: small or large?"


def _lamps() -> tuple[Place, Entity, Entity]:
    rng = random.Random(1)
    lamps = [Entity(f"{room} lamp", "light", "lamp", room, place=room) for room in ("study", "hall")]
    boxes = iter(lambda: draw_toolbox(rng, "train", {"light"}), None)
    box = next(box for box in boxes if {"turn_on", "brightness"} <= set(box.tools))
    return Place(rng, "train", House(tuple(lamps)), box), lamps[0], lamps[1]


def test_the_other_one_is_the_other_one() -> None:
    place, study, hall = _lamps()
    for _ in range(50):
        turn = other_one(place, Step("turn_on", (study,)))
        assert turn is not None
        assert turn.step.devices in ((hall,), (study, hall))
        assert turn.kind == "both of two" or turn.step.devices == (hall,)


def test_undone_is_the_opposite_or_the_value_before() -> None:
    place, study, _ = _lamps()
    back = undone(place, Step("turn_on", (study,)))
    dimmed = undone(place, Step("brightness", (study,), {"percent": 80}, {"percent": 30}))
    assert back is not None and back.step.meaning == "turn_off"
    assert dimmed is not None and dimmed.step.values == {"percent": 30}


def test_a_bit_more_is_ten_more() -> None:
    place, study, _ = _lamps()
    turns = [turn for _ in range(80) if (turn := bit_more(place, Step("brightness", (study,), {"percent": 40})))]
    assert {turn.step.values["percent"] for turn in turns if turn.kind.startswith(("more", "less"))} == {30, 50}


def test_a_question_back_offers_devices_of_the_house() -> None:
    rng = random.Random(3)
    seen = 0
    while seen < 20:
        place = draw_related_place(rng, "train")
        turn = draw_base(place)
        if turn.kind == "which one":
            seen += 1
            assert len(turn.step.offered) > 1
            assert all(each.name in turn.answer for each in turn.step.offered)
