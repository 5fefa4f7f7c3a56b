"""Covers forecast: how fast models will be on boards, which one is suggested, and what a processor says of itself."""

import pytest

from unitd.core.models.catalog import Card
from unitd.core.models.forecast import (
    Forecast,
    Pace,
    Prospect,
    Speed,
    best_of,
    features_in,
    forecast,
    in_order,
    multiplied_weights,
    processor_in,
    read_speed,
)
from unitd.core.models.gguf import Shape
from unitd.core.models.memory import MIB, Need

QWEN = Shape(layers=24, width=896, hidden=4864, heads=14, cached_values=6144)
"""Qwen2.5 with half a billion parameters."""

SLOW = Speed(token_s=0.002, small=Pace(1e-9, 1e-9), large=Pace(2.5e-10, 1e-10), small_below=64 * MIB)
"""A board of which the memory gives four gigabytes a second."""

MEASURED = {
    "token_s": 0.002,
    "small": {"byte_s": 1e-9, "weight_s": 1e-9},
    "large": {"byte_s": 2.5e-10, "weight_s": 1e-10},
    "small_below": 64 * MIB,
}


def model(
    name: str,
    *,
    weights: int = 0,
    tokens_per_s: float = 20,
    first_token_s: float = 1,
    fits: bool = True,
    tools: bool = True,
) -> Prospect:
    """A language model of so many weights that answers so fast."""
    capabilities = ("text_generation", "tools") if tools else ("text_generation",)
    card = Card(name, "llm", "llama", parameters=weights, capabilities=capabilities)
    return Prospect(card, weights, Need(weights), fits, Forecast(tokens_per_s, first_token_s))


# What is forecast


def test_a_token_costs_a_look_at_all_weights() -> None:
    """400 MB at four gigabytes a second are a tenth of a second, and two milliseconds for the way."""
    expected = forecast(SLOW, 400_000_000, QWEN)

    assert expected.tokens_per_s == pytest.approx(1 / 0.102)


def test_a_prompt_costs_arithmetic_with_every_weight() -> None:
    """200 tokens with 358 million weights each, then the first token of the answer."""
    expected = forecast(SLOW, 400_000_000, QWEN)

    assert expected.first_token_s == pytest.approx(200 * 357_795_000 * 1e-10 + 0.102, rel=1e-3)


def test_small_models_have_a_pace_of_their_own() -> None:
    """One thread and the processor's cache: below the line that the unit itself draws."""
    below, above = (forecast(SLOW, size, None).tokens_per_s for size in (64 * MIB - 1, 64 * MIB))

    assert below == pytest.approx(1 / (0.002 + 64 * MIB * 1e-9), rel=1e-3)
    assert above == pytest.approx(1 / (0.002 + 64 * MIB * 2.5e-10), rel=1e-3)


def test_the_weights_of_a_shape_are_those_of_the_model_without_its_vocabulary() -> None:
    """494,032,768 in all, of which 151,936 words have 896 each; norms and biases are left out."""
    assert multiplied_weights(QWEN) == pytest.approx(494_032_768 - 151_936 * 896, rel=1e-3)


def test_without_a_shape_all_parameters_count() -> None:
    """The first token may come sooner than that."""
    expected = forecast(SLOW, 400_000_000, None, parameters=500_000_000)

    assert expected.first_token_s == pytest.approx(200 * 500_000_000 * 1e-10 + 0.102)


def test_of_an_unknown_model_only_the_pace_is_told() -> None:
    """Its size is enough for that; a header without layers tells as little as none."""
    nothing = Shape(layers=0, width=0, hidden=0, heads=0, cached_values=0)

    unknown, empty = (forecast(SLOW, 400_000_000, shape) for shape in (None, nothing))

    assert unknown == empty
    assert unknown.tokens_per_s == pytest.approx(1 / 0.102)
    assert unknown.first_token_s is None


def test_what_the_measuring_program_prints_is_a_speed() -> None:
    """Figure by figure."""
    assert read_speed(MEASURED) == SLOW


@pytest.mark.parametrize("key", ["token_s", "small", "large", "small_below"])
def test_half_a_measurement_is_none(key: str) -> None:
    """A measurement that lacks one of its figures is refused."""
    cut = {name: value for name, value in MEASURED.items() if name != key}

    with pytest.raises(ValueError, match="this is no measurement"):
        read_speed(cut)


# Which is suggested


def test_the_largest_fluent_model_is_best() -> None:
    """What is larger is too slow, too late or does not fit."""
    models = [
        model("tiny", weights=1_000_000),
        model("right", weights=500_000_000),
        model("slow", weights=1_000_000_000, tokens_per_s=4.9),
        model("late", weights=1_500_000_000, first_token_s=4.1),
        model("fat", weights=2_000_000_000, fits=False),
    ]

    best = best_of(models)

    assert best is not None
    assert best.card.name == "right"


def test_who_calls_tools_is_more_able() -> None:
    """A device has things to switch; a larger one that can only talk comes behind."""
    models = [model("talker", weights=2_000_000_000, tools=False), model("doer", weights=500_000_000)]

    best = best_of(models)

    assert best is not None
    assert best.card.name == "doer"


def test_a_board_may_be_too_slow_for_all() -> None:
    """Then none is marked; one of which nothing is known is never suggested, and neither is one of another unit."""
    ears = Prospect(Card("ears", "asr"), 100, Need(100), True, None)
    unknown = Prospect(Card("unknown", "llm", "llama"), 100, None, None, None)

    assert best_of([model("slow", tokens_per_s=1), unknown, ears]) is None


def test_language_models_stand_above_the_others() -> None:
    """The most able ones first; other units one after the other, each with its smallest first."""
    voice = Prospect(Card("voice", "tts"), 1, Need(1), True, None)
    large, small = (
        Prospect(Card(name, "asr"), size, Need(size), True, None) for name, size in (("L", 200), ("S", 100))
    )

    ordered = in_order([voice, large, model("small", weights=1), small, model("large", weights=2)])

    assert [each.card.name for each in ordered] == ["large", "small", "S", "L", "voice"]


# What a processor says of itself


def test_a_pc_says_its_name_and_what_it_can() -> None:
    """Each skill once, whatever the kernel calls it."""
    cpuinfo = "processor\t: 0\nmodel name\t: Small PC 3000\nflags\t\t: fpu avx avx2 avx_vnni avx512_vnni avx512f\n"

    assert processor_in(cpuinfo) == "Small PC 3000"
    assert features_in(cpuinfo) == ("AVX2", "AVX-512", "VNNI")


def test_an_arm_board_says_only_what_it_can() -> None:
    """The name of an ARM processor is not in cpuinfo but in the device tree."""
    cpuinfo = "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm aes crc32 asimddp\nCPU part\t: 0xd0b\n"

    assert processor_in(cpuinfo) == ""
    assert features_in(cpuinfo) == ("NEON", "dotprod")


def test_a_processor_that_says_nothing_has_nothing() -> None:
    """RISC-V has other words for it."""
    assert features_in("processor\t: 0\nisa\t: rv64imafdc\n") == ()
