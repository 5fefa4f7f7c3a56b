"""Draw seven-segment displays, gauges and lamps."""

from __future__ import annotations

import math
import random

from PIL import Image, ImageDraw, ImageFilter

from train.eye.canvas import Canvas, blank, clear_colour
from train.eye.colours import Rgb, draw_any, draw_colour, mixed
from train.eye.scenes import Display, Gauge, Lamp, Style

SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abdeg", "3": "abcdg", "4": "bcfg",
    "5": "acdfg", "6": "acdefg", "7": "abc", "8": "abcdefg", "9": "abcdfg", "-": "g",
}  # fmt: skip
SHARES = {"small": (0.55, 0.68), "medium": (0.68, 0.82), "large": (0.82, 0.98)}
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
NARROW = ":."
Box = tuple[float, float, float, float]


def _share(rng: random.Random, style: Style) -> float:
    return rng.uniform(*SHARES[style.size])


def _segment(name: str, width: float, height: float, thick: float) -> list[tuple[float, float]]:
    """Return the corners of a segment of a digit whose upper left corner is at the origin."""
    half, gap, middle = thick / 2, thick * 0.12, height / 2
    rows = {"a": half, "g": middle, "d": height - half}
    if name in rows:
        y = rows[name]
        start, end = half + gap, width - half - gap
        return [
            (start, y),
            (start + half, y - half),
            (end - half, y - half),
            (end, y),
            (end - half, y + half),
            (start + half, y + half),
        ]
    x = half if name in "ef" else width - half
    top, bottom = (half + gap, middle - gap) if name in "bf" else (middle + gap, height - half - gap)
    return [
        (x, top),
        (x + half, top + half),
        (x + half, bottom - half),
        (x, bottom),
        (x - half, bottom - half),
        (x - half, top + half),
    ]


class _Digits:
    """Draws characters of seven segments, one after the other."""

    def __init__(self, canvas: Canvas, lit: Rgb, unlit: Rgb | None, slant: float, height: float, thick: float) -> None:
        self._canvas, self._lit, self._unlit = canvas, lit, unlit
        self._slant, self._height, self._thick = slant, height, thick

    def draw(self, character: str, x: float, y: float, width: float) -> None:
        """Draw one character with its upper left corner at a point."""
        pen = self._canvas.pen
        if character in NARROW:
            dots = (1.0,) if character == "." else (0.3, 0.7)
            radius = self._thick * 0.55
            for share in dots:
                centre_y = y + share * self._height - (radius if character == "." else 0)
                centre_x = x + width / 2 + self._slant * (self._height - (centre_y - y))
                pen.ellipse(
                    (centre_x - radius, centre_y - radius, centre_x + radius, centre_y + radius), fill=self._lit
                )
            return
        for name in "abcdefg":
            colour = self._lit if name in SEGMENTS[character] else self._unlit
            if colour is not None:
                corners = _segment(name, width, self._height, self._thick)
                pen.polygon([(x + a + self._slant * (self._height - b), y + b) for a, b in corners], fill=colour)
        self._canvas.mark(character, x, y, x + width + self._slant * self._height, y + self._height)


def _display_colours(rng: random.Random, colour: str) -> tuple[Rgb, Rgb]:
    """Return the colours of the glass and of what is lit."""
    if colour == "black":
        return rng.choice(((170, 185, 160), (200, 205, 200), (225, 230, 225), (150, 190, 140), (255, 255, 255))), (
            20,
            25,
            20,
        )
    glass = mixed(BLACK, draw_any(rng), rng.uniform(0, 0.18))
    if colour == "blue":
        return glass, (60, rng.randint(120, 220), 255)
    return glass, mixed(
        draw_colour(rng, colour), (255, 255, 255) if colour == "green" else draw_colour(rng, colour), 0.25
    )


def draw_display(rng: random.Random, scene: Display, style: Style) -> Canvas:
    """Return the picture of a display."""
    glass, lit = _display_colours(rng, scene.colour)
    is_bare = rng.random() < 0.4
    canvas = blank(rng, glass if is_bare else None)
    width, height = canvas.image.size
    ratio, gap = rng.uniform(0.5, 0.66), rng.uniform(0.14, 0.26)
    units = sum(0.3 if c in NARROW else ratio for c in scene.text) + gap * (len(scene.text) - 1)
    tall = min(_share(rng, style) * width / (units + 0.3), 0.75 * height)
    wide, margin = units * tall, rng.uniform(0.08, 0.2) * tall
    slant = rng.choice((0, 0, 0.06, 0.12))
    full = wide + slant * tall
    x = rng.uniform(margin, max(margin, width - full - margin))
    y = rng.uniform(margin, max(margin, height - tall - margin))
    if not is_bare:
        box = (x - margin, y - margin, x + full + margin, y + tall + margin)
        canvas.pen.rectangle(box, fill=glass, outline=clear_colour(rng, glass), width=rng.choice((0, 0, 1, 2, 3)))
    unlit = mixed(glass, lit, rng.uniform(0.05, 0.15)) if rng.random() < 0.4 else None
    digits = _Digits(canvas, lit, unlit, slant, tall, tall * rng.uniform(0.11, 0.2))
    for character in scene.text:
        step = (0.3 if character in NARROW else ratio) * tall
        digits.draw(character, x, y, step)
        x += step + gap * tall
    canvas.mark("display", x - full, y, x, y + tall)
    return canvas


def draw_gauge(rng: random.Random, scene: Gauge, style: Style) -> Canvas:
    """Return the picture of a gauge."""
    canvas = blank(rng)
    width, height = canvas.image.size
    share = max(0.55, _share(rng, style))
    if scene.form in ("bar", "column"):
        _draw_level(rng, canvas, scene, share)
    else:
        radius = share * canvas.unit / 2
        x, y = rng.uniform(radius, width - radius), rng.uniform(radius, height - radius)
        if scene.form == "ring":
            _draw_ring(rng, canvas, scene.value, (x, y), radius)
        else:
            _draw_dial(rng, canvas, scene, (x, y), radius)
        canvas.mark("gauge", x - radius, y - radius, x + radius, y + radius)
    return canvas


def _draw_level(rng: random.Random, canvas: Canvas, scene: Gauge, share: float) -> None:
    width, height = canvas.image.size
    is_bar = scene.form == "bar"
    long, across = share * (width if is_bar else height), rng.uniform(0.12, 0.3) * canvas.unit
    wide, tall = (long, across) if is_bar else (across, long)
    left, top = rng.uniform(0, width - wide - 1), rng.uniform(0, height - tall - 1)
    track = clear_colour(rng, canvas.base, rng.choice(("white", "black", "grey")))
    fill = clear_colour(rng, track, rng.choice(("green", "blue", "red", "orange", None)))
    edge = clear_colour(rng, canvas.base)
    canvas.pen.rectangle((left, top, left + wide, top + tall), fill=track)
    part = scene.value / 100
    end, start = (left + wide * part, top) if is_bar else (left + wide, top + tall * (1 - part))
    if scene.value:
        canvas.pen.rectangle((left, start, end, top + tall), fill=fill)
    canvas.pen.rectangle((left, top, left + wide, top + tall), outline=edge, width=rng.choice((1, 2, 3)))
    canvas.mark("gauge", left, top, left + wide, top + tall)


def _draw_ring(rng: random.Random, canvas: Canvas, value: int, centre: tuple[float, float], radius: float) -> None:
    box = (centre[0] - radius, centre[1] - radius, centre[0] + radius, centre[1] + radius)
    track = mixed(canvas.base, clear_colour(rng, canvas.base), 0.25)
    thick = max(4, round(radius * rng.uniform(0.18, 0.32)))
    canvas.pen.arc(box, 0, 360, fill=track, width=thick)
    if value:
        canvas.pen.arc(
            box,
            -90,
            -90 + 3.6 * value,
            fill=clear_colour(rng, track, rng.choice(("green", "blue", "red"))),
            width=thick,
        )


def _draw_dial(rng: random.Random, canvas: Canvas, scene: Gauge, centre: tuple[float, float], radius: float) -> None:
    begin, sweep = (-225, 270) if scene.form == "dial" else (-180, 180)
    face = clear_colour(rng, canvas.base) if rng.random() < 0.6 else canvas.base
    ink = clear_colour(rng, face, rng.choice(("black", "white", None)))
    x, y = centre
    box = (x - radius, y - radius, x + radius, y + radius)
    if face != canvas.base:
        if scene.form == "dial":
            canvas.pen.ellipse(box, fill=face)
        else:
            canvas.pen.pieslice(box, 180, 360, fill=face)
    canvas.pen.arc(box, begin, begin + sweep, fill=ink, width=max(1, round(radius * 0.05)))
    for tick in range(0, 101, rng.choice((10, 20, 25))):
        canvas.pen.line(
            _ray(centre, begin + sweep * tick / 100, radius * 0.82, radius),
            fill=ink,
            width=max(1, round(radius * 0.04)),
        )
    needle = clear_colour(rng, face, rng.choice(("red", "black", "white", "orange")))
    reach = radius * rng.uniform(0.7, 0.92)
    canvas.pen.line(
        _ray(centre, begin + sweep * scene.value / 100, -radius * rng.choice((0, 0.12)), reach),
        fill=needle,
        width=max(2, round(radius * rng.uniform(0.05, 0.11))),
    )
    hub = radius * rng.uniform(0.06, 0.14)
    canvas.pen.ellipse((x - hub, y - hub, x + hub, y + hub), fill=needle)


def _ray(centre: tuple[float, float], degrees: float, start: float, end: float) -> list[tuple[float, float]]:
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(centre[0] + reach * cosine, centre[1] + reach * sine) for reach in (start, end)]


def draw_lamp(rng: random.Random, scene: Lamp, style: Style) -> Canvas:
    """Return the picture of a lamp that is on or off."""
    base = mixed(BLACK, draw_any(rng), rng.uniform(0.05, 0.6)) if rng.random() < 0.7 else None
    canvas = blank(rng, base)
    width, height = canvas.image.size
    radius = canvas.unit * _share(rng, style) * 0.24
    x, y = rng.uniform(1.3 * radius, width - 1.3 * radius), rng.uniform(1.4 * radius, height - 1.8 * radius)
    glow = draw_colour(rng, scene.colour)
    bright = mixed(glow, WHITE, rng.uniform(0.35, 0.75))
    dark = mixed(mixed(glow, (90, 90, 90), rng.uniform(0.5, 0.8)), BLACK, rng.uniform(0.35, 0.65))
    if scene.is_on:
        _add_halo(canvas, (x, y), radius * rng.uniform(1.7, 2.8), glow)
    LAMP_FORMS[scene.form](rng, canvas, (x, y), radius, bright if scene.is_on else dark)
    canvas.mark("lamp on" if scene.is_on else "lamp off", x - radius, y - radius, x + radius, y + radius)
    return canvas


def _add_halo(canvas: Canvas, centre: tuple[float, float], reach: float, colour: Rgb) -> None:
    mask = Image.new("L", canvas.image.size)
    x, y = centre
    ImageDraw.Draw(mask).ellipse((x - 0.7 * reach, y - 0.7 * reach, x + 0.7 * reach, y + 0.7 * reach), fill=190)
    mask = mask.filter(ImageFilter.GaussianBlur(reach * 0.22))
    canvas.image.paste(Image.new("RGB", canvas.image.size, colour), mask=mask)


def _draw_bulb(rng: random.Random, canvas: Canvas, centre: tuple[float, float], radius: float, colour: Rgb) -> None:
    x, y = centre
    metal = rng.choice(((130, 130, 135), (170, 160, 120), (80, 80, 80)))
    neck = radius * 0.42
    canvas.pen.rectangle((x - neck, y + 0.7 * radius, x + neck, y + 1.7 * radius), fill=metal)
    for line in (1.1, 1.3, 1.5):
        canvas.pen.line(
            (x - neck, y + line * radius, x + neck, y + line * radius),
            fill=(50, 50, 50),
            width=max(1, round(radius * 0.06)),
        )
    canvas.pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour, outline=mixed(colour, BLACK, 0.4))


def _draw_led(rng: random.Random, canvas: Canvas, centre: tuple[float, float], radius: float, colour: Rgb) -> None:
    x, y = centre
    rim = radius * rng.uniform(1.05, 1.3)
    canvas.pen.ellipse(
        (x - rim, y - rim, x + rim, y + rim), fill=rng.choice(((60, 60, 60), (150, 150, 155), (20, 20, 20)))
    )
    canvas.pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
    spot, dx = radius * 0.3, radius * 0.35
    canvas.pen.ellipse((x - dx - spot, y - dx - spot, x - dx + spot, y - dx + spot), fill=mixed(colour, WHITE, 0.35))


def _shade(x: float, top: float, radius: float) -> list[tuple[float, float]]:
    return [
        (x - 0.45 * radius, top),
        (x + 0.45 * radius, top),
        (x + radius, top + 1.1 * radius),
        (x - radius, top + 1.1 * radius),
    ]


def _draw_hanging(rng: random.Random, canvas: Canvas, centre: tuple[float, float], radius: float, colour: Rgb) -> None:
    x, y = centre
    metal = clear_colour(rng, canvas.base)
    canvas.pen.line((x, 0, x, y - radius), fill=metal, width=max(1, round(radius * 0.08)))
    canvas.pen.ellipse((x - 0.42 * radius, y - 0.2 * radius, x + 0.42 * radius, y + 0.64 * radius), fill=colour)
    canvas.pen.polygon(_shade(x, y - radius, radius), fill=metal)


def _draw_standing(rng: random.Random, canvas: Canvas, centre: tuple[float, float], radius: float, colour: Rgb) -> None:
    x, y = centre
    metal = clear_colour(rng, canvas.base)
    foot = min(y + 1.7 * radius, canvas.image.size[1] - 2)
    canvas.pen.line((x, y, x, foot), fill=metal, width=max(2, round(radius * 0.12)))
    canvas.pen.rectangle((x - 0.6 * radius, foot - 0.12 * radius, x + 0.6 * radius, foot), fill=metal)
    canvas.pen.polygon(_shade(x, y - 0.6 * radius, radius), fill=colour)


LAMP_FORMS = {"bulb": _draw_bulb, "led": _draw_led, "hanging": _draw_hanging, "standing": _draw_standing}
