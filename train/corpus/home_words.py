"""The rooms, devices and phrasings of the home commands."""

from __future__ import annotations

from train.corpus.base import Phrasings

ROOMS = (
    "kitchen", "bedroom", "living room", "bathroom", "hallway", "hall", "office", "garage", "garden",
    "basement", "cellar", "attic", "dining room", "guest room", "nursery", "kids room", "study", "library",
    "laundry room", "balcony", "terrace", "porch", "patio", "corridor", "workshop", "shed", "toilet",
    "playroom", "pantry", "closet", "staircase", "entrance", "master bedroom", "guest bathroom", "gym",
    "sunroom", "greenhouse", "conservatory", "storage room", "lounge", "family room", "den", "driveway",
    "backyard", "front yard", "pool house", "sauna", "studio", "meeting room", "lobby", "waiting room",
    "classroom", "lab", "server room", "loft", "utility room", "upstairs hallway", "downstairs bathroom",
    "music room", "game room", "barn", "stable", "carport", "wine cellar", "dressing room", "spare room",
    "children's room", "reading corner", "first floor", "second floor", "ground floor", "roof terrace",
)  # fmt: skip
LIGHTS = (
    "light", "light", "light", "lights", "lights", "lamp", "lamps", "ceiling light", "floor lamp",
    "desk lamp", "table lamp", "night light", "spotlight", "spotlights", "led strip", "reading lamp",
    "wall light", "chandelier", "bedside lamp", "christmas lights", "mirror light", "fairy lights",
)  # fmt: skip
SWITCHABLE = (
    *LIGHTS, "fan", "fan", "ceiling fan", "heater", "heating", "tv", "tv", "television", "radio", "speaker",
    "coffee machine", "coffee maker", "kettle", "oven", "dishwasher", "washing machine", "dryer",
    "air conditioner", "air conditioning", "humidifier", "dehumidifier", "air purifier", "vacuum",
    "robot vacuum", "sprinkler", "pump", "computer", "printer", "router", "camera", "alarm system", "plug",
    "socket", "switch", "outlet", "toaster", "microwave", "projector", "monitor", "stereo", "game console",
    "electric blanket", "towel heater", "fountain", "aquarium", "water heater", "charger", "doorbell",
    "stove", "fridge", "freezer", "extractor fan", "floor heating", "boiler", "fireplace", "diffuser",
)  # fmt: skip
OPENABLE = (
    "blinds", "blinds", "blind", "curtains", "curtains", "curtain", "shutters", "shutter", "window",
    "windows", "skylight", "door", "garage door", "gate", "awning", "roof window", "valve", "vent",
)  # fmt: skip
LOCKABLE = (
    "door", "front door", "back door", "gate", "garage door", "window", "safe", "side door", "cellar door",
    "patio door", "main entrance", "cabinet",
)  # fmt: skip
DIMMABLE = (*LIGHTS, "fan", "ceiling fan", "blinds", "curtains", "shutters", "speaker", "heater", "tv")
ADJECTIVES = (
    "big", "small", "red", "blue", "green", "white", "black", "old", "new", "left", "right", "second", "first",
    "main", "upper", "lower", "outdoor", "smart", "little", "long", "round", "front", "back", "corner",
)  # fmt: skip
COLOURS = (
    "red", "green", "blue", "yellow", "white", "orange", "purple", "pink", "warm white", "cold white",
    "turquoise", "violet", "cyan", "magenta", "gold", "lime",
)  # fmt: skip
MUSIC = (
    "music", "music", "jazz", "rock", "pop music", "classical music", "some jazz", "my playlist",
    "piano music", "relaxing music", "dance music", "folk music", "hip hop", "metal", "blues",
    "country music", "my favorite songs", "christmas music", "techno", "soft music", "reggae", "opera",
    "lullabies", "film music", "nature sounds", "rain sounds", "an audiobook", "a podcast",
)  # fmt: skip
SCENES = (
    "movie night", "party", "good night", "morning", "dinner", "reading", "relax", "romantic", "cinema",
    "work", "cooking", "away", "welcome home", "bedtime", "breakfast", "holiday", "cleaning", "gaming",
    "sunset", "focus", "yoga", "guest", "night", "evening", "spring", "winter",
)  # fmt: skip
GROCERIES = (
    "milk", "bread", "eggs", "butter", "cheese", "apples", "bananas", "coffee", "tea", "sugar", "salt",
    "flour", "rice", "pasta", "tomatoes", "potatoes", "onions", "chicken", "fish", "yogurt", "orange juice",
    "water", "toilet paper", "soap", "shampoo", "batteries", "chocolate", "cookies", "honey", "olive oil",
    "carrots", "cucumbers", "lemons", "garlic", "cereal", "ham", "ice cream", "dog food", "cat food",
    "light bulbs", "strawberries", "mushrooms", "toothpaste", "napkins", "crème fraîche", "jalapeños",
)  # fmt: skip
ON_FORMS = Phrasings(
    [
        "turn on {it}",
        "turn {it} on",
        "switch on {it}",
        "switch {it} on",
        "please turn on {it}",
        "[could|can|would] you turn {it} on",
        "[could|can|would|will] you turn on {it}",
        "{it} on",
        "put {it} on",
        "I need {it} on",
        "please switch on {it}",
        "I want {it} [to be|] on",
        "[could|can|would] you switch on {it}",
        "start {it}",
        "activate {it}",
        "[could|can] you please turn on {it}",
        "make {it} go on",
        "enable {it}",
        "{it} should be on",
        "turn on {it} for me",
        "set {it} to on",
        "I'd like {it} on",
        "power on {it}",
        "get {it} on",
        "I want you to turn on {it}",
        "[could|can] you put {it} on",
        "let {it} run",
        "go turn on {it}",
        "you can turn on {it}",
        "would you mind turning on {it}",
        "please turn {it} on",
        "I would like you to turn {it} on",
    ]
)
OFF_FORMS = Phrasings(
    [
        "turn off {it}",
        "turn {it} off",
        "switch off {it}",
        "switch {it} off",
        "please turn off {it}",
        "[could|can|would] you turn {it} off",
        "[could|can|would|will] you turn off {it}",
        "{it} off",
        "put {it} off",
        "I don't need {it} anymore",
        "please switch off {it}",
        "I want {it} [to be|] off",
        "[could|can|would] you switch off {it}",
        "stop {it}",
        "deactivate {it}",
        "[could|can] you please turn off {it}",
        "shut off {it}",
        "disable {it}",
        "{it} should be off",
        "turn off {it} for me",
        "set {it} to off",
        "shut down {it}",
        "power off {it}",
        "kill {it}",
        "I want you to turn off {it}",
        "[could|can] you put {it} off",
        "I'd like {it} off",
        "go turn off {it}",
        "you can turn off {it}",
        "would you mind turning off {it}",
        "please turn {it} off",
        "I would like you to turn {it} off",
    ]
)
OPEN_FORMS = Phrasings(
    [
        "open {it}",
        "please open {it}",
        "[could|can|would] you open {it}",
        "{it} up",
        "raise {it}",
        "I want {it} open",
        "pull up {it}",
        "{it} open",
        "I'd like {it} open",
        "[could|can] you please open {it}",
        "open up {it}",
        "open {it} for me",
        "I need {it} open",
        "would you mind opening {it}",
        "make {it} open",
        "I want you to open {it}",
    ]
)
CLOSE_FORMS = Phrasings(
    [
        "close {it}",
        "please close {it}",
        "[could|can|would] you close {it}",
        "{it} down",
        "lower {it}",
        "I want {it} closed",
        "shut {it}",
        "{it} closed",
        "pull down {it}",
        "[could|can] you please close {it}",
        "{it} shut",
        "close {it} for me",
        "I need {it} closed",
        "would you mind closing {it}",
        "[could|can] you shut {it}",
        "I want you to close {it}",
    ]
)
LOCK_FORMS = Phrasings(
    [
        "lock {it}",
        "please lock {it}",
        "[could|can] you lock {it}",
        "lock up {it}",
        "make sure {it} is locked",
        "I want {it} locked",
        "lock {it} for me",
        "secure {it}",
        "I'd like you to lock {it}",
        "would you lock {it}",
    ]
)
UNLOCK_FORMS = Phrasings(
    [
        "unlock {it}",
        "please unlock {it}",
        "[could|can] you unlock {it}",
        "I want {it} unlocked",
        "{it} should be unlocked",
        "I need {it} unlocked",
        "unlock {it} for me",
        "would you unlock {it}",
        "I'd like you to unlock {it}",
        "make sure {it} is unlocked",
    ]
)
UNDO_FORMS = {
    "on": Phrasings(
        ["now on again", "turn it on again", "and on again", "now turn it back on", "on again please",
         "switch it on again", "turn it back on", "back on", "now turn it on", "no, turn it on",
         "put it back on", "please turn it on again", "on", "turn them on again"]
    ),
    "off": Phrasings(
        ["now off again", "turn it off again", "and off again", "now turn it back off", "off again please",
         "switch it off again", "turn it back off", "now off", "now turn it off", "no, turn it off",
         "put it off again", "please turn it off again", "off", "turn them off again"]
    ),
    "open": Phrasings(
        ["open it again", "now open again", "and open again", "now open it", "open them again",
         "please open it again", "up again", "no, open it"]
    ),
    "close": Phrasings(
        ["close it again", "now close it", "and close again", "close them again", "now shut it",
         "please close it again", "down again", "no, close it"]
    ),
    "lock": Phrasings(["lock it again", "now lock it", "and lock it again", "please lock it again",
                       "lock it", "lock it now", "lock it back up"]),
    "unlock": Phrasings(["unlock it again", "now unlock it", "and unlock it again",
                         "please unlock it again", "unlock it", "now unlock it again", "unlock it now"]),
}  # fmt: skip
OTHER_ROOM_FORMS = Phrasings(
    [
        "and the {room} one",
        "and in {place}",
        "the one in {place} too",
        "and the one in {place}",
        "the {room} one too",
        "now the {room} one",
        "also in {place}",
        "and also the one in {place}",
        "the same in {place}",
        "what about {place}",
        "do the same in {place}",
        "and {place}",
        "now the one in {place}",
        "and now in {place}",
        "also the {room} one",
        "same for {place}",
    ]
)
OTHER_DEVICE_FORMS = Phrasings(
    [
        "and the {device}",
        "the {device} too",
        "and also the {device}",
        "now the {device}",
        "also the {device}",
        "the {device} as well",
        "what about the {device}",
        "and now the {device}",
        "same for the {device}",
        "and the {device} there too",
    ]
)
LEVEL_FORMS = Phrasings(
    [
        "set {it} to {n} percent",
        "set {it} to {n}%",
        "dim {it} to {n} percent",
        "turn {it} to {n} percent",
        "{it} to {n} percent",
        "change {it} to {n} percent",
        "put {it} at {n} percent",
        "[could|can] you set {it} to {n} percent",
        "please set {it} to {n} percent",
        "I want {it} at {n} percent",
        "bring {it} to {n} percent",
        "make {it} {n} percent",
        "adjust {it} to {n} percent",
        "[could|can] you put {it} at {n} percent",
        "{it} at {n} percent",
        "dim {it} to {n}%",
    ]
)
LEVEL_AGAIN = Phrasings(["make it {n} percent", "now {n} percent", "{n} percent", "no, {n} percent",
                         "rather {n} percent", "set it to {n} percent", "and now to {n} percent"])  # fmt: skip
COLOUR_FORMS = Phrasings(
    [
        "make {it} {colour}",
        "set {it} to {colour}",
        "turn {it} {colour}",
        "change {it} to {colour}",
        "I want {it} in {colour}",
        "switch {it} to {colour}",
        "[could|can] you make {it} {colour}",
        "change the color of {it} to {colour}",
        "set the color of {it} to {colour}",
        "please make {it} {colour}",
        "{it} in {colour}",
        "[could|can] you set {it} to {colour}",
        "{it} {colour}",
        "I'd like {it} to be {colour}",
    ]
)
HEATING_FORMS = Phrasings(
    [
        "set the heating {place} to {n} degrees",
        "set the temperature {place} to {n} degrees",
        "heat to {n} degrees {place}",
        "make it {n} degrees {place}",
        "turn the heating {place} to {n} degrees",
        "I want it to be {n} degrees {place}",
        "set the thermostat {place} to {n} degrees",
        "set the heating {place} to {n}",
        "[could|can] you set the heating {place} to {n} degrees",
        "{n} degrees {place}",
        "I want {n} degrees {place}",
        "change the temperature {place} to {n} degrees",
        "heating {place} to {n} degrees",
        "put the heating {place} at {n} degrees",
        "please set the heating {place} to {n} degrees",
        "heat {place} to {n} degrees",
        "I'd like {n} degrees {place}",
        "[could|can] you make it {n} degrees {place}",
    ]
)
HEATING_AGAIN = Phrasings(["make it {n} degrees", "no, {n} degrees", "better {n} degrees", "rather {n}",
                           "now {n} degrees", "and now to {n} degrees", "{n} degrees please"])  # fmt: skip
MUSIC_FORMS = Phrasings(
    [
        "play {music}",
        "please play {music}",
        "[could|can] you play {music}",
        "I want to hear {music}",
        "put on {music}",
        "let me hear {music}",
        "I'd like to listen to {music}",
        "start {music}",
        "I want to listen to {music}",
        "play {music} for me",
        "how about {music}",
        "turn on {music}",
    ]
)
TIMER_FORMS = Phrasings(
    [
        "set a timer for {time}",
        "start a timer for {time}",
        "timer for {time}",
        "set a timer to {time}",
        "{time} timer",
        "set the timer to {time}",
        "[could|can] you set a timer for {time}",
        "I need a timer for {time}",
        "please set a timer for {time}",
        "make a timer for {time}",
        "timer {time}",
        "remind me in {time}",
        "wake me in {time}",
        "start a {time} timer",
        "count down {time}",
        "set timer {time}",
    ]
)
TIMER_CANCEL = Phrasings(["cancel the timer", "stop the timer", "cancel it", "delete the timer",
                          "forget the timer", "turn off the timer", "no timer please"])  # fmt: skip
ALARM_FORMS = Phrasings(
    [
        "set an alarm for {time}",
        "wake me up at {time}",
        "set the alarm for {time}",
        "wake me at {time}",
        "alarm at {time}",
        "[could|can] you wake me at {time}",
        "I need to get up at {time}",
        "set my alarm to {time}",
        "please wake me up at {time}",
        "alarm for {time}",
    ]
)
SCENE_FORMS = Phrasings(
    [
        "start the {scene} scene",
        "activate the {scene} scene",
        "turn on the {scene} scene",
        "{scene} scene",
        "switch to the {scene} scene",
        "set the {scene} scene",
        "[could|can] you start the {scene} scene",
        "{scene} mode",
        "start {scene} mode",
        "activate {scene} mode",
        "please start the {scene} scene",
        "run the {scene} scene",
        "I want the {scene} scene",
        "switch to {scene} mode",
    ]
)
LIST_FORMS = Phrasings(
    [
        "add {item} to the shopping list",
        "put {item} on the shopping list",
        "add {item} to my shopping list",
        "we need {item}",
        "put {item} on my list",
        "[could|can] you add {item} to the shopping list",
        "I need to buy {item}",
        "shopping list {item}",
        "we are out of {item}",
        "please add {item} to the list",
        "write {item} on the shopping list",
    ]
)
STATE_FORMS = Phrasings(
    [
        "is {it} on",
        "is {it} off",
        "is {it} still on",
        "did I turn off {it}",
        "did I leave {it} on",
        "tell me if {it} is on",
        "what is the state of {it}",
        "check if {it} is on",
        "is {it} already off",
        "can you check {it}",
    ]
)
SHUT_FORMS = Phrasings(
    [
        "is {it} open",
        "is {it} closed",
        "is {it} locked",
        "did I lock {it}",
        "did I close {it}",
        "tell me if {it} is open",
        "is {it} still open",
        "check if {it} is locked",
        "what is the state of {it}",
    ]
)
FIXED = (
    ("Turning off all lights.", Phrasings(
        ["turn off all lights", "turn off all the lights", "all lights off", "lights out",
         "switch off all the lights", "turn every light off", "make it dark", "all the lights off please",
         "turn off every light", "switch all lights off", "[could|can] you turn off all the lights",
         "turn all the lights off", "turn out the lights"])),
    ("Turning on all lights.", Phrasings(
        ["turn on all lights", "turn on all the lights", "all lights on", "it's too dark",
         "switch on all the lights", "turn every light on", "make it bright", "all the lights on please",
         "turn on every light", "switch all lights on", "[could|can] you turn on all the lights",
         "turn all the lights on"])),
    ("Turning off everything.", Phrasings(
        ["turn everything off", "turn off everything", "switch everything off", "everything off",
         "shut everything down", "switch off everything", "all off", "turn all devices off",
         "turn off all devices"])),
    ("Stopping the music.", Phrasings(
        ["stop the music", "turn off the music", "music off", "stop playing", "no more music",
         "switch off the music", "silence please", "stop the song", "please stop the music", "stop music"])),
    ("Pausing the music.", Phrasings(
        ["pause the music", "pause the song", "pause music", "hold the music", "music pause",
         "put the music on pause", "please pause the music"])),
    ("Playing the next song.", Phrasings(
        ["next song", "play the next song", "skip this song", "next track", "I don't like this song",
         "skip the song", "another song", "next one please", "go to the next song"])),
    ("Turning the volume up.", Phrasings(
        ["turn up the volume", "volume up", "louder", "make it louder", "increase the volume",
         "turn it up", "I can't hear the music", "turn the music up", "raise the volume", "louder please"])),
    ("Turning the volume down.", Phrasings(
        ["turn down the volume", "volume down", "quieter", "make it quieter", "decrease the volume",
         "turn it down", "it's too loud", "turn the music down", "lower the volume", "softer please"])),
    ("Turning the heating up.", Phrasings(
        ["it's too cold", "I'm cold", "make it warmer", "turn up the heating", "warmer please",
         "it's cold in here", "I'm freezing", "heat the house", "it is cold", "turn the heating up"])),
    ("Turning the heating down.", Phrasings(
        ["it's too warm", "I'm hot", "make it colder", "turn down the heating", "cooler please",
         "it's hot in here", "it's too hot", "make it cooler", "it is too warm", "turn the heating down"])),
    ("Making the light brighter.", Phrasings(
        ["brighter", "make it brighter", "more light", "a bit brighter", "make the light brighter",
         "I need more light", "brighter please", "increase the brightness", "more light please"])),
    ("Making the light darker.", Phrasings(
        ["darker", "make it darker", "less light", "a bit darker", "dim the lights", "it's too bright",
         "dim the light", "darker please", "make the light darker", "decrease the brightness"])),
    ("Starting the vacuum cleaner.", Phrasings(
        ["clean the floor", "start the vacuum cleaner", "vacuum the house", "clean the house",
         "start cleaning", "vacuum the floor", "let the robot clean", "start vacuuming", "hoover the floor"])),
)  # fmt: skip
