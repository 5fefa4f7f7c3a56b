"""Work on a client's text in a process of its own, with a limit of time and of memory.

Native libraries end their process when memory is short, and cannot be interrupted. A forked process has everything
loaded already and shares its memory, so a fork takes some milliseconds, and its end harms no other process. Fork from
the main thread only: no other thread calls native code that may hold a lock.
"""

import ctypes
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

_PR_SET_PDEATHSIG = 1
_CHANNEL = 3
"""The file descriptor of the connection in a program of its own."""


class Confined(NamedTuple):
    """A working process and the connection to it."""

    pid: int
    connection: "Connection[object, object]"

    def end(self) -> None:
        """Kill the process. The connection stays open for the thread that waits for a result."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kill the process and close the connection; called once."""
        self.end()
        os.waitpid(self.pid, 0)
        self.connection.close()


def start(work: Callable[["Connection[object, object]"], None]) -> Confined:
    """Fork a process that does this work and ends. It also ends with the thread that called this function."""
    ours, theirs = Pipe()
    pid = fork(work, theirs)
    theirs.close()
    return Confined(pid, ours)


def start_program(module: str) -> Confined:
    """Start a module, which calls `run`, as a program of its own: it has nothing of this one's memory."""
    ours, theirs = Pipe()
    command = [sys.executable, "-m", module, str(os.getpid())]
    actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), _CHANNEL)]  # nothing else is inherited
    pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=actions)
    theirs.close()
    return Confined(pid, ours)


def run(work: Callable[["Connection[Any, Any]"], None]) -> None:
    """Do the work of a program that `start_program` has started; it never returns."""
    _carry_out(work, Connection(_CHANNEL), parent=int(sys.argv[1]))


def fork(work: Callable[["Connection[object, object]"], None], connection: "Connection[object, object]") -> int:
    """Do the same as `start` with an existing connection; return the process's id."""
    parent = os.getpid()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python 3.12 and later warn of other threads. Those of this program wait, and the child needs none.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if not pid:
        _carry_out(work, connection, parent)
    return pid


def _carry_out(work: Callable[["Connection[Any, Any]"], None], connection: "Connection[Any, Any]", parent: int) -> None:
    """Do the work and end this process."""
    try:
        _detach(parent, connection.fileno())
        work(connection)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the program does not wait for the result any more
    except MemoryError:
        pass  # the limit is reached
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _detach(parent: int, kept: int) -> None:
    """Close what belongs to the parent, above all sockets to the daemon, which would stay open otherwise."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.closerange(3, kept)
    os.closerange(kept + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(more: int) -> None:
    """Allow this process `more` bytes from here on. Memory that is mapped from a file does not count."""
    with open("/proc/self/statm") as file:
        data_pages = int(file.read().split()[5])
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = data_pages * resource.getpagesize() + more
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def limit_time(seconds: float) -> None:
    """End this process when it has computed for so many seconds from here on; 0 removes the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
