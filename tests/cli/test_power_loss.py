"""Covers runtime.journal and state: the daemon ends at every point at which it writes, as if the power went.

strace ends it before its n-th system call that changes a file, for every n until a whole life goes through.
"""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.command_line import STARTED, UNITD
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import KWS_SETUP
from tests.support.waiting import eventually

CHANGING = "pwrite64,fsync,fdatasync,rename,unlink,ftruncate"
EVERY = 3
"""Of some fifty points; `bench/kills.py` kills at random moments instead."""


def can_trace() -> bool:
    """Not every machine lets one program look at another."""
    traced = ["strace", "-qq", "-o", "/dev/null", "true"]
    return shutil.which("strace") is not None and subprocess.run(traced, check=False).returncode == 0


pytestmark = [
    pytest.mark.skipif(not can_trace(), reason="strace is not there, or may not look at programs here"),
    pytest.mark.timeout(300),
]


class Life:
    """One daemon, with what it has acknowledged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.set_up: list[str] = []
        self.asked_to_end: set[str] = set()
        self.ended: set[str] = set()

    async def start(self, *before: str) -> asyncio.subprocess.Process:
        """Starts it; returns when it is ready, or dead."""
        (self.folder / "state" / "endpoints.json").unlink(missing_ok=True)
        command = (*before, UNITD, "serve", "--config", str(self.folder / "unitd.toml"))
        pipe = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env={"HOME": "/nonexistent"})
        STARTED.append(process)
        ready = self.folder / "state" / "endpoints.json"
        await eventually(lambda: process.returncode is not None or ready.exists(), timeout=60)
        return process

    @asynccontextmanager
    async def client(self) -> AsyncIterator[WireClient]:
        """A client of its Unix socket."""
        client = WireClient(*await asyncio.open_unix_connection(str(self.folder / "state" / "unitd.sock")))
        try:
            yield client
        finally:
            await client.close()

    async def live(self) -> None:
        """Sets tasks up and ends one of them, until everything is done or the daemon is gone."""
        with suppress(OSError, EOFError):
            async with self.client() as client:
                for _ in range(3):
                    self.set_up.append(await client.setup("kws", KWS_SETUP, input="kws.base64"))
                self.asked_to_end.add(self.set_up[1])
                await client.ask(work_id=self.set_up[1], action="exit")
                self.ended.add(self.set_up[1])


async def dies_at(folder: Path, number: int) -> bool:
    """One life that ends before its n-th change of a file, and what the next one knows of it; False if it did not."""
    folder.mkdir()
    (folder / "unitd.toml").write_text(f'[state]\ndir = "{folder}/state"\n[tcp]\nport = 0\n[http]\nenabled = false\n')
    life = Life(folder)
    inject = ("-e", f"trace={CHANGING}", "-e", f"inject={CHANGING}:signal=KILL:when={number}")
    dying = await life.start("strace", "-f", "-qq", "-o", "/dev/null", *inject)
    await life.live()
    was_killed = not life.ended
    if not was_killed:
        for daemon in psutil.Process(dying.pid).children():
            daemon.terminate()
    await dying.wait()

    async with running_app(folder / "state", argv_for=bad_unit()) as following, tcp_client(following) as client:
        known = {task["work_id"] for task in (await client.ask(work_id="sys", action="lstask"))["data"]}
        new = await client.setup("kws", KWS_SETUP, input="kws.base64")

    assert set(life.set_up) - life.asked_to_end <= known, f"lost at change {number}"
    assert not life.ended & known, f"came back at change {number}"
    assert new not in life.set_up, f"a number was given twice at change {number}"
    return was_killed


async def test_no_task_is_lost_and_no_number_given_twice_whenever_the_power_goes(tmp_path: Path) -> None:
    """What was acknowledged is there, what was acknowledged as ended is not, and the daemon starts each time."""
    number = 1
    while await dies_at(tmp_path / str(number), number):
        number += EVERY

    assert number > EVERY * 3, "the injection has hit something"
