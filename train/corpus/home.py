"""Commands for the home, each answered with a confirmation that repeats what will be done.

The confirmation always names the state, the room and the device in the user's own words.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from train.corpus.base import (
    Check,
    Phrasings,
    Scene,
    Split,
    Turn,
    draw_until,
    expects,
    fill,
    is_held_combination,
    mentions,
)
from train.corpus.home_words import errands, fixed, follow_ups, openings, orders, questions, things, values
from train.corpus.names import invented, person
from train.corpus.numbers import spoken


@dataclass(frozen=True)
class Order:
    """A verb: its confirmation, its phrasings, and its opposite."""

    confirm: str
    forms: Phrasings
    opposite: str
    devices: tuple[str, ...]


ORDERS = {
    "on": Order("Turning on", orders.ON_FORMS, "off", things.SWITCHABLE),
    "off": Order("Turning off", orders.OFF_FORMS, "on", things.SWITCHABLE),
    "open": Order("Opening", openings.OPEN_FORMS, "close", things.OPENABLE),
    "close": Order("Closing", openings.CLOSE_FORMS, "open", things.OPENABLE),
    "lock": Order("Locking", openings.LOCK_FORMS, "unlock", things.LOCKABLE),
    "unlock": Order("Unlocking", openings.UNLOCK_FORMS, "lock", things.LOCKABLE),
}
ORDER_SHARES = (38, 34, 10, 10, 4, 4)


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


def _confirms(verb: str, room: str | None, device: str) -> Check:
    """Return the rule that the reply has the right verb, room and device."""
    other = ORDERS[ORDERS[verb].opposite].confirm
    wanted = [ORDERS[verb].confirm, device, *([room] if room else [])]
    return lambda reply: mentions(reply, *wanted) and not mentions(reply, other)


def order_turn(rng: random.Random, split: Split) -> tuple[Turn, str, str | None, str]:
    """Return a switching command, with its verb, room and device for possible follow-ups."""
    verb = rng.choices(list(ORDERS), ORDER_SHARES)[0]
    order = ORDERS[verb]
    held_form = split == "heldout" and rng.random() < 0.5
    room, device = draw_until(
        lambda: (draw_room(rng) if rng.random() < 0.78 else None, draw_device(rng, order.devices)),
        lambda pair: held_form or is_held_combination(verb, str(pair[0]), pair[1]) == (split != "train"),
    )
    form = order.forms.pick(rng, "heldout" if held_form else "train")
    question = fill(form, it=_asked(rng, room, device))
    reply = f"{order.confirm} {named(room, device)}."
    return Turn(question, reply, _confirms(verb, room, device)), verb, room, device


def _follow_up(
    rng: random.Random, split: Split, verb: str, room: str | None, device: str
) -> tuple[Turn, str, str | None, str]:
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
    reply = f"{ORDERS[verb].confirm} {named(room, device)}."
    return Turn(question, reply, _confirms(verb, room, device)), verb, room, device


def _orders(rng: random.Random, split: Split) -> list[Turn]:
    """Return a switching command and its follow-ups."""
    if split != "train" and rng.random() < 0.65:
        return [order_turn(rng, split)[0]]
    turn, verb, room, device = order_turn(rng, "train")
    turns = [turn]
    while rng.random() < (0.4 if split == "train" else 1.0):
        turn, verb, room, device = _follow_up(rng, split, verb, room, device)
        turns.append(turn)
        if split != "train":
            break
    return turns


def _level(rng: random.Random, split: Split) -> list[Turn]:
    """Return a turn about brightness, fan speed or volume in percent."""
    room = draw_room(rng) if rng.random() < 0.7 else None
    device = draw_device(rng, things.DIMMABLE)
    number = draw_until(
        lambda: rng.choice((rng.randint(1, 100), 10 * rng.randint(1, 10))),
        lambda n: is_held_combination("level", device, str(n)) == (split != "train"),
    )
    question = fill(values.LEVEL_FORMS.pick(rng, split), it=_asked(rng, room, device), n=spoken(rng, number))
    reply = f"Setting {named(room, device)} to {number} percent."
    wanted = [device, f"{number} percent", *([room] if room else [])]
    turns = [Turn(question, reply, expects(*wanted))]
    if split == "train" and rng.random() < 0.25:
        number = rng.randint(1, 100)
        turns.append(
            Turn(
                fill(follow_ups.LEVEL_AGAIN.pick(rng, split), n=spoken(rng, number)),
                f"Setting {named(room, device)} to {number} percent.",
                expects(device, f"{number} percent"),
            )
        )
    return turns


def _colour(rng: random.Random, split: Split) -> list[Turn]:
    room = draw_room(rng) if rng.random() < 0.7 else None
    device, colour = draw_until(
        lambda: (draw_device(rng, things.LIGHTS), rng.choice(things.COLOURS)),
        lambda pair: is_held_combination("colour", *pair) == (split != "train"),
    )
    question = fill(values.COLOUR_FORMS.pick(rng, split), it=_asked(rng, room, device), colour=colour)
    wanted = [device, colour, *([room] if room else [])]
    return [Turn(question, f"Setting {named(room, device)} to {colour}.", expects(*wanted))]


def _heating(rng: random.Random, split: Split) -> list[Turn]:
    room, degrees = draw_until(
        lambda: (draw_room(rng) if rng.random() < 0.7 else "", rng.randint(10, 30)),
        lambda pair: is_held_combination("heating", pair[0], str(pair[1])) == (split != "train"),
    )
    place = f"in {_with_article(room)}" if room else ""
    question = fill(values.HEATING_FORMS.pick(rng, split), place=place, n=spoken(rng, degrees))
    reply = f"Setting {named(room or None, 'heating')} to {degrees} degrees."
    wanted = ["heating", f"{degrees} degrees", *([room] if room else [])]
    turns = [Turn(" ".join(question.split()), reply, expects(*wanted))]
    if split == "train" and rng.random() < 0.2:
        degrees = rng.randint(10, 30)
        again = fill(follow_ups.HEATING_AGAIN.pick(rng, split), n=spoken(rng, degrees))
        reply = f"Setting {named(room or None, 'heating')} to {degrees} degrees."
        turns.append(Turn(again, reply, expects("heating", f"{degrees} degrees")))
    return turns


def _music(rng: random.Random, split: Split) -> list[Turn]:
    room, music = draw_until(
        lambda: (draw_room(rng) if rng.random() < 0.6 else "", rng.choice(things.MUSIC)),
        lambda pair: is_held_combination("music", *pair) == (split != "train"),
    )
    place = f" in {_with_article(room)}" if room else ""
    question = fill(errands.MUSIC_FORMS.pick(rng, split), music=music) + place
    wanted = ["playing", music, *([room] if room else [])]
    return [Turn(question, f"Playing {music}{place}.", expects(*wanted))]


def _timer(rng: random.Random, split: Split) -> list[Turn]:
    unit, number = draw_until(
        lambda: (rng.choice(("minute", "minute", "minute", "second", "hour")), rng.randint(1, 60)),
        lambda pair: is_held_combination("timer", pair[0], str(pair[1])) == (split != "train"),
    )
    plural = unit if number == 1 else unit + "s"
    question = fill(errands.TIMER_FORMS.pick(rng, split), time=f"{spoken(rng, number)} {plural}")
    reply = f"Setting a timer for {number} {plural}."
    turns = [Turn(question, reply, expects("timer", f"{number} {plural}"))]
    if split == "train" and rng.random() < 0.2:
        turns.append(Turn(follow_ups.TIMER_CANCEL.pick(rng, split), "Cancelling the timer.", expects("cancelling")))
    return turns


def _alarm(rng: random.Random, split: Split) -> list[Turn]:
    clock = draw_until(
        lambda: f"{rng.randint(1, 12)}{rng.choice(('', '', ':15', ':30', ':45'))}{rng.choice((' am', ' pm', ''))}",
        lambda time: is_held_combination("alarm", time) == (split != "train"),
    )
    question = fill(errands.ALARM_FORMS.pick(rng, split), time=clock)
    return [Turn(question, f"Setting an alarm for {clock}.", expects("alarm", clock))]


def _scene(rng: random.Random, split: Split) -> list[Turn]:
    name = draw_until(
        lambda: rng.choice(things.SCENES) if rng.random() < 0.8 else invented(rng),
        lambda scene: split == "train" or scene in things.SCENES,
    )
    question = fill(errands.SCENE_FORMS.pick(rng, split), scene=name)
    return [Turn(question, f"Starting the {name} scene.", expects("starting", name, "scene"))]


def _listing(rng: random.Random, split: Split) -> list[Turn]:
    item = draw_until(
        lambda: rng.choice(things.GROCERIES) if rng.random() < 0.8 else invented(rng),
        lambda thing: is_held_combination("list", thing) == (split != "train"),
    )
    question = fill(errands.LIST_FORMS.pick(rng, split), item=item)
    reply = f"Adding {item} to the shopping list."
    return [Turn(question, reply, expects("adding", item, "shopping list"))]


def _state_question(rng: random.Random, split: Split) -> list[Turn]:
    """Return a question that only the house itself could answer."""
    room = draw_room(rng) if rng.random() < 0.7 else None
    devices, forms = rng.choice(
        ((things.SWITCHABLE, questions.STATE_FORMS), ((*things.LOCKABLE, *things.OPENABLE), questions.SHUT_FORMS))
    )
    device = draw_device(rng, devices)
    question = fill(forms.pick(rng, split), it=_asked(rng, room, device))
    reply = f"I'm sorry, I can't see the state of {named(room, device)}."
    return [Turn(question, reply, expects("sorry", "state", device))]


def _fixed(rng: random.Random, split: Split) -> list[Turn]:
    """Return a command that needs no words of its own."""
    reply, forms = rng.choice(fixed.FIXED)
    return [Turn(forms.pick(rng, split), reply, lambda text: mentions(text, reply))]


KINDS: tuple[tuple[Callable[[random.Random, Split], list[Turn]], int], ...] = (
    (_orders, 54), (_level, 7), (_colour, 5), (_heating, 8), (_music, 5), (_timer, 6), (_alarm, 3),
    (_scene, 3), (_listing, 3), (_state_question, 3), (_fixed, 9),
)  # fmt: skip


def make_home(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns with a command for the home, sometimes with follow-ups."""
    maker = rng.choices([kind for kind, _ in KINDS], [share for _, share in KINDS])[0]
    return maker(rng, split)
