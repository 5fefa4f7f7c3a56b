"""Conversations of up to some 3,800 tokens, so that a context of 4096 tokens is trained to its end.

What was told at the beginning is asked for at any time later: the near turns must not hide the far ones.
"""

from __future__ import annotations

import random
from copy import deepcopy

from train.corpus.base import Message, Scene, Turn, normal
from train.corpus.dialogue import CATEGORIES, draw_category, draw_exchange, system_messages
from train.corpus.persona import ask_persona, draw_persona
from train.corpus.personal import ask_name
from train.corpus.recall import KINDS, once_more, recall, tell

LENGTHS = (700, 1200, 1600, 2000, 2500, 3000, 3500, 3800)
"""How many tokens a conversation may have; it ends with the turn before."""

CHARACTERS_PER_TOKEN = 3.3
TOKENS_OF_A_FRAME = 6
MOST_TURNS = 120
SHORTEST_TALK = 600
RECALL_SHARE = 0.3
FIRST_TURNS = 4
LONGEST_REPEATED = 160
PERSONA_SHARE = 0.2
SHORT = tuple(category for category in CATEGORIES if category.name not in ("story", "persona"))


def estimated_tokens(messages: list[Message]) -> int:
    """Return a careful estimate of the length in tokens."""
    return sum(int(len(message.content) / CHARACTERS_PER_TOKEN) + TOKENS_OF_A_FRAME for message in messages)


def _messages(turns: list[Turn]) -> list[Message]:
    return [message for turn in turns for message in (Message("user", turn.user), Message("assistant", turn.reply))]


def _repeatable(messages: list[Message]) -> Turn | None:
    """Return the last exchange, if it is short and is not itself a repetition."""
    if len(messages) < 2 or messages[-2].role != "user":
        return None
    user, reply = messages[-2].content, messages[-1].content
    if len(reply) > LONGEST_REPEATED or reply.startswith(("I said", "You said")):
        return None
    return Turn(user, reply, lambda text: bool(text))


def _remembering(rng: random.Random, scene: Scene, messages: list[Message]) -> Turn:
    """Return a turn that tells something, or asks for what was told or said before."""
    draw = rng.random()
    last = _repeatable(messages)
    if last and draw < 0.12:
        return once_more(rng, "train", last)
    if scene.user_name and draw < 0.28:
        return ask_name(rng, "train", scene)[0]
    if scene.memory and draw < 0.85:
        known = rng.random() < 0.88
        return recall(rng, "train", scene, rng.choice(list(scene.memory if known else KINDS)))
    return tell(rng, "train", scene, rng.choice(list(KINDS)))


def _persona_turns(rng: random.Random, scene: Scene) -> list[Turn]:
    """Return many questions to a persona whose prompt may be long; the scene gets the prompt."""
    persona = draw_persona(rng, may_have_rule=False)
    scene.prompt = persona.prompt(rng)
    return ask_persona(rng, persona, MOST_TURNS)


def _next_turns(
    rng: random.Random, scene: Scene, messages: list[Message], asked: list[Turn], banned: frozenset[str]
) -> tuple[list[Message], int]:
    """Return the next messages, and how many turns they are; none when they have a banned question."""
    before = deepcopy(scene)
    if len(messages) < 2 * FIRST_TURNS or rng.random() < RECALL_SHARE:
        made = [_remembering(rng, scene, messages)]
    elif scene.prompt:
        made = [asked.pop()] if asked else []
    else:
        category = draw_category(rng, None) if rng.random() < 0.3 else rng.choice(SHORT)
        exchange, made = draw_exchange(rng, category, scene, banned)
        return exchange, len(made)
    if any(normal(turn.user) in banned for turn in made):
        vars(scene).update(vars(before))
        return [], 0
    return _messages(made), len(made)


def make_long_conversation(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation of many turns of all categories, with questions about what was said long before."""
    scene = Scene()
    asked = _persona_turns(rng, scene) if rng.random() < PERSONA_SHARE else []
    messages = [Message("system", scene.prompt)] if scene.prompt else system_messages(rng, scene)
    limit = max(rng.choice(LENGTHS), estimated_tokens(messages) + SHORTEST_TALK)
    turns = 0
    while turns < MOST_TURNS:
        exchange, number = _next_turns(rng, scene, messages, asked, banned)
        if estimated_tokens(messages + exchange) > limit:
            break
        messages += exchange
        turns += number
    return messages
