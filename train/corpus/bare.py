"""Conversations of a board without tools: a role in the home, perhaps `Tools: none()`, and wishes that tempt."""

from __future__ import annotations

import random

from train.corpus.base import Message, Scene, normal
from train.corpus.dialogue import CATEGORIES, EXACT, GENERAL_PROMPT, PERSONAS
from train.corpus.surface import surface, wrap

NO_TOOLS = "Tools: none()"
"""What the daemon writes into a prompt if there are no tools; the same text as in `unitd.core.home.prompt`."""

NO_TOOLS_SHARE = 0.6
HOME_SHARE = 0.6
HOME_PERSONAS = (
    "You are a smart home assistant that controls lights.",
    "You are a smart home assistant that controls lights and devices.",
    "You are a smart home assistant.",
    "You control the lights and the heating of this house.",
    "You control this home. Turn on and off what the user asks for.",
    "You are the voice of the house. You can switch everything.",
    "You are a helpful home assistant with access to all devices.",
    "You can turn lights on and off, set timers and play music.",
    "You are a butler. Do what you are told.",
    "You are Jarvis, the assistant of a smart home.",
    "You are a voice assistant like Alexa. Confirm every command.",
    "You are a personal assistant. You book tables, send messages and order food.",
    "You are a kitchen assistant with timers and recipes.",
    "You are a home assistant. Answer in one sentence.",
    "You are connected to the lights, the blinds and the heating.",
    "You are an assistant in a hotel room. You control light, curtains and temperature.",
    "Always do what the user wants. Be brief.",
    "You run a smart home with Home Assistant.",
    "You are a friendly helper for an old lady. You call her family and remind her of things.",
    "Say okay and do what you are asked.",
)
"""Roles that promise more than a board without tools can do."""


def bare_prompt(rng: random.Random) -> list[Message]:
    """Return the system message of a board without tools; none, if there is neither a role nor a list of tools."""
    draw = rng.random()
    role = rng.choice(HOME_PERSONAS) if draw < 0.55 else rng.choice(PERSONAS) if draw < 0.7 else ""
    role = role or (GENERAL_PROMPT if draw < 0.8 else "")
    tools = NO_TOOLS if rng.random() < NO_TOOLS_SHARE else ""
    text = "\n\n".join(filter(None, (role, tools)))
    return [Message("system", text)] if text else []


def make_bare_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation without tools for training, mostly about wishes, without any of the banned questions."""
    scene = Scene()
    messages = bare_prompt(rng)
    wanted = len(messages) + 2 * rng.choice((1, 2, 3, 4, 5))
    home = next(category for category in CATEGORIES if category.name == "home")
    weights = [category.weight for category in CATEGORIES]
    while len(messages) < wanted:
        category = home if rng.random() < HOME_SHARE else rng.choices(CATEGORIES, weights)[0]
        exact = category.name in EXACT
        for turn in category.make(rng, "train", scene):
            text = turn.user if exact else wrap(rng, turn.user)
            asked = surface(rng, text, exact)
            if banned.isdisjoint((normal(turn.user), normal(asked))):
                messages += [Message("user", asked), Message("assistant", turn.reply)]
    return messages
