"""Covers unitd.core.home.tools_file."""

import time
import tomllib

import pytest

from unitd.core.home.devices import Area, Entity
from unitd.core.home.home import Home
from unitd.core.home.tools_file import read_home
from unitd.wire.errors import ConfigError

LAMP = '[[entity]]\nname = "lamp"\nkind = "light"\n'
PERCENT = '[[tool]]\nname = "t"\ntopic = "a"\n[tool.parameters.percent]\n'


def home_of(text: str) -> Home:
    """Return the home of the text of a tools.toml."""
    return read_home(tomllib.loads(text))


def test_a_device_is_three_lines() -> None:
    """With its protocol it has the usual tools; a name that is also an area is no trouble."""
    home = home_of("""
protocol = "zigbee2mqtt"
confirm = ["unlock"]

[[entity]]
name = "kitchen"
kind = "light"
area = "kitchen"

[[entity]]
name = "front door"
kind = "lock"
id = "front_door_lock"
""")

    assert [each["name"] for each in home.listing()] == [
        "turn_on", "turn_off", "set_brightness", "set_color", "get_state", "lock", "unlock",
    ]  # fmt: skip
    assert home.confirm == ("unlock",)
    assert [each["name"] for each in home.as_data()["areas"]] == ["kitchen"]


def test_areas_floors_and_classes_come_from_the_file() -> None:
    """An area may be described where no device is; aliases without words are none."""
    home = home_of(
        LAMP.replace("light", "cover") + 'floor = "cellar"\ndevice_class = "blind"\naliases = ["", " ", "shade"]\n'
        '[[area]]\nname = "attic"\nfloor = "upstairs"\naliases = ["loft"]'
    )

    assert home.entities[0] == Entity("lamp", "cover", "", ("shade",), "lamp", "cellar", "blind")
    assert home.areas == (Area("attic", "upstairs", ("loft",)),)


@pytest.mark.parametrize(
    "name", ["{name} lamp", "[x", "(a|b)", 'a "quoted" \\ lamp', "厨房灯", "Кухня", "🙂", "it's <b>"]
)
def test_a_name_may_have_any_characters(name: str) -> None:
    """They are no template, neither for unitd nor for what understands sentences."""
    home = read_home({"entity": [{"name": name, "kind": "light", "protocol": "tasmota", "area": name}]})

    data = home.as_data()

    assert data["entities"][0]["name"] == data["areas"][0]["name"] == name
    assert home.entity(name) == home.entities[0]


def test_five_thousand_devices_are_read_in_less_than_a_second() -> None:
    """And made into data; the time is that of this process alone."""
    rows = [{"name": f"lamp {at}", "kind": "light", "area": f"room {at // 10}"} for at in range(5_000)]
    begin = time.process_time()

    data = read_home({"protocol": "zigbee2mqtt", "entity": rows}).as_data()

    assert time.process_time() - begin < 1
    assert (len(data["entities"]), len(data["areas"])) == (5_000, 500)


# Mistakes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[gadget]]\nname = "x"', "unknown table [[gadget]]"),
        ("[entity]\nname = 'x'", "entity must be tables: [[entity]]"),
        ('[[entity]]\nkind = "light"', "entity 1: name is missing"),
        ('[[entity]]\nname = "x"\nkind = "toaster"', "entity 'x': kind is 'toaster', it must be one of light, switch"),
        ('[[entity]]\nname = "x"\nkind = "light"\nalias = ["y"]', "entity 'x': unknown key alias"),
        ('[[entity]]\nname = "x"\nkind = "light"\naliases = "y"', "entity 'x': aliases must be a list of texts"),
        ('[[tool]]\nname = "t"', "tool 't' must have one of topic, service, state and state_of"),
        ('[[tool]]\nname = "t"\ntopic = "a"\nservice = "b.c"', "tool 't' must have one of topic, service, state and"),
        ('[[tool]]\nname = "t"\nstate = "a"\nstate_of = "b.c"', "tool 't' must have one of topic, service, state and"),
        ('[[tool]]\nname = "t"\nstate_of = "garden"', "state_of is 'garden', it must look like sensor.garden or be a"),
        (
            '[[tool]]\nname = "t"\nstate_of = "sensor.Garden door"',
            "state_of is 'sensor.Garden door', it must look like",
        ),
        ('[[tool]]\nname = "t"\nstate_of = true', "tool 't': state_of must be a text"),
        ('[[tool]]\nname = "t"\nservice = "turn_on"', "service is 'turn_on', it must look like light.turn_on"),
        ('[[tool]]\nname = "t"\ntopic = "a"\nkinds = ["lights"]', "tool 't': there is no kind 'lights'"),
        ('[[tool]]\nname = "t"\ntopic = "a"\n[[tool]]\nname = "t"\ntopic = "b"', "tool 't' is there twice"),
        (f'[[tool]]\nname = "{"t" * 65}"\ntopic = "a"', "name must be 1 to 64 characters"),
        (PERCENT + 'type = "int"', "tool 't': percent: type is 'int', it must be one of string, integer, number"),
        (PERCENT + 'type = ["integer", "null"]', "percent: type is ['integer', 'null'], it must be one of"),
        (PERCENT + 'minimum = "1"', "percent: minimum is '1', it must be a number"),
        (PERCENT + "maximum = [9]", "percent: maximum is [9], it must be a number"),
        (PERCENT + "enum = 5", "percent: enum is 5, it must be a list"),
        ('confrim = ["unlock"]', "unknown key confrim"),
        ('confirm = "unlock"', "confirm must be a list of texts"),
        ('confirm = ["unlock", "unlok"]', "confirm: there is no tool 'unlok'"),
        ("protocol = 5", "protocol must be a text"),
        ('protocol = "zigbee"', "protocol is 'zigbee', it must be one of zigbee2mqtt, homeassistant-mqtt, tasmota"),
        (LAMP + 'protocol = "mqtt"', "entity 'lamp': protocol is 'mqtt', it must be one of"),
        (LAMP + 'protocol = "tasmota"\nid = "lamp #1"', "entity 'lamp': id is 'lamp #1', a part of a topic has no"),
        (
            '[[entity]]\nname = "movie"\nkind = "scene"\nprotocol = "zigbee2mqtt"',
            "entity 'movie': id is 'movie', a scene's must look like living_room/3",
        ),
        (LAMP + LAMP, "entity 'lamp' is there twice"),
        (LAMP + LAMP.replace("lamp", "LAMP"), "entity 'LAMP' is there twice"),
        ('[[entity]]\nname = ""\nkind = "light"', "entity '': name is missing"),
        ('[[entity]]\nname = " \t"\nkind = "light"', "name is missing"),
        ('[[area]]\nname = "hall"\n[[area]]\nname = "Hall"', "area 'Hall' is there twice"),
        ('[[area]]\nfloor = "up"', "area 1: name is missing"),
        ('[[area]]\nname = "hall"\nlevel = 1', "area 'hall': unknown key level"),
        (
            LAMP + 'area = "hall"\nfloor = "up"\n[[area]]\nname = "Hall"\nfloor = "down"',
            "entity 'lamp': floor is 'up', but its area 'hall' is on 'down'",
        ),
    ],
)
def test_what_is_wrong_in_the_file_is_said(text: str, words: str) -> None:
    """With the table and the key."""
    with pytest.raises(ConfigError) as refusal:
        home_of(text)

    assert words in refusal.value.reason


def test_all_that_is_wrong_is_said_at_once() -> None:
    """A line each."""
    with pytest.raises(ConfigError) as refusal:
        home_of('[[entity]]\nname = "x"\nkind = "toaster"\n[[tool]]\nname = "t"')

    assert len(refusal.value.reason.splitlines()) == 2
