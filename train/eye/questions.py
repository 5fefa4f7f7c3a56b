"""Questions about a picture, their right answers, and the rule that decides whether another answer is right too."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from train.corpus.base import Check, expand, expects, mentions, normal
from train.eye.canvas import Mark
from train.eye.colours import NAMES
from train.eye.scenes import PLACES, SHAPES, Display, Gauge, Group, Lamp, Scene, Shapes, Text, Unknown

COUNTS = ("no", "one", "two", "three", "four", "five", "six")
CANNOT_TELL = "I can't tell what this picture shows."
EDGE = 0.06
"""How near to the border of a third of the picture a place is not asked for, as a share of the picture."""

CAPTION = (
    "what do you see?",
    "what is this?",
    "what's in the picture?",
    "what is in this image?",
    "describe the picture",
    "what can you see?",
    "describe this",
    "what does the picture show?",
    "what do you see in this picture?",
)
READ = (
    "what does it say?",
    "what does the [text|sign|label] say?",
    "read the text",
    "what text do you see?",
    "what is written [here|there]?",
    "can you read it?",
    "what do you read?",
    "read this",
)
READ_TEXT = READ[:4]
"""Those that can only mean a text."""
SHOWN = (
    "what does the display show?",
    "what does the display say?",
    "what number is on the display?",
    "read the display",
    "what is on the display?",
    "what does the screen show?",
    "what is the reading?",
    "what's on the display?",
)
CLOCK = ("what time is it?", "what time does the clock show?", "what time do you see?")
LEVEL = (
    "what does the gauge show?",
    "what does the meter show?",
    "read the gauge",
    "what value does the gauge show?",
    "what does the gauge say?",
    "how full is it?",
    "what is the level?",
)
LEVEL_OF_GAUGE = LEVEL[:5]
IS_ON = (
    "is the [lamp|light] on?",
    "is the [lamp|light] on or off?",
    "is the [lamp|light] switched on?",
    "does the [lamp|light] shine?",
)
IS_OFF = ("is the [lamp|light] off?", "is the [lamp|light] switched off?")
CLEAR_SHAPES = ("square", "triangle", "star", "cross", "heart", "diamond")
"""Those that no instrument has; dials and lamps are circles."""
ONE_DIGIT = ("what [number|digit] do you see?", "which [digit|number] is this?")
ONE_LETTER = ("what letter do you see?", "which letter is this?", "what letter is it?")
ONE_NUMBER = ("what number do you see?", "what number is this?", "which number is it?")
ONE_WORD = ("what letters do you see?", "what word do you see?")


@dataclass(frozen=True)
class Question:
    """A question of a kind, its answer, and the rule for other answers.

    What is `spelled` in the answer is read from the picture character by character.
    """

    kind: str
    asked: str
    answer: str
    check: Check
    spelled: str = ""


Asker = Callable[[random.Random], Question]
Weighted = Iterator[tuple[Asker, float]]


def _ask(rng: random.Random, forms: Sequence[str]) -> str:
    """Return one of the forms, sometimes with a capital or without its question mark."""
    text = expand(rng, rng.choice(forms))
    if rng.random() < 0.3:
        text = text[0].upper() + text[1:]
    return text.rstrip("?") if rng.random() < 0.15 else text


def _yes_or_no(is_true: bool) -> Check:
    word = "yes" if is_true else "no"
    return lambda reply: normal(reply).split(" ")[0] == word


def says(text: str) -> Check:
    """Return the rule that the reply must contain exactly these characters as a word."""
    return lambda reply: text in reply.replace('"', " ").rstrip(".").split()


def is_near(value: int) -> Check:
    """Return the rule that the reply must have one number, which is at most ten away."""

    def check(reply: str) -> bool:
        found = [int(word) for word in normal(reply).split() if word.isdigit()]
        return len(found) == 1 and abs(found[0] - value) <= 10

    return check


def is_place(place: str) -> Check:
    """Return the rule that the reply must name this place and no corner instead of a side."""
    sides = {word for word in ("left", "right", "top", "bottom", "middle") if word in place}
    return lambda reply: (
        sides == {word for word in ("left", "right", "top", "bottom", "middle") if mentions(reply, word)}
    )


def plural(shape: str) -> str:
    """Return the plural of a shape."""
    return {"cross": "crosses"}.get(shape, f"{shape}s")


def counted(count: int, colour: str, shape: str) -> str:
    """Return for example "two red squares" or "an orange star"."""
    if count == 1:
        words = f"{colour} {shape}".strip()
        return ("an " if words[0] in "aeiou" else "a ") + words
    return f"{COUNTS[count]} {f'{colour} {plural(shape)}'.strip()}"


def _listed(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " and " + phrases[-1]


def _how_many(rng: random.Random, things: str) -> str:
    asked = f"how many {things} [do you see|are there|can you see|are in the picture]?"
    return _ask(rng, (asked, asked, f"count the {things}", f"how many {things}?"))


def _unseen(rng: random.Random, forms: Sequence[str], what: str) -> Question:
    """Ask for something that the picture does not show."""

    def check(reply: str) -> bool:
        return mentions(reply, "dont see") or mentions(reply, "no")

    return Question("absent", _ask(rng, forms), f"I don't see {what}.", check)


class ShapeQuestions:
    """Questions about coloured shapes."""

    def __init__(self, scene: Shapes, marks: tuple[Mark, ...]) -> None:
        self._groups = scene.groups
        self._marks = marks
        shapes, colours = ([getattr(group, name) for group in scene.groups] for name in ("shape", "colour"))
        self._of_one_colour = [group for group in scene.groups if shapes.count(group.shape) == 1]
        self._of_one_shape = [group for group in scene.groups if colours.count(group.colour) == 1]

    def askers(self) -> Weighted:
        """Yield what can be asked truly, each with its weight."""
        yield self.caption, 0.7
        yield self.count, 1.6
        yield self.is_there, 0.5
        yield self.missing, 0.5
        if self._of_one_colour:
            yield self.colour, 1.4
        if self._of_one_shape:
            yield self.shape, 1.0
        if self._placed():
            yield self.place, 1.2

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
        ordered = sorted(self._groups, key=lambda group: (group.shape, group.colour))
        phrases = [counted(group.count, group.colour, group.shape) for group in ordered]
        return Question("caption", _ask(rng, CAPTION), f"I see {_listed(phrases)}.", expects(*phrases))

    def count(self, rng: random.Random) -> Question:
        """Ask how many there are of a form and a colour, of a form, of a colour, or in all."""
        group = rng.choice(self._groups)
        by_colour, by_shape = rng.choice(((True, True), (True, True), (True, False), (False, True), (False, False)))
        number = sum(
            each.count
            for each in self._groups
            if (not by_colour or each.colour == group.colour) and (not by_shape or each.shape == group.shape)
        )
        colour = f"{group.colour} " if by_colour else ""
        shape = group.shape if by_shape else "thing" if by_colour else "shape"
        things = f"{colour}{plural(shape)}"
        answer = f"I see {COUNTS[number]} {f'{colour}{shape}' if number == 1 else things}."
        return Question("count", _how_many(rng, things), answer, expects(COUNTS[number]))

    def colour(self, rng: random.Random) -> Question:
        """Ask for the colour of things of one form."""
        group = rng.choice(self._of_one_colour)
        is_one = group.count == 1
        thing, verb, do = (group.shape, "is", "does") if is_one else (plural(group.shape), "are", "do")
        forms = (f"[what|which] [colour|color] {verb} the {thing}?", f"what [colour|color] {do} the {thing} have?")
        return Question("colour", _ask(rng, forms), f"The {thing} {verb} {group.colour}.", expects(group.colour))

    def shape(self, rng: random.Random) -> Question:
        """Ask for the form of things of one colour."""
        group = rng.choice(self._of_one_shape)
        colour, name = group.colour, plural(group.shape)
        if group.count > 1:
            forms = [f"what shape are the {colour} things?", f"what are the {colour} things?"]
            return Question("shape", _ask(rng, forms), f"They are {name}.", expects(name))
        forms = [f"what shape is the {colour} thing?", f"what is the {colour} thing?", f"which shape is {colour}?"]
        if len(self._groups) == 1:
            forms += ["what shape is it?", "what shape do you see?", "which shape is this?"]
        return Question("shape", _ask(rng, forms), f"It is {counted(1, '', group.shape)}.", expects(group.shape))

    def place(self, rng: random.Random) -> Question:
        """Ask where a single thing is."""
        group, place = rng.choice(self._placed())
        is_plain = group in self._of_one_colour and rng.random() < 0.6
        name = group.shape if is_plain else f"{group.colour} {group.shape}"
        forms = (
            f"where is the {name}?",
            f"where do you see the {name}?",
            f"in which part of the picture is the {name}?",
            f"where's the {name}?",
        )
        return Question("place", _ask(rng, forms), f"It is {place}.", is_place(place))

    def is_there(self, rng: random.Random) -> Question:
        """Ask whether a thing is there: a true one, or one of another form or colour."""
        group = rng.choice(self._groups)
        colour, shape = group.colour, group.shape
        if rng.random() < 0.5:
            colour, shape = (rng.choice(NAMES), shape) if rng.random() < 0.5 else (colour, rng.choice(SHAPES))
        is_true = any((each.colour, each.shape) == (colour, shape) for each in self._groups)
        name = counted(1, colour, shape)
        asked = _ask(rng, (f"is there {name}?", f"[do|can] you see {name}?", f"is there {name} in the picture?"))
        answer = f"Yes, I see {name}." if is_true else f"No, I don't see {name}."
        return Question("yes or no", asked, answer, _yes_or_no(is_true))

    def missing(self, rng: random.Random) -> Question:
        """Ask for something that is not there."""
        shape = rng.choice([name for name in SHAPES if all(name != group.shape for group in self._groups)])
        if rng.random() < 0.6:
            return _missing_shape(rng, shape)
        many = f"{rng.choice(('', *NAMES))} {plural(shape)}".strip()
        return Question("absent", _how_many(rng, many), f"I see no {many}.", expects("no"))


def _missing_shape(rng: random.Random, shape: str) -> Question:
    forms = (f"[what|which] [colour|color] is the {shape}?", f"where is the {shape}?", f"where do you see the {shape}?")
    return _unseen(rng, forms, counted(1, "", shape))


def _read(kind: str, forms: Sequence[str], scene: Text | Display, start: str, what: str) -> Weighted:
    text = scene.text
    yield lambda rng: Question(kind, _ask(rng, forms), f"{start} {text}.", says(text), text), 3.0
    yield lambda rng: Question("caption", _ask(rng, CAPTION), f"I see {what} {text}.", says(text), text), 1.0


def _read_text(scene: Text) -> Weighted:
    if len(scene.text) == 1:
        more = ONE_DIGIT if scene.text.isdigit() else ONE_LETTER
    else:
        more = ONE_NUMBER if scene.text.isdigit() else ONE_WORD
    return _read("text", READ + more, scene, "It says", "text that says")


def _read_display(scene: Display) -> Weighted:
    forms = SHOWN + CLOCK if ":" in scene.text else SHOWN
    return _read("display", forms, scene, "It shows", "a display that shows")


def _read_gauge(scene: Gauge) -> Weighted:
    level, near = f"about {(scene.value + 5) // 10 * 10} percent.", is_near(scene.value)
    yield lambda rng: Question("gauge", _ask(rng, LEVEL), f"It shows {level}", near), 3.0
    yield lambda rng: Question("caption", _ask(rng, CAPTION), f"I see a gauge that shows {level}", near), 1.0


def _look_at_lamp(scene: Lamp) -> Weighted:
    state = "on" if scene.is_on else "off"

    def ask(rng: random.Random) -> Question:
        is_asked_on = rng.random() < 0.75
        word = "Yes" if is_asked_on == scene.is_on else "No"
        return Question(
            "lamp", _ask(rng, IS_ON if is_asked_on else IS_OFF), f"{word}, the lamp is {state}.", expects(state)
        )

    yield ask, 3.0
    yield (
        lambda rng: Question("caption", _ask(rng, CAPTION), f"I see a lamp that is {state}.", expects("lamp", state)),
        1.0,
    )


def _give_up(rng: random.Random) -> Question:
    """Ask anything about a picture of which nothing can be told."""
    shape, colour = rng.choice(SHAPES), rng.choice(NAMES)
    about = (f"what [colour|color] is the {shape}?", f"where is the {shape}?", "what shape do you see?")
    many = (f"how many {colour} {plural(shape)} do you see?", f"how many {plural(shape)} are there?")
    forms = rng.choice((CAPTION, CAPTION, CAPTION, READ, SHOWN, LEVEL, IS_ON, about, many))
    return Question("unknown", _ask(rng, forms), CANNOT_TELL, expects("cant tell"))


def _other_things(scene: Scene) -> Weighted:
    """Yield questions for things that the picture does not show; the digits of a display may be called a text."""
    if not isinstance(scene, Text | Display):
        yield partial(_unseen, forms=READ_TEXT, what="any text"), 0.12
        yield partial(_unseen, forms=SHOWN, what="a display"), 0.12
    if not isinstance(scene, Gauge):
        yield partial(_unseen, forms=LEVEL_OF_GAUGE, what="a gauge"), 0.12
    if not isinstance(scene, Lamp):
        yield partial(_unseen, forms=IS_ON, what="a lamp"), 0.12
    if not isinstance(scene, Shapes):
        yield lambda rng: _missing_shape(rng, rng.choice(CLEAR_SHAPES)), 0.25


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
            return [(_give_up, 1.0)]
    return [*own, *_other_things(scene)]


def ask_about(rng: random.Random, scene: Scene, marks: tuple[Mark, ...], number: int) -> list[Question]:
    """Return some questions about a picture, no kind of question twice where there are enough kinds."""
    askers: list[tuple[Asker, float]] = []
    found: list[Question] = []
    while len(found) < number:
        askers = askers or askers_of(scene, marks)
        picked = rng.choices(range(len(askers)), [weight for _, weight in askers])[0]
        found.append(askers.pop(picked)[0](rng))
    return found
