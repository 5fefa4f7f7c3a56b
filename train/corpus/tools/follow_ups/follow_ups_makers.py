"""Requests that only the conversation explains: another device, the other one, undone, back on, more, all of them.

A function that makes one returns None where the conversation or the house does not allow it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from train.corpus.base import fill
from train.corpus.numbers import spoken
from train.corpus.tools.follow_ups.follow_ups_state import (
    BACK,
    NUMBERED,
    STATE,
    Next,
    Step,
    alike,
    done,
    opposite,
    others,
    read,
    said,
    same_kind,
    spoken_words,
    with_room,
    words,
)
from train.corpus.tools.house import Entity, with_article
from train.corpus.tools.own.own_tools_fillers import lists
from train.corpus.tools.requests import MOST_CALLS, Place, values_of

FollowUp = Callable[[Place, Step], Next | None]
STEPS = {"percent": 10, "degrees": 1}
"""By how much "a bit more" changes a number."""

LEAVE_IT = "All right."
FULL, HALF = 100, 50


def _same(step: Step, *devices: Entity, is_group: bool = False) -> Step:
    return Step(step.meaning, devices, step.values, is_group=is_group)


def _is_single(step: Step) -> bool:
    return not step.is_group and len(step.devices) == 1 and not step.offered


def too_device(place: Place, step: Step) -> Next | None:
    """Return "and the desk lamp too", or "not that one, the desk lamp": the same for another device."""
    them = others(place, step)
    if not them or step.meaning == STATE or step.offered:
        return None
    near = [each for each in them if each.kind == step.kind]
    block = "meant" if near and place.rng.random() < 0.45 and _is_single(step) else "too device"
    other = place.rng.choice(near if block == "meant" or (near and place.rng.random() < 0.5) else them)
    return done(place, block, said(place, block, it=place.mention(other)), _same(step, other))


def too_area(place: Place, step: Step) -> Next | None:
    """Return "the same in the hall", or "I meant the one in the hall": the same for the only such device there."""
    if step.meaning == STATE or step.offered:
        return None
    here = {each.place for each in step.devices}
    areas = {area: alike(place.house, step, area) for area in place.house.areas(step.kind) if area not in here}
    most = MOST_CALLS if step.is_group else 1
    fitting = [(area, found) for area, found in areas.items() if 0 < len(found) <= most]
    if not fitting or (not step.is_group and not _is_single(step)):
        return None
    area, found = place.rng.choice(fitting)
    block = "meant area" if place.rng.random() < 0.35 and _is_single(step) else "too area"
    return done(place, block, with_room(place, block, area), _same(step, *found, is_group=step.is_group))


def too_value(place: Place, step: Step) -> Next | None:
    """Return "and the desk lamp to 20": the same for another device, with another number."""
    if NUMBERED.get(step.meaning) != "percent" or not (them := others(place, step)):
        return None
    other = place.rng.choice(them)
    values, shown = values_of(place, step.meaning)
    text = said(place, "too value", it=place.mention(other), **shown)
    return done(place, "too value", text, replace(_same(step, other), values=values))


def how_is_other(place: Place, step: Step) -> Next | None:
    """Return "and the kitchen window?" after a question: the same question for another device."""
    if step.meaning != STATE:
        return None
    areas = [area for area in place.house.areas(step.kind) if area not in {each.place for each in step.devices}]
    alone = [area for area in areas if len(alike(place.house, step, area)) == 1]
    if alone and place.rng.random() < 0.5:
        area = place.rng.choice(alone)
        device = alike(place.house, step, area)[0]
        return read(place, "what about area", with_room(place, "what about area", area), device)
    them = [each for each in others(place, step) if each.kind == step.kind]
    if not them:
        return None
    other = place.rng.choice(them)
    return read(place, "what about device", said(place, "what about device", it=place.mention(other)), other)


def other_one(place: Place, step: Step) -> Next | None:
    """Return "the other one", "the other one too" or "both" where there are exactly two devices of the kind."""
    them = same_kind(place.house, step)
    if len(them) != 1 or step.meaning == STATE or not _is_single(step):
        return None
    draw = place.rng.random()
    if draw < 0.45:
        return done(place, "other one", said(place, "other one"), _same(step, them[0]))
    if draw < 0.75:
        return done(place, "too other", said(place, "too other"), _same(step, them[0]))
    pair = [each for each in place.house.entities if each in (*step.devices, *them)]
    return done(place, "both of two", said(place, "both of two"), _same(step, *pair))


def the_rest(place: Place, step: Step) -> Next | None:
    """Return "the others too" or "all of them": the same for the other devices of the kind, or for all."""
    them = same_kind(place.house, step)
    if not 1 < len(them) < MOST_CALLS or step.meaning == STATE or not _is_single(step):
        return None
    if place.rng.random() < 0.5:
        return done(place, "rest", said(place, "rest"), _same(step, *them))
    return done(place, "all of them", said(place, "all of them"), _same(step, *alike(place.house, step), is_group=True))


def swapped(place: Place, step: Step) -> Next | None:
    """Return "the fan instead": the first one back, the other one like it."""
    back = opposite(place, step.meaning)
    them = [each for each in others(place, step) if each.kind == step.kind] if back else []
    if not them or not _is_single(step):
        return None
    other = place.rng.choice(them)
    text = said(place, "swap", it=place.mention(other))
    first = done(place, "swap", text, Step(back, step.devices))
    second = done(place, "swap", text, _same(step, other))
    if first.step.has_failed or second.step.has_failed:
        return None
    return Next("swap", text, first.calls + second.calls, first.results + second.results, "All done.", second.step)


def excepted(place: Place, step: Step) -> Next | None:
    """Return "but not the desk lamp" after a command for several devices: this one back."""
    back = opposite(place, step.meaning)
    if not back or len(step.devices) < 2:
        return None
    device = place.rng.choice(step.devices)
    return done(place, "except", said(place, "except", it=place.mention(device)), Step(back, (device,)))


def undone(place: Place, step: Step) -> Next | None:
    """Return "undo that": the opposite, or the value before."""
    if step.offered or step.meaning == STATE:
        return None
    if back := opposite(place, step.meaning):
        return done(place, "undo", said(place, "undo", **words(step)), Step(back, step.devices, is_group=step.is_group))
    if step.before is None:
        return None
    return done(
        place, "undo", said(place, "undo", **words(step)), replace(step, values=step.before, before=step.values)
    )


def back_again(place: Place, step: Step) -> Next | None:
    """Return "turn it back on", or only "off": the opposite in its own words."""
    back = opposite(place, step.meaning)
    if not back or step.offered:
        return None
    text = said(place, BACK[back], **words(step))
    return done(place, BACK[back], text, Step(back, step.devices, is_group=step.is_group))


def after_reading(place: Place, step: Step) -> Next | None:
    """Return "then close it" after "it is open": what the state that was read calls for."""
    wanted = {
        "open": "close",
        "closed": "open",
        "on": "turn_off",
        "off": "turn_on",
        "locked": "unlock",
        "unlocked": "lock",
    }
    meaning = wanted.get(step.state, "")
    if meaning not in place.toolbox.tools or step.meaning != STATE:
        return None
    text = said(place, BACK[meaning], **words(step))
    return done(place, f"then {meaning}", text, Step(meaning, step.devices))


def with_value(place: Place, step: Step) -> Next | None:
    """Return "make it blue" or "dim it to 20 percent": another action for the same device."""
    fitting = {
        "light": ("brightness", "color"),
        "climate": ("temperature",),
        "media": ("volume",),
        "cover": ("position",),
    }
    meanings = [each for each in fitting.get(step.kind, ()) if each in place.toolbox.tools]
    if not meanings or step.offered:
        return None
    meaning = place.rng.choice(meanings)
    values, shown = values_of(place, meaning)
    if values == step.values:
        return None
    before = step.values if step.meaning == meaning else None
    text = said(place, f"it {meaning}", **words(step), **shown)
    return done(place, f"it {meaning}", text, Step(meaning, step.devices, values, before, step.is_group))


def another_value(place: Place, step: Step) -> Next | None:
    """Return "and now to 20" or "blue instead": the same with another value."""
    blocks = {"color": "to colour", "temperature": "to degrees"}
    if step.meaning not in (*NUMBERED, "color") or step.offered:
        return None
    values, shown = values_of(place, step.meaning)
    if values == step.values:
        return None
    block = blocks.get(step.meaning, "to percent")
    text = said(place, block, **words(step), **shown)
    return done(place, block, text, replace(step, values=values, before=step.values))


def bit_more(place: Place, step: Step) -> Next | None:
    """Return "a bit more", "darker" or "all the way": a number from the one before."""
    name = NUMBERED.get(step.meaning)
    number = step.values.get(name or "")
    if name is None or not isinstance(number, (int, float)) or step.offered:
        return None
    rng = place.rng
    if name == "percent" and rng.random() < 0.12:
        block, wanted = rng.choice((("full", FULL), ("half", HALF)))
        return done(
            place, block, said(place, block, **words(step)), replace(step, values={name: wanted}, before=step.values)
        )
    direction = rng.choice(("more", "less"))
    wanted_number = number + STEPS[name] * (1 if direction == "more" else -1)
    if not (5 <= wanted_number <= 30 if name == "degrees" else 0 <= wanted_number <= 100):
        return None
    # "A bit more" after "close it to 20 percent" may mean either.
    block = direction if rng.random() < 0.6 and step.meaning != "position" else f"{direction} {step.meaning}"
    text = said(place, block, **words(step))
    return done(place, block, text, replace(step, values={name: wanted_number}, before=step.values))


def once_more(place: Place, step: Step) -> Next | None:
    """Return "try again" after an error, or "again" after what can be repeated."""
    if step.offered or (not step.has_failed and (step.meaning != "play" or place.rng.random() < 0.7)):
        return None
    block = "retry" if step.has_failed else "again"
    return done(place, block, said(place, block), replace(step, has_failed=False))


def chosen(place: Place, step: Step) -> Next | None:
    """Return the reply to "Which one do you mean?": by its place, its name or area, both, all, or none."""
    rng, offered = place.rng, step.offered
    if len(offered) < 2:
        return None
    if rng.random() < 0.07:
        return spoken_words(place, "neither", said(place, "neither"), LEAVE_IT, replace(step, offered=()))
    if rng.random() < 0.2:
        block = "both" if len(offered) == 2 else "all offered"
        return done(place, block, said(place, block), replace(step, devices=offered, offered=()))
    at = rng.randrange(len(offered))
    device = offered[at]
    ordinals = ("first", "second", "third")[at : at + 1] + (("last",) if at == len(offered) - 1 else ())
    then = replace(step, devices=(device,), offered=())
    if ordinals and rng.random() < 0.45:
        block = rng.choice(ordinals)
        return done(place, block, said(place, block), then)
    return done(place, "chosen", _chosen_words(place, device, offered), then)


def _chosen_words(place: Place, device: Entity, offered: tuple[Entity, ...]) -> str:
    """Return the words for one of the offered devices: the whole name, the part that distinguishes it, or its area."""
    rng = place.rng
    form = lists("own_replies")["other"].pick(rng, place.split)
    rest = device.name.lower().removesuffix(device.noun).strip()
    areas = [each.place for each in offered]
    draw = rng.random()
    if (
        draw < 0.3
        and rest
        and "'s" not in rest
        and not any(rest in each.name.lower() for each in offered if each != device)
    ):
        return fill(form, value=f"the {rest} one")
    if draw < 0.5 and device.place and areas.count(device.place) == 1:
        where = with_article(device.place.lower())
        return fill(form, value=rng.choice((f"the one in {where}", f"in {where}", where)))
    return fill(form, value=with_article(device.name))


def confirmed(place: Place, step: Step) -> Next | None:
    """Return "yes" or "no" after "Do you mean the desk lamp?"."""
    if len(step.offered) != 1:
        return None
    if place.rng.random() < 0.7:
        return done(place, "yes", said(place, "yes"), replace(step, devices=step.offered, offered=()))
    other = [each for each in others(place, step) if each not in step.offered]
    if other and place.rng.random() < 0.5:
        device = place.rng.choice(other)
        return done(
            place, "meant", said(place, "meant", it=place.mention(device)), replace(step, devices=(device,), offered=())
        )
    return spoken_words(place, "no", said(place, "no"), LEAVE_IT, replace(step, offered=()))


def slipped_number(place: Place, meaning: str) -> tuple[dict[str, int | float | str], dict[str, str]] | None:
    """Return a value, and words in which the user corrects himself to it: "20, no, 30"."""
    values, shown = values_of(place, meaning)
    name = NUMBERED[meaning]
    wrong = place.rng.randint(5, 30) if name == "degrees" else 10 * place.rng.randint(1, 10)
    if wrong == values[name]:
        return None
    return values, {"n": said(place, "slip value", wrong=spoken(place.rng, wrong), **shown)}


MAKERS: tuple[tuple[FollowUp, int], ...] = (
    (too_device, 16), (too_area, 16), (too_value, 4), (how_is_other, 14), (other_one, 14), (the_rest, 9), (swapped, 5),
    (excepted, 12), (undone, 8), (back_again, 14), (after_reading, 16), (with_value, 7), (another_value, 16),
    (bit_more, 24), (once_more, 30), (chosen, 90), (confirmed, 90),
)  # fmt: skip
"""The follow-ups, and how frequent each is where it is possible."""

AFTER_TALK = (undone, back_again, after_reading, with_value, another_value, bit_more)
"""The follow-ups that are still understood when something else was talked about meanwhile."""
