"""The board's timers as topics, and the buttons that end a ring.

unitd/<node>/timers          how many there are, how many ring, the next and the first of them, retained
unitd/<node>/timer/event     what happens to a timer
unitd/<node>/timer/stop      ends what rings (in)
unitd/<node>/timer/snooze    lets it ring again later, in so many seconds if a number is sent (in)
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from unitd.doors.base import BaseClient, Server
from unitd.doors.mqtt.publish_queue import PublishQueue
from unitd.runtime.sys.timer_requests import STREAM
from unitd.wire.messages import Reply, Request

log = logging.getLogger("unitd.mqtt")

# A thousand timers may be set or ring at once: one message serves all of them.
STATE_DELAY_SECONDS = 0.05
# Home Assistant keeps the message as attributes, and writes them to its database.
MOST_SHOWN = 20
WAITING = ("running", "snoozed")


class TimerTopics(BaseClient):
    """A client of `sys.timer` that publishes what it is told."""

    def __init__(self, server: Server, base: str, outgoing: PublishQueue) -> None:
        super().__init__("mqtt timers", "mqtt")
        self._server = server
        self._base = base
        self._outgoing = outgoing
        self._rows: dict[int, dict[str, Any]] = {}
        self._publishing: asyncio.TimerHandle | None = None
        self.commands: Mapping[str, Callable[[str], None]] = {
            f"{base}/timer/stop": lambda _: self._ask(do="stop"),
            f"{base}/timer/snooze": self._snooze,
        }
        """What a message on each of these topics does."""

    def begin(self) -> None:
        """Follow the timers from now on."""
        self._ask(do="subscribe")

    def close(self) -> None:
        """Publish nothing more."""
        if self._publishing is not None:
            self._publishing.cancel()

    def send(self, reply: Reply) -> None:
        """Take an answer or a frame of `sys.timer`."""
        if reply.code:
            log.warning("a button of the timers: %s", reply.message)
        elif reply.object == STREAM:
            self._note(**reply.data)
        elif "timers" in reply.data and "timer" not in reply.data:
            self._rows = {row["id"]: row for row in reply.data["timers"]}
            self._publish_soon()

    def _note(self, event: str, timer: dict[str, Any], reason: str = "") -> None:
        is_over = event in ("cancelled", "missed") or (event == "stopped" and timer["state"] == "ringing")
        if is_over:
            self._rows.pop(timer["id"], None)
        else:
            self._rows[timer["id"]] = timer
        told = {"event_type": event, **timer} | ({"reason": reason} if reason else {})
        self._outgoing.pass_on(f"{self._base}/timer/event", orjson.dumps(told))
        self._publish_soon()

    def _publish_soon(self) -> None:
        if self._publishing is None:
            self._publishing = asyncio.get_running_loop().call_later(STATE_DELAY_SECONDS, self._publish)

    def _publish(self) -> None:
        self._publishing = None
        rows = sorted(self._rows.values(), key=lambda row: (row["due"] is None, row["due"] or 0.0, row["id"]))
        waiting = [row["due"] for row in rows if row["state"] in WAITING]
        state = {
            "count": len(rows),
            "ringing": sum(row["state"] == "ringing" for row in rows),
            "next": datetime.fromtimestamp(waiting[0], UTC).isoformat() if waiting else None,
            "timers": [{key: value for key, value in row.items() if key != "left"} for row in rows[:MOST_SHOWN]],
        }
        self._outgoing.retain(f"{self._base}/timers", orjson.dumps(state))

    def _snooze(self, payload: str) -> None:
        """Snooze for the seconds that were sent; a button of Home Assistant sends PRESS."""
        seconds = {"seconds": int(payload)} if payload.isascii() and payload.isdigit() else {}
        self._ask(do="snooze", **seconds)

    def _ask(self, **data: Any) -> None:
        self._server.serve(self, Request(str(data["do"]), "sys", "timer", data=data))
