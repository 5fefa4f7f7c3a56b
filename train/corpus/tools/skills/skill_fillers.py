"""What fills the slots of the phrasings of skills; each slot belongs to one parameter."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from train.corpus.banks import words_in
from train.corpus.base import draw_until, is_held_combination, normal
from train.corpus.names import invented, person
from train.corpus.numbers import spoken
from train.corpus.tools.skills import skill_times as times
from train.corpus.tools.skills.skill_amounts import amount, amount_of, expression, sum_words, unit, word_problem
from train.corpus.tools.skills.skill_spans import Draw, Filler, Span

QUALITIES = (
    "organic", "fresh", "frozen", "sliced", "whole", "small", "large", "big", "ripe", "canned", "dried", "low fat",
    "gluten free", "vegan", "cheap", "lactose free", "unsalted", "half a", "a bit of", "spicy", "italian", "good",
)  # fmt: skip
PACKS = (
    "bottle", "pack", "can", "bag", "box", "jar", "kilo", "pound", "liter", "litre", "carton", "bunch", "pint",
    "gallon",
    "packet", "tin", "gram", "case", "roll", "slice", "bar", "tube", "crate", "tub", "stick", "cup",
)  # fmt: skip
ORDINALS = ("first", "second", "third", "last", "next", "other", "fourth", "newest", "oldest")
LENGTHS = ("long", "short", "longest", "shortest", "longer", "shorter")


@cache
def words(block: str) -> Sequence[str]:
    """Return the words of a block of `data/skill_words.txt`."""
    return words_in("skill_words")[block]


def drawn(draw: Draw, kind: str, make: Callable[[random.Random], str]) -> str:
    """Return words of the split: a tenth of all is never trained."""
    is_held = draw.split != "train"
    return draw_until(lambda: make(draw.rng), lambda said: is_held_combination(kind, normal(said)) == is_held)


def _titled(rng: random.Random, text: str) -> str:
    """Return a name in capitals or not: both are typed."""
    if rng.random() < 0.35:
        return text
    small = ("of", "the", "de", "la")
    return " ".join(word if word in small else word[:1].upper() + word[1:] for word in text.split(" "))


def _timer_name(rng: random.Random) -> str:
    chance = rng.random()
    name = rng.choice(words("timer names"))
    if chance < 0.66:
        return name
    if chance < 0.74:
        return invented(rng)
    if chance < 0.82:
        return f"{person(rng)}'s {name}" if "'s" not in name else name
    if chance < 0.9:
        kind = rng.choice(("second", "first", "big", "small", "red", "new", "next", "veggie", "other", invented(rng)))
        return f"{kind} {name}"
    return f"{rng.choice(words('items'))} {rng.choice(('soup', 'sauce', 'pie', 'bread', 'stew', 'salad'))}"


def timer_name(draw: Draw) -> Span:
    """Return what a timer is for, without an article."""
    return Span(drawn(draw, "timer name", _timer_name))


def alarm_name(draw: Draw) -> Span:
    """Return what an alarm is for, without an article."""
    return Span(drawn(draw, "alarm name", lambda rng: rng.choice(words("alarm names")) if rng.random() < 0.88
                      else f"{person(rng)}'s {rng.choice(('party', 'flight', 'exam', 'visit', 'train'))}"
                      if rng.random() < 0.6 else invented(rng)))  # fmt: skip


def which_timer(draw: Draw) -> Span:
    """Return words before "timer" that tell which one is meant."""
    chance = draw.rng.random()
    if chance < 0.5:
        return timer_name(draw)
    if chance < 0.75:
        return times.minutes(draw)
    return Span(draw.rng.choice(ORDINALS if chance < 0.93 else LENGTHS))


def which_one(draw: Draw) -> Span:
    """Return words that stand alone and tell which timer is meant."""
    said = which_timer(draw).said
    return Span(said if said == "all" or draw.rng.random() < 0.2 else f"{said} one")


def known_timer(draw: Draw) -> Span:
    """Return the name of a timer that there is."""
    return timer_name(draw)


def which_alarm(draw: Draw) -> Span:
    """Return words before "alarm" that tell which one is meant."""
    rng = draw.rng
    chance = rng.random()
    if chance < 0.5:
        return times.clock(rng)
    if chance < 0.68:
        return Span(rng.choice(times.WEEKDAYS))
    return Span(rng.choice((
        "first", "second", "last", "next", "other", "morning", "weekday", "weekend", "early", "earliest", "late",
        "tomorrow's", "daily", "evening", "old", "new", "third", "early morning", "wake up", "monday morning",
    )))  # fmt: skip


def alarm_time(draw: Draw) -> Span:
    """Return a moment after "for" that tells which alarm is meant."""
    rng = draw.rng
    chance = rng.random()
    if chance < 0.5:
        return times.clock(rng)
    if chance < 0.75:
        return Span(rng.choice(("tomorrow", "tomorrow morning", "today", "tonight", "the weekend", "the morning",
                                "next week", "weekdays", "the afternoon", "this evening")))  # fmt: skip
    day = rng.choice(times.WEEKDAYS)
    return Span(day if rng.random() < 0.6 else f"{day} morning")


def day_of_alarm(draw: Draw) -> Span:
    """Return a day as it stands in a sentence."""
    return times.one_day(draw.rng)


def _person(rng: random.Random) -> str:
    return rng.choice((person(rng), person(rng), "mum", "mom", "dad", "grandma", "my boss", "the neighbours",
                       "Mr Miller",
                       "my wife", "my husband", "the landlord", "aunt Helen", "Dr Jones", "the kids"))  # fmt: skip


def _made_task(rng: random.Random) -> str:
    who, where = _person(rng), rng.choice(words("alarm names"))
    thing = rng.choice(words("items")).removeprefix("a ")
    return rng.choice((
        f"call {who}", f"ring {who}", f"text {who}", f"email {who} about the {thing}", f"call {who} about the {where}",
        f"buy {thing}", f"get {thing}", f"buy {thing} for {who}", f"order {thing}", f"pick up {who}",
        f"pick up {who} from {where}", f"pick up {thing} on the way home", f"bring {thing} to {who}",
        f"take {who} to {where}", f"ask {who} about {where}", f"tell {who} about the {thing}", f"meet {who}",
        f"meet {who} for {rng.choice(('lunch', 'coffee', 'dinner', 'a beer'))}", f"write to {who}", f"thank {who}",
        f"pay {who} back the {rng.randint(2, 90)} euros", f"give {who} the {thing}", f"visit {who}",
        f"check the {invented(rng)}", f"feed the {invented(rng)}", f"water {who}'s plants",
        f"clean the {invented(rng)}",
        f"take the {thing} out of the {rng.choice(('oven', 'freezer', 'fridge', 'car'))}", f"return {who}'s book",
        f"wish {who} a happy birthday", f"look for the {thing}", f"send {who} the photos",
        f"practise the {invented(rng)}",
        f"prepare for {where}", f"get ready for {where}", f"leave for {where}",
        f"move the {invented(rng)} into the garage",
    ))  # fmt: skip


@cache
def _tasks(kind: str) -> Sequence[str]:
    """Return tasks: a `verb` with its object, a `matter`, a `fact`, or what is `not` to be done."""
    if kind == "verb":
        return [task for task in words("tasks") if not re.match("(that|not|the|my|our) ", task)]
    starts = {"fact": "that ", "not": "not ", "matter": "(the|my|our) "}[kind]
    return [task for task in words("tasks") if re.match(starts, task)]


def task(draw: Draw) -> Span:
    """Return what is to be done, as it follows "to"."""
    return Span(drawn(draw, "task", lambda rng: rng.choice(_tasks("verb")) if rng.random() < 0.62 else _made_task(rng)))


def matter(draw: Draw) -> Span:
    """Return what a reminder is about."""

    def make(rng: random.Random) -> str:
        if rng.random() < 0.6:
            return rng.choice(_tasks("matter")).removeprefix("the ")
        return rng.choice((*words("alarm names"), f"{person(rng)}'s birthday", f"{person(rng)}'s party", "bins", "rent",
                           f"meeting with {person(rng)}", f"call with {person(rng)}"))  # fmt: skip

    return Span(drawn(draw, "matter", make))


def fact(draw: Draw) -> Span:
    """Return what must not be forgotten, as it follows "that"."""

    def make(rng: random.Random) -> str:
        if rng.random() < 0.35:
            return rng.choice(_tasks("fact")).removeprefix("that ")
        who = _person(rng)
        return rng.choice((
            f"{who} is coming", f"{who} is coming for dinner", f"the {rng.choice(words('items'))} is in the freezer",
            f"I have to {rng.choice(_tasks('verb'))}", f"I need to {_made_task(rng)}", f"{who} needs the car",
            f"I promised {who} a call", "the shops are closed", "the bins go out", "the window is open",
            f"{who} has a test",
            f"we have {rng.choice(words('alarm names'))}", f"it's {person(rng)}'s birthday", "the cake is in the oven",
        ))  # fmt: skip

    return Span(drawn(draw, "fact", make))


def negative(draw: Draw) -> Span:
    """Return what must not be done, with "not to"."""
    if draw.rng.random() < 0.4:
        return Span(draw.rng.choice(_tasks("not")))
    return Span(
        f"not to {draw.rng.choice(('eat', 'buy', 'forget', 'touch', 'use'))} the {draw.rng.choice(words('items'))}"
    )


def _thing(rng: random.Random) -> str:
    chance = rng.random()
    name = rng.choice(words("items"))
    plain = name.removeprefix("a ")
    if chance < 0.68:
        return name
    if chance < 0.76:
        return f"{spoken(rng, rng.choice((1, 2, 2, 3, 4, 5, 6, 10, 12)))} {plain}"
    if chance < 0.88:
        pack = rng.choice(PACKS)
        if rng.random() < 0.45:
            return f"{rng.choice(('a', 'a', 'half a', 'another', 'one', '1'))} {pack} of {plain}"
        many = rng.choice(("a couple of", "a few", "500" if pack == "gram" else "2", spoken(rng, rng.randint(2, 12))))
        return f"{many} {pack.replace('box', 'boxe')}s of {plain}".replace("bunchs", "bunches")
    if chance < 0.94:
        return f"{rng.choice(QUALITIES)} {plain}"
    return f"{invented(rng)} {plain}" if chance < 0.97 else invented(rng)


def thing(draw: Draw) -> Span:
    """Return one thing without a quantity."""
    return Span(drawn(draw, "item", lambda rng: rng.choice(words("items")).removeprefix("a ")))


def _joined(rng: random.Random, things: Sequence[str]) -> str:
    if len(things) == 1:
        return things[0]
    comma = rng.choice((", ", ", ", " ", " and "))
    last = rng.choice((" and ", " and ", " and ", ", and ", comma, " plus ", " and some "))
    return comma.join(things[:-1]) + last + things[-1]


def _several(rng: random.Random, make: Callable[[], str]) -> Span:
    number = rng.choices((1, 2, 3, 4, 5), (62, 22, 10, 4, 2))[0]
    things = list(dict.fromkeys(make() for _ in range(number)))
    told = " and ".join((", ".join(things[:-1]), things[-1])) if len(things) > 1 else things[0]
    return Span(_joined(rng, things), told)


def items(draw: Draw) -> Span:
    """Return one to five things for a list, some with quantities."""
    return _several(draw.rng, lambda: drawn(draw, "item", _thing))


def packed(draw: Draw) -> Span:
    """Return one to five things to be packed."""
    return _several(draw.rng, lambda: drawn(draw, "item", lambda rng: rng.choice(words("packing things"))))


def list_name(draw: Draw) -> Span:
    """Return the name of a list without the word "list"."""

    def make(rng: random.Random) -> str:
        if rng.random() < 0.35:
            return rng.choice(("shopping", "shopping", "grocery", "groceries", "to-do", "to do", "todo"))
        return rng.choice((rng.choice(words("list names")), rng.choice(words("list names")),
                           rng.choice(words("list names")),
                           f"{person(rng)}'s", invented(rng)))  # fmt: skip

    # Everybody has these two; they cannot be kept out of training.
    said = make(draw.rng)
    return Span(
        said if said in ("shopping", "grocery", "groceries", "to-do", "to do", "todo") else drawn(draw, "list", make)
    )


def place(draw: Draw) -> Span:
    """Return a city, a country or a time zone."""
    said = drawn(draw, "place", lambda rng: rng.choice(words("places")) if rng.random() < 0.93 else invented(rng))
    said = said.upper() if len(said) == 3 and said in ("utc", "gmt", "cet", "est", "pst") else _titled(draw.rng, said)
    return Span(said, _titled(random.Random(0), said))


def _percent(rng: random.Random) -> str:
    number = rng.choice((10 * rng.randint(0, 10), 5 * rng.randint(1, 19), rng.randint(0, 100)))
    return rng.choice((f"{spoken(rng, number)} percent", f"{number}%", f"{number} percent", f"{number}"))


def level(draw: Draw) -> Span:
    """Return a volume: "40 percent", "half"."""
    rng = draw.rng
    if rng.random() < 0.72:
        return Span(_percent(rng))
    return Span(rng.choice(("half", "max", "maximum", "full", "minimum", "medium", "one", "ten", "3", "7", "level 4",
                            "fifty", "a quarter", "zero", "the maximum", "the lowest setting")))  # fmt: skip


def to_level(draw: Draw) -> Span:
    """Return a volume with "to"."""
    return Span(f"to {level(draw).said}")


def by_level(draw: Draw) -> Span:
    """Return a change of the volume with "by"."""
    return Span(
        f"by {draw.rng.choice((_percent(draw.rng), _percent(draw.rng), 'half', 'a bit', 'a notch', 'a third'))}"
    )


def turned(draw: Draw) -> Span:
    """Return "up" or "down" in any words."""
    rng = draw.rng
    way = rng.choice(("up", "down"))
    if rng.random() < 0.4:
        return Span(way)
    how = rng.choice((
        "{} a bit", "{} a little", "{} a little bit", "all the way {}", "way {}", "{} some", "{} a notch", "{} a lot",
        "{} a touch", "{} slightly", "{} two notches", "right {}", "{} more", "{} some more", "{} a tad", "further {}",
        f"{{}} by {_percent(rng)}", f"{{}} to {_percent(rng)}", f"{{}} {_percent(rng)}", "a bit {}", "a little {}",
    ))  # fmt: skip
    return Span(how.format(way))


def louder(draw: Draw) -> Span:
    """Return "louder" or "quieter" in any words."""
    rng = draw.rng
    way = rng.choice(("louder", "louder", "quieter", "quieter", "softer", "more quiet", "less loud", "lower"))
    before = rng.choice(("", "", "", "a bit ", "a little ", "a little bit ", "much ", "a lot ", "slightly ", "a touch ",
                         "a tad ", "way ", "even ", "somewhat "))  # fmt: skip
    return Span(before + way)


def away(draw: Draw) -> Span:
    """Return how long the sound is to be off."""
    return times.length(draw)


SLOTS: Mapping[str, tuple[str, Filler]] = {
    "length": ("length", times.length), "long": ("length", times.long), "number": ("length", times.bare_number),
    "unit_of_length": ("length", lambda draw: Span("minutes")), "name": ("name", timer_name),
    "which": ("which", which_timer), "which_one": ("which", which_one), "known": ("which", known_timer),
    "when": ("when", times.moment), "at": ("when", times.moment_with_at), "clock": ("when", times.clock_only),
    "at_clock": ("when", times.at_clock), "day": ("when", times.some_day), "date": ("when", alarm_time),
    "alarm": ("name", alarm_name), "alarm_which": ("which", alarm_name), "which_for": ("which", alarm_time),
    "which_day": ("which", day_of_alarm), "what": ("what", task), "matter": ("what", matter), "fact": ("what", fact),
    "negative": ("what", negative), "place": ("place", place), "until": ("day", times.counted_day),
    "sum": ("sum", sum_words), "expression": ("sum", expression), "story": ("sum", word_problem("story")),
    "bill": ("sum", word_problem("bill")), "amount": ("amount", amount), "unit": ("unit", unit),
    "item": ("item", items), "thing": ("item", thing), "packed": ("item", packed), "task": ("item", task),
    "list": ("list", list_name), "turned": ("change", turned), "to": ("change", to_level), "by": ("change", by_level),
    "level": ("change", level), "louder": ("change", louder), "louder_again": ("change", louder),
    "time_away": ("change", away), "person": ("", lambda draw: Span(person(draw.rng))),
    **{f"amount_{kind}": ("amount", amount_of(kind)) for kind in ("warm", "tall", "far", "heavy", "fast", "data",
                                                                  "money")},
    **{f"unit_{kind}": ("unit", unit) for kind in ("warm", "tall", "far", "heavy", "fast", "data", "money")},
}  # fmt: skip
OTHER_SLOTS: Mapping[str, Mapping[str, tuple[str, Filler]]] = {
    "cancel_alarm": {"which": ("which", which_alarm)},
    "ask_alarm": {"which": ("which", which_alarm)},
    "get_date": {"day": ("day", times.future_day)},
    "get_weather": {"day": ("day", times.weather_day)},
    "get_calendar": {"day": ("day", times.calendar_day)},
    "start_timer": {"unit": ("length", lambda draw: Span(draw.rng.choice(("minutes", "minutes", "seconds", "hours"))))},
}
"""Slots that mean something else in the phrasings of a tool."""


def slots_of(tool: str) -> Mapping[str, tuple[str, Filler]]:
    """Return the slots in the phrasings of a tool."""
    return {**SLOTS, **OTHER_SLOTS.get(tool, {})}
