"""The words of tool calls: names of devices, and phrasings that the home commands do not have."""

from __future__ import annotations

from functools import cache

from train.corpus.base import Phrasings, words_of
from train.corpus.home_words import errands, fixed, follow_ups, openings, orders, questions, things, values

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

TEMPERATURE_FORMS = Phrasings([
    "set {it} to {n} degrees", "set {it} to {n}", "turn {it} to {n} degrees", "put {it} on {n} degrees",
    "put {it} at {n} degrees", "{it} to {n} degrees", "{it} at {n} degrees", "{it} {n} degrees", "{it} on {n} degrees",
    "change {it} to {n} degrees", "adjust {it} to {n} degrees", "please set {it} to {n} degrees",
    "[could|can] you set {it} to {n} degrees", "[could|can] you put {it} on {n} degrees", "I want {it} at {n} degrees",
    "I'd like {it} at {n} degrees", "{n} degrees for {it}", "{n} degrees on {it}", "set {it} to {n} degrees please",
    "set the temperature of {it} to {n} degrees", "change the temperature of {it} to {n} degrees",
    "bring {it} to {n} degrees", "let {it} heat to {n} degrees", "{it} should be at {n} degrees",
    "make {it} {n} degrees", "would you set {it} to {n} degrees", "run {it} at {n} degrees",
    "keep {it} at {n} degrees", "please put {it} at {n} degrees", "turn {it} to {n} degrees please",
    "set {it} at {n} degrees", "[could|can] you turn {it} to {n} degrees",
])  # fmt: skip
VOLUME_FORMS = Phrasings([
    "set the volume of {it} to {n} percent", "set the volume of {it} to {n}", "volume of {it} to {n} percent",
    "turn the volume of {it} to {n} percent", "set {it} to volume {n}", "{it} volume {n}", "volume {n} on {it}",
    "put the volume of {it} at {n} percent", "change the volume of {it} to {n} percent", "{it} to volume {n}",
    "[could|can] you set the volume of {it} to {n} percent", "please set the volume of {it} to {n} percent",
    "set the volume on {it} to {n} percent", "turn {it} to {n} percent volume", "play {it} at {n} percent volume",
    "I want {it} at volume {n}", "I want the volume of {it} at {n} percent", "make the volume of {it} {n} percent",
    "set the sound of {it} to {n} percent", "{n} percent volume on {it}", "volume {n} percent on {it}",
    "turn the sound of {it} to {n} percent", "adjust the volume of {it} to {n} percent", "{it} at volume {n}",
    "please turn the volume of {it} to {n}", "[could|can] you put the volume of {it} at {n}",
])  # fmt: skip
POSITION_FORMS = Phrasings([
    "open {it} to {n} percent", "open {it} {n} percent", "set {it} to {n} percent", "close {it} to {n} percent",
    "move {it} to {n} percent", "put {it} at {n} percent", "{it} to {n} percent", "{it} {n} percent",
    "{it} at {n} percent", "set the position of {it} to {n} percent", "set {it} to position {n}",
    "please open {it} to {n} percent", "[could|can] you open {it} to {n} percent", "lower {it} to {n} percent",
    "[could|can] you set {it} to {n} percent", "raise {it} to {n} percent", "bring {it} to {n} percent",
    "I want {it} at {n} percent", "I want {it} {n} percent open", "make {it} {n} percent open",
    "{it} {n} percent open", "please move {it} to {n} percent", "drive {it} to {n} percent",
    "[could|can] you move {it} to {n} percent", "change {it} to {n} percent",
])  # fmt: skip
PAUSE_FORMS = Phrasings([
    "pause {it}", "please pause {it}", "pause the music on {it}", "stop the music on {it}", "stop playing on {it}",
    "[could|can] you pause {it}", "pause playback on {it}", "put {it} on pause", "{it} pause", "hold {it}",
    "stop the playback on {it}", "pause the song on {it}", "no more music on {it}", "quiet on {it}",
    "[could|can] you pause the music on {it}", "please stop the music on {it}", "I want {it} to pause",
    "let {it} pause", "pause {it} please", "make a pause on {it}", "interrupt {it}", "stop the song on {it}",
    "[could|can] you stop the music on {it}", "please pause the music on {it}", "pause {it} for now",
])  # fmt: skip
DARK_FORMS = Phrasings([
    "it is too dark {place}", "it's too dark {place}", "it is dark {place}", "it's dark {place}",
    "it is so dark {place}",
    "I can't see anything {place}", "why is it so dark {place}", "make it bright {place}", "I need light {place}",
    "light {place} please", "we need light {place}", "let there be light {place}", "more light {place}",
    "it is very dark {place}", "I want light {place}", "there is no light {place}", "it's so dark {place}",
    "can you make it bright {place}", "it's pretty dark {place}", "give me light {place}", "it is really dark {place}",
    "can I have light {place}", "please make it bright {place}", "make light {place}", "I can't see a thing {place}",
    "could I have some light {place}", "some light {place} please", "I need some light {place}",
    "it is much too dark {place}", "it's really too dark {place}",
])  # fmt: skip
BRIGHT_FORMS = Phrasings([
    "it is too bright {place}", "it's too bright {place}", "make it dark {place}", "no light {place}",
    "lights out {place}", "it is so bright {place}", "it's so bright {place}", "please make it dark {place}",
    "can you make it dark {place}", "I want it dark {place}", "we need no light {place}", "no more light {place}",
    "I don't need light {place}", "it is much too bright {place}", "it's really too bright {place}",
    "why is it so bright {place}", "darkness {place} please", "could you make it dark {place}",
])  # fmt: skip
PRESENCE_FORMS = Phrasings([
    "is there a {it}", "do we have a {it}", "do you have a {it}", "do you know the {it}", "can you find the {it}",
    "is there a {it} here", "have we got a {it}", "do you see a {it}", "can you control the {it}",
    "what about the {it}",
    "is a {it} there", "is there the {it}", "do I have a {it}", "do I have the {it}", "is the {it} in your list",
    "have I got a {it}", "do you find a {it}", "is there some {it}", "can you see the {it}", "do you control the {it}",
])  # fmt: skip
WARMTH_FORMS = Phrasings([
    "how warm is it {place}", "what is the temperature {place}", "what's the temperature {place}",
    "how cold is it {place}", "what temperature is it {place}", "tell me the temperature {place}",
    "how many degrees {place}", "is it warm {place}", "can you tell me the temperature {place}",
    "is it cold {place}", "how hot is it {place}", "what temperature do we have {place}",
    "how many degrees is it {place}",
    "could you tell me the temperature {place}", "tell me how warm it is {place}", "temperature {place}",
    "check the temperature {place}", "what is the current temperature {place}",
])  # fmt: skip
READING_FORMS = Phrasings([
    "what is {it}", "what's {it}", "how is {it}", "tell me {it}", "check {it}", "what does {it} say",
    "what is {it} right now", "read {it}", "how high is {it}", "can you tell me {it}", "what does {it} show",
    "what is the value of {it}", "[could|can] you check {it}", "[could|can] you read {it}", "give me {it}",
    "what is the state of {it}", "what is {it} at the moment", "tell me what {it} says", "show me {it}",
])  # fmt: skip
ALL_FORMS = {
    "turn_on": Phrasings([
        "turn on all [the|] {them}", "turn all [the|] {them} on", "all {them} on", "switch on all [the|] {them}",
        "switch all {them} on", "please turn on all {them}", "[could|can] you turn on all the {them}",
        "turn on every {one}", "I want all {them} on", "put all the {them} on", "every {one} on", "turn on the {them}",
        "all the {them} on please", "switch on the {them}", "turn the {them} on", "please switch on all the {them}",
        "I need all the {them} on", "[could|can] you switch all {them} on",
        "{them} on", "{them} on please", "all of the {them} on", "turn {them} on", "switch {them} on",
    ]),
    "turn_off": Phrasings([
        "turn off all [the|] {them}", "turn all [the|] {them} off", "all {them} off", "switch off all [the|] {them}",
        "switch all {them} off", "please turn off all {them}", "[could|can] you turn off all the {them}",
        "turn off every {one}", "I want all {them} off", "put all the {them} off", "every {one} off",
        "turn off the {them}", "all the {them} off please", "switch off the {them}", "turn the {them} off",
        "please switch off all the {them}", "I need all the {them} off", "[could|can] you switch all {them} off",
        "{them} off", "{them} off please", "all of the {them} off", "turn {them} off", "switch {them} off",
    ]),
    "open": Phrasings([
        "open all [the|] {them}", "all {them} open", "please open all {them}", "[could|can] you open all the {them}",
        "open every {one}", "open the {them}", "all the {them} up", "I want all {them} open", "pull up all the {them}",
        "please open all the {them}", "[could|can] you open every {one}", "all {them} up please",
    ]),
    "close": Phrasings([
        "close all [the|] {them}", "all {them} closed", "please close all {them}",
        "[could|can] you close all the {them}",
        "close every {one}", "close the {them}", "all the {them} down", "I want all {them} closed",
        "shut all the {them}",
        "please close all the {them}", "[could|can] you close every {one}", "all {them} down please",
    ]),
    "lock": Phrasings([
        "lock all [the|] {them}", "all {them} locked", "please lock all {them}", "[could|can] you lock all the {them}",
        "lock every {one}", "lock the {them}", "lock up all the {them}", "I want all {them} locked",
        "please lock all the {them}", "[could|can] you lock every {one}",
    ]),
}  # fmt: skip
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
AGAIN_FORMS = Phrasings([
    "and {it}", "and {it} too", "{it} too", "also {it}", "now {it}", "and also {it}", "{it} as well",
    "the same for {it}",
    "and now {it}", "do the same with {it}", "{it} too please", "and {it} please", "same for {it}",
    "and {it} as well", "also {it} please", "now {it} too",
])  # fmt: skip
PERCENT_AGAIN_FORMS = Phrasings([
    "{n} percent", "{n}", "to {n} percent", "{n} percent please", "make it {n} percent", "let's say {n} percent",
    "to {n}", "{n}%", "{n} please", "I want {n} percent", "set it to {n} percent", "please {n} percent",
    "I'd like {n} percent", "let's say {n}", "{n} percent is good", "say {n} percent",
])  # fmt: skip
DEGREES_AGAIN_FORMS = Phrasings([
    "{n} degrees", "{n}", "to {n} degrees", "{n} degrees please", "make it {n} degrees", "let's say {n} degrees",
    "to {n}", "{n} please", "I want {n} degrees", "set it to {n} degrees", "please {n} degrees",
    "I'd like {n} degrees", "let's say {n}", "{n} degrees is good", "say {n} degrees", "{n} is good",
])  # fmt: skip
WISHES = dict(fixed.FIXED)
FORMS = {
    "turn_on": orders.ON_FORMS, "turn_off": orders.OFF_FORMS, "open": openings.OPEN_FORMS,
    "close": openings.CLOSE_FORMS, "lock": openings.LOCK_FORMS, "unlock": openings.UNLOCK_FORMS,
    "brightness": values.LEVEL_FORMS,
    "color": values.COLOUR_FORMS, "temperature": TEMPERATURE_FORMS, "volume": VOLUME_FORMS, "position": POSITION_FORMS,
    "pause": PAUSE_FORMS, "scene": errands.SCENE_FORMS, "timer": errands.TIMER_FORMS, "cancel": CANCEL_FORMS,
    "play": errands.MUSIC_FORMS, "state": questions.STATE_FORMS, "shut": questions.SHUT_FORMS,
    "reading": READING_FORMS, "warmth": WARMTH_FORMS, "heating": values.HEATING_FORMS, "dark": DARK_FORMS,
    "bright": BRIGHT_FORMS, "presence": PRESENCE_FORMS, "custom": CUSTOM_FORMS, "again": AGAIN_FORMS,
    **{f"all_{meaning}": forms for meaning, forms in ALL_FORMS.items()},
    **{f"undo_{verb}": forms for verb, forms in follow_ups.UNDO_FORMS.items()},
    "everything_off": WISHES["Turning off everything."], "every_light_off": WISHES["Turning off all lights."],
    "every_light_on": WISHES["Turning on all lights."], "music_off": WISHES["Stopping the music."],
    "music_pause": WISHES["Pausing the music."], "next_song": WISHES["Playing the next song."],
    "warmer": WISHES["Turning the heating up."], "cooler": WISHES["Turning the heating down."],
    "brighter": WISHES["Making the light brighter."], "darker": WISHES["Making the light darker."],
    "louder": WISHES["Turning the volume up."], "quieter": WISHES["Turning the volume down."],
    "percent_again": PERCENT_AGAIN_FORMS, "degrees_again": DEGREES_AGAIN_FORMS,
}  # fmt: skip


@cache
def held_forms(meaning: str) -> list[str]:
    """Return the phrasings of a meaning that are kept out of training and contain no word outside training."""
    known = frozenset().union(*(words_of(template) for forms in FORMS.values() for template in forms.train))
    return [template for template in FORMS[meaning].heldout if words_of(template) <= known]
