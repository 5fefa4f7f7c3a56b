"""Covers the way from an empty board to an answer: a pull that is cut ten times, then setup by each name."""

import asyncio
import random
from pathlib import Path

from tests.fetch.conftest import Pull
from tests.support.daemon import running_app, tcp_client
from tests.support.models.model_files import offer, sha256
from tests.support.servers.local_hub import LocalHub
from tests.support.setups import LLM_SETUP
from unitd.core.models.catalog import Card

BUNDLED = Path("units/models/unitd-chat/unitd-chat.gguf")
NAMES = (
    "qwen2.5-0.5b",
    "qwen2.5-0.5B-prefill-20e",
    "qwen2.5-0.5B-p256-ax630c",
    "qwen2.5-0.5B-Int4-ax630c",
    "qwen2.5-0.5B-Int4-ax650",
    "qwen2.5-0.5B-ax630c",
)


async def test_a_pulled_model_serves_all_its_names(hub: LocalHub, pulled: Pull, tmp_path: Path) -> None:
    """On a machine without any model; the weights are the bundled ones, which are small."""
    content, chance = BUNDLED.read_bytes(), random.Random(10)
    hub.cuts = [chance.randrange(1, len(content) // 10) for _ in range(10)]
    card = Card("qwen2.5-0.5b", "llm", "llama", file="x.gguf", parts=(offer(hub, "x.gguf", content),))

    place = await asyncio.to_thread(pulled, card)
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        work_ids = [await client.setup("llm", LLM_SETUP, model=name) for name in NAMES]
        models = await client.ask(work_id="sys", action="lsmode")
        answer = await client.answer(work_ids[-1], "hello")

    assert (hub.sent, sha256((place / "x.gguf").read_bytes())) == (len(content), sha256(content))
    assert {row["mode"] for row in models["data"] if row["model"] == "qwen2.5-0.5b" and row["installed"]} == set(NAMES)
    assert answer
