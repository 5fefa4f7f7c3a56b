"""The skill of the board itself: its temperature, memory, time since its start, address, name and version."""

from pathlib import Path
from typing import Any

from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import read_texts

TEXTS = read_texts(Path(__file__).with_suffix(".toml"))

_SPOKEN_UNITS = (("days", 86400), ("hours", 3600), ("minutes", 60))


def _tell(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("board_state")]
    if not outcome.is_done:
        return Said("failed")
    state = outcome.data
    needed = {"temperature": state["temperature"], "address": next(iter(state["addresses"]), None)}
    if asked.intent in needed and needed[asked.intent] is None:
        return Said(f"no_{asked.intent}")
    values = {**state, **needed, "uptime": _span(float(state["uptime_s"]), asked.language)}
    return Said(asked.intent, {key: value for key, value in values.items() if value is not None})


def _span(seconds: float, language: str) -> str:
    """Return a time in its two largest units: "2 days and 3 hours", "less than a minute"."""
    answers, parts, left = TEXTS[language].answers, list[str](), round(seconds)
    for name, length in _SPOKEN_UNITS:
        count, left = divmod(left, length)
        if count:
            parts.append(f"{count}{answers['space']}{answers[name if count > 1 else name[:-1]]}")
    return answers["and"].join(parts[:2]) or answers["moment"]


_HANDLERS: dict[str, Any] = dict.fromkeys(("temperature", "memory", "uptime", "address", "name", "version"), _tell)

SKILL = Skill("board", TEXTS, _HANDLERS)
