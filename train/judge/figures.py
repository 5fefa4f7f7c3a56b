"""Shares with their intervals, and the area under a curve. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

Z = 1.959964
"""Of the normal distribution, for 95 percent."""


class Figure(NamedTuple):
    """One line of the table: a value between 0 and 1 with the limits of its 95 % interval."""

    name: str
    value: float
    low: float
    high: float
    number: int
    """So many answers or texts were judged."""

    @property
    def line(self) -> str:
        """Return the line of the table."""
        name = f"{self.name:38}"
        return f"{name} {self.value:7.1%}  {self.low:6.1%} to {self.high:6.1%}  of {self.number}"


def share(name: str, results: Iterable[bool]) -> Figure:
    """Return the part of the results that is true, with Wilson's interval."""
    results = list(results)
    right, count = sum(results), len(results)
    return Figure(name, right / count if count else 0.0, *wilson(right, count), count)


def wilson(right: int, count: int) -> tuple[float, float]:
    """Return the limits of Wilson's 95 % interval for a share; of nothing nothing is known."""
    if not count:
        return 0.0, 1.0
    part, spread = right / count, Z * Z / count
    middle = part + spread / 2
    width = Z * math.sqrt(part * (1 - part) / count + spread / (4 * count))
    low, high = (middle - width) / (1 + spread), (middle + width) / (1 + spread)
    return max(low, 0.0), min(high, 1.0)


def area(name: str, yes: Sequence[float], no: Sequence[float]) -> Figure:
    """Return the area under the ROC curve, with the interval of Hanley and McNeil (1982)."""
    value = auc(yes, no)
    one = value / (2 - value)
    two = 2 * value * value / (1 + value)
    spread = value * (1 - value) + (len(yes) - 1) * (one - value**2) + (len(no) - 1) * (two - value**2)
    error = Z * math.sqrt(max(spread, 0.0) / (len(yes) * len(no)))
    return Figure(name, value, max(value - error, 0.0), min(value + error, 1.0), len(yes) + len(no))


def auc(yes: Sequence[float], no: Sequence[float]) -> float:
    """Return how often a value of `yes` is above one of `no`; equal ones count half."""
    values = np.concatenate([np.asarray(yes, float), np.asarray(no, float)])
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    above = float(ranks[: len(yes)].sum()) - len(yes) * (len(yes) + 1) / 2
    return above / (len(yes) * len(no))
