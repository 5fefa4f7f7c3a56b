"""The formats of the daemon's log: lines for people, JSON for programs, fields for systemd's journal.

Text from clients (a request_id, the name of a model) cannot leave its line: control and format characters are escaped,
the further lines of a record are indented, and a long record is cut.
"""

import asyncio
import errno
import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from unitd.core.visible import SHOWN_IN_TEXT
from unitd.runtime.log_context import LogContext, LogContextFilter
from unitd.service.journald import JOURNAL, JournalHandler
from unitd.wire.errors import ConfigError

# The last lines of a unit program's stderr have half of it; text from clients must not fill a disk.
MAX_CHARACTERS = 16 * 1024

# asyncio tries again each second, up to a hundred times for each door, and logs a traceback each time.
NO_DESCRIPTORS_EVERY_SECONDS = 60.0

log = logging.getLogger("unitd")


class LoopErrors:
    """Exception handler of the event loop: logs errors; a lack of file descriptors only once a minute."""

    def __init__(self) -> None:
        self._next_at = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in (errno.EMFILE, errno.ENFILE):
            loop.default_exception_handler(context)
        elif loop.time() >= self._next_at:
            self._next_at = loop.time() + NO_DESCRIPTORS_EVERY_SECONDS
            log.error("new clients wait: %s; those that are connected are served", error.strerror)


class TextFormatter(logging.Formatter):
    """Formats a line for people, with work_id, client and request in brackets at its end."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line without a traceback, which the library adds."""
        subject: LogContext | None = getattr(record, "subject", None)
        return super().formatMessage(record) + (_bracketed(subject) if subject else "")

    def format(self, record: logging.LogRecord) -> str:
        """Return one record; only its first line begins at the margin."""
        return shortened(super().format(record)).translate(SHOWN_IN_TEXT).replace("\n", "\n    ")


def shortened(text: str) -> str:
    """Return a text; of a long one the beginning and the end, which matter most in a traceback."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]} ... ({len(text) - 2 * half} characters) ... {text[-half:]}"


def _bracketed(subject: LogContext) -> str:
    return f"  [{subject.work_id}, {subject.client}, request {subject.request_id}]"


class JsonFormatter(logging.Formatter):
    """Formats one JSON object per line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of one record, without keys that have no value."""
        subject: LogContext | None = getattr(record, "subject", None)
        line: dict[str, object] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": shortened(record.getMessage()),
        }
        if subject is not None:
            line |= subject._asdict()
        if record.exc_info:
            line["traceback"] = shortened(self.formatException(record.exc_info))
        return json.dumps(line)  # orjson refuses half a surrogate pair, which a client may send


def start_logging(
    level: str, format_: str, environment: Mapping[str, str], stream: TextIO = sys.stderr, journal: Path = JOURNAL
) -> None:
    """Start the log in the format auto, text, json or journal; auto is journal if standard error goes there, else text.

    Raises:
        ConfigError: the format is journal, and there is no journal.
    """
    if format_ == "auto":
        format_ = "journal" if journal.is_socket() and _leads_to_journal(stream, environment) else "text"
    handler = _journal_at(journal) if format_ == "journal" else logging.StreamHandler(stream)
    handler.setFormatter({"text": TextFormatter, "json": JsonFormatter, "journal": logging.Formatter}[format_]())
    handler.addFilter(LogContextFilter())
    logging.getLogger().addHandler(handler)
    set_level(level)
    for library in ("asyncio", "httpx"):
        logging.getLogger(library).setLevel(logging.WARNING)


def set_level(level: str) -> None:
    """Set the level: debug, info, warning or error."""
    logging.getLogger().setLevel(level.upper())


def _journal_at(path: Path) -> logging.Handler:
    try:
        return JournalHandler(path)
    except OSError as error:
        raise ConfigError(f"log.format is journal, and {path} takes nothing: {error.strerror}") from error


def _leads_to_journal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether the stream itself goes to systemd's journal: JOURNAL_STREAM may be that of a parent process."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):  # closed, or a stream without a descriptor
        return False
    return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
