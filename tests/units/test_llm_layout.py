"""Covers units.llm.vision.layout and units.llm.vision.measured: where pictures stand, and how many tokens they are."""

import numpy as np
import pytest

from units.base import UnitFault
from units.llm.vision.layout import TEXT_ONLY, Layout, Shown
from units.llm.vision.measured import MeasuredPictures
from units.llm.vision.picture import Picture
from units.llm.vision.picture_reader import Size
from units.llm.vision.projector import Part, Slice

PLAIN = Slice(tokens=4, positions=4, offsets=b"", is_causal=True)
GRID = Slice(
    tokens=4,
    positions=2,
    offsets=np.array([[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]], np.int32).tobytes(),
    is_causal=True,
)
"""Two rows of two, as models with M-RoPE have them: it moves what follows by two."""

PICTURE = Picture(b"hash", 0, b"file", "images[0]")


def layout_of(tokens: list[int], piece: Slice) -> Layout:
    """Return a layout in which all numbers below zero are of one kind of slice."""
    return Layout.of(tokens, {token: Shown(b"key", piece, 0) for token in tokens if token < 0})


def test_text_alone_counts_up() -> None:
    """Nothing stands in its way."""
    assert TEXT_ONLY.position(7) == 7
    assert TEXT_ONLY.at(7) is None
    assert TEXT_ONLY.run_end(3, 9) == 9
    assert TEXT_ONLY.cut(5, 8) == 5
    assert TEXT_ONLY.missing_from(0) == []


def test_plain_slices_count_like_text() -> None:
    """Also two of the same picture in a row."""
    layout = layout_of([1, 2, -5, -5, -5, -5, -5, -5, -5, -5, 3, 4], PLAIN)

    assert [place[:2] for place in layout.places] == [(2, 6), (6, 10)]
    assert [layout.position(at) for at in (0, 2, 6, 10, 11, 99)] == [0, 2, 6, 10, 11, 99]
    assert layout.places[1].positions(1, 2).tolist() == [7, 8]


def test_a_grid_takes_fewer_positions_than_tokens() -> None:
    """What follows goes on after its longer side."""
    layout = layout_of([1, 2, -5, -5, -5, -5, 3, -6, -6, -6, -6, 4, 5], GRID)

    assert [layout.position(at) for at in (0, 1, 2, 6, 7, 11, 12)] == [0, 1, 2, 4, 5, 7, 8]
    assert layout.places[0].positions(0, 4).reshape(4, 4).tolist() == [
        [2, 2, 2, 2],
        [2, 2, 3, 3],
        [2, 3, 2, 3],
        [0, 0, 0, 0],
    ]
    assert layout.places[1].positions(2, 2).reshape(4, 2).tolist() == [[5, 5], [6, 6], [5, 6], [0, 0]]


def test_runs_end_where_pictures_begin_and_end() -> None:
    """Text and embeddings are never in one batch."""
    layout = layout_of([1, 2, -5, -5, -5, -5, 3, 4], PLAIN)

    assert [layout.run_end(at, 8) for at in (0, 1, 2, 4, 6)] == [2, 2, 6, 6, 8]
    assert layout.run_end(2, 5) == 5
    assert [layout.at(at) is not None for at in (1, 2, 5, 6)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("length", "smallest", "kept"),
    [(1, 1, 1), (2, 1, 2), (3, 1, 2), (6, 1, 6), (7, 1, 7), (1, 2, 0), (2, 8, 2), (7, 8, 7)],
)
def test_no_part_of_a_picture_is_kept(length: int, smallest: int, kept: int) -> None:
    """And what is read again of a text is as much as the smallest chunk, or all of it."""
    assert layout_of([1, 2, -5, -5, -5, -5, 3, 4], PLAIN).cut(length, smallest) == kept


def test_what_is_missing_is_told() -> None:
    """A slice that is only half there is missing."""
    layout = layout_of([1, -5, -5, -5, -5, -6, -6, -6, -6, 3], PLAIN)

    assert [len(layout.missing_from(length)) for length in (0, 4, 5, 9)] == [2, 2, 1, 0]


def measured(parts_of: dict[int, int]) -> MeasuredPictures:
    """Pictures that are cut into so many slices from a width on."""

    def parts(size: Size) -> list[Part]:
        count = next(slices for width, slices in sorted(parts_of.items(), reverse=True) if size.width >= width)
        return [[7], *[PLAIN] * count, [8]]

    return MeasuredPictures("a model", parts, largest_batch=512)


def test_a_picture_is_counted() -> None:
    """Text around it, and a number below zero for each embedding; each owner has its own."""
    pictures = measured({0: 2})
    pictures.add("anna", PICTURE, Size(100, 100))
    found = pictures.find("anna", PICTURE)

    assert found is not None
    assert found.rows == 8
    assert [token < 0 for token in found.tokens] == [False, *[True] * 8, False]
    assert len(set(found.tokens)) == 4
    assert pictures.find("bert", PICTURE) is None
    assert [place[:2] for place in pictures.layout(found.tokens).places] == [(1, 5), (5, 9)]
    assert [place.shown.row for place in pictures.layout(found.tokens).places] == [0, 4]


@pytest.mark.parametrize(("most", "slices"), [(0, 9), (9, 9), (4, 4), (1, 1)])
def test_a_picture_is_scaled_down_to_few_slices(most: int, slices: int) -> None:
    """Until the model cuts it into so few."""
    picture = Picture(b"hash", most, b"", "images[0]")
    pictures = measured({0: 1, 300: 4, 800: 9})
    pictures.add("", picture, Size(1000, 1000))
    found = pictures.find("", picture)

    assert found is not None
    assert len(found.shown) == slices
    assert (found.size.width < 1000) == (slices < 9)


def test_a_model_that_always_cuts_keeps_the_size() -> None:
    """A smaller picture would only be worse."""
    picture = Picture(b"hash", 1, b"", "images[0]")
    pictures = measured({0: 5})
    pictures.add("", picture, Size(1000, 1000))
    found = pictures.find("", picture)

    assert found is not None
    assert found.size == Size(1000, 1000)


def test_a_bomb_of_slices_is_refused_with_figures() -> None:
    """Before any work."""
    with pytest.raises(UnitFault, match=r"images\[0\] cannot be used: it is cut into 150 slices, 64 are the most"):
        measured({0: 150}).add("", PICTURE, Size(640, 480))
