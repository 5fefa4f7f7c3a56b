"""Sentences with several wishes, of which some are for a skill: "set a timer for 5 minutes and turn off the lights"."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Protocol

from units.intent.answers import joined
from units.intent.house import House
from units.intent.rounds import Turn
from units.intent.sentence import MOST_JOINTS, Listener, joints_of
from units.intent.skills.skills import Heard, Skills
from units.intent.steps import Outcome

_MOST_PARTS = 4


class Waiting(Protocol):
    """A turn in progress: of the home's devices, of a skill, or of several wishes."""

    number: int

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls whose outcomes it waits for; none at the end."""

    @property
    def expected(self) -> int:
        """How many outcomes it waits for."""

    def take(self, outcomes: Sequence[Outcome]) -> None:
        """Take the outcomes of the calls, in their order."""

    def answer(self) -> str:
        """Return what is said at the end."""

    def reply(self) -> Mapping[str, Any]:
        """Return the fields of the message to the daemon."""


class Several:
    """The turns of a sentence with several wishes, which are carried out at the same time."""

    def __init__(self, turns: Sequence[Waiting], language: str) -> None:
        self.number = turns[0].number
        self._turns = turns
        self._language = language

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls whose outcomes the turns wait for; none at the end."""
        return [call for turn in self._turns for call in turn.calls]

    @property
    def expected(self) -> int:
        """How many outcomes the turns wait for."""
        return sum(turn.expected for turn in self._turns)

    def take(self, outcomes: Sequence[Outcome]) -> None:
        """Take the outcomes of the calls, in their order."""
        rest = iter(outcomes)
        for turn in self._turns:
            if own := list(islice(rest, turn.expected)):
                turn.take(own)

    def answer(self) -> str:
        """Return what is said at the end, of each wish in its order."""
        return joined(self._language, list(filter(None, (turn.answer() for turn in self._turns))))

    def reply(self) -> Mapping[str, Any]:
        """Return the fields of the message to the daemon: the next calls, or the answer."""
        about = {"intent": self._turns[0].reply()["intent"], "language": self._language}
        if calls := self.calls:
            return {"turn": self.number, "calls": calls, **about}
        return {"answer": self.answer(), **about}


class Parts:
    """What divides a sentence so that a skill understands one part of it, and the home or a skill the others."""

    def __init__(
        self, listen: Callable[[], Listener], house: House, heard: Heard, skills: Skills, numbers: Iterator[int]
    ) -> None:
        """`listen` returns a listener that has heard nothing yet: each looks at a limited number of parts."""
        self._listen = cache(listen)
        self._house = house
        self._heard = heard
        self._skills = skills
        self._numbers = numbers

    def divided(self, text: str) -> Several | None:
        """Return the turns of a sentence with several wishes; None if it has no such division."""
        turns = self._turns(text, _MOST_PARTS)
        return Several(turns, self._heard.language) if len(turns) > 1 else None

    def _turns(self, text: str, most: int) -> Sequence[Waiting]:
        """Return the turns of a text of at most so many wishes; none if it is not understood."""
        for joint in islice(joints_of(self._heard.language).finditer(text), MOST_JOINTS) if most > 1 else ():
            left, right = text[: joint.start()], text[joint.end() :]
            # Skills are asked first: they are quick, and where there is none the home has divided the sentence itself.
            if not (self._of_skill(left) or self._of_skill(right)):
                continue
            first = self._turn(left)
            others = self._rest(right, most - 1) if first is not None else ()
            if first is not None and others:
                return (first, *others)
        return ()

    def _rest(self, text: str, most: int) -> Sequence[Waiting]:
        turn = self._turn(text)
        return (turn,) if turn is not None else self._turns(text, most)

    def _turn(self, text: str) -> Waiting | None:
        """Return the turn of a text with one wish that needs no reply; None if there is none."""
        understood = self._listen().understand(text)
        is_clear = understood is not None and understood.wishes and understood.later is None
        if understood is not None and is_clear and not any(wish.problem for wish in understood.wishes):
            return Turn(next(self._numbers), understood.wishes, self._house)
        return self._of_skill(text)

    def _of_skill(self, text: str) -> Waiting | None:
        return next((turn for turn in self._skills.turns(text, self._heard) if turn.calls or not turn.asks), None)
