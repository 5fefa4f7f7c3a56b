"""What skills do with the board itself."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unitd.core.outcomes import Outcome, Reason
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.skills.actions import Action, ActionFailed, Where
from unitd.runtime.skills.board_state import BoardActions
from unitd.runtime.skills.kept_values import KeptValues
from unitd.runtime.skills.lists import ListActions, OwnLists
from unitd.runtime.skills.spoken_answers import SpeechActions
from unitd.runtime.skills.volume import VolumeActions


class DeviceActions:
    """Its volume, its voice, its lists, and its state."""

    def __init__(self, folder: Path, audio: AudioHub, last_answer: Callable[[str], str]) -> None:
        """`folder` is the state directory; `last_answer` see `SpeechActions`."""
        self._kept = KeptValues(folder / "skills.json")
        self._volume = VolumeActions(audio, self._kept)
        self._speech = SpeechActions(self._kept, last_answer)
        self._kept_lists = KeptValues(folder / "lists.json")
        self.lists = ListActions(OwnLists(self._kept_lists))

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        elsewhere = dict.fromkeys(("weather_get", "calendar_get"), _refuse)
        return {
            **elsewhere,
            **self._volume.actions,
            **self._speech.actions,
            **self.lists.actions,
            **BoardActions().actions,
        }

    async def open(self) -> None:
        """Read what the last daemon has kept."""
        await self._kept.open()
        await self._kept_lists.open()
        self._volume.begin()

    def voice_options(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a voice with this setup says otherwise than it wants: its speed."""
        return self._speech.voice_options(setup)


async def _refuse(arguments: Mapping[str, Any], where: Where) -> Outcome:
    """Raise ActionFailed: only a Home Assistant has this."""
    raise ActionFailed("No Home Assistant is configured.", Reason.NOT_CONFIGURED)
