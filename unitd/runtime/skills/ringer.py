"""The ring on the loudspeaker: it grows from time to time, with pauses in which a wake word is heard."""

import asyncio
import logging
from typing import Protocol

from unitd.wire.errors import UnitdError

log = logging.getLogger("unitd.timers")

# A ring takes a second and a half; the rest is long enough for a wake word and what follows.
EVERY_SECONDS = 5.0
LOUDEST = 5
"""The level that no ring exceeds; the first has level 0."""


class Loudspeaker(Protocol):
    """What the ringer needs of the board's sound."""

    @property
    def has_loudspeaker(self) -> bool:
        """Return False where none is configured."""

    def prepare_ring(self) -> None:
        """Have the audio program start, if it does not run."""

    async def ring(self, level: int) -> None:
        """Ring once; raise UnitdError where that cannot be heard."""

    def stop_ring(self) -> None:
        """End what rings."""


class Ringer:
    """Rings from `begin` to `end`, however many timers are due meanwhile."""

    def __init__(self, loudspeaker: Loudspeaker) -> None:
        self._loudspeaker = loudspeaker
        self._is_ringing = False
        self._ringing: asyncio.Task[None] | None = None

    def prepare(self) -> None:
        """Have the loudspeaker ready: something is due soon."""
        if self._loudspeaker.has_loudspeaker:
            self._loudspeaker.prepare_ring()

    def begin(self, group: asyncio.TaskGroup) -> None:
        """Ring from now on."""
        if self._is_ringing:
            return
        self._is_ringing = True
        if self._loudspeaker.has_loudspeaker:
            self._ringing = group.create_task(self._ring(), name="ring")
        else:
            log.info("no loudspeaker is configured ([audio] playback): clients, MQTT and the page are told of the ring")

    def end(self) -> None:
        """Ring no more."""
        self._is_ringing = False
        if self._ringing is not None:
            self._ringing.cancel()
            self._ringing = None
            self._loudspeaker.stop_ring()

    async def _ring(self) -> None:
        level, is_heard = 0, True
        while True:
            try:
                await self._loudspeaker.ring(min(level, LOUDEST))
                is_heard = True
            except UnitdError as error:
                if is_heard:
                    log.warning("the ring is not heard, clients, MQTT and the page are told of it: %s", error)
                is_heard = False
            level += 1
            await asyncio.sleep(EVERY_SECONDS)
