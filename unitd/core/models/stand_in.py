"""Setups for a bundled model that answers in place of another one. Pure.

The rule for all units: a model that is asked for by its own name refuses a language that it does not know. For a
bundled model in place of another, unknown languages and wake words are left out of the setup, with a warning.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from unitd.core.models.catalog import Card
from unitd.wire.languages import main_language

ANY_LANGUAGE = "mul"


class Fitted(NamedTuple):
    """A setup that the model can serve."""

    setup: dict[str, Any]
    warning: str
    """What was left out, and why; "" if nothing was."""


def fitted(card: Card, setup: Mapping[str, Any]) -> Fitted:
    """Return the setup for the card that serves it; it is unchanged unless the card stands in for another model."""
    if card.stands_for is None or card.unit not in ("kws", "asr", "tts"):
        return Fitted(dict(setup), "")
    setup = dict(setup)
    left_out = _without_unknown_words(card, setup)
    return Fitted(setup, left_out or _without_unknown_language(card, card.stands_for, setup))


def _without_unknown_language(card: Card, meant: Card, setup: dict[str, Any]) -> str:
    asked = setup.get("language")
    if asked and isinstance(asked, str):  # the unit refuses another type
        if _knows(card, asked):
            return ""
        del setup["language"]
        return f"{card.name} does not know the language {asked!r}, {_usual(card)}"
    if not meant.languages or any(_knows(card, each) for each in meant.languages):
        _choose_voice(card, meant, setup)
        return ""
    return f"{card.name} does not know the language {meant.languages[0]!r}, {_usual(card)}"


def _choose_voice(card: Card, meant: Card, setup: dict[str, Any]) -> None:
    """Set the language of the voice that was asked for: clients name it only by the voice."""
    if card.unit == "tts" and meant.languages and main_language(meant.languages[0]) not in ("en", ANY_LANGUAGE):
        setup["language"] = meant.languages[0]


def _usual(card: Card) -> str:
    verb = "speaks" if card.unit == "tts" else "hears"
    return f"it {verb} {card.languages[0]}"


def _knows(card: Card, tag: str) -> bool:
    """Return whether a card has a language; True also for a card that lists none."""
    known = {main_language(each) for each in card.languages}
    return not known or ANY_LANGUAGE in known or main_language(tag) in {*known, ANY_LANGUAGE}


def _without_unknown_words(card: Card, setup: dict[str, Any]) -> str:
    """Replace wake words in foreign letters, which the model cannot hear; return a warning, or ""."""
    asked = setup.get("kws")
    listed = [asked] if isinstance(asked, str) else asked
    if card.unit != "kws" or not isinstance(listed, list) or "en" not in card.languages:
        return ""
    foreign = [each for each in listed if isinstance(each, str) and not _is_latin(each)]
    if not foreign:
        return ""
    kept = [each for each in listed if each not in foreign] or [card.defaults["kws"]]
    setup["kws"] = kept
    if isinstance(thresholds := setup.get("threshold"), dict):
        setup["threshold"] = {phrase: value for phrase, value in thresholds.items() if phrase not in foreign}
    heard, left_out = (", ".join(map(repr, each)) for each in (kept, foreign))
    return f"{card.name} does not know the wake words {left_out}, it listens for {heard}"


def _is_latin(text: str) -> bool:
    return all(unicodedata.name(each, "LATIN").startswith("LATIN") for each in text if each.isalpha())
