"""Conversations with tools: a house in the system prompt, requests with calls and results, and talk between them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from train.chatml import result_text, tools_text
from train.corpus.base import Category, Message, Scene, Split, normal
from train.corpus.dialogue import CATEGORIES, system_messages
from train.corpus.names import invented
from train.corpus.refusals import make_refusals_beside_tools
from train.corpus.surface import plain, surface, wrap
from train.corpus.tools.chains import chain, two_at_once
from train.corpus.tools.follow import follow_up
from train.corpus.tools.homes import draw_home
from train.corpus.tools.house import House, draw_house
from train.corpus.tools.limits import colour_missing, muting, next_song, window_sensor
from train.corpus.tools.missing import impossible, unknown
from train.corpus.tools.no_calls import (
    CONTRASTS,
    EPISODE_SHARE,
    FIRST_SHARE,
    NO_CALLS,
    NOT_WRAPPED,
    draw_episode,
    draw_first,
)
from train.corpus.tools.relative import relative
from train.corpus.tools.requests import (
    HOW_MUCH,
    WHERE,
    WHICH,
    Asked,
    Maker,
    Place,
    action,
    by_need,
    custom,
    heating,
    music_off,
    timer,
)
from train.corpus.tools.sets import all_except, all_of_a_kind, both, everything, named, not_there, room_off, two_areas
from train.corpus.tools.states import air, question, unread, which_are
from train.corpus.tools.toolbox import Call, call_text, draw_toolbox
from train.corpus.tools.unnamed import light_here, music_here, question_here, the_ones
from train.corpus.tools.wording import hesitant
from train.corpus.tools.words import REASONS

CHAT_SHARE = 0.25
MAKERS: tuple[tuple[Maker, int, int], ...] = (
    (action, 52, 72), (by_need, 4, 8), (heating, 3, 4), (all_of_a_kind, 6, 24), (everything, 1, 5), (music_off, 1, 4),
    (two_at_once, 5, 6), (timer, 6, 6), (question, 10, 12), (custom, 5, 5),
    (relative, 2, 36), (named, 0, 10), (both, 0, 8), (two_areas, 0, 8), (room_off, 0, 6),
    (all_except, 0, 9), (not_there, 0, 6), (chain, 0, 10), (the_ones, 0, 26), (light_here, 0, 6), (music_here, 0, 9),
    (question_here, 0, 6), (which_are, 0, 12), (air, 0, 8), (unread, 0, 5), (muting, 0, 6), (colour_missing, 0, 4),
    (window_sensor, 0, 4), (next_song, 0, 2), *CONTRASTS, *NO_CALLS,
)  # fmt: skip
"""The requests, how frequent each is in the evaluation, and how frequent in training."""

WIDE_SHARE = 0.7
"""Share of the houses in training in which people speak in every way; the rest are as those of the evaluation."""

HOME_TYPES: dict[str, tuple[Maker, ...]] = {
    "one": (action,),
    "set": (all_of_a_kind, named, both, two_areas, room_off, all_except, chain),
    "question": (question, which_are, air),
    "relative": (relative,),
    "here": (the_ones, light_here, music_here, question_here),
    "nothing": (unknown, impossible, unread, not_there, colour_missing, window_sensor),
}
"""The types of requests that are evaluated in wide houses, and their makers."""

ANSWERED = (HOW_MUCH, WHICH, WHERE)
"""Questions of the assistant that are mostly answered at once."""

PROBES = 40
PROBE_SEED = 30_000
HOME_PROBE_SEED = 40_000
BESIDE_TOOLS = {"refusal": make_refusals_beside_tools}
"""Kinds of talk that are another one where there are tools."""

CHAT_CATEGORIES = tuple(
    replace(each, make=BESIDE_TOOLS.get(each.name, each.make)) for each in CATEGORIES if each.name != "home"
)
COMMENTS = ("Okay. {}", "Done. {}", "Sure. {}", "All right, done. {}", "{} Anything else?", "As you wish. {}")


@dataclass(frozen=True)
class Probe:
    """A question to a house that was not in training, and the required calls; none means that words are required."""

    messages: list[Message]
    kind: str
    calls: tuple[Call, ...]
    answer: str
    """The last answer; it is only required when there are no more calls."""

    asked: str
    functions: list[dict[str, Any]]
    """The tools, with the names of the devices that they accept."""


def draw_place(rng: random.Random, split: Split, *, is_wide: bool | None = None) -> Place:
    """Return a house and its tools, sometimes tools without a house."""
    is_wide = split == "train" and rng.random() < WIDE_SHARE if is_wide is None else is_wide
    draw = draw_home if is_wide and rng.random() < 0.8 else draw_house
    house = draw(rng, split) if rng.random() < 0.98 else House(())
    toolbox = draw_toolbox(rng, split, {each.kind for each in house.entities}, is_wide=is_wide)
    return Place(rng, split, house, toolbox, is_wide)


def system_turn(place: Place, scene: Scene) -> Message:
    """Return the system message: the assistant's role, the devices of the house, the tools."""
    prompt = [message.content for message in system_messages(place.rng, scene)]
    devices = [place.house.listing] if place.house.entities else []
    return Message("system", "\n\n".join([*prompt, *devices, tools_text(place.toolbox.functions())]))


def draw_request(place: Place, before: Asked | None) -> Asked:
    """Return a possible request, sometimes one that refers to the request before."""
    makers = [make for make, _, _ in MAKERS]
    shares = [practised if place.split == "train" else asked for _, asked, practised in MAKERS]
    while True:
        if before and place.rng.random() < (0.7 if before.kind in ANSWERED else 0.12):
            asked = follow_up(place, before)
        else:
            asked = place.rng.choices(makers, shares)[0](place)
        if asked:
            return asked


def user_turn(rng: random.Random, asked: Asked, *, is_wide: bool = False) -> Message:
    """Return the request as people type or say it; names mostly keep their letters."""
    text = hesitant(rng, asked.text) if is_wide and rng.random() < 0.05 else asked.text
    text = text if asked.kind in NOT_WRAPPED else wrap(rng, text)
    said = surface(rng, text, exact=rng.random() < 0.85)
    # Without its "on" a command means nothing.
    is_whole = "on" in normal(said).split() or "on" not in normal(text).split()
    return Message("user", said if is_whole else plain(rng, text))


def with_outcome(rng: random.Random, asked: Asked) -> Asked:
    """Return the request with the results of its tools: mostly success, else an error or a sentence to repeat."""
    draw = rng.random()
    if asked.kind == HOW_MUCH:
        return asked
    if asked.rounds:
        return replace(_failed(rng, asked), rounds=()) if asked.calls and draw < 0.08 else asked
    if not asked.calls or asked.kind == "state" or draw > 0.25:
        return _failed(rng, asked) if asked.kind == "state" and draw < 0.08 else asked
    if draw < 0.14 or len(asked.calls) > 1:
        return _failed(rng, asked)
    said = rng.choice(COMMENTS).format(asked.answer)
    if rng.random() < 0.4:
        said = f"The {invented(rng)} {rng.choice(('is', 'was', 'has'))} {invented(rng)} {invented(rng)}."
    return replace(asked, results=(said,), answer=said)


def _failed(rng: random.Random, asked: Asked) -> Asked:
    reason = rng.choice(REASONS)
    if rng.random() < 0.15:
        reason = f"{invented(rng)} {reason}"
    result = f"error: {reason}" if rng.random() < 0.65 else json.dumps({"error": reason})
    results = list(asked.results)
    results[rng.randrange(len(results))] = result
    return replace(asked, results=tuple(results), answer=f"I'm sorry, that did not work: {reason}.")


def after_request(asked: Asked) -> list[Message]:
    """Return the messages of the calls and their results, possibly none; the assistant's last answer is left out."""
    if not asked.calls:
        return []
    rounds = [(asked.calls, asked.results), *[(each.calls, each.results) for each in asked.rounds]]
    return [message for calls, results in rounds for message in _round(calls, results)]


def _round(calls: Sequence[Call], results: Sequence[str]) -> list[Message]:
    return [Message("assistant", call_text(*calls)), *[Message("tool", result_text(result)) for result in results]]


def _exchange(place: Place, before: Asked | None) -> tuple[list[Message], Asked]:
    asked = with_outcome(place.rng, draw_request(place, before))
    return _messages(place, asked), asked


def _messages(place: Place, asked: Asked) -> list[Message]:
    """Return the messages of a request, its calls, their results and the answer."""
    user = user_turn(place.rng, asked, is_wide=place.is_wide)
    return [user, *after_request(asked), Message("assistant", asked.answer)]


def _chat(place: Place, category: Category, split: Split, scene: Scene) -> list[Message]:
    messages: list[Message] = []
    for turn in category.make(place.rng, split, scene):
        exact = category.name in ("arithmetic", "story", "personal", "knowledge")
        messages += [Message("user", surface(place.rng, turn.user, exact)), Message("assistant", turn.reply)]
    return messages


def _draw_chat(rng: random.Random, place: Place) -> Category:
    """Return a kind of talk; sums are for the tool, where there is one."""
    computes = any(tool.name == "calculate" for tool in place.toolbox.order)
    shares = {"story": 1.0, "arithmetic": 0.0 if computes else 17.0}
    weights = [shares.get(each.name, each.weight) for each in CHAT_CATEGORIES]
    return rng.choices(CHAT_CATEGORIES, weights)[0]


def make_tool_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation with tools for training, without any of the banned questions."""
    place, scene = draw_place(rng, "train"), Scene()
    messages = [system_turn(place, scene)]
    before: Asked | None = None
    asked: Asked | None
    for _ in range(rng.choice((4, 5, 6, 7, 8, 9))):
        if rng.random() < CHAT_SHARE:
            exchange, asked = _chat(place, _draw_chat(rng, place), "train", scene), None
        elif len(messages) == 1 and rng.random() < FIRST_SHARE:
            exchange, asked = _messages(place, draw_first(place)), None
        elif rng.random() < EPISODE_SHARE:
            episode = draw_episode(place)
            exchange, asked = [message for each in episode for message in _messages(place, each)], episode[-1]
        else:
            exchange, asked = _exchange(place, before)
        if banned.isdisjoint(normal(message.content) for message in exchange if message.role == "user"):
            messages += exchange
            before = asked
    return messages if len(messages) > 1 else make_tool_talk(rng, banned)


def _probe(rng: random.Random, kind: str) -> Probe:
    """Return a question whose right answer is a `call`, `words`, a `chat`, or is `spoken` after a result."""
    while True:
        place, scene = draw_place(rng, "heldout"), Scene()
        functions = place.toolbox.functions_for({each.name: each.kind for each in place.house.entities})
        messages = [system_turn(place, scene)]
        before: Asked | None = None
        if rng.random() < 0.3:
            exchange, before = _exchange(place, None)
            messages += exchange
        if kind == "chat":
            talk = _chat(place, _draw_chat(rng, place), "heldout", scene)
            return Probe(messages + talk[:-1], "chat", (), talk[-1].content, normal(talk[-2].content), functions)
        asked = draw_request(place, before)
        if bool(asked.calls) != (kind != "words"):
            continue
        user = user_turn(rng, asked)
        if kind == "spoken":
            asked = with_outcome(rng, asked)
            messages += [user, *after_request(asked)]
            return Probe(messages, "spoken", (), asked.answer, normal(user.content), functions)
        return Probe([*messages, user], asked.kind, asked.calls, asked.answer, normal(user.content), functions)


def make_tool_probes(number: int = PROBES, seed: int = PROBE_SEED) -> list[Probe]:
    """Return the questions of the evaluation.

    Of ten, six require a call, one a refusal, two are small talk, and one requires an answer to a result. Phrasings and
    the names of devices and areas are all kept out of training.
    """
    rng = random.Random(seed)
    kinds = ("call",) * 6 + ("words", "chat", "chat", "spoken")
    return [_probe(rng, kind) for kind in kinds for _ in range(number)]


def make_home_probes(number: int = PROBES, seed: int = HOME_PROBE_SEED) -> list[Probe]:
    """Return questions of each of `HOME_TYPES`, in wide houses; of relative wishes half are asked after the states."""
    rng = random.Random(seed)
    return [_home_probe(rng, kind) for kind in HOME_TYPES for _ in range(number)]


def _home_probe(rng: random.Random, kind: str) -> Probe:
    while True:
        place, scene = draw_place(rng, "heldout", is_wide=True), Scene()
        asked = rng.choice(HOME_TYPES[kind])(place)
        if not asked or bool(asked.calls) == (kind == "nothing"):
            continue
        functions = place.toolbox.functions_for({each.name: each.kind for each in place.house.entities})
        user = user_turn(rng, asked)
        messages, calls = [system_turn(place, scene), user], asked.calls
        if asked.rounds and rng.random() < 0.5:
            messages += _round(asked.calls, asked.results)
            calls = asked.rounds[0].calls
        return Probe(messages, kind, calls, asked.answer, normal(user.content), functions)
