"""Somebody who speaks of timers to the program, and the timers of a daemon, whose clock stands still."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.support.units.intent_home import Inhabitant, home

NOON = datetime(2026, 11, 22, 13, 30, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Sunday."""

SNOOZE_SECONDS = 540


class Timers:
    """The timers of a daemon."""

    def __init__(self) -> None:
        self.now = NOON
        self.rows: list[dict[str, Any]] = []
        self.refusals: dict[str, tuple[str, str]] = {}
        """By action the reason and the words with which it fails."""

        self._actions: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = {
            "timer_start": self._start,
            "alarm_set": self._set_alarm,
            "timer_list": lambda _: {"timers": sorted(self.rows, key=lambda row: row["left"] or 0)},
            "timer_change": self._change,
            "timer_pause": lambda given: {"timer": self._with(given["id"], state="paused", due=None)},
            "timer_resume": lambda given: {"timer": self._with(given["id"], state="running")},
            "timer_cancel": self._cancel,
            "timer_stop": self._stop,
            "timer_snooze": self._snooze,
        }

    def do(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outcome of an action."""
        if name == "timer_snooze" and not self._ringing():
            return {"is_done": False, "text": "Nothing rings.", "state": None, "reason": "unknown_timer"}
        if name in self.refusals:
            reason, text = self.refusals[name]
            return {"is_done": False, "text": text, "state": None, "reason": reason}
        return {"is_done": True, "text": "", "state": None, "data": self._actions[name](arguments)}

    def add(self, seconds: float = 600, **more: Any) -> dict[str, Any]:
        """Add a timer that runs, and return its row."""
        row = {
            "id": len(self.rows) + 1,
            "kind": "timer",
            "reminder": False,
            "name": "",
            "area": "",
            "command": "",
            "state": "running",
            "due": self.now.timestamp() + seconds,
            "left": seconds,
            "seconds": seconds,
            "time": "",
            "days": [],
            "date": "",
            **more,
        }
        self.rows.append(row)
        return row

    def add_alarm(self, time: str, days: Sequence[int] = (), **more: Any) -> dict[str, Any]:
        """Add an alarm that rings at the next such time."""
        hour, minute = map(int, time.split(":"))
        due = self.now.replace(hour=hour, minute=minute)
        due += timedelta(1 if due <= self.now else 0)
        left = due.timestamp() - self.now.timestamp()
        return self.add(left, kind="alarm", time=time, days=list(days), **more)

    def _start(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        more = {key: given[key] for key in ("name", "area", "command", "reminder") if key in given}
        return {"timer": self.add(given["seconds"], **more)}

    def _set_alarm(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        row = self.add_alarm(
            given["time"], given.get("days", ()), name=given.get("name", ""), reminder=given.get("reminder", False)
        )
        if given.get("date"):
            hour, minute = map(int, given["time"].split(":"))
            due = datetime.fromisoformat(given["date"]).replace(hour=hour, minute=minute, tzinfo=self.now.tzinfo)
            row.update(date=given["date"], due=due.timestamp())
        return {"timer": row}

    def _with(self, number: int, **changed: Any) -> dict[str, Any]:
        row = next(row for row in self.rows if row["id"] == number)
        row.update(changed)
        return row

    def _change(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        row = self._with(given["id"])
        row["left"] += given["add_seconds"]
        return {"timer": row}

    def _cancel(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        row = self._with(given["id"])
        self.rows.remove(row)
        return {"timer": row}

    def _ringing(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if row["state"] == "ringing"]

    def _stop(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        stopped = self._ringing()
        self.rows = [row for row in self.rows if row not in stopped]
        return {"stopped": stopped}

    def _snooze(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        seconds = given.get("seconds", SNOOZE_SECONDS)
        return {"timer": self._with(self._ringing()[0]["id"], state="snoozed", left=seconds)}


class Speaker(Inhabitant):
    """Somebody who speaks; calls of skills are done by `timers`, others by the devices of the usual home."""

    def __init__(self, *languages: str, **setup: Any) -> None:
        self.timers = Timers()
        super().__init__(home(languages=list(languages or ("en",))), today=lambda: self.timers.now, **setup)

    def _outcome(self, call: Mapping[str, Any]) -> dict[str, Any]:
        if "skill" in call:
            return self.timers.do(call["name"], call["arguments"])
        return super()._outcome(call)

    def answer(self, text: str, **more: Any) -> str:
        """Return what is answered to a sentence; "" where it is for a model."""
        return self.say(text, **more)[1]
