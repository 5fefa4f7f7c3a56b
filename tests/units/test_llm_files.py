"""Covers units.llm.llama and units.llm.engine_loader: files that are no model, through the daemon."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import gguf
import numpy as np
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.setups import LLM_SETUP
from tests.support.units.engine_bench import BUNDLED
from units.llm.llama import Model


def write_text(path: Path) -> None:
    path.write_text("I am no model\n")


def write_truncated(path: Path) -> None:
    path.write_bytes(BUNDLED.read_bytes()[:200_000])


def write_huge(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"GGUF")
        file.truncate(2**42)  # four terabytes that take no room on the disk


def write_of_another_kind(path: Path) -> None:
    writer = gguf.GGUFWriter(str(path), "whisper")
    writer.add_tensor("weights", np.zeros(32, np.float32))
    _close(writer)


def write_without_tokenizer(path: Path) -> None:
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tensor("token_embd.weight", np.zeros((32, 32), np.float32))
    _close(writer)


def _close(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[WireClient]:
    """A client of a daemon with an empty models folder."""
    (tmp_path / "models").mkdir()
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        yield client


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (write_text, "is no GGUF file"),
        (write_truncated, "cannot be loaded"),
        (write_huge, "needs about 4,613,768 MiB"),
        (write_of_another_kind, "cannot be loaded"),
        (write_without_tokenizer, "cannot be loaded"),
    ],
)
async def test_a_file_that_is_no_model_is_refused_with_the_reason(
    client: WireClient, tmp_path: Path, write: Callable[[Path], None], words: str
) -> None:
    """The task of another model never notices, and a good file under the same name works afterwards."""
    good = await client.setup("llm", LLM_SETUP)
    path = tmp_path / "models" / "mine.gguf"
    write(path)

    refused = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "mine"})
    path.unlink()
    path.symlink_to(BUNDLED)

    assert (refused["work_id"], refused["error"]["code"]) == ("llm", -5)
    assert "mine" in refused["error"]["message"]
    assert words in refused["error"]["message"]
    assert await client.answer(good, "hello")
    assert await client.answer(await client.setup("llm", LLM_SETUP, model="mine"), "hello")


def test_what_was_only_read_to_be_copied_leaves_the_memory(tmp_path: Path) -> None:
    """The file stays mapped, and none of its pages counts for this process until it is used."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(BUNDLED.read_bytes())

    model = Model(str(path), lambda fraction: None)

    mappings = Path("/proc/self/smaps").read_text().partition(f" {path}\n")[2]
    assert model.size > 5_000_000
    assert "\nRss:                   0 kB\n" in mappings[:300]


async def test_an_unknown_engine_is_refused_by_name(client: WireClient, tmp_path: Path) -> None:
    """The error names those that exist."""
    folder = tmp_path / "models" / "odd"
    folder.mkdir()
    (folder / "card.toml").write_text('name = "odd"\nunit = "llm"\nengine = "abacus"\n')

    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "odd"})

    assert reply["error"]["code"] == -5
    assert "there is no llm engine 'abacus'; there is llama, openai" in reply["error"]["message"]
