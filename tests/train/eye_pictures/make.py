"""Draw the 100 pictures of this folder with a browser, and write questions.json; run it from the root of the tree.

They are for the evaluation of the bundled eye, which is trained on pictures that Pillow draws. Nothing is shared with
`train/eye`: other forms, gradients and shadows, the colours of CSS, and fonts (FreeSans, FreeSerif, FreeMono) that are
not in training. It needs playwright, chromium at /usr/bin/chromium, and the package fonts-freefont-ttf.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
COLOURS = {
    "red": ("red", "crimson", "#d32f2f"),
    "green": ("green", "limegreen", "#2e9e3f"),
    "blue": ("blue", "royalblue", "#1565c0"),
    "yellow": ("yellow", "gold", "#ffe11a"),
    "orange": ("darkorange", "orange"),
    "purple": ("purple", "darkorchid", "#8e24aa"),
    "pink": ("hotpink", "#ff8fc0"),
    "brown": ("saddlebrown", "#7a4a21"),
    "black": ("black", "#161616"),
    "white": ("white", "#fafafa"),
    "grey": ("gray", "#8a8a8a"),
}
SIZES = ((160, 120), (200, 200), (240, 160), (320, 240), (150, 200))
LIGHT = ("white", "whitesmoke", "ivory", "lavender", "honeydew", "#cfd8dc")
DARK = ("#222", "midnightblue", "#263238", "#3e2723")
FONTS = ("FreeSans", "FreeSerif", "FreeMono")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
Row = tuple[str, str, str, str, tuple[int, int]]
"""The kind, the question, what is right, the body of the page, and its size."""


def rectangle(x: float, y: float, width: float, height: float, more: str) -> str:
    """Return a rectangle."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {more}/>'


def polygon(points: list[tuple[float, float]], fill: str, more: str = "") -> str:
    """Return a polygon."""
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="{fill}" {more}/>'


def form(shape: str, x: float, y: float, r: float, fill: str, more: str = "") -> str:
    """Return a shape of radius r around a point."""
    if shape == "circle":
        return f'<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}" {more}/>'
    if shape == "square":
        return rectangle(x - r * 0.85, y - r * 0.85, 1.7 * r, 1.7 * r, f'rx="{r * 0.06}" fill="{fill}" {more}')
    if shape == "rectangle":
        return rectangle(x - r, y - r * 0.5, 2 * r, r, f'fill="{fill}" {more}')
    if shape == "triangle":
        return polygon([(x, y - r), (x + r * 0.9, y + r * 0.7), (x - r * 0.9, y + r * 0.7)], fill, more)
    if shape == "diamond":
        return polygon([(x, y - r), (x + r * 0.75, y), (x, y + r), (x - r * 0.75, y)], fill, more)
    if shape == "star":
        turns = [(math.pi * step / 5 - math.pi / 2, r if step % 2 == 0 else r * 0.4) for step in range(10)]
        return polygon(
            [(x + reach * math.cos(angle), y + reach * math.sin(angle)) for angle, reach in turns], fill, more
        )
    if shape == "cross":
        path = f"M{x - r},{y}H{x + r}M{x},{y - r}V{y + r}"
        return f'<path d="{path}" stroke="{fill}" stroke-width="{r * 0.55}" {more}/>'
    left = f"C{x - 1.9 * r},{y - 0.2 * r} {x - 0.8 * r},{y - 1.4 * r} {x},{y - 0.45 * r}"
    right = f"C{x + 0.8 * r},{y - 1.4 * r} {x + 1.9 * r},{y - 0.2 * r} {x},{y + r}"
    path = f"M{x},{y + r} {left} {right}Z"
    return f'<path d="{path}" fill="{fill}" {more}/>'


SHAPES = ("circle", "square", "triangle", "star", "heart", "cross", "diamond", "rectangle")


def page(size: tuple[int, int], back: str, inner: str) -> str:
    """Return a page with a drawing."""
    width, height = size
    shadow = '<filter id="s"><feDropShadow dx="2" dy="2" stdDeviation="1.5" flood-opacity="0.35"/></filter>'
    drawing = (
        f'<svg width="{width}" height="{height}" xmlns="http://www.w3.org/2000/svg"><defs>{shadow}</defs>{inner}</svg>'
    )
    return f'<body style="margin:0;overflow:hidden;background:{back}">{drawing}</body>'


def background(rng: random.Random, *colours: str) -> str:
    """Return a background on which these colours can be seen."""
    if "white" in colours or "yellow" in colours:
        return rng.choice(DARK)
    back = rng.choice(LIGHT)
    return f"linear-gradient(160deg,{back},#dfe6ea)" if rng.random() < 0.4 else back


def more_of(rng: random.Random) -> str:
    """Return an ornament of a shape."""
    return rng.choice(("", "", 'filter="url(#s)"', 'stroke="#333" stroke-width="1.5"'))


def scatter(rng: random.Random, size: tuple[int, int], number: int) -> list[tuple[float, float, float]]:
    """Return places and radii that do not touch."""
    r = min(size) * (0.28, 0.2, 0.16, 0.14, 0.13, 0.12)[number - 1]
    while True:
        places = [(rng.uniform(r, size[0] - r), rng.uniform(r, size[1] - r)) for _ in range(number)]
        if all(math.dist(a, b) > 2.4 * r for i, a in enumerate(places) for b in places[:i]):
            return [(x, y, r * rng.uniform(0.85, 1.0)) for x, y in places]


def things(rng: random.Random, groups: list[tuple[str, str, int]], size: tuple[int, int]) -> str:
    """Return the page with all things of some groups."""
    each = [(shape, colour) for colour, shape, count in groups for _ in range(count)]
    parts = []
    for (shape, colour), (x, y, r) in zip(each, scatter(rng, size, len(each)), strict=True):
        fill = COLOURS[colour][0 if len(each) > 3 else rng.randrange(len(COLOURS[colour]))]
        more = more_of(rng) if shape != "cross" else ""
        parts.append(form(shape, x, y, r, fill, more))
    return page(size, background(rng, *(colour for colour, _, _ in groups)), "".join(parts))


def two(rng: random.Random) -> tuple[str, str, str, str]:
    """Return two colours that stand on one background, and two shapes."""
    names = [name for name in COLOURS if name not in ("white", "yellow", "black", "brown", "grey")]
    (first, second), (one, other) = rng.sample(names, 2), rng.sample(SHAPES, 2)
    return first, second, one, other


def plural(shape: str) -> str:
    """Return the plural."""
    return shape + ("es" if shape.endswith("s") else "s")


def colours(rng: random.Random) -> Iterator[Row]:
    """Ask for colours, of a single thing and beside another."""
    for number, colour in enumerate([*COLOURS, "red"]):
        size, shape = rng.choice(SIZES), SHAPES[number % len(SHAPES)]
        groups = [(colour, shape, 1)]
        if number % 3 == 2 and colour not in ("white", "yellow"):
            groups.append(
                (rng.choice([c for c in ("red", "blue", "green") if c != colour]), SHAPES[(number + 3) % 8], 1)
            )
        yield "colour", f"what colour is the {shape}?", colour, things(rng, groups, size), size


def shapes(rng: random.Random) -> Iterator[Row]:
    """Ask for forms."""
    for number in range(10):
        first, second, one, other = two(rng)
        size, one = rng.choice(SIZES), SHAPES[number % 8]
        if number % 2:
            groups = [(first, one, 1), (second, other if other != one else "circle", 1)]
            yield "shape", f"what shape is the {first} thing?", one, things(rng, groups, size), size
        else:
            yield "shape", "what shape do you see?", one, things(rng, [(first, one, 1)], size), size


def counts(rng: random.Random) -> Iterator[Row]:
    """Ask how many there are."""
    for number in range(16):
        first, second, one, other = two(rng)
        size, count = rng.choice(SIZES), number % 6 + 1
        groups = [(first, one, count)]
        if count < 5 and number >= 6:
            groups.append((second, other, rng.randint(1, 6 - count)))
        asked = f"how many {first} {plural(one)} do you see?" if number % 2 else f"how many {plural(one)} are there?"
        yield "count", asked, f"{NUMBERS[count]}|{count}", things(rng, groups, size), size


def places(rng: random.Random) -> Iterator[Row]:
    """Ask where a thing is."""
    names = (
        ("top+left", "top", "top+right"),
        ("left", "middle|center", "right"),
        ("bottom+left", "bottom", "bottom+right"),
    )
    for number in range(9):
        first, _, one, _ = two(rng)
        size, (row, column) = rng.choice(SIZES[:4]), divmod(number, 3)
        x, y = size[0] * (1 + 2 * column) / 6, size[1] * (1 + 2 * row) / 6
        body = page(size, background(rng, first), form(one, x, y, min(size) * 0.13, COLOURS[first][0]))
        yield "place", f"where is the {one}?", names[row][column], body, size


def is_there(rng: random.Random) -> Iterator[Row]:
    """Ask whether a thing is there."""
    for number in range(8):
        first, second, one, other = two(rng)
        size = rng.choice(SIZES)
        name = f"{first} {one}" if number % 2 else f"{first} {other}"
        article = "an" if name[0] in "aeiou" else "a"
        body = things(rng, [(first, one, 1), (second, other, 1)], size)
        yield "yes or no", f"is there {article} {name}?", "yes" if number % 2 else "no", body, size


def words(rng: random.Random) -> Iterator[Row]:
    """Ask what is written."""
    texts = ("A", "7", "K", "42", "EXIT", "305", "R", "9", "STOP", "2026", "XZ", "OPEN", "83")
    for number, text in enumerate(texts):
        size, font = rng.choice(SIZES), FONTS[number % 3]
        height = min(size[1] * 0.7, size[0] * 1.25 / max(1, len(text)) if len(text) > 1 else size[1] * 0.7)
        dark, back = rng.choice((("black", "white"), ("white", "#004080"), ("#b00000", "ivory"), ("#ffe11a", "#222")))
        style = f"font-family:{font};font-size:{height:.0f}px;font-weight:{rng.choice((400, 700))}"
        middle = 'x="50%" y="52%" text-anchor="middle" dominant-baseline="middle"'
        inner = f'<text {middle} fill="{dark}" style="{style}">{text}</text>'
        yield "text", "what does it say?", text, page(size, back, inner), size


LIT = {
    "0": "abcdef",
    "1": "bc",
    "2": "abged",
    "3": "abgcd",
    "4": "fgbc",
    "5": "afgcd",
    "6": "afgecd",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
}
LINES = {
    "a": (8, 4, 32, 4), "b": (36, 8, 36, 32), "c": (36, 40, 36, 64), "d": (8, 68, 32, 68),
    "e": (4, 40, 4, 64), "f": (4, 8, 4, 32), "g": (8, 36, 32, 36),
}  # fmt: skip


def seven(text: str, colour: str, ghost: str) -> tuple[str, float]:
    """Return a seven-segment text of height 72, and its width."""
    parts, x = [], 0.0
    for character in text:
        if character in ":.":
            dots = (24, 48) if character == ":" else (68,)
            parts += [f'<rect x="{x + 2}" y="{y - 4}" width="8" height="8" fill="{colour}"/>' for y in dots]
            x += 16
            continue
        for name, (x1, y1, x2, y2) in LINES.items():
            fill = colour if name in LIT[character] else ghost
            parts.append(
                f'<path d="M{x + x1},{y1}L{x + x2},{y2}" stroke="{fill}" stroke-width="7" stroke-linecap="round"/>'
            )
        x += 52
    return "".join(parts), x - 12


def displays(rng: random.Random) -> Iterator[Row]:
    """Ask what a display shows."""
    for text in ("8", "42", "12:34", "21.5", "7", "19", "305", "07:58", "4096", "3.6", "66", "18.0"):
        size = rng.choice(SIZES)
        glass, colour, ghost = rng.choice(
            (
                ("#100", "#ff3020", "#2a0808"),
                ("#010", "#40ff60", "none"),
                ("#c3cdb8", "#1c241a", "#b6c0ac"),
                ("#001018", "#50c8ff", "none"),
            )
        )
        drawn, wide = seven(text, colour, ghost)
        scale = min(size[0] * 0.74 / wide, size[1] * 0.55 / 72)
        x, y = (size[0] - wide * scale) / 2, (size[1] - 72 * scale) / 2
        look = f'rx="4" fill="{glass}" stroke="#555" stroke-width="2"'
        frame = rectangle(x - 10, y - 10, wide * scale + 20, 72 * scale + 20, look)
        inner = f'{frame}<g transform="translate({x},{y}) scale({scale})">{drawn}</g>'
        yield (
            "display",
            "what does the display show?",
            text,
            page(size, rng.choice(("#777", "#ddd", "#345")), inner),
            size,
        )


def ray(x: float, y: float, reach: float, angle: float) -> str:
    """Return the point at a distance and an angle from another."""
    return f"{x + reach * math.cos(angle)},{y + reach * math.sin(angle)}"


def gauges(rng: random.Random) -> Iterator[Row]:
    """Ask for the level of bars, rings and dials."""
    for number, value in enumerate((20, 80, 50, 70, 10, 90, 40, 60)):
        size = rng.choice(SIZES[:4])
        x, y, r = size[0] / 2, size[1] / 2, min(size) * 0.38
        colour = rng.choice(("#2e7d32", "#1565c0", "#c62828"))
        if number % 3 == 0:
            wide, tall = size[0] * 0.8, size[1] * 0.2
            inner = rectangle(
                x - wide / 2, y - tall / 2, wide, tall, 'fill="#eee" stroke="#444" stroke-width="2"'
            ) + rectangle(x - wide / 2, y - tall / 2, wide * value / 100, tall, f'fill="{colour}"')
        elif number % 3 == 1:
            angle = math.radians(-225 + 2.7 * value)
            ticks = []
            for tick in range(0, 101, 10):
                turn = math.radians(-225 + 2.7 * tick)
                start, end = ray(x, y, r * 0.82, turn), ray(x, y, r * 0.95, turn)
                ticks.append(f'<path d="M{start}L{end}" stroke="#222" stroke-width="2"/>')
            inner = (
                f'<circle cx="{x}" cy="{y}" r="{r}" fill="white" stroke="#444" stroke-width="4"/>{"".join(ticks)}'
                f'<path d="M{x},{y}L{ray(x, y, r * 0.8, angle)}" stroke="#c00" stroke-width="4"/>'
                f'<circle cx="{x}" cy="{y}" r="{r * 0.1}" fill="#c00"/>'
            )
        else:
            length = math.tau * r * 0.85
            ring = f'cx="{x}" cy="{y}" r="{r * 0.85}" fill="none" stroke-width="{r * 0.26}"'
            inner = (
                f'<circle {ring} stroke="#ccc"/><circle {ring} stroke="{colour}" '
                f'stroke-dasharray="{length * value / 100} {length}" transform="rotate(-90 {x} {y})"/>'
            )
        yield "gauge", "what does the gauge show?", str(value), page(size, rng.choice(LIGHT), inner), size


def lamps(rng: random.Random) -> Iterator[Row]:
    """Ask whether a lamp is on."""
    for number in range(6):
        size, is_on = rng.choice(SIZES[:4]), number % 2 == 0
        x, y, r = size[0] / 2, size[1] * 0.44, min(size) * 0.2
        stops = '<stop offset="0.3" stop-color="#ffe680"/><stop offset="1" stop-color="#ffe680" stop-opacity="0"/>'
        halo = f'<circle cx="{x}" cy="{y}" r="{r * 2.1}" fill="url(#g)"/>'
        glow = f'<radialGradient id="g">{stops}</radialGradient>{halo}'
        if number < 4:
            body = (
                f'<rect x="{x - r * 0.4}" y="{y + r * 0.8}" width="{r * 0.8}" height="{r * 0.8}" fill="#888"/>'
                f'<circle cx="{x}" cy="{y}" r="{r}" fill="{"#fff6c0" if is_on else "#3a3a3a"}" stroke="#555"/>'
            )
        else:
            glow = glow.replace("#ffe680", "#40ff40")
            inside = "#b0ffb0" if is_on else "#1c4a1c"
            rim = f'<circle cx="{x}" cy="{y}" r="{r * 1.15}" fill="#555"/>'
            body = f'{rim}<circle cx="{x}" cy="{y}" r="{r}" fill="{inside}"/>'
        yield (
            "lamp",
            "is the lamp on?",
            "yes|on" if is_on else "no|off",
            page(size, "#1b2230", (glow if is_on else "") + body),
            size,
        )


def nothing_known(rng: random.Random) -> Iterator[Row]:
    """Ask about clouds, lit stone, cloth and an empty page."""
    del rng
    turbulence = '<feTurbulence type="{}" baseFrequency="{}" numOctaves="4" seed="{}"/>'
    noise = f'<filter id="n">{turbulence}{{}}</filter><rect width="100%" height="100%" filter="url(#n)"/>'
    sun = '<feDistantLight azimuth="45" elevation="40"/>'
    light = f'<feDiffuseLighting lighting-color="#c8a878" surfaceScale="6">{sun}</feDiffuseLighting>'
    size = (240, 160)
    for kind, rate, seed, more in (
        ("fractalNoise", 0.02, 3, ""),
        ("fractalNoise", 0.06, 5, light),
        ("turbulence", 0.015, 9, ""),
    ):
        yield "unknown", "what do you see?", "cant tell", page(size, "#456", noise.format(kind, rate, seed, more)), size
    cloth = "repeating-linear-gradient(45deg,#a33 0 6px,#733 6px 9px),#333"
    yield "unknown", "what is this?", "cant tell", page(size, cloth, ""), size


def missing(rng: random.Random) -> Iterator[Row]:
    """Ask for what is not there."""
    size = (200, 200)
    yield "absent", "what colour is the star?", "dont see", things(rng, [("red", "square", 1)], size), size
    yield "absent", "what does the display show?", "dont see", things(rng, [("blue", "circle", 2)], size), size


MAKERS: tuple[Callable[[random.Random], Iterator[Row]], ...] = (
    colours, shapes, counts, places, is_there, words, displays, gauges, lamps, nothing_known, missing,
)  # fmt: skip


def main() -> None:
    """Draw all of them."""
    rng = random.Random(2026)
    listed = []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path="/usr/bin/chromium")
        tab = browser.new_page()
        for make in MAKERS:
            for number, (kind, asked, right, body, size) in enumerate(make(rng)):
                file = f"{make.__name__}-{number:02}.png"
                tab.set_viewport_size({"width": size[0], "height": size[1]})
                tab.set_content(body)
                tab.screenshot(path=HERE / file)
                listed.append({"file": file, "kind": kind, "asked": asked, "right": right})
        browser.close()
    (HERE / "questions.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in listed) + "\n]\n")


if __name__ == "__main__":
    main()
