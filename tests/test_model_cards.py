"""Covers configs/models and packaging/models_page.py: the catalogue, and its page."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from unitd.core.models.catalog import VISION, Card, read_card
from unitd.core.models.memory import need_to_come
from unitd.core.tasks.kinds import BUILTIN_KINDS
from units.engines import ENGINES

ROOT = Path(__file__).parent.parent
GIB = 1024**3
COMMIT = re.compile("[0-9a-f]{40}")


def cards_in(pattern: str) -> dict[str, Card]:
    """By file."""
    return {str(path): read_card(tomllib.loads(path.read_text()), str(path)) for path in sorted(ROOT.glob(pattern))}


KNOWN = cards_in("configs/models/*.toml")
EVERY = pytest.mark.parametrize("card", KNOWN.values(), ids=lambda card: card.name)
WITH_VISION = [card for card in KNOWN.values() if VISION in card.capabilities]
SEEING = pytest.mark.parametrize("card", WITH_VISION, ids=lambda card: card.name)
LLMS = pytest.mark.parametrize(
    "card",
    [card for card in KNOWN.values() if card.unit == "llm" and (card.shape or card not in WITH_VISION)],
    ids=lambda card: card.name,
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
    """How much there is to fetch, unless that could not be looked up, under which licence, and what for."""
    assert card.download_bytes > 0 or "not verified: the sizes" in card.note
    assert card.licence
    assert card.good_for
    assert card.description
    assert card.homepage.startswith("https://")


@SEEING
def test_what_is_not_known_of_the_files_is_said(card: Card) -> None:
    """A user reads it in the note: a size, a hash or a commit that could not be looked up."""
    lacks = {
        "sizes": not card.download_bytes,
        "hashes": not all(part.sha256 for part in card.parts),
        "revision": not all(COMMIT.fullmatch(part.revision) for part in card.parts),
    }

    for word, is_lacking in lacks.items():
        assert is_lacking == (card.note.startswith("not verified: ") and word in card.note)


@SEEING
def test_a_card_with_vision_names_its_projector(card: Card) -> None:
    """It is fetched with the model, and is not the model."""
    assert "mmproj" in card.projector
    assert {part.path for part in card.parts} == {card.file, card.projector}


@pytest.mark.parametrize("card", [card for card in KNOWN.values() if card.chat_template], ids=lambda card: card.name)
def test_a_chat_template_asks_what_was_asked(card: Card) -> None:
    """The question with its picture, and what was said before."""
    template = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(card.chat_template)
    said = [("user", "<picture>What is it?"), ("assistant", "A dog."), ("user", "Which colour?")]

    text = template.render(messages=[{"role": role, "content": content} for role, content in said])

    assert text == "\n\nQuestion: <picture>What is it?\n\nAnswer: A dog.\n\nQuestion: Which colour?\n\nAnswer:"


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
    assert 0.5 < card.download_bytes / card.parameters < (2.1 if "f16" in card.file else 1.1)


@LLMS
def test_a_language_model_fits_a_board(card: Card) -> None:
    """Of 4 GB; with vision of 8 GB."""
    need = need_to_come(card, 1, 2048, exact=False)

    assert need is not None
    assert need.total < (6 if card in WITH_VISION else 2) * GIB


def test_the_page_is_up_to_date() -> None:
    """docs/models.md says what the cards say."""
    done = subprocess.run(
        [sys.executable, "packaging/models_page.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
