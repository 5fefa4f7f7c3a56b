"""A client inside the daemon, for doors that speak another protocol than the wire's (HTTP, WebSocket, MQTT, ...).

Such a door translates its conversations to requests and replies of the wire with this class, so its tasks are listed,
paused, interrupted, limited and measured like those of TCP clients. The request_id routes a reply: an answer to the
caller of `ask`, the frames of an inference and the output of a task to their `ReplyStream`.

A reader that does not keep up is cut off: past `LIMIT_FRAMES` waiting frames its inference ends with an error.
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
    """The frames of one request or one task, in order. Iterate over it until `close` or the first error."""

    def __init__(self, forget: Callable[[], None]) -> None:
        self._forget = forget
        self._frames: deque[Reply] = deque()
        self._arrived = asyncio.Event()
        self._is_closed = False
        self._is_overrun = False

    def put(self, reply: Reply) -> None:
        """Add a frame; end the stream when too many frames wait."""
        if len(self._frames) >= LIMIT_FRAMES:
            self._is_overrun = True
            self._forget()
        else:
            self._frames.append(reply)
        self._arrived.set()

    def take_arrived(self) -> list[Reply]:
        """Return all frames that wait, without waiting for more.

        Raises:
            UnitdError: one of the frames carries its code.
        """
        arrived = [_without_error(frame) for frame in self._frames]
        self._frames.clear()
        return arrived

    def close(self) -> None:
        """Stop listening: drop the frames that wait and end the iteration."""
        self._forget()
        self._frames.clear()
        self._is_closed = True
        self._arrived.set()

    def __aiter__(self) -> "ReplyStream":
        return self

    async def __anext__(self) -> Reply:
        """Return the next frame.

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
        """Pass a reply on to the caller or the stream that waits for it."""
        if (listener := self._listeners.get(reply.request_id)) is not None:
            listener(reply)

    # As the door uses it

    async def ask(self, work_id: str, action: str, data: Any = None, *, object_: str = NONE) -> Reply:
        """Send a request and return its reply.

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
        """Send an inference at once and return the stream of its frames.

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
        """Send a request that is answered by several frames, and return their stream."""
        request_id, replies = self._listen()
        self._server.serve(self, Request(request_id, work_id, action, NONE, data))
        return replies

    def feed(self, work_id: str, object_: str) -> tuple[Callable[[bytes], None], ReplyStream]:
        """Return a function that sends a piece of audio, and the stream of the task's answers to all pieces."""
        request_id, replies = self._listen()

        def send(data: bytes) -> None:
            self._server.serve(self, Request(request_id, work_id, "inference", object_, data))

        return send, replies

    async def set_up(self, unit: str, data: dict[str, Any]) -> tuple[str, ReplyStream]:
        """Set up a task. Return its work_id, and the stream of the output that no request asks for.

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
        """End a task, without waiting for the end."""
        if not self.is_gone:
            self._server.serve(self, Request(str(next(self._numbers)), work_id, "exit"))

    def _leave_unwanted(self, reply: Reply) -> None:
        """End a task whose caller was cancelled before the task was set up."""
        self._listeners.pop(reply.request_id, None)
        if not reply.code:
            self.leave(reply.work_id)

    def close(self) -> None:
        """Cut all requests of this client and end its tasks. Safe to call twice."""
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
    """Return the message of a reply without the words that belong to its code."""
    return reply.message.removeprefix(error_of_code(reply.code, "").words).lstrip(": ")
