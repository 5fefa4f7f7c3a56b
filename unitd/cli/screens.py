"""Output of commands: tables and bars on a terminal, plain lines in a pipe, which are never cut."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from unitd.core.models.progress import FETCHING, Progress
from unitd.core.visible import SHOWN, SHOWN_IN_PROSE

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

STEPS = 10
"""The number of lines for a download in a pipe."""


def say(text: str) -> None:
    """Write text of a model or a microphone: with control characters escaped to a terminal, as it is into a pipe."""
    sys.stdout.write(text.translate(SHOWN_IN_PROSE) if sys.stdout.isatty() else text)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, or tab-separated lines in a pipe; control characters in names are escaped."""
    rows = [[cell.translate(SHOWN) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        sys.stdout.write("".join("\t".join(row) + "\n" for row in [columns, *rows]))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")  # a name that is cut cannot be typed
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


class ProgressScreen:
    """Shows progress as a bar with words, or as a line for each tenth and each new state."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._shown: tuple[str, int] | None = None

    def __enter__(self) -> Self:
        if sys.stdout.isatty():
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[words]}"))
            self._task = self._bar.add_task(self._name, total=None, words="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Show a state, except the last one, which the command reports."""
        if progress.is_last:
            return
        if self._bar is not None and self._task is not None:
            total = progress.total or None
            self._bar.update(self._task, total=total, completed=progress.bytes, words=str(progress))
        else:
            self._write_line(progress)

    def _write_line(self, progress: Progress) -> None:
        """Write a line if the state or the tenth is new: a log keeps every line."""
        step = STEPS * progress.bytes // progress.total if progress.total else 0
        now = (progress.state, step if progress.state == FETCHING else 0)
        if now != self._shown:
            self._shown = now
            sys.stdout.write(f"{self._name}: {progress}\n")
            sys.stdout.flush()
