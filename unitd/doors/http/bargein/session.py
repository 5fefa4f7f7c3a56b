"""Sessions of the barge-in dialect: persona, sampling, and the running turn of a person.

A session is found by the id that its client chose, on any connection. The least recently used session is dropped when
there are too many or they hold too much text; a session with a running turn stays.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from unitd.core.access.rate_limit import SlidingWindow
from unitd.core.config.schema import BargeInSettings

# Several times as many as connections; a session without a persona takes less than a kilobyte.
MAX_SESSIONS = 1000
MAX_CHARACTERS = 4 * 1024 * 1024

NAMES = re.compile(r"\{(persona|style|gender|identity|history)\}")
"""The names that a system template may use."""


@dataclass(frozen=True)
class Persona:
    """The role of the assistant, and the identity of the person it talks to; "" is left out."""

    persona: str = ""
    style: str = ""
    gender: str = ""
    identity: str = ""

    def changed(self, changes: dict[str, str]) -> "Persona":
        """Return the persona with these changes."""
        return replace(self, **changes)

    def prompt(self, template: str, history: str) -> str:
        """Return the system prompt, without template lines whose names all have no value.

        Braces in values have no meaning: a value is not expanded again.
        """
        values = vars(self) | {"history": history}
        lines = []
        for line in template.splitlines():
            names = NAMES.findall(line)
            if not names or any(values[name] for name in names):
                lines.append(NAMES.sub(lambda name: values[name[1]], line))
        return "\n".join(lines).strip()


class Interruptible(Protocol):
    """A turn that can be cut."""

    def cut(self) -> bool:
        """End the turn and tell its client. Return False when it has ended already."""


@dataclass(eq=False)
class Session:
    """The settings of one person, kept from turn to turn."""

    updates: SlidingWindow
    persona: Persona = Persona()
    sampling: dict[str, Any] = field(default_factory=dict)
    """The options that replace those of the configuration."""

    turn: Interruptible | None = None

    @property
    def size(self) -> int:
        """Return the number of characters that the session keeps."""
        return sum(map(len, vars(self.persona).values()))


class Sessions:
    """All sessions, the least recently used first."""

    def __init__(self, settings: BargeInSettings) -> None:
        self._settings = settings
        self._by_id: dict[tuple[str, str], Session] = {}
        """By the name of the token and the id that the client chose."""

    def __len__(self) -> int:
        return len(self._by_id)

    def of(self, holder: str, session_id: str) -> Session:
        """Return the session of this token and id; a new one if there is none."""
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
