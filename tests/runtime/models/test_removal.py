"""Covers unitd.runtime.models.store: models that are removed, and those that are not."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.models.models_folder import modes, put, rmmode
from tests.support.setups import LLM_SETUP


async def test_installed_file_is_removed(client: WireClient, models: Path) -> None:
    """rmmode deletes the file and the name with it."""
    (models / "tiny.gguf").touch()
    (models / "other.gguf").touch()

    assert await rmmode(client, "tiny") == 0

    assert [each.name for each in models.iterdir()] == ["other.gguf"]
    assert "tiny" not in await modes(client)


async def test_installed_folder_is_removed_whole(client: WireClient, models: Path) -> None:
    """The card and everything beside it go, neighbours stay."""
    put(models, "some-folder")
    (models / "other.gguf").touch()

    assert await rmmode(client, "my-model") == 0

    assert [each.name for each in models.iterdir()] == ["other.gguf"]


@pytest.mark.parametrize("inside", ["../../precious/weights.gguf", "{outside}/weights.gguf"])
async def test_removal_never_leaves_the_models_folder(
    client: WireClient, tmp_path: Path, models: Path, inside: str
) -> None:
    """A card that points elsewhere does not make rmmode delete what lies there."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "weights.gguf").touch()
    (precious / "diary").touch()
    file = inside.format(outside=precious)
    put(models, "sly", f'name = "sly"\nunit = "llm"\nfile = "{file}"')

    await rmmode(client, "sly")

    assert (precious / "diary").exists()


async def test_removal_of_a_nested_file_takes_the_models_own_folder(client: WireClient, models: Path) -> None:
    """A card may name a file in a subfolder; the model is the folder with the card."""
    place = put(models, "nested", 'name = "nested"\nunit = "llm"\nfile = "deep/weights.gguf"')
    (place / "deep").mkdir()
    (place / "deep" / "weights.gguf").touch()

    assert await rmmode(client, "nested") == 0

    assert not place.exists()
    assert "nested" not in await modes(client)


async def test_bundled_model_is_not_removed(client: WireClient) -> None:
    """A model that came with unitd stays, and the reply says why."""
    reply = await client.ask(work_id="sys", action="rmmode", data="unitd-chat")

    assert reply["error"]["code"] == -10
    assert "came with unitd" in reply["error"]["message"]
    assert "unitd-chat" in await modes(client)


async def test_model_in_use_is_not_removed(client: WireClient, models: Path) -> None:
    """A task that runs on it keeps its file; after exit it may go."""
    (models / "tiny.gguf").touch()
    task = await client.setup("llm", LLM_SETUP, model="tiny")

    assert await rmmode(client, "tiny") == -10
    assert (models / "tiny.gguf").exists()
    await client.ask(work_id=task, action="exit")
    assert await rmmode(client, "tiny") == 0


@pytest.mark.parametrize("name", ["no-such-model", "qwen2.5-0.5b", "../models/tiny", "*"])
async def test_name_that_is_not_installed_cannot_be_removed(client: WireClient, models: Path, name: str) -> None:
    """Unknown names, known but absent ones, paths and patterns."""
    (models / "tiny.gguf").touch()

    assert await rmmode(client, name) == -17
    assert (models / "tiny.gguf").exists()


@pytest.mark.parametrize("data", ["", None, 5, ["tiny"]])
async def test_removal_needs_a_name(client: WireClient, data: Any) -> None:
    """Anything but a name is refused as a damaged request."""
    reply = await client.ask(work_id="sys", action="rmmode", data=data)

    assert reply["error"]["code"] == -2
