"""microWakeWord: small networks, each trained for one phrase. Four come with the library, others lie in a folder."""

import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from units.base import LoadError
from units.kws.options import plain
from units.kws.spotter import Heard
from units.sound.upload import RATE, Samples

MEASURED_CUTOFFS = {"alexa": 0.8}
"""Instead of the model's own. Alexa at its 0.9 misses one recording of 20 by a hair (0.88); in 74 recordings of other
words and of reading it stays under 0.25."""

# A word that ends with its audio is judged as if silence followed: five judgements, 30 ms apart, decide together.
_TAIL: Samples = np.zeros(RATE * 3 // 10, np.int16)
_TFLITE_MARK = b"TFL3"


@dataclass(frozen=True)
class MicroModel:
    """A phrase that has a network of its own."""

    phrase: str
    config: Path
    cutoff: float


def is_installed() -> bool:
    """Whether the library is there; asking does not load it."""
    return importlib.util.find_spec("pymicro_wakeword") is not None


def bundled_models() -> dict[str, MicroModel]:
    """By phrase, those that the library brings; none where it is missing."""
    spec = importlib.util.find_spec("pymicro_wakeword")
    if spec is None or spec.origin is None:
        return {}
    return models_in(Path(spec.origin).parent / "models", MEASURED_CUTOFFS)


def models_in(folder: Path, cutoffs: Mapping[str, float] = {}) -> dict[str, MicroModel]:
    """By phrase, the models of a folder: a .json of microWakeWord's and the .tflite that it names.

    Raises:
        LoadError: a file is missing or no such model.
    """
    models = [_read_model(path, cutoffs) for path in sorted(folder.glob("*.json"))]
    return {plain(model.phrase): model for model in models}


def _read_model(config: Path, cutoffs: Mapping[str, float]) -> MicroModel:
    try:
        content: dict[str, Any] = json.loads(config.read_text())
        phrase = str(content["wake_word"])
        cutoff = float(content["micro"]["probability_cutoff"])
        weights = config.parent / content["model"]
        with weights.open("rb") as file:
            mark = file.read(8)[4:]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LoadError(f"{config} is no wake word of microWakeWord: {error!r}") from error
    if mark != _TFLITE_MARK:
        raise LoadError(f"{weights} is no TensorFlow Lite file")  # the library would crash on it
    return MicroModel(phrase, config, cutoffs.get(plain(phrase), cutoff))


class _Judge:
    """One network and its cutoff; fires once for as long as it stays over it."""

    def __init__(self, phrase: str, config: Path, cutoff: float) -> None:
        from pymicro_wakeword import MicroWakeWord

        self._phrase = phrase
        self._cutoff = cutoff
        self._network = MicroWakeWord.from_config(config)
        self._quiet_features = self._network.stride

    def judge(self, features: Any) -> Heard | None:
        """10 ms more. The network runs at every third; the library says 0 at the others."""
        score = self._network.process_streaming_prob(features) or 0.0
        if score <= self._cutoff:
            self._quiet_features += 1
            return None
        is_new = self._quiet_features >= self._network.stride
        self._quiet_features = 0
        return Heard(self._phrase, round(float(score), 4)) if is_new else None

    def forget(self) -> None:
        """A new beginning."""
        self._network.reset()
        self._quiet_features = self._network.stride


class MicroSpotter:
    """All phrases of one task that have networks; the sound is analysed once for all of them."""

    def __init__(self, wanted: Sequence[tuple[str, MicroModel, float | None]]) -> None:
        """Takes phrases with their models and the thresholds asked for."""
        from pymicro_wakeword import MicroWakeWordFeatures

        self._analysis = MicroWakeWordFeatures()
        self._judges = [_Judge(phrase, model.config, cutoff or model.cutoff) for phrase, model, cutoff in wanted]

    def hear(self, block: Samples) -> list[Heard]:
        """What these samples decide."""
        return [
            heard
            for features in self._analysis.process_streaming(block.tobytes())
            for judge in self._judges
            if (heard := judge.judge(features))
        ]

    def finish(self, rest: Samples) -> list[Heard]:
        """What the last samples decide."""
        heard = self.hear(np.concatenate([rest, _TAIL]))
        self._analysis.reset()
        for judge in self._judges:
            judge.forget()
        return heard
