"""What is known of pictures before they are encoded: their size, their tokens, and the slices that these stand for."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from unitd.wire.pictures import MAX_SLICES
from units.base import RUN_FAILED, UnitFault
from units.llm.vision.layout import Layout, Shown
from units.llm.vision.picture import Picture
from units.llm.vision.picture_reader import Size, fitting
from units.llm.vision.projector import Part, Slice

# A few hundred bytes each. A prompt has fewer, so those of the present prompt are always there.
REMEMBERED = 1024
# A picture is scaled down by this factor until it has few enough slices.
SHRINKING = 0.8
SMALLEST_SHARE = 0.02


class Measured(NamedTuple):
    """One picture as the model will see it."""

    key: bytes
    size: Size
    rows: int
    tokens: tuple[int, ...]
    """Its part of a prompt: text tokens, and for each embedding the number of its slice, below zero."""

    shown: dict[int, Shown]
    """The slices by their numbers."""


class MeasuredPictures:
    """The newest pictures that were measured; each owner has its own, as time would tell others what is known."""

    def __init__(self, identity: str, parts_of: Callable[[Size], Sequence[Part]], largest_batch: int) -> None:
        """`identity` is that of model and projector, `parts_of` counts the tokens of a picture of some size."""
        self._identity = identity
        self._parts_of = parts_of
        self._largest_batch = largest_batch
        self._known: OrderedDict[bytes, Measured] = OrderedDict()
        self._shown: dict[int, Shown] = {}

    def find(self, owner: str, picture: Picture) -> Measured | None:
        """Return what is known of a picture, or None."""
        if (found := self._known.get(self._key(owner, picture))) is not None:
            self._known.move_to_end(found.key)
        return found

    def add(self, owner: str, picture: Picture, size: Size) -> None:
        """Count the tokens of a picture whose file has this size; raise UnitFault when the model takes none such."""
        key = self._key(owner, picture)
        fitted, parts = self._fitted(picture, size)
        tokens: list[int] = []
        shown: dict[int, Shown] = {}
        rows = 0
        for part in parts:
            if isinstance(part, Slice):
                number = _number(key, len(shown))
                shown[number] = Shown(key, part, rows)
                tokens += [number] * part.tokens
                rows += part.tokens
            else:
                tokens += part
        self._known[key] = Measured(key, fitted, rows, tuple(tokens), shown)
        self._shown |= shown
        if len(self._known) > REMEMBERED:
            _, oldest = self._known.popitem(last=False)
            for number in oldest.shown:
                del self._shown[number]

    def layout(self, tokens: Sequence[int]) -> Layout:
        """Return where the pictures of a new prompt stand."""
        return Layout.of(tokens, self._shown)

    def _key(self, owner: str, picture: Picture) -> bytes:
        return hashlib.sha256(f"{self._identity}\0{owner}\0".encode() + picture.content).digest()

    def _fitted(self, picture: Picture, size: Size) -> tuple[Size, Sequence[Part]]:
        """Return the size to which the picture is scaled down, and its parts then."""
        try:
            fitted, parts = self._with_few_slices(picture.most_slices, size)
        except ValueError as error:
            raise _refusal(picture, str(error)) from error
        slices = _slices(parts)
        if len(slices) > MAX_SLICES:
            raise _refusal(picture, f"it is cut into {len(slices)} slices, {MAX_SLICES} are the most")
        if any(not each.is_causal and each.tokens > self._largest_batch for each in slices):
            raise _refusal(picture, f"a slice has more than the {self._largest_batch} tokens of a batch")
        return fitted, parts

    def _with_few_slices(self, most: int, size: Size) -> tuple[Size, Sequence[Part]]:
        """Return the largest size with at most so many slices; where none has so few, the picture stays as it is."""
        share = 1.0
        whole = fitting(size), self._parts_of(fitting(size))
        fitted, parts = whole
        while most and len(_slices(parts)) > most:
            share *= SHRINKING
            if share < SMALLEST_SHARE:
                return whole
            fitted = fitting(size, share)
            parts = self._parts_of(fitted)
        return fitted, parts


def _slices(parts: Sequence[Part]) -> list[Slice]:
    return [part for part in parts if isinstance(part, Slice)]


def _number(key: bytes, at: int) -> int:
    """Return the number below zero of a slice."""
    digest = hashlib.sha256(key + at.to_bytes(2)).digest()
    return -1 - (int.from_bytes(digest[:8]) >> 1)


def _refusal(picture: Picture, words: str) -> UnitFault:
    return UnitFault(RUN_FAILED, f"{picture.where} cannot be used: {words}")
