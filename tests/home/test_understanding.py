"""A part of the sentence check, in a whole daemon; `python -m bench.understanding` asks all of it.

The sentences and what they mean were fixed before the sentence files were written (tests/home/sentences/README.md).
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.support.daemon import running_app
from tests.support.home.asking import Asker, publish_states, tools_file
from tests.support.home.houses import LANGUAGES, SENTENCES, Device, Sentence, areas, house
from tests.support.home.judging import Result, judge, table
from tests.support.servers.brokers import Broker, Listener

SIZES = {"en": 500, "de": 100, "fr": 100, "es": 100, "zh": 100}
EVERY = {"en": 20, "talk": 10}
"""Every twentieth English sentence, every tenth of talk, and every third of another language."""

MakeAsker = Callable[[list[Device], str], Awaitable[Asker]]


def some_of(name: str) -> list[Sentence]:
    """Return a part of a file of the check."""
    lines = (SENTENCES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:: EVERY.get(name, 3)]]


@pytest.fixture
async def asker_in(tmp_path: Path, broker: Broker, listener: Listener) -> AsyncIterator[MakeAsker]:
    """Return a function that runs a daemon in a house, and connects to it."""
    async with AsyncExitStack() as stack:

        async def make(devices: list[Device], language: str) -> Asker:
            await publish_states(listener.client, devices)
            (tmp_path / "tools.toml").write_text(tools_file(devices, areas(language)), encoding="utf-8")
            home = {"tools": str(tmp_path / "tools.toml"), "languages": [language]}
            mqtt = {"host": "127.0.0.1", "port": broker.port, "node": "board"}
            app = await stack.enter_async_context(running_app(tmp_path, {"mqtt": mqtt, "home": home}))
            await listener.until(lambda: b"online" in listener.on("unitd/board/status"))
            asker = Asker(*await asyncio.open_connection(*app.endpoints["tcp"], limit=2**24))
            stack.push_async_callback(asker.close)
            return asker

        yield make


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_people_say_is_understood(asker_in: MakeAsker, language: str) -> None:
    """In a house of any size: nine of ten, and at most one of fifty switches what was not meant."""
    devices = house(SIZES[language], language)
    asker = await asker_in(devices, language)

    await asker.set_up("intent", language)
    judged = []
    for sentence in some_of(language):
        answer = await asker.ask(sentence, unit="intent", language=language)
        judged.append((sentence, judge(sentence, devices, answer.calls)))

    results = [verdict.result for _, verdict in judged]
    assert results.count(Result.RIGHT) >= 0.9 * len(results), table(judged)
    assert results.count(Result.WRONG_ACTION) <= len(results) // 50, table(judged)


@pytest.mark.timeout(120)
async def test_talk_switches_nothing(asker_in: MakeAsker) -> None:
    """Whatever the model makes of it."""
    devices = house(100)
    asker = await asker_in(devices, "en")

    await asker.set_up("llm", "en")
    for sentence in some_of("talk"):
        answer = await asker.ask(sentence)
        assert judge(sentence, devices, answer.calls).result is Result.RIGHT, (sentence["say"], answer)
