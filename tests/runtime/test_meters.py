"""Covers unitd.runtime.metrics: what a day of work leaves in the counters."""

import asyncio
import math
import socket
import struct
from collections import Counter
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.waiting import eventually
from unitd.app import App
from unitd.runtime.metrics import NOT_UNDERSTOOD, Histogram, ModelMetrics


@pytest.fixture
def model(daemon: App) -> ModelMetrics:
    """The meter of the bundled llm."""
    return daemon.metrics.model("llm", "unitd-chat")


def test_a_histogram_counts_up_to_each_bound() -> None:
    """A value on a bound belongs to it; what is larger than all of them is in the last."""
    histogram = Histogram((0.1, 1.0))

    for value in (0.05, 0.1, 0.5, 7.0):
        histogram.note(value)

    assert histogram.buckets == [(0.1, 2), (1.0, 3), (math.inf, 4)]
    assert histogram.count == 4
    assert histogram.total == pytest.approx(7.65)


def test_an_end_without_counts_is_still_an_end() -> None:
    """A unit that does not count tokens still ends its inferences."""
    meter = ModelMetrics("llm", "a model", Counter())

    meter.note_end("stop", {"prompt_tokens": 9, "completion_tokens": 4})
    meter.note_end("error", None)

    assert (meter.ends, meter.tokens) == ({"stop": 1, "error": 1}, {"prompt": 9, "completion": 4})


async def test_a_question_is_a_request_and_its_tokens_are_timed(
    daemon: App, model: ModelMetrics, client: WireClient
) -> None:
    """One first piece, gaps between the others, and as many tokens as the last frame tells."""
    work_id = await client.setup("llm", LLM_SETUP, usage=True)

    frames = await client.frames(await client.infer(work_id, "hello"))

    assert (daemon.metrics.requests["llm", "setup"], daemon.metrics.requests["llm", "inference"]) == (1, 1)
    assert (model.first.count, model.gaps.count, model.deltas) == (1, len(frames) - 2, len(frames) - 1)
    assert model.tokens["completion"] == frames[-1]["data"]["usage"]["completion_tokens"] > 0
    assert model.ends == {"stop": 1}


async def test_no_time_passes_while_an_answer_is_paused(model: ModelMetrics, client: WireClient) -> None:
    """Its next token is measured from work on."""
    work_id = await client.setup("llm", LLM_SETUP, pause={"max_tokens": 5})
    question = await client.infer(work_id, LONG_QUESTION)
    while "paused" not in (await client.receive())["data"]:
        pass

    await asyncio.sleep(0.3)
    await client.send(work_id=work_id, action="work", data={"pause": {}})
    await client.frames(question)

    assert model.gaps.count > 5
    assert model.gaps.total < 0.3 + model.gaps.count * 0.02


async def test_errors_count_by_their_code(daemon: App, client: WireClient) -> None:
    """Whether the bytes, the request or the unit is at fault."""
    await client.send_bytes(b"}")
    await client.receive()
    await client.ask(work_id="llm.7", action="exit")
    await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "no such model"})

    assert daemon.metrics.errors == {-2: 1, -6: 1, -5: 1}


async def test_names_that_nobody_knows_share_one_counter(daemon: App, client: WireClient) -> None:
    """However many a client thinks up."""
    for number in range(20):
        await client.ask(work_id=f"unit{number}", action="setup")
        await client.ask(work_id="llm", action=f"action{number}")

    assert daemon.metrics.requests == {NOT_UNDERSTOOD: 40}


async def test_what_nobody_reads_any_more_counts_as_dropped(daemon: App, clients: Callable[[], Any]) -> None:
    """By the door of whoever tore the line off before the answer."""
    asker, watcher = await clients(), await clients()
    await asker.send_bytes(b'{"request_id":"1","work_id":"sys","action":"hwinfo"}')
    await eventually(lambda: daemon.metrics.requests["sys", "hwinfo"] == 1)
    asker.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    asker.writer.transport.abort()

    await watcher.ask(work_id="sys", action="hwinfo")

    await eventually(lambda: daemon.metrics.dropped_frames["tcp"] == 1)


async def test_a_child_that_dies_counts_its_restart(model: ModelMetrics, client: WireClient) -> None:
    """The count stays when the tasks and the child are gone."""
    work_id = await client.setup("llm", LLM_SETUP)
    (child,) = await asyncio.to_thread(lambda: psutil.Process().children())

    child.kill()
    await client.answer(work_id, "hello")
    await client.ask(work_id=work_id, action="exit")

    assert model.restarts == 1
