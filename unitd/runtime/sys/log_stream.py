"""The last log lines, for clients that watch the daemon from elsewhere: the action `log` of sys.

A handler on the daemon's own loggers keeps the last lines and sends new ones to subscribers. Lines may come from any
thread; they are sent in the event loop, those of one turn of it together. DEBUG lines, which may hold prompts and
answers, are never taken, whatever the configured level is.
"""

import asyncio
import logging
from collections import deque
from typing import Any

from unitd.core.tasks.table import Client
from unitd.runtime.dispatcher import Answer, Call, Handler
from unitd.wire.errors import BadField
from unitd.wire.messages import Reply

KEPT_LINES = 500
DEFAULT_LINES = 100
# Lines are for reading: a longer one, the exception of a library say, is cut.
MAX_LINE_CHARACTERS = 2000

OWN_LOGGER = "unitd"


class LogStream(logging.Handler):
    """Keeps what is logged between `open` and `close`, and answers sys.log."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._lines: deque[dict[str, Any]] = deque(maxlen=KEPT_LINES)
        self._unsent: deque[dict[str, Any]] = deque(maxlen=KEPT_LINES)
        self._subscriptions: dict[Client, str] = {}
        """The request_id of each subscriber."""

        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def handlers(self) -> dict[str, Handler]:
        """Return the handler by action of sys."""
        return {"log": self._answer}

    def open(self) -> None:
        """Listen to the daemon's loggers from now on; called in the event loop."""
        self._loop = asyncio.get_running_loop()
        logging.getLogger(OWN_LOGGER).addHandler(self)

    def close(self) -> None:
        """Stop listening."""
        logging.getLogger(OWN_LOGGER).removeHandler(self)
        self._loop = None
        self._subscriptions.clear()
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Take one line; called in whatever thread logs."""
        line = {
            "at": round(record.created, 3),
            "level": record.levelname,
            "source": record.name,
            "text": _text_of(record),
        }
        self._lines.append(line)
        if not self._subscriptions or self._loop is None:
            return
        self._unsent.append(line)
        if len(self._unsent) == 1:
            self._loop.call_soon_threadsafe(self._send_new)

    def _send_new(self) -> None:
        """Send one frame with all new lines; what a send itself logs goes with the next."""
        self.acquire()  # emit runs under it, in any thread
        try:
            lines = list(self._unsent)
            self._unsent.clear()
        finally:
            self.release()
        for client, request_id in list(self._subscriptions.items()):
            if client.is_gone:
                del self._subscriptions[client]
            else:
                client.send(Reply(request_id, "sys", "sys.log.stream", lines, is_droppable=True))

    def _answer(self, call: Call) -> Answer:
        """Send the last lines; with "subscribe" a stream of the new ones follows, one for each client."""
        count, subscribe = _wishes(call.request.data)
        if subscribe is True:
            self._subscriptions[call.client] = call.request.request_id
        elif subscribe is False:
            self._subscriptions.pop(call.client, None)
        lines = list(self._lines)
        return call.ok(object="sys.log", data=lines[len(lines) - min(count, len(lines)) :])


def _text_of(record: logging.LogRecord) -> str:
    """Return the message; of an exception only its class, whose words may be a client's."""
    text = record.getMessage()
    if record.exc_info and record.exc_info[0] is not None:
        text = f"{text} ({record.exc_info[0].__name__})"
    return text[:MAX_LINE_CHARACTERS]


def _wishes(data: Any) -> tuple[int, bool | None]:
    """Return how many lines are asked for, and whether to subscribe (None: no change)."""
    wishes = {} if data in (None, "None") else data
    if not isinstance(wishes, dict):
        raise BadField('data must be an object such as {"lines": 100, "subscribe": true}')
    count, subscribe = wishes.get("lines", DEFAULT_LINES), wishes.get("subscribe")
    if type(count) is not int or not 0 <= count <= KEPT_LINES:
        raise BadField(f"lines must be a whole number from 0 to {KEPT_LINES}")
    if subscribe is not None and type(subscribe) is not bool:
        raise BadField("subscribe must be true or false")
    return count, subscribe
