"""The skill of the clock: what time it is."""

from pathlib import Path

from units.intent.skills.skill import Asked, Said, Skill
from units.intent.skills.texts import read_texts


def _tell_time(asked: Asked) -> Said:
    return Said("time", {"time": f"{asked.now:%H:%M}"})


SKILL = Skill("clock", read_texts(Path(__file__).with_suffix(".toml")), {"time": _tell_time})
