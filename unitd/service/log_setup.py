"""The daemon's log on its way out: lines for people, JSON for programs, fields for systemd's journal.

Whatever a client can put into a line (a request_id, the name of a model) stays inside that line: control and format
characters are shown, not sent, the further lines of a record are indented, and a long one is cut.
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

# The last words of a program have half of it; what clients send must not be able to fill a disk.
MAX_CHARACTERS = 16 * 1024

# asyncio tries again each second, up to a hundred times for each door, and tells of each with a traceback.
NO_DESCRIPTORS_EVERY_SECONDS = 60.0

log = logging.getLogger("unitd")


class LoopErrors:
    """What the event loop can tell nobody but the log; that no descriptors are left for new clients it tells once a
    minute."""

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
    """A line to read, with what it is about in brackets at its end."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The first part; the library adds the traceback."""
        subject: LogContext | None = getattr(record, "subject", None)
        return super().formatMessage(record) + (_bracketed(subject) if subject else "")

    def format(self, record: logging.LogRecord) -> str:
        """One record, of which only the first line begins at the margin."""
        return shortened(super().format(record)).translate(SHOWN_IN_TEXT).replace("\n", "\n    ")


def shortened(text: str) -> str:
    """A text, or the beginning and the end of a long one: that is where a traceback says what it is."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = MAX_CHARACTERS // 2
    return f"{text[:half]} ... ({len(text) - 2 * half} characters) ... {text[-half:]}"


def _bracketed(subject: LogContext) -> str:
    return f"  [{subject.work_id}, {subject.client}, request {subject.request_id}]"


class JsonFormatter(logging.Formatter):
    """One JSON object per line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        """Keys that are not known are left out."""
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
        return json.dumps(line)  # not orjson, which refuses half a surrogate pair that a client may send


def start_logging(
    level: str, format_: str, environment: Mapping[str, str], stream: TextIO = sys.stderr, journal: Path = JOURNAL
) -> None:
    """Logs in one of the formats auto, text, json and journal; auto is the journal where standard error leads there.

    Raises:
        ConfigError: the journal is asked for, and there is none.
    """
    if format_ == "auto":
        format_ = "journal" if journal.is_socket() and _leads_to_journal(stream, environment) else "text"
    handler = _journal_at(journal) if format_ == "journal" else logging.StreamHandler(stream)
    handler.setFormatter({"text": TextFormatter, "json": JsonFormatter, "journal": logging.Formatter}[format_]())
    handler.addFilter(LogContextFilter())
    logging.getLogger().addHandler(handler)
    set_level(level)
    for talkative in ("asyncio", "httpx"):
        logging.getLogger(talkative).setLevel(logging.WARNING)


def set_level(level: str) -> None:
    """debug, info, warning or error."""
    logging.getLogger().setLevel(level.upper())


def _journal_at(path: Path) -> logging.Handler:
    try:
        return JournalHandler(path)
    except OSError as error:
        raise ConfigError(f"log.format is journal, and {path} takes nothing: {error.strerror}") from error


def _leads_to_journal(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """True when what is written to the stream goes to systemd's journal, and not only our parent's did."""
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):  # closed, or a stream without a descriptor
        return False
    return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
