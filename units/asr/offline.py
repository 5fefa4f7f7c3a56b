"""sherpa-onnx's offline models (whisper, moonshine, sense-voice): silero finds utterances, each is read whole."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from units.asr.engine import AsrOptions, Heard, Rules, find_file, find_tokens, folder_of
from units.asr.sherpa import find_onnx
from units.base import LoadError
from units.engines import find_engine
from units.setup_values import refusal
from units.sound.upload import RATE, Samples
from units.vad.gate import BUNDLED, Detector, GateRules, SpeechGate

try:
    import sherpa_onnx
except ImportError as error:
    raise LoadError("this model needs sherpa-onnx: pip install sherpa-onnx") from error

# The work comes all at once, while its user waits for it.
THREADS = 2

# whisper reads 30 s and drops the rest.
LONGEST_SECONDS = 29.0

# The speech before the gate was sure of it, and the breath before.
BEFORE_SPEECH_SECONDS = 0.6

Floats = NDArray[np.float32]
Transcribe = Callable[[Floats], str]


class OfflineEngine:
    """One model for each language that a task asks for."""

    # The original's silence_timeout.
    usual_rules = Rules(rule2=1.0)

    def __init__(self, load: Mapping[str, Any]) -> None:
        self._folder = folder_of(load)
        self._family = find_family(self._folder)
        self._models: dict[str, Any] = {}
        self._model("")
        self._make_detector = find_engine("vad", BUNDLED)
        self.about = f"sherpa-onnx {sherpa_onnx.__version__}, {self._family}, {self._folder.name}"

    def trial_of(self, options: AsrOptions) -> None:
        """Return None: nothing needs a trial."""

    def open(self, options: AsrOptions) -> "OfflineRecogniser":
        """Return a stream."""
        if options.grammar:
            raise refusal("grammar needs the bundled engine")
        check_language(self._family, options.language)
        model = self._model(options.language)

        def transcribe(samples: Floats) -> str:
            stream = model.create_stream()
            stream.accept_waveform(RATE, samples)
            model.decode_stream(stream)
            return str(stream.result.text)

        return OfflineRecogniser(transcribe, self._make_detector(), options.rules)

    def _model(self, language: str) -> Any:
        """Return the model of a language; "" lets the model choose it."""
        if language not in self._models:
            try:
                self._models[language] = FAMILIES[self._family][1](self._folder, language)
            except RuntimeError as error:
                if self._models:
                    raise refusal(f"language is {language!r}, the model refuses it: {error}") from error
                raise LoadError(f"sherpa-onnx refuses the model: {error}") from error
        return self._models[language]


def _whisper(folder: Path, language: str) -> Any:
    return sherpa_onnx.OfflineRecognizer.from_whisper(
        encoder=str(find_onnx(folder, "*encoder*.int8.onnx", "*encoder*.onnx")),
        decoder=str(find_onnx(folder, "*decoder*.int8.onnx", "*decoder*.onnx")),
        tokens=str(find_tokens(folder)),
        language=language,
        num_threads=THREADS,
    )


def _moonshine(folder: Path, language: str) -> Any:
    return sherpa_onnx.OfflineRecognizer.from_moonshine(
        preprocessor=str(find_onnx(folder, "preprocess*.onnx")),
        encoder=str(find_onnx(folder, "encode*.onnx")),
        uncached_decoder=str(find_onnx(folder, "uncached_decode*.onnx")),
        cached_decoder=str(find_onnx(folder, "cached_decode*.onnx")),
        tokens=str(find_tokens(folder)),
        num_threads=THREADS,
    )


def _sense_voice(folder: Path, language: str) -> Any:
    return sherpa_onnx.OfflineRecognizer.from_sense_voice(
        model=str(find_onnx(folder, "model*.int8.onnx", "model*.onnx")),
        tokens=str(find_tokens(folder)),
        language=language,
        use_itn=True,
        num_threads=THREADS,
    )


FAMILIES: dict[str, tuple[str, Callable[[Path, str], Any]]] = {
    "moonshine": ("uncached_decode*.onnx", _moonshine),
    "whisper": ("*encoder*.onnx", _whisper),
    "sense-voice": ("model*.onnx", _sense_voice),
}
"""The file that only this family has, looked for in this order, and what loads it."""


_WHISPER_LANGUAGES = """
en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk
te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo
ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su
"""
LANGUAGES = {
    "whisper": frozenset(_WHISPER_LANGUAGES.split()),
    "moonshine": frozenset(["en"]),
    "sense-voice": frozenset(["zh", "en", "ja", "ko", "yue"]),
}
"""The languages of each family; with any other the library ends the process."""


def check_language(family: str, language: str) -> None:
    """Raise UnitFault for a language that the family does not know; "" lets the model choose it."""
    if language and language not in LANGUAGES[family]:
        raise refusal(f"language is {language!r}, {family} knows {', '.join(sorted(LANGUAGES[family]))}")


def find_family(folder: Path) -> str:
    """Return the family by its files; raise LoadError when there are none."""
    for family, (pattern, _) in FAMILIES.items():
        if any(folder.glob(pattern)):
            return family
    find_file(folder, *(pattern for pattern, _ in FAMILIES.values()))
    raise LoadError(f"{folder} holds no model")


class OfflineRecogniser:
    """A stream that keeps an utterance until it ends."""

    def __init__(self, transcribe: Transcribe, detector: Detector, rules: Rules) -> None:
        self._transcribe = transcribe
        self._rules = replace(rules, rule3=min(rules.rule3, LONGEST_SECONDS))
        self._gate = SpeechGate(detector, GateRules(min_silence_seconds=rules.rule2))
        self._kept: deque[Samples] = deque()
        self._kept_samples = 0
        self.quiet_seconds = 0.0

    @property
    def is_hearing_speech(self) -> bool:
        """Return True while the gate is open."""
        return self._gate.is_speech

    def feed(self, samples: Samples) -> list[Heard]:
        """Return a final at the end of an utterance, or when no speech came in time."""
        self._kept.append(samples)
        self._kept_samples += len(samples)
        has_ended = False in self._gate.feed(samples)
        if has_ended or self._kept_samples >= self._rules.rule3 * RATE:
            return self._end(is_speech=has_ended or self._gate.is_speech)
        if not self._gate.is_speech:
            self._forget_old()
            if self._gate.silent_seconds >= self._rules.rule1:
                self._gate.silent_seconds = 0.0
                return [Heard("", is_final=True)]
        return []

    def finish(self) -> str:
        """Return the text of what is kept, if there was speech in it."""
        (heard,) = self._end(is_speech=self._gate.is_speech)
        self.reset()
        return heard.text

    def reset(self) -> None:
        """Begin again with silence."""
        self._gate.reset()
        self._forget()

    def _end(self, *, is_speech: bool) -> list[Heard]:
        said = ""
        self.quiet_seconds = self._gate.silent_seconds
        if is_speech:
            said = self._transcribe(np.concatenate(list(self._kept)).astype(np.float32) / np.float32(32768))
        self._forget()
        return [Heard(said.strip().rstrip(".。").strip(), is_final=True)]

    def _forget(self) -> None:
        self._kept.clear()
        self._kept_samples = 0

    def _forget_old(self) -> None:
        while self._kept and self._kept_samples - len(self._kept[0]) >= BEFORE_SPEECH_SECONDS * RATE:
            self._kept_samples -= len(self._kept.popleft())
