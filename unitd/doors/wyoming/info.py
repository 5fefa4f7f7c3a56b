"""The info message for clients: the services with their models."""

from collections.abc import Iterable
from typing import Any

from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    HandleModel,
    HandleProgram,
    Info,
    TtsProgram,
    TtsVoice,
    WakeModel,
    WakeProgram,
)

from unitd import __version__
from unitd.core.models.catalog import Card, Catalog
from unitd.core.tasks.kinds import DEFAULT_NAME
from unitd.wire.errors import LoadFailed

OURS = Attribution("unitd", "")
USUAL_ASR = "unitd-asr"
MULTILINGUAL = "mul"
"""The tag of a card whose model knows more languages than the card lists."""

TOLD_BY_LETTERS = ("en", "zh", "ja", "ko", "ru")
"""The languages that the bundled voice detects by the letters of a text; it speaks others if the setup names them."""

_IN_WORDS = {"English": "en", "Chinese": "zh", "Japanese": "ja", "German": "de", "French": "fr", "Spanish": "es"}

_WHISPER = """
en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk
te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo
ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su
"""
WHISPER_LANGUAGES = tuple(_WHISPER.split())
"""The languages of multilingual speech to text; all such models are Whisper's."""


def describe(board: str, catalog: Catalog, wake_words: Iterable[str], *, switches_things: bool) -> Info:
    """Return the info message of this board; only what is installed and in use is offered.

    Home Assistant uses the programs' names for titles and entities, so they are the board's name.
    """
    installed = [card for card in catalog.cards if card.is_installed]
    asr = [AsrModel(**_artifact(card), languages=heard_languages(card)) for card in installed if card.unit == "asr"]
    voices = [TtsVoice(**_artifact(card), languages=spoken_languages(card)) for card in installed if card.unit == "tts"]
    wakes = [_wake_model(word) for word in wake_words]
    return Info(
        asr=[
            AsrProgram(
                **_named(board, "Speech to text on this board"),
                models=asr,
                supports_transcript_streaming=True,
                requires_external_vad=False,
            )
        ],
        tts=[TtsProgram(**_named(board, "A voice on this board"), voices=voices, supports_synthesize_streaming=True)],
        handle=_handle_programs(board, catalog, switches_things=switches_things),
        wake=[WakeProgram(**_named(board, "Wake words on this board"), models=wakes)],
    )


def _handle_programs(board: str, catalog: Catalog, *, switches_things: bool) -> list[HandleProgram]:
    """Return the program that answers with the default model, as a list; [] when there is no such model."""
    try:
        card = catalog.resolve("llm", DEFAULT_NAME)
    except LoadFailed:
        return []
    # Home Assistant offers a model without languages for all of them.
    languages = [] if MULTILINGUAL in card.languages else _languages(card)
    return [
        HandleProgram(
            **_named(board, "Answers by a language model on this board"),
            models=[HandleModel(**_artifact(card), languages=languages)],
            supports_handled_streaming=True,
            supports_home_control=switches_things,
        )
    ]


def _named(name: str, description: str) -> dict[str, Any]:
    """Return the fields of every artifact."""
    return {
        "name": name,
        "description": description,
        "attribution": OURS,
        "installed": True,
        "version": __version__,
    }


def _artifact(card: Card) -> dict[str, Any]:
    homepage = card.homepage or OURS.url
    return _named(card.name, card.note or card.name) | {"attribution": Attribution(card.name, homepage)}


def _wake_model(word: str) -> WakeModel:
    """Return a wake word under the name that satellites use; the bundled engine knows English."""
    phrase = word.replace("_", " ")
    return WakeModel(**_named(word, f'Wakes at "{phrase}"'), languages=["en"], phrase=phrase)


def _languages(card: Card) -> list[str]:
    """Return the languages that a card lists, else those that a card of the original has in words."""
    said = [_IN_WORDS[each] for each in card.capabilities if each in _IN_WORDS]
    return [tag for tag in card.languages if tag != MULTILINGUAL] or said


def spoken_languages(card: Card) -> list[str]:
    """Return the languages that a voice speaks for a text alone, which is all that Home Assistant sends."""
    return list(TOLD_BY_LETTERS) if card.engine == "auto" else _languages(card)


def heard_languages(card: Card) -> list[str]:
    """Return the languages that a model of speech to text knows; [] when its card does not tell."""
    return list(WHISPER_LANGUAGES) if MULTILINGUAL in card.languages else _languages(card)


def asr_model_for(catalog: Catalog, name: str | None, language: str | None) -> tuple[str, str | None]:
    """Return the model of speech to text for a request, and the tag of the language for that model.

    Home Assistant names a language and no model: the result is the usual model if it knows that language, else the
    first model that does. A regional tag (`en-US`) is served by its language.
    """
    model = name or USUAL_ASR
    cards = [card for card in catalog.cards if card.is_installed and card.unit == "asr" and name in (None, card.name)]
    cards.sort(key=lambda card: card.name != USUAL_ASR)
    for tag in (language, language.partition("-")[0]) if language else ():
        for card in cards:
            if tag in heard_languages(card):
                return card.name, tag
    return model, language
