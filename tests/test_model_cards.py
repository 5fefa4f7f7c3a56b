"""Covers configs/models and packaging/models_page.py: the catalogue, and its page."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from unitd.core.models.catalog import Card, read_card
from unitd.core.models.memory import need_of_llama
from unitd.core.tasks.kinds import BUILTIN_KINDS
from units.engines import ENGINES

ROOT = Path(__file__).parent.parent
GIB = 1024**3


def cards_in(pattern: str) -> dict[str, Card]:
    """By file."""
    return {str(path): read_card(tomllib.loads(path.read_text()), str(path)) for path in sorted(ROOT.glob(pattern))}


KNOWN = cards_in("configs/models/*.toml")
EVERY = pytest.mark.parametrize("card", KNOWN.values(), ids=lambda card: card.name)
LLMS = pytest.mark.parametrize(
    "card", [card for card in KNOWN.values() if card.unit == "llm"], ids=lambda card: card.name
)


def test_no_two_cards_share_a_name() -> None:
    """Within the catalogue; a bundled model may stand in for the real one of a name."""
    names = [name for card in KNOWN.values() for name in (card.name, *card.aliases)]

    assert len(names) == len(set(names))


@EVERY
def test_a_card_is_for_a_unit_and_an_engine_that_are_here(card: Card) -> None:
    """Nothing is fetched that nobody runs."""
    assert card.unit in BUILTIN_KINDS
    assert card.engine in ENGINES[card.unit]


@EVERY
def test_a_card_says_what_a_choice_needs(card: Card) -> None:
    """How much there is to fetch, under which licence, and what for."""
    assert card.download_bytes > 0
    assert card.licence
    assert card.good_for
    assert card.description
    assert card.homepage.startswith("https://")


@EVERY
def test_files_come_over_https_from_where_they_are_made(card: Card) -> None:
    """A repository of a hub, or a release page."""
    releases = "https://github.com/k2-fsa/sherpa-onnx/releases/download/"

    assert all(part.repository.count("/") == 1 or part.url.startswith(releases) for part in card.parts)
    assert all(part.url.endswith(f"/{part.path}") for part in card.parts if part.url)


@LLMS
def test_the_shape_of_a_language_model_is_that_of_its_weights(card: Card) -> None:
    """Attention and feed-forward alone are most of the weights, and never more than all of them."""
    shape = card.shape
    assert shape is not None

    per_layer = 2 * shape.width**2 + 3 * shape.width * shape.hidden

    assert 0.2 * card.parameters < shape.layers * per_layer < card.parameters
    assert 0.5 < card.download_bytes / card.parameters < 1.1
    assert need_of_llama(card.download_bytes, shape, 1, 2048, exact=False).total < 2 * GIB


def test_the_page_is_up_to_date() -> None:
    """docs/models.md says what the cards say."""
    done = subprocess.run(
        [sys.executable, "packaging/models_page.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
