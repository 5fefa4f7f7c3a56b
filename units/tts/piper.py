"""piper voices: an .onnx file with its .onnx.json beside it."""

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from unitd.wire.errors import reason_of
from unitd.wire.languages import main_language
from units.base import SETUP_REFUSED, LoadError, UnitFault
from units.tts.engine import Sound, SpeechFailed, Voice

_INSTALL = "pip install piper-tts"
_VOICES = "python -m piper.download_voices NAME"


class PiperEngine:
    """The engine over one voice; it returns a stretch of sound for each sentence that piper sees."""

    gap_seconds = 0.0

    def __init__(self, model: Path, config: dict[str, Any]) -> None:
        import piper

        try:
            self._voice = piper.PiperVoice.load(model, Path(f"{model}.json"))
        except Exception as error:  # onnxruntime's exceptions have no base class of their own
            raise LoadError(f"piper cannot load {model}: {error}") from error
        self._make_settings = piper.SynthesisConfig
        self._languages = _languages_of(config)
        self._names: dict[str, int] = config.get("speaker_id_map") or {}
        self._speakers: int = config.get("num_speakers") or 1
        self._length_scale: float = config.get("inference", {}).get("length_scale", 1.0)
        self.about = f"piper {model.stem}, {self._voice.config.sample_rate} Hz"

    def check(self, voice: Voice) -> None:
        """Raise UnitFault when this voice speaks another language or has no such speaker."""
        check_language(voice.language, self._languages)
        self._speaker_of(voice)

    def speak(self, text: str, voice: Voice, is_cut: Callable[[], bool]) -> Iterator[Sound]:
        """Speak a sentence at a time."""
        speaker = self._speaker_of(voice) if self._speakers > 1 else None
        settings = self._make_settings(speaker_id=speaker, length_scale=self._length_scale / voice.speed)
        try:
            for chunk in self._voice.synthesize(text, settings):
                yield Sound(chunk.sample_rate, chunk.audio_int16_array)
                if is_cut():
                    return
        except Exception as error:  # as above
            raise SpeechFailed(f"piper: {error}") from error

    def _speaker_of(self, voice: Voice) -> int:
        number = self._names.get(voice.speaker, -1) if isinstance(voice.speaker, str) else voice.speaker
        return check_speaker(voice.speaker, number, self._speakers, self._names)


def _languages_of(config: dict[str, Any]) -> set[str]:
    """Return the languages that the voice's file names, in all its ways to name them."""
    tags = (config.get("language", {}).get("code"), config.get("espeak", {}).get("voice"))
    return {tag.lower().replace("_", "-") for tag in tags if tag}


def check_language(asked: str, spoken: set[str]) -> None:
    """Raise UnitFault when a voice is asked for a language that it does not speak; `en` fits `en-us`."""
    if asked and spoken and main_language(asked) not in {main_language(tag) for tag in spoken}:
        raise UnitFault(SETUP_REFUSED, f"language {asked!r}: this voice speaks {', '.join(sorted(spoken))}")


def check_speaker(asked: str | int, number: int, count: int, names: dict[str, int]) -> int:
    """Return the speaker's number; raise UnitFault when there is no such speaker."""
    if 0 <= number < count:
        return number
    known = f"0 to {count - 1}" + "".join(f", {name}" for name in list(names)[:10])
    raise UnitFault(SETUP_REFUSED, f"speaker {asked!r} is none of this voice's: {known}")


def load_engine(load: dict[str, Any]) -> PiperEngine:
    """Return the engine; raise LoadError when the package or the voice's files are missing, or are no voice."""
    if not load["path"]:
        raise LoadError(f"the card names no piper voice; {_VOICES}")
    model = _find_model(Path(load["path"]))
    config = _read_config(Path(f"{model}.json"))
    if importlib.util.find_spec("piper") is None:
        raise LoadError(f"piper is not installed; {_INSTALL}")
    return PiperEngine(model, config)


def _find_model(path: Path) -> Path:
    models = [path] if path.suffix == ".onnx" else sorted(path.glob("*.onnx"))
    if not models or not models[0].is_file():
        raise LoadError(f"there is no piper voice (.onnx) at {path}; {_VOICES}")
    return models[0]


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise LoadError(f"the voice's {path.name} is missing beside it; {_VOICES}") from None
    except (OSError, ValueError) as error:
        raise LoadError(f"{path} cannot be read: {reason_of(error)}") from error
    if not isinstance(config, dict) or not isinstance(config.get("phoneme_id_map"), dict):
        raise LoadError(f"{path} is no piper voice's description; {_VOICES}")
    return config
