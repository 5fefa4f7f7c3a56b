"""The engine that needs no installed model: a network where the phrase has one, phones for every other phrase."""

from collections.abc import Sequence
from pathlib import Path

from units.base import LoadError
from units.kws import micro, sphinx
from units.kws.micro import HIGHEST_CUTOFF, LOWEST_CUTOFF, MicroModel, MicroSpotter
from units.kws.options import KwsOptions, check_scale
from units.kws.sphinx import (
    FEWEST_SAFE_PHONES,
    HIGHEST_THRESHOLD,
    LOWEST_THRESHOLD,
    SphinxSpotter,
    phone_count,
    spell,
    words_of,
)
from units.kws.spotter import Spotter, SpotterMaker, Warn


class BundledEngine:
    """microWakeWord and pocketsphinx; a card's path names a folder with more networks, or one of them."""

    def __init__(self, path: str) -> None:
        """Look for networks; raise LoadError without either library, or for a folder without wake words."""
        if not micro.is_installed() and not sphinx.is_installed():
            raise LoadError("no wake word engine is installed: pip install pymicro-wakeword pocketsphinx")
        self._models = micro.bundled_models()
        if path:
            if not micro.is_installed():
                raise LoadError("this model needs microWakeWord: pip install pymicro-wakeword")
            self._models |= _models_at(Path(path))
        self.about = f"networks for {', '.join(self._models) or 'no phrase'}, phones for others"

    def prepare(self, options: KwsOptions, warn: Warn) -> SpotterMaker:
        """Divide the phrases between the two libraries."""
        wanted = [(phrase, options.thresholds.get(phrase)) for phrase in options.phrases]
        known = [(phrase, model, cutoff) for phrase, cutoff in wanted if (model := self._model_of(phrase))]
        others = [(phrase, threshold) for phrase, threshold in wanted if not self._model_of(phrase)]
        for phrase, _, cutoff in known:
            check_scale(phrase, cutoff, "microWakeWord", LOWEST_CUTOFF, HIGHEST_CUTOFF)
        for phrase, threshold in others:
            check_scale(phrase, threshold, "pocketsphinx", LOWEST_THRESHOLD, HIGHEST_THRESHOLD)
        keyphrases = spell(others) if others else []
        for each in keyphrases:
            if phone_count(each.pronunciation) < FEWEST_SAFE_PHONES:
                warn(f"{each.phrase!r} is short, so it will be missed often and heard where nobody said it")

        def make() -> Sequence[Spotter]:
            spotters: list[Spotter] = []
            if known:
                spotters.append(MicroSpotter(known))
            if keyphrases:
                spotters.append(SphinxSpotter(keyphrases))
            return spotters

        return make

    def _model_of(self, phrase: str) -> MicroModel | None:
        """Return the network of a phrase, or None: "Hey, Jarvis!" is "hey jarvis", and "ok" is "okay"."""
        words = words_of(phrase)
        return self._models.get(" ".join("okay" if word == "ok" else word for word in words))


def _models_at(path: Path) -> dict[str, MicroModel]:
    models = micro.models_in(path if path.is_dir() else path.parent)
    if not models:
        raise LoadError(f"there is no wake word of microWakeWord (.json and .tflite) in {path}")
    return models
