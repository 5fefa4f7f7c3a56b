"""The skill of the board's own loudspeaker: louder, quieter, a percentage, mute."""

from pathlib import Path

from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.texts import read_texts
from units.intent.steps import Outcome
from units.intent.values.percent import read_percent, read_points

LITTLE, USUAL, MUCH = 5.0, 10.0, 25.0
"""By how many percent the volume changes."""

LOWEST = 5
""""Quieter" never makes it silent: nobody would hear the answer."""

_STEPS = {"little": LITTLE, "much": MUCH}


def _set(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("volume_set", {"percent": asked.slots["percent"]})]
    return _said(outcome, "set")


def _change(asked: Asked, direction: int) -> Steps:
    step = asked.slots.get("step") or _STEPS.get(asked.slots.get("much", ""), USUAL)
    (before,) = yield [SkillCall("volume_get")]
    if not before.is_done:
        return _said(before, "set")
    percent = before.data["percent"] + direction * step
    (outcome,) = yield [
        SkillCall("volume_set", {"percent": max(min(LOWEST, before.data["percent"]), min(100, percent))})
    ]
    is_at_end = outcome.is_done and outcome.data["percent"] == before.data["percent"]
    return _said(outcome, "at_end" if is_at_end else "set")


def _up(asked: Asked) -> Steps:
    return _change(asked, 1)


def _down(asked: Asked) -> Steps:
    return _change(asked, -1)


def _mute(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("volume_mute", {"is_muted": True})]
    return _said(outcome, "muted")


def _unmute(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("volume_mute", {"is_muted": False})]
    return _said(outcome, "set")


def _tell(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("volume_get")]
    return _said(outcome, "muted_at" if outcome.data.get("is_muted") else "set")


def _said(outcome: Outcome, key: str) -> Said:
    if outcome.is_done:
        return Said(key, {"percent": outcome.data["percent"]})
    return Said("no_loudspeaker" if outcome.reason == "no_loudspeaker" else "failed")


SKILL = Skill(
    "volume",
    read_texts(Path(__file__).with_suffix(".toml")),
    {"set": _set, "up": _up, "down": _down, "mute": _mute, "unmute": _unmute, "tell": _tell},
    {"percent": read_percent, "step": read_points},
)
