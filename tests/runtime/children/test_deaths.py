"""Covers what child, runner, manager and store make of a program's deaths: a task that it died over twice fails."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.runtime.children.conftest import becomes, state_of
from tests.runtime.children.test_work import ASR_SETUP, say_to
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import LAST_WORDS, bad_unit
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.core.tasks.kinds import BUILTIN_KINDS
from unitd.runtime.children import in_flight
from unitd.runtime.tasks import runner
from unitd.runtime.tasks.store import StoredTask, TaskStore

POISON = {"fault": "abort"}


@pytest.fixture
def impatient_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    """Setup of an llm waits a fifth of a second for the load."""
    monkeypatch.setitem(BUILTIN_KINDS, "llm", replace(BUILTIN_KINDS["llm"], patience_seconds=200 * MS))


@asynccontextmanager
async def run(folder: Path) -> AsyncIterator[tuple[App, WireClient]]:
    """One run of a daemon over bad units, and a client of it."""
    async with running_app(folder, argv_for=bad_unit()) as app, tcp_client(app) as client:
        yield app, client


async def row_of(client: WireClient, work_id: str) -> dict[str, Any]:
    """What sys.lstask says of a task."""
    rows: list[dict[str, Any]] = (await client.ask(work_id="sys", action="lstask"))["data"]
    return next(row for row in rows if row["work_id"] == work_id)


async def written(folder: Path) -> list[StoredTask]:
    """What stands in the journal."""
    return await TaskStore(folder / "journal.sqlite").open(lambda _: None)


async def kill_by(client: WireClient, task: str, times: int = 2) -> None:
    """Prompts that end the program."""
    for _ in range(times):
        await client.frames(await client.infer(task, "abort"))


# A setup


async def test_a_setup_that_ends_its_program_is_refused_at_the_second_time(
    client: WireClient, clients: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asked for it hears why, no task is left, and the others of the program answer."""
    good = await client.setup("llm", LLM_SETUP)

    refused = await (await clients()).ask(work_id="llm", action="setup", data=LLM_SETUP | POISON)

    assert (refused["error"]["code"], refused["work_id"]) == (-11, "llm")
    assert (
        "llm/unitd-chat died twice while it worked on this task: it was ended by SIGABRT" in refused["error"]["message"]
    )
    assert await client.answer(good, "still here") == "still here"
    assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == [good]
    assert len(re.findall("died while it worked on llm.1001", caplog.text)) == 2


async def test_a_hung_setup_that_was_acknowledged_fails(
    impatient_setup: None, quick_watch: None, client: WireClient, clients: Callable[[], Any]
) -> None:
    """What others asked for while the program hung does not count against them, and is answered."""
    good, other = await client.setup("llm", LLM_SETUP), await clients()
    poison = await other.setup("llm", LLM_SETUP, fault="hang")
    asked = await client.infer(good, "one")

    await client.frames(asked)
    await becomes(other, poison, "failed")

    assert await client.answer(good, "two") == "two"
    assert await state_of(other, good) == "idle"
    assert "its work did not move" in (await row_of(other, poison))["reason"]


async def test_one_death_during_a_setup_is_forgiven(
    client: WireClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The next program takes it; later deaths begin to count anew."""
    where = tmp_path / "where"
    where.touch()
    setup = LLM_SETUP | POISON | {"where": str(where)}
    asked = await client.send(work_id="llm", action="setup", data=setup)
    await eventually(lambda: "died while it worked on llm.1000" in caplog.text)
    where.unlink()

    task = (await client.receive_reply_to(asked, never=""))["work_id"]
    await kill_by(client, task, times=1)

    assert await client.answer(task, "here") == "here"


# A prompt


async def test_a_task_whose_prompts_end_the_program_twice_has_failed(
    client: WireClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Further prompts are refused at once and reach no program; the reason stands in lstask and once in the log."""
    task, other = await client.setup("llm", LLM_SETUP), await client.setup("llm", LLM_SETUP)
    await kill_by(client, task)
    pid = await client.answer(other, "pid")

    refused = await client.ask(work_id=task, action="inference", object="llm.utf-8", data="abort")

    assert (await row_of(client, task))["state"] == "failed"
    assert LAST_WORDS in (await row_of(client, task))["reason"]
    assert "reason" not in await row_of(client, other)
    assert (refused["error"]["code"], refused["data"]) == (-11, "None")
    assert "died twice while it worked on this task" in refused["error"]["message"]
    assert refused["error"]["message"].endswith(f"set {task} up anew, or end it")
    assert await client.answer(other, "pid") == pid
    assert caplog.text.count(f"{task} has failed") == 1


async def test_what_waits_behind_the_second_death_is_answered_with_the_reason(client: WireClient) -> None:
    """Nothing accepted stays without an end."""
    task = await client.setup("llm", LLM_SETUP)
    asked = [await client.infer(task, text) for text in ("abort", "abort", "patience")]

    ends = [(await client.frames(each))[-1] for each in asked]

    assert [end["error"]["code"] for end in ends] == [-11, -11, -11]
    assert "died twice" in ends[-1]["error"]["message"]


async def test_an_answer_between_two_deaths_clears_a_task(client: WireClient) -> None:
    """A program that is killed now and then over the months does not end its tasks."""
    task = await client.setup("llm", LLM_SETUP)
    for _ in range(3):
        await kill_by(client, task, times=1)
        await client.answer(task, "well again")

    assert await state_of(client, task) == "idle"


async def test_deaths_through_others_do_not_count(client: WireClient, clients: Callable[[], Any]) -> None:
    """Also for a task that is in mid-answer each time: the second time the guilty one begins alone."""
    killer, bystander = await clients(), await clients()
    good = await bystander.setup("llm", LLM_SETUP)
    poison = await killer.setup("llm", LLM_SETUP)
    lost = await bystander.infer(good, "hello linger")
    await bystander.receive()

    await kill_by(killer, poison)

    assert (await bystander.frames(lost))[-1]["error"]["code"] == -11
    assert await bystander.answer(good, "back again") == "back again"
    assert [await state_of(client, each) for each in (poison, good)] == ["failed", "idle"]


async def test_a_suspect_is_not_failed_by_newcomers(
    client: WireClient, clients: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever kills the program with one task after the other, each time beside the same one, does not frame it."""
    monkeypatch.setattr(in_flight, "ALONE_SECONDS", 50 * MS)
    killer, bystander = await clients(), await clients()
    good = await bystander.setup("llm", LLM_SETUP)
    for _ in range(3):
        lost = await bystander.infer(good, "hello linger")
        await bystander.receive()
        await kill_by(killer, await killer.setup("llm", LLM_SETUP), times=1)
        assert (await bystander.frames(lost))[-1]["error"]["code"] == -11

    assert await bystander.answer(good, "still here") == "still here"


async def test_a_failed_task_costs_no_program(client: WireClient) -> None:
    """Where nobody else needs it, it is not started again."""
    await kill_by(client, await client.setup("llm", LLM_SETUP))

    await eventually(lambda: not psutil.Process().children())


# What can be done with a failed task


async def test_a_new_setup_clears_a_failed_task(client: WireClient) -> None:
    """On its work_id; from then on its deaths count anew."""
    task = await client.setup("llm", LLM_SETUP)
    await kill_by(client, task)

    reply = await client.ask(work_id=task, action="setup", object="llm.setup", data=LLM_SETUP)
    await kill_by(client, task, times=1)

    assert (reply["error"]["code"], reply["work_id"]) == (0, task)
    assert await client.answer(task, "well again") == "well again"
    assert "reason" not in await row_of(client, task)


async def test_a_new_setup_that_ends_the_program_leaves_the_task_failed(client: WireClient) -> None:
    """It is tried once, and others of the program go on."""
    task, other = await client.setup("llm", LLM_SETUP), await client.setup("llm", LLM_SETUP)
    await kill_by(client, task)

    reply = await client.ask(work_id=task, action="setup", object="llm.setup", data=LLM_SETUP | POISON)

    assert (reply["error"]["code"], reply["work_id"]) == (-5, task)
    assert "SIGABRT" in reply["error"]["message"]
    assert await client.answer(other, "still here") == "still here"
    assert await state_of(client, task) == "failed"


async def test_a_failed_task_can_be_ended(client: WireClient) -> None:
    """At once, with its links."""
    task = await client.setup("llm", LLM_SETUP)
    await kill_by(client, task)

    ended = await client.ask(work_id=task, action="exit")

    assert ended["error"]["code"] == 0
    assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == []


async def test_a_link_to_a_failed_task_tells_its_listener(client: WireClient, clients: Callable[[], Any]) -> None:
    """Once for each text; wakes are lost on it, and other actions say why they cannot be done."""
    speaker, listener = await clients(), await clients()
    wake, ears = await speaker.setup("kws", KWS_SETUP), await speaker.setup("asr", ASR_SETUP)
    request = await listener.send(work_id="llm", action="setup", data=LLM_SETUP | {"input": ["llm.utf-8", ears, wake]})
    task = (await listener.receive_reply_to(request, never=""))["work_id"]
    await kill_by(listener, task)

    await say_to(speaker, ears, "are you there")
    told = await listener.receive()
    woken = await client.ask(work_id=wake, action="trigger")
    warmed = await client.ask(work_id=task, action="warm")

    assert (told["request_id"], told["error"]["code"]) == (request, -11)
    assert (woken["error"]["code"], warmed["error"]["code"]) == (0, -11)
    assert "died twice" in warmed["error"]["message"]


async def test_audio_for_a_failed_task_is_refused(client: WireClient) -> None:
    """Like any other inference; pieces that were heard before the fatal one do not clear the task."""
    ears = await client.setup("asr", ASR_SETUP)
    for expected in ("idle", "failed"):
        await say_to(client, ears, "hello")
        assert (await client.receive())["data"]["delta"] == "hello"
        await say_to(client, ears, "abort")
        assert (await client.receive())["error"]["code"] == -11
        await becomes(client, ears, expected)

    await say_to(client, ears, "anybody")

    assert "died twice" in (await client.receive())["error"]["message"]


# Over a restart of the daemon


@pytest.mark.parametrize("mode", ["gated"])
async def test_a_setup_is_on_the_disk_before_it_is_acknowledged_at_its_limit(
    impatient_setup: None, client: WireClient, tmp_path: Path
) -> None:
    """Its model still loads; a daemon that is killed now has it again."""
    task = await client.setup("llm", LLM_SETUP)

    assert [entry.work_id for entry in await written(tmp_path)] == [task]


async def test_a_setup_that_nobody_was_told_of_is_not_on_the_disk(
    client: WireClient, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A daemon that is killed now does not have a task whose work_id its client never heard."""
    await client.send(work_id="llm", action="setup", data=LLM_SETUP | {"fault": "hang"})
    await eventually(lambda: "llm/unitd-chat is ready" in caplog.text)
    await becomes(client, "llm.1000", "loading")

    assert await written(tmp_path) == []


async def test_a_failed_task_stays_failed_over_a_restart(tmp_path: Path, no_blocking: None) -> None:
    """Under its work_id and for the same reason; no program is started for it, until it is set up anew."""
    async with run(tmp_path) as (_, client):
        task = await client.setup("llm", LLM_SETUP)
        await kill_by(client, task)
        reason = (await row_of(client, task))["reason"]

    async with run(tmp_path) as (_, client):
        row = await row_of(client, task)
        programs = psutil.Process().children()
        await client.ask(work_id=task, action="setup", object="llm.setup", data=LLM_SETUP)
        answer = await client.answer(task, "well again")
    async with run(tmp_path) as (_, client):
        last = await client.answer(task, "for good")

    assert (row["state"], row["reason"]) == ("failed", reason)
    assert programs == []
    assert (answer, last) == ("well again", "for good")


async def test_a_death_before_the_restart_counts_after_it(tmp_path: Path, no_blocking: None) -> None:
    """A daemon that is started anew each time does not give a poison its life back."""
    async with run(tmp_path) as (_, client):
        task = await client.setup("llm", LLM_SETUP)
        await kill_by(client, task, times=1)
        await becomes(client, task, "idle")

    async with run(tmp_path) as (_, client):
        await kill_by(client, task, times=1)
        assert await state_of(client, task) == "failed"


async def test_the_guilty_one_of_many_is_found_when_they_come_back(tmp_path: Path, no_blocking: None) -> None:
    """A setup that worked once and kills now: two programs are lost, and one task."""
    where = tmp_path / "where"
    async with run(tmp_path) as (_, client):
        tasks = [await client.setup("llm", LLM_SETUP) for _ in range(2)]
        poison = await client.setup("llm", LLM_SETUP, where=str(where), **POISON)
        tasks += [await client.setup("llm", LLM_SETUP) for _ in range(2)]
    where.touch()

    async with run(tmp_path) as (app, client):
        await becomes(client, poison, "failed")
        answers = [await client.answer(task, "here") for task in tasks]
        deaths = sum(meter.restarts for meter in app.metrics.models)
        failed = sum(meter.failed_tasks for meter in app.metrics.models)

    assert answers == ["here"] * 4
    assert (deaths, failed) == (2, 1)


async def test_a_setup_that_the_daemon_ended_over_is_suspected_afterwards(
    tmp_path: Path, no_blocking: None, impatient_setup: None, quick_watch: None
) -> None:
    """It was acknowledged, so it comes back; the first death of its program is its last."""
    async with run(tmp_path) as (_, client):
        good = await client.setup("llm", LLM_SETUP)
        poison = await client.setup("llm", LLM_SETUP, fault="hang")

    async with run(tmp_path) as (app, client):
        asked = await client.infer(good, "one")
        await client.frames(asked)
        async with asyncio.timeout(10):
            while await state_of(client, poison) != "failed":
                await asyncio.sleep(0.01)
        assert sum(meter.restarts for meter in app.metrics.models) == 1
        assert await state_of(client, good) == "idle"


async def test_a_setup_that_lasts_is_noted_for_the_next_daemon(
    tmp_path: Path, no_blocking: None, quick_watch: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that was set up well in an earlier life."""
    monkeypatch.setattr(runner, "SLOW_SETUP_SECONDS", 50 * MS)
    where = tmp_path / "where"
    async with run(tmp_path) as (_, client):
        task = await client.setup("llm", LLM_SETUP, fault="hang", where=str(where))
    where.touch()

    async with run(tmp_path) as (_, client):
        async with asyncio.timeout(10):
            while not [entry.work_id for entry in await written(tmp_path) if entry.is_being_set_up]:
                await asyncio.sleep(0.01)
        await becomes(client, task, "failed")

    [entry] = await written(tmp_path)
    assert (entry.is_being_set_up, entry.setup_deaths) == (False, 2)
