"""sherpa-onnx's streaming transducers (zipformer and its kin): partial texts, ends by the library's rules."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from units.asr.engine import AsrOptions, Heard, Rules, find_file, find_tokens, folder_of
from units.base import LoadError
from units.setup_values import refusal
from units.sound.upload import RATE, Samples

try:
    import sherpa_onnx
except ImportError as error:
    raise LoadError("this model needs sherpa-onnx: pip install sherpa-onnx") from error

# One is enough for real time (0.014 of it for the smallest model), and other units need the other cores.
THREADS = 1

# The encoder looks ahead: the last words come out when so much has followed. The library's examples add as much.
TAIL_SECONDS = 0.66

# The library knows no infinity.
NEVER_SECONDS = 1e6


class SherpaEngine:
    """An engine that loads its model once for each set of rules: the library keeps the rules with the model."""

    usual_rules = Rules()

    def __init__(self, load: Mapping[str, Any]) -> None:
        folder = folder_of(load)
        self._files = {
            "tokens": find_tokens(folder),
            "encoder": find_onnx(folder, "encoder*.int8.onnx", "encoder*.onnx"),
            "decoder": find_onnx(folder, "decoder*[!8].onnx", "decoder*.onnx"),
            "joiner": find_onnx(folder, "joiner*.int8.onnx", "joiner*.onnx"),
        }
        self._models: WeakValueDictionary[Rules, Any] = WeakValueDictionary()
        self._latest = self._load(self.usual_rules)
        self.about = f"sherpa-onnx {sherpa_onnx.__version__}, {folder.name}"

    def trial_of(self, options: AsrOptions) -> None:
        """Return None: nothing needs a trial."""

    def open(self, options: AsrOptions) -> "SherpaRecogniser":
        """Return a stream."""
        if options.grammar:
            raise refusal("grammar needs the bundled engine")
        return SherpaRecogniser(self._load(options.rules))

    def _load(self, rules: Rules) -> Any:
        if (known := self._models.get(rules)) is not None:
            return known
        bounded = replace(rules, rule2=min(rules.rule2, NEVER_SECONDS)) if math.isinf(rules.rule2) else rules
        try:
            model = sherpa_onnx.OnlineRecognizer.from_transducer(
                **{name: str(file) for name, file in self._files.items()},
                num_threads=THREADS,
                enable_endpoint_detection=True,
                rule1_min_trailing_silence=bounded.rule1,
                rule2_min_trailing_silence=bounded.rule2,
                rule3_min_utterance_length=bounded.rule3,
            )
        except RuntimeError as error:
            raise LoadError(f"sherpa-onnx refuses the model: {error}") from error
        self._models[rules] = self._latest = model
        return model


def find_onnx(folder: Path, *patterns: str) -> Path:
    """Return the file of a network; raise LoadError when it cannot be one."""
    file = find_file(folder, *patterns)
    with file.open("rb") as opened:
        # Every ONNX file begins with its field 1, the version.
        if opened.read(1) != b"\x08":
            raise LoadError(f"{file} is no ONNX model")
    return file


class SherpaRecogniser:
    """One stream of one model."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._stream = model.create_stream()
        self._text = ""
        self._fed_seconds = 0.0
        self.quiet_seconds = 0.0

    @property
    def is_hearing_speech(self) -> bool:
        """Return True once something was understood."""
        return bool(self._text)

    def feed(self, samples: Samples) -> list[Heard]:
        """Return a text when it has changed, a final where the rules say so."""
        self._take(samples)
        heard = []
        if (said := self._result()) != self._text:
            self._text = said
            heard.append(Heard(said, is_final=False))
        if self._model.is_endpoint(self._stream):
            heard.append(Heard(self._text, is_final=True))
            self._note_silence()
            self._model.reset(self._stream)
            self._text = ""
        return heard

    def finish(self) -> str:
        """Return the text, with the rest that the encoder held back."""
        self._note_silence()
        self._take(np.zeros(int(TAIL_SECONDS * RATE), np.int16))
        self._stream.input_finished()
        self._decode()
        said = self._result()
        self.reset()
        return said

    def reset(self) -> None:
        """Begin a new stream."""
        self._stream = self._model.create_stream()
        self._text = ""
        self._fed_seconds = 0.0

    def _note_silence(self) -> None:
        """Note the silence since the last token."""
        tokens = self._model.timestamps(self._stream)
        spoken_seconds = self._model.start_time(self._stream) + (tokens[-1] if tokens else 0.0)
        self.quiet_seconds = self._fed_seconds - spoken_seconds

    def _take(self, samples: Samples) -> None:
        self._fed_seconds += len(samples) / RATE
        self._stream.accept_waveform(RATE, samples.astype(np.float32) / np.float32(32768))
        self._decode()

    def _decode(self) -> None:
        while self._model.is_ready(self._stream):
            self._model.decode_stream(self._stream)

    def _result(self) -> str:
        said: str = self._model.get_result(self._stream)
        return said.strip().lower()
