"""Conversations with the tools of skills, alone or after those of a house, and the questions of the evaluation."""

from __future__ import annotations

import random
import re

from train.chatml import result_text
from train.corpus.base import Category, Message, Scene, Split, normal
from train.corpus.dialogue import CATEGORIES
from train.corpus.surface import surface
from train.corpus.tools.house import House, draw_house
from train.corpus.tools.requests import HOW_MUCH, Asked, Place
from train.corpus.tools.skills.skill_follow import follow_skill
from train.corpus.tools.skills.skill_requests import SkillAsked, lacking_skill, skill_request, small_talk, two_skills
from train.corpus.tools.skills.skill_tools import draw_skills, with_skills
from train.corpus.tools.talk import Probe, after_request, draw_request, system_turn, user_turn, with_outcome
from train.corpus.tools.toolbox import Toolbox, call_text, draw_toolbox

PROBES = 40
PROBE_SEED = 31_000
HOUSE_SHARE = 0.5
FOLLOW_SHARE = 0.3
MAKERS = ((skill_request, 74), (two_skills, 9), (lacking_skill, 9), (small_talk, 10))
CHAT = tuple(each for each in CATEGORIES if each.name in ("smalltalk", "identity", "facts", "knowledge", "personal"))
ABOUT_SKILLS = re.compile(
    r"\b(timers?|alarms?|remind\w*|remember|forget|volume|loud\w*|quiet\w*|weather|rain|calendar|time|date|day|today"
    r"|lists?|again|repeat|slow\w*|fast\w*|how (much|many)|plus|minus|times|percent|stop|version|address"
    r"|memory|hot|warm|ip|speak|hear|sorry|pardon)\b|^what\W*$",
    re.IGNORECASE,
)
"""Talk of other parts of the corpus that a skill could be meant by is left out: there it is answered without tools."""

BOARD = re.compile(r"\b(timer|alarm|wake|remind|list|add|buy|minutes?|volume|loud\w*|quiet\w*|sound)\b", re.I)


def draw_board(rng: random.Random, split: Split) -> Place:
    """Return a board with skills, and in half of the cases a house, whose tools come first."""
    skills = draw_skills(rng)
    if rng.random() >= HOUSE_SHARE:
        return Place(rng, split, House(()), with_skills(Toolbox({}, ()), skills))
    house = draw_house(rng, split)
    toolbox = draw_toolbox(rng, split, {each.kind for each in house.entities})
    return Place(rng, split, house, with_skills(toolbox, skills))


def _is_for_the_board(place: Place, asked: Asked) -> bool:
    """Return whether a request that the house has no tool for may be one for a skill."""
    if asked.calls or asked.kind not in ("no tool", HOW_MUCH):
        return False
    said = asked.text.lower()
    named = any(name in said for each in place.house.entities for name in (each.name.lower(), each.noun.lower()))
    return bool(BOARD.search(said)) or not (named or re.search("play|music|song", said))


def draw_skill_request(place: Place, before: Asked | None) -> Asked:
    """Return a possible request, sometimes one that refers to the request before."""
    rng = place.rng
    while True:
        asked: Asked | None
        is_open = isinstance(before, SkillAsked) and before.answer.endswith("?")
        if isinstance(before, SkillAsked) and rng.random() < (0.75 if is_open else FOLLOW_SHARE):
            asked = follow_skill(place, before)
        elif place.house.entities and rng.random() < 0.3:
            asked = draw_request(place, None)
            asked = None if _is_for_the_board(place, asked) else asked
        else:
            asked = rng.choices([make for make, _ in MAKERS], [share for _, share in MAKERS])[0](place)
        if asked:
            return asked


def exchange(place: Place, before: Asked | None) -> tuple[list[Message], Asked]:
    """Return a request with its calls, their results and the answer."""
    asked = draw_skill_request(place, before)
    if isinstance(asked, SkillAsked):
        user = Message("user", asked.text)
    else:
        asked = with_outcome(place.rng, asked)
        user = user_turn(place.rng, asked)
    return [user, *after_request(asked), Message("assistant", asked.answer)], asked


def _house_and_skill(place: Place) -> list[Message]:
    """Return a request for a device and for a skill in one sentence, if there is one."""
    rng = place.rng
    first, second = draw_request(place, None), skill_request(place)
    if not second or not first.calls or first.kind == "state" or len(first.calls) > 2:
        return []
    spelled = user_turn(rng, first).content.rstrip("?!. ")
    copied = [str(words)[:1] for call in second.calls for words in call["arguments"].values()]
    after = second.text if second.text[:1] in copied else second.text[:1].lower() + second.text[1:]
    calls, results = first.calls + second.calls, first.results + second.results
    return [
        Message("user", f"{spelled}{rng.choice((' and ', ' and ', ' and then ', ', and '))}{after}"),
        Message("assistant", call_text(*calls)),
        *(Message("tool", result_text(result)) for result in results),
        Message("assistant", f"{first.answer} {second.answer}"),
    ]


def _chat(place: Place, split: Split, scene: Scene) -> list[Message]:
    """Return talk for which no skill is needed."""
    rng = place.rng
    while True:
        category: Category = rng.choices(CHAT, [each.weight for each in CHAT])[0]
        turns = category.make(rng, split, scene)
        if not any(ABOUT_SKILLS.search(turn.user) for turn in turns):
            break
    exact = category.name in ("personal", "knowledge")
    return [message for turn in turns
            for message in (Message("user", surface(rng, turn.user, exact)), Message("assistant",
                                                                                     turn.reply))]  # fmt: skip


def make_skill_talk(rng: random.Random, banned: frozenset[str] = frozenset()) -> list[Message]:
    """Return a conversation with the tools of skills for training, without any of the banned questions."""
    place, scene = draw_board(rng, "train"), Scene()
    messages = [system_turn(place, scene)]
    before: Asked | None = None
    for _ in range(rng.choice((3, 4, 5, 6, 7, 8))):
        asked: Asked | None = None
        chance = rng.random()
        made = _chat(place, "train", scene) if chance < 0.09 else []
        if place.house.entities and 0.09 <= chance < 0.15:
            made = _house_and_skill(place)
        if not made:
            made, asked = exchange(place, before)
        if banned.isdisjoint(normal(message.content) for message in made if message.role == "user"):
            messages += made
            before = asked
    return messages if len(messages) > 1 else make_skill_talk(rng, banned)


def _probe(rng: random.Random, kind: str) -> Probe:
    """Return a question whose right answer is a `call`, `words`, silence (`chat`), or is `spoken` after a result."""
    while True:
        place, scene = draw_board(rng, "heldout"), Scene()
        functions = place.toolbox.functions_for({each.name: each.kind for each in place.house.entities})
        messages = [system_turn(place, scene)]
        asked: Asked | None
        if kind == "follow":
            before = skill_request(place)
            asked = before and follow_skill(place, before)
            if before and asked:
                messages += [Message("user", before.text), *after_request(before), Message("assistant", before.answer)]
        else:
            makers = {"two": two_skills, "words": lacking_skill, "chat": small_talk}
            asked = makers.get(kind, skill_request)(place)
        if not asked:
            continue
        name = {"words": "no skill", "chat": "chat", "two": "two skills", "follow": "skill follow-up"}.get(
            kind, asked.kind
        )
        user = Message("user", asked.text)
        if kind == "spoken":
            messages += [user, *after_request(asked)]
            return Probe(messages, "spoken", (), asked.answer, normal(asked.text), functions)
        return Probe([*messages, user], name, asked.calls, asked.answer, normal(asked.text), functions)


def make_skill_probes(number: int = PROBES, seed: int = PROBE_SEED) -> list[Probe]:
    """Return the questions of the evaluation: of twelve seven require one call, one two, one an exchange before.

    One is a wish for a skill that is not there, one is talk about skills, and one is the answer after a result.
    """
    rng = random.Random(seed)
    kinds = ("call",) * 7 + ("two", "follow", "words", "chat", "spoken")
    return [_probe(rng, kind) for kind in kinds for _ in range(number)]
