"""One kws task: its settings, and a stream for each source of audio."""

from collections.abc import Mapping
from typing import Any, Literal

from units.kws.options import KwsOptions, read_options
from units.kws.spotter import Engine, Warn
from units.kws.wake_stream import Wake, WakeStream
from units.sound.upload import RATE, Samples, Upload

Source = Literal["mic", "upload"]


class KwsTask:
    """A task that hears the microphone and what clients send apart from each other."""

    def __init__(self, work_id: str, data: Mapping[str, Any], engine: Engine, warn: Warn) -> None:
        """Read a setup; raise UnitFault, which names the key, for a bad value."""
        self.work_id = work_id
        self.options: KwsOptions = read_options(data)
        self.upload = Upload()
        self.is_paused = False
        self._make = engine.prepare(self.options, warn)
        # Made now, so that a setup that cannot work is refused; the source that comes first gets it.
        self._spare: WakeStream | None = self._make_stream()
        self._streams: dict[Source, WakeStream] = {}

    def hear(self, source: Source, samples: Samples) -> list[Wake]:
        """Return the wakes that these samples decide."""
        return self._stream(source).feed(samples)

    def finish(self, source: Source) -> list[Wake]:
        """Return the wakes that the end of the audio decides."""
        return self._stream(source).finish()

    def heard(self, source: Source) -> int:
        """Return the number of samples since the task began to hear."""
        stream = self._streams.get(source)
        return stream.heard if stream else 0

    def pause(self) -> None:
        """Hear nothing until `work`, and then begin afresh."""
        self.is_paused = True
        self.upload = Upload()
        for stream in self._streams.values():
            stream.forget()

    def work(self) -> None:
        """Hear again."""
        self.is_paused = False

    def data_of(self, phrase: str, seconds: float, score: float | None) -> Any:
        """Return what the client gets for a wake."""
        return {"phrase": phrase, "time": round(seconds, 2), "score": score} if self.options.wants_json else True

    def triggered_data(self) -> Any:
        """Return what the client gets for a wake by a button."""
        longest = max((stream.heard for stream in self._streams.values()), default=0)
        return self.data_of(self.options.phrases[0], longest / RATE, 1.0)

    def _stream(self, source: Source) -> WakeStream:
        if source not in self._streams:
            self._streams[source] = self._spare or self._make_stream()
            self._spare = None
        return self._streams[source]

    def _make_stream(self) -> WakeStream:
        return WakeStream(self._make(), self.options.debounce)
