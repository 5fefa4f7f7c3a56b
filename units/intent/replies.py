"""Questions which device or room is meant, and the replies that complete the wishes that they are about."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from units.intent.actions import STOPS
from units.intent.evidence import says
from units.intent.house import Device, House
from units.intent.recognizer import NAMES, Reading, Recognizer
from units.intent.sentence import Understood
from units.intent.wishes import Wish, asking, is_for_one, is_room_asked, is_where_said

REMEMBERED_SECONDS = 60.0
"""Who says a name after a longer time has begun something new."""

MOST_QUESTIONS = 64
"""So many conversations may have an open question; the oldest is forgotten."""

_PLACES = ("area", "area2", "floor")


@dataclass(frozen=True)
class Question:
    """A sentence with a wish that was asked about."""

    understood: Understood
    home: Any
    """What its devices are known by; a reply in another home is none."""

    asked_at: float


class Questions:
    """The open question of each conversation."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: OrderedDict[str, Question] = OrderedDict()

    def keep(self, conversation: str, understood: Understood, home: Any) -> None:
        """Remember a sentence as asked about, if replies can complete all its wishes."""
        unclear = [wish for wish in understood.wishes if wish.problem]
        if unclear and all(wish.choices for wish in unclear):
            self._open[conversation] = Question(understood, home, self._clock())
            if len(self._open) > MOST_QUESTIONS:
                self._open.popitem(last=False)

    def take(self, conversation: str, home: Any) -> Understood | None:
        """Forget the open question of a conversation and return its sentence; None if there is none or it is old."""
        question = self._open.pop(conversation, None)
        if question is None or question.home != home or self._clock() - question.asked_at > REMEMBERED_SECONDS:
            return None
        return question.understood


def completed(text: str, asked: Understood, recognizer: Recognizer, house: House) -> Understood | None:
    """Return a sentence with its first unclear wish completed by a reply; None if the text is no reply.

    After a no nothing is to be done.
    """
    wishes = asked.wishes
    at, wish = next((at, wish) for at, wish in enumerate(wishes) if wish.problem)
    word = says(text, recognizer.language) if _is_yes_or_no_asked(wish) else ""
    if word == "no":
        return Understood(replace(asked.reading, intent=STOPS[0], response="default"), ())
    replies = () if word else recognizer.replies(text, house, wish.choices)
    found = _for_all(wish) if word else _first(_completed(wish, each, house) for each in replies)
    if found is None:
        return None
    later = asked.later and replace(asked.later, command="\n".join((asked.later.command, " ".join(text.split()))))
    return Understood(found.reading, [*wishes[:at], found, *wishes[at + 1 :]], later)


def _first(wishes: Iterable[Wish | None]) -> Wish | None:
    return next(filter(None, wishes), None)


def _is_yes_or_no_asked(wish: Wish) -> bool:
    """Return whether the problem of a wish names one device, or one room: do you mean the front door?"""
    problem = wish.problem
    return problem is not None and problem.kind == "which" and len(problem.areas or problem.names) == 1


def _for_all(wish: Wish) -> Wish:
    """Return a wish for all devices that were asked about; several are asked about where only one can be meant."""
    is_clear = len(wish.choices) == 1 or not is_for_one(wish.reading)
    return _with(wish, wish.choices) if is_clear else replace(asking(wish.reading, wish.choices), devices=wish.devices)


def _completed(wish: Wish, reply: Reading, house: House) -> Wish | None:
    """Return a wish with what the reply says; None if this says no more than is known."""
    areas, scope = wish.problem.areas if wish.problem else (), reply.value("scope")
    if scope:
        is_meant = scope == "all" or 2 in (len(wish.choices), len(areas))
        return _with(wish, wish.choices, is_settled=not is_room_asked(wish)) if is_meant else None
    names, places = ([reply.slots[slot] for slot in slots if slot in reply.slots] for slots in (NAMES, _PLACES))
    named = [each for name in names for each in house.named(name.value, name.domain)] if names else wish.choices
    chosen = [each for each in wish.choices if each in named and is_where_said(each, reply)]
    clearer = replace(wish, reading=_with_words(wish.reading, reply, is_named=bool(names)))
    is_for_all = is_room_asked(wish) and not names and not is_for_one(wish.reading)
    if chosen and (is_for_all or len(chosen) == max(len(names), len(places))):
        return _with(clearer, chosen, is_settled=bool(names))
    is_less = 0 < len(chosen) < len(wish.choices)
    return replace(asking(clearer.reading, chosen), devices=wish.devices) if is_less else None


def _with_words(reading: Reading, reply: Reading, *, is_named: bool) -> Reading:
    """Return a reading whose answer tells the place of the reply, and of one named device that it is one."""
    places = {slot: reply.slots[slot] for slot in _PLACES if slot in reply.slots}
    is_about_set = is_named and reading.intent in ("HassTurnOn", "HassTurnOff")
    return replace(reading, slots={**reading.slots, **places}, response="default" if is_about_set else reading.response)


def _with(wish: Wish, chosen: Sequence[Device], *, is_settled: bool = False) -> Wish:
    return Wish(wish.reading, (*wish.devices, *chosen), is_settled=is_settled)
