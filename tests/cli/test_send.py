"""Covers cli.send and cli.tasks: requests and tables for people and for scripts."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from tests.support.command_line import KWS, PING, unitd, unitd_in_process
from tests.support.daemon import tcp_client
from tests.support.setups import KWS_SETUP
from unitd.app import App

LLM = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8", "enoutput": True, "prompt": ""}


async def test_send_prints_the_reply(served: asyncio.subprocess.Process, config: Path) -> None:
    """One JSON line on stdout, exit code 0."""
    done = await unitd("send", "--config", str(config), PING)

    assert (done.code, done.err) == (0, "")
    reply = orjson.loads(done.out)
    assert (reply["request_id"], reply["error"]["code"]) == ("1", 0)


async def test_send_reads_stdin(at_socket: Sequence[str]) -> None:
    """A dash stands for the pipe."""
    done = await unitd("send", *at_socket, "-", stdin=PING)

    assert done.code == 0
    assert orjson.loads(done.out)["request_id"] == "1"


async def test_send_fails_with_the_reply(at_socket: Sequence[str]) -> None:
    """An error code is printed like any reply, and is exit code 1."""
    done = await unitd("send", *at_socket, '{"request_id":"1","work_id":"llm.7","action":"exit"}')

    assert done.code == 1
    assert orjson.loads(done.out)["error"]["code"] == -6


async def test_send_prints_an_inference_to_its_end(echo_daemon: App, at_socket: Sequence[str]) -> None:
    """Every frame is a line, the last one finishes."""
    async with tcp_client(echo_daemon) as client:
        task = await client.setup("llm", LLM)
    question = {"request_id": "2", "work_id": task, "action": "inference", "object": "llm.utf-8", "data": "one two"}

    done = await unitd("send", *at_socket, orjson.dumps(question).decode())

    frames = [orjson.loads(line)["data"] for line in done.out.splitlines()]
    assert done.code == 0
    assert [frame["delta"] for frame in frames] == ["one ", "two", ""]
    assert [frame["finish"] for frame in frames] == [False, False, True]


@pytest.mark.parametrize("text", ['{"request_id":"1"}', '{"request_id":5,"work_id":"sys"}'])
async def test_send_of_a_bad_request_fails(at_socket: Sequence[str], text: str) -> None:
    """The daemon's -2 is printed."""
    done = await unitd("send", *at_socket, text)

    assert done.code == 1
    assert orjson.loads(done.out)["error"]["code"] == -2


@pytest.mark.parametrize("text", ["hello", '{"request_id":"1"', '{"request_id":}', "[]", ""])
async def test_send_of_no_object_fails_at_once(at_socket: Sequence[str], text: str) -> None:
    """A text that is no JSON object is refused before it is sent."""
    async with asyncio.timeout(4):
        done = await unitd_in_process("send", *at_socket, text)

    assert (done.code, done.out) == (1, "")
    assert "JSON" in done.err


async def test_send_gives_up_after_the_wait(echo_daemon: App, at_socket: Sequence[str]) -> None:
    """--wait is how long a silent daemon is listened to."""
    async with tcp_client(echo_daemon) as client:
        task = await client.setup("llm", LLM)
    question = {"request_id": "2", "work_id": task, "action": "inference", "object": "llm.utf-8", "data": "linger"}

    done = await unitd("send", *at_socket, "--wait", "0.3", orjson.dumps(question).decode())

    assert (done.code, done.out) == (1, "")
    assert "no answer within 0.3 s" in done.err


# tasks


async def test_piped_tasks_are_tab_separated_and_never_cut(at_socket: Sequence[str]) -> None:
    """A line for each task under a line of names, whatever the width of the terminal."""
    assert (await unitd("send", *at_socket, KWS)).code == 0

    done = await unitd("tasks", *at_socket, environment={"COLUMNS": "20"})

    head, row = [line.split("\t") for line in done.out.splitlines()]
    assert head[:4] == ["work_id", "model", "state", "queue"]
    assert row[:6] == ["kws.1000", KWS_SETUP["model"], "idle", "0", "sys.pcm", "unix"]
    assert (done.code, done.err, len(row)) == (0, "", len(head))


async def test_piped_tasks_without_tasks_are_the_head_only(at_socket: Sequence[str]) -> None:
    """A script counts no tasks."""
    done = await unitd("tasks", *at_socket)

    assert (done.code, done.out.count("\n")) == (0, 1)
