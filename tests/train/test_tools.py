"""Conversations with tools: what the evaluation asks is never trained, and every call fits the list it stands under."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import jinja2
import pytest

from train.chatml import CHAT_TEMPLATE, render_prompt, result_text, tools_text
from train.corpus.base import Message, normal
from train.corpus.honest import says_no
from train.corpus.mix import pool
from train.corpus.tools.follow import follow_up
from train.corpus.tools.house import Entity, House, draw_house, is_of
from train.corpus.tools.missing import impossible, unknown
from train.corpus.tools.requests import HOW_MUCH, Asked, Place
from train.corpus.tools.talk import Probe, draw_place, make_tool_probes, make_tool_talk
from train.corpus.tools.toolbox import call_text, draw_toolbox, read_calls
from train.corpus.tools.words import FORMS, held_forms

DEVICE = re.compile(r'- (?P<said>.+); (?P<kind>\w+)(?: in (?P<area>[^:,]+))?(?:, (?P<floor>[^:]+))?: "(?P<name>.+)"')


@pytest.fixture(scope="module")
def talks() -> list[list[Message]]:
    rng = random.Random(3)
    return [make_tool_talk(rng) for _ in range(1500)]


@pytest.fixture(scope="module")
def probes() -> list[Probe]:
    return make_tool_probes()


def _rendered(messages: Sequence[Mapping[str, object]], **variables: object) -> str:
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string(CHAT_TEMPLATE).render(messages=messages, **variables)


def _devices(system: str) -> list[re.Match[str]]:
    """The lines of the device list of a system prompt."""
    listed = system.partition("Tools:")[0].partition("Devices:\n")[2]
    return [found for line in listed.split("\n") if (found := DEVICE.fullmatch(line))]


def test_same_seed_gives_the_same_mixture() -> None:
    first, second = (list(pool(3, 0, 50)) for _ in range(2))
    assert first == second
    assert any("Tools:" in talk[0].content for talk in first)
    assert any("Tools:" not in talk[0].content for talk in first)
    assert any(talk[0].role == "text" for talk in pool(3, 0, 400))


@pytest.mark.parametrize("seed", [5, 7])
def test_no_question_of_the_evaluation_is_trained(probes: list[Probe], seed: int) -> None:
    asked = {probe.asked for probe in probes}
    trained = {normal(m.content) for talk in pool(seed, 0, 3000) for m in talk if m.role == "user"}
    assert not asked & trained


def test_no_name_and_no_area_of_the_evaluation_is_trained(probes: list[Probe], talks: list[list[Message]]) -> None:
    """Names, areas and other names each belong to training or to the evaluation."""

    def listed(prompts: list[str]) -> set[tuple[str, str]]:
        lines = [line for prompt in prompts for line in _devices(prompt)]
        names = {("entity", normal(said)) for line in lines for said in line["said"].split(", ")}
        return names | {("area", normal(line["area"])) for line in lines if line["area"]}

    trained = listed([talk[0].content for talk in talks])
    asked = listed([probe.messages[0].content for probe in probes])

    assert len(trained) > 5000 and len(asked) > 1000
    assert not trained & asked
    assert all(is_of("train", kind, name) for kind, name in trained)


def test_a_request_of_the_evaluation_is_phrased_as_none_in_training() -> None:
    """Every meaning has phrasings that are kept out, made of words that training knows."""
    for meaning, forms in FORMS.items():
        assert held_forms(meaning), meaning
        assert not set(held_forms(meaning)) & set(forms.train)


def test_every_call_names_a_tool_and_a_device_of_its_list(talks: list[list[Message]]) -> None:
    seen = 0
    for talk in talks:
        system = talk[0].content
        tools = dict(re.findall(r"(\w+)\((.*)\)", system.partition("Tools:")[2]))
        names = {line["name"] for line in _devices(system)}
        for call in [call for m in talk if m.role == "assistant" for call in read_calls(m.content) or []]:
            seen += 1
            assert [part.partition(":")[0] for part in tools[call["name"]].split(", ") if part] == list(
                call["arguments"]
            )
            assert {call["arguments"].get(key) for key in ("entity", "device", "name")} <= {None, *names}
    assert seen > 3000


def test_calls_results_and_words_follow_each_other(talks: list[list[Message]]) -> None:
    for talk in talks:
        for before, message in pairwise(talk):
            calls = len(read_calls(before.content) or []) if before.role == "assistant" else 0
            assert (message.role == "tool") == (calls > 0 or (before.role == "tool" and message.role == "tool"))
        roles = "".join(message.role[0] for message in talk[1:])
        assert re.fullmatch(r"(u(at+)*a)+", roles)


def test_what_is_not_there_is_refused() -> None:
    """Whatever is called a missing device is the name of none in the house, and what has no tool gets no call."""
    rng = random.Random(8)
    refused = 0
    while refused < 300:
        place = draw_place(rng, "train")
        asked = rng.choice((unknown, impossible))(place)
        if asked:
            refused += 1
            named = re.fullmatch("I'm sorry, I can't find (?:the )?(.+?)(?: scene)?\\.", asked.answer)
            assert asked.calls == ()
            assert says_no(asked.answer), asked.answer
            assert not named or not place.house.called(named[1])


def test_a_number_alone_is_enough_once_it_was_asked_for() -> None:
    """Warmer? To how many degrees? And then the number, for the only heater of the house."""
    rng = random.Random(9)
    heater = Entity("Tall Boy", "climate", "heater", "study", place="study")
    boxes = iter(lambda: draw_toolbox(rng, "train", {"climate"}), None)
    place = Place(rng, "train", House((heater,)), next(box for box in boxes if "temperature" in box.tools))

    before = Asked(HOW_MUCH, "warmer", (), (), "To how many degrees?", "temperature", heater)
    then = [asked for _ in range(50) if (asked := follow_up(place, before))]

    assert len(then) == 50
    for asked in then:
        (call,) = asked.calls
        assert "Tall Boy" in call["arguments"].values()
        assert asked.answer in [f"It is set to {value} degrees." for value in call["arguments"].values()]


def test_houses_hold_different_names() -> None:
    rng = random.Random(6)
    for _ in range(300):
        entities = draw_house(rng, "train").entities
        names = [normal(name) for entity in entities for name in (entity.name, *entity.aliases)]
        assert len(names) == len(set(names))


def test_the_template_writes_tools_as_they_are_trained() -> None:
    """Of many toolboxes, with a system prompt and without one."""
    rng = random.Random(1)
    for _ in range(50):
        functions = draw_toolbox(rng, "train", {"light", "cover", "media"}).functions()
        user, system = {"role": "user", "content": "hi"}, {"role": "system", "content": "Be brief."}

        alone = _rendered([user], tools=functions, add_generation_prompt=True)
        behind = _rendered([system, user], tools=functions, add_generation_prompt=True)

        listed = tools_text(functions)
        assert alone == render_prompt([Message("system", listed), Message("user", "hi")])
        assert behind == render_prompt([Message("system", f"Be brief.\n\n{listed}"), Message("user", "hi")])


def test_the_template_writes_calls_and_results_as_they_are_trained() -> None:
    arguments = {"entity": 'Zoë\'s "lamp"', "percent": 40}
    calls = [{"type": "function", "function": {"name": "dim", "arguments": arguments}}] * 2
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "dim it"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "done"},
        {"role": "tool", "content": "ok"},
    ]

    trained = [
        Message("user", "dim it"),
        Message("assistant", call_text(*[{"name": "dim", "arguments": arguments}] * 2)),
        Message("tool", result_text("done")),
        Message("tool", result_text("ok")),
    ]
    assert _rendered(messages, add_generation_prompt=True) == render_prompt(trained)


@pytest.mark.parametrize("variables", [{}, {"tools": None}, {"tools": []}])
def test_without_tools_the_template_writes_the_plain_frame(variables: dict[str, object]) -> None:
    talk = [
        Message("system", "Be brief."),
        Message("user", " a\n\nb {{ c }} "),
        Message("assistant", ""),
        Message("user", "ü"),
    ]
    messages: list[dict[str, object]] = [{"role": message.role, "content": message.content} for message in talk]

    assert _rendered(messages, add_generation_prompt=True, **variables) == render_prompt(talk)


def test_a_broken_call_is_no_call() -> None:
    assert read_calls("Hello.") == []
    assert read_calls('<tool_call>{"name": "a", "arguments": {}}</tool_call>') == [{"name": "a", "arguments": {}}]
    assert read_calls("<tool_call>{name}</tool_call>") is None
