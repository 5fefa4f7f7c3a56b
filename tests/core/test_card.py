"""Covers catalog: how a card is read, and what is refused by its name."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unitd.core.models.catalog import (
    Card,
    ModelFile,
    read_card,
)
from unitd.core.models.gguf import Shape
from unitd.wire.errors import ConfigError

WHOLE_CARD: dict[str, Any] = {
    "name": "tiny",
    "unit": "llm",
    "engine": "llama",
    "file": "tiny.gguf",
    "aliases": ["a", "b"],
    "description": "small",
    "homepage": "https://example.org",
    "note": "slow",
    "exact": True,
    "capabilities": ["chat"],
    "input_type": ["llm.utf-8"],
    "output_type": ["llm.utf-8.stream"],
    "defaults": {"temperature": 0.5},
    "licence": "MIT",
    "languages": ["en", "de"],
    "parameters": 1_800_000,
    "good_for": "tests",
    "chat_template": "{{ messages }}",
    "architecture": "llama",
    "context_length": 2048,
    "shape": {"layers": 1, "width": 2, "hidden": 3, "heads": 4, "cached_values": 5},
    "files": [
        {"path": "tiny.gguf", "repository": "someone/tiny", "revision": "abc", "size": 7, "sha256": "0" * 64},
        {"path": "voice.tar.bz2", "url": "https://example.org/voice.tar.bz2"},
    ],
}
HUB_PART = {"path": "tiny.gguf", "repository": "someone/tiny"}


def test_a_whole_card_is_read() -> None:
    """Every key has its place; the file is the caller's matter."""
    assert read_card(WHOLE_CARD, "card.toml") == Card(
        "tiny",
        "llm",
        "llama",
        ("a", "b"),
        "small",
        "https://example.org",
        "slow",
        True,
        ("chat",),
        ("llm.utf-8",),
        ("llm.utf-8.stream",),
        {"temperature": 0.5},
        file="tiny.gguf",
        parts=(
            ModelFile("tiny.gguf", "someone/tiny", "abc", size=7, sha256="0" * 64),
            ModelFile("voice.tar.bz2", url="https://example.org/voice.tar.bz2"),
        ),
        licence="MIT",
        languages=("en", "de"),
        parameters=1_800_000,
        good_for="tests",
        chat_template="{{ messages }}",
        architecture="llama",
        context_length=2048,
        shape=Shape(1, 2, 3, 4, 5),
    )


@pytest.mark.parametrize(("sizes", "download"), [((7, 5), 12), ((7, 0), 0), ((), 0)])
def test_a_download_is_as_large_as_all_its_parts(sizes: tuple[int, ...], download: int) -> None:
    """Unknown as soon as one of them is."""
    parts = tuple(ModelFile(f"{number}.onnx", "someone/voice", size=size) for number, size in enumerate(sizes))

    assert Card("voice", "tts", parts=parts).download_bytes == download


def test_files_to_fetch_are_not_files_that_are_here() -> None:
    """A card of the catalogue names its main file, and is installed only when that lies on the disk."""
    card = read_card({"name": "tiny", "unit": "llm", "file": "tiny.gguf", "files": [HUB_PART]}, "card.toml")

    assert (card.file, card.path, card.is_installed) == ("tiny.gguf", None, False)


def test_a_card_needs_a_name_and_a_unit() -> None:
    """The rest has defaults."""
    card = read_card({"name": "tiny", "unit": "llm"}, "card.toml")

    assert (card.engine, card.aliases, card.defaults, card.exact, card.is_installed) == ("", (), {}, False, False)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"unit": "llm"}, "card.toml: name is missing"),
        ({"name": "tiny"}, "card.toml: unit is missing"),
        ({"name": "tiny", "unit": "llm", "alias": []}, "card.toml: unknown key alias"),
        ({}, "card.toml: name is missing"),
    ],
)
def test_a_card_that_cannot_be_used_is_refused_by_name(document: dict[str, Any], sentence: str) -> None:
    """The sentence names the card and the key."""
    with pytest.raises(ConfigError, match=sentence):
        read_card(document, "card.toml")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", 5),
        ("unit", ["llm"]),
        ("aliases", "qwen"),
        ("aliases", 5),
        ("aliases", [5]),
        ("capabilities", "chat"),
        ("exact", "no"),
        ("defaults", [1]),
        ("defaults", "none"),
        ("file", 5),
        ("languages", "en"),
        ("parameters", "many"),
        ("parameters", True),
        ("context_length", -1),
        ("shape", [1]),
        ("files", {"path": "tiny.gguf"}),
        ("files", ["tiny.gguf"]),
    ],
)
def test_a_card_s_value_of_another_type_is_refused_by_name(key: str, value: Any) -> None:
    """A text is no list of its letters, and a word is not true."""
    with pytest.raises(ConfigError, match=f"card.toml: .*{key}"):
        read_card(WHOLE_CARD | {key: value}, "card.toml")


@pytest.mark.parametrize("value", [2**64, json.loads("[" * 300 + "]" * 300)], ids=["large", "deep"])
def test_a_card_holds_nothing_that_cannot_be_listed(value: Any) -> None:
    """One such value would make the list of models fail for everybody."""
    with pytest.raises(ConfigError, match=r"card\.toml: it holds what JSON cannot"):
        read_card(WHOLE_CARD | {"defaults": {"seed": value}}, "card.toml")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"path": None}, "path is missing"),
        ({"path": "../tiny.gguf"}, "path lies outside the model's folder"),
        ({"path": "/etc/passwd"}, "path lies outside the model's folder"),
        ({"path": "a/../../b"}, "path lies outside the model's folder"),
        ({"path": ""}, "path lies outside the model's folder"),
        ({"repository": None}, "either repository or url must be there"),
        ({"url": "https://example.org/tiny.gguf"}, "either repository or url must be there"),
        ({"sha256": "short"}, "sha256 must be 64 hexadecimal digits"),
        ({"sha256": "A" * 64}, "sha256 must be 64 hexadecimal digits in lower case"),
        ({"size": -1}, "size must not be below 0"),
        ({"mirror": "https://example.org"}, "unknown key mirror"),
    ],
)
def test_a_file_that_cannot_be_fetched_is_refused_by_name(change: dict[str, Any], words: str) -> None:
    """A path that leads out of the model's folder is refused as well."""
    part = {key: value for key, value in (HUB_PART | change).items() if value is not None}

    with pytest.raises(ConfigError, match=rf"card\.toml: files\[0\]: {words}"):
        read_card({"name": "tiny", "unit": "llm", "files": [part]}, "card.toml")


@pytest.mark.parametrize("file", ["../tiny.gguf", "/tiny.gguf", "."])
def test_a_main_file_lies_in_the_models_folder(file: str) -> None:
    """By its name: links in the folder are its owner's."""
    with pytest.raises(ConfigError, match=r"card\.toml: file lies outside the model's folder"):
        read_card({"name": "tiny", "unit": "llm", "file": file}, "card.toml")


def test_a_main_file_is_one_of_those_to_fetch() -> None:
    """Only an archive may hold it under a name that the card does not list."""
    card = {"name": "tiny", "unit": "llm", "file": "other.gguf"}
    archive = {"path": "tiny.tar.bz2", "url": "https://example.org/tiny.tar.bz2"}

    assert read_card(card | {"files": [archive]}, "card.toml").file == "other.gguf"
    with pytest.raises(ConfigError, match=r"file is other\.gguf, which is none of files"):
        read_card(card | {"files": [HUB_PART]}, "card.toml")


def test_a_shape_is_whole() -> None:
    """Half of one tells no memory."""
    with pytest.raises(ConfigError, match=r"card\.toml: shape: width is missing"):
        read_card({"name": "tiny", "unit": "llm", "shape": {"layers": 1}}, "card.toml")


def test_a_projector_is_one_of_the_files_to_fetch() -> None:
    """A model sees with it when it is here; a server says so itself."""
    card = {"name": "tiny", "unit": "llm", "file": "tiny.gguf", "projector": "mmproj.gguf"}
    with pytest.raises(ConfigError, match=r"projector is mmproj\.gguf, which is none of files"):
        read_card(card | {"files": [HUB_PART]}, "card.toml")
    with pytest.raises(ConfigError, match=r"projector lies outside the model's folder"):
        read_card(card | {"projector": "../mmproj.gguf"}, "card.toml")
    whole = card | {"files": [HUB_PART, HUB_PART | {"path": "mmproj.gguf"}]}
    with pytest.raises(ConfigError, match=r"vision_lora is lora\.gguf, which is none of files"):
        read_card(whole | {"vision_lora": "lora.gguf"}, "card.toml")
    read = read_card(whole, "card.toml")

    assert not read.has_vision
    assert replace(read, projector_path=Path("mmproj.gguf")).has_vision
    assert Card("far", "llm", capabilities=("vision",), engine_options={"base_url": "http://far/v1"}).has_vision
