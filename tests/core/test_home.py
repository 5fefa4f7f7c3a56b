"""Covers unitd.core.home: home, devices, tools and prompt."""

import tomllib
from typing import Any

import orjson
import pytest

from unitd.core.home.devices import Area, Entity, Floor
from unitd.core.home.home import Home
from unitd.core.home.prompt import with_prompt_text
from unitd.core.home.tools import Tool, misfit
from unitd.core.home.tools_file import read_home

HOUSE = """
[[entity]]
name = "Kitchen light"
kind = "light"
area = "kitchen"
aliases = ["ceiling lamp", "big light"]
id = "light.kitchen_ceiling"

[[entity]]
name = "heater"
kind = "climate"

[[tool]]
name = "turn_on"
description = "Turns something on"
kinds = ["light", "switch"]
topic = "home/{{ entity.id }}/set"

[[tool]]
name = "set_brightness"
kinds = ["light"]
topic = "home/{{ entity.id }}/set"
[tool.parameters.percent]
type = "integer"
minimum = 0
maximum = 100

[[tool]]
name = "lock"
kinds = ["lock"]
service = "lock.lock"

[[tool]]
name = "water_plants"
topic = "garden/water"
"""


def home_of(text: str) -> Home:
    """From the text of a tools.toml."""
    return read_home(tomllib.loads(text))


DEVICES = (
    'Devices:\n- kitchen light, ceiling lamp, big light; light in kitchen: "Kitchen light"\n- heater; climate: "heater"'
)


def test_devices_are_listed_for_the_prompt() -> None:
    """With kind, area and aliases, as the bundled model has learnt them; none is no list."""
    assert home_of(HOUSE).devices() == DEVICES
    assert Home().devices() == Home().devices("hall") == ""


def test_the_list_tells_the_room_of_the_board_and_the_floors() -> None:
    """By the name of the room, whatever it is called; a room that the home does not know is told as it is."""
    lamp, blind = Entity("Lamp", "light", "Hall", id="lamp"), Entity("blind", "cover", id="blind", floor="upstairs")
    home = Home((lamp, blind), areas=(Area("Hall", "Downstairs", ("corridor",)),))

    assert home.devices("Corridor").splitlines() == [
        "Room: hall",
        "Devices:",
        '- lamp; light in hall, downstairs: "Lamp"',
        '- blind; cover, upstairs: "blind"',
    ]
    assert home.devices("cellar").startswith("Room: cellar\nDevices:\n")


@pytest.mark.parametrize("key", ["prompt", "system_prompt"])
def test_a_list_stands_at_the_end_of_the_prompt(key: str) -> None:
    """Under whichever name the setup has one."""
    assert with_prompt_text({key: "Be brief."}, DEVICES)["prompt"] == f"Be brief.\n\n{DEVICES}"


def test_a_prompt_of_its_own_is_not_needed() -> None:
    """Then the list is all of it; without a list the prompt stays."""
    assert with_prompt_text({"prompt": ""}, DEVICES)["prompt"] == DEVICES
    assert with_prompt_text({"prompt": "Be brief."}, "")["prompt"] == "Be brief."


def test_a_conversation_has_the_list_in_its_system_message() -> None:
    """Where a client brings the whole of it; it need not have such a message."""
    question, brief = {"role": "user", "content": "hello"}, {"role": "system", "content": "Be brief."}

    with_prompt, without = ({"messages": each} for each in ([brief, question], [question]))

    system = {"role": "system", "content": f"Be brief.\n\n{DEVICES}"}
    assert with_prompt_text(with_prompt, DEVICES)["messages"] == [system, question]
    assert with_prompt_text(without, DEVICES)["messages"] == [{"role": "system", "content": DEVICES}, question]
    assert with_prompt_text(without, "")["messages"] == [question]


@pytest.mark.parametrize("messages", [[], ["hello"], [{}], [{"role": "system", "content": 5}]])
def test_a_conversation_that_makes_no_sense_is_left_to_the_unit(messages: list[Any]) -> None:
    """It says what is wrong with a message."""
    assert with_prompt_text({"messages": messages}, DEVICES)["messages"][1:] == messages


@pytest.mark.parametrize("asked", ["sensor.garden", "{{ entity.id }}", "sensor.{{ room }}"])
def test_a_state_is_asked_of_an_entity_or_of_what_a_template_names(asked: str) -> None:
    """What a template makes is known only when it is asked."""
    home = home_of(f'[[tool]]\nname = "get_state"\nstate_of = "{asked}"')

    assert home.tools[0].state_of == asked


def test_tools_become_functions() -> None:
    """The devices of its kinds as an enum, its own parameters behind it; a tool without devices is left out."""
    functions = [each["function"] for each in home_of(HOUSE).functions()]

    assert [each["name"] for each in functions] == ["turn_on", "set_brightness", "water_plants"]
    assert functions[1]["parameters"] == {
        "type": "object",
        "properties": {
            "entity": {"type": "string", "enum": ["Kitchen light"]},
            "percent": {"type": "integer", "minimum": 0, "maximum": 100},
        },
        "required": ["entity", "percent"],
    }
    assert functions[2]["parameters"]["properties"] == {}


@pytest.mark.parametrize("name", ["Kitchen light", "kitchen LIGHT", "big light"])
def test_a_device_is_found_by_name_and_alias(name: str) -> None:
    """In any capitalisation."""
    entity = home_of(HOUSE).entity(name)

    assert entity is not None
    assert entity.id == "light.kitchen_ceiling"


def test_an_id_is_made_from_the_name() -> None:
    """For topics, where spaces are a nuisance."""
    home = home_of('[[entity]]\nname = "tall boy"\nkind = "light"')

    assert home.entities[0].id == "tall_boy"


def test_a_name_comes_before_an_alias_and_the_kind_decides() -> None:
    """Two devices may be called the same by somebody."""
    home = home_of(
        '[[entity]]\nname = "tall boy"\nkind = "light"\naliases = ["lamp"]\n[[entity]]\nname = "lamp"\nkind = "light"\n'
        '[[entity]]\nname = "plug"\nkind = "switch"\naliases = ["lamp"]'
    )

    found = [home.entity("lamp"), home.entity("lamp", ("switch",)), home.entity("lamp", ("lock",))]

    assert [each and each.name for each in found] == ["lamp", "plug", None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"percent": 40}, ""),
        ({}, "The percent is missing."),
        *(({"percent": value}, "The big light takes 0 to 100 percent.") for value in (140, "40", True, None, [40])),
    ],
)
def test_arguments_must_fit_the_schema(arguments: dict[str, Any], words: str) -> None:
    """A grammar knows no bounds, and a model on another machine no grammar of ours."""
    tool = home_of(HOUSE).tool("set_brightness")
    assert tool is not None

    assert misfit(tool, arguments, "big light") == words


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "number", "minimum": 5}, "The blinds take 5 degrees or more."),
        ({"type": "number", "maximum": 30.5}, "The blinds take 30.5 degrees or less."),
        ({"type": "number"}, "The blinds take a number for degrees."),
        ({"enum": ["red"]}, "The blinds take red for degrees."),
        ({"enum": ["red", "green", 5]}, "The blinds take red, green or 5 for degrees."),
    ],
)
def test_what_an_argument_may_be_is_said_in_words(schema: dict[str, Any], words: str) -> None:
    """As a person would say it, who hears it."""
    assert misfit(Tool("set", parameters={"degrees": schema}), {"degrees": "warm"}, "blinds") == words


def test_a_tool_without_a_device_says_what_it_takes() -> None:
    """A name with underscores is said in words."""
    tool = Tool("set_color", parameters={"led_color": {"enum": ["red", "green"]}})

    assert misfit(tool, {"led_color": "red"}, "") == ""
    assert misfit(tool, {"led_color": "blue"}, "") == "That takes red or green for led color."


# As data, for the program that understands sentences


def test_a_home_becomes_data() -> None:
    """Devices, areas, the tools that can be used and for which devices; null are all of its kinds."""
    data = home_of(HOUSE).as_data("Kitchen", ["en", "de"])

    assert data["entities"][0] == {
        "name": "Kitchen light", "kind": "light", "area": "kitchen", "floor": "", "device_class": "",
        "aliases": ["ceiling lamp", "big light"], "id": "light.kitchen_ceiling",
    }  # fmt: skip
    assert data["areas"] == [{"name": "kitchen", "floor": "", "aliases": []}]
    assert data["tools"][:2] == [
        {"name": "turn_on", "kinds": ["light", "switch"], "parameters": {}, "entities": None},
        {
            "name": "set_brightness", "kinds": ["light"], "entities": None,
            "parameters": {"percent": {"type": "integer", "minimum": 0, "maximum": 100}},
        },
    ]  # fmt: skip
    assert (data["area"], data["languages"], data["floors"]) == ("kitchen", ["en", "de"], [])
    assert orjson.loads(orjson.dumps(data)) == data


def test_areas_and_floors_that_only_devices_name_exist() -> None:
    """Each once, as it was first written; those that are described keep their aliases, also where no device is."""
    home = Home(
        (
            Entity("lamp", "light", "Hall", floor="Ground floor"),
            Entity("blind", "cover", "hall"),
            Entity("door", "lock", floor="ground FLOOR"),
            Entity("desk lamp", "light", "study"),
        ),
        areas=(Area("Study", "upstairs", ("office",)), Area("attic", "Upstairs")),
    )

    data = home.as_data()

    assert data["areas"] == [
        {"name": "Study", "floor": "upstairs", "aliases": ["office"]},
        {"name": "attic", "floor": "upstairs", "aliases": []},
        {"name": "Hall", "floor": "Ground floor", "aliases": []},
    ]
    assert [home.as_data(area)["area"] for area in ("OFFICE", "hall", "roof")] == ["Study", "Hall", "roof"]
    assert data["floors"] == [{"name": "upstairs", "aliases": []}, {"name": "Ground floor", "aliases": []}]
    assert [(each["area"], each["floor"]) for each in data["entities"]] == [
        ("Hall", "Ground floor"), ("Hall", ""), ("", "Ground floor"), ("Study", ""),
    ]  # fmt: skip


def test_two_devices_of_one_name_are_called_by_their_ids() -> None:
    """Whatever the case; a device is found by either, and a name that two have finds both."""
    desk, other = Entity("desk lamp", "light", id="light.desk"), Entity("Desk lamp", "light", "hall", id="light.desk_2")
    home = Home((desk, other, Entity("tv", "media", id="tv")), (Tool("turn_on", kinds=("light", "media")),))

    assert home.functions()[0]["function"]["parameters"]["properties"]["entity"]["enum"] == [
        "light.desk", "light.desk_2", "tv",
    ]  # fmt: skip
    assert '- desk lamp; light in hall: "light.desk_2"' in home.devices()
    assert home.named("desk lamp") == [desk, other]
    assert (home.entity("light.desk_2"), home.entity("LIGHT.DESK"), home.entity("desk")) == (other, desk, None)


@pytest.mark.parametrize(
    ("own", "found", "is_known"),
    [
        (Entity("lamp", "light", id="light.desk"), Entity("Lamp", "light", id="light.lamp"), True),
        (Entity("lamp", "light", "study", id="a"), Entity("lamp", "light", "Study", id="light.lamp"), True),
        (Entity("lamp", "light", "study", id="a"), Entity("lamp", "light", "hall", id="light.lamp"), False),
        (Entity("lamp", "light", id="a", aliases=("light",)), Entity("light", "light", id="light.lamp"), True),
        (Entity("lamp", "light", id="light.desk"), Entity("desk light", "light", id="light.desk"), True),
        (Entity("lamp", "light", id="a"), Entity("desk lamp", "light", id="light.lamp"), False),
    ],
)
def test_a_device_of_the_file_is_not_there_a_second_time(own: Entity, found: Entity, is_known: bool) -> None:
    """The file may name a device of Home Assistant anew; in another room it is another device."""
    home, left_out = Home((own,)).joined_by(Home((found,)))

    assert home.entities == ((own,) if is_known else (own, found))
    assert left_out == ([found] if is_known else [])


def test_an_area_of_the_file_gets_the_floor_and_the_aliases_that_home_assistant_knows() -> None:
    """The floor if it has none of its own; the aliases in addition to its own, each once."""
    mine = Area("Hall", "", ("lobby",)), Area("attic", "top")
    theirs = Area("hall", "ground", ("entrance", "lobby")), Area("attic", "up")

    home, _ = Home(areas=mine).joined_by(Home(areas=theirs))

    assert home.areas == (Area("Hall", "ground", ("lobby", "entrance")), Area("attic", "top"))


def test_the_aliases_of_floors_are_known() -> None:
    """Whatever the case in which the file writes a floor; one that nothing is on does not exist."""
    mine = Home((Entity("lamp", "light", floor="ground FLOOR"), Entity("bell", "switch", floor="attic")))
    theirs = Home(floors=(Floor("Ground floor", ("downstairs",)), Floor("Cellar", ("basement",))))

    home, _ = mine.joined_by(theirs)

    assert home.as_data()["floors"] == [
        {"name": "ground FLOOR", "aliases": ["downstairs"]}, {"name": "attic", "aliases": []},
    ]  # fmt: skip


def test_an_id_that_two_devices_share_is_numbered() -> None:
    """Topics may have one name for a light and a blind; the program needs two."""
    home = Home((Entity("lamp", "light", id="kitchen"), Entity("blind", "cover", id="kitchen")))

    assert [each["id"] for each in home.as_data()["entities"]] == ["kitchen", "kitchen#2"]
    assert [home.called(each) for each in home.entities] == ["lamp", "blind"]


def test_a_tool_is_for_the_devices_of_its_protocol() -> None:
    """Use the first tool of a name that reaches the device; a model sees both as one tool."""
    own, default = Tool("turn_on", kinds=("fan",)), Tool("turn_on", kinds=("light", "fan"), protocol="tasmota")
    lamp, other = Entity("lamp", "light", id="lamp", protocol="tasmota"), Entity("lantern", "light", id="lantern")
    fan = Entity("fan", "fan", id="fan", protocol="tasmota")
    home = Home((lamp, other, fan), (own, default))

    assert [home.way("turn_on", each) for each in home.entities] == [default, None, own]
    assert home.listing() == [{"name": "turn_on", "description": "", "entities": ["lamp", "fan"]}]
    assert home.as_data()["tools"] == [
        {"name": "turn_on", "kinds": ["light", "fan"], "parameters": {}, "entities": ["lamp", "fan"]}
    ]
