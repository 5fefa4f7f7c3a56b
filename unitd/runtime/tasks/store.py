"""What must survive the daemon: its tasks with their links and conversations, in SQLite.

The store follows all tasks (an `Observer`). What changed is written in one transaction by one thread, at once and
never while another write is under way; a setup is acknowledged when its task is on the disk (`settled`). Only tasks of
clients that come back are kept: not those of a request or socket, not those of a pipeline.

A database that cannot be read is set aside and a new one begun. A disk that is full is logged once; the daemon goes on,
and what could not be written is tried again with the next change.
"""

import asyncio
import logging
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from unitd.core.tasks.table import Task
from unitd.wire.messages import Reply

log = logging.getLogger("unitd.journal")

SCHEMA_VERSION = 1
PRIVATE = 0o600
_SCHEMA = "CREATE TABLE task (work_id TEXT PRIMARY KEY, content BLOB NOT NULL)"


@dataclass(frozen=True)
class StoredTask:
    """One task, as it is set up again."""

    work_id: str
    unit: str
    request_id: str
    created: int
    data: dict[str, Any]
    """The setup as the client sent it."""

    inputs: list[str]
    memory: Any = None
    """What the unit remembers of a conversation."""

    holder: str = ""
    """The name of the grant it was set up with. The file says `holder`, and older ones are read."""

    setup_deaths: int = 0
    """Deaths of its program that count against the task (`core.tasks.deaths`)."""

    inference_deaths: int = 0
    is_being_set_up: bool = False
    """True while its program is busy with a setup that takes long: a daemon that ends now may have ended over it."""

    failure: str = ""
    """Why it is not set up again; "" for a task that has not failed."""


class TaskStore:
    """Remembers tasks, from `open` to `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._look_up: Callable[[str], StoredTask | None] = lambda _: None
        self._dirty: set[str] = set()
        self._known: dict[str, StoredTask | None] = {}
        """What is on the disk; None where that is not known, after a write that failed."""

        self._unwritten: set[str] = set()
        self._writing: asyncio.Task[None] | None = None
        self._is_open = False
        self._has_failed = False

    async def open(self, look_up: Callable[[str], StoredTask | None]) -> list[StoredTask]:
        """Return the tasks of the last run, oldest first.

        `look_up` returns what there is to remember of a task, None when there is nothing (any more).
        """
        self._look_up = look_up
        tasks = await asyncio.to_thread(self._read)
        self._known |= {stored.work_id: stored for stored in tasks}
        self._is_open = True
        return tasks

    async def close(self) -> None:
        """Remember nothing more: the tasks end because the daemon does."""
        self._is_open = False
        await self.settled()

    def on_said(self, task: Task, reply: Reply) -> None:
        """Let output pass."""

    def on_changed(self, work_id: str) -> None:
        """Look at the task when the writer comes to it."""
        if self._is_open:
            self._dirty |= {work_id, *self._unwritten}
            if self._writing is None:
                self._writing = asyncio.get_running_loop().create_task(self._write(), name="journal")

    async def settled(self) -> None:
        """Return when everything so far is on the disk, or could not be written."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        try:
            while self._dirty:
                changed, self._dirty = self._changes(), set()
                is_written = not changed or await asyncio.to_thread(self._store, changed)
                self._note(changed, is_written=is_written)
        finally:
            self._writing = None

    def _changes(self) -> dict[str, StoredTask | None]:
        """Return what is different from what is on the disk."""
        now = {work_id: self._look_up(work_id) for work_id in self._dirty}
        return {
            work_id: stored
            for work_id, stored in now.items()
            if (work_id in self._known or stored is not None) and self._known.get(work_id, ...) != stored
        }

    def _note(self, changed: dict[str, StoredTask | None], *, is_written: bool) -> None:
        if not is_written:
            self._unwritten |= changed.keys()
            self._known |= dict.fromkeys(changed)
            return
        self._unwritten -= changed.keys()
        self._known = {work_id: stored for work_id, stored in (self._known | changed).items() if stored is not None}

    # In a thread

    def _read(self) -> list[StoredTask]:
        try:
            return self._read_all()
        except (sqlite3.DatabaseError, orjson.JSONDecodeError, TypeError, _WrongSchema) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_ITS_FAULT:
                log.error("the journal cannot be read now: %s; its tasks come back with the next start", error)
                return []
            aside = self._path.with_suffix(".damaged")
            try:
                self._path.replace(aside)
            except OSError as failure:
                log.error("the journal %s cannot be used: %s; %s", self._path, error, failure)
            else:
                log.error("the journal could not be read (%s), it is %s now; tasks begin anew", error, aside)
            return []

    def _read_all(self) -> list[StoredTask]:
        if not self._path.exists():
            return []
        with closing(self._connect()) as database:
            rows = database.execute("SELECT work_id, content FROM task").fetchall()
        tasks = [StoredTask(work_id, **orjson.loads(content)) for work_id, content in rows]
        return sorted(tasks, key=lambda stored: int(stored.work_id.rpartition(".")[2]))

    def _connect(self) -> sqlite3.Connection:
        """Open the database; raise sqlite3.DatabaseError, or _WrongSchema for a journal of a newer unitd."""
        self._keep_private()
        database = sqlite3.connect(self._path, isolation_level=None)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                database.execute(_SCHEMA)
                database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            elif version != SCHEMA_VERSION:
                raise _WrongSchema(f"its schema is {version}, this unitd knows {SCHEMA_VERSION}")
        except BaseException:
            database.close()
            raise
        return database

    def _keep_private(self) -> None:
        """Give the journal mode 0600 whatever the umask: it holds prompts and conversations.

        SQLite gives its -wal and -shm files the mode of the database; those of an earlier release may be open to all.
        """
        with suppress(OSError):  # SQLite meets the same error and it is reported there
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE))
        for path in (self._path, *(self._path.with_name(self._path.name + end) for end in ("-wal", "-shm"))):
            with suppress(OSError):
                if stat.S_IMODE(path.stat().st_mode) != PRIVATE:
                    path.chmod(PRIVATE)

    def _store(self, changed: dict[str, StoredTask | None]) -> bool:
        """Write the changes. Return False when the disk does not take them; the log says so once."""
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN")
                database.executemany("DELETE FROM task WHERE work_id = ?", [(each,) for each in changed])
                database.executemany(
                    "INSERT INTO task VALUES (?, ?)", [_row(each) for each in changed.values() if each]
                )
                database.execute("COMMIT")
        except (sqlite3.Error, OSError, _WrongSchema) as error:
            if not self._has_failed:
                log.error("the journal cannot be written: %s; tasks would not survive a restart", error)
            self._has_failed = True
            return False
        self._has_failed = False
        return True


# The disk is full or broken, the file locked or protected: its content is good.
_NOT_ITS_FAULT = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
)


class _WrongSchema(Exception):
    """A database with a schema of another version."""


def _row(stored: StoredTask) -> tuple[str, bytes]:
    return stored.work_id, orjson.dumps({key: value for key, value in vars(stored).items() if key != "work_id"})
