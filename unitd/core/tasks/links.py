"""What one task's output does to another: the table in docs/original-firmware.md, section 4, and no loops.

A link lives in its target's `inputs`; this module only judges.
"""

from collections.abc import Mapping, Sequence

from unitd.core.tasks.kinds import Effect, kind_named
from unitd.wire.errors import BadLink
from unitd.wire.messages import is_task_id, unit_of


def effect_of(source: str, target: str) -> Effect | None:
    """The effect of one work_id on another, None when the pair means nothing."""
    return kind_named(unit_of(source)).effects.get(kind_named(unit_of(target)).serving)


def check_link(source: str, target: str, inputs: Mapping[str, Sequence[str]]) -> None:
    """Judges a new link; `inputs` maps every task to what it listens to.

    Raises:
        BadLink: the source is no task, the pair means nothing, or the link would close a loop.
    """
    if source not in inputs:
        raise missing_source(source)
    if _reaches(target, source, inputs):
        raise BadLink(f"{source} already listens to {target}, this would loop")
    if effect_of(source, target) is None:
        raise BadLink(f"{unit_of(target)} has no use for the output of {unit_of(source)}")


def missing_source(source: str) -> BadLink:
    """The error for a source that is not there, or not there for this client."""
    return BadLink(f"there is no task {source}")


def _reaches(start: str, goal: str, inputs: Mapping[str, Sequence[str]]) -> bool:
    """True when the output of `start` arrives at `goal` over any number of links."""
    pending, seen = [goal], set[str]()
    while pending:
        task = pending.pop()
        if task == start:
            return True
        if task not in seen:
            seen.add(task)
            pending += [each for each in inputs.get(task, ()) if is_task_id(each)]
    return False
