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
    """What one task has been sent and has not heard yet."""

    def __init__(
        self, work_id: str, ask: Callable[..., asyncio.Future[Any]], end: Callable[[], asyncio.Future[Any]]
    ) -> None:
        """`ask` asks the task's child, `end` tells the child that the audio has ended."""
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
        """The client and request of what is being heard now, or was heard last; None before the first."""
        # Looked at now: callbacks of what was heard run after the message that follows its result is read.
        self._forget_heard()
        return self._waiting[0][0] if self._waiting else self._last

    def hear(self, asker: Asker, audio: bytes, form: str, *, is_whole: bool) -> asyncio.Future[Any]:
        """Let the child hear audio of a client. The future is done when what the audio says has been said.

        Raises Unavailable when the task is paused or its model still loads.
        """
        heard = self._ask("hear", audio, form=form, is_whole=is_whole)
        self._forget_heard()  # `asker` may not be asked for hours
        self._waiting.append((asker, heard))
        self._count(asker.client, len(audio))
        heard.add_done_callback(lambda _: self._count(asker.client, -len(audio)))
        self.close()
        if not is_whole:
            # A client that sends no more has said everything; without silence after it the child would not know.
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_pieces, asker)
        return heard

    def _end_pieces(self, asker: Asker) -> None:
        """Answer the last of the pieces with what is said at their end, also when another upload has come since."""
        self._forget_heard()
        self._waiting.append((asker, self._end()))

    def close(self) -> None:
        """Wait for no more pieces."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _forget_heard(self) -> None:
        while self._waiting and self._waiting[0][1].done():
            self._last = self._waiting.popleft()[0]

    def _count(self, client: Client, change: int) -> None:
        """Hold a client that sends too much; let every held client go on when there is room."""
        self._unheard_bytes += change
        if self._unheard_bytes <= MAX_UNHEARD_BYTES:
            while self._held:
                self._held.pop().hold(self._work_id, is_held=False)
        elif change > 0:
            self._held.add(client)
            client.hold(self._work_id, is_held=True)
