"""Conversations in houses whose sentences lean on each other, and sentences that correct themselves."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from train.corpus.base import Message, Scene, Split, draw_until, fill, normal
from train.corpus.surface import surface
from train.corpus.tools.follow_ups.follow_ups_makers import AFTER_TALK, MAKERS, once_more, slipped_number, too_device
from train.corpus.tools.follow_ups.follow_ups_state import (
    BACK,
    NUMBERED,
    STATE,
    Next,
    Step,
    done,
    opposite,
    read,
    said,
    spoken_words,
    which_one,
)
from train.corpus.tools.house import Entity, draw_area, with_article
from train.corpus.tools.own.own_tools import asked_of
from train.corpus.tools.own.own_tools_turns import answered, called, resulted
from train.corpus.tools.requests import KINDS, MOST_CALLS, SHARES, Place, action, values_of
from train.corpus.tools.talk import CHAT_CATEGORIES, Probe, draw_place, system_turn
from train.corpus.tools.toolbox import read_calls
from train.corpus.tools.words import NOUNS, PLURALS

PROBES = 160
PROBE_SEED = 42_000
TRIES = 30
FOLLOWABLE = tuple(meaning for meaning in SHARES if meaning != "scene")
CHAT_SHARE = 0.12
AFTER_ERROR = (once_more, too_device)
Base = Callable[[Place], Next | None]


def draw_related_place(rng: random.Random, split: Split) -> Place:
    """Return a house that has several devices of a kind, so that there is something to refer to."""

    def is_rich(place: Place) -> bool:
        counts = [len(place.house.of(kind)) for kind in ("light", "cover", "climate", "media", "fan", "switch", "lock")]
        return max(counts) > 1 and sum(counts) > 2 and bool(place.toolbox.tools)

    return draw_until(lambda: draw_place(rng, split), is_rich)


def _possible(place: Place, least: int = 1) -> list[str]:
    tools = place.toolbox.tools
    return [each for each in FOLLOWABLE if each in tools and len(place.house.of(*KINDS[each])) >= least]


def one_device(place: Place) -> Next | None:
    """Return a request to one device."""
    possible = _possible(place)
    asked = action(place, place.rng.choice(possible)) if possible else None
    if asked is None or asked.entity is None:
        return None
    return done(place, asked.meaning, asked.text, Step(asked.meaning, (asked.entity,), dict(asked.values)))


def group(place: Place) -> Next | None:
    """Return a request to all devices of a kind, in one area or everywhere."""
    kind, meanings = place.rng.choice((("light", ("turn_on", "turn_off")), ("cover", ("open", "close")),
                                       ("fan", ("turn_on", "turn_off"))))  # fmt: skip
    meaning = place.rng.choice(meanings)
    area = place.rng.choice([None, *place.house.areas(kind)])
    devices, them = place.house.of(kind, area=area), place.rng.choice(PLURALS[kind])
    if meaning not in place.toolbox.tools or not 1 < len(devices) <= MOST_CALLS or place.house.called(them):
        return None
    where = f" in {with_article(area.lower())}" if area else ""
    text = fill(place.form(f"all_{meaning}"), them=them, one=them.removesuffix("s")) + where
    return done(place, "group", text, Step(meaning, tuple(devices), is_group=True))


def question(place: Place) -> Next | None:
    """Return a question how a device is."""
    devices = place.house.of("light", "switch", "fan", "media", "cover", "lock", "climate")
    if STATE not in place.toolbox.tools or not devices:
        return None
    device = place.rng.choice(devices)
    form = "shut" if device.kind in ("cover", "lock") else "state"
    return read(place, "state", fill(place.form(form), it=place.mention(device)), device)


def _word_of_several(place: Place, meaning: str) -> tuple[str, tuple[Entity, ...]] | None:
    """Return a word that could mean two to four devices, and these."""
    devices = place.house.of(*KINDS[meaning])
    word = place.rng.choice(devices).noun
    meant = tuple(each for each in devices if word in normal(f"{each.name} {each.noun} {' '.join(each.aliases)}"))
    shown = [each for each in place.house.entities if word in normal(each.line)]
    return (word, meant) if 1 < len(meant) <= 4 and len(shown) == len(meant) and not place.house.called(word) else None


def ambiguous(place: Place) -> Next | None:
    """Return a request that could mean several devices; the assistant asks which."""
    possible = _possible(place, least=2)
    meaning = place.rng.choice(possible) if possible else ""
    found = _word_of_several(place, meaning) if meaning and meaning != "play" else None
    if found is None:
        return None
    word, meant = found
    values, shown = values_of(place, meaning)
    text = fill(place.form(meaning), it=f"the {word}", **shown)
    return spoken_words(place, "which one", text, which_one(meant), Step(meaning, meant, values, offered=meant))


def _mangled(rng: random.Random, name: str) -> str | None:
    """Return a name as it is misheard: two or three letters of its longest word are others."""
    words = name.lower().split(" ")
    longest = max(words, key=len)
    if len(longest) < 6:
        return None
    letters = list(longest)
    for at in rng.sample(range(1, len(letters)), 3):
        letters[at] = rng.choice("aeioubdgklmnprst")
    words[words.index(longest)] = "".join(letters)
    return " ".join(words)


def misheard(place: Place) -> Next | None:
    """Return a request for a name that is nearly a device's; the assistant asks whether that one is meant."""
    possible = [each for each in _possible(place) if each != "play"]
    meaning = place.rng.choice(possible) if possible else ""
    device = place.rng.choice(place.house.of(*KINDS[meaning])) if meaning else None
    name = _mangled(place.rng, device.name) if device else None
    if device is None or name is None:
        return None
    values, shown = values_of(place, meaning)
    text = fill(place.form(meaning), it=f"the {name}", **shown)
    answer = f"Do you mean {with_article(device.name)}?"
    return spoken_words(place, "do you mean", text, answer, Step(meaning, (device,), values, offered=(device,)))


def unknown_first(place: Place) -> Next | None:
    """Return a request for a device that does not exist; the next sentence may name the right one."""
    possible = [each for each in _possible(place) if each not in ("play", "pause")]
    if not possible:
        return None
    meaning = place.rng.choice(possible)
    kind = place.rng.choice(KINDS[meaning])
    name = f"{draw_area(place.rng, place.split)} {place.rng.choice(NOUNS[kind])}"
    wanted = set(normal(name).split())
    if any(wanted <= set(normal(f"{each.line} {each.noun}").split()) for each in place.house.entities):
        return None
    if any(normal(name).split()[-1] in normal(f"{each.line} {each.noun}").split() and each.place.lower() in name.lower()
           for each in place.house.entities):  # fmt: skip
        return None
    values, shown = values_of(place, meaning)
    text = fill(place.form(meaning), it=with_article(name), **shown)
    step = Step(meaning, (Entity(name, kind, ""),), values, has_failed=True)
    return spoken_words(place, "unknown device", text, f"I'm sorry, I can't find {with_article(name)}.", step)


def slip(place: Place) -> Next | None:
    """Return a sentence that corrects itself: another device, another number, another action."""
    rng = place.rng
    possible = [each for each in _possible(place, least=2) if each != "play"]
    if not possible:
        return None
    meaning = rng.choice(possible)
    wrong, device = rng.sample(place.house.of(*KINDS[meaning]), 2)
    form, draw = place.form(meaning), rng.random()
    values, shown = values_of(place, meaning)
    step = Step(meaning, (device,), values)
    names = {"wrong": place.mention(wrong), "it": place.mention(device)}
    if draw < 0.4:
        return done(place, "slip", fill(form, it=said(place, "slip device", **names), **shown), step)
    if draw < 0.6:
        first = fill(form, it=names["wrong"], **shown)
        return done(place, "slip", said(place, "slip sentence", first=first, it=names["it"]), step)
    if draw < 0.8 and meaning in NUMBERED:
        found = slipped_number(place, meaning)
        return (
            done(place, "slip", fill(form, it=names["it"], **found[1]), replace(step, values=found[0]))
            if found
            else None
        )
    if not (back := opposite(place, meaning)):
        return None
    first = fill(form, it=names["it"], **shown)
    second = said(place, BACK[back], them=step.them)
    return done(place, "slip", said(place, "slip action", first=first, second=second), Step(back, (device,)))


BASES: tuple[tuple[Base, int], ...] = (
    (one_device, 50), (group, 18), (question, 16), (ambiguous, 16), (misheard, 2), (unknown_first, 5), (slip, 12),
)  # fmt: skip
"""What a conversation begins with, and how frequent each is."""


def draw_base(place: Place) -> Next:
    """Return a possible request that needs nothing before it."""
    makers, shares = [maker for maker, _ in BASES], [share for _, share in BASES]
    while True:
        if found := place.rng.choices(makers, shares)[0](place):
            return found


def draw_follow_up(place: Place, step: Step, is_after_talk: bool = False) -> Next | None:
    """Return a request that leans on the step, if there is one."""
    makers, shares = [maker for maker, _ in MAKERS], [share for _, share in MAKERS]
    for _ in range(TRIES):
        maker = place.rng.choices(makers, shares)[0]
        if (step.has_failed and maker not in AFTER_ERROR) or (is_after_talk and maker not in AFTER_TALK):
            continue
        if step.has_failed and step.devices[0] not in place.house.entities:
            return _right_name(place, step)
        if found := maker(place, step):
            return found
    return None


def _right_name(place: Place, step: Step) -> Next:
    """Return the right name after one that does not exist."""
    device = place.rng.choice(place.house.of(step.kind) or place.house.of(*KINDS[step.meaning]))
    text = said(place, "meant", it=place.mention(device))
    return done(place, "meant", text, replace(step, devices=(device,)))


def messages_of(place: Place, turn: Next) -> list[Message]:
    """Return the messages of an exchange."""
    user = Message("user", surface(place.rng, turn.text, exact=place.rng.random() < 0.85))
    if not turn.calls:
        return [user, answered(turn.answer)]
    return [user, called(*turn.calls), *map(resulted, turn.results), answered(turn.answer)]


def _chat(place: Place, split: Split) -> list[Message]:
    """Return talk between two requests."""
    rng = place.rng
    category = rng.choice(
        [each for each in CHAT_CATEGORIES if each.name in ("smalltalk", "identity", "facts", "personal")]
    )
    messages: list[Message] = []
    for turn in category.make(rng, split, Scene()):
        messages += [Message("user", surface(rng, turn.user)), answered(turn.reply)]
    return messages


def _series(place: Place, split: Split, wanted: int) -> list[tuple[str, list[Message]]]:
    """Return a request and what leans on it, by kind; talk may stand between."""
    turn = draw_base(place)
    series = [(turn.kind, messages_of(place, turn))]
    for _ in range(wanted):
        is_after_talk = not turn.step.offered and not turn.step.has_failed and place.rng.random() < CHAT_SHARE
        found = draw_follow_up(place, turn.step, is_after_talk)
        if found is None:
            break
        if is_after_talk:
            series.append(("chat", _chat(place, split)))
        turn = found
        series.append((turn.kind, messages_of(place, turn)))
    return series


def make_follow_up_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation of requests that lean on each other, without any of the banned questions."""
    while True:
        place = draw_related_place(rng, "train")
        messages = [system_turn(place, Scene())]
        for _ in range(rng.choice((1, 2, 2, 3))):
            for _, exchange in _series(place, "train", rng.choice((1, 2, 2, 3, 4))):
                if not banned.isdisjoint(normal(m.content) for m in exchange if m.role == "user"):
                    break
                messages += exchange
        if len(messages) > 1:
            return messages


def make_follow_up_probes(number: int = PROBES, seed: int = PROBE_SEED) -> list[Probe]:
    """Return questions that only the conversation before them explains, in phrasings that are never trained."""
    rng = random.Random(seed)
    probes: list[Probe] = []
    while len(probes) < number:
        place = draw_related_place(rng, "heldout")
        series = _series(place, "heldout", rng.choice((1, 1, 2, 3)))
        if (len(series) == 1 and series[0][0] != "slip") or series[-1][0] == "chat":
            continue
        kind, last = series[-1]
        before = [message for _, exchange in series[:-1] for message in exchange]
        start = [system_turn(place, Scene()), *before, last[0]]
        functions = place.toolbox.functions_for({each.name: each.kind for each in place.house.entities})
        probes.append(_probe(kind, start, last, functions))
    return probes


def _probe(kind: str, start: list[Message], last: list[Message], functions: list[dict[str, object]]) -> Probe:
    calls = tuple(read_calls(last[1].content) or ())
    return Probe(start, f"follow-up {kind}", calls, "" if calls else last[1].content, asked_of(start), functions)
