"""One sentence for a skill on its way to the answer: the calls that its handler wants, and the words at the end."""

from collections.abc import Mapping, Sequence
from typing import Any

from units.intent.skills.skill import Asked, Handler, Said, Skill, SkillCall, Steps
from units.intent.steps import Outcome
from units.intent.wording import wording_in


class SkillTurn:
    """A handler at work; it is over when there are no calls."""

    def __init__(self, number: int, skill: Skill, handler: Handler, asked: Asked) -> None:
        self.number = number
        self.skill = skill
        self.asked = asked
        self.said: Said | None = None
        self._steps: Steps | None = None
        self._waiting: Sequence[SkillCall] = ()
        self._calls_made = 0
        begun = handler(asked)
        if begun is None or isinstance(begun, Said):
            self.said = begun
        else:
            self._steps = begun
            self._go_on(None)

    @property
    def is_meant(self) -> bool:
        """False where the handler has found that the sentence is not for it."""
        return self.said is not None or bool(self._waiting)

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
        """Take the outcomes of the calls, in their order."""
        self._calls_made += len(self._waiting)
        self._go_on(list(outcomes))

    def _go_on(self, outcomes: list[Outcome] | None) -> None:
        assert self._steps is not None
        try:
            self._waiting = next(self._steps) if outcomes is None else self._steps.send(outcomes)
        except StopIteration as end:
            self._waiting, self.said = (), end.value

    def answer(self) -> str:
        """Return what is said at the end; "" where the handler has nothing to say after its calls."""
        if self.said is None:
            return ""
        template = self.skill.texts[self.asked.language].answers[self.said.key]
        return wording_in(self.asked.language).said(template, self.said.values)

    def reply(self) -> Mapping[str, Any]:
        """Return the fields of the message to the daemon: the next calls, or the answer."""
        about = {"intent": f"{self.skill.name}.{self.asked.intent}", "language": self.asked.language}
        if calls := self.calls:
            return {"turn": self.number, "calls": calls, **about}
        return {"answer": self.answer(), **about}
