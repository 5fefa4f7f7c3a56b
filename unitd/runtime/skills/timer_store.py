"""The file of the timers: what it says outlives the daemon, a power cut, and the release before."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from unitd.core.timers import Moment, State, Timer, after_reboot, check
from unitd.runtime.atomic_write import replace_file

log = logging.getLogger("unitd.timers")

_FIELDS = {each.name for each in fields(Timer)}


class Kept(NamedTuple):
    """What the file holds."""

    timers: list[Timer]
    next_id: int = 1
    offset: float | None = None
    """What the clock on the wall was ahead of the one since the boot; None when that was another boot."""

    taken_over: str = ""
    """The hash of the delayed commands of the release before that are among the timers."""


class TimerStore:
    """Replaces the file at each change; several changes at a time cost one write."""

    def __init__(self, path: Path, old_path: Path) -> None:
        """`old_path` is the file of the delayed commands of the release before."""
        self._path = path
        self._old_path = old_path
        self._taken_over = ""
        self._changes = 0
        self._written = 0
        self._writing: asyncio.Future[None] | None = None

    def read(self, now: Moment) -> Kept:
        """Return what the last daemon left; raise OSError when the file cannot be read, nor be set aside."""
        kept = self._read_file(now)
        self._taken_over = kept.taken_over
        try:
            return self._with_old_commands(kept, now)
        except OSError as error:
            log.error("the delayed commands of the release before cannot be taken over now: %s", error)
            return kept

    def _with_old_commands(self, kept: Kept, now: Moment) -> Kept:
        """Take the delayed commands of the release before over: a power cut neither loses nor doubles one."""
        try:
            old = self._old_path.read_bytes()
        except FileNotFoundError:
            return kept
        digest = hashlib.sha256(old).hexdigest()
        if digest != kept.taken_over:
            commands = list(_old_commands(old, kept.next_id, now))
            kept = kept._replace(timers=[*kept.timers, *commands], next_id=kept.next_id + len(commands))
            replace_file(self._path, self._content(kept.timers, kept.next_id, now, digest), 0o600)
            self._taken_over = digest
            log.info("%d delayed commands of the release before are timers now", len(commands))
        with suppress(OSError):  # it is known by its hash as long as it is there
            self._old_path.unlink()
        return kept

    def _read_file(self, now: Moment) -> Kept:
        try:
            document = orjson.loads(self._path.read_bytes())
            rows, offset = document["timers"], float(document["offset"])
            next_id, is_same_boot = int(document["next_id"]), document["boot_id"] == now.boot_id
            timers = [each for row in rows if (each := _maybe_timer(row)) is not None]
        except FileNotFoundError:
            return Kept([])
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            aside = self._path.with_suffix(".damaged")
            self._path.replace(aside)
            log.error("%s was damaged (%s), it is %s now; its timers are lost", self._path, error, aside)
            return Kept([])
        if len(timers) < len(rows):
            log.error("%s: %d timers cannot be read and are lost", self._path, len(rows) - len(timers))
        kept = [after_reboot(each, offset, now) for each in timers]
        next_id = max([next_id, *(each.id + 1 for each in kept)])
        return Kept(kept, next_id, offset if is_same_boot else None, str(document.get("taken_over", "")))

    async def save(self, state: Callable[[], tuple[Iterable[Timer], int, Moment]]) -> None:
        """Return once the present state is on the disk; raise OSError when it cannot be written."""
        self._changes += 1
        wanted = self._changes
        while self._written < wanted:
            if self._writing is None or self._writing.done():
                self._writing = asyncio.ensure_future(self._write(state))
            await asyncio.shield(self._writing)

    async def _write(self, state: Callable[[], tuple[Iterable[Timer], int, Moment]]) -> None:
        changes, content = self._changes, self._content(*state(), self._taken_over)
        await asyncio.to_thread(replace_file, self._path, content, 0o600)
        self._written = changes

    @staticmethod
    def _content(timers: Iterable[Timer], next_id: int, now: Moment, taken_over: str) -> bytes:
        document = {
            "boot_id": now.boot_id,
            "offset": now.offset,
            "next_id": next_id,
            "taken_over": taken_over,
            "timers": list(timers),
        }
        return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def _maybe_timer(row: Any) -> Timer | None:
    """Return the timer of a row; None for one that is none. Keys of a later release are left out."""
    try:
        timer = Timer(**{key: value for key, value in row.items() if key in _FIELDS} | {"state": State(row["state"])})
        check(timer)
    except (TypeError, ValueError, KeyError, AttributeError):
        return None
    return timer


def _old_commands(content: bytes, next_id: int, now: Moment) -> Iterable[Timer]:
    """Yield the commands of the release before, which followed the clock on the wall."""
    try:
        rows = [(float(row["due"]), str(row["text"]), dict(row["setup"])) for row in orjson.loads(content)]
    except (ValueError, TypeError, KeyError) as error:
        log.error("the delayed commands of the release before cannot be read, they are left undone: %s", error)
        return
    for number, (due, text, setup) in enumerate(rows, next_id):
        room = str(setup.get("area") or "")
        yield Timer(number, "timer", now.wall, area=room, command=text, setup=setup, end=due)
