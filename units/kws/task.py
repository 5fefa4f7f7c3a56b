"""One kws task: its settings, and a pair of ears for each source of audio."""

from collections.abc import Mapping
from typing import Any, Literal

from units.kws.ear import Ear, Wake
from units.kws.options import KwsOptions, read_options
from units.kws.spotter import Engine, Warn
from units.sound.upload import RATE, Samples, Upload

Source = Literal["mic", "upload"]


class KwsTask:
    """Hears the microphone and what clients send apart from each other."""

    def __init__(self, work_id: str, data: Mapping[str, Any], engine: Engine, warn: Warn) -> None:
        """Takes a setup.

        Raises:
            UnitFault: a value is refused; the words name its key.
        """
        self.work_id = work_id
        self.options: KwsOptions = read_options(data)
        self.upload = Upload()
        self.is_paused = False
        self._make = engine.prepare(self.options, warn)
        # Made now, so that what cannot be is known at setup; whichever source speaks first gets it.
        self._spare: Ear | None = self._make_ear()
        self._ears: dict[Source, Ear] = {}

    def hear(self, source: Source, samples: Samples) -> list[Wake]:
        """The wakes that these samples decide."""
        return self._ear(source).feed(samples)

    def finish(self, source: Source) -> list[Wake]:
        """The wakes that the end of the audio decides."""
        return self._ear(source).finish()

    def heard(self, source: Source) -> int:
        """Samples since the task began to hear."""
        ear = self._ears.get(source)
        return ear.heard if ear else 0

    def pause(self) -> None:
        """Hears nothing until `work`, and then begins afresh."""
        self.is_paused = True
        self.upload = Upload()
        for ear in self._ears.values():
            ear.forget()

    def work(self) -> None:
        """Hears again."""
        self.is_paused = False

    def data_of(self, phrase: str, seconds: float, score: float | None) -> Any:
        """What the client gets for a wake."""
        return {"phrase": phrase, "time": round(seconds, 2), "score": score} if self.options.wants_json else True

    def triggered_data(self) -> Any:
        """What the client gets for a wake that nobody spoke."""
        longest = max((ear.heard for ear in self._ears.values()), default=0)
        return self.data_of(self.options.phrases[0], longest / RATE, 1.0)

    def _ear(self, source: Source) -> Ear:
        if source not in self._ears:
            self._ears[source] = self._spare or self._make_ear()
            self._spare = None
        return self._ears[source]

    def _make_ear(self) -> Ear:
        return Ear(self._make(), self.options.debounce)
