"""Sentences to the skills of this board, with a daemon that does every action as a test says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import count
from typing import Any

from units.intent.skills.matcher import Match, SkillMatcher
from units.intent.skills.registry import registered_skills
from units.intent.skills.skill import Skill
from units.intent.skills.skills import Heard, Skills
from units.intent.steps import Outcome

NOW = datetime(2027, 3, 3, 9, 30, tzinfo=UTC)
"""A Wednesday."""


@dataclass
class Talk:
    """What came of a sentence."""

    answer: str = ""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@cache
def matcher(language: str) -> SkillMatcher:
    """Return the sentences of a language; reading them takes longer than most tests."""
    return SkillMatcher(language, registered_skills())


def read_skills(language: str, skills: Sequence[Skill]) -> SkillMatcher:
    """Return the sentences of skills in a language; those of the board's own are read only once."""
    return matcher(language) if skills == registered_skills() else SkillMatcher(language, skills)


def meant(text: str, language: str = "en") -> Match | None:
    """Return the best reading of a sentence; None if no skill has one."""
    return next(matcher(language).matches(text), None)


def skill_of(text: str, language: str = "en") -> str:
    """Return skill and intent of a sentence; "" if it is for none."""
    match = meant(text, language)
    return f"{match.skill.name}.{match.intent}" if match else ""


class Listener:
    """The skills of a board, for one conversation."""

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._skills = Skills(lambda: 0.0, lambda: NOW, count(1), read_skills)
        self._skills.prepare({(language, b"")})

    def talk(self, text: str, reasons: Mapping[str, str] | None = None, **data: Mapping[str, Any]) -> Talk:
        """Say a sentence; `data` are the outcomes of actions, `reasons` say by the begin of their names what fails."""
        turn = self._skills.reply("c", text) or next(self._skills.turns(text, Heard(self._language)), None)
        said = Talk()
        if turn is None:
            return said
        while turn.calls:
            outcomes = []
            for call in turn.calls:
                said.calls.append((call["name"], call["arguments"]))
                reason = next((why for name, why in (reasons or {}).items() if call["name"].startswith(name)), "")
                found = data.get(call["name"], call["arguments"])
                outcomes.append(Outcome(not reason, "", reason=reason, data={} if reason else found))
            turn.take(outcomes)
        self._skills.keep(turn, "c")
        said.answer = str(turn.reply()["answer"])
        return said


def talk(text: str, language: str = "en", reasons: Mapping[str, str] | None = None, **data: Mapping[str, Any]) -> Talk:
    """Say one sentence; see `Listener`."""
    return Listener(language).talk(text, reasons, **data)
