"""Covers shelf: models that come, go, and are damaged."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import running_app
from tests.helpers import LLM_SETUP, WireClient
from tests.runtime.bad_unit import bad_unit
from unitd.app import App

GOOD_CARD = 'name = "my-model"\nunit = "llm"\nfile = "weights.gguf"\n'


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The folder in which models are looked for."""
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
async def daemon(
    tmp_path: Path, models: Path, no_blocking: None, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[App]:
    """A daemon whose units take any file for a model."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, argv_for=bad_unit()) as app:
        yield app


def put(folder: Path, name: str, card: str | bytes = GOOD_CARD) -> Path:
    """A model folder with a card and weights."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "card.toml").write_bytes(card.encode() if isinstance(card, str) else card)
    (place / "weights.gguf").touch()
    return place


async def modes(client: WireClient) -> dict[str, dict[str, Any]]:
    """What lsmode lists, by name."""
    return {row["mode"]: row for row in (await client.ask(work_id="sys", action="lsmode"))["data"]}


async def rmmode(client: WireClient, name: str) -> int:
    """The code that sys.rmmode answers."""
    return int((await client.ask(work_id="sys", action="rmmode", data=name))["error"]["code"])


async def test_file_that_is_dropped_in_is_found_at_once(client: WireClient, models: Path) -> None:
    """A GGUF file by itself is a model of its name, without a restart."""
    assert "tiny" not in await modes(client)

    (models / "tiny.gguf").touch()

    assert (await modes(client))["tiny"]["type"] == "llm"
    assert await client.setup("llm", LLM_SETUP, model="tiny") == "llm.1000"


async def test_folder_that_is_dropped_in_is_found_at_once(client: WireClient, models: Path) -> None:
    """A folder with a GGUF file in it is a model of the folder's name."""
    (models / "small").mkdir()
    (models / "small" / "anything.gguf").touch()

    assert (await modes(client))["small"]["type"] == "llm"
    assert await client.setup("llm", LLM_SETUP, model="small") == "llm.1000"


async def test_folder_with_a_card_goes_by_the_cards_name(client: WireClient, models: Path) -> None:
    """The card's name counts, not the folder's."""
    put(models, "some-folder")

    listed = await modes(client)

    assert "my-model" in listed
    assert "some-folder" not in listed


async def test_card_that_changes_is_read_again(client: WireClient, models: Path) -> None:
    """Also when it keeps its length, as when one digit is changed."""
    place = put(models, "folder", GOOD_CARD + "[defaults]\nmax_token_len = 100\n")
    before = (await modes(client))["my-model"]["mode_param"]

    (place / "card.toml").write_text(GOOD_CARD + "[defaults]\nmax_token_len = 200\n")

    after = (await modes(client))["my-model"]["mode_param"]
    assert (before, after) == ({"max_token_len": 100}, {"max_token_len": 200})


async def test_known_name_is_served_by_its_own_file_once_it_is_there(client: WireClient, models: Path) -> None:
    """A known model's card lends its description; the note about a substitute is gone."""
    name = "qwen2.5-0.5b"
    assert "not installed" in (await modes(client))[name]["note"]

    (models / f"{name}.gguf").touch()

    listed = (await modes(client))[name]
    assert "not installed" not in listed.get("note", "")
    assert listed["homepage"]


async def test_the_card_of_an_installed_model_adds_to_what_is_known(client: WireClient, models: Path) -> None:
    """Its defaults count, its engine stays where it names none, and the original's names still find it."""
    put(models, "qwen", 'name = "qwen2.5-0.5b"\nunit = "llm"\nfile = "weights.gguf"\n[defaults]\ntop_k = 3\n')

    listed = (await modes(client))["qwen2.5-0.5B-prefill-20e"]

    assert listed["mode_param"]["top_k"] == 3
    assert listed["homepage"]
    assert await client.setup("llm", LLM_SETUP) == "llm.1000"


async def test_weights_may_be_a_link_to_another_disk(client: WireClient, tmp_path: Path, models: Path) -> None:
    """The folder is the administrator's, and so are the links in it."""
    place = put(models, "linked")
    (place / "weights.gguf").replace(tmp_path / "elsewhere.gguf")
    (place / "weights.gguf").symlink_to(tmp_path / "elsewhere.gguf")

    assert await client.setup("llm", LLM_SETUP, model="my-model") == "llm.1000"


async def test_other_things_in_the_folder_are_no_models(client: WireClient, models: Path) -> None:
    """Notes, empty folders and half-copied files are passed over."""
    before = await modes(client)

    (models / "README.txt").touch()
    (models / "empty").mkdir()
    (models / "half.gguf.partial").touch()

    assert await modes(client) == before


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
    ],
    ids=["syntax", "bytes", "missing key", "unknown key", "aliases", "defaults", "file"],
)
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


async def test_folder_that_is_not_there_holds_nothing(client: WireClient, models: Path) -> None:
    """A missing models.dir is no error: the bundled models remain."""
    models.rmdir()

    assert "unitd-chat" in await modes(client)


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
    """What came with unitd stays, with a reason."""
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
