"""Recorded chats that can be fetched again: one file each, only the newest, in a private folder.

Recording is off unless `[http] record_sessions` is on. An id cannot be guessed, and only a well-formed id becomes a
file name, so no path of a request ever reaches the disk. Each token has a folder of its own inside the folder of this
machine.
"""

import logging
import os
import re
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from unitd.core.access.grants import opaque

log = logging.getLogger("unitd.sessions")

# No disk takes so long for one session: its writer was killed.
ABANDONED_SECONDS = 3600.0

# A chat with a minute of audio each way has 13 MB.
MAX_SESSIONS = 100
MAX_BYTES = 256 * 1024 * 1024

_ID = re.compile(r"chat_[0-9a-f]{32}")


class RecordedChats:
    """The folder of recorded chats. Its methods access the disk: call them in a thread."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._clock = clock
        self._tidying = threading.Lock()

    def keep(self, request: str | bytes, answer: dict[str, Any], holder: str = "") -> dict[str, Any]:
        """Write a session of this holder. Return the answer with the session's id; without it when writing failed."""
        session_id = f"chat_{secrets.token_hex(16)}"
        named = answer | {"recording_session_id": session_id}
        session = {
            "id": session_id,
            "created": int(self._clock()),
            "request": orjson.Fragment(request),
            "answer": named,
        }
        try:
            newest = self._write(self._folder_of(holder), session_id, orjson.dumps(session))
            with self._tidying:
                self._forget_old(newest)
                self._forget_abandoned()
        except OSError as error:
            log.warning("a session cannot be recorded: %s", error)
            return answer
        return named

    def read(self, session_id: str, holder: str | None) -> bytes | None:
        """Return the JSON of a session of this holder, or of any holder (None); None when there is no such session."""
        if not _ID.fullmatch(session_id):
            return None
        places = self._folders() if holder is None else [self._folder_of(holder)]
        for folder in places:
            with suppress(FileNotFoundError):
                return (folder / f"{session_id}.json").read_bytes()
        return None

    def _folder_of(self, holder: str) -> Path:
        return self._folder / opaque(holder)

    def _folders(self) -> list[Path]:
        return [self._folder, *(path for path in self._folder.glob("*") if path.is_dir())]

    def _write(self, folder: Path, session_id: str, content: bytes) -> Path:
        """Write a file by rename, so that it is never read half-written."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        partial, whole = (folder / f"{session_id}.{ending}" for ending in ("partial", "json"))
        try:
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
            partial.replace(whole)
        finally:
            partial.unlink(missing_ok=True)
        return whole

    def _forget_old(self, newest: Path) -> None:
        """Remove the oldest sessions over the limits; the newest stays, whatever its size."""
        size = newest.stat().st_size
        others = [(path.stat(), path) for path in self._folder.glob("**/chat_*.json") if path != newest]
        others.sort(key=lambda each: each[0].st_mtime_ns, reverse=True)
        for rank, (stat, path) in enumerate(others, start=1):
            size += stat.st_size
            if rank >= MAX_SESSIONS or size > MAX_BYTES:
                path.unlink()

    def _forget_abandoned(self) -> None:
        """Remove files that a crash left half-written."""
        for path in self._folder.glob("**/chat_*.partial"):
            with suppress(FileNotFoundError):  # it has been renamed meanwhile
                if path.stat().st_mtime < self._clock() - ABANDONED_SECONDS:
                    path.unlink()
