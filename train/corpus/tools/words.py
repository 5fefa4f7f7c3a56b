"""The words of tool calls: names of devices, and phrasings that the home commands do not have."""

from __future__ import annotations

from functools import cache

from train.corpus.banks import bank
from train.corpus.base import Phrasings, words_of
from train.corpus.home_words import errands, follow_ups, things

NOUNS: dict[str, tuple[str, ...]] = {
    "light": things.LIGHTS,
    "switch": (
        "coffee machine", "coffee maker", "kettle", "plug", "socket", "outlet", "pump", "dishwasher", "washing machine",
        "dryer", "humidifier", "dehumidifier", "air purifier", "vacuum", "sprinkler", "computer", "printer", "router",
        "camera", "toaster", "microwave", "oven", "charger", "fountain", "aquarium", "water heater", "diffuser",
        "electric blanket", "towel heater", "game console", "smart plug", "power strip", "irrigation", "lawn mower",
        "pond pump", "baby monitor", "switch", "iron", "freezer", "server",
    ),
    "fan": (
        "fan", "fan", "ceiling fan", "table fan", "tower fan", "desk fan", "extractor fan", "window fan", "ventilator",
    ),
    "cover": things.OPENABLE,
    "climate": (
        "heater", "heating", "heating", "thermostat", "radiator", "floor heating", "air conditioner",
        "air conditioning", "space heater", "boiler", "towel rail", "fireplace",
    ),
    "media": (
        "speaker", "speaker", "tv", "television", "radio", "stereo", "soundbar", "media player", "record player",
        "sound system", "cd player", "projector", "amplifier",
    ),
    "lock": things.LOCKABLE,
    "scene": things.SCENES,
    "sensor": (
        "temperature", "humidity", "temperature sensor", "humidity sensor", "thermometer", "power meter", "water meter",
        "rain sensor", "water tank", "air quality", "air pressure", "battery", "wind sensor", "solar power",
    ),
}  # fmt: skip
KIND_SHARES = {
    "light": 34, "switch": 12, "fan": 6, "cover": 12, "climate": 10, "media": 10, "lock": 5, "scene": 7, "sensor": 4,
}  # fmt: skip
GENERIC = {
    "light": ("light", "lamp"), "switch": ("switch", "plug"), "fan": ("fan",), "cover": ("blinds", "shutter"),
    "climate": ("heating", "heater"), "media": ("speaker", "music player"), "lock": ("door", "lock"),
    "sensor": ("sensor",), "scene": ("scene",),
}  # fmt: skip
PLURALS = {
    "light": ("lights", "lights", "lamps"), "fan": ("fans",), "cover": ("blinds", "covers", "shutters"),
    "lock": ("doors", "locks"), "switch": ("plugs", "switches"), "climate": ("heaters",), "media": ("speakers",),
}  # fmt: skip
VERBS = (
    "water", "feed", "start", "stop", "call", "clean", "ring", "test", "check", "reset", "empty", "fill", "mow", "open",
    "heat", "cool", "wash", "charge", "find", "order", "refresh", "restart", "paint", "show", "count", "brew", "empty",
)  # fmt: skip
OBJECTS = (
    "plants", "cat", "dog", "fish", "vacuum", "robot", "mower", "doorbell", "siren", "pool", "garden", "lawn", "coffee",
    "tea", "bath", "sauna", "kitchen floor", "car", "phone", "keys", "pizza", "litter box", "flowers", "chickens",
    "greenhouse", "camera", "printer", "network", "alarm", "photos", "backup", "mail", "bird feeder", "hot tub",
)  # fmt: skip
REASONS = (
    "not reachable", "no answer", "timeout", "unknown entity", "unavailable", "connection refused", "not allowed",
    "unauthorized", "battery empty", "device is offline", "server error", "no connection", "busy", "out of range",
    "the broker does not answer", "the device does not respond", "wrong password", "broken", "blocked", "overheated",
)  # fmt: skip

CANCEL_FORMS = Phrasings([
    "cancel the timer", "stop the timer", "cancel my timer", "delete the timer", "no timer", "turn off the timer",
    "end the timer", "please cancel the timer", "[could|can] you cancel the timer", "I don't need the timer",
    "remove the timer", "forget the timer", "timer off", "stop my timer", "please stop the timer",
    "[could|can] you stop the timer", "switch off the timer", "cancel timer", "timer cancel", "drop the timer",
])  # fmt: skip
CUSTOM_FORMS = Phrasings([
    "{verb} the {thing}", "please {verb} the {thing}", "[could|can] you {verb} the {thing}",
    "{verb} the {thing} please",
    "I want you to {verb} the {thing}", "{verb} my {thing}", "would you {verb} the {thing}", "{verb} {thing}",
    "it's time to {verb} the {thing}", "[could|can] you please {verb} the {thing}", "time to {verb} the {thing}",
    "go and {verb} the {thing}", "I need you to {verb} the {thing}", "let's {verb} the {thing}",
    "you should {verb} the {thing}", "{verb} the {thing} for me", "please {verb} my {thing}",
])  # fmt: skip
BANKS = (
    "home_switch", "home_covers", "home_values", "home_media", "home_scenes", "home_questions", "home_light",
    "home_sets", "home_relative", "home_again",
)  # fmt: skip
"""The text files with the phrasings of the home; their blocks are meanings."""

FORMS: dict[str, Phrasings] = {
    **{meaning: forms for name in BANKS for meaning, forms in bank(name).items()},
    "timer": errands.TIMER_FORMS, "cancel": CANCEL_FORMS, "custom": CUSTOM_FORMS,
    **{f"undo_{verb}": forms for verb, forms in follow_ups.UNDO_FORMS.items()},
}  # fmt: skip
FRAMES = bank("home_frames")
"""What stands around a command, and short commands to put there."""


@cache
def _known() -> frozenset[str]:
    return frozenset().union(*(words_of(template) for forms in FORMS.values() for template in forms.train))


@cache
def held_forms(meaning: str) -> list[str]:
    """Return the phrasings of a meaning that are kept out of training and contain no word outside training."""
    return [template for template in FORMS[meaning].heldout if words_of(template) <= _known()]
