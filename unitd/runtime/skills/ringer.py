"""The ring on the loudspeaker: it grows from time to time, with pauses in which a wake word is heard."""

import asyncio
import logging
from itertools import count

from unitd.runtime.audio.hub import AudioHub
from unitd.wire.errors import UnitdError

log = logging.getLogger("unitd.timers")

# A ring takes a second and a half; the rest is long enough for a wake word and what follows.
EVERY_SECONDS = 5.0


class Ringer:
    """Rings from `begin` to `end`, however many timers are due meanwhile."""

    def __init__(self, audio: AudioHub) -> None:
        self._audio = audio
        self._is_ringing = False
        self._ringing: asyncio.Task[None] | None = None

    def prepare(self) -> None:
        """Have the loudspeaker ready: something is due soon."""
        if self._audio.wants_loudspeaker:
            self._audio.prepare_ring()

    def begin(self, group: asyncio.TaskGroup) -> None:
        """Ring from now on."""
        if self._is_ringing:
            return
        self._is_ringing = True
        if self._audio.wants_loudspeaker:
            self._ringing = group.create_task(self._ring(), name="ring")
        else:
            log.info("no loudspeaker is configured ([audio] playback): clients, MQTT and the page are told of the ring")

    def end(self) -> None:
        """Ring no more."""
        self._is_ringing = False
        if self._ringing is not None:
            self._ringing.cancel()
            self._ringing = None
            self._audio.stop_ring()

    async def _ring(self) -> None:
        is_heard = True
        for level in count():
            try:
                await self._audio.ring(level)
                is_heard = True
            except UnitdError as error:
                if is_heard:
                    log.warning("the ring is not heard, clients, MQTT and the page are told of it: %s", error)
                is_heard = False
            await asyncio.sleep(EVERY_SECONDS)
