"""The interface of the board's own tools, as the tasks use them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from unitd.core.home.call_guard import Evidence, Verdict
from unitd.core.outcomes import DeviceState, Outcome
from unitd.runtime.tasks.tool_messages import Call


class Toolbox(Protocol):
    """The tools of this board."""

    @property
    def defaults(self) -> Mapping[str, Any]:
        """What a setup with these tools has unless it says otherwise; wins over the defaults of a model's card."""

    async def prepare(self, setup: dict[str, Any], *, sees: bool, calls_skills: bool) -> dict[str, Any]:
        """Add schemas and devices to a setup that names the board's tools; raise LoadFailed when there are none.

        `sees` is whether the model has vision, `calls_skills` whether it has learned to call the skills.
        """

    def narrowed(self, setup: Mapping[str, Any], names: Collection[str], *, sees: bool) -> dict[str, Any]:
        """Return the keys of a setup that change when only the devices of these names may be meant."""

    def recognition(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Return the setup of the intent program for a task with this setup."""

    async def listing(self) -> list[dict[str, Any]]:
        """Return name, description and devices of each tool that can be used; empty when there is none."""

    def is_skill(self, name: str) -> bool:
        """Return whether a call with this name is one of a skill."""

    def check(
        self, call: Call, evidence: Evidence | None, before: Evidence | None, read: Mapping[str, DeviceState]
    ) -> Verdict:
        """Return whether the words of a person back a call of the model; `read` are the states read so far, by name."""

    def targets(self, call: Call, evidence: Evidence | None) -> list[Call]:
        """Return the calls that a model's call stands for: one for each device of a set, else the call as it is."""

    def evidence_of(self, calls: Sequence[Call], language: str) -> Evidence:
        """Return what a turn with these calls was about."""

    def confirmation(self, calls: Sequence[Call], language: str) -> str:
        """Return the question to ask before these calls are done; "" when none of them needs one."""

    async def do(self, call: Call, *, sees: bool) -> Outcome:
        """Do a call; never raises, a failure is told like a success. A picture is only for a model that sees."""
