"""The effect of one task's output on another, by the table in docs/original-firmware.md, section 4; loops are refused.

Links are kept in the `inputs` of their targets; this module only checks them.
"""

from collections.abc import Mapping, Sequence

from unitd.core.tasks.kinds import Effect, kind_named
from unitd.wire.errors import BadLink
from unitd.wire.messages import is_task_id, unit_of


def effect_of(source: str, target: str) -> Effect | None:
    """Return the effect of one work_id on another; None if a link between them has none."""
    return kind_named(unit_of(source)).effects.get(kind_named(unit_of(target)).serving)


def check_link(source: str, target: str, inputs: Mapping[str, Sequence[str]]) -> None:
    """Check a new link; `inputs` maps every task to its inputs.

    Raises:
        BadLink: the source is no task, the link would have no effect, or it would close a loop.
    """
    if source not in inputs:
        raise missing_source(source)
    if _reaches(target, source, inputs):
        raise BadLink(f"{source} already listens to {target}, this would loop")
    if effect_of(source, target) is None:
        raise BadLink(f"{unit_of(target)} has no use for the output of {unit_of(source)}")


def missing_source(source: str) -> BadLink:
    """Return the error for a source that does not exist or belongs to another owner."""
    return BadLink(f"there is no task {source}")


def _reaches(start: str, goal: str, inputs: Mapping[str, Sequence[str]]) -> bool:
    """Return whether the output of `start` reaches `goal` over any number of links."""
    pending, seen = [goal], set[str]()
    while pending:
        task = pending.pop()
        if task == start:
            return True
        if task not in seen:
            seen.add(task)
            pending += [each for each in inputs.get(task, ()) if is_task_id(each)]
    return False
