"""Covers unitd.doors.http.metrics and unitd.runtime.status: what Prometheus reads."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as parse
from websockets.asyncio.client import connect

from tests.support.daemon import running_app, tcp_client
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.waiting import eventually
from unitd.app import App

Scrape = Callable[[], Any]
parse_openmetrics: Callable[[str], Iterator[Metric]] = text_string_to_metric_families


@pytest.fixture
async def scrape(address: str) -> AsyncIterator[Scrape]:
    """Reads the page; every sample by its name and its labels, as Prometheus writes them."""
    async with httpx.AsyncClient(base_url=f"http://{address}") as http:

        async def read() -> dict[str, float]:
            page = (await http.get("/metrics")).raise_for_status().text
            return {
                sample.name + "".join(f" {key}={value}" for key, value in sorted(sample.labels.items())): sample.value
                for family in parse(page)
                for sample in family.samples
            }

        yield read


async def test_a_fresh_daemon_has_its_memory_and_nothing_else(http_daemon: App, scrape: Scrape) -> None:
    """All families are there; whoever reads the page is the one connection."""
    samples = await scrape()

    resident = await asyncio.to_thread(lambda: psutil.Process(os.getpid()).memory_info().rss)
    assert samples["unitd_resident_memory_bytes process=daemon"] == pytest.approx(resident, rel=0.1)
    assert {door: samples[f"unitd_connections door={door}"] for door in ("tcp", "unix", "http", "ws")} == {
        "tcp": 0,
        "unix": 0,
        "http": 1,
        "ws": 0,
    }
    assert not [name for name in samples if name.startswith("unitd_requests")]
    assert samples["unitd_models_memory_bytes"] == 0 < samples["unitd_models_memory_limit_bytes"]


async def test_a_conversation_moves_the_numbers(http_daemon: App, scrape: Scrape) -> None:
    """Requests, tokens, times, tasks, the child's memory: all by real work."""
    async with tcp_client(http_daemon) as client:
        llm = await client.setup("llm", LLM_SETUP, usage=True)
        frames = await client.frames(await client.infer(llm, "hello"))
        samples = await scrape()

    model = "model=unitd-chat unit=llm"
    usage = frames[-1]["data"]["usage"]
    assert samples["unitd_requests_total action=inference unit=llm"] == 1
    assert samples[f"unitd_tokens_total kind=completion {model}"] == usage["completion_tokens"]
    assert samples[f"unitd_tokens_total kind=prompt {model}"] == usage["prompt_tokens"]
    assert samples[f"unitd_deltas_total {model}"] == len(frames) - 1
    assert samples["unitd_answers_total model=unitd-chat reason=stop unit=llm"] == 1
    assert samples[f"unitd_first_token_seconds_count {model}"] == 1
    assert 0 < samples[f"unitd_first_token_seconds_sum {model}"] < 5
    assert samples[f"unitd_token_gap_seconds_bucket le=+Inf {model}"] == len(frames) - 2
    assert samples["unitd_tasks state=idle unit=llm"] == 1
    assert samples["unitd_connections door=tcp"] == 1
    resident = samples["unitd_resident_memory_bytes process=llm/unitd-chat"]
    assert 20 * 2**20 < resident < samples["unitd_models_memory_limit_bytes"]
    assert samples["unitd_models_memory_bytes"] > 20 * 2**20


async def test_what_waits_is_seen_while_it_waits(http_daemon: App, scrape: Scrape) -> None:
    """The running answer, the prompts behind it, and the client on a socket."""
    async with tcp_client(http_daemon) as client, connect(f"ws://{http_daemon_address(http_daemon)}/ws"):
        llm = await client.setup("llm", LLM_SETUP)
        for _ in range(3):
            await client.infer(llm, LONG_QUESTION)
        await eventually(lambda: http_daemon.metrics.requests["llm", "inference"] == 3)
        samples = await scrape()
        await client.ask(work_id=llm, action="exit")

    assert samples["unitd_tasks state=running unit=llm"] == 1
    assert samples[f"unitd_queue_length task={llm}"] == 2
    assert samples["unitd_connections door=ws"] == 1


async def test_losses_and_errors_are_told(http_daemon: App, scrape: Scrape) -> None:
    """An error by its code, a child that died by its model."""
    async with tcp_client(http_daemon) as client:
        llm = await client.setup("llm", LLM_SETUP)
        await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "no such model"})
        (child,) = await asyncio.to_thread(lambda: psutil.Process().children())
        child.kill()
        await client.answer(llm, "hello")
        samples = await scrape()

    assert samples["unitd_errors_total code=-5"] == 1
    assert samples["unitd_child_restarts_total model=unitd-chat unit=llm"] == 1


async def test_openmetrics_is_spoken_to_who_asks_for_it(http_daemon: App, address: str) -> None:
    """Prometheus does; the counts are the same."""
    accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
    async with tcp_client(http_daemon) as client, httpx.AsyncClient(base_url=f"http://{address}") as http:
        await client.ask(work_id="sys", action="ping")
        page = await http.get("/metrics", headers=accept)

    assert page.headers["content-type"].startswith("application/openmetrics-text")
    [requests] = [family for family in parse_openmetrics(page.text) if family.name == "unitd_requests"]
    [sample] = requests.samples
    assert (sample.labels, sample.value) == ({"unit": "sys", "action": "ping"}, 1)


async def test_a_key_covers_the_metrics(tmp_path: Path) -> None:
    """They tell what the device is used for."""
    document = {"http": {"enabled": True, "api_key": "secret"}}
    async with running_app(tmp_path, document) as app, httpx.AsyncClient() as http:
        url = f"http://{http_daemon_address(app)}/metrics"
        refused = await http.get(url)
        told = await http.get(url, headers={"Authorization": "Bearer secret"})

    assert (refused.status_code, told.status_code) == (401, 200)


def http_daemon_address(app: App) -> str:
    """ "127.0.0.1:41234"."""
    host, port = app.endpoints["http"]
    return f"{host}:{port}"
