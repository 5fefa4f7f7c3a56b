"""What is said about what was done, read or not possible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class DeviceAnswer:
    """A device and the state in which it is said to be."""

    name: str
    domain: str
    entity_id: str
    state: str = ""
    state_with_unit: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """Why nothing was done, and the names that explain it."""

    kind: str
    devices: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    text: str = ""


def render(
    language: str,
    intent: str,
    response: str,
    slots: Mapping[str, Any],
    matched: Sequence[DeviceAnswer],
    unmatched: Sequence[DeviceAnswer],
    problem: Problem | None = None,
) -> str:
    """Return the sentence about a wish that was carried out, answered, or not possible."""
    if problem is not None:
        return problem.text or " ".join((problem.kind, *problem.devices, *problem.areas))
    return " ".join((intent, response, *(each.name for each in matched)))
