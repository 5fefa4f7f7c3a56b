"""What commands show: for people on a terminal tables and bars, for pipes plain lines that are never cut."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from unitd.core.models.progress import FETCHING, Progress
from unitd.core.visible import SHOWN, SHOWN_IN_PROSE

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

STEPS = 10
"""Lines of a download in a pipe."""


def say(text: str) -> None:
    """Writes what a model or a microphone says: on a terminal without what would act on it, into a pipe as it is."""
    sys.stdout.write(text.translate(SHOWN_IN_PROSE) if sys.stdout.isatty() else text)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table; in a pipe tab-separated lines. Names in it are anybody's, so what does not show itself is shown."""
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
    """How far something is: a bar with words, or a line for each tenth and each new state."""

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
        """Another look; what came of it in the end is for the command to say."""
        if progress.is_last:
            return
        if self._bar is not None and self._task is not None:
            total = progress.total or None
            self._bar.update(self._task, total=total, completed=progress.bytes, words=str(progress))
        else:
            self._write_line(progress)

    def _write_line(self, progress: Progress) -> None:
        """A log keeps every line, so there are few."""
        step = STEPS * progress.bytes // progress.total if progress.total else 0
        now = (progress.state, step if progress.state == FETCHING else 0)
        if now != self._shown:
            self._shown = now
            sys.stdout.write(f"{self._name}: {progress}\n")
            sys.stdout.flush()
