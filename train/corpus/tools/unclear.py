"""Wishes that are unfinished or ambiguous: a question back, and what follows it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from train.corpus.base import fill
from train.corpus.names import invented
from train.corpus.tools.house import Entity, with_article
from train.corpus.tools.pairs import drawn_command
from train.corpus.tools.phrases import fill_for, form, listed, reply, words_chat
from train.corpus.tools.requests import KINDS, SHARES, Asked, Place, order, values_of
from train.corpus.verb_forms import VERBS

WHICH = "which"
HALVES = (
    (r"^(what|is|how|tell|check|show|did)\b|\bif the$", "half question answers"),
    (r"\b(turn|switch|put)( on|( \w+)? on)( the)?$|turn on\b", "half on answers"),
    (r"\b(turn|switch) off\b", "half off answers"), (r"\bopen\b", "half open answers"),
    (r"\bclose\b", "half close answers"), (r"\bset\b", "half set answers"), (r"", "half answers"),
)  # fmt: skip
"""What an unfinished sentence contains, and the answers to it; the first that fits counts."""

LISTED_AT_MOST = 4
NUMBERS = ("first", "second", "third", "fourth")
HOT = (120, 150, 180, 200, 220, 250, 300, 350, 400, 500, 600, 999, 1000, 5000)
Episode = tuple[Asked, ...]
EpisodeMaker = Callable[[Place], Episode | None]


def half(place: Place) -> Asked | None:
    """Return a sentence without its end, and the question for it."""
    text = form(place, "unclear", "half")
    block = next(answers for pattern, answers in HALVES if re.search(pattern, text))
    return words_chat(text, reply(place, "unclear", block), "half")


def it_alone(place: Place) -> Asked | None:
    """Return a wish about "it" as the first words of a conversation: nothing was named before."""
    block = "bare" if place.rng.random() < 0.25 else "it alone"
    text = fill_for(place, form(place, "unclear", block))
    return words_chat(text, reply(place, "unclear", "it alone answers"), "half") if text else None


def _last_words(entity: Entity) -> set[str]:
    return {name.lower().split()[-1] for name in (entity.name, *entity.aliases)}


def _shared(place: Place) -> list[tuple[str, str, list[Entity]]]:
    """Return the meanings with the words that two or more of their devices share, and these devices."""
    found = []
    for meaning in VERBS:
        if meaning not in place.toolbox.tools:
            continue
        them = place.house.of(*KINDS[meaning])
        for word in sorted(set().union(*map(_last_words, them))):
            same = [each for each in them if word in _last_words(each)]
            if len(same) > 1 and not word.endswith("s") and not place.house.called(word):
                found.append((meaning, word, same))
    return found


def _one_of(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def which(place: Place) -> Episode | None:
    """Return a wish that fits several devices, the question which one, and the choice."""
    rng, shared = place.rng, _shared(place)
    if not shared:
        return None
    meanings = {meaning for meaning, _, _ in shared}
    meaning = rng.choices(sorted(meanings), [SHARES[each] for each in sorted(meanings)])[0]
    _, word, same = rng.choice([each for each in shared if each[0] == meaning])
    values, said = values_of(place, meaning)
    it = rng.choice((f"the {word}", f"the {word}", f"my {word}", f"a {word}", word))
    text = fill(place.form(meaning), it=it, **said)
    if rng.random() < 0.5:
        forms = rng.choice(VERBS[meaning]).of(it=it, **said)
        text = fill_for(place, form(place, "pairs", "do"), **forms) or text
    question = "Which one do you mean?"
    if len(same) <= LISTED_AT_MOST and rng.random() < 0.85:
        question = f"Which one do you mean: {_one_of([with_article(each.name) for each in same])}?"
    first = Asked(WHICH, text, (), (), question, meaning, None)
    wanted = rng.choice(same)
    if rng.random() < 0.12:
        return first, words_chat(form(place, "unclear", "no"), reply(place, "unclear", "no answers"))
    chosen = _choice(place, same, wanted, is_listed=":" in question)
    return first, order(place, meaning, wanted, chosen, values, WHICH)


def _choice(place: Place, same: list[Entity], wanted: Entity, *, is_listed: bool) -> str:
    """Return the words that choose one of the devices: its name, its room, or its number in the question."""
    draw, areas = place.rng.random(), [each.place for each in same]
    if draw < 0.3 and wanted.place and areas.count(wanted.place) == 1 and "'s " not in wanted.place:
        return fill(form(place, "unclear", "which place"), room=wanted.place.lower())
    if draw > 0.88 and is_listed:
        index = same.index(wanted)
        return fill(form(place, "unclear", "which number"), number=NUMBERS[index], digit=str(index + 1))
    return fill(form(place, "unclear", "which said"), name=wanted.name.lower())


def another(place: Place) -> Asked | None:
    """Return a wish for the second of a kind in a house that has only one."""
    lights = place.house.of("light", "fan", "media", "climate")
    single = [each for each in lights if len(place.house.of(each.kind)) == 1 and not each.is_several]
    if not single:
        return None
    entity = place.rng.choice(single)
    kind = entity.name.lower().split()[-1]
    if entity.noun.split()[-1] != kind or any(
        kind in each.line.lower() for each in place.house.entities if each != entity
    ):
        return None
    text = fill(form(place, "unclear", "another"), kind=kind)
    return words_chat(
        text, reply(place, "unclear", "another answers", kind=kind, it=with_article(entity.name)), "another"
    )


def later(place: Place) -> Episode | None:
    """Return a wish for a later time, for which there is no tool, and what follows when it is offered at once."""
    drawn = drawn_command(place)
    if not drawn:
        return None
    command, forms, _, entity = drawn
    text = fill_for(place, form(place, "unclear", "later"), entity, **forms)
    if not text:
        return None
    asked = words_chat(text, reply(place, "unclear", "later answers"), "later")
    draw = place.rng.random()
    if not asked.answer.endswith("Should I do it now?") or draw < 0.4:
        return (asked,)
    if draw < 0.8:
        return asked, replace(command, text=form(place, "unclear", "yes"), kind="later")
    return asked, words_chat(form(place, "unclear", "no"), reply(place, "unclear", "no answers"))


def wrong_value(place: Place) -> Episode | None:
    """Return a wish with a value that no such device has, a question for another one, and the answer to it."""
    rng = place.rng
    possible = [each for each in ("brightness", "position", "volume", "temperature", "color")
                if each in place.toolbox.tools and place.house.of(*KINDS[each])]  # fmt: skip
    if not possible:
        return None
    meaning = rng.choice(possible)
    entity = rng.choice(place.house.of(*KINDS[meaning]))
    said, answer = _wrong(place, meaning)
    if not said:
        return None
    form_words = {"n": said, "colour": said, "it": place.mention(entity)}
    asked = words_chat(fill(place.form(meaning), **form_words), answer, "wrong value")
    if rng.random() < 0.5 or meaning == "color":
        return (asked,)
    values, right = values_of(place, meaning)
    again = fill(place.form("degrees_again" if meaning == "temperature" else "percent_again"), **right)
    return asked, order(place, meaning, entity, again, values, "wrong value")


def _wrong(place: Place, meaning: str) -> tuple[str, str]:
    """Return a value that is not possible, and the answer to it; nothing if every value is."""
    rng = place.rng
    if meaning == "temperature":
        cold = rng.random() < 0.25
        number = str(rng.choice((-50, -20, -15, -100, -273)) if cold else rng.choice(HOT))
        return number, reply(place, "unclear", "cold answers" if cold else "degrees answers", n=number)
    if meaning == "color":
        return _wrong_colour(place)
    number = str(rng.choice((101, 110, 120, 140, 150, 200, 250, 300, 500, 999, 1000, rng.randint(101, 900))))
    return number, reply(place, "unclear", "percent answers", n=number)


def _wrong_colour(place: Place) -> tuple[str, str]:
    """Return a colour that the tool does not list, or a word that is no colour."""
    rng, tool = place.rng, place.toolbox.tools["color"]
    colours = next(iter(tool.enums.values()), ())
    if colours and rng.random() < 0.7:
        others = [each for each in listed("unclear", "more colors") if each not in colours]
        colour = rng.choice(others)
        return colour, reply(place, "unclear", "color answers", colour=colour, colours=_one_of(list(colours)))
    colour = rng.choice(listed("unclear", "no colors")) if rng.random() < 0.8 else invented(rng)
    return colour, reply(place, "unclear", "no color answers", colour=colour)
