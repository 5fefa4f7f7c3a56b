"""Tools as in tutorials, sentences for them, and the calls that are expected.

They were written before anything was tuned. `KEPT` has other tools and words; it was measured only after the tuning.
"""

from typing import Any, NamedTuple


class Sentence(NamedTuple):
    """A sentence to an assistant with these tools."""

    toolbox: str
    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Name and arguments of each call; empty where the answer is words."""


def _tool(name: str, description: str, **parameters: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": parameters, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def _one_of(*values: str, description: str = "") -> dict[str, Any]:
    return {"type": "string", "enum": list(values)} | ({"description": description} if description else {})


_BOOLEAN = {"type": "boolean"}
_ROOMS = ("living room", "kitchen", "bedroom", "bathroom")

TOOLBOXES: dict[str, list[dict[str, Any]]] = {
    "set_light": [
        _tool("set_light", "Switch the light of a room on or off", room=_one_of("kitchen", "bedroom"), on=_BOOLEAN)
    ],
    "control_light": [
        _tool(
            "control_light",
            "Controls the lights in a house",
            location=_one_of(*_ROOMS, description="The room"),
            state=_one_of("on", "off"),
        )
    ],
    "toggle_device": [
        _tool(
            "toggle_device",
            "Turn a smart device on or off",
            device=_one_of("lamp", "fan", "heater", "coffee machine"),
            action=_one_of("on", "off"),
        )
    ],
    "thermostat": [
        _tool(
            "set_thermostat",
            "Set the temperature of a room",
            room=_one_of("living_room", "bedroom", "office"),
            temperature={"type": "number", "description": "degrees Celsius"},
        ),
        _tool("get_temperature", "Read the temperature of a room", room=_one_of("living_room", "bedroom", "office")),
    ],
    "blinds": [
        _tool(
            "set_blinds",
            "Move the blinds",
            window=_one_of("left", "right", "front"),
            position=_one_of("open", "closed"),
        )
    ],
    # Only in what is kept
    "set_lamp": [_tool("set_lamp", "", lamp=_one_of("desk", "ceiling", "bedside"), enabled=_BOOLEAN)],
    "switch_relay": [
        _tool(
            "switch_relay",
            "Switch one of the relays of the board",
            relay=_one_of("pump", "heater", "siren"),
            state=_one_of("ON", "OFF"),
        )
    ],
    "lock": [
        _tool(
            "set_door_lock",
            "Lock or unlock a door",
            door=_one_of("front door", "back door", "garage"),
            locked=_BOOLEAN,
        )
    ],
    "color": [
        _tool(
            "set_led_color",
            "Set the colour of an LED strip",
            strip=_one_of("shelf", "desk"),
            color=_one_of("red", "green", "blue", "white"),
        )
    ],
    "fans": [
        _tool("turn_on_fan", "Turn on the fan of a room", room=_one_of("attic", "office", "nursery")),
        _tool("turn_off_fan", "Turn off the fan of a room", room=_one_of("attic", "office", "nursery")),
    ],
}

TUNED = (
    Sentence("set_light", "turn on the kitchen light", (("set_light", {"room": "kitchen", "on": True}),)),
    Sentence("set_light", "Turn off the light in the bedroom.", (("set_light", {"room": "bedroom", "on": False}),)),
    Sentence("set_light", "bedroom light on please", (("set_light", {"room": "bedroom", "on": True}),)),
    Sentence("set_light", "can you switch off the kitchen light", (("set_light", {"room": "kitchen", "on": False}),)),
    Sentence("set_light", "hello there"),
    Sentence("set_light", "what is 12 times 7?"),
    Sentence("set_light", "turn on the garage light"),
    Sentence(
        "control_light",
        "Turn on the lights in the living room",
        (("control_light", {"location": "living room", "state": "on"}),),
    ),
    Sentence(
        "control_light",
        "please switch the bathroom light off",
        (("control_light", {"location": "bathroom", "state": "off"}),),
    ),
    Sentence(
        "control_light", "lights off in the kitchen", (("control_light", {"location": "kitchen", "state": "off"}),)
    ),
    Sentence("control_light", "tell me a joke"),
    Sentence("toggle_device", "turn on the fan", (("toggle_device", {"device": "fan", "action": "on"}),)),
    Sentence("toggle_device", "switch the heater off", (("toggle_device", {"device": "heater", "action": "off"}),)),
    Sentence(
        "toggle_device",
        "start the coffee machine",
        (("toggle_device", {"device": "coffee machine", "action": "on"}),),
    ),
    Sentence("toggle_device", "who are you?"),
    Sentence(
        "thermostat",
        "set the bedroom to 21 degrees",
        (("set_thermostat", {"room": "bedroom", "temperature": 21}),),
    ),
    Sentence(
        "thermostat",
        "set the temperature in the living room to 19 degrees",
        (("set_thermostat", {"room": "living_room", "temperature": 19}),),
    ),
    Sentence("thermostat", "how warm is it in the office?", (("get_temperature", {"room": "office"}),)),
    Sentence("blinds", "open the left blinds", (("set_blinds", {"window": "left", "position": "open"}),)),
    Sentence("blinds", "close the front blinds please", (("set_blinds", {"window": "front", "position": "closed"}),)),
    Sentence("blinds", "good morning"),
)

KEPT = (
    Sentence("set_lamp", "turn on the desk lamp", (("set_lamp", {"lamp": "desk", "enabled": True}),)),
    Sentence("set_lamp", "switch off the ceiling lamp please", (("set_lamp", {"lamp": "ceiling", "enabled": False}),)),
    Sentence("set_lamp", "I need the bedside lamp on", (("set_lamp", {"lamp": "bedside", "enabled": True}),)),
    Sentence("set_lamp", "how are you today?"),
    Sentence("switch_relay", "turn on the pump", (("switch_relay", {"relay": "pump", "state": "ON"}),)),
    Sentence("switch_relay", "turn the siren off", (("switch_relay", {"relay": "siren", "state": "OFF"}),)),
    Sentence("switch_relay", "what is the capital of France?"),
    Sentence("lock", "lock the front door", (("set_door_lock", {"door": "front door", "locked": True}),)),
    Sentence("lock", "please unlock the garage", (("set_door_lock", {"door": "garage", "locked": False}),)),
    Sentence("lock", "what is 3 plus 4?"),
    Sentence("color", "make the desk strip blue", (("set_led_color", {"strip": "desk", "color": "blue"}),)),
    Sentence("color", "set the shelf to red", (("set_led_color", {"strip": "shelf", "color": "red"}),)),
    Sentence("color", "thank you"),
    Sentence("fans", "turn on the fan in the attic", (("turn_on_fan", {"room": "attic"}),)),
    Sentence("fans", "office fan off", (("turn_off_fan", {"room": "office"}),)),
    Sentence("fans", "could you switch on the nursery fan?", (("turn_on_fan", {"room": "nursery"}),)),
    Sentence("fans", "turn on the fan in the cellar"),
)
