"""Questions about a picture, their right answers, and the rule that decides whether another answer is right too."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from train.corpus.base import Check, expand, mentions, normal
from train.eye.canvas import Mark
from train.eye.colours import NAMES
from train.eye.scenes import PLACES, SHAPES, Display, Gauge, Group, Lamp, Scene, Shapes, Text, Unknown

COUNTS = ("no", "one", "two", "three", "four", "five", "six")
CANNOT_TELL = "I can't tell what this picture shows."
EDGE = 0.06
"""How near to the border of a third of the picture a place is not asked for, as a share of the picture."""

CAPTION = "what do you see?|what is this?|what's in the picture?|what is in this image?|describe the picture|what can you see?|describe this|what does the picture show?|what do you see in this picture?"
READ = "what does it say?|what does the [text|sign|label] say?|read the text|what is written [here|there]?|can you read it?|what do you read?|read this|what text do you see?"
SHOWN = "what does the display show?|what does the display say?|what number is on the display?|read the display|what is on the display?|what does the screen show?|what is the reading?|what's on the display?"
CLOCK = "what time is it?|what time does the clock show?|what time do you see?"
LEVEL = "what does the gauge show?|what does the meter show?|read the gauge|how full is it?|what is the level?|what value does the gauge show?|what does the gauge say?"
IS_ON = "is the [lamp|light] on?|is the [lamp|light] on or off?|is the [lamp|light] switched on?|does the [lamp|light] shine?"
IS_OFF = "is the [lamp|light] off?|is the [lamp|light] switched off?"


@dataclass(frozen=True)
class Question:
    """A question of a kind, its answer, and the rule for other answers; `spelled` is read from the picture by character."""

    kind: str
    asked: str
    answer: str
    check: Check
    spelled: str = ""


Asker = Callable[[random.Random], Question]


def _ask(rng: random.Random, forms: str) -> str:
    """Return one of the forms, which stand between bars outside of brackets; sometimes without the mark or with a capital."""
    options, depth, start = [], 0, 0
    for position, character in enumerate(forms):
        depth += (character == "[") - (character == "]")
        if character == "|" and not depth:
            options.append(forms[start:position])
            start = position + 1
    options.append(forms[start:])
    text = expand(rng, rng.choice(options))
    if rng.random() < 0.3:
        text = text[0].upper() + text[1:]
    return text.rstrip("?") if rng.random() < 0.15 else text


def _contains(*phrases: str) -> Check:
    return lambda reply: mentions(reply, *phrases)


def _yes_or_no(is_true: bool) -> Check:
    word = "yes" if is_true else "no"
    return lambda reply: normal(reply).split(" ")[0] == word


def says(text: str) -> Check:
    """Return the rule that the reply must contain exactly these characters as a word."""
    return lambda reply: text in reply.replace('"', " ").rstrip(".").split()


def plural(shape: str) -> str:
    """Return the plural of a shape."""
    return {"cross": "crosses"}.get(shape, f"{shape}s")


def counted(count: int, colour: str, shape: str) -> str:
    """Return for example "two red squares" or "an orange star"."""
    words = f"{colour} {shape}".strip()
    if count == 1:
        return ("an " if words[0] in "aeiou" else "a ") + words
    return f"{COUNTS[count]} {f'{colour} {plural(shape)}'.strip()}"


def _listed(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " and " + phrases[-1]


def _absent(kind: str, asked: str, what: str) -> Question:
    return Question("absent", asked, f"I don't see {what}.", lambda reply: mentions(reply, "dont see") or mentions(reply, "no"))


class ShapeQuestions:
    """Questions about coloured shapes."""

    def __init__(self, scene: Shapes, marks: tuple[Mark, ...]) -> None:
        self._groups = scene.groups
        self._marks = marks

    def askers(self) -> Iterator[tuple[Asker, float]]:
        """Yield what can be asked truly, each with its weight."""
        yield self.caption, 0.7
        yield self.count, 1.6
        yield self.is_there, 0.5
        yield self.missing, 0.5
        if self._of_one_colour():
            yield self.colour, 1.4
        if self._of_one_shape():
            yield self.shape, 1.0
        if self._placed():
            yield self.place, 1.2

    def _of_one_colour(self) -> list[Group]:
        shapes = [group.shape for group in self._groups]
        return [group for group in self._groups if shapes.count(group.shape) == 1]

    def _of_one_shape(self) -> list[Group]:
        colours = [group.colour for group in self._groups]
        return [group for group in self._groups if colours.count(group.colour) == 1]

    def _placed(self) -> list[tuple[Group, str]]:
        """Return the single things that lie clearly in one ninth of the picture, with its name."""
        found = []
        for group in self._groups:
            boxes = [mark.box for mark in self._marks if mark.label == group.shape]
            if group.count != 1 or len(boxes) != 1:
                continue
            x, y = (boxes[0][0] + boxes[0][2]) / 2, (boxes[0][1] + boxes[0][3]) / 2
            if min(abs(value - border) for value in (x, y) for border in (1 / 3, 2 / 3)) > EDGE:
                found.append((group, PLACES[min(2, max(0, int(y * 3)))][min(2, max(0, int(x * 3)))]))
        return found

    def caption(self, rng: random.Random) -> Question:
        """Ask for everything."""
        ordered = sorted(self._groups, key=lambda group: (-group.count, group.shape, group.colour))
        phrases = [counted(group.count, group.colour, group.shape) for group in ordered]
        return Question("caption", _ask(rng, CAPTION), f"I see {_listed(phrases)}.", _contains(*phrases))

    def count(self, rng: random.Random) -> Question:
        """Ask how many there are of a form and a colour, of a form, of a colour, or in all."""
        group = rng.choice(self._groups)
        by_colour, by_shape = rng.choice(((True, True), (True, True), (True, False), (False, True), (False, False)))
        colour, shape = group.colour if by_colour else "", group.shape if by_shape else "thing"
        number = sum(
            each.count
            for each in self._groups
            if (not by_colour or each.colour == colour) and (not by_shape or each.shape == shape)
        )
        return self._counted(rng, number, colour, "shape" if not by_colour and not by_shape else shape)

    def _counted(self, rng: random.Random, number: int, colour: str, shape: str) -> Question:
        many = f"{colour} {plural(shape)}".strip()
        asked = _ask(rng, f"how many {many} [do you see|are there|can you see|are in the picture]?|count the {many}|how many {many}?")
        one = f"{colour} {shape}".strip()
        answer = f"I see {COUNTS[number]} {one if number == 1 else many}."
        return Question("count", asked, answer, _contains(COUNTS[number]))

    def colour(self, rng: random.Random) -> Question:
        """Ask for the colour of things of one form."""
        group = rng.choice(self._of_one_colour())
        is_one = group.count == 1
        thing = group.shape if is_one else plural(group.shape)
        verb = "is" if is_one else "are"
        asked = _ask(rng, f"what [colour|color] {verb} the {thing}?|which [colour|color] {verb} the {thing}?|what [colour|color] [does|do] the {thing} have?")
        if is_one:
            asked = asked.replace(" do the", " does the")
        else:
            asked = asked.replace(" does the", " do the")
        return Question("colour", asked, f"The {thing} {verb} {group.colour}.", _contains(group.colour))

    def shape(self, rng: random.Random) -> Question:
        """Ask for the form of things of one colour."""
        group = rng.choice(self._of_one_shape())
        is_one = group.count == 1
        forms = (
            f"what shape is the {group.colour} thing?|what is the {group.colour} thing?|which shape is {group.colour}?"
            if is_one
            else f"what shape are the {group.colour} things?|what are the {group.colour} things?|which shapes are {group.colour}?"
        )
        if len(self._groups) == 1 and is_one:
            forms += "|what shape is it?|what shape do you see?|which shape is this?"
        answer = f"It is {counted(1, '', group.shape)}." if is_one else f"They are {plural(group.shape)}."
        return Question("shape", _ask(rng, forms), answer, _contains(group.shape if is_one else plural(group.shape)))

    def place(self, rng: random.Random) -> Question:
        """Ask where a single thing is."""
        group, place = rng.choice(self._placed())
        name = f"{group.colour} {group.shape}" if rng.random() < 0.4 or group not in self._of_one_colour() else group.shape
        asked = _ask(rng, f"where is the {name}?|where do you see the {name}?|in which part of the picture is the {name}?|where's the {name}?")
        is_corner = len(place.split()) == 4
        return Question("place", asked, f"It is {place}.", lambda reply: place in reply and (is_corner or "left" in place or "right" in place or ("left" not in reply and "right" not in reply)))

    def is_there(self, rng: random.Random) -> Question:
        """Ask whether a thing is there: a true one, or one of another form or colour."""
        group = rng.choice(self._groups)
        colour, shape = group.colour, group.shape
        if rng.random() < 0.5:
            colour, shape = (rng.choice(NAMES), shape) if rng.random() < 0.5 else (colour, rng.choice(SHAPES))
        is_true = any((each.colour, each.shape) == (colour, shape) for each in self._groups)
        name = counted(1, colour, shape)
        asked = _ask(rng, f"is there {name}?|do you see {name}?|can you see {name}?|is there {name} in the picture?")
        answer = f"Yes, I see {name}." if is_true else f"No, I don't see {name}."
        return Question("yes or no", asked, answer, _yes_or_no(is_true))

    def missing(self, rng: random.Random) -> Question:
        """Ask for something that is not there."""
        shape = rng.choice([name for name in SHAPES if all(name != group.shape for group in self._groups)])
        form = rng.random()
        if form < 0.4:
            colour = rng.choice(("", *NAMES))
            many = f"{colour} {plural(shape)}".strip()
            asked = _ask(rng, f"how many {many} [do you see|are there|can you see|are in the picture]?|how many {many}?")
            return Question("absent", asked, f"I see no {many}.", _contains("no"))
        article = counted(1, "", shape)
        if form < 0.7:
            return _absent("absent", _ask(rng, f"what [colour|color] is the {shape}?|which [colour|color] is the {shape}?"), article)
        return _absent("absent", _ask(rng, f"where is the {shape}?|where do you see the {shape}?"), article)


def _caption(rng: random.Random, what: str, check: Check, spelled: str = "") -> Question:
    return Question("caption", _ask(rng, CAPTION), f"I see {what}.", check, spelled)


def _read_text(scene: Text) -> Iterator[tuple[Asker, float]]:
    text = scene.text
    form = READ
    if len(text) == 1:
        form += "|what [number|digit] do you see?|which [digit|number] is this?" * text.isdigit()
        form += "|what letter do you see?|which letter is this?|what letter is it?" * text.isalpha()
    elif text.isdigit():
        form += "|what number do you see?|what number is this?|which number is it?"
    else:
        form += "|what letters do you see?|what word do you see?"
    yield lambda rng: Question("text", _ask(rng, form), f"It says {text}.", says(text), text), 3.0
    yield lambda rng: _caption(rng, f"text that says {text}", says(text), text), 1.0


def _read_display(scene: Display) -> Iterator[tuple[Asker, float]]:
    text = scene.text
    form = f"{SHOWN}|{CLOCK}" if ":" in text else SHOWN
    yield lambda rng: Question("display", _ask(rng, form), f"It shows {text}.", says(text), text), 3.0
    yield lambda rng: _caption(rng, f"a display that shows {text}", says(text), text), 1.0


def is_near(value: int) -> Check:
    def check(reply: str) -> bool:
        found = [int(word) for word in normal(reply).split() if word.isdigit()]
        return len(found) == 1 and abs(found[0] - value) <= 10

    return check


def _read_gauge(scene: Gauge) -> Iterator[tuple[Asker, float]]:
    level = (scene.value + 5) // 10 * 10
    yield lambda rng: Question("gauge", _ask(rng, LEVEL), f"It shows about {level} percent.", is_near(scene.value)), 3.0
    yield lambda rng: _caption(rng, f"a gauge that shows about {level} percent", is_near(scene.value)), 1.0


def _look_at_lamp(scene: Lamp) -> Iterator[tuple[Asker, float]]:
    state = "on" if scene.is_on else "off"

    def ask(rng: random.Random) -> Question:
        is_asked_on = rng.random() < 0.75
        word = "Yes" if is_asked_on == scene.is_on else "No"
        asked = _ask(rng, IS_ON if is_asked_on else IS_OFF)
        return Question("lamp", asked, f"{word}, the lamp is {state}.", _contains(state))

    yield ask, 3.0
    yield lambda rng: _caption(rng, f"a lamp that is {state}", _contains("lamp", state)), 1.0


def _any_question(rng: random.Random) -> str:
    """Return a question that can be asked about any picture."""
    shape, colour = rng.choice(SHAPES), rng.choice(NAMES)
    single = f"what [colour|color] is the {shape}?|where is the {shape}?|how many {colour} {plural(shape)} do you see?|what shape do you see?"
    return _ask(rng, rng.choice((CAPTION, CAPTION, READ, SHOWN, LEVEL, IS_ON, single, single)))


def _give_up(scene: Unknown) -> Iterator[tuple[Asker, float]]:
    del scene
    yield lambda rng: Question("unknown", _any_question(rng), CANNOT_TELL, _contains("cant tell")), 1.0


ABSENT_THINGS = (
    (Text, READ.split("|what is written")[0], "any text"),
    (Display, SHOWN, "a display"),
    (Gauge, "what does the gauge show?|read the gauge|what value does the gauge show?", "a gauge"),
    (Lamp, IS_ON, "a lamp"),
)


def _other_kind(scene: Scene) -> Iterator[tuple[Asker, float]]:
    """Yield questions for things that the picture does not show."""
    for form, forms, what in ABSENT_THINGS:
        # A display has digits, which may be called a text.
        if isinstance(scene, form) or (form is Text and isinstance(scene, Display)) or (form is Display and isinstance(scene, Text)):
            continue
        yield (lambda rng, forms=forms, what=what: _absent("absent", _ask(rng, forms), what)), 0.12
    if not isinstance(scene, Shapes):
        yield _missing_shape, 0.25


def _missing_shape(rng: random.Random) -> Question:
    shape = rng.choice(("square", "triangle", "star", "heart", "cross", "diamond"))
    return _absent("absent", _ask(rng, f"what [colour|color] is the {shape}?|where is the {shape}?"), counted(1, "", shape))


def askers_of(scene: Scene, marks: tuple[Mark, ...]) -> list[tuple[Asker, float]]:
    """Return all that can be asked about a picture, each with its weight."""
    match scene:
        case Shapes():
            own = ShapeQuestions(scene, marks).askers()
        case Text():
            own = _read_text(scene)
        case Display():
            own = _read_display(scene)
        case Gauge():
            own = _read_gauge(scene)
        case Lamp():
            own = _look_at_lamp(scene)
        case Unknown():
            return list(_give_up(scene))
    return [*own, *_other_kind(scene)]


def ask_about(rng: random.Random, scene: Scene, marks: tuple[Mark, ...], number: int) -> list[Question]:
    """Return some questions about a picture, no kind of question twice where there are enough kinds."""
    askers = askers_of(scene, marks)
    chosen: list[Asker] = []
    while len(chosen) < number:
        if not askers:
            askers = askers_of(scene, marks)
        picked = rng.choices(range(len(askers)), [weight for _, weight in askers])[0]
        chosen.append(askers.pop(picked)[0])
    return [asker(rng) for asker in chosen]
