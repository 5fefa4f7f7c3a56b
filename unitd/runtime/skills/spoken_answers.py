"""How the board speaks: its last answer once more, and the speed of its voices.

The speed is a factor for all voices that say what other tasks answer; it outlives the daemon. A text that a client has
spoken by itself has the speed that this client wants.
"""

from collections.abc import Callable, Mapping
from typing import Any

from unitd.core.outcomes import Outcome, SkillReason
from unitd.runtime.skills.actions import Action, ActionFailed, Where
from unitd.runtime.skills.kept_values import KeptValues

SLOWEST, FASTEST = 0.5, 2.0
"""Beyond these nobody understands a voice."""

SLOWEST_VOICE, FASTEST_VOICE = 0.25, 4.0
"""What a setup of tts may say."""


class SpeechActions:
    """`speech_again` and `speech_speed`."""

    def __init__(self, kept: KeptValues, last_answer: Callable[[str], str]) -> None:
        """`last_answer` returns that of a conversation."""
        self._kept = kept
        self._last_answer = last_answer

    @property
    def actions(self) -> Mapping[str, Action]:
        """The actions by name."""
        return {"speech_again": self._again, "speech_speed": self._change_speed}

    @property
    def speed(self) -> float:
        """The factor for all voices."""
        kept = self._kept["speed"]
        return kept if isinstance(kept, float) and SLOWEST <= kept <= FASTEST else 1.0

    def voice_options(self, setup: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a voice with this setup says otherwise than it wants."""
        if self.speed == 1.0:
            return {}
        own = setup["speed"] if "speed" in setup else setup.get("spacker_speed", 1.0)
        return {"speed": min(FASTEST_VOICE, max(SLOWEST_VOICE, own * self.speed))}

    async def _again(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        if not (words := self._last_answer(where.conversation)):
            raise ActionFailed("Nothing was said yet.", SkillReason.NOTHING_SAID)
        return Outcome(words, is_done=True, data={"text": words})

    async def _change_speed(self, arguments: Mapping[str, Any], where: Where) -> Outcome:
        before = self.speed
        wanted = 1.0 if arguments.get("reset") else before * float(arguments["factor"])
        speed = round(min(FASTEST, max(SLOWEST, wanted)), 2)
        if speed != before:
            await self._kept.change(speed=speed)
        return Outcome("", is_done=True, data={"speed": speed, "is_changed": speed != before})
