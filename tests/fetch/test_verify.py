"""Covers fetch.integrity, fetch.records and fetch.importing: what is here, and what somebody brings along."""

import os
from pathlib import Path

import pytest

from tests.fetch.conftest import Pull
from tests.support.models.gguf_files import write_adapter, write_full_weights
from tests.support.models.model_files import card_of, gguf, offer, packed
from tests.support.servers.local_hub import LocalHub
from unitd.core.models.catalog import Card
from unitd.core.models.progress import Progress
from unitd.fetch.failures import PullFailed
from unitd.fetch.importing import import_model
from unitd.fetch.integrity import verify

BUNDLED = Path("units/models/unitd-chat/unitd-chat.gguf")


def ignore(_: Progress) -> None:
    """Nobody looks."""


# Verify


def test_what_was_pulled_is_sound(hub: LocalHub, pulled: Pull) -> None:
    """Every byte is held against what was installed."""
    place = pulled(card_of(offer(hub, "x.gguf", gguf()), offer(hub, "y.txt", b"y", is_large=False)))

    assert verify(place) == []


def test_what_has_changed_since_is_told(hub: LocalHub, pulled: Pull) -> None:
    """A file that is missing, one that is shorter, one with other bytes."""
    content = gguf()
    place = pulled(card_of(*(offer(hub, f"{name}.gguf", content) for name in "abc")))
    (place / "a.gguf").unlink()
    (place / "b.gguf").write_bytes(content[:100])
    (place / "c.gguf").write_bytes(content[:-1] + b"!")

    assert verify(place) == [
        "a.gguf is missing",
        "b.gguf has 100 bytes instead of 4064",
        "c.gguf has changed: its SHA-256 is another",
    ]


def test_a_file_that_was_dropped_here_is_looked_through(tmp_path: Path) -> None:
    """There is nothing to hold it against, but a truncated one shows."""
    (tmp_path / "good.gguf").write_bytes(gguf())
    (tmp_path / "bad.gguf").write_bytes(gguf()[:2000])

    assert verify(tmp_path / "good.gguf") == []
    assert verify(tmp_path) == ["bad.gguf: it has 2000 bytes, its tensors end at byte 4064"]


def test_what_only_has_the_name_of_a_file_is_passed_over(tmp_path: Path) -> None:
    """A pipe would never end."""
    (tmp_path / "good.gguf").write_bytes(gguf())
    (tmp_path / "folder.gguf").mkdir()
    os.mkfifo(tmp_path / "pipe.gguf")

    assert verify(tmp_path) == []


def test_what_cannot_be_verified_is_said(tmp_path: Path) -> None:
    """A folder of somebody's own."""
    assert verify(tmp_path) == [f"{tmp_path.name} was neither pulled nor imported: there is nothing to hold it against"]


def test_a_damaged_record_is_none(tmp_path: Path) -> None:
    """A record that cannot be parsed counts as missing."""
    (tmp_path / "installed.json").write_text('{"files": [{"path": 1}]}')
    (tmp_path / "x.gguf").write_bytes(gguf())

    assert verify(tmp_path) == []


# Import


def test_a_gguf_becomes_a_model(models: Path) -> None:
    """With a card, and a record to hold it against."""
    place = import_model(BUNDLED, models, "mine", ignore)

    assert verify(place) == []
    assert (place / "card.toml").read_text().splitlines() == [
        'name = "mine"', 'unit = "llm"', 'engine = "llama"', 'file = "unitd-chat.gguf"',
    ]  # fmt: skip


def test_a_folder_with_a_card_becomes_a_model(models: Path, tmp_path: Path) -> None:
    """Links are followed: a hub's client keeps its files elsewhere."""
    (tmp_path / "blob").write_bytes(b"weights")
    (tmp_path / "ears" / "words").mkdir(parents=True)
    (tmp_path / "ears" / "words" / "tokens.txt").write_text("a 1")
    (tmp_path / "ears" / "encoder.onnx").symlink_to(tmp_path / "blob")
    (tmp_path / "ears" / "card.toml").write_text('name = "ears"\nunit = "asr"\nengine = "sherpa-onnx"\n')

    place = import_model(tmp_path / "ears", models, "ears", ignore)

    assert not (place / "encoder.onnx").is_symlink()
    assert verify(place) == []


def test_an_installed_model_is_imported_elsewhere(models: Path) -> None:
    """As from one board to another: it has a record of its own then, not that of the old one."""
    place = import_model(BUNDLED, models, "mine", ignore)

    copy = import_model(place, models.with_name("others"), "mine", ignore)

    assert verify(copy) == []


def test_a_card_that_leads_to_a_server_is_not_imported(models: Path, tmp_path: Path) -> None:
    """It could send it what is said, and a file of this board as the key."""
    (tmp_path / "far").mkdir()
    card = 'name = "far"\nunit = "llm"\nbase_url = "http://example.org/v1"\napi_key_file = "/etc/shadow"\n'
    (tmp_path / "far" / "card.toml").write_text(card)

    with pytest.raises(PullFailed, match="leads to a server"):
        import_model(tmp_path / "far", models, "far", ignore)


def test_an_archive_becomes_what_the_catalogue_says(models: Path, tmp_path: Path) -> None:
    """For a board without a network: it was fetched elsewhere."""
    (tmp_path / "kws.tar.bz2").write_bytes(packed(("kws/encoder.onnx", b"weights")))
    known = Card("kws", "kws", "sherpa-onnx", aliases=("kws-en",), file="encoder.onnx")

    place = import_model(tmp_path / "kws.tar.bz2", models, "kws-en", ignore, known)

    assert place == models / "kws"
    assert 'unit = "kws"\nengine = "sherpa-onnx"\nfile = "encoder.onnx"' in (place / "card.toml").read_text()


def test_a_model_can_be_made_smaller_on_its_way(models: Path, tmp_path: Path) -> None:
    """By llama.cpp's own quantizer; only what it wrote is kept."""
    full = write_full_weights(tmp_path / "mine-f32.gguf")

    place = import_model(full, models, "mine", ignore, quantize="q8_0")

    assert sorted(each.name for each in place.glob("*.gguf")) == ["mine-f32-q8_0.gguf"]
    assert verify(place) == []


def test_a_quantizer_s_complaint_is_told(models: Path) -> None:
    """It knows its types."""
    with pytest.raises(PullFailed, match="could not be quantized to q9_9: there is no type 'q9_9'"):
        import_model(BUNDLED, models, "mine", ignore, quantize="q9_9")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.gguf", gguf(tensors=2**60), "claims 1152921504606846976 tensors"),
        ("x.gguf", gguf()[:-1], "its tensors end at byte"),
        ("x.bin", b"", "is no GGUF file, no folder and no archive"),
        ("x.tar.bz2", packed(("../x", b"")), "leads outside"),
        ("x.tar.bz2", packed(("x", b"")), "nothing says what mine is"),
        ("x.tar.bz2", packed(("card.toml", b'name = "his"\nunit = "llm"')), "calls it his"),
        ("x.tar.bz2", packed(("card.toml", b'unit = "llm"')), "cannot be used: .*name is missing"),
    ],
)
def test_what_cannot_be_a_model_is_not_imported(
    models: Path, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    """One sentence, and no folder."""
    (tmp_path / name).write_bytes(content)

    with pytest.raises(PullFailed, match=words):
        import_model(tmp_path / name, models, "mine", ignore)

    assert not (models / "mine").exists()


def test_an_adapter_is_no_model(models: Path, tmp_path: Path) -> None:
    """It says where it belongs."""
    with pytest.raises(PullFailed, match="goes into the folder lora"):
        import_model(write_adapter(tmp_path / "pirate.gguf"), models, "mine", ignore)


def test_a_release_is_known_by_its_files(models: Path, tmp_path: Path) -> None:
    """As one that is unpacked into the models folder is."""
    names = ("tokens.txt", "encoder.onnx", "decoder.onnx", "joiner.onnx")
    (tmp_path / "x.tar.bz2").write_bytes(packed(*((f"zipformer/{name}", b"x") for name in names)))

    place = import_model(tmp_path / "x.tar.bz2", models, "mine", ignore)

    assert (place / "card.toml").read_text() == 'name = "mine"\nunit = "asr"\nengine = "sherpa-onnx"\n'


def test_a_file_that_is_not_there_is_told(models: Path, tmp_path: Path) -> None:
    """By its name."""
    with pytest.raises(PullFailed, match=r"no\.gguf: No such file"):
        import_model(tmp_path / "no.gguf", models, "mine", ignore)


def test_an_import_replaces_nothing(models: Path) -> None:
    """Whatever has the name stays."""
    import_model(BUNDLED, models, "mine", ignore)

    with pytest.raises(PullFailed, match="remove it first"):
        import_model(BUNDLED, models, "mine", ignore)
