"""What `[home]` names, opened: tools and devices, Home Assistant, and a person's own skills."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from unitd.core.config.schema import HomeSettings
from unitd.doors.base import Commands
from unitd.doors.home.own_skills import OwnSkills, read_own_skills
from unitd.runtime.skills.actions import Action
from unitd.runtime.skills.lists import Lists
from unitd.runtime.tasks.board_tools import Toolbox
from unitd.runtime.tasks.skill_toolbox import SkillToolbox

if TYPE_CHECKING:
    from unitd.doors.home.toolbox import HomeToolbox


class OpenHome:
    """The home of one daemon."""

    def __init__(self, settings: HomeSettings, devices: "HomeToolbox | None", own: OwnSkills | None) -> None:
        """`devices` is None without a file of tools and without Home Assistant."""
        self._devices = devices
        self._own = own
        self.skill_actions: dict[str, Action] = dict(own.actions) if own is not None else {}
        """What skills may do with this home."""

        self.lists: Lists | None = None
        """The lists of Home Assistant; None where there is none."""

        self.skills: Toolbox = SkillToolbox(settings, own.rows if own is not None else [])
        """Skills alone."""

        self.toolbox: Toolbox = self.skills
        """Devices and skills; skills alone where there is neither a file of tools nor a domain of Home Assistant."""

        if devices is not None and (settings.tools is not None or settings.domains):
            self.toolbox = devices
        if devices is not None and devices.homeassistant is not None:
            from unitd.doors.home.assistant_skills import AssistantLists, AssistantSkills

            self.skill_actions |= AssistantSkills(devices.homeassistant, datetime.now).actions
            self.lists = AssistantLists(devices.homeassistant)

    @property
    def state_topics(self) -> Sequence[str]:
        """Return every topic whose last value a tool may read."""
        return self._devices.state_topics if self._devices is not None else []

    async def close(self) -> None:
        """Close the connections."""
        if self._devices is not None:
            await self._devices.close()
        if self._own is not None:
            await self._own.close()


async def open_home(settings: HomeSettings, mqtt: Commands | None) -> OpenHome:
    """Open everything; a client of HTTP is loaded only for tools and for Home Assistant.

    Raises:
        ConfigError: a file cannot be read, or something in it is wrong.
    """
    own, devices = None, None
    if settings.skills is not None:
        found = await asyncio.to_thread(read_own_skills, settings.skills)
        own = OwnSkills([skill for _, skill in found], mqtt)
    if settings.tools is not None or settings.homeassistant_url:
        from unitd.doors.home.toolbox import open_toolbox

        rows: Sequence[Mapping[str, object]] = own.rows if own is not None else []
        devices = await open_toolbox(settings, mqtt, rows)
    return OpenHome(settings, devices, own)
