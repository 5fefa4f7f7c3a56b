"""A turn in progress: the wishes of a sentence, the calls that the daemon makes, and the answer at the end."""

from collections.abc import Mapping, Sequence
from typing import Any

from units.intent.actions import LOOK, RELATIVE, Call
from units.intent.adjusting import Adjusting
from units.intent.answers import joined
from units.intent.house import House
from units.intent.steps import Asking, Doing, Looking, Outcome, Step, said
from units.intent.wishes import Wish


class Turn:
    """The wishes of one sentence."""

    def __init__(self, number: int, wishes: Sequence[Wish], house: House) -> None:
        self.number = number
        self.intent = wishes[0].reading.intent
        self.language = wishes[0].reading.language
        self._looks = [wish.reading for wish in wishes if wish.reading.intent == LOOK]
        self._problems = [said(wish.reading, problem=wish.problem) for wish in wishes if wish.problem]
        # While one part of a sentence is not clear, nothing of it is done.
        self._steps = [] if self._problems else [_step(wish, house) for wish in wishes]
        self._waiting: list[tuple[Step, Call]] = [(step, call) for step in self._steps for call in step.calls]
        self._calls_made = 0

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls whose outcomes the turn waits for; none at the end."""
        return [
            {"id": f"intent_{self.number}_{at}", "name": call.tool, "arguments": dict(call.arguments)}
            for at, (_, call) in enumerate(self._waiting, self._calls_made)
        ]

    @property
    def expected(self) -> int:
        """How many outcomes the turn waits for."""
        return len(self._waiting)

    @property
    def questions(self) -> list[Wish]:
        """The wishes that it asks back about at the end."""
        return [step.question for step in self._steps if step.question]

    def take(self, outcomes: Sequence[Outcome]) -> None:
        """Take the outcomes of the calls, in their order."""
        made = list(zip(self._waiting, outcomes, strict=True))
        self._calls_made += len(made)
        self._waiting = []
        for step in self._steps:
            own = [(call, outcome) for (of, call), outcome in made if of is step]
            if own:
                self._waiting += [(step, call) for call in step.after(own)]

    def answer(self) -> str:
        """Return what is said at the end; "" if there is nothing to say."""
        sentences = self._problems or [each for step in self._steps for each in step.sentences()]
        return joined(self.language, list(dict.fromkeys(sentences)))

    def reply(self) -> Mapping[str, Any]:
        """Return the fields of the message to the daemon: the next calls, or the answer."""
        about = {"intent": self.intent, "language": self.language}
        if self._looks:
            about["question"] = self._looks[0].sentence  # what a model is asked about the picture
        if calls := self.calls:
            return {"turn": self.number, "calls": calls, **about}
        return {"answer": self.answer(), **about}


def _step(wish: Wish, house: House) -> Step:
    if wish.reading.intent == LOOK:
        return Looking(wish, house)
    if wish.reading.is_question:
        return Asking(wish, house)
    return Adjusting(wish, house) if wish.reading.intent in RELATIVE else Doing(wish, house)
