"""Chats that can be fetched again: one file each, the newest of them, in a folder that nobody else reads.

Off unless `[http] record_sessions` is on: what people say is theirs. An id cannot be guessed, and only what looks like
an id becomes a file's name, so no path of a request ever reaches the disk. Each token has a folder of its own, this
machine that around them.
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

# No disk takes so long for one session: who began to write it was killed.
ABANDONED_SECONDS = 3600.0

# A chat with a minute of audio each way has 13 MB.
MAX_SESSIONS = 100
MAX_BYTES = 256 * 1024 * 1024

_ID = re.compile(r"chat_[0-9a-f]{32}")


class RecordedChats:
    """The folder. Its methods touch the disk: call them in a thread."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._clock = clock
        self._tidying = threading.Lock()

    def keep(self, request: str | bytes, answer: dict[str, Any], holder: str = "") -> dict[str, Any]:
        """Writes a holder's session; returns the answer, which names it, or does not when the disk did not take it."""
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
        """The JSON of a session of this holder, or (None) of anybody; None when there is none of this id."""
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
        """By rename, so that nobody reads half of one."""
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
        """The oldest go; the newest stays, however large it is."""
        size = newest.stat().st_size
        others = [(path.stat(), path) for path in self._folder.glob("**/chat_*.json") if path != newest]
        others.sort(key=lambda each: each[0].st_mtime_ns, reverse=True)
        for rank, (stat, path) in enumerate(others, start=1):
            size += stat.st_size
            if rank >= MAX_SESSIONS or size > MAX_BYTES:
                path.unlink()

    def _forget_abandoned(self) -> None:
        """What a crash left half-written goes."""
        for path in self._folder.glob("**/chat_*.partial"):
            with suppress(FileNotFoundError):  # it has its name by now
                if path.stat().st_mtime < self._clock() - ABANDONED_SECONDS:
                    path.unlink()
