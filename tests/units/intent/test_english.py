"""Covers units/intent/sentences/en.yaml and units.intent.extra_names: how different people say the same thing."""

from typing import Any

import pytest

from tests.support.home.houses import areas, core_house
from tests.support.units.intent_home import Inhabitant, device, home, state

ROOM_LIGHTS = {"kitchen": ["kitchen light", "island light"], "office": ["office light", "desk lamp"]}


@pytest.fixture(scope="module")
def somebody() -> Inhabitant:
    """Who lives in the core house of the sentence check."""
    floors: list[dict[str, Any]] = [
        {"name": name, "aliases": []} for name in ("upstairs", "downstairs", "basement", "outside")
    ]
    devices = [{**each, "id": each["name"]} for each in core_house()]
    somebody = Inhabitant(home(devices, areas=areas(), floors=floors))
    somebody.states = {each["name"]: state("on", brightness=50, volume=40, temperature=20) for each in devices}
    return somebody


def doing(somebody: Inhabitant, text: str, room: str = "") -> list[tuple[Any, ...]]:
    """Return what is done at last: the calls without those that read a state before."""
    return [call for call in somebody.say(text, area=room)[0] if call[0] != "get_state"]


def asked(somebody: Inhabitant, text: str, room: str = "") -> list[str]:
    """Return the devices whose state is read; that nothing else is done is asserted here."""
    calls, _ = somebody.say(text, area=room)
    assert {call[0] for call in calls} == {"get_state"}, text
    return [call[1] for call in calls]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("turn off desklamp", ("turn_off", "desk lamp")),
        ("turn desk light on", ("turn_on", "desk lamp")),
        ("switch off the light at the mirror", ("turn_off", "mirror light")),
        ("living-room light off", ("turn_off", "living room light")),
        ("turn off the light in the bedroom", ("turn_off", "bedroom light")),
        ("light kitchen on", ("turn_on", "kitchen light")),
        ("turn on the light in the study", ("turn_on", "office light")),
        ("turn of the kettle", ("turn_off", "kettle")),
        ("kettle needs to be on", ("turn_on", "kettle")),
        ("set the coffee machine to off", ("turn_off", "coffee machine")),
        ("ensure the bathroom fan is off", ("turn_off", "bathroom fan")),
        ("see to it that the kitchen blinds are closed", ("close_cover", "kitchen blinds")),
        ("the cellar door should be locked", ("lock", "cellar door")),
        ("engage the front door lock", ("lock", "front door")),
        ("disengage the lock of the back door", ("unlock", "back door")),
        ("put the night light on in the kids room", ("turn_on", "night light")),
        ("hello, could you please turn the fountain off", ("turn_off", "fountain")),
        ("turn the lights on party mode", ("activate_scene", "party")),
        ("bathroom heater 23", ("set_temperature", "bathroom heater", 23)),
        ("make the desk lamp glow blue", ("set_color", "desk lamp", "blue")),
        ("change the desk lamp from red to green", ("set_color", "desk lamp", "green")),
        ("set kitchen light to its highest level", ("set_brightness", "kitchen light", 100)),
        ("mute the kitchen radio", ("set_volume", "kitchen radio", 0)),
        ("louder on the kitchen radio", ("set_volume", "kitchen radio", 50)),
        ("turn the kitchen radio to level 5", ("set_volume", "kitchen radio", 5)),
        ("could I have the kettle on?", ("turn_on", "kettle")),
        ("would it be possible to have the kettle off?", ("turn_off", "kettle")),
    ],
)
def test_one_device(somebody: Inhabitant, text: str, call: tuple[Any, ...]) -> None:
    """By other words for it, run together, with polite words around it."""
    assert doing(somebody, text) == [call]


@pytest.mark.parametrize(
    ("text", "room", "calls"),
    [
        ("turn the lamp off", "office", [("turn_off", "desk lamp")]),
        ("shut down the lights", "kitchen", [("turn_off", name) for name in ROOM_LIGHTS["kitchen"]]),
        ("room lights off", "kitchen", [("turn_off", name) for name in ROOM_LIGHTS["kitchen"]]),
        ("off lights", "office", [("turn_off", name) for name in ROOM_LIGHTS["office"]]),
        ("it's dark in here", "office", [("set_brightness", name, 70) for name in ROOM_LIGHTS["office"]]),
        ("I can't see, turn up the lights", "office", [("set_brightness", name, 70) for name in ROOM_LIGHTS["office"]]),
        ("it's too bright, dim the lights", "office", [("set_brightness", name, 30) for name in ROOM_LIGHTS["office"]]),
        ("turn the lights higher", "office", [("set_brightness", name, 70) for name in ROOM_LIGHTS["office"]]),
        ("lights to level 20", "office", [("set_brightness", name, 20) for name in ROOM_LIGHTS["office"]]),
        ("I'm cold", "office", [("set_temperature", "office heater", 21)]),
        ("up two degrees", "office", [("set_temperature", "office heater", 22)]),
        ("heating down a degree", "office", [("set_temperature", "office heater", 19)]),
        ("turn down the volume", "kitchen", [("set_volume", "kitchen radio", 30)]),
        ("lower the volume 15%", "kitchen", [("set_volume", "kitchen radio", 25)]),
        ("lower the volume to 15%", "kitchen", [("set_volume", "kitchen radio", 15)]),
        ("turn the sound off", "kitchen", [("set_volume", "kitchen radio", 0)]),
        ("volume down two", "kitchen", [("set_volume", "kitchen radio", 38)]),
        ("blinds to 40", "office", [("set_position", "office blinds", 40)]),
        ("close the awning", "kitchen", [("close_cover", "patio awning")]),
        ("lock the door", "kitchen", [("lock", "back door")]),
    ],
)
def test_the_room_of_the_board(somebody: Inhabitant, text: str, room: str, calls: list[tuple[Any, ...]]) -> None:
    """What is in it; and what the house has but one of."""
    assert doing(somebody, text, room) == calls


@pytest.mark.parametrize(
    ("text", "kind", "floor"),
    [
        ("switch all the fans on", "fan", None),
        ("house lights off", "light", None),
        ("turn of all lights", "light", None),
        ("dim the lights in the house", "light", None),
        ("outdoor lights on", "light", "outside"),
        ("turn off the lights of the ground floor", "light", "downstairs"),
        ("turn the heating off on the first floor", "climate", "upstairs"),
    ],
)
def test_the_house_and_its_floors(somebody: Inhabitant, text: str, kind: str, floor: str | None) -> None:
    """Also by other words for a floor, also said in a room."""
    wanted = {each["name"] for each in core_house() if each["kind"] == kind and floor in (None, each["floor"])}

    assert {call[1] for call in doing(somebody, text, "kitchen")} == wanted


def test_three_rooms_and_all_but_two(somebody: Inhabitant) -> None:
    """With commas or without."""
    lights = {each["name"]: each["area"] for each in core_house() if each["kind"] == "light"}
    rooms = ("kitchen", "office", "bedroom")
    of_rooms = {name for name, area in lights.items() if area in rooms}

    assert {call[1] for call in doing(somebody, "lights off in the kitchen, the office and the bedroom")} == of_rooms
    assert {call[1] for call in doing(somebody, "kitchen office and bedroom lights off")} == of_rooms
    but_two = doing(somebody, "turn off all lights except in the kitchen and the office")
    assert {call[1] for call in but_two} == {name for name, area in lights.items() if area not in rooms[:2]}


def test_a_kind_may_be_excepted(somebody: Inhabitant) -> None:
    """By its domain or by its class."""
    without_tv = {call[1] for call in doing(somebody, "turn off everything except the tv")}
    without_lights = {call[1] for call in doing(somebody, "turn everything off but the lights")}

    assert "kitchen radio" in without_tv
    assert not {"living room tv", "bedroom tv"} & without_tv
    assert not {each["name"] for each in core_house() if each["kind"] == "light"} & without_lights


@pytest.mark.parametrize(
    ("text", "devices"),
    [
        ("was the front door left open", ["front door"]),
        ("has the dishwasher been left on", ["dishwasher"]),
        ("is the bathroom fan spinning", ["bathroom fan"]),
        ("what's the latest on the office blinds", ["office blinds"]),
        ("garage door update", ["garage door"]),
        ("how's the kettle doing", ["kettle"]),
        ("kitchen light on?", ["kitchen light"]),
        ("garage door closed?", ["garage door"]),
        ("light on in the garage?", ["garage light"]),
        ("what's playing in the kitchen", ["kitchen radio"]),
        ("what is the heating set to in the office", ["office heater"]),
        ("did anyone move in the hallway", ["hallway motion sensor"]),
        ("is anybody home", ["hallway motion sensor", "garage motion sensor"]),
        ("temperature in the cellar", ["cellar temperature"]),
        ("is the awning out", ["patio awning"]),
        ("is a window open upstairs", ["bathroom window", "kids room window"]),
    ],
)
def test_questions(somebody: Inhabitant, text: str, devices: list[str]) -> None:
    """Only what they ask for is read."""
    assert asked(somebody, text) == devices


@pytest.mark.parametrize(
    ("text", "room"),
    [
        ("turn on the front door", ""),
        ("turn off the socket", "kitchen"),
        ("unlock the door", "office"),
        ("lock the door", "office"),
        ("turn on kitchen lamp 2", "kitchen"),
        ("switch on", "kitchen"),
        ("I turned the kettle off", ""),
        ("the kitchen light was on all night", ""),
        ("why is the kitchen light on", ""),
        ("should I turn off the heating", "office"),
        ("how do I turn on the tv", "living room"),
        ("I forgot to turn off the light", "kitchen"),
        ("don't open the garage", ""),
        ("never turn off the dishwasher", ""),
        ("it's cold today", "kitchen"),
        ("do you like this song", "kitchen"),
        ("I can't hear the doorbell", "kitchen"),
    ],
)
def test_nothing_is_done(somebody: Inhabitant, text: str, room: str) -> None:
    """Of what is unclear, of what is impossible, and of what only tells."""
    assert "calls" not in somebody.recognize(text, area=room)


def test_a_further_name_stays_with_the_device_that_has_it() -> None:
    """The bedside lamp is called bedroom lamp, so the bedroom light is not."""
    devices = [device("bedroom light", "light", "bedroom"), device("bedside lamp", "light", "bedroom", "bedroom lamp")]
    somebody = Inhabitant(home([*devices, device("hall light", "light", "hall"), device("hall fan", "fan", "hall")]))

    assert somebody.calls("turn on the bedroom lamp") == [("turn_on", "bedside lamp")]
    assert somebody.calls("turn on the hall lamp") == [("turn_on", "hall light")]
    assert somebody.calls("turn on the hall ventilator") == [("turn_on", "hall fan")]


def test_later_in_words(somebody: Inhabitant) -> None:
    """An hour and half of one."""
    assert somebody.recognize("turn off the kettle in an hour")["after_seconds"] == 3600
    assert somebody.recognize("turn off the kettle in half an hour")["after_seconds"] == 1800
