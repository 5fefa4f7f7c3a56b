"""Covers unitd.doors.wyoming.info: what Home Assistant shows and offers."""

from dataclasses import replace
from pathlib import Path

import pytest

from unitd.core.models.catalog import Card, Catalog
from unitd.doors.wyoming.info import WHISPER_LANGUAGES, asr_model_for, describe
from units.asr import offline

ASR = Card("unitd-asr", "asr", languages=("en",), is_bundled=True)
TTS = Card("unitd-tts", "tts", languages=("en", "zh"), is_bundled=True)
CHAT = Card("unitd-chat", "llm", languages=("en",), is_bundled=True)
BUNDLED = (ASR, TTS, CHAT)
HERE = Path("/models")
WHISPER = Card("whisper-tiny", "asr", languages=("mul",), place=HERE)
SENSE = Card("sense-voice", "asr", languages=("zh", "ko"), place=HERE)
QWEN = Card("qwen2.5-0.5b", "llm", languages=("en", "zh", "fr"), place=HERE)
UNSAID = Card("my-voice", "tts", place=HERE)
IN_WORDS = Card("melotts", "tts", capabilities=("tts", "Japanese"), place=HERE)


def catalog(*installed: Card, default_llm: str = "unitd-chat") -> Catalog:
    """What is installed, and what only the catalogue knows."""
    return Catalog([replace(SENSE, name="known-only", place=None)], installed, default_llm)


def test_what_home_assistant_shows_is_the_boards_name() -> None:
    """It takes the names of the programs for the titles of entries and entities."""
    info = describe("kitchen", catalog(*BUNDLED), ["alexa"], switches_things=False)

    assert {each.name for each in (*info.asr, *info.tts, *info.handle, *info.wake)} == {"kitchen"}


def test_each_service_offers_the_languages_that_it_has() -> None:
    """Speech to text and voices: of every installed model. Answers: of the one model that gives them."""
    cards = (*BUNDLED, SENSE, QWEN, UNSAID, IN_WORDS)

    info = describe("kitchen", catalog(*cards, default_llm=QWEN.name), [], switches_things=False)

    assert {each.name: each.languages for each in info.asr[0].models} == {
        "unitd-asr": ["en"],
        "sense-voice": ["zh", "ko"],
    }
    assert {each.name: each.languages for each in info.tts[0].voices} == {
        "unitd-tts": ["en", "zh"],
        "my-voice": [],
        "melotts": ["ja"],
    }
    assert {each.name: each.languages for each in info.handle[0].models} == {QWEN.name: ["en", "zh", "fr"]}


def test_multilingual_models_offer_all_that_they_have() -> None:
    """Whisper's are known, which the unit would refuse otherwise; an llm without a language is offered for all."""
    qwen = replace(QWEN, languages=("en", "mul"))

    info = describe("kitchen", catalog(WHISPER, qwen, default_llm=QWEN.name), [], switches_things=False)

    assert info.asr[0].models[0].languages == list(WHISPER_LANGUAGES)
    assert set(WHISPER_LANGUAGES) == offline.LANGUAGES["whisper"]
    assert info.handle[0].models[0].languages == []


def test_a_board_without_its_model_offers_no_answers() -> None:
    """The others are there."""
    info = describe("kitchen", catalog(ASR, TTS, default_llm="gone"), [], switches_things=False)

    assert (len(info.asr), len(info.tts), info.handle) == (1, 1, [])


def test_wake_words_are_offered_by_the_names_that_satellites_send() -> None:
    """And shown as they are said."""
    info = describe("kitchen", catalog(*BUNDLED), ["hey_jarvis", "ok nabu"], switches_things=False)

    assert [(each.name, each.phrase) for each in info.wake[0].models] == [
        ("hey_jarvis", "hey jarvis"),
        ("ok nabu", "ok nabu"),
    ]


@pytest.mark.parametrize(
    ("name", "language", "heard_by"),
    [
        (None, None, ("unitd-asr", None)),
        (None, "en", ("unitd-asr", "en")),
        (None, "en-US", ("unitd-asr", "en")),
        (None, "de", ("whisper-tiny", "de")),
        (None, "zh-CN", ("sense-voice", "zh")),
        (None, "tlh", ("unitd-asr", "tlh")),
        ("whisper-tiny", "en-GB", ("whisper-tiny", "en")),
        ("sense-voice", "de", ("sense-voice", "de")),
        ("known-only", "zh", ("known-only", "zh")),
    ],
)
def test_a_language_finds_a_model_that_understands_it(
    name: str | None, language: str | None, heard_by: tuple[str, str | None]
) -> None:
    """Home Assistant names no model; what nobody understands is left to the unit, which refuses it in words."""
    cards = catalog(SENSE, WHISPER, *BUNDLED)

    assert asr_model_for(cards, name, language) == heard_by
