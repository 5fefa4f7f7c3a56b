"""The engine of a kws unit: it prepares phrases, and makes spotters that listen for them.

A spotter listens to one stream of audio. It gets blocks of exactly BLOCK samples, so that the pieces in which audio
arrives cannot change what is heard.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from units.kws.options import KwsOptions
from units.sound.upload import Samples

BLOCK = 320
"""Samples: 20 ms, a microphone's period. The result of a block is known at its end."""

Warn = Callable[[str], None]
"""Writes to the daemon's log what a user of these phrases should know."""


# The delay where an engine does not name one: pocketsphinx needs 0.05 to 0.15 s after the end of the phrase.
USUAL_DELAY_SECONDS = 0.1


class Heard(NamedTuple):
    """A phrase that was recognised in a block."""

    phrase: str
    score: float | None
    """How sure the engine is, from 0 to 1; None where it does not say."""

    seconds_ago: float = USUAL_DELAY_SECONDS
    """How long before the end of the block the phrase ended."""


class Spotter(Protocol):
    """A listener for some phrases in one stream of audio."""

    def hear(self, block: Samples) -> list[Heard]:
        """Return what these BLOCK samples decide."""

    def finish(self, rest: Samples) -> list[Heard]:
        """Return what the end of the audio decides; `rest` is less than a block. What comes next is a new beginning."""


SpotterMaker = Callable[[], Sequence[Spotter]]


class Engine(Protocol):
    """The engine of a card's model; one in each program."""

    about: str
    """A line for the log."""

    def prepare(self, options: KwsOptions, warn: Warn) -> SpotterMaker:
        """Check what a setup asks for, and return a function that makes the spotters of one stream.

        Raises:
            UnitFault: a phrase or value is not for this engine; the words name it.
        """
