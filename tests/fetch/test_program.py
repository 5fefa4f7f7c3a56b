"""Covers fetch.__main__: the program as the daemon starts it, with the environment that people set."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.models.model_files import gguf, offer, sha256
from tests.support.servers.local_hub import BLOCK, LocalHub
from tests.support.waiting import eventually

CARD = """
name = "small"
unit = "llm"
engine = "llama"
aliases = ["little"]
file = "x.gguf"

[[files]]
path = "x.gguf"
repository = "me/model"
"""

Started = Callable[..., Any]


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """A catalogue of one card."""
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "small.toml").write_text(CARD)
    return tmp_path / "cards"


@pytest.fixture
def start(cards: Path, models: Path, hub: LocalHub) -> Started:
    """Starts the program with these variables."""

    @asynccontextmanager
    async def start(name: str = "small", **variables: str) -> AsyncIterator[asyncio.subprocess.Process]:
        kept = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "unitd.fetch", env=kept | {"HF_ENDPOINT": hub.url} | variables,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(orjson.dumps({"name": name, "folder": str(models), "cards": str(cards)}))
        process.stdin.close()
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    return start


async def last_line(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """What it ends with, and its exit code."""
    out, _ = await process.communicate()
    said: dict[str, Any] = orjson.loads(out.splitlines()[-1])
    return said | {"code": process.returncode}


async def test_it_says_where_the_model_is(start: Started, hub: LocalHub, models: Path) -> None:
    """Each state is a line; an alias is a name."""
    offer(hub, "x.gguf", gguf())

    async with start("little") as process:
        out, _ = await process.communicate()

    lines = [orjson.loads(line) for line in out.splitlines()]
    assert [line["state"] for line in lines if line["state"] != "fetching"] == ["checking", "done"]
    words = "not verified, for the catalogue has no hash: x.gguf (compared with the hub's own hash only)"
    assert lines[-1] == {"state": "done", "place": str(models / "small"), "unchecked": words}
    assert (models / "small" / "x.gguf").read_bytes() == gguf()


async def test_a_failure_is_its_last_line(start: Started) -> None:
    """And its exit code."""
    async with start("nonsense") as process:
        end = await last_line(process)

    assert end == {"state": "failed", "reason": "the catalogue knows no model nonsense", "code": 1}


async def test_a_killed_pull_is_continued_at_its_last_byte(start: Started, hub: LocalHub, models: Path) -> None:
    """Ten times, as by power cuts; the next one asks for the first byte that is not there."""
    content = gguf(400_000)
    offer(hub, "x.gguf", content)
    for kill in range(1, 4):
        hub.holds_at = kill * 20 * BLOCK
        async with start() as process:
            await eventually(lambda: length_of_partial(models) == hub.holds_at, timeout=15)
            process.kill()
    hub.holds_at = -1

    async with start() as process:
        end = await last_line(process)

    assert end["state"] == "done"
    assert [seen.first for seen in hub.gets("cdn/")] == [kill * 20 * BLOCK for kill in range(4)]
    assert hub.sent == len(content)
    assert sha256((models / "small" / "x.gguf").read_bytes()) == sha256(content)


def length_of_partial(models: Path) -> int:
    """How far the file is."""
    return sum(file.stat().st_size for file in models.glob(".incoming/small/partial/*"))


async def test_a_token_of_the_environment_is_used(start: Started, hub: LocalHub) -> None:
    """HF_TOKEN, as with every client of the hub."""
    offer(hub, "x.gguf", gguf())
    hub.token = "hf_secret"

    async with start(HF_TOKEN="hf_secret") as process:
        end = await last_line(process)

    assert end["state"] == "done"


async def test_offline_is_offline(start: Started, hub: LocalHub) -> None:
    """HF_HUB_OFFLINE: nobody is asked."""
    offer(hub, "x.gguf", gguf())

    async with start(HF_HUB_OFFLINE="1") as process:
        end = await last_line(process)

    assert "offline mode is on (HF_HUB_OFFLINE)" in end["reason"]
    assert hub.seen == []


async def test_a_proxy_is_honoured(start: Started, hub: LocalHub) -> None:
    """The hub's own name is known to the proxy alone."""
    offer(hub, "x.gguf", gguf())

    async with start(HF_ENDPOINT="http://hub.example", HTTP_PROXY=hub.url) as process:
        end = await last_line(process)

    assert end["state"] == "done"
