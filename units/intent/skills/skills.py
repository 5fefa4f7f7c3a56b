"""All skills in the languages in use: which one a sentence is for, and which one a reply."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Set
from datetime import datetime

from units.intent.skills.matcher import SkillMatcher
from units.intent.skills.registry import registered_skills
from units.intent.skills.skill import Asked, Handler, Skill
from units.intent.skills.turn import SkillTurn

log = logging.getLogger(__name__)

REMEMBERED_SECONDS = 60.0
"""Who answers a question after a longer time has begun something new."""

MOST_QUESTIONS = 64
"""So many conversations may have an open question; the oldest is forgotten."""


class Skills:
    """The skills of this board."""

    def __init__(self, clock: Callable[[], float], now: Callable[[], datetime]) -> None:
        """`clock` measures how long a question is open; `now` is the local time with its zone."""
        self._clock = clock
        self._now = now
        self._matchers: dict[str, SkillMatcher] = {}
        self._asked: OrderedDict[str, tuple[SkillTurn, float]] = OrderedDict()
        """The turns that ended in a question, by conversation, and when."""

    def use_only(self, languages: Set[str]) -> None:
        """Forget the sentences of all other languages."""
        self._matchers = {language: each for language, each in self._matchers.items() if language in languages}

    def turn(self, text: str, language: str, room: str, number: int) -> SkillTurn | None:
        """Return the turn of the first skill that takes a sentence; None if there is none."""
        if language not in self._matchers:
            self._matchers[language] = SkillMatcher(language, registered_skills())
        for match in self._matchers[language].matches(text):
            asked = Asked(match.intent, match.slots, language, room, self._now(), text)
            handler = match.skill.handlers.get(match.intent)
            turn = _begun(number, match.skill, handler, asked) if handler else None
            if turn is not None:
                return turn
        return None

    def reply(self, conversation: str, text: str, number: int) -> SkillTurn | None:
        """Return the turn of the skill that has asked, if this is a reply; None if it is something new."""
        before, at = self._asked.pop(conversation, (None, 0.0))
        if before is None or before.said is None or before.said.then is None:
            return None
        if self._clock() - at > REMEMBERED_SECONDS:
            return None
        asked = before.asked._replace(intent="", slots={}, now=self._now(), words=text)
        return _begun(number, before.skill, before.said.then, asked)

    def keep(self, turn: object, conversation: str) -> None:
        """Remember a turn that has ended in a question."""
        if isinstance(turn, SkillTurn) and turn.said is not None and turn.said.then is not None:
            self._asked[conversation] = turn, self._clock()
            if len(self._asked) > MOST_QUESTIONS:
                self._asked.popitem(last=False)


def _begun(number: int, skill: Skill, handler: Handler, asked: Asked) -> SkillTurn | None:
    """Return the turn of a handler that takes a sentence; None if it does not, or if it fails, which is logged."""
    try:
        turn = SkillTurn(number, skill, handler, asked)
        return turn if turn.is_meant else None
    except Exception:  # a package of someone else may raise anything
        log.exception("the skill %s failed", skill.name)
        return None
