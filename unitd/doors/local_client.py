"""A client inside the daemon: what a door's conversation asks goes the way of every request.

Doors of other dialects (HTTP, WebSocket, MQTT, ...) translate to requests and replies of the wire by this class, so
that their tasks are seen, paused, interrupted, limited and measured like those of TCP. Replies find their way by the
request_id: an answer to whoever asked, an inference's frames and a task's own output to the `ReplyStream` that wait
there.

A reader that does not keep up is cut: past `LIMIT_FRAMES` waiting frames its inference ends with an error.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

from unitd.core.access.grants import TRUSTED, Grant
from unitd.doors.base import BaseClient, Server
from unitd.wire.errors import BadField, Unavailable, UnitdError, error_of_code
from unitd.wire.messages import NONE, Reply, Request
from unitd.wire.session import check_depth

# Some minutes of an answer; frames are small.
LIMIT_FRAMES = 16_384


class ReplyStream:
    """The frames of one request, or of a task, in their order; iterate until `close` or the first error."""

    def __init__(self, forget: Callable[[], None]) -> None:
        self._forget = forget
        self._frames: deque[Reply] = deque()
        self._arrived = asyncio.Event()
        self._is_closed = False
        self._is_overrun = False

    def put(self, reply: Reply) -> None:
        """One more frame; too many that nobody takes end it."""
        if len(self._frames) >= LIMIT_FRAMES:
            self._is_overrun = True
            self._forget()
        else:
            self._frames.append(reply)
        self._arrived.set()

    def take_arrived(self) -> list[Reply]:
        """All that has arrived and was not taken; does not wait.

        Raises:
            UnitdError: one of the frames carries its code.
        """
        arrived = [_without_error(frame) for frame in self._frames]
        self._frames.clear()
        return arrived

    def close(self) -> None:
        """Nobody listens any more; what waits is dropped, whoever iterates stops."""
        self._forget()
        self._frames.clear()
        self._is_closed = True
        self._arrived.set()

    def __aiter__(self) -> "ReplyStream":
        return self

    async def __anext__(self) -> Reply:
        """The next frame.

        Raises:
            UnitdError: the frame carries its code, or too many frames waited.
        """
        while not self._frames:
            if self._is_closed:
                raise StopAsyncIteration
            if self._is_overrun:
                raise Unavailable(f"{LIMIT_FRAMES} frames wait, nobody reads them")
            self._arrived.clear()
            await self._arrived.wait()
        return _without_error(self._frames.popleft())


class LocalClient(BaseClient):
    """One conversation of a door."""

    is_gone = False

    def __init__(
        self,
        server: Server,
        name: str,
        door: str,
        *,
        keeps_tasks: bool = False,
        grant: Grant = TRUSTED,
        address: str = "",
        party: str = "",
    ) -> None:
        """Make a client; `party` is what it counts as one with, if it does not count for itself."""
        super().__init__(name, door, grant=grant, address=address, party=party)
        self.keeps_tasks = keeps_tasks
        self._server = server
        self._numbers = itertools.count(1)
        self._listeners: dict[str, Callable[[Reply], None]] = {}

    # As the daemon sees it

    def send(self, reply: Reply) -> None:
        """Passes a reply on to whoever waits for it."""
        if (listener := self._listeners.get(reply.request_id)) is not None:
            listener(reply)

    # As the door uses it

    async def ask(self, work_id: str, action: str, data: Any = None, *, object_: str = NONE) -> Reply:
        """One request and its reply.

        Raises:
            UnitdError: what the reply says.
        """
        request_id = str(next(self._numbers))
        answered: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

        def take(reply: Reply) -> None:
            if not answered.done():
                answered.set_result(reply)

        self._listeners[request_id] = take
        try:
            self._server.serve(self, Request(request_id, work_id, action, object_, data))
            return _without_error(await answered)
        finally:
            self._listeners.pop(request_id, None)

    def infer(
        self, work_id: str, data: str | bytes | None, *, object_: str, options: dict[str, Any] | None = None
    ) -> ReplyStream:
        """Sends an inference at once; its frames arrive at what is returned.

        Raises:
            BadField: the options are nested too deeply.
        """
        request_id, replies = self._listen()
        request = Request(request_id, work_id, "inference", object_, data, options=options or {})
        try:
            check_depth(request)
        except BadField:
            replies.close()
            raise
        self._server.serve(self, request)
        return replies

    def follow(self, work_id: str, action: str, data: Any) -> ReplyStream:
        """Sends a request that is answered by one frame after the other."""
        request_id, replies = self._listen()
        self._server.serve(self, Request(request_id, work_id, action, NONE, data))
        return replies

    def feed(self, work_id: str, object_: str) -> tuple[Callable[[bytes], None], ReplyStream]:
        """For audio that comes piece by piece: what sends a piece, and what the task says about all of them."""
        request_id, replies = self._listen()

        def send(data: bytes) -> None:
            self._server.serve(self, Request(request_id, work_id, "inference", object_, data))

        return send, replies

    async def set_up(self, unit: str, data: dict[str, Any]) -> tuple[str, ReplyStream]:
        """A new task: its work_id, and its output that no request asks for.

        Raises:
            UnitdError: what the reply says.
        """
        request_id, replies = self._listen()
        self._server.serve(self, Request(request_id, unit, "setup", NONE, data))
        try:
            return (await anext(replies)).work_id, replies
        except asyncio.CancelledError:
            replies.close()
            self._listeners[request_id] = self._leave_unwanted
            raise
        except UnitdError:
            replies.close()
            raise

    def leave(self, work_id: str) -> None:
        """Ends a task; not awaited."""
        if not self.is_gone:
            self._server.serve(self, Request(str(next(self._numbers)), work_id, "exit"))

    def _leave_unwanted(self, reply: Reply) -> None:
        """A task whose maker did not wait for it to be set up."""
        self._listeners.pop(reply.request_id, None)
        if not reply.code:
            self.leave(reply.work_id)

    def close(self) -> None:
        """The peer is gone: what it asked for is cut, its tasks end. Safe to call twice."""
        if not self.is_gone:
            self.is_gone = True
            self._listeners.clear()
            self._server.forget_client(self)

    def _listen(self) -> tuple[str, ReplyStream]:
        request_id = str(next(self._numbers))

        def forget() -> None:
            self._listeners.pop(request_id, None)

        replies = ReplyStream(forget)
        self._listeners[request_id] = replies.put
        return request_id, replies


def _without_error(reply: Reply) -> Reply:
    if reply.code:
        raise error_of_code(reply.code, _reason_in(reply))
    return reply


def _reason_in(reply: Reply) -> str:
    """The message without the words that belong to its code."""
    return reply.message.removeprefix(error_of_code(reply.code, "").words).lstrip(": ")
