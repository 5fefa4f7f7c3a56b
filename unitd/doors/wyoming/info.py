"""What a client reads about us: which services there are, with which models."""

from collections.abc import Iterable, Mapping, Sequence
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

OURS = Attribution("unitd", "")
LANGUAGES = {"English": "en", "Chinese": "zh", "Japanese": "ja", "German": "de", "French": "fr", "Spanish": "es"}


def describe(models: Sequence[Mapping[str, Any]], wake_words: Iterable[str], *, switches_things: bool) -> Info:
    """The info message from rows of sys.lsmode; only what is installed is offered."""
    installed = [row for row in models if row.get("installed") and row["mode"] == row.get("model", row["mode"])]

    def of_unit(unit: str) -> list[Mapping[str, Any]]:
        return [row for row in installed if row["type"] == unit]

    asr = [AsrModel(**_artifact(row), languages=_languages(row)) for row in of_unit("asr")]
    voices = [TtsVoice(**_artifact(row), languages=_languages(row)) for row in of_unit("tts")]
    minds = [HandleModel(**_artifact(row), languages=_languages(row)) for row in of_unit("llm")]
    wakes = [WakeModel(**_named(word, f'Wakes at "{word}"'), languages=["en"], phrase=word) for word in wake_words]
    return Info(
        asr=[
            AsrProgram(
                **_named("unitd-asr", "Speech to text on this board"),
                models=asr,
                supports_transcript_streaming=True,
                requires_external_vad=False,
            )
        ],
        tts=[
            TtsProgram(
                **_named("unitd-tts", "A voice on this board"), voices=voices, supports_synthesize_streaming=True
            )
        ],
        handle=[
            HandleProgram(
                **_named("unitd-llm", "Answers by a language model on this board"),
                models=minds,
                supports_handled_streaming=True,
                supports_home_control=switches_things,
            )
        ],
        wake=[WakeProgram(**_named("unitd-kws", "Wake words on this board"), models=wakes)],
    )


def _named(name: str, description: str) -> dict[str, Any]:
    """What every artifact has."""
    return {
        "name": name,
        "description": description,
        "attribution": OURS,
        "installed": True,
        "version": __version__,
    }


def _artifact(row: Mapping[str, Any]) -> dict[str, Any]:
    name = row["mode"]
    homepage = row.get("homepage") or OURS.url
    return _named(name, row.get("note") or name) | {"attribution": Attribution(name, homepage)}


def _languages(row: Mapping[str, Any]) -> list[str]:
    return [LANGUAGES[each] for each in row["capabilities"] if each in LANGUAGES] or ["en"]
