"""Draw scenes: shapes and text here, instruments and lamps in `instruments`, textures in `textures`."""

from __future__ import annotations

import math
import random
from functools import cache
from pathlib import Path

from PIL import ImageFont

from train.eye.canvas import Canvas, Mark, blank, clear_colour, finish
from train.eye.colours import Rgb, draw_colour, is_clear
from train.eye.instruments import draw_display, draw_gauge, draw_lamp
from train.eye.scenes import Display, Gauge, Lamp, Scene, Shapes, Style, Text, Unknown
from train.eye.textures import draw_texture

FONT_FOLDER = Path("/usr/share/fonts/truetype")
RADII = {"small": (0.1, 0.14), "medium": (0.14, 0.22), "large": (0.22, 0.4)}
TEXT_SHARES = {"small": (0.5, 0.62), "medium": (0.62, 0.78), "large": (0.78, 0.96)}
Point = tuple[float, float]


class FontMissing(RuntimeError):
    """A font for the pictures is not installed."""


@cache
def load_font(name: str, size: int) -> ImageFont.FreeTypeFont:
    """Return a font of a size in pixels.

    Raises:
        FontMissing: the font is not installed.
    """
    try:
        return ImageFont.truetype(str(FONT_FOLDER / f"{name}.ttf"), size)
    except OSError as error:
        raise FontMissing(f"no font {name}: sudo apt-get install fonts-dejavu fonts-liberation") from error


def _star(points: int, inner: float) -> list[Point]:
    corners = []
    for step in range(2 * points):
        radius, angle = (1.0 if step % 2 == 0 else inner), math.pi * step / points - math.pi / 2
        corners.append((radius * math.cos(angle), radius * math.sin(angle)))
    return corners


def _heart() -> list[Point]:
    angles = [math.tau * step / 28 for step in range(28)]
    return [
        (
            math.sin(angle) ** 3,
            -(13 * math.cos(angle) - 5 * math.cos(2 * angle) - 2 * math.cos(3 * angle) - math.cos(4 * angle)) / 16,
        )
        for angle in angles
    ]


def outline_of(rng: random.Random, shape: str) -> list[Point]:
    """Return the corners of a shape of radius one."""
    if shape == "square":
        return [(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)]
    if shape == "rectangle":
        half = rng.uniform(0.35, 0.55)
        corners = [(-1.0, -half), (1.0, -half), (1.0, half), (-1.0, half)]
        return corners if rng.random() < 0.65 else [(y, x) for x, y in corners]
    if shape == "triangle":
        return [(0, -0.95), (0.95, 0.75), (-0.95, 0.75)]
    if shape == "diamond":
        width = rng.uniform(0.62, 1.0)
        return [(0, -1), (width, 0), (0, 1), (-width, 0)]
    if shape == "star":
        return _star(5, rng.uniform(0.38, 0.5))
    if shape == "cross":
        arm = rng.uniform(0.2, 0.36)
        quarter = [(arm, -arm), (arm, -1.0), (-arm, -1.0)]
        return [_turned(corner, -90 * step) for step in range(4) for corner in quarter]
    if shape == "heart":
        return _heart()
    return [(math.cos(math.tau * step / 40), math.sin(math.tau * step / 40)) for step in range(40)]


def _turned(point: Point, degrees: float) -> Point:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return point[0] * cosine - point[1] * sine, point[0] * sine + point[1] * cosine


def draw_shape(rng: random.Random, canvas: Canvas, shape: str, colour: Rgb, place: Point, radius: float) -> None:
    """Draw one shape, slightly turned, sometimes with an edge of another colour or hollow."""
    degrees = rng.uniform(-12, 12) if rng.random() < 0.5 else 0.0
    corners = [_turned(corner, degrees) for corner in outline_of(rng, shape)]
    points = [(place[0] + radius * x, place[1] + radius * y) for x, y in corners]
    form = rng.random()
    if form < 0.08 and radius > 12:
        width = max(3, round(radius * rng.uniform(0.22, 0.35)))
        canvas.pen.line([*points, points[0], points[1]], fill=colour, width=width, joint="curve")
    else:
        canvas.pen.polygon(points, fill=colour)
        if form < 0.25:
            width = max(1, round(radius * rng.uniform(0.03, 0.1)))
            canvas.pen.line(
                [*points, points[0]], fill=rng.choice(((0, 0, 0), (255, 255, 255), (90, 90, 90))), width=width
            )
    xs, ys = zip(*points, strict=True)
    canvas.mark(shape, min(xs), min(ys), max(xs), max(ys))


def _place_freely(rng: random.Random, canvas: Canvas, radii: list[float]) -> list[Point] | None:
    """Return places at which the circles do not touch, or None where chance found none."""
    width, height = canvas.image.size
    places: list[Point] = []
    for position, radius in enumerate(radii):
        for _ in range(60):
            x, y = rng.uniform(radius, width - radius), rng.uniform(radius, height - radius)
            reach = [radius + other for other in radii[:position]]
            if all(math.hypot(x - a, y - b) > 1.08 * r for (a, b), r in zip(places, reach, strict=True)):
                places.append((x, y))
                break
        else:
            return None
    return places


def _lay_out(rng: random.Random, canvas: Canvas, scene: Shapes, style: Style, number: int) -> list[tuple[Point, float]]:
    low, high = RADII[style.size]
    width, height = canvas.image.size
    if scene.place is not None:
        row, column = scene.place
        radius = min(rng.uniform(low, high), 0.2 if scene.place != (1, 1) else 0.4) * canvas.unit
        x, y = (rng.uniform(centre - 0.04, centre + 0.04) for centre in ((1 + 2 * column) / 6, (1 + 2 * row) / 6))
        x, y = min(max(x * width, radius), width - radius), min(max(y * height, radius), height - radius)
        return [((x, y), radius)]
    high = min(high, 0.42 / number**0.5)
    low = min(low, high * 0.8)
    while True:
        common = rng.uniform(low, high)
        radii = [canvas.unit * common * rng.uniform(0.85, 1.15) for _ in range(number)]
        places = _place_freely(rng, canvas, radii)
        if places is not None:
            return list(zip(places, radii, strict=True))
        high = max(0.06, high * 0.9)
        low = min(low, high * 0.8)


def _draw_shapes(rng: random.Random, scene: Shapes, style: Style) -> Canvas:
    colours = [draw_colour(rng, group.colour) for group in scene.groups]
    while True:
        canvas = blank(rng)
        if all(is_clear(colour, canvas.base) for colour in colours):
            break
    things = [(group, colour) for group, colour in zip(scene.groups, colours, strict=True) for _ in range(group.count)]
    rng.shuffle(things)
    for (group, colour), (place, radius) in zip(things, _lay_out(rng, canvas, scene, style, len(things)), strict=True):
        draw_shape(rng, canvas, group.shape, colour, place, radius)
        canvas.marks.append(Mark(group.colour, canvas.marks[-1].box))
    return canvas


def _draw_text(rng: random.Random, scene: Text, style: Style) -> Canvas:
    canvas = blank(rng)
    width, height = canvas.image.size
    share = rng.uniform(*TEXT_SHARES[style.size])
    wanted = share * width, min(share, 0.8) * height
    probe = load_font(style.font, 40).getbbox(scene.text)
    size = max(9, round(40 * min(wanted[0] / (probe[2] - probe[0]), wanted[1] / (probe[3] - probe[1]))))
    font = load_font(style.font, size)
    left, top, right, bottom = font.getbbox(scene.text)
    x = rng.uniform(0.02 * width, max(0.03 * width, 0.98 * width - (right - left))) - left
    y = rng.uniform(0.02 * height, max(0.03 * height, 0.98 * height - (bottom - top))) - top
    colour = clear_colour(rng, canvas.base, rng.choice(("black", "white", "red", "blue", None)))
    if rng.random() < 0.15:
        plate = clear_colour(rng, canvas.base)
        colour = clear_colour(rng, plate)
        margin = 0.02 * width
        canvas.pen.rectangle((x + left - margin, y + top - margin, x + right + margin, y + bottom + margin), fill=plate)
    canvas.pen.text((x, y), scene.text, fill=colour, font=font)
    for position, character in enumerate(scene.text):
        start, end = (font.getlength(scene.text[: position + step]) for step in (0, 1))
        canvas.mark(character, x + start, y + top, x + end, y + bottom)
    return canvas


def draw(rng: random.Random, scene: Scene, style: Style) -> Canvas:
    """Return the picture of a scene in a style."""
    match scene:
        case Shapes():
            canvas = _draw_shapes(rng, scene, style)
        case Text():
            canvas = _draw_text(rng, scene, style)
        case Display():
            canvas = draw_display(rng, scene, style)
        case Gauge():
            canvas = draw_gauge(rng, scene, style)
        case Lamp():
            canvas = draw_lamp(rng, scene, style)
        case Unknown():
            canvas = draw_texture(rng, scene)
    finish(rng, canvas, style)
    return canvas
