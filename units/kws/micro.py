"""microWakeWord: small networks, each trained for one phrase. Four come with the library, others lie in a folder.

The networks were trained on phrases with silence after them: "hey jarvis turn on the light", said in one breath, leaves
their score near zero. So as soon as a network shows the least suspicion, a second copy of it is given the features of
the last second again, cut at each of the places where the phrase may have ended, with silence after the cut. That also
tells where the phrase ended. It costs nothing while nothing sounds like the phrase.

After a wake the analysis and the networks begin anew. The analysis adapts to the voice that it has just heard, and
the same phrase again within two seconds would not be recognised.
"""

import importlib.util
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from units.base import LoadError
from units.kws.options import plain
from units.kws.spotter import Heard
from units.sound.upload import RATE, Samples

MEASURED_CUTOFFS = {"okay nabu": 0.92}
"""Cutoffs in place of the model's own. "Okay nabu" has 0.85 there; in 50 minutes of recordings other words score up to
0.92, and its own recordings 0.98 and more."""

# The cutoff with silence put after the phrase. At 0.98 noise and reading pass only where they pass the model's, too.
# "Hey jarvis" needs less for all four voices of flite to be heard in one breath, wherever the frames fall: in 50
# minutes of other words six clips more pass for it, besides rhymes ("hey chatterbox"), none of them noise or reading.
_USUAL_SILENCED_CUTOFF = 0.98
_SILENCED_CUTOFFS = {"hey jarvis": 0.6, "okay nabu": 0.92}

LOWEST_CUTOFF, HIGHEST_CUTOFF = 0.1, 1.0
"""The limits of `threshold`; under the lowest, sounds that are no speech pass."""

# Two seconds of a hundred of other speech score more than this, and so does what follows a phrase in one breath.
_SUSPICION = 0.02

# A score that makes a cut worth a closer look.
_PROMISING = 0.4

_FRAME_SECONDS = 0.01
# How far back the phrase may have ended when its network becomes suspicious: 0.36 s, in judgements of three frames.
_CUTS = 12
# The memory of a network, in whole judgements.
_CONTEXT_FRAMES = 111
# The silence after a cut; the score is highest 0.2 to 0.3 s after the phrase.
_SILENT_FRAMES = 30

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
    """Return whether the library is installed; it is not loaded."""
    return importlib.util.find_spec("pymicro_wakeword") is not None


def bundled_models() -> dict[str, MicroModel]:
    """Return the models that the library brings, by phrase; none where it is missing."""
    spec = importlib.util.find_spec("pymicro_wakeword")
    if spec is None or spec.origin is None:
        return {}
    return models_in(Path(spec.origin).parent / "models", MEASURED_CUTOFFS)


def models_in(folder: Path, cutoffs: Mapping[str, float] = {}) -> dict[str, MicroModel]:
    """Return a folder's models by phrase: each a .json and the .tflite that it names; raise LoadError for a bad one."""
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
    """One network and its cutoffs."""

    def __init__(self, phrase: str, model: MicroModel, threshold: float | None) -> None:
        from pymicro_wakeword import MicroWakeWord

        self._phrase = phrase
        self._cutoff = threshold or model.cutoff
        silenced = _SILENCED_CUTOFFS.get(plain(model.phrase), _USUAL_SILENCED_CUTOFF)
        self._silenced_cutoff = max(silenced, threshold or 0.0)
        self._network = MicroWakeWord.from_config(model.config)
        self._second = MicroWakeWord.from_config(model.config)
        self._stride: int = self._network.stride
        self._recent: deque[Any] = deque(maxlen=_CONTEXT_FRAMES + _CUTS * self._stride)
        self._silenced: deque[float | None] = deque(maxlen=_CUTS)
        """The score with silence after each of the last judgements; None where it was not computed."""

        self._frames = 0

    def judge(self, features: Any) -> Heard | None:
        """Take 10 ms more. Return a wake where the phrase was recognised, at most once for each stride, else None."""
        score = self._network.process_streaming_prob(features) or 0.0
        self._recent.append(features)
        self._frames += 1
        if self._frames % self._stride:
            return None
        self._silenced.append(None)
        if score > _SUSPICION:
            self._judge_silenced()
        best = max((each for each in self._silenced if each is not None), default=0.0)
        if score <= self._cutoff and best <= self._silenced_cutoff:
            return None
        return Heard(self._phrase, round(max(float(score), best), 4), self._seconds_since_end(best))

    def forget(self) -> None:
        """Begin anew."""
        self._network.reset()
        self._recent.clear()
        self._silenced.clear()
        self._frames = 0

    def _judge_silenced(self) -> None:
        """Compute the missing scores of the last cuts, from the oldest on."""
        recent = list(self._recent)
        for place, known in enumerate(self._silenced):
            if known is None:
                end = len(recent) - (len(self._silenced) - 1 - place) * self._stride
                score = self._score_silenced(recent[:end])
                if score > _PROMISING:
                    # The network sees three frames at a time: the two other ways to divide them may suit it better.
                    score = max(score, *(self._score_silenced(recent[: end - shift]) for shift in (1, 2)))
                self._silenced[place] = score

    def _score_silenced(self, features: Sequence[Any]) -> float:
        """Return the best score when silence follows these features."""
        silent = np.zeros_like(features[-1])
        context = features[-_CONTEXT_FRAMES:]
        # Always as many frames: they push out what was judged before, as clearing the network would take longer.
        for each in (*[silent] * (_CONTEXT_FRAMES - len(context)), *context):
            self._second.process_streaming_prob(each)
        return float(max(self._second.process_streaming_prob(silent) or 0.0 for _ in range(_SILENT_FRAMES)))

    def _seconds_since_end(self, best: float) -> float:
        """Return how long ago the phrase ended: where silence after it scores best. 0 where no score was computed."""
        if not best:
            return 0.0
        judgements = len(self._silenced) - 1 - self._silenced.index(best)
        return judgements * self._stride * _FRAME_SECONDS


class MicroSpotter:
    """All phrases of one task that have networks; the sound is analysed once for all of them."""

    def __init__(self, wanted: Sequence[tuple[str, MicroModel, float | None]]) -> None:
        """Take phrases with their models and the thresholds asked for."""
        from pymicro_wakeword import MicroWakeWordFeatures

        self._analysis = MicroWakeWordFeatures()
        self._judges = [_Judge(phrase, model, threshold) for phrase, model, threshold in wanted]

    def hear(self, block: Samples) -> list[Heard]:
        """Return what these samples decide."""
        heard = [
            heard
            for features in self._analysis.process_streaming(block.tobytes())
            for judge in self._judges
            if (heard := judge.judge(features))
        ]
        if heard:
            self._begin_again()
        return heard

    def finish(self, rest: Samples) -> list[Heard]:
        """Return what the last samples decide."""
        heard = self.hear(np.concatenate([rest, _TAIL]))
        self._begin_again()
        return heard

    def _begin_again(self) -> None:
        self._analysis.reset()
        for judge in self._judges:
            judge.forget()
