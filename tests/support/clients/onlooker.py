"""The tasks of a daemon as any client sees them, whichever door they came through."""

import asyncio
from typing import Any

from tests.support.waiting import MS
from unitd.app import App
from unitd.doors.local_client import LocalClient


async def tasks_of(app: App) -> list[dict[str, Any]]:
    """Return the rows of sys.lstask."""
    rows: list[dict[str, Any]] = (await LocalClient(app, "onlooker", "tcp").ask("sys", "lstask")).data
    return rows


async def at_work(app: App) -> str:
    """Return the work_id of the only task as soon as it runs."""
    async with asyncio.timeout(5):
        while True:
            tasks = await tasks_of(app)
            if [task["state"] for task in tasks] == ["running"]:
                return str(tasks[0]["work_id"])
            await asyncio.sleep(MS)


async def until_no_task_is_left(app: App, timeout: float = 5.0) -> None:
    """Return when the last task has ended; raise TimeoutError after `timeout` seconds."""
    async with asyncio.timeout(timeout):
        while await tasks_of(app):
            await asyncio.sleep(MS)
