"""Long system prompts: a place or a character with many facts, and questions whose answers stand there.

All names, numbers and prices are new in every conversation, so only looking them up in the prompt gives the answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from train.corpus import persona_words as words
from train.corpus.banks import bank
from train.corpus.base import Check, Phrasings, Scene, Split, Turn, expand, expects, mentions, normal
from train.corpus.everyday_words import COLORS, FEARS, FOODS, PET_NAMES, PETS
from train.corpus.names import invented
from train.corpus.odd_words import code, foreign, odd_name, odd_word, phone

STREETS = ("Street", "Lane", "Road", "Square", "Alley", "Avenue")
ABSENT_SHARE = 0.18


@dataclass(frozen=True)
class Fact:
    """A fact of a prompt: its sentence, the questions for it, its answers, and what an answer must name."""

    sentence: str
    asked: Phrasings
    slots: dict[str, str]
    answers: tuple[str, ...]


@dataclass
class Persona:
    """A system prompt, the facts in it, what it does not tell, and the words around every answer."""

    sentences: list[str]
    facts: list[Fact]
    absent: list[tuple[Phrasings, dict[str, str]]] = field(default_factory=list)
    before: str = ""
    after: str = ""

    def prompt(self, rng: random.Random) -> str:
        """Return the text of the system prompt: in one piece, in lines, or as a list."""
        first, *rest = [sentence for sentence in self.sentences if sentence]
        draw = rng.random()
        if draw < 0.6:
            return " ".join((first, *rest))
        return "\n".join((first, *rest)) if draw < 0.8 else "\n- ".join((first, *rest))


def _price(rng: random.Random) -> str:
    unit = rng.choice((" euros", " dollars", " pounds", " crowns", " francs"))
    number = rng.choice((rng.randint(2, 30), rng.randint(2, 400)))
    return f"{number}.{rng.choice((20, 50, 80, 90))}{unit}" if rng.random() < 0.4 else f"{number}{unit}"


def _address(rng: random.Random) -> str:
    return f"{rng.randint(1, 199)} {rng.choice((invented, foreign))(rng).capitalize()} {rng.choice(STREETS)}"


SINGLE: dict[str, Callable[[random.Random], str]] = {
    "opens": lambda rng: rng.choice(words.HOURS), "closes": lambda rng: rng.choice(words.EVENINGS),
    "day off": lambda rng: rng.choice(words.DAYS), "address": _address, "phone": phone,
    "wifi": lambda rng: rng.choice((code, odd_word))(rng), "founded": lambda rng: str(rng.randint(1750, 2024)),
    "special": lambda rng: rng.choice(words.DISHES),
}  # fmt: skip
"""The facts that a place has once."""

MANY: dict[str, tuple[tuple[str, ...], Callable[[random.Random], str]]] = {
    "price": (words.ITEMS, _price),
    "spot": (words.SPOTS, lambda rng: rng.choice(words.WHERE)),
    "staff": (words.ROLES, odd_name),
    "event": (words.EVENTS, lambda rng: rng.choice(words.DATES)),
}
"""The facts that a place has often, each about another thing."""


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fact(rng: random.Random, kind: str, slots: dict[str, str]) -> Fact:
    what = words.FACTS[kind]
    return Fact(_upper(rng.choice(what.stated).format(**slots)), bank("persona")[kind], slots, what.answers)


def _place_facts(
    rng: random.Random, place: str, wanted: int
) -> tuple[list[Fact], list[tuple[Phrasings, dict[str, str]]]]:
    """Return the facts of a place, and questions for things that it does not tell."""
    facts, absent = [], []
    for kind, draw in SINGLE.items():
        if rng.random() < 0.7:
            facts.append(_fact(rng, kind, {"place": place, "it": draw(rng)}))
        else:
            absent.append((bank("persona")[kind], {"place": place}))
    things = [(kind, what) for kind, (names, _) in MANY.items() for what in names]
    rng.shuffle(things)
    facts += [
        _fact(rng, kind, {"place": place, "what": what, "it": MANY[kind][1](rng)}) for kind, what in things[:wanted]
    ]
    absent += [(bank("persona")[kind], {"place": place, "what": what}) for kind, what in things[wanted : wanted + 12]]
    for subject, forbids, allows in rng.sample(words.RULES, rng.choice((0, 2, 4))):
        facts.append(_fact(rng, "rule", {"place": place, "what": subject, "it": rng.choice((forbids, allows))}))
    return facts, absent


def draw_place(rng: random.Random) -> Persona:
    """Return the prompt of an assistant at a place, from some ten to some hundred sentences."""
    place, name = rng.choice(words.PLACES), odd_name(rng).split()[0]
    title = rng.choice(words.TITLES).format(rng.choice((foreign, invented))(rng).capitalize())
    opening = rng.choice(words.OPENINGS).format(name=name, place=place, title=title)
    wanted = rng.choice((2, 3, 4, 6, 10, 20, 40, 70, 110))
    facts, absent = _place_facts(rng, place, wanted)
    persona = Persona([opening], facts, absent)
    persona.facts += [
        Fact(
            "",
            bank("persona")["title"],
            {"place": place, "it": title},
            ("This is the {place} {it}.", "You are at {it}."),
        ),
        Fact("", bank("persona")["self"], {"it": name}, ("I'm {it}, the assistant here.", "My name is {it}.")),
    ]
    body = [fact.sentence for fact in facts] + rng.sample(words.MANNERS, rng.choice((0, 1, 2, 4)))
    rng.shuffle(body)
    persona.sentences += body
    return persona


def _traits(rng: random.Random) -> dict[str, dict[str, str]]:
    return {
        "home": {"it": rng.choice(words.HOMES)},
        "pet": {"it": rng.choice((*PET_NAMES, foreign(rng), foreign(rng))), "what": rng.choice(PETS)},
        "food": {"it": rng.choice(FOODS)}, "fear": {"it": rng.choice(FEARS)}, "age": {"it": str(rng.randint(9, 900))},
        "friend": {"it": odd_name(rng)}, "color": {"it": rng.choice(COLORS)}, "dream": {"it": rng.choice(words.DREAMS)},
    }  # fmt: skip


def draw_character(rng: random.Random) -> Persona:
    """Return the prompt of a character with some traits."""
    name, character = odd_name(rng).split()[0], rng.choice(words.CHARACTERS)
    opening = rng.choice(("You are {}, {}.", "Your name is {}. You are {}.", "Play {}, {}.")).format(name, character)
    traits = _traits(rng)
    told = rng.sample(list(traits), rng.choice((2, 3, 4, 6)))
    persona = Persona([opening], [])
    for kind, slots in traits.items():
        trait, asked = words.TRAITS[kind], bank("persona")[f"trait {kind}"]
        if kind in told:
            persona.facts.append(Fact(_upper(rng.choice(trait.stated).format(**slots)), asked, slots, trait.answers))
        else:
            persona.absent.append((asked, slots))
    persona.sentences += rng.sample([fact.sentence for fact in persona.facts], len(told))
    persona.facts.append(Fact("", bank("persona")["self"], {"it": name, "what": character}, ("I'm {it}, {what}.",)))
    return persona


def draw_persona(rng: random.Random, may_have_rule: bool = True) -> Persona:
    """Return a prompt with facts, sometimes with a rule for the beginning or the end of every answer."""
    persona = draw_place(rng) if rng.random() < 0.72 else draw_character(rng)
    draw = rng.random() if may_have_rule else 1.0
    if draw < 0.12:
        persona.before = rng.choice(words.BEFORE)
        persona.sentences.append(rng.choice(words.RULE_BEFORE).format(persona.before))
    elif draw < 0.2:
        persona.after = rng.choice(words.AFTER)
        persona.sentences.append(rng.choice(words.RULE_AFTER).format(persona.after))
    return persona


def _in_manner(persona: Persona, answer: str) -> str:
    return " ".join(filter(None, (persona.before, answer, persona.after)))


def _obeys(persona: Persona, check: Check) -> Check:
    """Return the rule that an answer also has the words around it."""
    first, last = normal(persona.before), normal(persona.after)
    return lambda text: check(text) and normal(text).startswith(first) and normal(text).endswith(last)


def _pick(rng: random.Random, split: Split, forms: Phrasings, slots: dict[str, str]) -> str:
    chosen = forms.heldout if split == "heldout" and forms.heldout else forms.train
    return expand(rng, rng.choice(chosen)).format(**slots)


def _ask(rng: random.Random, split: Split, persona: Persona) -> Turn:
    if persona.absent and rng.random() < ABSENT_SHARE:
        forms, slots = rng.choice(persona.absent)
        answer = _in_manner(persona, rng.choice(words.NOT_TOLD))
        return Turn(_pick(rng, split, forms, slots), answer, _obeys(persona, lambda text: mentions(text, "don't know")))
    fact = rng.choice(persona.facts)
    answer = _in_manner(persona, _upper(rng.choice(fact.answers).format(**fact.slots)))
    check = expects(fact.slots["it"])
    return Turn(_pick(rng, split, fact.asked, fact.slots), answer, _obeys(persona, check))


def ask_persona(rng: random.Random, persona: Persona, number: int) -> list[Turn]:
    """Return some questions, hardly ever one of them twice."""
    turns = {turn.user: turn for turn in (_ask(rng, "train", persona) for _ in range(number))}
    return list(turns.values())


def make_persona(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return questions to a persona, whose prompt the scene gets."""
    persona = draw_persona(rng)
    scene.prompt = persona.prompt(rng)
    if split == "train":
        return ask_persona(rng, persona, rng.choice((2, 3, 4, 6, 8, 12)))
    lead = [_ask(rng, "train", persona) for _ in range(rng.choice((0, 0, 1, 2)))]
    return [*lead, _ask(rng, split, persona)]
