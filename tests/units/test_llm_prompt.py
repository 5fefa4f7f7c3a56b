"""Covers units.llm.prompt: whose chat template counts."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app
from tests.support.models.gguf_files import without_template
from tests.support.setups import LLM_SETUP
from tests.support.units.engine_bench import BUNDLED
from unitd.app import App
from units.llm.llama import Model
from units.llm.messages import Message
from units.llm.prompt import PromptMaker

CARD_TEMPLATE = "{% for message in messages %}[{{ message.content }}]{% endfor %}"
BROKEN_TEMPLATE = "{{ raise_exception('told by the card') }}"


def prompt(path: Path, card_template: str) -> str:
    """What a model reads for "hello"."""
    model = Model(str(path), lambda fraction: None)
    tokens = PromptMaker(model, card_template).make([Message("user", "hello")], context=512, thinks=False)
    return "".join(model.special_text(token) for token in tokens)


def test_the_files_own_template_counts() -> None:
    """It was trained with that one."""
    assert prompt(BUNDLED, CARD_TEMPLATE) == prompt(BUNDLED, "")


def test_a_card_has_a_template_for_a_file_without_one(tmp_path: Path) -> None:
    """Instead of ChatML."""
    assert prompt(without_template(tmp_path / "mine.gguf"), CARD_TEMPLATE) == "[hello]"


def test_without_any_template_it_is_chatml(tmp_path: Path) -> None:
    """ChatML is the form that most models know."""
    assert "<|im_start|>user\nhello<|im_end|>" in prompt(without_template(tmp_path / "mine.gguf"), "")


@pytest.fixture
async def daemon(tmp_path: Path, no_blocking: None) -> AsyncIterator[App]:
    """A daemon with real units."""
    async with running_app(tmp_path) as app:
        yield app


async def test_the_template_of_a_card_reaches_the_model(client: WireClient, tmp_path: Path) -> None:
    """Through the daemon: this one refuses whatever it is given."""
    folder = tmp_path / "models" / "mine"
    folder.mkdir(parents=True)
    without_template(folder / "mine.gguf")
    (folder / "card.toml").write_text(
        f'name = "mine"\nunit = "llm"\nengine = "llama"\nfile = "mine.gguf"\nchat_template = "{BROKEN_TEMPLATE}"\n'
    )

    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "mine", "prompt": "Be brief."})

    assert reply["error"]["code"] != 0
    assert "told by the card" in reply["error"]["message"]
