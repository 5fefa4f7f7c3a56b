"""The skill of the board's own loudspeaker: louder, quieter, a percentage, mute."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import read_texts
from units.intent.skills.volume_wish import VolumeWish, read_wish
from units.intent.steps import Outcome
from units.intent.values.saying import said_duration

LITTLE, USUAL, MUCH = 5.0, 10.0, 25.0
"""By how many percent the volume changes."""

LOWEST = 5
""""Quieter" never makes it silent: nobody would hear the answer."""

_UNMUTE = "unmute"
"""What is done at the end of "mute for five minutes", which is understood in English."""

_OF_BOARD = {"en": re.compile(r"\b(?:you|you're|your|yourself|speak\w*|talk\w*|voice|board)\b", re.IGNORECASE)}
"""Words for the board's own voice, in languages whose wishes are read from words in any order."""

_FACTORS = {"double": 2.0, "halve": 0.5}

_STEPS = {"little": LITTLE, "much": MUCH}


def _do(asked: Asked) -> Steps | None:
    """Do what is wished; None where a player in the same room may be meant, which is for the home and its model."""
    wish: VolumeWish = asked.slots["wish"]
    of_board = _OF_BOARD.get(asked.language)
    if wish.do != "tell" and "media_player" in asked.domains and of_board and not of_board.search(asked.words):
        return None
    return _WORKS[wish.do](wish)


def _set(wish: VolumeWish) -> Steps:
    (outcome,) = yield [SkillCall("volume_set", {"percent": wish.percent})]
    return _said(outcome, "set")


def _change(wish: VolumeWish) -> Steps:
    (before,) = yield [SkillCall("volume_get")]
    if not before.is_done:
        return _said(before, "set")
    (outcome,) = yield [SkillCall("volume_set", {"percent": _changed(before.data["percent"], wish)})]
    is_at_end = outcome.is_done and outcome.data["percent"] == before.data["percent"]
    return _said(outcome, "at_end" if is_at_end else "set")


def _changed(before: float, wish: VolumeWish) -> float:
    """Return the new volume; where nothing would be left of it, a step is a share of the present one."""
    if wish.do in _FACTORS:
        return max(min(LOWEST, before), min(100, before * _FACTORS[wish.do]))
    step = wish.step or _STEPS.get(wish.much, USUAL)
    if wish.do == "up":
        return min(100, before + step)
    if wish.step and before > LOWEST >= before - step:
        step = before * step / 100
    return max(min(LOWEST, before), before - step)


def _mute(wish: VolumeWish) -> Steps:
    is_muted = wish.do == "mute"
    (outcome,) = yield [SkillCall("volume_mute", {"is_muted": is_muted})]
    if not (outcome.is_done and wish.seconds):
        return _said(outcome, "muted" if is_muted else "set")
    (timer,) = yield [SkillCall("timer_start", {"seconds": wish.seconds, "command": _UNMUTE})]
    return Said("muted_for" if timer.is_done else "muted_open", {"duration": said_duration(wish.seconds, "en")})


def _tell(wish: VolumeWish) -> Steps:
    (outcome,) = yield [SkillCall("volume_get")]
    return _said(outcome, "muted_at" if outcome.data.get("is_muted") else "set")


def _said(outcome: Outcome, key: str) -> Said:
    if outcome.is_done:
        return Said(key, {"percent": outcome.data["percent"]})
    return Said("no_loudspeaker" if outcome.reason == "no_loudspeaker" else "failed")


_WORKS: Mapping[str, Callable[[VolumeWish], Steps]] = {
    "set": _set,
    "up": _change,
    "down": _change,
    "double": _change,
    "halve": _change,
    "mute": _mute,
    "unmute": _mute,
    "tell": _tell,
}

SKILL = Skill("volume", read_texts(Path(__file__).with_suffix(".toml")), {"wish": _do}, {"wish": read_wish})
