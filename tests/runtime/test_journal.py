"""Covers unitd.runtime.tasks.store and what the daemon makes of it: tasks that survive."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.waiting import MS
from unitd.runtime.tasks.store import StoredTask, TaskStore

ENTRY = StoredTask(
    "llm.1000", "llm", "1", 1_700_000_000, {"model": "default"}, ["llm.utf-8"], {"history": [["hi", "ho"]]}
)


async def reread(path: Path) -> list[StoredTask]:
    """What the next run would find."""
    return await TaskStore(path).open(lambda _: None)


async def test_what_is_settled_is_there_in_the_next_run(tmp_path: Path) -> None:
    """Also what was changed, and what has ended."""
    path, entries = tmp_path / "journal.sqlite", {"llm.1000": ENTRY}
    task_store = TaskStore(path)
    assert await task_store.open(entries.get) == []

    task_store.on_changed("llm.1000")
    await task_store.settled()
    assert await reread(path) == [ENTRY]

    entries.clear()
    task_store.on_changed("llm.1000")
    await task_store.settled()
    assert await reread(path) == []


async def test_tasks_come_back_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    """So that what listens comes behind what it listens to."""
    path = tmp_path / "journal.sqlite"
    names = ["kws.1010", "asr.1002", "llm.999"]
    entries = {name: StoredTask(name, name.partition(".")[0], "1", 0, {}, []) for name in names}
    task_store = TaskStore(path)
    await task_store.open(entries.get)
    for name in names:
        task_store.on_changed(name)
    await task_store.settled()

    assert [entry.work_id for entry in await reread(path)] == ["llm.999", "asr.1002", "kws.1010"]


async def test_what_ends_with_the_daemon_is_not_forgotten(tmp_path: Path) -> None:
    """A closed journal does not look any more."""
    path, entries = tmp_path / "journal.sqlite", {"llm.1000": ENTRY}
    task_store = TaskStore(path)
    await task_store.open(entries.get)
    task_store.on_changed("llm.1000")
    await task_store.close()

    entries.clear()
    task_store.on_changed("llm.1000")
    await task_store.settled()

    assert await reread(path) == [ENTRY]


@pytest.mark.parametrize("content", [b"garbage " * 1000, b"SQLite format 3\0 and no more"])
async def test_a_damaged_journal_is_set_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes) -> None:
    """The daemon starts, says so, and keeps the file for whoever wants to look."""
    path = tmp_path / "journal.sqlite"
    path.write_bytes(content)
    task_store = TaskStore(path)

    assert await task_store.open({"llm.1000": ENTRY}.get) == []
    task_store.on_changed("llm.1000")
    await task_store.settled()

    assert path.with_suffix(".damaged").read_bytes() == content
    assert "could not be read" in caplog.text
    assert await reread(path) == [ENTRY]


async def test_a_journal_that_cannot_be_read_now_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody copies it, or the disk is full: its tasks come back another time."""
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=100 * MS))  # instead of five seconds
    path = tmp_path / "journal.sqlite"
    task_store = TaskStore(path)
    await task_store.open({"llm.1000": ENTRY}.get)
    task_store.on_changed("llm.1000")
    await task_store.close()

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert await TaskStore(path).open(lambda _: None) == []

    assert "cannot be read now: database is locked" in caplog.text
    assert await reread(path) == [ENTRY]


async def test_a_journal_of_a_newer_unitd_is_set_aside(tmp_path: Path) -> None:
    """It is not ours to change."""
    path = tmp_path / "journal.sqlite"
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()

    assert await TaskStore(path).open(lambda _: None) == []
    assert path.with_suffix(".damaged").exists()


async def test_a_disk_that_takes_nothing_is_told_once_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What could not be written goes with the next change."""
    folder = tmp_path / "state"
    other = StoredTask("kws.1001", "kws", "2", 0, {}, [])
    task_store = TaskStore(folder / "journal.sqlite")
    await task_store.open({"llm.1000": ENTRY, "kws.1001": other}.get)
    for _ in range(3):
        task_store.on_changed("llm.1000")
        await task_store.settled()

    folder.mkdir()
    task_store.on_changed("kws.1001")
    await task_store.settled()

    assert caplog.text.count("cannot be written") == 1
    assert await reread(folder / "journal.sqlite") == [ENTRY, other]


# Through the daemon


async def lstask(client: WireClient) -> dict[str, Any]:
    """The tasks by work_id."""
    return {row["work_id"]: row for row in (await client.ask(work_id="sys", action="lstask"))["data"]}


async def restarted(folder: Path, talk: Callable[[WireClient], Any]) -> None:
    """A daemon over the same state, and a client that talks to it."""
    async with running_app(folder) as app, tcp_client(app) as client:
        await talk(client)


async def test_tasks_links_and_conversations_survive_a_restart(tmp_path: Path) -> None:
    """Under their work_ids; whoever addresses them is answered."""

    async def before(client: WireClient) -> None:
        kws = await client.setup("kws", KWS_SETUP | {"kws": "alexa"})
        llm = await client.setup("llm", LLM_SETUP | {"history": True}, input=["llm.utf-8", kws])
        await client.answer(llm, "My name is Anna.")

    async def after(client: WireClient) -> None:
        tasks = await lstask(client)
        assert tasks["llm.1001"]["inputs_"] == ["llm.utf-8", "kws.1000"]
        assert "Anna" in await client.answer("llm.1001", "What is my name?")
        assert await client.setup("kws", KWS_SETUP | {"kws": "alexa"}) == "kws.1002"

    await restarted(tmp_path, before)
    await restarted(tmp_path, after)


async def test_a_link_from_a_task_that_has_ended_does_not_come_back(tmp_path: Path) -> None:
    """Neither in the journal nor, where the source is one that does not come back, out of it."""

    async def before(client: WireClient) -> None:
        for _ in range(2):
            await client.setup("kws", KWS_SETUP | {"kws": "alexa"})
        await client.setup("llm", LLM_SETUP, input=["llm.utf-8", "kws.1000", "kws.1001"])
        await client.ask(work_id="kws.1000", action="exit")

    async def between(client: WireClient) -> None:
        assert (await lstask(client))["llm.1002"]["inputs_"] == ["llm.utf-8", "kws.1001"]

    async def after(client: WireClient) -> None:
        assert (await lstask(client))["llm.1002"]["inputs_"] == ["llm.utf-8"]

    await restarted(tmp_path, before)
    await restarted(tmp_path, between)
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as database, database:
        database.execute("DELETE FROM task WHERE work_id = 'kws.1001'")
    await restarted(tmp_path, after)


async def test_a_temporary_task_ends_with_its_connection(tmp_path: Path) -> None:
    """The others of its client stay, without the link from it."""
    async with running_app(tmp_path) as app, tcp_client(app) as onlooker:
        async with tcp_client(app) as client:
            ears = await client.setup("kws", KWS_SETUP | {"kws": "alexa"}, temporary=True)
            mind = await client.setup("llm", LLM_SETUP, input=["llm.utf-8", ears])
            before = await lstask(onlooker)

        after = before
        async with asyncio.timeout(5):
            while ears in after:
                after = await lstask(onlooker)

    assert list(before) == [ears, mind]
    assert [row["inputs_"] for row in after.values()] == [["llm.utf-8"]]


async def test_a_temporary_task_is_not_written_down(tmp_path: Path) -> None:
    """Not even while it lives: a daemon that is killed now would not bring it back."""
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        await client.setup("kws", KWS_SETUP | {"kws": "alexa"}, temporary=True)
        kept = await client.setup("kws", KWS_SETUP | {"kws": "alexa"}, temporary=False)
        written = await reread(tmp_path / "journal.sqlite")

    assert [entry.work_id for entry in written] == [kept]


async def test_temporary_is_a_claim(client: WireClient) -> None:
    """Anything else is refused before a task that nobody wanted stays for ever."""
    reply = await client.ask(work_id="kws", action="setup", data=KWS_SETUP | {"temporary": "yes"})

    assert "temporary must be true or false, it is 'yes'" in reply["error"]["message"]


async def test_what_was_ended_stays_ended(tmp_path: Path) -> None:
    """By exit or by reset."""

    async def before(client: WireClient) -> None:
        work_id = await client.setup("kws", KWS_SETUP | {"kws": "alexa"})
        await client.ask(work_id=work_id, action="exit")

    async def after(client: WireClient) -> None:
        assert await lstask(client) == {}

    await restarted(tmp_path, before)
    await restarted(tmp_path, after)


async def test_the_forgetful_forget(tmp_path: Path) -> None:
    """`restore = false`: as the original."""

    async def before(client: WireClient) -> None:
        await client.setup("kws", KWS_SETUP | {"kws": "alexa"})

    await restarted(tmp_path, before)
    async with running_app(tmp_path, {"state": {"restore": False}}) as app, tcp_client(app) as client:
        assert await lstask(client) == {}


async def test_a_task_whose_model_is_gone_is_told_and_forgotten(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others come back."""
    folder = tmp_path / "models"
    folder.mkdir()
    model = folder / "guest.gguf"
    model.symlink_to(Path("units/models/unitd-chat/unitd-chat.gguf").resolve())

    async def before(client: WireClient) -> None:
        await client.setup("llm", LLM_SETUP, model="guest")
        await client.setup("kws", KWS_SETUP | {"kws": "alexa"})

    async def after(client: WireClient) -> None:
        assert list(await lstask(client)) == ["kws.1001"]

    await restarted(tmp_path, before)
    model.unlink()
    await restarted(tmp_path, after)

    assert "llm.1000 is not restored" in caplog.text
