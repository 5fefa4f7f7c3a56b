"""The board's own tools where no home is configured: skills alone."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from unitd.core.config.schema import HomeSettings
from unitd.core.home.call_guard import ALLOWED, Evidence, Verdict, evidence_of
from unitd.core.home.home import Home
from unitd.core.home.prompt import NO_TOOLS, with_prompt_text
from unitd.core.home.skill_tools import SKILL_TOOLS, skill_functions
from unitd.core.outcomes import DeviceState, Outcome, Reason, failed
from unitd.runtime.tasks.tool_messages import Call

NAME = "home"
"""The name of the board's own tools in a setup."""

SKILLS = "skills"
"""The name of its skills alone."""


class SkillToolbox:
    """A `board_tools.Toolbox` without devices."""

    defaults: Mapping[str, Any] = {}

    def __init__(self, settings: HomeSettings, skills: Sequence[Mapping[str, Any]] = ()) -> None:
        """`skills` are the person's own, for the intent program."""
        self._skills = {"skills": list(skills)}
        self._languages = settings.languages
        self._home = Home().as_data(settings.area, settings.languages)

    async def prepare(self, setup: dict[str, Any], *, sees: bool, calls_skills: bool = False) -> dict[str, Any]:
        """Return the setup with the skills as tools; for a model that does not call them its prompt says "none"."""
        skills = skill_functions(setup.get("language") or self._languages) if calls_skills else []
        return setup | {"tools": skills} if skills else with_prompt_text(setup, NO_TOOLS) | {"tools": None}

    def narrowed(self, setup: Mapping[str, Any], names: Collection[str], *, sees: bool) -> dict[str, Any]:
        """Return {}: no device may be meant."""
        return {}

    def recognition(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Return the setup of the intent program: a home without devices, and the room and the languages of a task."""
        return {"home": self._home} | self._skills | {key: setup[key] for key in ("area", "language") if setup.get(key)}

    async def listing(self) -> list[dict[str, Any]]:
        """Return no tools."""
        return []

    def is_skill(self, name: str) -> bool:
        """Return whether a call with this name is one of a skill."""
        return name in SKILL_TOOLS

    def check(
        self, call: Call, evidence: Evidence | None, before: Evidence | None, read: Mapping[str, DeviceState]
    ) -> Verdict:
        """Return that nothing forbids a call; `do` refuses it."""
        return ALLOWED

    def targets(self, call: Call, evidence: Evidence | None) -> list[Call]:
        """Return the call as it is."""
        return [call]

    def evidence_of(self, calls: Sequence[Call], language: str) -> Evidence:
        """Return that a turn was about no device."""
        return evidence_of([], language)

    def confirmation(self, calls: Sequence[Call], language: str) -> str:
        """Return "": nothing needs a question."""
        return ""

    async def do(self, call: Call, *, sees: bool) -> Outcome:
        """Refuse a call: there are no devices."""
        words = failed("no home is configured on this board", "")
        return Outcome(words, is_done=False, reason=Reason.NOT_CONFIGURED)
