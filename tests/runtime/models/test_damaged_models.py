"""Covers unitd.runtime.models.store: what is damaged or cannot be named is reported and left out."""

import logging
import os
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.models.models_folder import GOOD_CARD, modes, put
from tests.support.setups import LLM_SETUP


@pytest.mark.parametrize(
    "card",
    [
        "this is no toml",
        b"\xff\xfe",
        'name = "my-model"',
        GOOD_CARD + 'flavour = "vanilla"',
        GOOD_CARD + "aliases = 3",
        GOOD_CARD + "defaults = 3",
        'name = "my-model"\nunit = "llm"\nfile = 3',
        GOOD_CARD + f"context_length = {2**64}",
        GOOD_CARD + f"defaults = {{ stop = {'[' * 3000}{']' * 3000} }}",
        GOOD_CARD + f"description = '{'x' * 128 * 1024}'",
        GOOD_CARD + f"defaults{60_000 * '.a'} = 1",
        GOOD_CARD + "[defaults" + 15_000 * ' . "a"' + "]",
    ],
    ids=[
        "syntax", "bytes", "missing key", "unknown key", "aliases", "defaults", "file", "large number", "depth",
        "length", "long key", "long table",
    ],
)  # fmt: skip
async def test_damaged_card_is_reported_once_and_left_out(
    client: WireClient, models: Path, card: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning that names the file, and so does the error of who misses it; every other model stays usable."""
    put(models, "damaged", card)

    listed = await modes(client)
    await client.setup("llm", LLM_SETUP)
    missed = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "my-model"})

    assert "my-model" not in listed
    assert missed["error"]["code"] == -5
    assert f"{models / 'damaged' / 'card.toml'} is no model card" in missed["error"]["message"]
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert [str(models / "damaged" / "card.toml") in each for each in warnings].count(True) == 1


@pytest.mark.parametrize("name", [b"\xff.gguf", b"\x1b[31m.gguf", b"a" * 252], ids=["no UTF-8", "escape", "long"])
async def test_name_that_nobody_can_say_is_left_out(client: WireClient, models: Path, name: bytes) -> None:
    """The list, which goes out as JSON and to terminals, stays whole."""
    before = await modes(client)

    (models / os.fsdecode(name)).touch()

    assert await modes(client) == before


async def test_card_that_is_no_file_is_not_waited_for(client: WireClient, models: Path) -> None:
    """A pipe would never end."""
    before = await modes(client)

    (models / "pipe").mkdir()
    os.mkfifo(models / "pipe" / "card.toml")

    assert await modes(client) == before


async def test_folder_that_is_not_there_holds_nothing(client: WireClient, models: Path) -> None:
    """A missing models.dir is no error: the bundled models remain."""
    models.rmdir()

    assert "unitd-chat" in await modes(client)
