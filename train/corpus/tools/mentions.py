"""What people call a device when they do not read its name from a list.

They leave a word out, turn the words round, join or part them, take another word for the kind, or misspell. A name is
only used where it means one device of the house.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from train.corpus.base import normal
from train.corpus.home_words.home_names import NUMBERS, SIDES
from train.corpus.home_words.things import ADJECTIVES
from train.corpus.tools.house import Entity, House, with_article
from train.corpus.tools.words import GENERIC

NO_NAMES = frozenset(
    ("the", "a", "an", "my", "our", "this", "that", "in", "of", "at", "on", "by", "for", "to", "s", "from")
)
"""Words that do not tell devices from each other."""

VAGUE = frozenset((*NUMBERS, *SIDES, *ADJECTIVES, "room", "master", "guest", "living", "air", "three", "four", "x2"))
"""Words that are no name by themselves."""

EQUALS = {
    "light": ("lamp", "lights", "lamps"), "lamp": ("light",), "lights": ("lamps",), "tv": ("telly", "television"),
    "television": ("tv", "telly"), "blinds": ("shades", "blind"), "curtains": ("drapes", "curtain"),
    "curtain": ("curtains",), "blind": ("blinds",), "shutters": ("blinds",), "speaker": ("speakers", "music player"),
    "stereo": ("hifi", "music"), "heater": ("heating",), "radiator": ("heater", "heating"), "thermostat": ("heating",),
    "fan": ("ventilator",), "coffee machine": ("coffee maker",), "coffee maker": ("coffee machine",),
    "washing machine": ("washer", "laundry machine"), "dishwasher": ("dish washer",), "computer": ("pc",),
    "fridge": ("refrigerator",), "vacuum": ("hoover", "vacuum cleaner"), "air conditioner": ("ac", "air con"),
    "floor lamp": ("standing lamp",), "desk lamp": ("desk light",), "garage door": ("garage",),
    "ceiling light": ("ceiling lamp", "main light"), "night light": ("nightlight", "night lamp"),
}  # fmt: skip
"""Words for the same thing."""

PARTED = {"bedroom": "bed room", "bathroom": "bath room", "hallway": "hall way", "dishwasher": "dish washer",
          "nightlight": "night light", "upstairs": "up stairs", "kids": "kid's", "playroom": "play room"}  # fmt: skip


def stem(word: str) -> str:
    """Return a word without the ending of the plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def stems(text: str) -> frozenset[str]:
    """Return the words that a name is known by."""
    return frozenset(stem(word) for word in normal(text).split() if word not in NO_NAMES)


def may_mean(house: House, words: str) -> list[Entity]:
    """Return the devices that words may mean: those that have all of them in names, area or kind."""
    wanted = stems(words)
    return [each for each in house.entities if wanted <= _vocabulary(each)]


def _vocabulary(entity: Entity) -> frozenset[str]:
    texts = (entity.name, *entity.aliases, entity.place, entity.noun, *GENERIC[entity.kind])
    equal = [word for text in (entity.noun, *GENERIC[entity.kind]) for word in EQUALS.get(text, ())]
    return stems(" ".join((*texts, *equal)))


def is_clear(house: House, entity: Entity, words: str) -> bool:
    """Return whether words mean this device and no other."""
    called = house.called(words)
    return called == [entity] if called else may_mean(house, words) == [entity]


def _part(rng: random.Random, entity: Entity) -> str:
    """Return a name without one of its words; "" if the rest would not be a name."""
    words = entity.name.split(" ")
    left = rng.randrange(len(words))
    rest = words[:left] + words[left + 1 :]
    is_name = rest and not {rest[0].lower(), rest[-1].lower()} & NO_NAMES
    is_vague = len(rest) == 1 and rest[0].lower() in VAGUE
    return " ".join(rest) if is_name and not is_vague and normal(" ".join(rest)) != normal(entity.place) else ""


GENERAL = {
    "light": ("light", "lamp"), "fan": ("fan", "ventilator"), "sensor": ("sensor",), "lock": ("lock", "door"),
    "blinds": ("blinds", "shades"), "blind": ("blinds",), "curtains": ("curtain",), "shutters": ("blinds", "shutter"),
    "heater": ("heating",), "radiator": ("heating", "heater"), "thermostat": ("heating",), "speaker": ("music box",),
    "stereo": ("music player",), "soundbar": ("speaker",), "plug": ("socket",), "socket": ("plug",),
    "outlet": ("plug",),
}  # fmt: skip
"""General words for a thing, by its noun or its kind."""


def _with_area(rng: random.Random, entity: Entity) -> str:
    """Return the kind of a device and its area, in one of the orders of words."""
    general = GENERAL.get(entity.noun) or GENERAL.get(entity.kind, ())
    generic = [entity.noun, entity.noun, *general, *EQUALS.get(entity.noun, ())]
    noun, area = rng.choice(generic), entity.place
    if "'s " in area:
        return f"the {noun} in {area}"
    return rng.choice((
        f"the {area} {noun}", f"{area} {noun}", f"the {noun} in the {area}", f"{noun} in the {area}", f"{noun} {area}",
        f"the {noun} of the {area}", f"my {area} {noun}", f"the {noun} in my {area}", f"{noun} in {area}",
        f"the {noun} from the {area}", f"the {area}'s {noun}", f"that {noun} in the {area}",
    ))  # fmt: skip


def _turned(rng: random.Random, entity: Entity) -> str:
    """Return the words of a name in another order."""
    words = entity.name.split(" ")
    if len(words) != 2 or {word.lower() for word in words} & NO_NAMES:
        return ""
    first, last = words
    if "'s" in first:
        return f"the {last} of {first.replace(chr(39) + 's', '')}"
    return rng.choice((f"{last} {first}", f"the {last} of the {first}", f"the {last} in the {first}"))


def _other_word(rng: random.Random, entity: Entity) -> str:
    """Return the name with another word for the thing."""
    name = f" {entity.name.lower()}"
    known = [word for word in sorted(EQUALS) if name.endswith(f" {word}")]
    if not known:
        return ""
    word = max(known, key=len)
    return f"{entity.name.lower()[: -len(word)]}{rng.choice(EQUALS[word])}"


def _numbered(rng: random.Random, entity: Entity) -> str:
    """Return a name with a number in another form: lamp two, the second lamp."""
    head, _, last = entity.name.lower().rpartition(" ")
    forms = {"1": ("one", "first"), "2": ("two", "second"), "3": ("three", "third"), "4": ("four", "fourth")}
    if not head or last not in forms:
        return ""
    word, order = forms[last]
    return rng.choice((f"{head} {word}", f"{head} number {last}", f"the {order} {head}", f"{head} number {word}"))


def spoiled(rng: random.Random, words: str) -> str:
    """Return words as they are misheard, misspelled, joined or parted; often as they were."""
    draw = rng.random()
    if draw < 0.3:
        for whole, parts in PARTED.items():
            words = words.replace(whole, parts)
        return words
    pieces = words.split(" ")
    if draw < 0.6 and len(pieces) > 1:
        joint = rng.randrange(len(pieces) - 1)
        if not {pieces[joint], pieces[joint + 1]} & NO_NAMES:
            return " ".join((*pieces[:joint], pieces[joint] + pieces[joint + 1], *pieces[joint + 2 :]))
        return words
    if draw < 0.7:
        return words.replace("'s ", "s ")
    long = [at for at, piece in enumerate(pieces) if len(piece) > 4 and piece.isalpha()]
    if not long:
        return words
    at = rng.choice(long)
    piece, place = pieces[at], rng.randrange(1, len(pieces[at]) - 1)
    slips = (
        piece[:place] + piece[place + 1 :], piece[:place] + piece[place] + piece[place:],
        piece[:place] + piece[place + 1] + piece[place] + piece[place + 2 :],
        piece[:place] + rng.choice("aeioulnrst") + piece[place + 1 :],
    )  # fmt: skip
    return " ".join((*pieces[:at], rng.choice(slips), *pieces[at + 1 :]))


def _free(rng: random.Random, entity: Entity) -> str:
    forms: tuple[Callable[[random.Random, Entity], str], ...] = (_part, _turned, _other_word, _numbered)
    return rng.choices((*forms, _with_area), (26, 14, 18, 10, 40 if entity.place else 0))[0](rng, entity)


def free_mention(rng: random.Random, house: House, entity: Entity) -> str | None:
    """Return words that mean a device without being its name; None if none of a few attempts is clear."""
    if entity.kind == "scene":
        return None
    for _ in range(4):
        words = _free(rng, entity)
        if stems(words) and is_clear(house, entity, words):
            if words.startswith(("the ", "my ", "that ")) or rng.random() < 0.3:
                return words
            return f"{rng.choice(('the', 'the', 'the', 'the', 'my', 'that'))} {words}"
    return None


def wide_mention(rng: random.Random, house: House, entity: Entity) -> str:
    """Return a user's name for a device: its name, another name, or what people say instead."""
    said = free_mention(rng, house, entity) if rng.random() < 0.4 else None
    if said is None:
        name = entity.name if rng.random() < 0.7 else rng.choice((entity.name, *entity.aliases))
        my_name = with_article(name) if "'s " in name else f"my {name}"
        said = rng.choice((with_article(name), with_article(name), name, my_name))
    said = said.lower() if rng.random() < 0.7 else said
    return spoiled(rng, said) if rng.random() < 0.09 else said
