"""Covers cli.tasks on a terminal; what pipes get is test_cli's."""

import asyncio
import os
import pty
from collections.abc import Sequence

from tests.cli.programs import UNITD


async def test_a_terminal_shows_how_much_memory_models_take(at_socket: Sequence[str]) -> None:
    """In one line below the tasks; nothing is loaded yet."""
    ours, theirs = pty.openpty()

    process = await asyncio.create_subprocess_exec(UNITD, "tasks", *at_socket, stdout=theirs)
    status = await process.wait()
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)

    assert status == 0
    assert "No tasks." in shown
    assert "memory: 0 of " in shown
    assert " MiB for models" in shown
