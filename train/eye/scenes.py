"""What a picture shows, before anything is drawn: the facts that questions ask for, and the style.

A combination of contents and style is held out by a checksum, so a picture of the evaluation shows what no picture of
training has shown in this size, colour, font and finish.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from train.corpus.base import is_held_combination
from train.eye.colours import NAMES

SHAPES = ("circle", "square", "triangle", "rectangle", "star", "cross", "heart", "diamond")
SIZES = ("small", "medium", "large")
FINISHES = ("noise", "blur", "turned", "dim", "jpeg", "stretched")
FINISH_SHARE = 0.25
MOST_THINGS = 6
HARD_SHARE = 0.7
"""How often a training picture that is easy to learn gives way to another."""
HARD_LENGTH, HARD_COUNT = 3, 4
DIGITS = "0123456789"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SIGNS = (
    "STOP", "EXIT", "OPEN", "CLOSED", "HELLO", "ON", "OFF", "YES", "NO", "PUSH", "PULL", "HOT", "COLD", "START", "END",
    "WIFI", "MENU", "HOME", "KITCHEN", "ROOM", "TAXI", "HOTEL", "BUS", "CAFE", "BANK", "POLICE", "SALE", "FREE",
    "WELCOME", "DOOR", "LIGHT", "WATER", "FIRE", "AIR", "GAS", "UP", "DOWN", "LEFT", "RIGHT", "IN", "OUT", "NORTH",
    "SOUTH", "EAST", "WEST", "HELP", "WAIT", "GO",
)  # fmt: skip
FONTS = (
    "dejavu/DejaVuSans",
    "dejavu/DejaVuSans-Bold",
    "dejavu/DejaVuSansCondensed-Bold",
    "dejavu/DejaVuSansMono",
    "dejavu/DejaVuSerif",
    "dejavu/DejaVuSerif-Bold",
    "liberation/LiberationSans-Regular",
    "liberation/LiberationSans-Bold",
    "liberation/LiberationSansNarrow-Bold",
    "liberation/LiberationMono-Bold",
    "liberation/LiberationSerif-Regular",
    "liberation/LiberationSerif-Bold",
    "liberation/LiberationSans-BoldItalic",
)
PLACES = (
    ("at the top left", "at the top", "at the top right"),
    ("on the left", "in the middle", "on the right"),
    ("at the bottom left", "at the bottom", "at the bottom right"),
)
DISPLAY_COLOURS = ("red", "green", "blue", "yellow", "white", "black")
GAUGES = ("dial", "half", "bar", "column", "ring")
LAMPS = ("bulb", "led", "hanging", "standing")
TEXTURES = ("noise", "clouds", "grain", "blobs", "cells", "empty", "scribble", "weave", "landscape")


@dataclass(frozen=True)
class Style:
    """How a picture is drawn."""

    size: str
    finishes: tuple[str, ...]
    font: str


@dataclass(frozen=True)
class Group:
    """Things of one form and one colour."""

    shape: str
    colour: str
    count: int


@dataclass(frozen=True)
class Shapes:
    """Coloured shapes; `place` is the row and column of a single one."""

    kind: ClassVar[str] = "shapes"
    groups: tuple[Group, ...]
    place: tuple[int, int] | None

    @property
    def key(self) -> str:
        """Return what the checksum counts."""
        return f"{self.groups[0].shape} {self.groups[0].colour} {self.groups[0].count}"


@dataclass(frozen=True)
class Text:
    """Letters or digits in a font."""

    kind: ClassVar[str] = "text"
    text: str

    @property
    def key(self) -> str:
        """Return what the checksum counts."""
        return self.text


@dataclass(frozen=True)
class Display:
    """A seven-segment display."""

    kind: ClassVar[str] = "display"
    text: str
    colour: str

    @property
    def key(self) -> str:
        """Return what the checksum counts."""
        return f"{self.text} {self.colour}"


@dataclass(frozen=True)
class Gauge:
    """A gauge from 0 to 100."""

    kind: ClassVar[str] = "gauge"
    form: str
    value: int

    @property
    def key(self) -> str:
        """Return what the checksum counts."""
        return f"{self.form} {self.value}"


@dataclass(frozen=True)
class Lamp:
    """A lamp of a form and a colour."""

    kind: ClassVar[str] = "lamp"
    form: str
    colour: str
    is_on: bool

    @property
    def key(self) -> str:
        """Return what the checksum counts."""
        return f"{self.form} {self.colour} {self.is_on}"


@dataclass(frozen=True)
class Unknown:
    """What is to be answered with "I can't tell"."""

    kind: ClassVar[str] = "unknown"
    texture: str

    @property
    def key(self) -> str:
        """Return what the checksum counts."""
        return self.texture


Scene = Shapes | Text | Display | Gauge | Lamp | Unknown


def _shapes(rng: random.Random) -> Shapes:
    number = rng.choice((1, 2))
    left = MOST_THINGS
    groups: list[Group] = []
    for position in range(number):
        most = left - (number - position - 1)
        count = 1 if rng.random() < 0.35 else rng.randint(1, most)
        shape, colour = rng.choice(SHAPES), rng.choice(NAMES)
        if any((shape, colour) == (group.shape, group.colour) for group in groups):
            continue
        groups.append(Group(shape, colour, count))
        left -= count
    is_single = sum(group.count for group in groups) == 1
    return Shapes(tuple(groups), (rng.randrange(3), rng.randrange(3)) if is_single and rng.random() < 0.75 else None)


def _text(rng: random.Random) -> Text:
    kind = rng.random()
    if kind < 0.15:
        return Text(rng.choice(SIGNS))
    length = rng.choice((1, 1, 1, 2, 2, 3))
    return Text("".join(rng.choices(DIGITS if kind < 0.5 else LETTERS, k=length)))


def _display(rng: random.Random) -> Display:
    kind = rng.random()
    if kind < 0.2:
        text = f"{rng.randrange(24):02}:{rng.randrange(60):02}"
    elif kind < 0.45:
        text = f"{rng.randrange(100)}.{rng.randrange(10)}"
    else:
        text = "".join(rng.choices(DIGITS, k=rng.choice((1, 1, 2, 2, 3, 4))))
    sign = "-" if ":" not in text and len(text) < 4 and rng.random() < 0.1 else ""
    return Display(sign + text, rng.choice(DISPLAY_COLOURS))


def _gauge(rng: random.Random) -> Gauge:
    return Gauge(rng.choice(GAUGES), rng.randrange(101))


def _lamp(rng: random.Random) -> Lamp:
    return Lamp(
        rng.choice(LAMPS), rng.choice(("yellow", "yellow", "white", "red", "green", "blue")), rng.random() < 0.5
    )


def _unknown(rng: random.Random) -> Unknown:
    return Unknown(rng.choice(TEXTURES))


MAKERS: dict[str, tuple[Callable[[random.Random], Scene], float]] = {
    "shapes": (_shapes, 0.4),
    "text": (_text, 0.19),
    "display": (_display, 0.18),
    "gauge": (_gauge, 0.16),
    "lamp": (_lamp, 0.04),
    "unknown": (_unknown, 0.04),
}
"""The makers by kind of picture, each with its share of training."""


def _is_hard(scene: Scene) -> bool:
    """Return whether a scene is of those that take longest to learn: two kinds of things, many, or long texts."""
    match scene:
        case Shapes():
            return len(scene.groups) > 1 or scene.groups[0].count >= HARD_COUNT
        case Text() | Display():
            return len(scene.text) >= HARD_LENGTH
    return False


def _style(rng: random.Random) -> Style:
    finishes = tuple(finish for finish in FINISHES if rng.random() < FINISH_SHARE)
    return Style(rng.choice(SIZES), finishes, rng.choice(FONTS))


def is_held(scene: Scene, style: Style) -> bool:
    """Return whether no picture of training shows this scene in this style."""
    font = style.font if isinstance(scene, Text) else ""
    return is_held_combination(scene.key, style.size, *style.finishes, font)


def _draw_kind(rng: random.Random) -> str:
    return rng.choices(list(MAKERS), [share for _, share in MAKERS.values()])[0]


def draw_scene(rng: random.Random, *, held: bool, kind: str | None = None, ease: float = 0.0) -> tuple[Scene, Style]:
    """Return a scene and a style, held out or not; a share of `ease` is large and clean."""
    chosen = kind or _draw_kind(rng)
    while True:
        scene, style = MAKERS[chosen][0](rng), _style(rng)
        if not held and not _is_hard(scene) and rng.random() < HARD_SHARE:
            scene = MAKERS[kind or _draw_kind(rng)][0](rng)
        if rng.random() < ease:
            style = Style("large", (), style.font)
        if is_held(scene, style) == held:
            return scene, style
