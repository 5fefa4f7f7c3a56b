"""Work that a stranger's text asks for, in a process of its own with a limit of time and of memory.

Native libraries end their process when memory is short, and cannot be interrupted. A forked process has everything
loaded already and shares its memory, so that one takes some milliseconds; what happens to it happens to nobody else.
Fork from the main thread only: no other one calls native code that may hold a lock.
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
from typing import NamedTuple

_PR_SET_PDEATHSIG = 1


class Confined(NamedTuple):
    """A process that works, and the connection to it."""

    pid: int
    connection: "Connection[object, object]"

    def end(self) -> None:
        """Ends it, whatever it is doing; the connection stays for whoever waits."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Ends it, connection and all; called once."""
        self.end()
        os.waitpid(self.pid, 0)
        self.connection.close()


def start(work: Callable[["Connection[object, object]"], None]) -> Confined:
    """Forks a process that does this work and ends. It ends with the thread that called this, too."""
    ours, theirs = Pipe()
    pid = fork(work, theirs)
    theirs.close()
    return Confined(pid, ours)


def fork(work: Callable[["Connection[object, object]"], None], connection: "Connection[object, object]") -> int:
    """As `start`, with a connection that is there already; returns the process's id."""
    parent = os.getpid()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python 3.12 and later warn of other threads. This program's waits for a socket, and the child needs none.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return pid
    try:
        _detach(parent, connection.fileno())
        work(connection)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        pass  # nobody wants to know any more
    except MemoryError:
        pass  # as it was meant
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _detach(parent: int, kept: int) -> None:
    """Lets go of what is the parent's, sockets to the daemon above all, which would seem to live on."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.closerange(3, kept)
    os.closerange(kept + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_memory(more: int) -> None:
    """From here on this process may take so many bytes more; for what is mapped from a file there is no limit."""
    with open("/proc/self/statm") as file:
        data_pages = int(file.read().split()[5])
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = data_pages * resource.getpagesize() + more
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def limit_time(seconds: float) -> None:
    """This process ends when it has computed for so long from here on; 0: there is no limit any more."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
