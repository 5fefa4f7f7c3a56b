"""What a skill is: sentences that it knows, readers for the values in them, and handlers that answer."""

from collections.abc import Callable, Generator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from units.intent.skills.texts import Texts
from units.intent.steps import Outcome

ENTRY_POINT_GROUP = "unitd.skills"
"""Installed packages register skills under this name."""


class Asked(NamedTuple):
    """A sentence for a skill."""

    intent: str
    """The key of its block of sentences."""

    slots: Mapping[str, Any]
    """The values in it, as the skill's readers return them."""

    language: str
    """A language of home_assistant_intents: en, de, zh-CN."""

    room: str
    """The area in which it was heard; "" if that is not known."""

    now: datetime
    """The board's local time, with its zone."""

    words: str
    """The sentence itself."""

    rooms: Sequence[str] = ()
    """The areas of the home."""

    domains: frozenset[str] = frozenset()
    """Of the devices in this area, or of all where it is not known: "light", "media_player"."""


class SkillCall(NamedTuple):
    """An action of the daemon, such as `timer_start`."""

    name: str
    arguments: Mapping[str, Any] = {}


class Said(NamedTuple):
    """An answer."""

    key: str
    """The key of the answer in the skill's texts."""

    values: Mapping[str, Any] = {}
    """For its template."""

    then: "Handler | None" = None
    """Gets the next sentence of the conversation, with the intent "" and no slots; None as its answer means that the
    sentence is no reply."""


Steps = Generator[list[SkillCall], list[Outcome], Said | None]
"""A handler that needs the daemon: it yields calls that are done at the same time, and gets their outcomes."""

Handler = Callable[[Asked], Said | Steps | None]
"""Answers a sentence; None where the skill is not meant after all, so that the next reading is tried."""

Reader = Callable[[str, str], Any]
"""Returns the value of the words in a slot, in a language; None where the words are no such value."""


@dataclass(frozen=True)
class Skill:
    """One skill."""

    name: str
    texts: Mapping[str, Texts]
    """Sentences and answers by language."""

    handlers: Mapping[str, Handler]
    """By intent."""

    readers: Mapping[str, Reader] = field(default_factory=dict)
    """By slot; a slot without a reader takes any words."""

    plainer: "Callable[[str, str], Sequence[str]] | None" = None
    """Returns other ways to say a sentence, in a language; tried where it is not understood as it was said."""

    late: Set[str] = frozenset()
    """The slots whose readers take much memory: they are loaded by the first sentence that needs them."""
