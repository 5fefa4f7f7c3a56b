"""The volume of the board's own loudspeaker, as skills set it: in percent, kept over restarts."""

from collections.abc import Mapping
from typing import Any

from unitd.core.outcomes import Outcome, SkillReason
from unitd.runtime.audio.hub import AudioHub
from unitd.runtime.skills.actions import Action, ActionFailed, Where
from unitd.runtime.skills.kept_values import KeptValues
from unitd.wire.errors import UnitdError


class VolumeActions:
    """`volume_get`, `volume_set` and `volume_mute`."""

    def __init__(self, audio: AudioHub, kept: KeptValues) -> None:
        self._audio = audio
        self._kept = kept

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        return {"volume_get": self._get, "volume_set": self._set, "volume_mute": self._mute}

    def begin(self) -> None:
        """Give the loudspeaker the volume that was kept, if there is one."""
        percent, is_muted = self._kept["volume"], self._kept["is_muted"]
        if isinstance(percent, int) and 0 <= percent <= 100:
            self._audio.begin_with(playback=0.0 if is_muted is True else percent / 100)

    async def _get(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        await self._check()
        return self._told()

    async def _set(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        await self._check()
        percent = max(0, min(100, round(float(arguments["percent"]))))
        await self._change(percent / 100, volume=percent, is_muted=False)
        return self._told()

    async def _mute(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        await self._check()
        is_muted, percent = bool(arguments["is_muted"]), self._percent
        await self._change(0.0 if is_muted else percent / 100, volume=percent, is_muted=is_muted)
        return self._told()

    async def _check(self) -> None:
        try:
            has_loudspeaker = await self._audio.has_loudspeaker()
        except UnitdError as error:
            raise ActionFailed(f"The volume cannot be changed: {error}.") from error
        if not has_loudspeaker:
            raise ActionFailed("This board has no loudspeaker.", SkillReason.NO_LOUDSPEAKER)

    async def _change(self, fraction: float, **kept: Any) -> None:
        try:
            await self._audio.change_volumes(playback=fraction)
        except UnitdError as error:
            raise ActionFailed(f"The volume cannot be changed: {error}.") from error
        await self._kept.change(**kept)

    @property
    def _is_muted(self) -> bool:
        """True until somebody sets a volume, whoever it is."""
        return self._kept["is_muted"] is True and self._audio.playback_volume == 0

    @property
    def _percent(self) -> int:
        """The volume, of a muted loudspeaker the one that it will have again."""
        return int(self._kept["volume"]) if self._is_muted else round(self._audio.playback_volume * 100)

    def _told(self) -> Outcome:
        return Outcome("", is_done=True, data={"percent": self._percent, "is_muted": self._is_muted})
