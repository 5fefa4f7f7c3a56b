"""Audio that clients send into a task: heard in its order, answered in the name of the piece that is being heard.

Uploads have no clock. A client that sends faster than is heard is not read from for a while, and nothing is lost.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from unitd.core.tasks.table import Client
from unitd.runtime.tasks.output import Asker

# A minute of 16 kHz s16 mono; what one read of the door brings may come on top.
MAX_UNHEARD_BYTES = 60 * 32000
IDLE_SECONDS = 2.0


class Uploads:
    """What one task has been sent and not heard yet."""

    def __init__(
        self, work_id: str, ask: Callable[..., asyncio.Future[Any]], end: Callable[[], asyncio.Future[Any]]
    ) -> None:
        """`ask` speaks to the task's child, `end` tells it that the audio has ended."""
        self._work_id = work_id
        self._ask = ask
        self._end = end
        self._waiting: deque[tuple[Asker, asyncio.Future[Any]]] = deque()
        self._last: Asker | None = None
        self._unheard_bytes = 0
        self._held: set[Client] = set()
        self._idle: asyncio.TimerHandle | None = None

    @property
    def asker(self) -> Asker | None:
        """Who sent what is being heard now, or what was heard last."""
        # Looked at now: callbacks of what was heard run later than the message behind its result is read.
        self._forget_heard()
        return self._waiting[0][0] if self._waiting else self._last

    def hear(self, asker: Asker, audio: bytes, form: str, *, is_whole: bool) -> asyncio.Future[Any]:
        """Audio from a client; done when it has been heard, and what it says has been said.

        Raises:
            Unavailable: the task is paused or its model still loads.
        """
        heard = self._ask("hear", audio, form=form, is_whole=is_whole)
        self._forget_heard()  # nobody may ask for hours who sent what
        self._waiting.append((asker, heard))
        self._count(asker.client, len(audio))
        heard.add_done_callback(lambda _: self._count(asker.client, -len(audio)))
        self.close()
        if not is_whole:
            # Whoever sends no more has said what there was to say; without silence behind it nobody would know.
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_pieces, asker)
        return heard

    def _end_pieces(self, asker: Asker) -> None:
        """What is said at the end of the pieces answers the last of them, also when another upload has come since."""
        self._forget_heard()
        self._waiting.append((asker, self._end()))

    def close(self) -> None:
        """Nobody waits for more."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _forget_heard(self) -> None:
        while self._waiting and self._waiting[0][1].done():
            self._last = self._waiting.popleft()[0]

    def _count(self, client: Client, change: int) -> None:
        """Whoever sends too much is held, and everybody who is held goes on when there is room."""
        self._unheard_bytes += change
        if self._unheard_bytes <= MAX_UNHEARD_BYTES:
            while self._held:
                self._held.pop().hold(self._work_id, is_held=False)
        elif change > 0:
            self._held.add(client)
            client.hold(self._work_id, is_held=True)
