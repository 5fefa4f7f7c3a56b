"""A process that forks on demand: one process for each piece of work (units.confined), each within milliseconds.

The fork server is forked when the program is small, or is a program of its own: the memory that it shares is never
written to again, and the processes that it forks share what it has loaded. It waits for connections and forks for each
one.
"""

import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from units import confined

Work = Callable[["Connection[Any, Any]"], None]


def hang_up(connection: "Connection[Any, Any]") -> None:
    """End a process at once or by its limits. The connection stays open for a thread that waits, which goes on."""
    with socket.socket(fileno=os.dup(connection.fileno())) as end, suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def serve(
    connection: "Connection[Any, Any]",
    work: Work,
    prepare: Callable[[], object],
    refusal: Callable[[OSError], object],
) -> None:
    """Be a fork server: prepare once, then do the work in a new process for each connection that is sent.

    `refusal` makes the message for a process that cannot start.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # its children are not waited for
    prepare()
    while True:
        wanted: Connection[Any, Any] = Connection(recv_handle(connection))
        try:
            confined.fork(work, wanted)
        except OSError as error:  # the limit of processes is reached
            wanted.send(refusal(error))
        wanted.close()


class ForkServer:
    """Starts processes that do one kind of work."""

    def __init__(self, start: Callable[[], confined.Confined]) -> None:
        """`start` starts a process that calls `serve`."""
        self._start = start
        self._server: confined.Confined | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the server; one that is forked shares the less memory, the earlier it is."""
        if self._server is None:
            self._server = self._start()

    def begin(self) -> "Connection[Any, Any]":
        """Return the connection to a new process; from any thread. A fork server that was killed is started again."""
        ours, theirs = Pipe()
        with self._lock:
            try:
                self._hand_over(theirs)
            except OSError:
                self.close()
                self._hand_over(theirs)
        theirs.close()
        return ours

    def _hand_over(self, connection: "Connection[Any, Any]") -> None:
        self.start()
        assert self._server is not None
        send_handle(self._server.connection, connection.fileno(), self._server.pid)

    def close(self) -> None:
        """End the server; a process that works ends with its connection or by its limits."""
        if self._server is not None:
            self._server.close()
            self._server = None
