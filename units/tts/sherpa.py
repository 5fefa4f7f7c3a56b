"""sherpa-onnx voices: a folder of its vits, matcha or kokoro releases.

The library ends the process when a file is missing or no model, so all files are checked before it gets them.
"""

import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from units.base import LoadError
from units.sound.upload import Samples
from units.tts.engine import Sound, SpeechFailed, Voice
from units.tts.piper import check_language, check_speaker

_INSTALL = "pip install sherpa-onnx"
_MODELS = "unpack one of https://github.com/k2-fsa/sherpa-onnx/releases/tag/tts-models there"
# One sentence gains nothing from more.
_MAX_THREADS = 4

# The smallest voices have tens of megabytes; a page that a failed download left is smaller than this.
_SMALLEST_MODEL_BYTES = 1024


@dataclass(frozen=True)
class VoiceFiles:
    """The files of one voice, by the names that the library gives them; only those that exist."""

    kind: str
    """vits, matcha or kokoro."""

    arguments: dict[str, str]
    rule_fsts: str
    rule_fars: str


class SherpaEngine:
    """The engine over one voice."""

    gap_seconds = 0.0

    def __init__(self, files: VoiceFiles, folder: Path, threads: int) -> None:
        import sherpa_onnx

        config = sherpa_onnx.OfflineTtsConfig(
            model=_model_config(sherpa_onnx, files, threads), rule_fsts=files.rule_fsts, rule_fars=files.rule_fars
        )
        if not config.validate():
            raise LoadError(f"sherpa-onnx does not take the files in {folder}; {_MODELS}")
        try:
            self._tts = sherpa_onnx.OfflineTts(config)
        except RuntimeError as error:
            raise LoadError(f"sherpa-onnx cannot load {folder}: {error}") from error
        self._languages = {language.lower() for language in [self._tts.lang] if language}
        self._speakers = max(1, self._tts.num_speakers)
        self.about = f"sherpa-onnx {files.kind} {folder.name}, {self._tts.sample_rate} Hz"

    def check(self, voice: Voice) -> None:
        """Raise UnitFault when this voice speaks another language or has no such speaker."""
        check_language(voice.language, self._languages)
        self._speaker_of(voice)

    def speak(self, text: str, voice: Voice, is_cut: Callable[[], bool]) -> Iterator[Sound]:
        """Return the whole piece; a cut takes effect between the library's sentences."""

        def go_on(samples: Samples, progress: float) -> int:
            return int(not is_cut())

        try:
            audio = self._tts.generate(text, sid=self._speaker_of(voice), speed=voice.speed, callback=go_on)
        except RuntimeError as error:
            raise SpeechFailed(f"sherpa-onnx: {error}") from error
        samples = np.clip(np.asarray(audio.samples, np.float32), -1.0, 1.0)
        yield Sound(audio.sample_rate, (samples * np.iinfo(np.int16).max).astype(np.int16))

    def _speaker_of(self, voice: Voice) -> int:
        number = int(voice.speaker) if str(voice.speaker).isdecimal() else -1
        return check_speaker(voice.speaker, number, self._speakers, {})


def _model_config(library: Any, files: VoiceFiles, threads: int) -> Any:
    makers = {
        "vits": library.OfflineTtsVitsModelConfig,
        "matcha": library.OfflineTtsMatchaModelConfig,
        "kokoro": library.OfflineTtsKokoroModelConfig,
    }
    part = makers[files.kind](**files.arguments)
    return library.OfflineTtsModelConfig(**{files.kind: part}, num_threads=threads)


def find_voice_files(folder: Path) -> VoiceFiles:
    """Return the files in a release's folder; raise LoadError for one that is missing, empty or clearly no model."""
    models = [path for path in sorted(folder.glob("*.onnx")) if path.stat().st_size >= _SMALLEST_MODEL_BYTES]
    models.sort(key=lambda path: ".int8." in path.name)  # the full model where both are
    if not models:
        raise LoadError(f"there is no sherpa-onnx voice (.onnx) in {folder}; {_MODELS}")
    vocoders = [path for path in models if path.name.startswith(("vocos", "hifigan"))]
    kind = "kokoro" if (folder / "voices.bin").exists() else "matcha" if vocoders else "vits"
    arguments = {"tokens": _present(folder / "tokens.txt")}
    if kind == "matcha":
        acoustic = [path for path in models if path not in vocoders]
        if not acoustic:
            raise LoadError(f"{folder} holds a vocoder and no acoustic model; {_MODELS}")
        arguments |= {"acoustic_model": str(acoustic[0]), "vocoder": str(vocoders[-1])}
    else:
        arguments |= {"model": str(models[0])}
    if kind == "kokoro":
        arguments |= {"voices": _present(folder / "voices.bin")}
    arguments |= _pronunciation(folder)
    return VoiceFiles(kind, arguments, _joined(folder, "*.fst"), _joined(folder, "*.far"))


def _pronunciation(folder: Path) -> dict[str, str]:
    """Return the lexica and espeak-ng's tables, of which a voice needs one."""
    found = {"lexicon": _joined(folder, "lexicon*.txt")}
    for key, name, proof in (("data_dir", "espeak-ng-data", "phontab"), ("dict_dir", "dict", "jieba.dict.utf8")):
        if (folder / name).is_dir():
            _present(folder / name / proof)
            found[key] = str(folder / name)
    if not any(found.values()):
        raise LoadError(f"{folder} has neither lexicon.txt nor espeak-ng-data; {_MODELS}")
    return {key: value for key, value in found.items() if value}


def _joined(folder: Path, pattern: str) -> str:
    return ",".join(_present(path) for path in sorted(folder.glob(pattern)))


def _present(path: Path) -> str:
    if not path.is_file() or path.stat().st_size == 0:
        raise LoadError(f"{path} is missing or empty; {_MODELS}")
    return str(path)


def load_engine(load: dict[str, Any]) -> SherpaEngine:
    """Return the engine; raise LoadError when the package or the voice's files are missing."""
    if not load["path"]:
        raise LoadError("the card names no sherpa-onnx voice (its file)")
    path = Path(load["path"])
    folder = path if path.is_dir() else path.parent
    files = find_voice_files(folder)
    if importlib.util.find_spec("sherpa_onnx") is None:
        raise LoadError(f"sherpa-onnx is not installed; {_INSTALL}")
    return SherpaEngine(files, folder, min(_MAX_THREADS, os.cpu_count() or 1))
