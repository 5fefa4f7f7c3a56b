"""The words around a command: requests, reasons, and what people do while they speak.

A command is a phrasing of a bank, or a short one ("turn on {it}") inside a frame ("could you … please"), sometimes
with a reason. Bank and frames are held out each for itself.
"""

from __future__ import annotations

import random

from train.corpus.base import Split, fill
from train.corpus.tools.words import FRAMES

REASONS = {
    "turn_off": "reason_off", "open": "reason_open", "close": "reason_close", "lock": "reason_lock",
    "unlock": "reason_unlock", "temperature": "reason_heat",
}  # fmt: skip
"""Why people want something, where it is no matter of the device."""

FILLERS = ("uh", "um", "er", "uhm", "like", "you know", "well", "hmm", "ah", "I mean")


MORE = ("", "", "", "a bit", "a little", "a little bit", "slightly", "a touch", "a tad", "much", "a lot", "way", "even",
        "just a bit", "a good deal", "somewhat", "just a little")  # fmt: skip
BIT = ("", "", "", "a bit", "a little", "a little bit", "slightly", "a notch", "a touch", "a tad", "a lot", "some",
       "just a bit", "a good deal", "just a little")  # fmt: skip
BIT_OF_COVER = ("a bit", "a little", "slightly", "a touch", "a little bit", "just a bit", "a lot", "a tad")
"""Without one of these "open it" is no wish for a little more."""


def sized(rng: random.Random, template: str, meaning: str) -> str:
    """Return a template with words for the size of a change, often none."""
    if "{more}" not in template and "{bit}" not in template:
        return template
    bits = BIT_OF_COVER if meaning in ("higher_it", "lower_it") else BIT
    text = template.replace("{more}", rng.choice(MORE)).replace("{bit}", rng.choice(bits))
    return " ".join(text.replace("way more", "much more").replace("somewhat more", "some more").split())


def has_core(meaning: str) -> bool:
    """Return whether there are short commands of a meaning."""
    return f"do_{meaning}" in FRAMES


def framed(rng: random.Random, split: Split, meaning: str, kind: str = "") -> str:
    """Return a template of a meaning, made of a short command, a frame and sometimes a reason."""
    core = FRAMES[f"do_{meaning}"].pick(rng, "train")
    reason = "reason_light_on" if (meaning, kind) == ("turn_on", "light") else REASONS.get(meaning, "")
    if reason and rng.random() < 0.3:
        why = FRAMES[reason].pick(rng, split)
        return fill(FRAMES["because"].pick(rng, split), do=core, reason=why)
    return fill(FRAMES["frame"].pick(rng, split), do=core)


def hesitant(rng: random.Random, text: str) -> str:
    """Return a sentence as it is spoken: with a filler, a word twice, or begun again."""
    words = text.split(" ")
    if len(words) < 3:
        return text
    draw, at = rng.random(), rng.randrange(1, len(words))
    if draw < 0.45:
        return " ".join((*words[:at], rng.choice(FILLERS), *words[at:]))
    if draw < 0.7:
        return " ".join((*words[:at], words[at - 1], *words[at:]))
    begun = " ".join(words[: rng.choice((1, 2, 2, 3))])
    return f"{begun}{rng.choice((' ', ' uh ', ' no ', ', ', ' um '))}{text}"
