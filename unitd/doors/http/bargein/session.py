"""What the barge-in dialect remembers of a person between two turns: persona, sampling, and the turn that is going on.

Sessions are known by the id that their client chose, on whatever connection it comes. The least recently used one is
forgotten when there are too many or they hold too much text; one with a turn going on stays.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from unitd.core.access.rate_limit import SlidingWindow
from unitd.core.config.schema import BargeInSettings

# Some times as many as can be connected; a session without a persona takes less than a kilobyte.
MAX_SESSIONS = 1000
MAX_CHARACTERS = 4 * 1024 * 1024

NAMES = re.compile(r"\{(persona|style|gender|identity|history)\}")
"""What a system template may name."""


@dataclass(frozen=True)
class Persona:
    """Who the assistant is, and whom it talks to; "" is not told."""

    persona: str = ""
    style: str = ""
    gender: str = ""
    identity: str = ""

    def changed(self, changes: dict[str, str]) -> "Persona":
        """The same, but for what these say."""
        return replace(self, **changes)

    def prompt(self, template: str, history: str) -> str:
        """The system prompt. A line of the template whose names are all without a value is left out.

        Values are put in once and not looked at again: braces in them mean nothing.
        """
        values = vars(self) | {"history": history}
        lines = []
        for line in template.splitlines():
            names = NAMES.findall(line)
            if not names or any(values[name] for name in names):
                lines.append(NAMES.sub(lambda name: values[name[1]], line))
        return "\n".join(lines).strip()


class Interruptible(Protocol):
    """A turn, as its session sees it."""

    def cut(self) -> bool:
        """Ends it and tells its client; False when it is over already."""


@dataclass(eq=False)
class Session:
    """One person's settings, kept from turn to turn."""

    updates: SlidingWindow
    persona: Persona = Persona()
    sampling: dict[str, Any] = field(default_factory=dict)
    """What was asked for in place of the configuration's."""

    turn: Interruptible | None = None

    @property
    def size(self) -> int:
        """Characters that it keeps."""
        return sum(map(len, vars(self.persona).values()))


class Sessions:
    """All sessions, the least recently used first."""

    def __init__(self, settings: BargeInSettings) -> None:
        self._settings = settings
        self._by_id: dict[tuple[str, str], Session] = {}
        """By the name of the token and the id that its client chose."""

    def __len__(self) -> int:
        return len(self._by_id)

    def of(self, holder: str, session_id: str) -> Session:
        """A token's session of this id, a new one if it is not known."""
        session = self._by_id.pop((holder, session_id), None)
        if session is None:
            limit, seconds = self._settings.persona_updates, self._settings.persona_update_window_s
            session = Session(SlidingWindow(limit, seconds))
        self._make_room()
        self._by_id[holder, session_id] = session
        return session

    def _make_room(self) -> None:
        size = sum(session.size for session in self._by_id.values())
        if len(self._by_id) < MAX_SESSIONS and size <= MAX_CHARACTERS:
            return
        for key, session in list(self._by_id.items()):
            if len(self._by_id) < MAX_SESSIONS and size <= MAX_CHARACTERS:
                return
            if session.turn is None:
                del self._by_id[key]
                size -= session.size
