"""What people call rooms, floors and devices in a house that is as houses are."""

from __future__ import annotations

USUAL_ROOMS = (
    "kitchen", "kitchen", "living room", "living room", "bedroom", "bedroom", "bathroom", "bathroom", "hallway",
    "hall", "office", "garage", "garden", "dining room", "guest room", "kids room", "study", "laundry room", "balcony",
    "terrace", "patio", "porch", "basement", "attic", "cellar", "nursery", "master bedroom", "entrance", "gym",
    "utility room", "driveway", "corridor", "lounge", "den", "playroom", "toilet", "conservatory", "workshop",
    "guest bathroom", "family room", "music room", "library", "closet", "pantry", "staircase", "landing",
)  # fmt: skip
OUTDOOR = ("garden", "terrace", "patio", "porch", "balcony", "driveway", "backyard", "front yard", "pool")
FLOORS = (
    ("upstairs", "downstairs"), ("upstairs", "downstairs", "basement"), ("ground floor", "first floor"),
    ("first floor", "second floor"), ("ground floor", "upper floor", "basement"), ("downstairs", "upstairs", "attic"),
)  # fmt: skip
KIND_SHARES = {
    "light": 38, "switch": 9, "fan": 6, "cover": 13, "climate": 10, "media": 10, "lock": 4, "sensor": 10,
}  # fmt: skip
NOUNS: dict[str, tuple[str, ...]] = {
    "light": ("light", "light", "light", "light", "lights", "lamp", "lamp", "ceiling light", "ceiling lamp", "spots",
              "spotlights", "floor lamp", "table lamp", "wall light", "led strip", "mirror light", "night light"),
    "switch": ("plug", "socket", "outlet", "switch", "heater plug", "power strip", "humidifier", "air purifier",
               "pump", "camera", "charger", "dehumidifier", "towel warmer"),
    "fan": ("fan", "fan", "fan", "ceiling fan", "extractor fan", "ventilation"),
    "cover": ("blinds", "blinds", "blind", "curtains", "curtain", "shutters", "shutter", "shades", "roller blind",
              "drapes", "skylight", "window", "door", "awning"),
    "climate": ("thermostat", "heating", "heater", "radiator", "air conditioner", "floor heating", "ac", "heat pump"),
    "media": ("tv", "tv", "television", "speaker", "speaker", "radio", "stereo", "soundbar", "music player"),
    "lock": ("door", "door", "lock", "door lock", "window lock"),
    "sensor": ("temperature", "humidity", "motion sensor", "window", "window sensor", "door sensor", "thermometer",
               "air quality", "smoke detector", "co2", "illuminance", "temperature sensor", "humidity sensor"),
}  # fmt: skip
OWN_NAMES: dict[str, tuple[str, ...]] = {
    "light": ("floor lamp", "desk lamp", "table lamp", "bedside lamp", "reading lamp", "chandelier", "night light",
              "standing lamp", "fairy lights", "christmas lights", "spotlights", "island light", "mirror light",
              "lava lamp", "led strip", "wall lamp", "pendant light", "string lights", "corner lamp", "piano lamp",
              "path lights", "flood light", "security light", "cabinet lights", "closet light", "vanity light",
              "counter lights", "sink light", "stove light", "picture light", "salt lamp", "globe", "lantern"),
    "switch": ("coffee machine", "coffee maker", "kettle", "dishwasher", "washing machine", "dryer", "printer",
               "computer", "pc", "router", "fountain", "water pump", "christmas tree", "toaster", "oven", "microwave",
               "aquarium", "sprinkler", "vacuum", "robot vacuum", "game console", "humidifier", "electric blanket",
               "car charger", "pool pump", "freezer", "fridge", "iron", "slow cooker", "rice cooker", "doorbell",
               "alarm system", "garden hose", "irrigation", "hair dryer", "air fryer", "espresso machine"),
    "fan": ("ceiling fan", "tower fan", "extractor fan", "table fan", "big fan", "cooker hood", "ventilator"),
    "cover": ("garage door", "gate", "awning", "front gate", "sliding door", "skylight", "roof window", "patio awning",
              "big window", "bay window", "blackout curtain", "venetian blinds", "roller shutter", "pergola",
              "sunshade"),
    "climate": ("thermostat", "heating", "floor heating", "space heater", "fireplace", "towel rail", "air conditioner",
                "boiler", "heat pump", "nest", "ac"),
    "media": ("tv", "television", "stereo", "radio", "soundbar", "record player", "projector", "home cinema", "speaker",
              "music box", "media player", "big tv", "hifi", "turntable", "apple tv", "chromecast"),
    "lock": ("front door", "back door", "garage door lock", "garden gate", "cellar door", "side door", "patio door",
             "balcony door", "main door", "shed door", "basement door", "house door", "safe", "mailbox"),
    "sensor": ("outdoor temperature", "outdoor humidity", "rain sensor", "power meter", "water meter", "solar power",
               "front door contact", "back door contact", "air quality", "battery", "wind sensor", "smoke detector",
               "weather station", "water leak sensor", "water tank"),
}  # fmt: skip
SYNONYMS: dict[str, tuple[str, ...]] = {
    "light": ("lamp", "ceiling light"), "lamp": ("light",), "tv": ("television", "telly"), "television": ("tv",),
    "floor lamp": ("standing lamp",), "desk lamp": ("desk light", "work lamp"), "table lamp": ("table light",),
    "bedside lamp": ("bedroom lamp", "night lamp"), "coffee machine": ("coffee maker", "espresso machine"),
    "coffee maker": ("coffee machine",), "washing machine": ("washer", "laundry machine"), "computer": ("pc",),
    "blinds": ("shades",), "curtains": ("drapes",), "shutters": ("roller shutters", "blinds"), "radio": ("music",),
    "heater": ("radiator", "heating"), "radiator": ("heater", "heating"), "thermostat": ("heating",),
    "heating": ("heater", "thermostat"), "fan": ("ventilator",), "extractor fan": ("kitchen fan", "hood"),
    "speaker": ("music box", "loudspeaker"), "stereo": ("hifi", "sound system"), "night light": ("nightlight",),
    "front door": ("main door", "entrance door"), "air conditioner": ("ac", "air con"), "ac": ("air conditioning",),
    "chandelier": ("big lamp",), "plug": ("socket", "outlet"), "socket": ("plug",), "vacuum": ("hoover",),
    "garage door": ("garage",), "temperature": ("thermometer",), "christmas tree": ("tree", "xmas tree"),
    "kettle": ("water boiler",), "dryer": ("tumble dryer",), "awning": ("sunshade",), "gate": ("driveway gate",),
}  # fmt: skip
NUMBERS = ("1", "2", "3", "4", "2", "one", "two")
SIDES = ("left", "right", "middle", "top", "bottom", "front", "back", "big", "small", "new", "old", "north", "south")
SPOTS = (
    "over the table", "by the door", "at the window", "in the corner", "under the staircase", "above the sink",
    "next to the bed", "by the sofa", "behind the tv", "at the mirror", "over the desk", "on the shelf",
)  # fmt: skip
BRANDS = (
    "lumio", "hue", "tradfri", "shelly", "sonoff", "nanoleaf", "sonos", "roku", "tapo", "govee", "velux", "somfy",
    "nuki", "tado", "wiz", "lifx", "yeelight", "fritz", "homematic", "aqara", "meross", "kasa", "eve", "zeno",
    "brio x2", "novalux", "calor", "aeris", "volta", "orbix", "teklo", "sensi", "arlo", "dyson", "bosch", "lg",
    "samsung", "philips",
)  # fmt: skip
FOREIGN: dict[str, tuple[str, ...]] = {
    "light": ("küchenlampe", "stehlampe", "deckenlicht", "nachttischlampe", "lampe de chevet", "lumière du salon",
              "lámpara de mesa", "luz de la cocina", "lampada da tavolo", "taklampa", "stue lys", "luce bagno",
              "schreibtischlampe", "plafonnier", "luz do quarto", "lampa w kuchni"),
    "cover": ("rollladen", "rollo küche", "volet salon", "persiana", "jalousie", "markise", "tapparella", "rideaux"),
    "climate": ("heizung", "heizung bad", "chauffage", "calefacción", "termosifone", "thermostat salon"),
    "media": ("fernseher", "radio küche", "télé", "enceinte", "altavoz", "musikanlage"),
    "switch": ("kaffeemaschine", "waschmaschine", "steckdose 2", "cafetera", "bouilloire", "lavatrice", "wasserkocher"),
    "fan": ("ventilator küche", "ventilateur", "ventilador", "lüfter"),
    "lock": ("haustür", "porte d'entrée", "puerta principal", "kellertür"),
    "sensor": ("außentemperatur", "température salon", "luftfeuchtigkeit bad", "temperatura exterior"),
}  # fmt: skip
