"""Covers units.llm.options. Refused values are told in test_bad_input."""

from typing import Any

import pytest

from units.base import UnitFault
from units.llm.options import DEFAULT_MAX_TOKENS, SamplerSpec, read_options


def test_the_documents_setup_is_read() -> None:
    """The seed's fields, and what they leave to defaults."""
    options = read_options({"prompt": "You are kind.", "max_token_len": 256, "enkws": True}, 4096)

    assert (options.system_prompt, options.max_tokens, options.context) == ("You are kind.", 256, 4096)
    assert options.sampler == SamplerSpec()
    assert not options.keeps_history


def test_nothing_given_means_the_originals_default_length() -> None:
    """127 tokens."""
    assert read_options({}, 4096).max_tokens == DEFAULT_MAX_TOKENS


def test_a_given_sampling_key_is_honoured() -> None:
    """Every one of the original's mode_param."""
    data = {"temperature": 0.5, "top_k": 10, "top_p": 0.7, "repetition_penalty": 1.2, "penalty_window": 50, "seed": 7}

    sampler = read_options(data, 4096).sampler

    assert sampler == SamplerSpec(temperature=0.5, top_k=10, top_p=0.7, repeat_penalty=1.2, penalty_window=50, seed=7)


@pytest.mark.parametrize(
    ("key", "value", "switch"),
    [
        ("temperature", 0.7, "enable_temperature"),
        ("top_k", 10, "enable_top_k_sampling"),
        ("top_p", 0.7, "enable_top_p_sampling"),
        ("repetition_penalty", 1.2, "enable_repetition_penalty"),
    ],
)
def test_a_switch_turns_its_key_off(key: str, value: Any, switch: str) -> None:
    """`enable_X: false` wins over a given X; true leaves it."""
    off = read_options({key: value, switch: False}, 4096).sampler
    on = read_options({key: value, switch: True}, 4096).sampler

    assert off == SamplerSpec()
    assert on != SamplerSpec()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, None, [1]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    """Also the numbers that compare with nothing."""
    with pytest.raises(UnitFault, match="temperature is"):
        read_options({"temperature": value}, 4096)


def test_one_stop_text_is_a_list_of_one() -> None:
    """A text and a list of one text are read alike."""
    assert read_options({"stop": "END"}, 4096).stop == ("END",)
    assert read_options({"stop": ["A", "B"]}, 4096).stop == ("A", "B")
