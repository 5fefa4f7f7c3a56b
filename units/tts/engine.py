"""What an engine of the tts unit is, and which one a card names.

An engine turns one piece of text into sound and knows nothing of tasks. It is imported only when a card chooses it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from units.base import LoadError
from units.engines import find_engine

Samples: TypeAlias = NDArray[np.int16]


class Sound(NamedTuple):
    """A stretch of mono audio."""

    rate: int
    """Samples a second."""

    samples: Samples


@dataclass(frozen=True)
class Voice:
    """How to speak."""

    language: str = ""
    """A language tag like `en-us`; empty: the engine's own, or what the text is written in."""

    speaker: str | int = 0
    """A name or number that the engine knows; 0 is its usual one."""

    speed: float = 1.0
    """1.0 is the usual speed, 2.0 twice as fast."""


class SpeechFailed(Exception):
    """An engine could not speak a text; the words go to the client."""


class Engine(Protocol):
    """One kind of voice."""

    about: str
    """What the daemon may log about it."""

    gap_seconds: float
    """The silence that its sound lacks between two sentences."""

    def check(self, voice: Voice) -> None:
        """UnitFault, naming the setup key, when this engine has no such voice."""

    def speak(self, text: str, voice: Voice, is_cut: Callable[[], bool]) -> Iterator[Sound]:
        """The text in a checked voice, a stretch at a time; ends early once `is_cut`. SpeechFailed when it cannot."""


def load_bundled(load: dict[str, Any]) -> Engine:
    """Return espeak-ng from its wheel, else its program: what speaks without any model."""
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
