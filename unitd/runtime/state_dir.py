"""The state directory: the work_id counter, the endpoints file, the files of sys.push."""

import asyncio
import fcntl
import logging
import os
from pathlib import Path
from typing import Any

import orjson

from unitd.core.tasks.table import FIRST_NUMBER
from unitd.runtime.atomic_write import replace_file
from unitd.wire.errors import ConfigError

log = logging.getLogger("unitd.state")


class StateDir:
    """Writes every file by rename: a reader sees the old file or the new one, never half of one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = folder / "files"
        self.cache = folder / "cache"
        """What units keep, and may be deleted at any time."""

        self._counter = folder / "counter"
        self._endpoints = folder / "endpoints.json"
        self._saving = asyncio.Lock()
        self._saved_number = 0
        self._lock: int | None = None

    def open(self) -> int:
        """Make and lock the directory; raise ConfigError when it cannot be used. Return the next work_id number."""
        try:
            make_state_folder(self.folder)
            self.files.mkdir(exist_ok=True)
            self._take()
            self._endpoints.unlink(missing_ok=True)
            return self._read_counter()
        except OSError as error:
            raise ConfigError(f"state.dir: cannot use {self.folder}: {error.strerror}") from error

    def _take(self) -> None:
        """Lock the directory for as long as this process lives or until `close`."""
        try:
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            log.error("state.dir %s cannot be written: %s; nothing will survive a restart", self.folder, error)
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise ConfigError(f"state.dir: another daemon uses {self.folder}") from error

    def close(self) -> None:
        """Unlock the directory; safe to call twice."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _read_counter(self) -> int:
        try:
            return max(int(self._counter.read_text()), FIRST_NUMBER)
        except FileNotFoundError:
            return FIRST_NUMBER
        except ValueError:
            aside = self._counter.with_suffix(".damaged")
            self._counter.replace(aside)
            log.error("%s was damaged, it is %s now; numbers begin at %d again", self._counter, aside, FIRST_NUMBER)
            return FIRST_NUMBER

    async def save(self, next_number: int) -> None:
        """Remember the next number; a full disk is logged and stops nothing."""
        async with self._saving:
            if next_number <= self._saved_number:
                return
            try:
                await asyncio.to_thread(replace_file, self._counter, str(next_number).encode())
                self._saved_number = next_number
            except OSError as error:
                log.error("the work_id counter cannot be saved: %s", error)

    async def write_endpoints(self, endpoints: dict[str, Any]) -> None:
        """Write where this daemon can be reached, for programs that started it on port 0."""
        content = orjson.dumps(endpoints, option=orjson.OPT_APPEND_NEWLINE)
        try:
            await asyncio.to_thread(replace_file, self._endpoints, content)
        except OSError as error:
            log.error("endpoints.json cannot be written: %s", error)

    async def remove_endpoints(self) -> None:
        """Remove the endpoints at a clean stop."""
        try:
            await asyncio.to_thread(self._endpoints.unlink, missing_ok=True)
        except OSError as error:
            log.error("endpoints.json cannot be removed: %s", error)


def make_state_folder(folder: Path) -> None:
    """Make the state directory, for its owner alone whatever the umask; one that exists keeps its mode."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
    else:
        folder.chmod(0o700)
