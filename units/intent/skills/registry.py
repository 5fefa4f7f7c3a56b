"""The skills of this board: those that installed packages register as entry points, ours among them."""

import importlib.metadata
import logging
from collections.abc import Sequence
from functools import cache

from units.intent.skills.skill import ENTRY_POINT_GROUP, Skill

log = logging.getLogger(__name__)


@cache
def registered_skills() -> Sequence[Skill]:
    """Return all skills, those of the same name only once; one that cannot be loaded is logged and left out."""
    found: dict[str, Skill] = {}
    for point in sorted(importlib.metadata.entry_points(group=ENTRY_POINT_GROUP), key=lambda each: each.name):
        try:
            skill = point.load()
        except Exception:  # a package of someone else may raise anything
            log.exception("the skill %s cannot be used", point.name)
            continue
        if isinstance(skill, Skill):
            found.setdefault(skill.name, skill)
        else:
            log.error("the skill %s cannot be used: %s is no Skill", point.name, point.value)
    return list(found.values())
