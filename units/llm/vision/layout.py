"""Where pictures stand in a sequence of tokens.

A slice of a picture takes as many places in the list of tokens as it has embeddings, all with one number below zero
that is a hash of the picture's file. So two sequences are compared like any others, and begin alike only when they show
the same pictures. The positions that llama.cpp counts may be others (M-RoPE): a slice may move what follows less far.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from units.llm.vision.projector import Slice


POSITION_KINDS = 4
"""The numbers that say where an embedding stands, in models with M-RoPE."""


class Shown(NamedTuple):
    """A slice of a picture that has been measured."""

    key: bytes
    """The key of the picture."""

    slice: "Slice"
    row: int
    """Its first embedding among those of the picture."""


class Place(NamedTuple):
    """A slice in a sequence."""

    start: int
    end: int
    position: int
    """The position of its first embedding."""

    shown: Shown

    def positions(self, start: int, count: int) -> npt.NDArray[np.int32]:
        """Return the positions of `count` embeddings from `start` on, as llama.cpp wants them."""
        offsets = self.shown.slice.offsets
        if not offsets:
            return np.arange(self.position + start, self.position + start + count, dtype=np.int32)
        kinds = np.frombuffer(offsets, np.int32).reshape(POSITION_KINDS, -1)[:, start : start + count].copy()
        kinds[:-1] += self.position  # the last kind is no place in the sequence
        return kinds.ravel()


class Layout:
    """The slices of one sequence; what is said after them is text."""

    def __init__(self, places: Sequence[Place] = ()) -> None:
        self.places = tuple(places)
        self._starts = [place.start for place in self.places]

    @classmethod
    def of(cls, tokens: Sequence[int], shown: Mapping[int, Shown]) -> "Layout":
        """Return the layout of a prompt; `shown` has the slice of each number below zero."""
        places, at, lead = [], 0, 0
        while at < len(tokens):
            if (token := tokens[at]) >= 0:
                at += 1
                continue
            piece = shown[token]
            places.append(Place(at, at + piece.slice.tokens, at - lead, piece))
            at += piece.slice.tokens
            lead += piece.slice.tokens - piece.slice.positions
        return cls(places)

    def position(self, index: int) -> int:
        """Return the position of a text token, or of the beginning of a slice."""
        if (before := self._last_from(index)) is None or before.start == index:
            return index if before is None else before.position
        return before.position + before.shown.slice.positions + index - before.end

    def at(self, index: int) -> Place | None:
        """Return the slice that has this place; None for text."""
        place = self._last_from(index)
        return place if place is not None and index < place.end else None

    def run_end(self, index: int, end: int) -> int:
        """Return where the slice or the text at this place ends, at `end` at the latest."""
        if (place := self.at(index)) is not None:
            return min(place.end, end)
        following = bisect_right(self._starts, index)
        return min(self._starts[following], end) if following < len(self._starts) else end

    def cut(self, length: int, smallest: int) -> int:
        """Return how much of the first `length` tokens can be kept: no part of a slice, and all of a text's end.

        What is left of a text that a slice follows is at least `smallest` tokens, or the whole of it.
        """
        if (place := self.at(length)) is not None:
            return place.start
        following = bisect_right(self._starts, length)
        if following == len(self._starts) or self._starts[following] - length >= smallest:
            return length
        begin = self.places[following - 1].end if following else 0
        return max(begin, min(length, self._starts[following] - smallest))

    def missing_from(self, length: int) -> list[Shown]:
        """Return the slices that are not wholly within the first `length` tokens."""
        return [place.shown for place in self.places if place.end > length]

    def _last_from(self, index: int) -> Place | None:
        """Return the last slice that begins at this place or before."""
        found = bisect_right(self._starts, index)
        return self.places[found - 1] if found else None


TEXT_ONLY = Layout()
