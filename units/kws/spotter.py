"""What an engine is to the unit: it prepares phrases, and what it prepared makes spotters that hear them.

A spotter is one pair of ears for one stream of audio. It gets blocks of exactly BLOCK samples, so that the pieces in
which audio arrives cannot change what is heard.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from units.kws.options import KwsOptions
from units.sound.upload import Samples

BLOCK = 320
"""Samples: 20 ms, a microphone's period; what is heard is known at the end of a block."""

Warn = Callable[[str], None]
"""Tells the daemon's log what a user of these phrases should know."""


# What recognising takes where an engine does not say: pocketsphinx needs 0.05 to 0.15 s after the end of the phrase.
USUAL_DELAY_SECONDS = 0.1


class Heard(NamedTuple):
    """A phrase that was recognised in a block."""

    phrase: str
    score: float | None
    """How sure the engine is from 0 to 1; None where it does not say."""

    seconds_ago: float = USUAL_DELAY_SECONDS
    """How long before the end of the block the phrase ended."""


class Spotter(Protocol):
    """Listens to one stream of audio for some phrases."""

    def hear(self, block: Samples) -> list[Heard]:
        """What these BLOCK samples decide."""

    def finish(self, rest: Samples) -> list[Heard]:
        """The audio ends with `rest`, less than a block; what comes next is a new beginning."""


SpotterMaker = Callable[[], Sequence[Spotter]]


class Engine(Protocol):
    """What a card's model is run by; one in each program."""

    about: str
    """For the log."""

    def prepare(self, options: KwsOptions, warn: Warn) -> SpotterMaker:
        """Checks what a setup asks for; may be called once for each pair of ears.

        Raises:
            UnitFault: a phrase or value is not for this engine; the words name it.
        """
