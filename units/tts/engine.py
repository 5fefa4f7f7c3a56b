"""The interface of engines of the tts unit.

An engine turns one piece of text into sound and knows nothing of tasks. It is imported only when a card chooses it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from units.base import LoadError
from units.engines import find_engine
from units.sound.upload import Samples


class Sound(NamedTuple):
    """A stretch of mono audio."""

    rate: int
    """Samples a second."""

    samples: Samples


@dataclass(frozen=True)
class Voice:
    """How to speak."""

    language: str = ""
    """A language tag such as `en-us`; "" means the engine's own, or the language of the text."""

    speaker: str | int = 0
    """A name or number that the engine knows; 0 is its usual speaker."""

    speed: float = 1.0
    """1.0 is the usual speed, 2.0 twice as fast."""


class SpeechFailed(Exception):
    """An engine could not speak a text; the words go to the client."""


class Engine(Protocol):
    """One kind of voice."""

    about: str
    """What the daemon may log about the voice."""

    gap_seconds: float
    """The silence that its sound lacks between two sentences."""

    def check(self, voice: Voice) -> None:
        """Raise UnitFault, naming the setup key, when this engine has no such voice."""

    def speak(self, text: str, voice: Voice, is_cut: Callable[[], bool]) -> Iterator[Sound]:
        """Speak in a checked voice, a stretch at a time; end early once `is_cut`. Raise SpeechFailed on failure."""


def load_bundled(load: dict[str, Any]) -> Engine:
    """Return espeak-ng from its wheel, else its program: both speak without any model."""
    try:
        return _load_named("espeak", load)
    except LoadError as no_library:
        try:
            return _load_named("espeak-program", load)
        except LoadError as no_program:
            raise LoadError(f"{no_library}; or: {no_program}") from no_program


def _load_named(name: str, load: dict[str, Any]) -> Engine:
    engine: Engine = find_engine("tts", name)(load)
    return engine
