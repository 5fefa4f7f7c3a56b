"""Covers unitd.doors.home.toolbox: real templates, and a bridge without a broker's moods."""

from typing import Any

import pytest

from tests.support.home.toolboxes import TOOLS, MakeToolbox, Wire, results_of
from tests.support.servers.assistant_server import AssistantServer
from unitd.core.outcomes import Reason
from unitd.wire.errors import ConfigError, LoadFailed


async def test_a_call_becomes_a_message(make_toolbox: MakeToolbox) -> None:
    """Topic and payload are rendered with the device; it is said that it is done."""
    wire = Wire()
    toolbox = await make_toolbox(mqtt=wire)

    results = await results_of(toolbox, ("turn_on", {"entity": "Kitchen Light"}))

    assert results == ["The kitchen light is on."]
    assert wire.commands == [("home/kitchen/set", b'{"state": "ON"}')]


async def test_a_call_becomes_a_service_call(make_toolbox: MakeToolbox, assistant: AssistantServer) -> None:
    """With the token; the confirmation is said, and only an entity that is there is called for."""
    toolbox = await make_toolbox(assistant=assistant)

    results = await results_of(toolbox, ("turn_off", {"entity": "kitchen light"}))

    assert results == ["The kitchen light is off."]
    assert assistant.calls == [
        ("/api/states/light.kitchen", None),
        ("/api/services/light/turn_off", {"entity_id": "light.kitchen"}),
    ]


async def test_calls_are_done_in_their_order(make_toolbox: MakeToolbox) -> None:
    """And one that fails does not keep the others from it."""
    wire = Wire()
    toolbox = await make_toolbox(mqtt=wire)

    results = await results_of(
        toolbox,
        ("say", {"room": "attic", "words": "one"}),
        ("say", {"room": "#", "words": "two"}),
        ("say", {"room": "attic", "words": "three"}),
    )

    assert results == [
        "Done: say, attic, one.",
        "That did not work: its topic cannot be used.",
        "Done: say, attic, three.",
    ]
    assert [payload for _, payload in wire.commands] == [b"one", b"three"]


async def test_a_question_is_answered_by_the_last_value_of_a_topic(make_toolbox: MakeToolbox) -> None:
    """Of each device, or of the one topic that the question names."""
    toolbox = await make_toolbox(mqtt=Wire({"home/kitchen/state": b"on, 40 percent", "weather/now": b"rain"}))

    results = await results_of(toolbox, ("get_state", {"entity": "kitchen light"}), ("get_weather", {}))

    assert toolbox.state_topics == ["home/kitchen/state", "weather/now"]
    assert results == ["The kitchen light is on, 40 percent.", "rain."]


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("turn_on", {"entity": "moon"}, "There is no moon here."),
        ("turn_on", {}, "There is no such device here."),
        ("turn_on", {"entity": ["kitchen light"]}, "There is no ['kitchen light'] here."),
        ("explode", {}, "There is no tool explode."),
        ("say", {"room": "attic"}, "The words is missing."),
        ("say", {"room": "attic", "words": 5}, "That takes a string for words."),
        ("say", {"room": "a\0b", "words": "x"}, "That did not work: its topic cannot be used."),
        ("say", {"room": "a" * 70_000, "words": "x"}, "That did not work: its topic cannot be used."),
        ("broken", {}, "That did not work: its template failed."),
        ("greedy", {}, "That did not work: its template failed."),
        (
            "get_state",
            {"entity": "kitchen light"},
            "That did not work for the kitchen light: the device does not respond.",
        ),
        ("careless", {}, "That did not work: no Home Assistant is configured."),
        ("get_reading", {"place": "garden"}, "That did not work: no Home Assistant is configured."),
    ],
)
async def test_a_call_that_cannot_be_done_says_why(
    make_toolbox: MakeToolbox, caplog: pytest.LogCaptureFixture, name: str, arguments: dict[str, Any], result: str
) -> None:
    """To the person, and in the log to whoever looks after it; nothing is sent."""
    wire = Wire()
    toolbox = await make_toolbox(mqtt=wire)

    assert await results_of(toolbox, (name, arguments)) == [result]
    assert wire.commands == []
    assert f"tool {name} " in caplog.text
    assert result.rpartition(": ")[2].removesuffix(".") in caplog.text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("turn_on", Reason.BROKER_UNREACHABLE),
        ("turn_off", Reason.NOT_CONFIGURED),
        ("get_state", Reason.UNKNOWN_STATE),
        ("broken", Reason.FAILED),
        ("explode", Reason.FAILED),
    ],
)
async def test_a_call_that_cannot_be_done_has_the_code_of_the_reason(
    make_toolbox: MakeToolbox, name: str, reason: Reason
) -> None:
    """For those who say it in another language."""
    wire = Wire()
    wire.is_there = False
    toolbox = await make_toolbox(mqtt=wire)

    outcome = await toolbox.do({"id": "1", "name": name, "arguments": {"entity": "kitchen light"}})

    assert (outcome.is_done, outcome.reason, outcome.allowed) == (False, reason, {})


async def test_a_value_that_does_not_fit_comes_with_what_would(make_toolbox: MakeToolbox) -> None:
    """Its bounds or its words, and the parameter."""
    degrees = "{type = 'integer', minimum = 5, maximum = 30, title = 'Warmth'}"
    tool = f"[[tool]]\nname = 'heat'\ntopic = 'x'\npayload = 'x'\nparameters.degrees = {degrees}\n"
    toolbox = await make_toolbox(tools=tool, mqtt=Wire())

    outcome = await toolbox.do({"id": "1", "name": "heat", "arguments": {"degrees": 99}})

    assert (outcome.text, outcome.reason) == ("That takes 5 to 30 degrees.", Reason.NOT_ALLOWED)
    assert outcome.allowed == {"parameter": "degrees", "minimum": 5, "maximum": 30}


async def test_the_log_has_the_cause_of_a_failing_template(
    make_toolbox: MakeToolbox, caplog: pytest.LogCaptureFixture
) -> None:
    """The model gets a shorter text without the cause."""
    await results_of(await make_toolbox(mqtt=Wire()), ("broken", {}))

    assert "division by zero" in caplog.text


async def test_a_broker_that_is_away_is_a_failure(make_toolbox: MakeToolbox) -> None:
    """Nothing has been switched, and nobody says that it has."""
    wire = Wire()
    wire.is_there = False
    toolbox = await make_toolbox(mqtt=wire)

    assert await results_of(toolbox, ("turn_on", {"entity": "kitchen light"})) == [
        "That did not work for the kitchen light: the broker does not answer."
    ]


class CutWire(Wire):
    """A bridge with a bug."""

    async def command(self, topic: str, payload: bytes) -> bool:
        """Fails as no tool may."""
        raise RuntimeError(f"no way to {topic}")


async def test_a_bug_costs_its_own_call_and_not_the_daemon(
    make_toolbox: MakeToolbox, caplog: pytest.LogCaptureFixture
) -> None:
    """The person hears that it failed, the log has the traceback, and the next call is done."""
    toolbox = await make_toolbox(mqtt=CutWire({"weather/now": b"rain"}))

    results = await results_of(toolbox, ("turn_on", {"entity": "kitchen light"}), ("get_weather", {}))

    assert results == [
        "That did not work for the kitchen light: an error in unitd, which its log describes.",
        "rain.",
    ]
    assert "RuntimeError: no way to home/kitchen/set" in caplog.text


async def test_without_a_broker_configured_tools_say_so(
    make_toolbox: MakeToolbox, caplog: pytest.LogCaptureFixture
) -> None:
    """At start in the log, at each call to the person."""
    toolbox = await make_toolbox()

    assert await results_of(toolbox, ("turn_on", {"entity": "kitchen light"})) == [
        "That did not work for the kitchen light: no broker is configured."
    ]
    assert "tool turn_on needs a broker, and [mqtt] is missing" in caplog.text
    assert "tool turn_off needs Home Assistant, and [home] homeassistant_url is missing" in caplog.text
    assert "tool get_reading needs Home Assistant, and [home] homeassistant_url is missing" in caplog.text


@pytest.mark.parametrize(("area", "is_known"), [("Study", True), ("office", True), ("kichen", False)])
async def test_a_room_of_the_board_that_is_none_is_warned_of(
    make_toolbox: MakeToolbox, caplog: pytest.LogCaptureFixture, area: str, is_known: bool
) -> None:
    """Home Assistant may know it later, so the board starts."""
    await make_toolbox(tools=f'{TOOLS}\n[[area]]\nname = "study"\naliases = ["office"]', mqtt=Wire(), area=area)

    assert (f"[home] area is {area!r}, and the home has no such area" in caplog.text) is not is_known


async def test_a_setup_with_a_whole_conversation_has_the_devices_in_it(make_toolbox: MakeToolbox) -> None:
    """And no prompt beside it, which would be read ahead for nothing."""
    toolbox = await make_toolbox(mqtt=Wire())
    talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}]

    setup = await toolbox.prepare({"prompt": "", "messages": talk, "tools": "home"})

    assert setup["messages"] == [
        {"role": "system", "content": 'Be brief.\n\nDevices:\n- kitchen light; light: "kitchen light"'},
        {"role": "user", "content": "hello"},
    ]
    assert setup["prompt"] == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b'{"state": "ON", "brightness": 254}', "The kitchen light is on."),
        (b'{"brightness": 254}', 'The kitchen light is {"brightness": 254}.'),
        (b"OFF", "The kitchen light is off."),
        (b"254", "The kitchen light is at 254."),
        (b"DEL 7", "The kitchen light is DEL 7."),
    ],
)
async def test_a_state_is_said_as_people_say_it(make_toolbox: MakeToolbox, value: bytes, said: str) -> None:
    """Devices publish objects, and words in capitals."""
    toolbox = await make_toolbox(mqtt=Wire({"home/kitchen/state": value}))

    assert await results_of(toolbox, ("get_state", {"entity": "kitchen light"})) == [said]


# Bad configuration


async def test_a_board_without_tools_says_so_at_setup(make_toolbox: MakeToolbox) -> None:
    """Or one whose tools have no device."""
    for tools in ("", '[[tool]]\nname = "lock"\nkinds = ["lock"]\ntopic = "x"'):
        toolbox = await make_toolbox(tools=tools, mqtt=Wire())

        with pytest.raises(LoadFailed, match="no tools, or no devices for them"):
            await toolbox.prepare({"tools": "home"})


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("[[tool", "tools.toml: "),
        ('[[tool]]\nname = "t"\ntopic = "{{ entity.id"', "tools.toml:3: tool 't': topic is no template: "),
        ('[[tool]]\nname = "t"\ntopic = "{{ 4.5 | rond }}"', "tools.toml:3: tool 't': topic is no template: No filter"),
        (
            '[[tool]]\nname = "t"\ntopic = "{{ entity.id }}"',
            "tools.toml:3: tool 't': topic is no template: 'entity' is",
        ),
        (
            '[[tool]]\nname = "t"\nstate = "{{ room }}"\nparameters.room = {}',
            "state is no template: 'room' is undefined",
        ),
        (
            '[[tool]]\nname = "t"\nkinds = ["light"]\nstate = "x/{{ entity.room }}"',
            "tools.toml:4: tool 't': state is no template: 'entity.room' is undefined",
        ),
    ],
)
async def test_a_file_that_cannot_be_used_is_refused_at_start(
    make_toolbox: MakeToolbox, tools: str, words: str
) -> None:
    """With its name, or the tool's."""
    with pytest.raises(ConfigError) as refusal:
        await make_toolbox(tools=tools, mqtt=Wire())

    assert words in refusal.value.reason


@pytest.mark.parametrize(
    "tool",
    [
        'topic = "x/{{ entity.lower() }}"\nparameters.entity = {}',
        'kinds = ["light"]\ntopic = "{% set entity = entity.name %}x/{{ entity.lower() }}"',
    ],
)
async def test_what_is_called_entity_need_not_be_a_device(make_toolbox: MakeToolbox, tool: str) -> None:
    """A tool without kinds may have a parameter of this name, and a template a variable."""
    wire, lamp = Wire(), '[[entity]]\nname = "Lamp"\nkind = "light"\n'
    toolbox = await make_toolbox(tools=f'{lamp}[[tool]]\nname = "t"\n{tool}', mqtt=wire)

    assert await results_of(toolbox, ("t", {"entity": "Lamp"})) == ["Done: t, Lamp."]
    assert wire.commands == [("x/lamp", b"")]


async def test_a_question_whose_topic_cannot_be_made_is_refused_at_start(make_toolbox: MakeToolbox) -> None:
    """It is followed from the start, when nobody has asked yet."""
    lamp = '[[entity]]\nname = "lamp"\nkind = "light"\n'
    tool = '[[tool]]\nname = "t"\nkinds = ["light"]\nstate = "x/{{ entity.name.room }}"'
    toolbox = await make_toolbox(tools=lamp + tool, mqtt=Wire())

    with pytest.raises(ConfigError, match="has no attribute 'room'"):
        assert toolbox.state_topics


@pytest.mark.parametrize("url", ["homeassistant.local:8123", "http://homeassistant:port"])
async def test_a_url_that_is_none_is_refused_at_start(make_toolbox: MakeToolbox, url: str) -> None:
    """Before anybody wants to switch anything."""
    with pytest.raises(ConfigError, match="homeassistant_url"):
        await make_toolbox(assistant=AssistantServer(url=url))
