"""Covers devices, taught: tools of other people in the form that the bundled model was taught, and its calls."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.units.client_tools import KEPT, TOOLBOXES, TUNED, Sentence
from tests.support.units.tool_asker import Asker
from units.llm.devices import Devices, devices_of
from units.llm.taught import MOST_CHARACTERS
from units.llm.tools import ToolCall, read_tools

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def asker() -> Iterator[Asker]:
    """The bundled model."""
    asker = Asker()
    yield asker
    asker.close()


def tools_of(*functions: dict[str, Any]) -> Any:
    """As a client lists them."""
    return read_tools([{"type": "function", "function": each} for each in functions])


def devices(*functions: dict[str, Any]) -> Devices:
    """Tools that name things."""
    found = devices_of(tools_of(*functions))
    assert found is not None
    return found


def function(name: str, **parameters: Any) -> dict[str, Any]:
    """A function all of whose parameters are required."""
    return {"name": name, "parameters": {"type": "object", "properties": parameters, "required": list(parameters)}}


def one_of(*values: str) -> dict[str, Any]:
    """A text among these."""
    return {"type": "string", "enum": list(values)}


ON = {"type": "boolean"}
SET_LIGHT = function("set_light", room=one_of("kitchen", "Bed_Room"), on=ON)


# What the model reads


def test_what_can_be_named_is_listed() -> None:
    """Each room has its light; the parameter that switches has two states."""
    light = devices(SET_LIGHT)

    assert light.listing.splitlines() == [
        "Devices:",
        '- kitchen light, kitchen; light in kitchen: "kitchen light"',
        '- bed room light, bed room; light in bed room: "bed room light"',
    ]
    assert light.tools.functions[0]["parameters"] == {
        "type": "object",
        "properties": {"entity": one_of("kitchen light", "bed room light"), "state": one_of("on", "off")},
        "required": ["entity", "state"],
    }


@pytest.mark.parametrize(
    ("listed", "lines"),
    [
        (
            function("toggle", device=one_of("lamp", "coffee_machine"), state=one_of("ON", "OFF")),
            ['- lamp; light: "lamp"', '- coffee machine; switch: "coffee machine"'],
        ),
        (function("setLamp", lamp=one_of("desk"), enabled=ON), ['- desk lamp; light: "desk lamp"']),
        (function("set_blinds", window=one_of("left")), ['- left blinds; cover: "left blinds"']),
        (function("lock", door=one_of("front door")), ['- front door; lock: "front door"']),
    ],
)
def test_a_device_is_called_what_people_call_it(listed: dict[str, Any], lines: list[str]) -> None:
    """By the value itself where that names a thing, else with the noun of the tool."""
    assert devices(listed).listing.splitlines()[1:] == lines


def test_two_tools_for_the_same_thing_share_its_line() -> None:
    """One sets it, one reads it."""
    rooms = one_of("office", "hall")
    both = devices(
        function("set_thermostat", room=rooms, value={"type": "number"}), function("get_temperature", room=rooms)
    )

    assert len(both.listing.splitlines()) == 3


@pytest.mark.parametrize(
    "listed",
    [
        function("get_weather", city={"type": "string"}),
        function("set_timer", amount={"type": "integer"}, unit=one_of("minutes", "hours")),
        function("power", state=one_of("on", "off")),
        function("play", genre={"enum": ["jazz", 7]}),
        function("pick", room=one_of(*(f"room {number}" for number in range(31)))),
        {"name": "now"},
        {"name": "odd", "parameters": {"properties": [1]}},
    ],
    ids=lambda each: str(each["name"]),
)
def test_tools_that_name_nothing_stay_as_they_are(listed: dict[str, Any]) -> None:
    """Free texts, numbers, units, states; and more things than the model can tell apart."""
    assert devices_of(tools_of(listed)) is None


# What its calls mean


@pytest.mark.parametrize(
    ("schema", "said", "meant"),
    [
        (ON, "on", True),
        (ON, "off", False),
        (one_of("OFF", "ON"), "on", "ON"),
        (one_of("enable", "disable"), "off", "disable"),
        (one_of("open", "close"), "closed", "close"),
        ({"type": "integer", "enum": [0, 1]}, "on", 1),
    ],
)
def test_a_state_is_said_as_the_client_says_it(schema: dict[str, Any], said: str, meant: Any) -> None:
    """There and back."""
    light = devices(function("set_light", room=one_of("kitchen"), power=schema))
    of_model = ToolCall("1", "set_light", {"entity": "kitchen light", "state": said})
    of_client = ToolCall("1", "set_light", {"room": "kitchen", "power": meant})

    assert light.meant(of_model) == of_client
    assert light.shown(of_client) == of_model
    assert type(light.meant(of_model).arguments["power"]) is type(meant)


@pytest.mark.parametrize(
    ("name", "locked"), [("locked", True), ("closed", False), ("is_open", True), ("off", False), ("power", True)]
)
def test_the_name_of_a_switch_says_what_true_means(name: str, locked: bool) -> None:
    """`closed: true` is no opening."""
    light = devices(function("set_it", device=one_of("gate"), **{name: ON}))
    first = light.tools.functions[0]["parameters"]["properties"]["state"]["enum"][0]

    assert light.meant(ToolCall("", "set_it", {"entity": "gate", "state": first})).arguments[name] is locked


# What a user's words decide


@pytest.mark.parametrize(
    ("text", "rooms"),
    [
        ("turn on the kitchen light", ["kitchen light"]),
        ("Bed room lights off", ["bed room light"]),
        ("kitchen and bed room on", ["kitchen light", "bed room light"]),
        ("all lights on, the kitchen too", ["kitchen light", "bed room light"]),
        ("it is dark", ["kitchen light", "bed room light"]),
    ],
)
def test_calls_are_for_what_is_named(text: str, rooms: list[str]) -> None:
    """Nobody's other light is switched; without a name each may be meant."""
    narrowed = devices(SET_LIGHT).narrowed(text).functions[0]

    assert narrowed["parameters"]["properties"]["entity"]["enum"] == rooms


@pytest.mark.parametrize(
    ("text", "misses"),
    [
        ("turn on the garage light", True),
        ("switch on the light in the hall", True),
        ("turn on the kitchen light", False),
        ("turn on the light", False),
        ("all lights off", False),
        ("it is dark", False),
        ("", False),
    ],
)
def test_a_thing_that_is_not_there_is_noticed(text: str, misses: bool) -> None:
    """By the word before its noun, or by its place."""
    assert devices(SET_LIGHT).misses(text) is misses


# With the model


def answered(asker: Asker, sentence: Sentence) -> bool:
    """Whether the calls are those that are due."""
    calls = asker.ask(
        "",
        tools=TOOLBOXES[sentence.toolbox],
        messages=[{"role": "user", "content": sentence.text}],
        temperature=0,
    )
    return tuple((call["name"], call["arguments"]) for call in calls) == sentence.calls


@pytest.mark.parametrize(("sentences", "wanted"), [(TUNED, 20), (KEPT, 16)], ids=["tuned", "kept"])
def test_sentences_for_other_people_s_tools_are_called(
    asker: Asker, sentences: tuple[Sentence, ...], wanted: int
) -> None:
    """Measured: 21 of 21 that were tuned, 16 of 17 that were kept away; without the list of devices 6 and 5."""
    assert sum(answered(asker, each) for each in sentences) >= wanted


def test_required_calls_what_is_meant(asker: Asker) -> None:
    """Also where nobody may answer in words."""
    calls = asker.ask("turn off the bedroom light", tools=TOOLBOXES["set_light"], tool_choice="required")

    assert [call["arguments"] for call in calls] == [{"room": "bedroom", "on": False}]


def test_a_free_text_of_a_required_call_ends(asker: Asker) -> None:
    """A city that the model cannot spell would fill the context."""
    weather = {"type": "function", "function": function("get_weather", city={"type": "string"})}

    [call] = asker.ask(
        "what is the weather in Paris?", tools=[weather], tool_choice="required", parallel_tool_calls=False
    )

    assert 0 < len(call["arguments"]["city"]) <= MOST_CHARACTERS


def test_a_result_is_told_and_the_next_call_is_made(asker: Asker) -> None:
    """The client's own calls come back in its messages, in its words."""
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "set_light", "arguments": '{"room":"kitchen","on":true}'},
    }
    before = [
        {"role": "system", "content": "You are a helpful assistant."},
        {"role": "user", "content": "turn on the kitchen light"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps({"ok": True})},
    ]
    assert asker.ask("", tools=TOOLBOXES["set_light"], messages=before, temperature=0) == []
    said = asker.host.text()
    then = [*before, {"role": "assistant", "content": said}, {"role": "user", "content": "turn off the bedroom light"}]

    calls = asker.ask("", tools=TOOLBOXES["set_light"], messages=then, temperature=0)

    assert said == "It is on."
    assert [call["arguments"] for call in calls] == [{"room": "bedroom", "on": False}]
