"""Sentences for skills, without a daemon: what is answered, and what is for no skill."""

from datetime import datetime
from zoneinfo import ZoneInfo

from units.intent.skills.matcher import SkillMatcher
from units.intent.skills.skill import Asked, Skill
from units.intent.skills.turn import SkillTurn

NOW = datetime(2026, 11, 22, 17, 4, tzinfo=ZoneInfo("Europe/Berlin"))
"""A Sunday."""


_matchers: dict[tuple[str, ...], SkillMatcher] = {}
"""By language and the names of the skills."""


def answered(text: str, skills: tuple[Skill, ...], language: str = "en", now: datetime = NOW) -> str | None:
    """Return what skills answer to a sentence; None if it is for none of them."""
    key = (language, *(skill.name for skill in skills))
    if key not in _matchers:
        _matchers[key] = SkillMatcher(language, skills)
    for match in _matchers[key].matches(text):
        asked = Asked(match.intent, match.slots, language, "", now, text)
        turn = SkillTurn(1, match.skill, match.skill.handlers[match.intent], asked)
        if turn.is_meant:
            return turn.answer()
    return None
