"""The skill of the weather, as Home Assistant has it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from units.intent.skills.failures import failure
from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import read_texts
from units.intent.skills.weather_wish import WeatherWish, read_wish
from units.intent.steps import Outcome
from units.intent.values.near_day import OTHER_DAY, near_day

TEXTS = read_texts(Path(__file__).with_suffix(".toml"))

_WET = ("rainy", "pouring", "lightning-rainy", "snowy-rainy", "hail")
_SNOWY = ("snowy", "snowy-rainy")

LIKELY = 40.0
"""From this probability in percent on it is going to rain."""


def _tell(asked: Asked) -> Steps:
    return _answered(asked, _weather)


def _tell_temperature(asked: Asked) -> Steps:
    return _answered(asked, _temperature)


def _tell_rain(asked: Asked) -> Steps:
    return _answered(asked, _rain)


def _tell_wish(asked: Asked) -> Steps:
    """Answer a question that was read as a whole; of other places and times there is nothing to tell."""
    wish: WeatherWish = asked.slots["wish"]
    is_other = wish.day == OTHER_DAY
    here = asked._replace(slots={"day": "" if is_other else wish.day, "what": wish.do})
    if wish.is_elsewhere or is_other:
        return _answered(here, lambda *_: Said("elsewhere" if wish.is_elsewhere else "other_day"))
    return _answered(here, _WORKS[wish.do])


def _answered(asked: Asked, said: Callable[[Asked, Outcome], Said]) -> Steps:
    day = near_day(asked.slots.get("day", ""), asked.now.date())
    (outcome,) = yield [SkillCall("weather_get", {"date": day.isoformat()})]
    if outcome.reason == "not_configured":
        return Said("none")
    return said(asked, outcome) if outcome.is_done else failure(asked, outcome)


def _weather(asked: Asked, outcome: Outcome) -> Said:
    data, forecast = outcome.data, outcome.data["forecast"]
    is_today = _is_today(asked)
    values: dict[str, Any] = {"day": _day(asked)}
    if is_today and data["temperature"] is not None:
        values |= {"now": _condition(asked, str(data["state"])), "temperature": data["temperature"]}
    if forecast:
        values |= _known({"condition": _condition(asked, forecast["condition"]), **_degrees(forecast)})
    if not forecast and "now" not in values:
        return Said("no_forecast", values)
    return Said("weather", values)


def _temperature(asked: Asked, outcome: Outcome) -> Said:
    data, forecast = outcome.data, outcome.data["forecast"]
    if _is_today(asked) and not asked.slots.get("day") and data["temperature"] is not None:
        return Said("temperature_now", {"temperature": data["temperature"]})
    values = {"day": _day(asked), **_degrees(forecast or {})}
    return Said("temperature" if "high" in values else "no_forecast", values)


def _rain(asked: Asked, outcome: Outcome) -> Said:
    forecast, values = outcome.data["forecast"], {"day": _day(asked)}
    if not forecast:
        return Said("no_forecast", values)
    is_snow = asked.slots.get("what") == "snow"
    is_said = forecast["condition"] in (_SNOWY if is_snow else _WET)
    probability = forecast["probability"]
    if not is_snow and probability is not None:
        is_said = is_said or probability >= LIKELY
        values |= {"probability": round(probability)}
    return Said(("snow" if is_snow else "rain") if is_said else ("no_snow" if is_snow else "no_rain"), values)


def _degrees(forecast: Mapping[str, Any]) -> dict[str, Any]:
    """Return the highest and the lowest temperature as whole degrees; the lowest only where it differs."""
    high, low = forecast.get("high"), forecast.get("low")
    known = _known({"high": None if high is None else round(high), "low": None if low is None else round(low)})
    return known if len(set(known.values())) > 1 else {key: known[key] for key in ("high",) if key in known}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "")}


def _is_today(asked: Asked) -> bool:
    return near_day(asked.slots.get("day", ""), asked.now.date()) == asked.now.date()


def _day(asked: Asked) -> str:
    """Return the word for the day that is asked for."""
    return TEXTS[asked.language].answers[f"day_{asked.slots.get('day') or 'today'}"]


def _condition(asked: Asked, condition: str) -> str:
    """Return the words for one of Home Assistant's conditions; "" for any other."""
    return TEXTS[asked.language].answers.get(f"is_{condition}", "")


_WORKS: Mapping[str, Callable[[Asked, Outcome], Said]] = {
    "weather": _weather,
    "temperature": _temperature,
    "rain": _rain,
    "snow": _rain,
}

SKILL = Skill(
    "weather",
    TEXTS,
    {"weather": _tell, "temperature": _tell_temperature, "rain": _tell_rain, "wish": _tell_wish},
    {"wish": read_wish},
)
