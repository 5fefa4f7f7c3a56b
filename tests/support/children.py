"""The child processes that tests leave behind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

_kept: set[int] = set()
"""Children that outlive a test, such as the browser of the page's tests."""


@contextmanager
def kept_children() -> Iterator[None]:
    """Let the children that run now outlive the tests inside the `with` block."""
    kept = {child.pid for child in own_children()}
    _kept.update(kept)
    yield
    _kept.difference_update(kept)


def own_children() -> list[psutil.Process]:
    """Return the processes that the present test has started, such as the programs of its own daemon."""
    return [child for child in psutil.Process().children() if child.pid not in _kept]


def children_left() -> list[psutil.Process]:
    """Return the processes that were started and have not ended, without those that are kept and their own children."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # there is none; to look through /proc takes a hundred times as long
        return []
    direct = own_children()
    return direct + [each for child in direct for each in _below(child)]


def _below(process: psutil.Process) -> list[psutil.Process]:
    """Return the children of a process, and theirs; none if it has ended meanwhile."""
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def is_alive(process: psutil.Process) -> bool:
    """Return False for a process that has ended, also while its parent has not waited for it."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
