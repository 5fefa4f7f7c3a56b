"""Covers cli.tasks on a terminal; what pipes get is test_cli's."""

import asyncio
import os
import pty
from collections.abc import Sequence

import pytest

from tests.support.command_line import UNITD
from tests.support.daemon import tcp_client
from tests.support.setups import LLM_SETUP
from unitd.app import App


async def shown_on_a_terminal(at_socket: Sequence[str]) -> str:
    """What the command writes there."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(UNITD, "tasks", *at_socket, stdout=theirs)
    status = await process.wait()
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    os.close(theirs)
    assert status == 0
    return shown


async def test_a_terminal_shows_how_much_memory_models_take(at_socket: Sequence[str]) -> None:
    """In one line below the tasks; nothing is loaded yet."""
    shown = await shown_on_a_terminal(at_socket)

    assert "No tasks." in shown
    assert "memory: 0 of " in shown
    assert " MiB for models" in shown


async def test_a_terminal_shows_why_a_task_has_failed(echo_daemon: App, at_socket: Sequence[str]) -> None:
    """In a line of its own."""
    async with tcp_client(echo_daemon) as client:
        task = await client.setup("llm", LLM_SETUP)
        for _ in range(2):
            await client.frames(await client.infer(task, "abort"))

        shown = await shown_on_a_terminal(at_socket)

    assert f"{task} has failed: llm/unitd-chat died twice while it worked on this task: " in shown


@pytest.mark.parametrize("is_terminal", [True, False])
async def test_names_cannot_act_on_a_terminal(echo_daemon: App, at_socket: Sequence[str], is_terminal: bool) -> None:
    """What a client called its input is shown as it is spelled, in a pipe too."""
    async with tcp_client(echo_daemon) as client:
        await client.setup("llm", LLM_SETUP, input="llm.\u202egnp\x1b[2J\n1")
        ours, theirs = pty.openpty()
        stdout = theirs if is_terminal else asyncio.subprocess.PIPE
        environment = os.environ | {"COLUMNS": "200"}
        process = await asyncio.create_subprocess_exec(UNITD, "tasks", *at_socket, stdout=stdout, env=environment)
        piped, _ = await process.communicate()
        shown = os.read(ours, 65536) if is_terminal else piped
        os.close(ours)
        os.close(theirs)

    assert "llm.\\u202egnp\\x1b[2J\\x0a1" in shown.decode()
