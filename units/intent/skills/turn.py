"""One sentence for a skill on its way to the answer: the calls that its handler wants, and the words at the end."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from units.intent.answers import Problem, render
from units.intent.skills.skill import Asked, Handler, Said, Skill, SkillCall, Steps
from units.intent.steps import Outcome
from units.intent.wording import wording_in

log = logging.getLogger(__name__)


class NothingToSay(Exception):
    """The skill has no answer of a key, or a value of its template is missing."""


class SkillTurn:
    """A handler at work; it is over when there are no calls."""

    def __init__(self, number: int, skill: Skill, handler: Handler, asked: Asked) -> None:
        """Ask the handler; what it raises, and NothingToSay where it has answered at once, stay the caller's."""
        self.number = number
        self.skill = skill
        self.asked = asked
        self.said: Said | None = None
        self._steps: Steps | None = None
        self._waiting: Sequence[SkillCall] = ()
        self._calls_made = 0
        self._words = ""
        begun = handler(asked)
        if begun is None or isinstance(begun, Said):
            self.said = begun
        else:
            self._steps = begun
            self._go_on(None)
        if self.said is not None:
            self._words = self._answer(self.said)

    @property
    def is_meant(self) -> bool:
        """False where the handler has found that the sentence is not for it."""
        return self.said is not None or bool(self._waiting) or bool(self._words)

    @property
    def asks(self) -> bool:
        """Whether the answer is a question."""
        return self.said is not None and self.said.then is not None

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls whose outcomes the turn waits for; none at the end."""
        return [
            {
                "id": f"intent_{self.number}_{at}",
                "name": call.name,
                "arguments": dict(call.arguments),
                "skill": self.skill.name,
            }
            for at, call in enumerate(self._waiting, self._calls_made)
        ]

    @property
    def expected(self) -> int:
        """How many outcomes the turn waits for."""
        return len(self._waiting)

    def take(self, outcomes: Sequence[Outcome]) -> None:
        """Take the outcomes of the calls, in their order; an error of the skill is logged, and its answer says so."""
        self._calls_made += len(self._waiting)
        try:
            self._go_on(list(outcomes))
            self._words = "" if self.said is None else self._answer(self.said)
        except Exception:  # a package of someone else may raise anything
            log.exception("the skill %s failed", self.skill.name)
            self._waiting, self.said = (), None
            failure = Problem("failed", text=f"The skill {self.skill.name} failed.")
            self._words = render(self.asked.language, "", None, {}, (), (), failure)

    def _go_on(self, outcomes: list[Outcome] | None) -> None:
        assert self._steps is not None
        try:
            self._waiting = next(self._steps) if outcomes is None else self._steps.send(outcomes)
        except StopIteration as end:
            self._waiting, self.said = (), end.value

    def _answer(self, said: Said) -> str:
        template = self.skill.texts[self.asked.language].answers.get(said.key)
        words = wording_in(self.asked.language).said(template or "", said.values)
        if template is None or (template and not words):
            raise NothingToSay(f"{said.key} cannot be said with {sorted(said.values)}")
        return words

    def answer(self) -> str:
        """Return what is said at the end."""
        return self._words

    def reply(self) -> Mapping[str, Any]:
        """Return the fields of the message to the daemon: the next calls, or the answer."""
        about = {"intent": f"{self.skill.name}.{self.asked.intent}", "language": self.asked.language}
        if calls := self.calls:
            return {"turn": self.number, "calls": calls, **about}
        return {"answer": self._words, **about}
