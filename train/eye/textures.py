"""Draw what the eye has not learned: noise, clouds, grain and other photograph-like textures, and empty pictures."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from train.eye.canvas import ASPECTS, LONGEST, Canvas, blank
from train.eye.colours import draw_any
from train.eye.scenes import Unknown

Array = np.ndarray[Any, np.dtype[np.float32]]
Size = tuple[int, int]


def smooth_noise(source: np.random.Generator, size: Size, cells: int, channels: int = 1) -> Array:
    """Return noise from 0 to 1 that changes slowly: a grid of random values, scaled up."""
    planes = []
    for _ in range(channels):
        coarse = Image.fromarray(source.random((cells, cells), np.float32))
        planes.append(np.asarray(coarse.resize(size, Image.Resampling.BICUBIC), np.float32))
    return np.stack(planes, axis=-1)


def fractal(source: np.random.Generator, size: Size, first: int = 2, channels: int = 1) -> Array:
    """Return noise from 0 to 1 with detail of all sizes, as most photographs have."""
    total: Array = np.zeros((size[1], size[0], channels), np.float32)
    weight, cells = 1.0, first
    while cells < max(size):
        total += weight * smooth_noise(source, size, cells, channels)
        weight, cells = weight * source.uniform(0.45, 0.7), cells * 2
    low, high = total.min(), total.max()
    result: Array = (total - low) / (high - low + 1e-6)
    return result


def _palette(rng: random.Random, values: Array) -> Array:
    """Return values from 0 to 1 as colours between three."""
    stops = np.array([draw_any(rng) for _ in range(3)], np.float32)
    places = np.array([0, 0.5, 1], np.float32)
    return np.stack([np.interp(values[..., 0], places, stops[:, channel]) for channel in range(3)], axis=-1).astype(
        np.float32
    )


def _noise(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    cells = rng.choice((8, 16, 32, max(size)))
    if cells == max(size):
        return source.random((size[1], size[0], 3), np.float32) * 255
    return smooth_noise(source, size, cells, rng.choice((1, 3))) * np.ones(3, np.float32) * 255


def _clouds(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    if rng.random() < 0.4:
        return fractal(source, size, rng.choice((2, 3, 5)), 3) * 255
    return _palette(rng, fractal(source, size, rng.choice((2, 3, 5))))


def _grain(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    bent = fractal(source, size, 2)[..., 0] * rng.uniform(2, 12)
    ramp = np.linspace(0, rng.uniform(2, 12), size[0], dtype=np.float32)[None, :]
    waves = np.sin((bent + ramp) * rng.uniform(2, 6))[..., None] / 2 + 0.5
    return _palette(rng, waves.astype(np.float32)) + 20 * (source.random((size[1], size[0], 1), np.float32) - 0.5)


def _blobs(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    image = Image.fromarray(_clouds(rng, source, size).clip(0, 255).astype(np.uint8))
    for _ in range(rng.randint(5, 16)):
        mask = Image.new("L", size)
        x, y, reach = rng.uniform(0, size[0]), rng.uniform(0, size[1]), rng.uniform(0.08, 0.4) * max(size)
        corners = [(x + rng.uniform(-reach, reach), y + rng.uniform(-reach, reach)) for _ in range(rng.randint(3, 7))]
        ImageDraw.Draw(mask).polygon(corners, fill=rng.randint(100, 255))
        mask = mask.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 6)))
        image.paste(Image.new("RGB", size, draw_any(rng)), mask=mask)
    return np.asarray(image, np.float32) * (0.7 + 0.6 * fractal(source, size, 3))


def _cells(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    number = rng.randint(8, 60)
    points = source.random((number, 2), np.float32) * np.array(size, np.float32)
    ys, xs = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    distances = (xs[..., None] - points[:, 0]) ** 2 + (ys[..., None] - points[:, 1]) ** 2
    colours = np.array([draw_any(rng) for _ in range(number)], np.float32)
    shade = 1 - 0.8 * np.sqrt(distances.min(axis=-1, keepdims=True)) / max(size) * rng.uniform(0, 5)
    result: Array = colours[distances.argmin(axis=-1)] * shade.clip(0.2, 1)
    return result


def _empty(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    del source
    image = blank(rng).image.resize(size)
    return np.asarray(image, np.float32)


def _scribble(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    image = Image.fromarray((_palette(rng, smooth_noise(source, size, 2))).clip(0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    for _ in range(rng.randint(4, 25)):
        points = [(rng.uniform(0, size[0]), rng.uniform(0, size[1])) for _ in range(rng.randint(2, 7))]
        pen.line(points, fill=draw_any(rng), width=rng.randint(1, 5), joint="curve")
    return np.asarray(image, np.float32)


def _weave(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    ys, xs = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    angle, step = rng.uniform(0, 3.14), rng.uniform(3, 30)
    one = np.sin((xs * np.cos(angle) + ys * np.sin(angle)) / step * 6.28)
    two = np.sin((ys * np.cos(angle) - xs * np.sin(angle)) / (step * rng.uniform(0.5, 2)) * 6.28)
    mixed = (one * two if rng.random() < 0.5 else np.maximum(one, two))[..., None] / 2 + 0.5
    return _palette(rng, mixed.astype(np.float32)) * (0.8 + 0.4 * fractal(source, size, 4))


def _landscape(rng: random.Random, source: np.random.Generator, size: Size) -> Array:
    """Return bands one above the other with rough borders, like sky, hills and ground."""
    result = _clouds(rng, source, size) * 0.3 + np.array(draw_any(rng), np.float32) * 0.7
    ys = np.mgrid[0 : size[1], 0 : size[0]][0].astype(np.float32)
    level = rng.uniform(0.2, 0.5)
    for _ in range(rng.randint(1, 4)):
        ridge = fractal(source, (size[0], 4), 3)[0, :, 0] * rng.uniform(0.05, 0.4) + level
        rough = fractal(source, size, 6, 1) * 0.6 + 0.6
        below = ys / size[1] > ridge[None, :]
        result[below] = (np.array(draw_any(rng), np.float32) * rough)[below]
        level += rng.uniform(0.1, 0.3)
    return result


MAKERS: dict[str, Callable[[random.Random, np.random.Generator, Size], Array]] = {
    "noise": _noise,
    "clouds": _clouds,
    "grain": _grain,
    "blobs": _blobs,
    "cells": _cells,
    "empty": _empty,
    "scribble": _scribble,
    "weave": _weave,
    "landscape": _landscape,
}


def draw_texture(rng: random.Random, scene: Unknown) -> Canvas:
    """Return the picture of a texture."""
    longest, aspect = rng.choice(LONGEST), rng.choice(ASPECTS)
    size = (longest, round(longest / aspect)) if aspect >= 1 else (round(longest * aspect), longest)
    colours = MAKERS[scene.texture](rng, np.random.default_rng(rng.getrandbits(32)), size)
    image = Image.fromarray(colours.clip(0, 255).astype(np.uint8))
    canvas = Canvas(image, draw_any(rng))
    canvas.mark("empty" if scene.texture == "empty" else "texture", 0, 0, *size)
    return canvas
