"""Covers catalog: which card serves a name, and what lsmode shows."""

from dataclasses import replace
from pathlib import Path

import pytest

from unitd.core.models.catalog import (
    Card,
    Catalog,
)
from unitd.wire.errors import LoadFailed

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


# Models with vision


def test_a_model_with_vision_answers_for_one_with_vision() -> None:
    """One that was fetched, else the bundled one if it sees; without any the bundled one, as always."""
    meant = Card("internvl", "llm", capabilities=("vision",))
    eye = replace(QWEN_HERE, name="eye", aliases=(), projector_path=Path("/models/mmproj.gguf"))
    bundled_eye = replace(BUNDLED, projector_path=Path("/bundled/mmproj.gguf"))

    served = [
        Catalog([meant], installed, "unitd-chat").resolve("llm", "internvl").name
        for installed in ([eye, bundled_eye], [QWEN_HERE, bundled_eye], [QWEN_HERE, BUNDLED])
    ]

    assert served == ["eye", "unitd-chat", "unitd-chat"]
