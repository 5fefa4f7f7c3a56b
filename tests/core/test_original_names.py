"""Covers original_names: the table of the names that the original's clients use for models."""

from typing import Any

import pytest

from unitd.core.models.catalog import Card
from unitd.core.models.original_names import (
    OriginalNames,
    nameless_cards,
    read_original_names,
    with_original_names,
)
from unitd.wire.errors import ConfigError

QWEN = OriginalNames("llm", "qwen", sent=("qwen-20e",), names=("qwen-ax650", "qwen"))
JAPANESE = OriginalNames("tts", sent=("melotts-ja",), names=("melotts-ja-ax650",), languages=("ja",))


def test_a_row_is_read() -> None:
    """Every key has its place, and only the unit is required."""
    rows = [
        {"unit": "llm", "card": "qwen", "sent": ["qwen-20e"], "names": ["qwen-ax650", "qwen"]},
        {"unit": "tts", "sent": ["melotts-ja"], "names": ["melotts-ja-ax650"], "languages": ["ja"]},
        {"unit": "kws"},
    ]

    assert read_original_names({"models": rows}, "table") == (QWEN, JAPANESE, OriginalNames("kws"))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"card": "qwen"}, "unit is missing"),
        ({"unit": "llm", "aliases": []}, "aliases cannot be"),
        ({"unit": 7}, "unit cannot be 7"),
        ({"unit": "llm", "names": "qwen"}, "names cannot be 'qwen'"),
        ({"unit": "llm", "sent": [7]}, r"sent cannot be \[7\]"),
    ],
)
def test_a_row_that_cannot_be_used_is_refused_by_name(row: dict[str, Any], words: str) -> None:
    """The sentence names the file and the row."""
    with pytest.raises(ConfigError, match=rf"table: models\[0\]: {words}"):
        read_original_names({"models": [row]}, "table")


def test_a_model_of_the_catalogue_gets_its_names() -> None:
    """Behind those of its own, none twice; a model of another unit does not."""
    card = Card("qwen", "llm", aliases=("q", "qwen-20e"))

    named = with_original_names(card, [QWEN, JAPANESE])

    assert (named.aliases, named.sent_names) == (("q", "qwen-20e", "qwen-ax650"), ("qwen-20e",))
    assert with_original_names(Card("qwen", "asr"), [QWEN]) == Card("qwen", "asr")


def test_names_whose_model_is_in_no_catalogue_are_known_all_the_same() -> None:
    """The bundled model can answer to each; what the libraries send by themselves is listed."""
    assert nameless_cards([QWEN, JAPANESE], [Card("qwen", "llm")]) == [
        Card("melotts-ja", "tts", languages=("ja",), sent_names=("melotts-ja",)),
        Card("melotts-ja-ax650", "tts", languages=("ja",)),
    ]
