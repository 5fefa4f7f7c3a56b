"""One way to divide a question for the clock into parts, and what can be asked about them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from units.intent.skills.clock_tokens import AT, HOUR, PLACE, SOMEWHERE, Token
from units.intent.values.place import Place

MANY = ("many_days", "many_weeks", "many_months", "many_hours", "how_long")
_FILL = frozenset({"ask", "tell", "be", "will", "it", "have", "in", "on", "the", "current", "now", "today", "city"})
_PLAIN_HAVE = frozenset({"have", "has", "had", "got"})
_DANGLING = frozenset({"in", "on", "to", "from", "and"})


class Question(NamedTuple):
    """A question that a handler of the clock answers."""

    intent: str
    slots: Mapping[str, Any]


class Said:
    """The parts of a sentence."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.kinds = [each.kind for each in tokens]
        self.set = frozenset(self.kinds)

    def has(self, *kinds: str) -> bool:
        return not self.set.isdisjoint(kinds)

    def only(self, *kinds: str) -> bool:
        """Return whether there are no parts but these and those that say nothing by themselves."""
        return self.set <= _FILL.union(kinds)

    def values(self, kind: str) -> list[Any]:
        return [each.value for each in self.tokens if each.kind == kind]

    def words(self, kind: str) -> str:
        return " ".join(each.words for each in self.tokens if each.kind == kind)

    def count(self, *kinds: str) -> int:
        return sum(kind in kinds for kind in self.kinds)

    def at(self, kind: str) -> int:
        return self.kinds.index(kind)

    def follows(self, first: str, second: str) -> bool:
        """Return whether a part stands directly after another one, but for articles."""
        kinds = [kind for kind in self.kinds if kind not in ("the", "current", "city", "now")]
        return (first, second) in pairwise(kinds)

    def with_hours(self) -> "Said":
        """Return the same parts, of which a mere number is a time of day."""
        return Said([each._replace(kind=AT) if each.kind == HOUR else each for each in self.tokens])

    @property
    def has_plainly(self) -> bool:
        """Whether "have" is the only one of such verbs: "which year do we have"."""
        return said_have <= _PLAIN_HAVE if (said_have := {e.words for e in self.tokens if e.kind == "have"}) else True

    @property
    def is_statement(self) -> bool:
        """Whether the sentence says something: "it is time", "today is the day"."""
        if self.has("ask", "tell", "when", "late", *MANY):
            return False
        return self.kinds[0] in ("it", "me") or (self.kinds[0] in ("today", "now") and self.has("be"))


def is_asked(said: Said, topic: str) -> bool:
    """Return whether a question for the present time or day is complete: "what time is it", "the date please"."""
    at = said.at(topic)
    before, after = said.kinds[:at], said.kinds[at + 1 :]
    if said.is_statement or (not said.has("ask") and (said.kinds[0] in _DANGLING or said.kinds[-1] in _DANGLING)):
        return False
    if said.has("ask"):
        # "What is time" asks something else than "what is the time".
        has_verb = said.words("ask").endswith(("is", "are", "does")) or before[-1:] == ["be"]
        is_bare = has_verb and not set(before) & {"the", "current"}
        return not is_bare or bool(set(after) & {"it", "now", "today", "ask"} or said.has("today", PLACE, SOMEWHERE))
    if said.has("be", "will", "have"):
        has_article = bool(set(before) & {"the", "current"})
        return (has_article and said.has("have") and said.kinds[0] in ("be", "it", "have")) or "it" in after
    return said.has("tell", "the", "current") or set(said.kinds) <= {topic, "now", "today"}


def place_in(said: Said) -> dict[str, Place] | None:
    """Return the one place that is named as a slot, {} where there is none, and None for several."""
    places = said.values(PLACE)
    return None if len(places) > 1 else {"place": places[0]} if places else {}
