"""Covers units.llm.quantize, as a program."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.support.daemon import running_app, tcp_client
from tests.support.models.gguf_files import write_full_weights
from tests.support.setups import LLM_SETUP
from tests.support.units.engine_bench import BUNDLED


async def quantize(*arguments: object) -> tuple[int, str]:
    """Its status and what it says."""
    command = [sys.executable, "-m", "units.llm.quantize", *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    _, said = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode().strip()


async def test_a_smaller_model_answers(tmp_path: Path) -> None:
    """A sixth of the bytes, and it still speaks."""
    full = write_full_weights(tmp_path / "full.gguf")
    small = tmp_path / "models" / "small.gguf"
    small.parent.mkdir()

    status, said = await quantize(full, small, "q4_0")

    assert (status, said) == (0, "")
    assert small.stat().st_size < full.stat().st_size / 5
    assert list(small.parent.iterdir()) == [small]
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        assert await client.answer(await client.setup("llm", LLM_SETUP, model="small"), "hello")


@pytest.mark.parametrize("type_", ["q4_k_m", "q5_0", "q8_0", "iq4_nl", "f16"])
async def test_each_kind_of_type_can_be_made(tmp_path: Path, type_: str) -> None:
    """These types need only the file of the model."""
    full = write_full_weights(tmp_path / "full.gguf")

    status, said = await quantize(full, tmp_path / "small.gguf", type_)

    assert (status, said) == (0, "")
    assert (tmp_path / "small.gguf").stat().st_size < full.stat().st_size


@pytest.mark.parametrize(
    ("source", "target", "type_", "words"),
    [
        (BUNDLED, "small.gguf", "q4_0", "unitd-chat.gguf cannot be made q4_0: requantizing from type q8_0 is disabled"),
        (BUNDLED, "small.gguf", "q4", "there is no type 'q4'; there is q2_k, "),
        (Path("nowhere.gguf"), "small.gguf", "q4_0", "nowhere.gguf is not there"),
        (Path("cut.gguf"), "small.gguf", "q4_0", "data is not within the file bounds"),
        (Path("text.gguf"), "small.gguf", "q4_0", "text.gguf cannot be made q4_0: "),
        (BUNDLED, "nowhere/small.gguf", "q4_0", "nowhere is not there"),
    ],
)
async def test_what_cannot_be_is_one_sentence(
    tmp_path: Path, source: Path, target: str, type_: str, words: str
) -> None:
    """The error is one sentence, and no file is left behind."""
    (tmp_path / "cut.gguf").write_bytes(BUNDLED.read_bytes()[:200_000])
    (tmp_path / "text.gguf").write_text("I am no model\n")
    before = sorted(tmp_path.iterdir())

    status, said = await quantize(tmp_path / source, tmp_path / target, type_)

    assert status == 1
    assert words in said
    assert "\n" not in said
    assert sorted(tmp_path.iterdir()) == before


async def test_a_model_that_is_there_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    """What fails leaves the old file as it was."""
    target = tmp_path / "mine.gguf"
    target.write_bytes(b"the old one")

    status, _ = await quantize(BUNDLED, target, "q4_0")

    assert status == 1
    assert target.read_bytes() == b"the old one"
