"""Covers memory: limits as people write them, and the arithmetic of estimates."""

from dataclasses import replace
from pathlib import Path

import pytest

from unitd.core.models.catalog import Card, ModelFile
from unitd.core.models.gguf import Shape
from unitd.core.models.memory import (
    MIB,
    Need,
    data_limit,
    limit_of,
    need_of_llama,
    need_of_program,
    need_to_come,
    parts_of,
    with_projector,
)

SHAPE = Shape(layers=24, width=896, hidden=4864, heads=14, cached_values=6144)
"""Qwen2.5 with half a billion parameters."""


@pytest.mark.parametrize(
    ("text", "size"),
    [("512M", 512 * MIB), ("2G", 2048 * MIB), ("1.5G", 1536 * MIB), ("80%", 800), ("100%", 1000)],
)
def test_a_limit_is_a_size_or_a_share(text: str, size: int) -> None:
    """Of a board with a thousand bytes."""
    assert limit_of(text, 1000) == size


@pytest.mark.parametrize("text", ["", "512", "512K", "-1G", "0M", "0%", "101%", "80 %", "2GB", "nan%", "1e3M"])
def test_what_is_neither_is_refused(text: str) -> None:
    """With an example of each."""
    with pytest.raises(ValueError, match="512M or 2G, and no share such as 80%"):
        limit_of(text, 1000)


def test_the_cache_grows_with_context_and_slots() -> None:
    """Two bytes for each value of each token of each slot, and of one more for answers that gave theirs up."""
    one = need_of_llama(0, SHAPE, slots=1, context=512, exact=False)
    many = need_of_llama(0, SHAPE, slots=4, context=4096, exact=False)

    assert one.kv_cache == 2 * (2 * 6144 * 512)
    assert many.kv_cache == 5 * (2 * 6144 * 4096)


def test_a_context_is_rounded_up_as_the_engine_does() -> None:
    """A cache for 300 tokens is one for 512."""
    odd, even = (need_of_llama(0, SHAPE, slots=1, context=context, exact=False) for context in (300, 512))

    assert odd == even


def test_exact_answers_need_more_to_work_with() -> None:
    """Without flash attention 14 heads write down what 512 tokens pay to 4096: four bytes each, and two more."""
    flash, exact = (need_of_llama(0, SHAPE, slots=1, context=4096, exact=exact) for exact in (False, True))

    assert exact.working - flash.working == 14 * 512 * 4096 * 6


def test_a_model_of_which_nothing_is_known_needs_its_size() -> None:
    """And a tenth for what is made of it, and the program."""
    assert need_of_llama(300 * MIB, None, slots=4, context=4096, exact=True).total == 364 * MIB


def test_a_model_to_come_needs_its_projector_apart() -> None:
    """A projector has buffers of its own, and a small model beside it a cache; without sizes nothing is known."""
    parts = (ModelFile("x.gguf", "me/model", size=300 * MIB), ModelFile("mmproj.gguf", "me/model", size=100 * MIB))
    card = Card("x", "llm", "llama", parts=parts, projector="mmproj.gguf", shape=SHAPE)
    blind, sizeless = replace(card, projector=""), replace(card, parts=(replace(parts[0], size=0), parts[1]))

    needs = [need_to_come(each, 4, 4096, exact=False) for each in (card, blind, sizeless)]

    assert needs == [
        with_projector(need_of_llama(300 * MIB, SHAPE, 4, 4096, exact=False), 100 * MIB),
        need_of_llama(400 * MIB, SHAPE, 4, 4096, exact=False),
        None,
    ]


def test_other_programs_need_their_files_twice() -> None:
    """Besides themselves, as far as they are known."""
    known = need_of_program("asr", "pocketsphinx", 0)
    unknown = need_of_program("horoscope", "", 10 * MIB)

    assert (known.total, unknown.total) == (115 * MIB, 80 * MIB)


def test_a_need_is_said_with_its_parts() -> None:
    """A part of zero bytes is left out."""
    assert str(Need(820 * MIB, 384 * MIB, 36 * MIB)) == (
        "about 1,240 MiB (weights 820, KV cache 384, working memory 36)"
    )
    assert str(Need(working=25 * MIB)) == "about 25 MiB (working memory 25)"


def test_a_split_model_is_all_its_files() -> None:
    """By their names; any other model is one file."""
    parts = parts_of(Path("/models/big-00001-of-00003.gguf"))

    assert [part.name for part in parts] == [f"big-0000{number}-of-00003.gguf" for number in (1, 2, 3)]
    assert parts_of(Path("/models/small.gguf")) == [Path("/models/small.gguf")]


# What a program may have of the memory


def test_a_program_may_take_twice_its_estimate_and_a_share_for_each_task() -> None:
    """Beside the addresses that it reserves: 128 MiB, half the estimate, and the stacks of two threads."""
    need = Need(working=116 * MIB, task=48 * MIB)

    one, many = (data_limit("asr", need, tasks, 8192 * MIB, cores=2, request_bytes=0) for tasks in (1, 8))

    assert one == (2 * 116 + 48 + 128 + 58 + 16) * MIB
    assert many - one == 7 * 48 * MIB


def test_no_program_may_take_more_than_all_models_together() -> None:
    """However many tasks it has; what it reserves without filling it is no memory."""
    need = Need(working=116 * MIB, task=48 * MIB)

    assert data_limit("asr", need, 64, 512 * MIB, cores=2, request_bytes=0) == (512 + 128 + 58 + 16) * MIB


def test_a_large_request_may_be_read() -> None:
    """The JSON reader reserves many times its size."""
    need = Need(working=116 * MIB)

    small, large = (data_limit("llm", need, 1, 8192 * MIB, cores=2, request_bytes=size) for size in (0, 16 * MIB))

    assert large - small == 256 * MIB


def test_a_program_that_fits_may_take_its_estimate() -> None:
    """Also where the budget was made smaller meanwhile."""
    need = need_of_llama(600 * MIB, None, slots=4, context=4096, exact=False)

    assert data_limit("llm", need, 1, 100 * MIB, cores=1, request_bytes=0) >= need.total


def test_a_unit_of_another_package_may_have_the_whole_budget() -> None:
    """The need of a unit from another package is not known."""
    need = need_of_program("notes", "", 0)

    assert data_limit("notes", need, 1, 512 * MIB, cores=4, request_bytes=0) == (512 + 1024) * MIB
