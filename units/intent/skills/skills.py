"""All skills in the languages in use: which one a sentence is for, and which one a reply."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from units.intent.skills.matcher import SkillMatcher
from units.intent.skills.own import own_skills
from units.intent.skills.registry import registered_skills
from units.intent.skills.skill import Asked, Handler, Skill
from units.intent.skills.turn import SkillTurn

log = logging.getLogger(__name__)

REMEMBERED_SECONDS = 60.0
"""Who answers a question after a longer time has begun something new."""

MOST_QUESTIONS = 64
"""So many conversations may have an open question; the oldest is forgotten."""


class Heard(NamedTuple):
    """How a sentence was heard."""

    language: str
    room: str = ""
    rooms: Sequence[str] = ()
    """The areas of the home."""

    domains: frozenset[str] = frozenset()
    """Of the devices in this area, or of all where it is not known."""

    own: bytes = b""
    """What the task's own skills are known by, see `Skills.add_own`."""


class Skills:
    """The skills of this board."""

    def __init__(
        self,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        numbers: Iterator[int],
        read: Callable[[str, Sequence[Skill]], SkillMatcher] = SkillMatcher,
    ) -> None:
        """`clock` measures how long a question is open; `now` is the local time with its zone; `numbers` name turns;
        `read` reads the sentences of a language."""
        self._read = read
        self._numbers = numbers
        self._clock = clock
        self._now = now
        self._matchers: dict[tuple[str, bytes], SkillMatcher] = {}
        self._own: dict[bytes, Sequence[Skill]] = {}
        """The skills of persons; all tasks of a daemon have the same."""

        self._asked: OrderedDict[str, tuple[SkillTurn, float]] = OrderedDict()
        """The turns that ended in a question, by conversation, and when."""

    def add_own(self, rows: Sequence[Mapping[str, Any]]) -> bytes:
        """Take a person's own skills, as the daemon sends them; return what they are known by here.

        Raises:
            TextsError, UnknownLanguage: one of them cannot be used.
        """
        key = orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)
        if key not in self._own:
            self._own[key] = own_skills(rows)
        return key

    def prepare(self, wanted: Set[tuple[str, bytes]]) -> None:
        """Read the sentences of these languages with these own skills, and forget those of all others."""
        own = {key for _, key in wanted}
        self._own = {key: skills for key, skills in self._own.items() if key in own}
        self._matchers = {key: each for key, each in self._matchers.items() if key in wanted}
        for language, key in wanted - self._matchers.keys():
            skills = [*self._own.get(key, ()), *registered_skills()]
            self._matchers[language, key] = self._read(language, skills)
            self._matchers[language, key].warm()

    def turns(self, text: str, heard: Heard) -> Iterator[SkillTurn]:
        """Yield the turns of the skills that take a sentence, the best first."""
        for match in self._matchers[heard.language, heard.own].matches(text):
            where = (heard.room, self._now(), text, heard.rooms, heard.domains)
            asked = Asked(match.intent, match.slots, heard.language, *where)
            handler = match.skill.handlers.get(match.intent)
            turn = _begun(next(self._numbers), match.skill, handler, asked) if handler else None
            if turn is not None:
                yield turn

    def reply(self, conversation: str, text: str) -> SkillTurn | None:
        """Return the turn of the skill that has asked, if this is a reply; None if it is something new."""
        before, at = self._asked.pop(conversation, (None, 0.0))
        if before is None or before.said is None or before.said.then is None:
            return None
        if self._clock() - at > REMEMBERED_SECONDS:
            return None
        matchers = (each for (language, _), each in self._matchers.items() if language == before.asked.language)
        matcher = next(matchers, None)
        words = matcher.spelled(text) if matcher is not None else text
        asked = before.asked._replace(intent="", slots={}, now=self._now(), words=words)
        return _begun(next(self._numbers), before.skill, before.said.then, asked)

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
