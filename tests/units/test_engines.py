"""Covers units.engines: one registry of the units and the engines that come with unitd."""

import ast
import importlib.util
from pathlib import Path

import pytest

from unitd.core.tasks.kinds import BUILTIN_KINDS, PROGRAM_MEMORY
from units.base import LoadError
from units.engines import ENGINES, UNITS, find_engine

ENTRIES = [*UNITS.values(), *(entry for engines in ENGINES.values() for entry in engines.values())]


@pytest.mark.parametrize("entry", sorted(set(ENTRIES)))
def test_an_entry_names_what_is_there(entry: str) -> None:
    """Its module is not imported: some engines must not meet in one process."""
    module, _, name = entry.partition(":")
    spec = importlib.util.find_spec(module)

    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text())
    assert name in {each.name for each in tree.body if isinstance(each, ast.ClassDef | ast.FunctionDef)}


def test_every_kind_has_a_program_with_engines() -> None:
    """A kind is one row of the daemon's table, and its program one row of this one.

    audio is a unit without tasks; intent and camera have no models and so no engines for them.
    """
    assert {kind.serving for kind in BUILTIN_KINDS.values()} == {*ENGINES, "intent", "camera"} == set(UNITS) - {"audio"}
    assert set(PROGRAM_MEMORY) == set(UNITS)


def test_an_unknown_engine_is_refused_with_those_that_are_there() -> None:
    """The card names it; the error becomes the reason of the failed load."""
    with pytest.raises(LoadError, match="there is no vad engine 'ten'; there is silero, webrtc"):
        find_engine("vad", "ten")
