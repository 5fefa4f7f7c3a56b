"""Covers configs/models and packaging/models_page.py: the catalogue, and its page."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from unitd.core.catalog import Card, Catalog, read_card
from unitd.core.kinds import BUILTIN_KINDS
from unitd.core.memory import need_of_llama
from units.asr.unit import ENGINES as ASR_ENGINES
from units.kws.unit import ENGINES as KWS_ENGINES
from units.llm.face import ENGINES as LLM_ENGINES
from units.tts.engine import ENGINES as TTS_ENGINES

ROOT = Path(__file__).parent.parent
GIB = 1024**3


def cards_in(pattern: str) -> dict[str, Card]:
    """By file."""
    return {str(path): read_card(tomllib.loads(path.read_text()), str(path)) for path in sorted(ROOT.glob(pattern))}


KNOWN = cards_in("configs/models/*.toml")
BUNDLED = cards_in("units/models/*/card.toml")
EVERY = pytest.mark.parametrize("card", KNOWN.values(), ids=lambda card: card.name)
LLMS = pytest.mark.parametrize(
    "card", [card for card in KNOWN.values() if card.unit == "llm"], ids=lambda card: card.name
)

SENT_BY_CLIENTS = {
    "llm": ("qwen2.5-0.5b", "qwen2.5-0.5B-prefill-20e"),
    "kws": (
        "sherpa-onnx-kws-zipformer-gigaspeech-3.3M-2024-01-01",
        "sherpa-onnx-kws-zipformer-wenetspeech-3.3M-2024-01-01",
    ),
    "asr": (
        "sherpa-ncnn-streaming-zipformer-20M-2023-02-17",
        "sherpa-ncnn-streaming-zipformer-zh-14M-2023-02-23",
        "whisper-tiny",
    ),
    "vad": ("silero-vad",),
    "tts": (
        "single_speaker_english_fast",
        "single_speaker_fast",
        "single-speaker-english-fast",
        "single-speaker-fast",
        "melotts_zh-cn",
        "melotts-en-default",
        "melotts-zh-cn",
        "melotts-ja-jp",
    ),
}
"""What the original's clients ask for (fact sheet, sections 2, 9 and 12), without pictures: no unit sees them here."""


@pytest.mark.parametrize(("unit", "name"), [(unit, name) for unit, names in SENT_BY_CLIENTS.items() for name in names])
def test_every_name_that_clients_send_is_served(unit: str, name: str) -> None:
    """On a fresh machine, by the bundled model if need be."""
    bundled = [Card(**{**card.__dict__, "is_bundled": True}) for card in BUNDLED.values()]

    assert Catalog(KNOWN.values(), bundled, "unitd-chat").resolve(unit, name).unit == unit


@pytest.mark.parametrize("name", [name for unit in ("llm", "kws", "asr") for name in SENT_BY_CLIENTS[unit]])
def test_the_real_model_of_a_name_can_be_fetched(name: str) -> None:
    """Under the very name that the client sends."""
    found = [card for card in KNOWN.values() if name in (card.name, *card.aliases)]

    assert [bool(card.parts) for card in found] == [True]


def test_no_two_cards_share_a_name() -> None:
    """Within the catalogue; a bundled model may stand in for the real one of a name."""
    names = [name for card in KNOWN.values() for name in (card.name, *card.aliases)]

    assert len(names) == len(set(names))


@EVERY
def test_a_card_is_for_a_unit_and_an_engine_that_are_here(card: Card) -> None:
    """Nothing is fetched that nobody runs."""
    engines = {"llm": LLM_ENGINES, "kws": KWS_ENGINES, "asr": ASR_ENGINES, "tts": TTS_ENGINES}

    assert card.unit in BUILTIN_KINDS
    assert card.engine in engines[card.unit]


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
