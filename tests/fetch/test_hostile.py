"""Covers fetch.integrity, fetch.archive and core.models.gguf_check: nothing bad is ever installed."""

import gzip
import io
import random
import struct
import tarfile
from dataclasses import replace
from pathlib import Path

import gguf as ggml
import pytest

from tests.fetch.conftest import Pull
from tests.support.models.model_files import card_of, gguf, offer, packed, release, sha256
from tests.support.servers.local_hub import LocalHub
from unitd.core.models.gguf_check import BLOCKS, check_tensors
from unitd.fetch.archive import unpack
from unitd.fetch.failures import PullFailed
from unitd.fetch.integrity import verify

BUNDLED = Path("units/models/unitd-chat/unitd-chat.gguf")


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    """A member that is no plain file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where an archive is unpacked to; beside it lies what it must not touch."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


# Files that are not what was announced


def test_other_bytes_are_refused(hub: LocalHub, pulled: Pull, models: Path) -> None:
    """A file of the right size with another hash is refused."""
    good = gguf()
    card = card_of(offer(hub, "x.gguf", good[:-1] + b"!"))
    hub.files["me/model/x.gguf"].says_etag = sha256(good)

    with pytest.raises(PullFailed, match=f"it should be {sha256(good)}"):
        pulled(card)

    assert not (models / "small").exists()


def test_other_bytes_of_a_small_file_are_refused(hub: LocalHub, pulled: Pull) -> None:
    """Its etag is git's hash."""
    part = offer(hub, "config.json", b"{}", is_large=False)
    hub.files["me/model/config.json"].says_etag = "0" * 40

    with pytest.raises(PullFailed, match=f"the hub says {'0' * 40}"):
        pulled(card_of(part))


def test_a_file_that_was_swapped_is_refused_before_it_comes(hub: LocalHub, pulled: Pull) -> None:
    """The hub names another hash than the catalogue, or another size."""
    part = offer(hub, "x.gguf", gguf())

    with pytest.raises(PullFailed, match="the catalogue says 000"):
        pulled(card_of(replace(part, sha256="0" * 64)))
    with pytest.raises(PullFailed, match="the catalogue says 17: it is another file"):
        pulled(card_of(replace(part, size=17)))

    assert hub.sent == 0


def test_a_truncated_file_is_refused(hub: LocalHub, pulled: Pull) -> None:
    """The hub announced more than its storage has."""
    card = card_of(offer(hub, "x.gguf", gguf()))
    hub.files["me/model/x.gguf"].says_size = 5000

    with pytest.raises(PullFailed, match="has 4064 bytes at last, 5000 were announced"):
        pulled(card)


def test_an_archive_with_another_hash_is_not_even_opened(hub: LocalHub, pulled: Pull) -> None:
    """The hash is checked before the archive is opened."""
    part = replace(release(hub, "x.tar.bz2", packed(("../x", b""))), sha256="0" * 64)

    with pytest.raises(PullFailed, match=f"it should be {'0' * 64}"):
        pulled(card_of(part, file="x"))


def test_a_model_without_its_main_file_is_refused(hub: LocalHub, pulled: Pull) -> None:
    """An archive that holds something else."""
    part = release(hub, "x.tar.bz2", packed(("readme", b"")))

    with pytest.raises(PullFailed, match=r"came without encoder\.onnx"):
        pulled(card_of(part, file="encoder.onnx"))


# GGUF files


HOSTILE = {
    "no GGUF": b"<!DOCTYPE html><p>Not found" + bytes(100),
    "of version 4026531840": gguf()[:4] + struct.pack("<I", 0xF0000000) + gguf()[8:],
    f"claims {2**60} tensors": gguf(tensors=2**60),
    "in the middle of its header": gguf(tensors=2)[:60],
    "its tensors end at byte": gguf()[:-1],
    f"end at byte {64 + 2**50 + 4000}": gguf(offset=2**50),
    "where the format wants it": gguf(offset=7),
    "of the unknown type 99": gguf(kind=99),
    "rows of 1000 weights": gguf(kind=2),
}


@pytest.mark.parametrize("words", HOSTILE)
def test_a_hostile_gguf_is_refused(hub: LocalHub, pulled: Pull, models: Path, words: str) -> None:
    """With the hub's blessing: its hash is right."""
    with pytest.raises(PullFailed, match=rf"x\.gguf is refused: .*{words}"):
        pulled(card_of(offer(hub, "x.gguf", HOSTILE[words])))

    assert not (models / "small").exists()
    assert not (models / ".incoming" / "small" / "model").exists()


def test_a_gguf_in_an_archive_is_looked_through_too(hub: LocalHub, pulled: Pull) -> None:
    """Wherever it lies."""
    part = release(hub, "x.tar.bz2", packed(("a/b/x.gguf", gguf(tensors=2**60))))

    with pytest.raises(PullFailed, match=r"x\.gguf is refused: its header claims"):
        pulled(card_of(part, file="b/x.gguf"))


def test_an_archive_does_not_say_what_it_is(hub: LocalHub, pulled: Pull) -> None:
    """A card of its own could send questions, and a file of this board as the key, to somebody's server."""
    own = b'name = "small"\nunit = "llm"\nbase_url = "http://example.org/v1"\napi_key_file = "/etc/shadow"\n'
    archive = packed(("encoder.onnx", b"weights"), ("card.toml", own))

    place = pulled(card_of(release(hub, "x.tar.bz2", archive), file="encoder.onnx"))

    assert "example.org" not in (place / "card.toml").read_text()
    assert verify(place) == []


def test_a_header_that_aligns_to_nothing_is_refused() -> None:
    """Everything would be divided by it."""
    key = struct.pack("<Q17sII", 17, b"general.alignment", 4, 0)
    file = struct.pack("<4sIQQ", b"GGUF", 3, 0, 1) + key

    with pytest.raises(ValueError, match="aligns tensors to 0 bytes"):
        check_tensors(io.BytesIO(file), len(file))


def test_the_bundled_model_is_in_order() -> None:
    """A real one, with tensors of three types."""
    with BUNDLED.open("rb") as file:
        check_tensors(file, BUNDLED.stat().st_size)


def test_types_are_as_large_as_the_format_says() -> None:
    """All that the format's own library knows."""
    assert {int(kind): size for kind, size in ggml.GGML_QUANT_SIZES.items()} == BLOCKS


@pytest.mark.parametrize("seed", range(20))
def test_whatever_a_header_says_it_is_a_sentence(seed: int) -> None:
    """Bytes of the bundled model's header, changed at random."""
    chance, content = random.Random(seed), bytearray(BUNDLED.read_bytes()[:4096])
    for _ in range(8):
        content[chance.randrange(4, 4096)] = chance.randrange(256)

    with pytest.raises(ValueError):
        check_tensors(io.BytesIO(content), len(content))


# Archives


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ("../secret", "leads outside"),
        ("a/../../secret", "leads outside"),
        ("/tmp/secret", "leads outside"),
        ("a\nb", "cannot be shown"),
        (special("link", tarfile.SYMTYPE, "../secret"), "is a link, a device or sparse"),
        (special("link", tarfile.LNKTYPE, "../secret"), "is a link, a device or sparse"),
        (special("pipe", tarfile.FIFOTYPE), "is a link, a device or sparse"),
        (special("disk", tarfile.BLKTYPE), "is a link, a device or sparse"),
    ],
)
def test_what_no_model_needs_is_refused(folder: Path, member: str | tarfile.TarInfo, words: str) -> None:
    """Names that lead outside, links, devices."""
    archive = folder.parent / "x.tar.bz2"
    archive.write_bytes(packed((member, b"changed")))

    with pytest.raises(PullFailed, match=words):
        unpack(archive, folder, "x.tar.bz2")

    assert (folder.parent / "secret").read_text() == "secret"
    assert not Path("/tmp/secret").exists()


@pytest.mark.parametrize("names", [("a", "a"), ("a", "a/b"), ("a/b", "a")])
def test_a_name_that_comes_twice_is_refused(folder: Path, names: tuple[str, str]) -> None:
    """The second would write through the first."""
    archive = folder.parent / "x.tar.bz2"
    archive.write_bytes(packed((names[0], b"first"), (names[1], b"second")))

    with pytest.raises(PullFailed, match="twice"):
        unpack(archive, folder, "x.tar.bz2")


def test_a_bomb_is_refused_before_it_fills_the_disk(folder: Path) -> None:
    """A hundred megabytes of nothing, in a few hundred bytes."""
    archive = folder.parent / "x.tar.bz2"
    archive.write_bytes(packed(("zeros", bytes(100_000_000))))

    with pytest.raises(PullFailed, match="unpacks to more than"):
        unpack(archive, folder, "x.tar.bz2")

    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 20_000_000


def test_a_header_that_would_fill_the_memory_is_refused(folder: Path) -> None:
    """tarfile reads an extended header whole."""
    header = special("x", tarfile.XHDTYPE)
    header.size = 2**40
    archive = folder.parent / "x.tar.gz"
    archive.write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + bytes(1024)))

    with pytest.raises(PullFailed, match="has a header of 1099511627776 bytes"):
        unpack(archive, folder, "x.tar.gz")


@pytest.mark.parametrize(
    "headers",
    [
        {"GNU.sparse.map": "abc"},
        {"size": "9" * 4000},
    ],
    ids=["no number", "a number that nothing has"],
)
def test_an_absurd_header_is_told(folder: Path, headers: dict[str, str]) -> None:
    """tarfile believes what it reads there, and stumbles."""
    member = tarfile.TarInfo("x")
    member.pax_headers = headers
    archive = folder.parent / "x.tar.gz"
    archive.write_bytes(gzip.compress(member.tobuf(tarfile.PAX_FORMAT) + bytes(1024)))

    with pytest.raises(PullFailed, match="is damaged"):
        unpack(archive, folder, "x.tar.gz")


def test_headers_without_end_are_told(folder: Path) -> None:
    """Each only announces the next, and tarfile follows them."""
    member = tarfile.TarInfo("x")
    member.pax_headers = {"comment": "more"}
    announcement = member.tobuf(tarfile.PAX_FORMAT)[: -tarfile.BLOCKSIZE]
    archive = folder.parent / "x.tar.gz"
    archive.write_bytes(gzip.compress(announcement * 3000 + bytes(1024)))

    with pytest.raises(PullFailed, match="is damaged"):
        unpack(archive, folder, "x.tar.gz")


@pytest.mark.parametrize("size", [0, 1, 5, 60, 100])
def test_a_damaged_archive_is_told(folder: Path, size: int) -> None:
    """Cut off anywhere."""
    archive = folder.parent / "x.tar.bz2"
    archive.write_bytes(packed(("x", bytes(range(256)) * 100))[:size])

    with pytest.raises(PullFailed, match=r"is damaged|is no archive"):
        unpack(archive, folder, "x.tar.bz2")
