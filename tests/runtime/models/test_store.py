"""Covers unitd.runtime.models.store: models that come and change."""

import json
import struct
import time
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.models.models_folder import GOOD_CARD, modes, put, write_gguf, write_mode
from tests.support.setups import LLM_SETUP


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


async def test_file_without_a_card_is_described_by_itself(client: WireClient, models: Path) -> None:
    """Its header says what lsmode shows; in a folder it does, too."""
    write_gguf(models / "tiny.gguf")
    (models / "small").mkdir()
    write_gguf(models / "small" / "anything.gguf")

    listed = await modes(client)

    for name in ("tiny", "small"):
        assert listed[name]["description"] == "My Model"
        assert (listed[name]["architecture"], listed[name]["context_length"]) == ("llama", 2048)
        assert listed[name]["licence"] == "mit"
        assert listed[name]["capabilities"] == ["text_generation", "chat", "tools"]


async def test_what_a_card_says_counts_before_the_header(client: WireClient, models: Path) -> None:
    """The header fills what the card leaves open."""
    put(models, "folder", GOOD_CARD + 'licence = "Apache-2.0"\n')
    write_gguf(models / "folder" / "weights.gguf")

    listed = (await modes(client))["my-model"]

    assert (listed["licence"], listed["architecture"]) == ("Apache-2.0", "llama")


async def test_file_that_changes_is_described_anew(client: WireClient, models: Path) -> None:
    """Headers are kept as long as the file stays the same."""
    (models / "tiny.gguf").touch()
    before = (await modes(client))["tiny"]

    write_gguf(models / "tiny.gguf")

    assert "description" not in before
    assert (await modes(client))["tiny"]["description"] == "My Model"


async def test_the_folder_of_adapters_is_no_model(client: WireClient, models: Path) -> None:
    """No file in it is listed; a setup names them with `lora`."""
    (models / "lora").mkdir()
    (models / "lora" / "unreadable.gguf").touch()

    assert "lora" not in await modes(client)


@pytest.mark.parametrize("kind", ["adapter", "mmproj"])
async def test_what_only_adds_to_a_model_is_none(client: WireClient, models: Path, kind: str) -> None:
    """Beside a model in its folder it does not hide it, whatever the names."""
    write_gguf(models / "extra.gguf", kind)
    (models / "small").mkdir()
    write_gguf(models / "small" / "a-extra.gguf", kind)
    write_gguf(models / "small" / "model.gguf")

    listed = await modes(client)

    assert "extra" not in listed
    assert listed["small"]["description"] == "My Model"


async def test_damaged_header_leaves_a_name(client: WireClient, models: Path) -> None:
    """The file is there, and setup says what is wrong with it."""
    (models / "odd.gguf").write_bytes(b"GGUF\x03\x00\x00\x00" + b"\xff" * 64)

    assert "description" not in (await modes(client))["odd"]


async def test_a_header_of_too_many_keys_costs_no_time(client: WireClient, models: Path) -> None:
    """A whole folder of them: the list comes at once, and setup says what is wrong."""
    keys = b"".join(struct.pack("<Q5sIB", 5, b"k%04x" % number, 0, 1) for number in range(30_000))
    for number in range(20):
        (models / f"many-{number}.gguf").write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 0, 30_000) + keys)

    began = time.process_time()
    listed = await modes(client)
    refused = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "many-7"})

    assert {f"many-{number}" for number in range(20)} <= listed.keys()
    assert refused["error"]["code"] == -5
    assert "its header claims 30000 keys, 4096 are the most" in refused["error"]["message"]
    assert time.process_time() - began < 0.8


async def test_unpacked_release_is_found_by_its_files(client: WireClient, models: Path) -> None:
    """A known model by its folder's name, and any other that a unit can run."""
    for name in ("sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01", "my-own-kws"):
        (models / name).mkdir()
        for file in ("tokens.txt", "encoder.onnx", "decoder.onnx", "joiner.onnx"):
            (models / name / file).touch()

    listed = await modes(client)

    assert listed["my-own-kws"]["type"] == "kws"
    assert listed["my-own-kws"]["installed"]
    assert listed["kws-en"]["model"] == "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01"
    assert "note" not in listed["kws-en"]


async def test_model_that_is_being_fetched_is_not_there_yet(client: WireClient, models: Path) -> None:
    """It comes in a hidden folder and moves to its place when it is whole."""
    put(models / ".incoming", "half")
    write_gguf(models / ".hidden.gguf")
    before = await modes(client)

    (models / ".incoming" / "half").rename(models / "half")

    assert "my-model" not in before
    assert ".hidden" not in before
    assert "my-model" in await modes(client)


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


@pytest.mark.parametrize("has_card", [False, True])
async def test_a_projector_beside_a_model_gives_it_vision(client: WireClient, models: Path, has_card: bool) -> None:
    """With a card that does not name it, too; a name that no file has gives none."""
    for name, projector in (("seeing", ""), ("blind", 'projector = "missing.gguf"\n')):
        (models / name).mkdir()
        write_gguf(models / name / "model.gguf")
        write_gguf(models / name / "a-mmproj.gguf", "mmproj")
        if has_card:
            card = f'name = "{name}"\nunit = "llm"\nengine = "llama"\nfile = "model.gguf"\n{projector}'
            (models / name / "card.toml").write_text(card)
    listed = await modes(client)

    assert "vision" in listed["seeing"]["capabilities"]
    assert ("vision" in listed["blind"]["capabilities"]) is not has_card


async def test_the_card_of_an_installed_model_adds_to_what_is_known(client: WireClient, models: Path) -> None:
    """Its defaults count, its engine stays where it names none, and the original's names still find it."""
    put(models, "qwen", 'name = "qwen2.5-0.5b"\nunit = "llm"\nfile = "weights.gguf"\n[defaults]\ntop_k = 3\n')

    listed = await modes(client)

    assert listed["qwen2.5-0.5B-prefill-20e"]["mode_param"]["top_k"] == 3
    assert listed["qwen2.5-0.5b"]["homepage"]
    assert await client.setup("llm", LLM_SETUP) == "llm.1000"


@pytest.mark.parametrize("place", ["tiny/tiny.json", "tiny/mode_tiny.json", "tiny.json", "mode_tiny.json"])
async def test_the_originals_mode_file_gives_defaults(client: WireClient, models: Path, place: str) -> None:
    """Wherever the original looks for it."""
    (models / "tiny").mkdir()
    (models / "tiny" / "weights.gguf").touch()
    write_mode(models / place, temperature=0.25, tokenizer_type=2)

    listed = (await modes(client))["tiny"]

    assert listed["mode_param"] == {"temperature": 0.25, "tokenizer_type": 2}
    assert await client.setup("llm", LLM_SETUP, model="tiny") == "llm.1000"


async def test_the_first_mode_file_wins(client: WireClient, models: Path) -> None:
    """The model's own folder before what lies beside it, the plain name before the long one."""
    (models / "tiny").mkdir()
    (models / "tiny" / "weights.gguf").touch()
    for number, place in enumerate(("tiny/tiny.json", "tiny/mode_tiny.json", "tiny.json", "mode_tiny.json")):
        write_mode(models / place, max_token_len=100 + number)

    assert (await modes(client))["tiny"]["mode_param"] == {"max_token_len": 100}


async def test_mode_file_counts_before_the_known_card_and_behind_the_models_own(
    client: WireClient, models: Path
) -> None:
    """Each says something about temperature and top_k."""
    card = 'name = "qwen2.5-0.5b"\nunit = "llm"\nfile = "weights.gguf"\n[defaults]\ntop_k = 3\n'
    put(models, "qwen2.5-0.5b", card)
    write_mode(models / "mode_qwen2.5-0.5b.json", top_k=5, temperature=0.25)

    listed = (await modes(client))["qwen2.5-0.5b"]["mode_param"]

    assert (listed["top_k"], listed["temperature"], listed["top_p"]) == (3, 0.25, 0.8)


async def test_mode_file_without_a_model_makes_its_name_known(client: WireClient, models: Path) -> None:
    """As after moving the original's card: the bundled model answers to it, and says so."""
    write_mode(models / "mode_my-finetune-ax630c.json")

    listed = (await modes(client))["my-finetune-ax630c"]

    assert (listed["model"], listed["installed"]) == ("unitd-chat", False)
    assert await client.setup("llm", LLM_SETUP, model="my-finetune-ax630c") == "llm.1000"


async def test_damaged_mode_file_is_reported_and_other_json_is_not(
    client: WireClient, models: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The model beside it stays."""
    (models / "tiny.gguf").touch()
    (models / "mode_tiny.json").write_text("{")
    (models / "tokenizer.json").write_text('{"version": "1.0"}')
    (models / "vocabulary.json").write_text(json.dumps({f"token {number}": number for number in range(20_000)})[:-1])

    assert "tiny" in await modes(client)

    assert "mode_tiny.json is no model card" in caplog.text
    assert "tokenizer.json" not in caplog.text
    assert "vocabulary.json" not in caplog.text


async def test_model_of_a_unit_that_is_not_here_is_listed_and_refused(client: WireClient, models: Path) -> None:
    """One that finds objects, say: the file is there, and nothing runs it."""
    put(models, "finder", 'name = "yolo11n"\nunit = "yolo"\nfile = "weights.gguf"\n')

    listed = (await modes(client))["yolo11n"]
    reply = await client.ask(work_id="yolo", action="setup", data=LLM_SETUP | {"model": "yolo11n"})

    assert listed["type"] == "yolo"
    assert reply["error"]["code"] == -9


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
