"""Conversations with tools: a house in the system prompt, requests with calls and results, and talk between them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from train.chatml import result_text, tools_text
from train.corpus.base import Category, Message, Scene, Split, normal
from train.corpus.dialogue import CATEGORIES, make_conversation, make_probes, make_text, system_messages
from train.corpus.names import invented
from train.corpus.surface import surface, wrap
from train.corpus.tools.house import House, draw_house
from train.corpus.tools.missing import impossible, more_or_less, presence, unknown
from train.corpus.tools.requests import (
    HOW_MUCH,
    Asked,
    Maker,
    Place,
    action,
    all_of_a_kind,
    by_need,
    custom,
    everything,
    follow_up,
    heating,
    music_off,
    question,
    timer,
    two_at_once,
)
from train.corpus.tools.toolbox import Call, call_text, draw_toolbox
from train.corpus.tools.words import REASONS

TOOL_SHARE = 0.4
"""Share of the conversations with tools; they are longer, so more than half of the learned text is theirs."""

TEXT_SHARE = 0.03
"""Share of the training that is not a conversation: a text to continue."""

CHAT_SHARE = 0.25
MAKERS: tuple[tuple[Maker, int, int], ...] = (
    (action, 52, 72), (by_need, 4, 12), (heating, 3, 3), (all_of_a_kind, 6, 20), (everything, 1, 5), (music_off, 1, 4),
    (two_at_once, 5, 9), (timer, 6, 6), (question, 10, 12), (custom, 5, 5), (unknown, 15, 32), (impossible, 4, 30),
    (more_or_less, 2, 6), (presence, 0, 20),
)  # fmt: skip
"""The requests, how frequent each is in the evaluation, and how frequent in training."""

PROBES = 40
PROBE_SEED = 30_000
CHAT_CATEGORIES = tuple(category for category in CATEGORIES if category.name != "home")
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


def draw_place(rng: random.Random, split: Split) -> Place:
    """Return a house and its tools, sometimes tools without a house."""
    house = draw_house(rng, split) if rng.random() < 0.98 else House(())
    return Place(rng, split, house, draw_toolbox(rng, split, {each.kind for each in house.entities}))


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
        if before and place.rng.random() < (0.7 if before.kind == HOW_MUCH else 0.12):
            asked = follow_up(place, before)
        else:
            asked = place.rng.choices(makers, shares)[0](place)
        if asked:
            return asked


def user_turn(rng: random.Random, asked: Asked) -> Message:
    """Return the request as people type or say it; names mostly keep their letters."""
    return Message("user", surface(rng, wrap(rng, asked.text), exact=rng.random() < 0.85))


def with_outcome(rng: random.Random, asked: Asked) -> Asked:
    """Return the request with the results of its tools: mostly success, else an error or a sentence to repeat."""
    draw = rng.random()
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
    results = [Message("tool", result_text(result)) for result in asked.results]
    return [Message("assistant", call_text(*asked.calls)), *results]


def _exchange(place: Place, before: Asked | None) -> tuple[list[Message], Asked]:
    asked = with_outcome(place.rng, draw_request(place, before))
    return [user_turn(place.rng, asked), *after_request(asked), Message("assistant", asked.answer)], asked


def _chat(place: Place, category: Category, split: Split, scene: Scene) -> list[Message]:
    messages: list[Message] = []
    for turn in category.make(place.rng, split, scene):
        exact = category.name in ("arithmetic", "story", "personal", "knowledge")
        messages += [Message("user", surface(place.rng, turn.user, exact)), Message("assistant", turn.reply)]
    return messages


def _draw_chat(rng: random.Random) -> Category:
    weights = [1 if each.name == "story" else each.weight for each in CHAT_CATEGORIES]
    return rng.choices(CHAT_CATEGORIES, weights)[0]


def make_tool_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation with tools for training, without any of the banned questions."""
    place, scene = draw_place(rng, "train"), Scene()
    messages = [system_turn(place, scene)]
    before: Asked | None = None
    for _ in range(rng.choice((4, 5, 6, 7, 8, 9))):
        if rng.random() < CHAT_SHARE:
            exchange, asked = _chat(place, _draw_chat(rng), "train", scene), None
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
            talk = _chat(place, _draw_chat(rng), "heldout", scene)
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


def mixed_stream(seed: int) -> Iterator[list[Message]]:
    """Yield training conversations with and without tools, and some texts, for ever; a seed repeats them."""
    rng = random.Random(seed)
    banned = frozenset(probe.asked for probe in (*make_probes(), *make_probes(is_plain=True)))
    banned |= frozenset(probe.asked for probe in make_tool_probes())
    while True:
        if rng.random() < TEXT_SHARE:
            yield make_text(rng)
        elif rng.random() < TOOL_SHARE:
            yield make_tool_talk(rng, banned)
        else:
            yield make_conversation(rng, banned)
