"""Covers configs/original-models.toml with the whole daemon: every name is served, and what a stand-in leaves out."""

import asyncio
import logging
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import shared_app
from tests.support.setups import LLM_SETUP
from unitd.app import App
from unitd.core.models.catalog import Catalog
from unitd.core.models.original_names import OriginalNames, read_original_names
from unitd.runtime.models.store import ModelStore
from unitd.settings import find_program_folders

pytestmark = pytest.mark.timeout(60)

PROGRAM_FOLDERS = find_program_folders()
ROWS = read_original_names(tomllib.loads(Path(PROGRAM_FOLDERS.original_models or "").read_text()), "table")
SETUPS = {
    "llm": LLM_SETUP,
    "kws": {"response_format": "kws.bool", "enoutput": True},
    "asr": {"response_format": "asr.utf-8", "enoutput": True},
    "vad": {"response_format": "vad.bool", "enoutput": True},
    "tts": {"response_format": "sys.pcm", "enoutput": False},
}
UNIT_OF_CARD = {"melotts": "tts", "whisper": "asr"}


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One daemon for all; it has a task of each unit with the bundled model, so that the programs stay."""
    bundled = {unit: {"model": f"unitd-{unit}", **setup} for unit, setup in SETUPS.items()}
    with shared_app(tmp_path_factory.mktemp("daemon"), {}, bundled) as app:
        yield app


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """That daemon."""
    return shared_daemon


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """The models of a fresh machine."""
    model_store = ModelStore(
        folders=[],
        bundled_folder=PROGRAM_FOLDERS.bundled_models,
        cards_folder=PROGRAM_FOLDERS.model_cards,
        default_llm="unitd-chat",
        original_models=PROGRAM_FOLDERS.original_models,
    )
    return asyncio.run(model_store.catalog())


WENETSPEECH = "sherpa-onnx-kws-zipformer-wenetspeech-3.3M-2024-01-01"


@pytest.mark.parametrize(("unit", "name"), [(row.unit, name) for row in ROWS for name in row.all])
async def test_every_name_of_the_table_has_a_model(catalog: Catalog, unit: str, name: str) -> None:
    """On a fresh machine the bundled one, also under the name of its package."""
    served = [catalog.resolve(unit, asked) for asked in (name, f"llm-model-{name.lower()}")]

    assert [(card.unit, card.is_bundled) for card in served] == [(unit, True)] * 2


@pytest.mark.parametrize("row", [row for row in ROWS if row.card], ids=lambda row: row.card)
def test_every_card_of_the_table_is_in_the_catalogue(catalog: Catalog, row: OriginalNames) -> None:
    """A slip in its name would leave its names without the real model, and nobody would see it."""
    card = catalog.find(row.all[0])

    assert card is not None
    assert (card.unit, card.name) == (row.unit, row.card)
    assert card.parts or card.is_bundled


def test_the_table_has_no_name_twice() -> None:
    """One of them would never be served."""
    names = [(row.unit, name) for row in ROWS for name in row.all]

    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("llm", "qwen3-0.6B-ax630c"),
        ("llm", "qwen2.5-coder-0.5B-ax630c"),
        ("llm", "qwen2.5-HA-0.5B-ctx-ax630c"),
        ("llm", "deepseek-r1-7B-Int4-ax650"),
        ("melotts", "melotts-es-es"),
        ("melotts", "melotts-en-india-ax650"),
        ("whisper", "whisper-base-ax650"),
        ("kws", "kws"),
        ("asr", "sense-voice-small-10s-ax650"),
    ],
)
async def test_names_that_people_choose_are_served(client: WireClient, unit: str, name: str) -> None:
    """They stand in the original's manuals; no library sends them by itself."""
    setup = SETUPS[UNIT_OF_CARD.get(unit, unit)]

    assert (await client.setup(unit, setup, model=name)).startswith(f"{unit}.")


@pytest.mark.parametrize(
    ("unit", "changes", "warning"),
    [
        ("whisper", {"model": "whisper-tiny", "language": "zh"}, "does not know the language 'zh', it hears en"),
        ("whisper", {"model": "whisper-base-ax650", "language": "ja"}, "the language 'ja', it hears en"),
        ("asr", {"model": "sherpa-ncnn-streaming-zipformer-zh-14M-2023-02-23"}, "the language 'zh', it hears en"),
        ("kws", {"model": WENETSPEECH, "kws": "你好你好"}, "it listens for 'hey jarvis'"),
        ("kws", {"model": WENETSPEECH, "kws": "COMPUTER"}, "the language 'zh', it hears en"),
        ("melotts", {"model": "melotts-ja-jp", "language": "tlh"}, "the language 'tlh', it speaks en"),
    ],
)
async def test_what_a_stand_in_does_not_know_is_a_warning(
    client: WireClient, caplog: pytest.LogCaptureFixture, unit: str, changes: dict[str, str], warning: str
) -> None:
    """The setup succeeds, in what the bundled model knows, and the log says what was left out."""
    setup = SETUPS[UNIT_OF_CARD.get(unit, unit)]

    work_id = await client.setup(unit, setup, **changes)

    [record] = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert record.getMessage().startswith(f"{work_id}, set up with model {changes['model']}: ")
    assert warning in record.getMessage()


@pytest.mark.parametrize(
    ("unit", "changes"),
    [("asr", {"model": "unitd-asr", "language": "zh"}), ("kws", {"model": "unitd-kws", "kws": "你好你好"})],
)
async def test_a_model_under_its_own_name_refuses_what_it_does_not_know(
    client: WireClient, unit: str, changes: dict[str, str]
) -> None:
    """Nobody meant another one."""
    reply = await client.ask(work_id=unit, action="setup", data=SETUPS[unit] | changes)

    assert reply["error"]["code"] == -5


@pytest.mark.parametrize("language", ["en", "en-US", "en_US", "EN"])
@pytest.mark.parametrize("model", ["unitd-asr", "whisper-tiny"])
async def test_a_region_makes_no_other_language(
    client: WireClient, caplog: pytest.LogCaptureFixture, model: str, language: str
) -> None:
    """English is English, without a warning."""
    assert await client.setup("whisper", SETUPS["asr"], model=model, language=language)
    assert not [record for record in caplog.records if record.levelno == logging.WARNING]
