"""Covers unitd.doors.pipelines: chains that are there without any client, and stay."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.waiting import eventually
from unitd.app import App

ASSISTANT = {
    "name": "assistant",
    "tasks": [
        {"name": "wake", "unit": "kws", "data": {"kws": "hey jarvis"}},
        {"name": "ears", "unit": "asr", "data": {"input": ["sys.pcm", "wake"]}},
        {"name": "mind", "unit": "llm", "data": {"input": ["llm.utf-8", "ears", "wake"], "temperature": 0}},
        {"name": "voice", "unit": "tts", "data": {"input": ["tts.utf-8", "mind", "wake"]}},
    ],
}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon with an assistant."""
    async with running_app(tmp_path, {"pipeline": [ASSISTANT]}) as app:
        yield app


@pytest.fixture
async def client(app: App) -> AsyncIterator[WireClient]:
    """A stranger on TCP."""
    async with tcp_client(app) as client:
        yield client


async def tasks_when(client: WireClient, count: int, *, without: str = "") -> dict[str, dict[str, Any]]:
    """The tasks by unit, once there are so many and that one is gone."""
    async with asyncio.timeout(15):
        while True:
            rows = (await client.ask(work_id="sys", action="lstask"))["data"]
            if len(rows) == count and without not in [row["work_id"] for row in rows]:
                return {row["unit"]: row for row in rows}
            await asyncio.sleep(0.005)


async def test_a_chain_is_there_without_any_client(client: WireClient) -> None:
    """Linked by the names of the configuration."""
    tasks = await tasks_when(client, 4)

    ids = {unit: row["work_id"] for unit, row in tasks.items()}
    assert tasks["asr"]["inputs_"] == ["sys.pcm", ids["kws"]]
    assert tasks["llm"]["inputs_"] == ["llm.utf-8", ids["asr"], ids["kws"]]
    assert tasks["tts"]["inputs_"] == ["tts.utf-8", ids["llm"], ids["kws"]]
    assert {row["door"] for row in tasks.values()} == {"pipeline"}


async def test_a_client_may_use_it(client: WireClient) -> None:
    """It is a task like any other."""
    tasks = await tasks_when(client, 4)

    assert await client.answer(tasks["llm"]["work_id"], "hello")


async def test_what_somebody_ends_comes_back_with_its_links(client: WireClient) -> None:
    """Under a new number; those that stayed listen to it."""
    before = await tasks_when(client, 4)
    await client.ask(work_id=before["kws"]["work_id"], action="exit")

    after = await tasks_when(client, 4, without=before["kws"]["work_id"])
    async with asyncio.timeout(10):
        while after["kws"]["work_id"] not in (await tasks_when(client, 4))["tts"]["inputs_"]:
            await asyncio.sleep(0.005)

    linked = await tasks_when(client, 4)
    assert after["llm"]["work_id"] == before["llm"]["work_id"]
    assert all(after["kws"]["work_id"] in linked[unit]["inputs_"] for unit in ("asr", "llm", "tts"))


async def test_a_reset_brings_it_back(client: WireClient) -> None:
    """Every task of the pipeline is set up again, with new numbers."""
    before = await tasks_when(client, 4)
    await client.ask(work_id="sys", action="reset")

    after = await tasks_when(client, 4, without=before["tts"]["work_id"])

    assert {row["work_id"] for row in after.values()}.isdisjoint({row["work_id"] for row in before.values()})


async def test_a_model_that_comes_later_completes_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The daemon warns once and serves its other clients meanwhile."""
    tasks = [{"name": "mind", "unit": "llm", "data": {"model": "brought-later"}}]
    async with (
        running_app(tmp_path, {"pipeline": [{"name": "late", "tasks": tasks}]}) as app,
        tcp_client(app) as client,
    ):
        assert (await client.ask(work_id="sys", action="ping"))["error"]["code"] == 0
        folder = tmp_path / "models"
        folder.mkdir(exist_ok=True)
        bundled = Path("units/models/unitd-chat/unitd-chat.gguf").resolve()
        (folder / "brought-later.gguf").symlink_to(bundled)

        rows = await tasks_when(client, 1)

    assert rows["llm"]["model"] == "brought-later"
    assert caplog.text.count("not complete yet") <= 1


async def test_a_task_that_its_program_dies_over_is_not_tried_for_ever(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others of the pipeline are there without it."""
    poison = {"name": "poison", "unit": "llm", "data": {"fault": "abort"}}
    good = {"name": "good", "unit": "llm", "data": {"input": ["llm.utf-8", "poison"]}}
    document = {"pipeline": [{"name": "mixed", "tasks": [poison, good]}]}
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, document, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await eventually(lambda: "pipeline mixed is up" in caplog.text)
        rows = await tasks_when(client, 1)

    assert rows["llm"]["inputs_"] == ["llm.utf-8"]
    assert caplog.text.count("pipeline mixed does without poison") == 1
    assert caplog.text.count("died while it worked on llm.1000") == 2


async def test_pipelines_follow_a_configuration_that_is_read_again(tmp_path: Path) -> None:
    """What is new begins, what is gone ends with its tasks, what stays is left alone."""
    mind = {"name": "mind", "tasks": [{"name": "mind", "unit": "llm", "data": {"input": "llm.utf-8"}}]}
    wake = {"name": "wake", "tasks": [{"name": "wake", "unit": "kws", "data": {"kws": "alexa"}}]}
    again: dict[str, Any] = {"pipeline": [mind, wake]}
    async with running_app(tmp_path, {"pipeline": [mind]}, again=again) as app, tcp_client(app) as client:
        before = await tasks_when(client, 1)

        await app.reload()
        both = await tasks_when(client, 2)
        again["pipeline"] = [wake]
        await app.reload()
        after = await tasks_when(client, 1, without=before["llm"]["work_id"])

    assert both["llm"]["work_id"] == before["llm"]["work_id"]
    assert after["kws"]["work_id"] == both["kws"]["work_id"]
