"""The skill of the board's voice: say it again, speak slower or faster."""

from collections.abc import Callable, Mapping
from pathlib import Path

from units.intent.skills.skill import Asked, Said, Skill, SkillCall, Steps
from units.intent.skills.speech_wish import read_wish
from units.intent.skills.texts import read_texts

SLOWER, FASTER = 0.85, 1.18
"""One step back is about one step on."""

_MUCH = 2
""""Much slower" is so many steps."""


def _again(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("speech_again")]
    return Said("again", {"text": outcome.data["text"]}) if outcome.is_done else Said("nothing")


def _slower(asked: Asked) -> Steps:
    return _change(asked, SLOWER)


def _faster(asked: Asked) -> Steps:
    return _change(asked, FASTER)


def _change(asked: Asked, factor: float) -> Steps:
    way = "slower" if factor < 1 else "faster"
    factor = factor**_MUCH if asked.slots.get("much") == "much" else asked.slots.get("factor") or factor
    (outcome,) = yield [SkillCall("speech_speed", {"factor": round(factor, 3)})]
    if not outcome.is_done:
        return Said("failed")
    return Said(way if outcome.data["is_changed"] else f"{way}_end")


def _normally(asked: Asked) -> Steps:
    (outcome,) = yield [SkillCall("speech_speed", {"reset": True})]
    return Said("normally" if outcome.is_done else "failed")


def _do(asked: Asked) -> Steps | None:
    """Do what a sentence wants; it is read again, as a slot lacks the words that a home skips: "thanks again"."""
    wish = read_wish(asked.words, asked.language)
    return None if wish is None else _WORKS[wish.do](asked._replace(slots={"much": wish.much, "factor": wish.factor}))


_WORKS: Mapping[str, Callable[[Asked], Steps]] = {
    "again": _again,
    "slower": _slower,
    "faster": _faster,
    "normally": _normally,
}

SKILL = Skill("speech", read_texts(Path(__file__).with_suffix(".toml")), {**_WORKS, "wish": _do}, {"wish": read_wish})
