"""What skills have of Home Assistant: its to-do lists, the weather, and the calendars.

Services as in home-assistant.io/actions: todo.get_items, add_item, update_item and remove_item, weather.get_forecasts,
calendar.get_events; where the shopping list is no entity, /api/shopping_list and the services of shopping_list.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, TypeVar

from unitd.core.outcomes import Outcome, Reason, failed
from unitd.doors.home.assistant_error import HomeAssistantError
from unitd.doors.home.homeassistant import HomeAssistant
from unitd.runtime.skills.actions import Action, ActionFailed, Where

T = TypeVar("T")

_FORECASTS = ((1, "daily"), (4, "twice_daily"), (2, "hourly"))
"""The bits of `supported_features` of a weather entity, and the forecasts that they stand for; the best first."""

_WORDS = {
    "shopping": ("shopping", "groceries", "grocery", "einkauf", "courses", "compra", "购物"),
    "todo": ("to do", "to-do", "todo", "task", "aufgabe", "tâches", "tareas", "待办"),
}
"""Parts of the names that people give to these lists."""

_NEXT_DAYS = 14
"""The next appointment is looked for in so many days."""


async def _asked(answer: Awaitable[T]) -> T:
    """Return what Home Assistant answers; raise ActionFailed when it does not."""
    try:
        return await answer
    except HomeAssistantError as error:
        raise ActionFailed(failed(str(error), ""), error.reason) from error


class AssistantLists:
    """The to-do lists of Home Assistant; a `runtime.skills.lists.Lists`."""

    def __init__(self, homeassistant: HomeAssistant) -> None:
        self._homeassistant = homeassistant

    async def has(self, name: str) -> bool:
        """Return whether Home Assistant keeps this list."""
        if await self._entity(name):
            return True
        return name == "shopping" and await _asked(self._homeassistant.shopping_list()) is not None

    async def names(self) -> Sequence[str]:
        """Return the names of all lists."""
        rows = await _asked(self._homeassistant.entities("todo"))
        names = [_usual_name(str(row["name"])) for row in rows]
        return list(dict.fromkeys(["shopping", *names] if await self.has("shopping") else names))

    async def items(self, name: str) -> Sequence[str]:
        """Return the items of a list that are not done."""
        if not (entity := await self._entity(name)):
            rows = await _asked(self._homeassistant.shopping_list()) or []
            return [str(each.get("name")) for each in rows if not each.get("complete")]
        data = {"entity_id": entity, "status": ["needs_action"]}
        found = await _asked(self._homeassistant.response("todo.get_items", data))
        there = _rows(found, entity, "items")
        return [str(each.get("summary")) for each in there if each.get("status", "needs_action") == "needs_action"]

    async def add(self, name: str, items: Sequence[str]) -> None:
        """Add items to a list."""
        entity = await self._entity(name)
        for item in items:
            if entity:
                await self._call("todo.add_item", {"entity_id": entity, "item": item})
            else:
                await self._call("shopping_list.add_item", {"name": item})

    async def remove(self, name: str, items: Sequence[str], *, is_done: bool) -> None:
        """Take items off a list, or tick them off; a shopping list that is no entity can only tick them off."""
        entity = await self._entity(name)
        if entity and not is_done:
            await self._call("todo.remove_item", {"entity_id": entity, "item": list(items)})
            return
        for item in items:
            if entity:
                await self._call("todo.update_item", {"entity_id": entity, "item": item, "status": "completed"})
            else:
                await self._call("shopping_list.complete_item", {"name": item})

    async def _call(self, service: str, data: dict[str, Any]) -> None:
        await _asked(self._homeassistant.call(service, data))

    async def _entity(self, name: str) -> str:
        """Return the id of a list; "" if Home Assistant has none of this name."""
        rows = await _asked(self._homeassistant.entities("todo"))
        return next((str(row["id"]) for row in rows if _usual_name(str(row["name"])) == name), "")


def _usual_name(called: str) -> str:
    """Return the name by which skills know a list: "shopping" for "Shopping List", "packing" for "Packing list"."""
    plain = called.casefold()
    known = next((name for name, words in _WORDS.items() if any(each in plain for each in words)), "")
    return known or plain.removesuffix("list").strip()


class AssistantSkills:
    """The weather and the calendars."""

    def __init__(self, homeassistant: HomeAssistant, now: Callable[[], datetime]) -> None:
        """`now` is the local time with its zone."""
        self._homeassistant = homeassistant
        self._now = now

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        return {"weather_get": self._weather, "calendar_get": self._calendar}

    async def _weather(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        rows = await _asked(self._homeassistant.entities("weather"))
        if not rows:
            raise ActionFailed("Home Assistant has no weather.", Reason.NOT_CONFIGURED)
        row = min(rows, key=lambda each: str(each["id"]))
        kind = next((name for bit, name in _FORECASTS if int(row["features"]) & bit), "")
        day: dict[str, Any] | None = None
        if kind:
            data = {"entity_id": row["id"], "type": kind}
            found = await _asked(self._homeassistant.response("weather.get_forecasts", data))
            wanted = date.fromisoformat(str(arguments["date"])) if arguments.get("date") else self._now().date()
            day = self._day(_rows(found, str(row["id"]), "forecast"), wanted)
        keys = ("name", "state", "temperature", "unit")
        return Outcome("", is_done=True, data={**{key: row[key] for key in keys}, "forecast": day})

    def _day(self, rows: Sequence[Mapping[str, Any]], wanted: date) -> dict[str, Any] | None:
        """Return the forecast of a day, made of those of its hours if it has no other; None if there is none."""
        there = [each for each in rows if (at := self._time(each.get("datetime"))) and at.date() == wanted]
        if not there:
            return None
        middle = there[len(there) // 2]
        highs, lows = _numbers(there, "temperature"), _numbers(there, "templow")
        rain = _numbers(there, "precipitation_probability")
        return {
            "condition": str(middle.get("condition") or ""),
            "high": max(highs, default=None),
            "low": min([*lows, *(highs if len(highs) > 1 else [])], default=None),
            "probability": max(rain, default=None),
            "precipitation": sum(_numbers(there, "precipitation")) if _numbers(there, "precipitation") else None,
        }

    async def _calendar(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        rows = await _asked(self._homeassistant.entities("calendar"))
        if not rows:
            raise ActionFailed("Home Assistant has no calendar.", Reason.NOT_CONFIGURED)
        begin, end = self._now(), self._now() + timedelta(days=_NEXT_DAYS)
        if arguments.get("date"):
            day = date.fromisoformat(str(arguments["date"]))
            begin = datetime.combine(day, time()).astimezone()
            end = datetime.combine(day + timedelta(days=1), time()).astimezone()
        ids = [str(row["id"]) for row in rows]
        times = {"start_date_time": begin.isoformat(" ", "seconds"), "end_date_time": end.isoformat(" ", "seconds")}
        found = await _asked(self._homeassistant.response("calendar.get_events", {"entity_id": ids, **times}))
        events = [self._event(each) for entity in ids for each in _rows(found, entity, "events")]
        known = sorted((each for each in events if each["summary"]), key=lambda each: (each["date"], each["time"]))
        return Outcome("", is_done=True, data={"events": known})

    def _event(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Return name, date and time of an event; its time is "" if it takes the whole day."""
        text = str(row.get("start") or "")
        at = self._time(text) if len(text) > len("2027-03-03") else None
        when = {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M}"} if at else {"date": text, "time": ""}
        return {"summary": str(row.get("summary") or "").strip(), **when}

    def _time(self, text: Any) -> datetime | None:
        try:
            at = datetime.fromisoformat(str(text))
        except ValueError:
            return None
        return at.astimezone()  # of the board, which a time without zone has already


def _rows(found: Mapping[str, Any], entity: str, key: str) -> Sequence[Mapping[str, Any]]:
    """Return the rows that a service has answered for an entity; none where the answer has another form."""
    of_entity = found.get(entity)
    rows = of_entity.get(key) if isinstance(of_entity, dict) else None
    return [each for each in rows if isinstance(each, dict)] if isinstance(rows, list) else []


def _numbers(rows: Iterable[Mapping[str, Any]], key: str) -> list[float]:
    return [float(each[key]) for each in rows if isinstance(each.get(key), int | float)]
