"""What `[home]` names, opened: tools and devices, Home Assistant, and a person's own skills."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from unitd.core.config.schema import HomeSettings
from unitd.doors.base import Commands
from unitd.doors.home.assistant_skills import AssistantLists, AssistantSkills
from unitd.doors.home.own_skills import OwnSkills, read_own_skills
from unitd.doors.home.toolbox import HomeToolbox, open_toolbox
from unitd.runtime.skills.actions import Action
from unitd.runtime.skills.lists import Lists
from unitd.runtime.tasks.skill_toolbox import SkillToolbox
from unitd.runtime.tasks.tool_loop import Toolbox


class OpenHome:
    """The home of one daemon."""

    def __init__(self, settings: HomeSettings, devices: HomeToolbox, own: OwnSkills | None) -> None:
        self._devices = devices
        self._own = own
        has_devices = settings.tools is not None or bool(settings.domains)
        skills = own.rows if own is not None else []
        self.toolbox: Toolbox = devices if has_devices else SkillToolbox(settings, skills)
        """What tasks use: without devices, skills alone."""

    @property
    def state_topics(self) -> Sequence[str]:
        """Return every topic whose last value a tool may read."""
        return self._devices.state_topics

    @property
    def skill_actions(self) -> Mapping[str, Action]:
        """Return what skills may do with this home."""
        homeassistant = self._devices.homeassistant
        assistant = AssistantSkills(homeassistant, datetime.now).actions if homeassistant is not None else {}
        return {**assistant, **(self._own.actions if self._own is not None else {})}

    @property
    def lists(self) -> Lists | None:
        """Return the lists of Home Assistant; None where there is none."""
        homeassistant = self._devices.homeassistant
        return AssistantLists(homeassistant) if homeassistant is not None else None

    async def close(self) -> None:
        """Close the connections."""
        await self._devices.close()
        if self._own is not None:
            await self._own.close()


async def open_home(settings: HomeSettings, mqtt: Commands | None) -> OpenHome:
    """Open everything.

    Raises:
        ConfigError: a file cannot be read, or something in it is wrong.
    """
    own = None
    if settings.skills is not None:
        found = await asyncio.to_thread(read_own_skills, settings.skills)
        own = OwnSkills([skill for _, skill in found], mqtt)
    devices = await open_toolbox(settings, mqtt, own.rows if own is not None else [])
    return OpenHome(settings, devices, own)
