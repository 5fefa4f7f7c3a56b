"""What anybody sees of a daemon's tasks, whichever door they came by."""

import asyncio
from typing import Any

from tests.support.waiting import MS
from unitd.app import App
from unitd.doors.local_client import LocalClient


async def tasks_of(app: App) -> list[dict[str, Any]]:
    """The rows of sys.lstask."""
    rows: list[dict[str, Any]] = (await LocalClient(app, "onlooker", "tcp").ask("sys", "lstask")).data
    return rows


async def at_work(app: App) -> str:
    """The work_id of the one task, as soon as it runs."""
    async with asyncio.timeout(5):
        while True:
            tasks = await tasks_of(app)
            if [task["state"] for task in tasks] == ["running"]:
                return str(tasks[0]["work_id"])
            await asyncio.sleep(MS)


async def until_no_task_is_left(app: App, timeout: float = 5.0) -> None:
    """Returns when the last task has ended."""
    async with asyncio.timeout(timeout):
        while await tasks_of(app):
            await asyncio.sleep(MS)
