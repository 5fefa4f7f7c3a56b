"""Covers catalog: which card serves a name, what lsmode shows, how a card is read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unitd.core.models.catalog import (
    Card,
    Catalog,
    ModelFile,
    read_card,
)
from unitd.core.models.gguf import Shape
from unitd.wire.errors import ConfigError, LoadFailed

BUNDLED = Card(
    "unitd-chat",
    "llm",
    "llama",
    capabilities=("chat",),
    input_type=("llm.utf-8",),
    output_type=("llm.utf-8",),
    defaults={"temperature": 0.0},
    is_bundled=True,
    path=Path("/bundled/unitd-chat.gguf"),
)
NO_EARS = Card("unitd-kws", "kws", "none", note="no ears", is_bundled=True)
QWEN = Card(
    "qwen2.5-0.5b",
    "llm",
    "llama",
    aliases=("qwen2.5-0.5B-prefill-20e", "qwen2.5-0.5B-p256-ax630c"),
    homepage="https://example.org/qwen",
    capabilities=("text_generation",),
    defaults={"top_k": 20},
)
QWEN_HERE = Card(**{**QWEN.__dict__, "path": Path("/models/qwen.gguf")})
KEYWORDS = Card("gigaspeech", "kws", aliases=("sherpa-onnx-kws-gigaspeech",))
WHISPER = Card("whisper-tiny", "asr")


def catalog(*installed: Card, default_llm: str = "unitd-chat") -> Catalog:
    """A catalog with three known cards and these installed ones."""
    return Catalog([QWEN, KEYWORDS, WHISPER], installed, default_llm)


# The happy day


@pytest.mark.parametrize("name", [QWEN.name, *QWEN.aliases])
def test_a_name_finds_the_installed_model(name: str) -> None:
    """By its own name and by the names that the original's clients send."""
    assert catalog(QWEN_HERE, BUNDLED).resolve("llm", name) == QWEN_HERE


@pytest.mark.parametrize("name", [QWEN.name, *QWEN.aliases])
def test_a_missing_model_is_replaced_with_a_note(name: str) -> None:
    """The bundled model of the same unit answers, and says so."""
    card = catalog(BUNDLED, NO_EARS).resolve("llm", name)

    assert (card.name, card.path) == (BUNDLED.name, BUNDLED.path)
    assert card.note == f"{name} is not installed, unitd-chat answers in its place"


def test_a_substitute_keeps_its_own_note() -> None:
    """What a user should know of the bundled model stands behind the reason."""
    card = catalog(BUNDLED, NO_EARS).resolve("kws", "sherpa-onnx-kws-gigaspeech")

    assert card.note == "sherpa-onnx-kws-gigaspeech is not installed, unitd-kws answers in its place; no ears"


def test_the_bundled_model_has_a_name_of_its_own() -> None:
    """Who asks for it gets it without a note."""
    assert catalog(BUNDLED).resolve("llm", "unitd-chat") == BUNDLED


@pytest.mark.parametrize(("default_llm", "expected"), [("unitd-chat", BUNDLED), (QWEN.aliases[0], QWEN_HERE)])
def test_default_is_the_configured_model(default_llm: str, expected: Card) -> None:
    """The configuration may name it by an alias, too."""
    assert catalog(QWEN_HERE, BUNDLED, default_llm=default_llm).resolve("llm", "default") == expected


def test_the_first_installed_model_of_a_name_wins() -> None:
    """Folders are looked through in order."""
    second = Card("qwen2.5-0.5b", "llm", path=Path("/other/qwen.gguf"))

    assert catalog(QWEN_HERE, second, BUNDLED).resolve("llm", QWEN.name) == QWEN_HERE


def test_a_model_is_found_by_exactly_its_name() -> None:
    """rmmode must not remove by alias."""
    models = catalog(QWEN_HERE, BUNDLED)

    assert models.find_installed(QWEN.name) == QWEN_HERE
    assert models.find_installed(QWEN.aliases[0]) is None
    assert models.find_installed(KEYWORDS.name) is None


def test_an_installed_model_of_a_name_comes_before_one_that_is_only_known() -> None:
    """A mode file of the original makes its name known; the real model has it as an alias."""
    known = Card(QWEN.aliases[0], "llm", defaults={"tokenizer_type": 2})

    assert Catalog([known], [QWEN_HERE, BUNDLED], "unitd-chat").resolve("llm", QWEN.aliases[0]) == QWEN_HERE


def test_a_voice_that_is_installed_takes_its_names_from_the_bundled_one() -> None:
    """Both answer to what the original's clients send; to fetch is the real one."""
    bundled = Card("unitd-tts", "tts", aliases=("melotts-zh-cn",), is_bundled=True)
    real = Card("melotts-zh", "tts", aliases=("melotts-zh-cn",))
    here = replace(real, place=Path("/models/melotts-zh"))

    assert Catalog([real], [bundled], "").resolve("tts", "melotts-zh-cn") == bundled
    assert Catalog([real], [bundled], "").find("melotts-zh-cn") == real
    assert Catalog([real], [here, bundled], "").resolve("tts", "melotts-zh-cn") == here


# lsmode


def test_only_the_whole_list_holds_what_nobody_has_and_no_old_client_asks_for() -> None:
    """A serial line carries the short one in the time that clients wait."""
    asked_for = Card("qwen", "llm", aliases=("qwen-0.5B-20e", "qwen-0.5B-ax650"), sent_names=("qwen-0.5B-20e",))
    models = Catalog([asked_for, Card("newer", "llm")], [Card("unitd-chat", "llm", is_bundled=True)], "unitd-chat")

    short, whole = ([row["mode"] for row in models.listing(is_whole=each)] for each in (False, True))

    assert short == ["unitd-chat", "qwen-0.5B-20e"]
    assert whole == ["unitd-chat", "qwen", "qwen-0.5B-20e", "qwen-0.5B-ax650", "newer"]


def test_a_name_that_several_cards_have_is_listed_once() -> None:
    """With the model that serves it."""
    bundled = Card("unitd-tts", "tts", aliases=("melotts-zh-cn",), is_bundled=True)
    here = Card("melotts-zh", "tts", aliases=("melotts-zh-cn",), place=Path("/models/melotts-zh"))

    rows = [row for row in Catalog([], [here, bundled], "").listing(is_whole=True) if row["mode"] == "melotts-zh-cn"]

    assert [(row["model"], row["installed"]) for row in rows] == [("melotts-zh", True)]


def test_what_a_model_is_stands_once_beside_its_own_name() -> None:
    """Its other names are listed without: a serial line carries all of this."""
    described = replace(QWEN_HERE, description="half a billion", licence="Apache-2.0", context_length=32768)

    rows = {row["mode"]: row for row in Catalog([], [described], "").listing(is_whole=True)}

    assert (rows[QWEN.name]["description"], rows[QWEN.name]["context_length"]) == ("half a billion", 32768)
    assert "description" not in rows[QWEN.aliases[0]]


def test_the_listing_has_the_original_s_shape() -> None:
    """uiflow keeps what has `type` and `mode`; three keys more say whose name it is and which model serves it."""
    [row] = Catalog([], [QWEN_HERE], "unitd-chat").listing(is_whole=True)[:1]

    assert row == {
        "mode": "qwen2.5-0.5b",
        "card": "qwen2.5-0.5b",
        "type": "llm",
        "homepage": "https://example.org/qwen",
        "capabilities": ["text_generation"],
        "input_type": [],
        "output_type": [],
        "mode_param": {"top_k": 20},
        "model": "qwen2.5-0.5b",
        "installed": True,
    }


def test_a_substitute_is_listed_as_what_will_run() -> None:
    """The name that was asked for, the inputs and defaults of the model that answers, and a note."""
    rows = {row["mode"]: row for row in catalog(BUNDLED).listing(is_whole=True)}

    assert rows[QWEN.aliases[0]] == {
        "mode": "qwen2.5-0.5B-prefill-20e",
        "card": "qwen2.5-0.5b",
        "type": "llm",
        "capabilities": ["text_generation"],
        "input_type": ["llm.utf-8"],
        "output_type": ["llm.utf-8"],
        "mode_param": {"temperature": 0.0},
        "model": "unitd-chat",
        "installed": False,
        "note": "qwen2.5-0.5B-prefill-20e is not installed, unitd-chat answers in its place",
    }


@pytest.mark.parametrize("installed", [(BUNDLED, NO_EARS), (QWEN_HERE, BUNDLED, NO_EARS)], ids=["fresh", "with qwen"])
def test_every_name_that_works_is_listed(installed: tuple[Card, ...]) -> None:
    """What a client may send, aliases included, whether the model is installed or replaced."""
    names = [row["mode"] for row in catalog(*installed).listing(is_whole=True)]

    assert sorted(names) == sorted(
        ["unitd-chat", "unitd-kws", QWEN.name, *QWEN.aliases, KEYWORDS.name, *KEYWORDS.aliases]
    )


def test_what_nothing_can_serve_is_not_listed() -> None:
    """A known model that is not here and has no substitute would only disappoint."""
    assert "whisper-tiny" not in [row["mode"] for row in catalog(BUNDLED).listing(is_whole=True)]


# The damage


@pytest.mark.parametrize(
    ("unit", "name"),
    [("llm", "gpt-9"), ("llm", ""), ("llm", "QWEN2.5-0.5B"), ("llm", "gigaspeech"), ("kws", "default")],
)
def test_an_unknown_name_is_refused_with_the_known_ones(unit: str, name: str) -> None:
    """The answer is -5 and lists what there is for this unit."""
    with pytest.raises(LoadFailed, match=r"^Model loading failed\. there is no .* here; sys\.lsmode lists") as caught:
        catalog(BUNDLED, NO_EARS).resolve(unit, name)

    assert caught.value.code == -5
    assert {"llm": "qwen2.5-0.5b, unitd-chat", "kws": "gigaspeech, unitd-kws"}[unit] in str(caught.value)


def test_a_name_of_another_unit_is_refused_with_that_unit() -> None:
    """An ear's model is no language model."""
    with pytest.raises(LoadFailed, match=r"no llm model 'sherpa-onnx-kws-gigaspeech' \(it is one for kws\) here"):
        catalog(BUNDLED, NO_EARS).resolve("llm", "sherpa-onnx-kws-gigaspeech")


def test_who_misses_a_model_is_told_which_cards_are_damaged() -> None:
    """One of them may be the one that is meant; who gets a model hears nothing of it."""
    models = Catalog([], [BUNDLED], "unitd-chat", ["/models/mine/card.toml is no model card: unknown key flavour"])

    with pytest.raises(LoadFailed, match=r"no llm model 'mine' \(/models/mine/card\.toml .* flavour\) here"):
        models.resolve("llm", "mine")
    assert models.resolve("llm", "unitd-chat") == BUNDLED


def test_a_unit_without_models_says_so() -> None:
    """No list, but the word none."""
    with pytest.raises(LoadFailed, match=r"sys\.lsmode lists none$"):
        catalog(BUNDLED).resolve("tts", "any")


def test_a_missing_model_without_a_substitute_is_refused() -> None:
    """Nothing of this unit is bundled."""
    with pytest.raises(LoadFailed, match="the model 'whisper-tiny' is not installed"):
        catalog(BUNDLED).resolve("asr", "whisper-tiny")


# Cards

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
    """One of them would take the list away from everybody."""
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
    """Nor may one lead out of the folder that it is meant for."""
    part = {key: value for key, value in (HUB_PART | change).items() if value is not None}

    with pytest.raises(ConfigError, match=rf"card\.toml: files\[0\]: {words}"):
        read_card({"name": "tiny", "unit": "llm", "files": [part]}, "card.toml")


@pytest.mark.parametrize("file", ["../tiny.gguf", "/tiny.gguf", "."])
def test_a_main_file_lies_in_the_models_folder(file: str) -> None:
    """By its name: links in the folder are its owner's."""
    with pytest.raises(ConfigError, match=r"card\.toml: file lies outside the model's folder"):
        read_card({"name": "tiny", "unit": "llm", "file": file}, "card.toml")


def test_a_main_file_is_one_of_those_to_fetch() -> None:
    """What is inside an archive cannot be known before."""
    card = {"name": "tiny", "unit": "llm", "file": "other.gguf"}
    archive = {"path": "tiny.tar.bz2", "url": "https://example.org/tiny.tar.bz2"}

    assert read_card(card | {"files": [archive]}, "card.toml").file == "other.gguf"
    with pytest.raises(ConfigError, match=r"file is other\.gguf, which is none of files"):
        read_card(card | {"files": [HUB_PART]}, "card.toml")


def test_a_shape_is_whole() -> None:
    """Half of one tells no memory."""
    with pytest.raises(ConfigError, match=r"card\.toml: shape: width is missing"):
        read_card({"name": "tiny", "unit": "llm", "shape": {"layers": 1}}, "card.toml")
