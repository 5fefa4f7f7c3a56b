"""The canvas that scenes are drawn on: size, background, marks of what lies where, finish of the whole picture."""

from __future__ import annotations

import io
import math
import random
from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from train.eye.colours import Rgb, draw_any, draw_colour, is_clear, mixed
from train.eye.scenes import Style

PAD_COLOUR = (122, 116, 104)
"""What llama.cpp pads a picture with that is not square, for this kind of projector."""

LONGEST = (112, 144, 192, 256)
ASPECTS = (1.0, 1.0, 4 / 3, 4 / 3, 3 / 4, 3 / 2)
BACKGROUNDS = ("white", "white", "black", "grey", "blue", "green", "yellow", "brown", "pink")
MOST_TURN_DEGREES = 12


@dataclass(frozen=True)
class Mark:
    """A thing in the picture and the box around it, in shares of the canvas."""

    label: str
    box: tuple[float, float, float, float]


@dataclass
class Canvas:
    """A picture that is being drawn."""

    image: Image.Image
    base: Rgb
    marks: list[Mark] = field(default_factory=list)

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        """Return what draws on it."""
        return ImageDraw.Draw(self.image)

    @property
    def unit(self) -> int:
        """Return the shorter side in pixels."""
        return min(self.image.size)

    def mark(self, label: str, left: float, top: float, right: float, bottom: float) -> None:
        """Remember that a thing lies in this box of pixels."""
        width, height = self.image.size
        self.marks.append(Mark(label, (left / width, top / height, right / width, bottom / height)))


def blank(rng: random.Random, base: Rgb | None = None) -> Canvas:
    """Return an empty canvas of some size: plain, graded, striped or with a border."""
    longest, aspect = rng.choice(LONGEST), rng.choice(ASPECTS)
    size = (longest, round(longest / aspect)) if aspect >= 1 else (round(longest * aspect), longest)
    if base is None:
        base = draw_any(rng) if rng.random() < 0.25 else draw_colour(rng, rng.choice(BACKGROUNDS))
    canvas = Canvas(Image.new("RGB", size, base), base)
    form = rng.random()
    if form < 0.2:
        _grade(rng, canvas)
    elif form < 0.28:
        _stripe(rng, canvas)
    elif form < 0.36:
        border = round(canvas.unit * rng.uniform(0.01, 0.05))
        canvas.pen.rectangle((0, 0, size[0] - 1, size[1] - 1), outline=draw_any(rng), width=max(1, border))
    return canvas


def _grade(rng: random.Random, canvas: Canvas) -> None:
    other = mixed(canvas.base, draw_any(rng), 0.3)
    ramp = Image.linear_gradient("L").rotate(rng.choice((0, 90, 180, 270))).resize(canvas.image.size)
    canvas.image.paste(Image.new("RGB", canvas.image.size, other), mask=ramp)


def _stripe(rng: random.Random, canvas: Canvas) -> None:
    width, height = canvas.image.size
    colour = mixed(canvas.base, draw_any(rng), 0.18)
    step = rng.randint(6, 30)
    upright = rng.random() < 0.5
    for start in range(0, width if upright else height, 2 * step):
        box = (start, 0, start + step, height) if upright else (0, start, width, start + step)
        canvas.pen.rectangle(box, fill=colour)


def clear_colour(rng: random.Random, against: Rgb, name: str | None = None) -> Rgb:
    """Return a colour that can be seen on another; of the name, where that is possible."""
    for _ in range(40):
        colour = draw_colour(rng, name) if name else draw_any(rng)
        if is_clear(colour, against):
            return colour
    return (0, 0, 0) if sum(against) > 382 else (255, 255, 255)


def finish(rng: random.Random, canvas: Canvas, style: Style) -> None:
    """Apply the finishes of a style to the drawn picture."""
    for name in style.finishes:
        FINISHERS[name](rng, canvas)


def _turn(rng: random.Random, canvas: Canvas) -> None:
    degrees = rng.uniform(-MOST_TURN_DEGREES, MOST_TURN_DEGREES)
    canvas.image = canvas.image.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=canvas.base)
    width, height = canvas.image.size
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    turned = []
    for mark in canvas.marks:
        left, top, right, bottom = mark.box
        x, y = ((left + right) / 2 - 0.5) * width, ((top + bottom) / 2 - 0.5) * height
        x, y = (x * cosine + y * sine) / width + 0.5, (y * cosine - x * sine) / height + 0.5
        half, tall = (right - left) / 2, (bottom - top) / 2
        turned.append(Mark(mark.label, (x - half, y - tall, x + half, y + tall)))
    canvas.marks = turned


def _noise(rng: random.Random, canvas: Canvas) -> None:
    width, height = canvas.image.size
    source = np.random.default_rng(rng.getrandbits(32))
    strength = rng.uniform(4, 22)
    noise = source.standard_normal((height, width, rng.choice((1, 3))), np.float32) * strength
    canvas.image = Image.fromarray((np.asarray(canvas.image) + noise).clip(0, 255).astype(np.uint8))


def _blur(rng: random.Random, canvas: Canvas) -> None:
    canvas.image = canvas.image.filter(ImageFilter.GaussianBlur(canvas.unit / 96 * rng.uniform(0.4, 1.1)))


def _dim(rng: random.Random, canvas: Canvas) -> None:
    low, high = rng.uniform(0, 40), rng.uniform(190, 255)
    canvas.image = canvas.image.point([round(low + (high - low) * value / 255) for value in range(256)] * 3)


def _jpeg(rng: random.Random, canvas: Canvas) -> None:
    stream = io.BytesIO()
    canvas.image.save(stream, "JPEG", quality=rng.randint(25, 80))
    canvas.image = Image.open(stream).convert("RGB")


def _stretch(rng: random.Random, canvas: Canvas) -> None:
    width, height = canvas.image.size
    size = (round(width * rng.uniform(0.8, 1.2)), round(height * rng.uniform(0.8, 1.2)))
    canvas.image = canvas.image.resize(size, Image.Resampling.BILINEAR)


FINISHERS = {"noise": _noise, "blur": _blur, "turned": _turn, "dim": _dim, "jpeg": _jpeg, "stretched": _stretch}


def fit(image: Image.Image, side: int) -> Image.Image:
    """Return the picture as llama.cpp gives it to the network: scaled into a square, with bars where it is not one."""
    scale = min(
        np.float32(side) / np.float32(length) for length in image.size
    )  # in 32 bits, as there: it is rounded up
    width, height = (min(math.ceil(np.float32(length) * scale), side) for length in image.size)
    size = width, height
    square = Image.new("RGB", (side, side), PAD_COLOUR)
    square.paste(image.resize(size, Image.Resampling.BICUBIC), ((side - size[0]) // 2, (side - size[1]) // 2))
    return square


def fitted_box(mark: Mark, size: tuple[int, int]) -> tuple[float, float, float, float]:
    """Return the box of a mark in shares of the square that :func:`fit` makes of a picture of this size."""
    longest = max(size)
    bar_x, bar_y = (longest - size[0]) / 2, (longest - size[1]) / 2
    left, top, right, bottom = mark.box
    return (
        (left * size[0] + bar_x) / longest,
        (top * size[1] + bar_y) / longest,
        (right * size[0] + bar_x) / longest,
        (bottom * size[1] + bar_y) / longest,
    )
