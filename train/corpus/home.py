"""Wishes for the home in conversations without tools: nothing can be done, and the answer says so.

The answer names the device, or whatever else is wished, in the user's own words, and mostly how to add it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.base import Phrasings, Scene, Split, Turn, draw_until, fill, is_held_combination
from train.corpus.home_words import errands, fixed, follow_ups, openings, orders, questions, things, values
from train.corpus.honest import Wish, refused, with_follow_ups
from train.corpus.names import invented, person
from train.corpus.numbers import spoken
from train.corpus.wishes import errand_wish, skill_wish

Asked = tuple[str, Wish]
"""A sentence of the user, and what it wishes."""


@dataclass(frozen=True)
class Order:
    """A verb: how an answer names the wish, its phrasings, and its opposite."""

    do: str
    forms: Phrasings
    opposite: str
    devices: tuple[str, ...]


ORDERS = {
    "on": Order("turn on", orders.ON_FORMS, "off", things.SWITCHABLE),
    "off": Order("turn off", orders.OFF_FORMS, "on", things.SWITCHABLE),
    "open": Order("open", openings.OPEN_FORMS, "close", things.OPENABLE),
    "close": Order("close", openings.CLOSE_FORMS, "open", things.OPENABLE),
    "lock": Order("lock", openings.LOCK_FORMS, "unlock", things.LOCKABLE),
    "unlock": Order("unlock", openings.UNLOCK_FORMS, "lock", things.LOCKABLE),
}
ORDER_SHARES = (38, 34, 10, 10, 4, 4)
FIXED_WISHES = {
    "Turning off all lights.": ("turn off the lights", "the lights"),
    "Turning on all lights.": ("turn on the lights", "the lights"),
    "Turning off everything.": ("turn off all your devices", "your devices"),
    "Stopping the music.": ("stop the music", "the music"),
    "Pausing the music.": ("pause the music", "the music"),
    "Playing the next song.": ("play the next song", "a player for the next song"),
    "Turning the volume up.": ("turn the volume up", "the volume"),
    "Turning the volume down.": ("turn the volume down", "the volume"),
    "Turning the heating up.": ("turn the heating up", "the heating"),
    "Turning the heating down.": ("turn the heating down", "the heating"),
    "Making the light brighter.": ("make the light brighter", "the light"),
    "Making the light darker.": ("dim the light", "the light"),
    "Starting the vacuum cleaner.": ("start the vacuum cleaner", "the vacuum cleaner"),
    "Playing music.": ("play music", "a player for music"),
    "Playing the previous song.": ("play the previous song", "a player for that song"),
    "Resuming the music.": ("resume the music", "a player for the music"),
}
"""How an answer names the wishes without words of their own: as a command, and what they are about."""


def draw_room(rng: random.Random) -> str:
    """Return a room, sometimes one that belongs to a person or has an unknown name."""
    draw = rng.random()
    if draw < 0.7:
        return rng.choice(things.ROOMS)
    if draw < 0.84:
        return f"{person(rng)}'s {rng.choice(('room', 'room', 'bedroom', 'office', 'bathroom', 'house'))}"
    return f"{invented(rng)} {rng.choice(('room', 'room', 'hall', 'corner', 'floor', 'house'))}"


def draw_device(rng: random.Random, devices: tuple[str, ...]) -> str:
    """Return a device, sometimes with an adjective or an unknown name."""
    device = rng.choice(devices)
    draw = rng.random()
    if draw > 0.94:
        return f"{invented(rng)} {invented(rng)}" if draw > 0.97 else invented(rng)
    if draw < 0.72:
        return device
    return f"{rng.choice(things.ADJECTIVES) if draw < 0.83 else invented(rng)} {device}"


def _is_owned(room: str) -> bool:
    """Return whether the room is named after its owner, so that it takes no article."""
    return room[0].isupper()


def _with_article(room: str) -> str:
    return room if _is_owned(room) else f"the {room}"


def named(room: str | None, device: str) -> str:
    """Return the name of a device in a confirmation."""
    if room is None:
        return f"the {device}"
    return f"the {device} in {room}" if _is_owned(room) else f"the {room} {device}"


def _asked(rng: random.Random, room: str | None, device: str) -> str:
    """Return the name of a device in a user's sentence."""
    if room is None:
        return rng.choice((f"the {device}", f"the {device}", f"my {device}", device))
    if _is_owned(room):
        return f"the {device} in {room}"
    return rng.choice(
        (f"the {room} {device}", f"the {room} {device}", f"the {device} in the {room}", f"{room} {device}",
         f"the {device} of the {room}", f"the {device} in my {room}")
    )  # fmt: skip


def _wish(verb: str, room: str | None, device: str) -> Wish:
    it = named(room, device)
    names = (device, *([room] if room else []))
    return Wish("device", f"{ORDERS[verb].do} {it}", it, names)


def draw_order(rng: random.Random, split: Split) -> tuple[Asked, str, str | None, str]:
    """Return a switching command, with its verb, room and device for possible follow-ups."""
    verb = rng.choices(list(ORDERS), ORDER_SHARES)[0]
    order = ORDERS[verb]
    held_form = split == "heldout" and rng.random() < 0.5
    room, device = draw_until(
        lambda: (draw_room(rng) if rng.random() < 0.78 else None, draw_device(rng, order.devices)),
        lambda pair: held_form or is_held_combination(verb, str(pair[0]), pair[1]) == (split != "train"),
    )
    form = order.forms.pick(rng, "heldout" if held_form else "train")
    return (fill(form, it=_asked(rng, room, device)), _wish(verb, room, device)), verb, room, device


def _next_order(
    rng: random.Random, split: Split, verb: str, room: str | None, device: str
) -> tuple[Asked, str, str | None, str]:
    """Return a command that can only be understood from the turn before."""
    kind = rng.random()
    if kind < 0.4:
        verb = ORDERS[verb].opposite
        forms = follow_ups.UNDO_FORMS[verb]
    elif kind < 0.75 or not room:
        room, forms = draw_room(rng), follow_ups.OTHER_ROOM_FORMS
    else:
        device, forms = draw_device(rng, ORDERS[verb].devices), follow_ups.OTHER_DEVICE_FORMS
    place = _with_article(room) if room else ""
    question = fill(forms.pick(rng, split), room=room or "", place=place, device=device)
    return (question, _wish(verb, room, device)), verb, room, device


def _orders(rng: random.Random, split: Split) -> list[Turn]:
    """Return a switching command and its follow-ups."""
    if split != "train" and rng.random() < 0.65:
        asked = draw_order(rng, split)[0]
        return with_follow_ups(rng, split, [refused(rng, *asked)], asked[1])
    asked, verb, room, device = draw_order(rng, "train")
    turns = [refused(rng, *asked)]
    while rng.random() < (0.3 if split == "train" else 1.0):
        asked, verb, room, device = _next_order(rng, split, verb, room, device)
        turns.append(refused(rng, *asked))
        if split != "train":
            return turns
    return with_follow_ups(rng, split, turns, asked[1])


def _level(rng: random.Random, split: Split) -> Asked:
    """Return a wish about brightness, fan speed or volume in percent."""
    room = draw_room(rng) if rng.random() < 0.7 else None
    device = draw_device(rng, things.DIMMABLE)
    number = draw_until(
        lambda: rng.choice((rng.randint(1, 100), 10 * rng.randint(1, 10))),
        lambda n: is_held_combination("level", device, str(n)) == (split != "train"),
    )
    question = fill(values.LEVEL_FORMS.pick(rng, split), it=_asked(rng, room, device), n=spoken(rng, number))
    it = named(room, device)
    return question, Wish("device", f"set {it} to {number} percent", it, (device, *([room] if room else [])))


def _colour(rng: random.Random, split: Split) -> Asked:
    room = draw_room(rng) if rng.random() < 0.7 else None
    device, colour = draw_until(
        lambda: (draw_device(rng, things.LIGHTS), rng.choice(things.COLOURS)),
        lambda pair: is_held_combination("colour", *pair) == (split != "train"),
    )
    question = fill(values.COLOUR_FORMS.pick(rng, split), it=_asked(rng, room, device), colour=colour)
    it = named(room, device)
    return question, Wish("device", f"set {it} to {colour}", it, (device, *([room] if room else [])))


def _heating(rng: random.Random, split: Split) -> Asked:
    room, degrees = draw_until(
        lambda: (draw_room(rng) if rng.random() < 0.7 else "", rng.randint(10, 30)),
        lambda pair: is_held_combination("heating", pair[0], str(pair[1])) == (split != "train"),
    )
    place = f"in {_with_article(room)}" if room else ""
    question = fill(values.HEATING_FORMS.pick(rng, split), place=place, n=spoken(rng, degrees))
    it = named(room or None, "heating")
    names = ("heating", *([room] if room else []))
    return " ".join(question.split()), Wish("device", f"set {it} to {degrees} degrees", it, names)


def _music(rng: random.Random, split: Split) -> Asked:
    room, music = draw_until(
        lambda: (draw_room(rng) if rng.random() < 0.6 else "", rng.choice(things.MUSIC)),
        lambda pair: is_held_combination("music", *pair) == (split != "train"),
    )
    place = f" in {_with_article(room)}" if room else ""
    question = fill(errands.MUSIC_FORMS.pick(rng, split), music=music) + place
    heard = music.replace("my ", "your ")
    return question, Wish("device", f"play {heard}{place}", f"a player for {heard}", (heard,))


def _timer(rng: random.Random, split: Split) -> Asked:
    unit, number = draw_until(
        lambda: (rng.choice(("minute", "minute", "minute", "second", "hour")), rng.randint(1, 60)),
        lambda pair: is_held_combination("timer", pair[0], str(pair[1])) == (split != "train"),
    )
    plural = unit if number == 1 else unit + "s"
    question = fill(errands.TIMER_FORMS.pick(rng, split), time=f"{spoken(rng, number)} {plural}")
    if split == "train" and rng.random() < 0.06:
        return follow_ups.TIMER_CANCEL.pick(rng, split), Wish(
            "skill", "cancel a timer", "the timer", ("timer",), "timers"
        )
    return question, Wish("skill", f"set a timer for {number} {plural}", "the timer", ("timer",), "timers")


def _alarm(rng: random.Random, split: Split) -> Asked:
    clock = draw_until(
        lambda: f"{rng.randint(1, 12)}{rng.choice(('', '', ':15', ':30', ':45'))}{rng.choice((' am', ' pm', ''))}",
        lambda time: is_held_combination("alarm", time) == (split != "train"),
    )
    question = fill(errands.ALARM_FORMS.pick(rng, split), time=clock)
    return question, Wish("skill", f"set an alarm for {clock}", "the alarm", ("alarm",), "alarms")


def _scene(rng: random.Random, split: Split) -> Asked:
    name = draw_until(
        lambda: rng.choice(things.SCENES) if rng.random() < 0.8 else invented(rng),
        lambda scene: split == "train" or scene in things.SCENES,
    )
    it = f"the {name} scene"
    return fill(errands.SCENE_FORMS.pick(rng, split), scene=name), Wish("device", f"start {it}", it, (name,))


def _listing(rng: random.Random, split: Split) -> Asked:
    item = draw_until(
        lambda: rng.choice(things.GROCERIES) if rng.random() < 0.8 else invented(rng),
        lambda thing: is_held_combination("list", thing) == (split != "train"),
    )
    question = fill(errands.LIST_FORMS.pick(rng, split), item=item)
    return question, Wish("skill", f"put {item} on a list", item, (item, "list"), "lists")


def _state_question(rng: random.Random, split: Split) -> Asked:
    """Return a question that only the house itself could answer."""
    room = draw_room(rng) if rng.random() < 0.7 else None
    devices, forms, state = rng.choice((
        (things.SWITCHABLE, questions.STATE_FORMS, "on"),
        ((*things.LOCKABLE, *things.OPENABLE), questions.SHUT_FORMS, "open"),
    ))  # fmt: skip
    device = draw_device(rng, devices)
    question = fill(forms.pick(rng, split), it=_asked(rng, room, device))
    it = named(room, device)
    return question, Wish("state", f"check {it}", it, (device, *([room] if room else [])), state=state)


def _fixed(rng: random.Random, split: Split) -> Asked:
    """Return a wish that needs no words of its own."""
    said = [(forms, FIXED_WISHES[confirmed]) for confirmed, forms in fixed.FIXED if confirmed in FIXED_WISHES]
    forms, (do, it) = rng.choice(said)
    return forms.pick(rng, split), Wish("device", do, it, (it.split()[-1],))


ASKED: tuple[tuple[Callable[[random.Random, Split], Asked], int], ...] = (
    (_level, 7), (_colour, 5), (_heating, 8), (_music, 6), (_timer, 6), (_alarm, 4), (_scene, 3), (_listing, 4),
    (_state_question, 6), (_fixed, 12), (errand_wish, 18), (skill_wish, 14),
)  # fmt: skip
ORDERS_SHARE = 0.36


def make_home(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with a wish for the home, or for something else that needs more than words, and follow-ups."""
    if rng.random() < ORDERS_SHARE:
        return _orders(rng, split)
    question, wish = rng.choices([make for make, _ in ASKED], [share for _, share in ASKED])[0](rng, split)
    return with_follow_ups(rng, split, [refused(rng, question, wish)], wish)
