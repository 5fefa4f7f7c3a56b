"""Covers what a release finds of the one before it: a state folder, as that one wrote it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson

from tests.support.daemon import running_app, tcp_client

CREATED = 1795336466

# The rows of a daemon of November 2026, before tasks could fail and had owners: a wake word, an llm that has said
# something, a voice that is linked to it.
TASKS: dict[str, dict[str, Any]] = {
    "kws.1000": {
        "unit": "kws",
        "request_id": "k1",
        "data": {
            "model": "unitd-kws", "kws": "hey jarvis", "response_format": "kws.bool", "input": "sys.pcm",
            "enoutput": True,
        },
        "inputs": ["sys.pcm"],
        "memory": None,
    },
    "llm.1001": {
        "unit": "llm",
        "request_id": "l1",
        "data": {
            "model": "default", "response_format": "llm.utf-8.stream", "input": ["llm.utf-8", "kws.1000"],
            "enoutput": True, "prompt": "You are kind", "max_token_len": 20, "temperature": 0, "history": True,
        },
        "inputs": ["llm.utf-8", "kws.1000"],
        "memory": {"history": [["hello", "Hello! 👋 What can I do for you?"]]},
    },
    "tts.1002": {
        "unit": "tts",
        "request_id": "t1",
        "data": {"model": "unitd-tts", "response_format": "sys.pcm", "input": "tts.utf-8", "enoutput": False},
        "inputs": ["tts.utf-8", "llm.1001"],
        "memory": None,
    },
}  # fmt: skip


def write_state(folder: Path) -> None:
    """Writes the folder as the release before left it."""
    (folder / "counter").write_text("1003")
    with closing(sqlite3.connect(folder / "journal.sqlite")) as database:
        database.execute("CREATE TABLE task (work_id TEXT PRIMARY KEY, content BLOB NOT NULL)")
        database.execute("PRAGMA user_version = 1")
        for work_id, fields in TASKS.items():
            content = orjson.dumps(fields | {"created": CREATED, "holder": ""})
            database.execute("INSERT INTO task VALUES (?, ?)", (work_id, content))
        database.commit()


def history_in(folder: Path) -> list[list[str]]:
    """Returns the exchanges of the llm's conversation that are on the disk."""
    with closing(sqlite3.connect(folder / "journal.sqlite")) as database:
        (content,) = database.execute("SELECT content FROM task WHERE work_id = 'llm.1001'").fetchone()
    history: list[list[str]] = orjson.loads(content)["memory"]["history"]
    return history


async def test_the_tasks_of_the_release_before_are_back(tmp_path: Path) -> None:
    """With their links, their conversation and the next number."""
    write_state(tmp_path)
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        listed = (await client.ask(work_id="sys", action="lstask"))["data"]
        found = {row["work_id"]: (row["created"], row["inputs_"]) for row in listed}
        new = await client.ask(work_id="llm", action="setup", data=TASKS["llm.1001"]["data"] | {"input": "llm.utf-8"})
        await client.answer("llm.1001", "hello again")

    assert found == {work_id: (CREATED, fields["inputs"]) for work_id, fields in TASKS.items()}
    assert new["work_id"] == "llm.1003"
    (first, second) = history_in(tmp_path)
    assert first == TASKS["llm.1001"]["memory"]["history"][0]
    assert second[0] == "hello again"
