"""What a log line is about: the request that is being served, if any.

The dispatcher sets it around every request; what the request starts (a slow answer's task) remembers it. Children and
other long-lived tasks are started outside of it, because they serve every client.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class LogContext(NamedTuple):
    """One request, as far as it is known."""

    work_id: str
    door: str
    client: str
    request_id: str


_SUBJECT: ContextVar[LogContext | None] = ContextVar("subject", default=None)


@contextmanager
def about(subject: LogContext) -> Iterator[None]:
    """Mark the lines that are logged inside as lines about this request."""
    token = _SUBJECT.set(subject)
    try:
        yield
    finally:
        _SUBJECT.reset(token)


class LogContextFilter(logging.Filter):
    """Gives every record a `subject`, None where no request is being served.

    For handlers: a logger's filter does not see what comes from the loggers below it.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the subject; let every record pass."""
        record.subject = _SUBJECT.get()
        return True
