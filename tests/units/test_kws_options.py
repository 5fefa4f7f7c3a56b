"""Covers units.kws.options: what setup may say."""

from typing import Any

import pytest

from units.base import SETUP_REFUSED, UnitFault
from units.kws.options import DEFAULT_PHRASE, read_options


def test_a_setup_of_the_original_is_understood() -> None:
    """Keys of other units are left alone."""
    options = read_options({"kws": "HELLO", "response_format": "kws.bool", "enoutput": True, "capcard": 0})

    assert options.phrases == ("HELLO",)
    assert (options.debounce, options.wants_json, options.wants_chime) == (1.0, False, False)


def test_without_a_phrase_the_default_one_wakes() -> None:
    """A client that names none still has a wake word."""
    assert read_options({}).phrases == (DEFAULT_PHRASE,)


def test_the_same_phrase_twice_is_one() -> None:
    """Whatever its capitals and blanks."""
    assert read_options({"kws": ["Jarvis", " jarvis ", "computer"]}).phrases == ("jarvis", "computer")


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [(0.5, {"alexa": 0.5, "computer": 0.5}), ({"ALEXA": 0.5}, {"alexa": 0.5}), ({}, {})],
)
def test_thresholds_go_to_their_phrases(threshold: Any, expected: dict[str, float]) -> None:
    """A threshold is one number for all phrases, or a table with one for each."""
    assert read_options({"kws": ["alexa", "computer"], "threshold": threshold}).thresholds == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"kws": 5}, "kws must be a phrase"),
        ({"kws": ["a", 5]}, "kws must be a phrase"),
        ({"kws": []}, "kws holds 0 phrases"),
        ({"kws": ["a" * n for n in range(1, 40)]}, "kws holds 39 phrases"),
        ({"kws": "  "}, "kws holds an empty phrase"),
        ({"kws": "a" * 101}, "over 100 characters"),
        ({"threshold": "high"}, "threshold is 'high'"),
        ({"threshold": True}, "threshold is True"),
        ({"threshold": 0}, "threshold is 0"),
        ({"threshold": 1.5}, "threshold is 1.5"),
        ({"threshold": float("nan")}, "threshold is nan"),
        ({"threshold": {"alexa": 0.5}}, "threshold names 'alexa'"),
        ({"threshold": {"hey jarvis": -1}}, "threshold of 'hey jarvis' is -1"),
        ({"debounce": -1}, "debounce is -1"),
        ({"debounce": 61}, "debounce is 61"),
        ({"enwake_audio": "yes"}, "enwake_audio is 'yes'"),
        ({"response_format": ["kws.bool"]}, "response_format must be a text"),
        ({"keywords_threshold": "low"}, "keywords_threshold is 'low'"),
        ({"keywords_score": -2}, "keywords_score is -2"),
    ],
)
def test_a_bad_value_is_refused_by_name(data: dict[str, Any], words: str) -> None:
    """The client learns which key to change."""
    with pytest.raises(UnitFault) as fault:
        read_options(data)

    assert fault.value.code == SETUP_REFUSED
    assert words in str(fault.value)
