"""`unitd tasks`: lists the tasks, on a terminal as a table, in a pipe as tab-separated lines."""

import argparse
import sys
import time
from typing import Any

from unitd.cli.connection import DaemonConnection
from unitd.cli.screens import print_table
from unitd.core.models.memory import in_mib

COLUMNS = ("work_id", "model", "state", "queue", "inputs", "door", "since", "served by")


def run(arguments: argparse.Namespace) -> int:
    """Print the tasks and return 0."""
    connection = DaemonConnection(arguments)
    tasks = connection.ask(action="lstask")["data"]
    rows = [_row(task) for task in tasks]
    if sys.stdout.isatty() and not rows:
        sys.stdout.write("No tasks. A client sets one up, or try: unitd chat\n")
    else:
        print_table(COLUMNS, rows)
    if sys.stdout.isatty():
        for task in tasks:
            if "reason" in task:
                sys.stdout.write(f"{task['work_id']} has failed: {task['reason']}\n")
        memory = connection.ask(action="cmminfo")["data"]
        used, total = (in_mib(memory[key] * 1024) for key in ("used", "total"))
        sys.stdout.write(f"memory: {used} of {total} MiB for models\n")
    return 0


def _row(task: dict[str, Any]) -> tuple[str, ...]:
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(task["created"]))
    inputs = " ".join(task["inputs_"])
    return (
        task["work_id"],
        task["model"],
        task["state"],
        str(task["queue"]),
        inputs,
        task["door"],
        since,
        task["served_by"],
    )
