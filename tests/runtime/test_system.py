"""Covers unitd.runtime.sys.board: what clients ask the board itself, the powers they may have, and a new beginning."""

import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient, ask_sys
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from tests.support.waiting import eventually
from unitd.app import App


@pytest.fixture
def allowed() -> list[str]:
    """Powers that the configuration names; tests parametrize it."""
    return []


@pytest.fixture
async def daemon(
    tmp_path: Path, no_blocking: None, caplog: pytest.LogCaptureFixture, allowed: list[str]
) -> AsyncIterator[App]:
    """A daemon that allows these."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path, {"sys": {"allow": allowed}}, argv_for=bad_unit()) as app:
        yield app


@pytest.fixture
def no_commands() -> Iterator[None]:
    """What a failing test leaves running does not spoil the next one."""
    yield
    for child in psutil.Process().children(recursive=True):
        child.kill()


# What is there


async def test_ping_is_answered(client: WireClient) -> None:
    """The plainest reply there is."""
    reply = await ask_sys(client, "ping")

    assert reply.pop("created") > 1_600_000_000
    assert reply == {
        "data": "None",
        "error": {"code": 0, "message": ""},
        "object": "None",
        "request_id": "request-1",
        "work_id": "sys",
    }


async def test_version_is_one_that_clients_parse(client: WireClient) -> None:
    """uiflow reads a float behind the v."""
    reply = await ask_sys(client, "version")

    assert (reply["object"], reply["data"]) == ("sys.utf-8", "v1.6")


async def test_version2_lists_the_units(client: WireClient) -> None:
    """Names with versions, under the original's odd object."""
    reply = await ask_sys(client, "version2")

    assert reply["object"] == "sys.utf-8.stream"
    assert [name.partition("-")[0] for name in reply["data"]] == [
        f"unitd_{unit}" for unit in ("asr", "camera", "intent", "kws", "llm", "melotts", "tts", "vad", "vlm", "whisper")
    ]


async def test_lsmode_lists_every_model(client: WireClient) -> None:
    """The keys that the original's clients look for are in every row; where a model comes from, in its own row."""
    reply = await ask_sys(client, "lsmode")

    assert reply["object"] == "sys.lsmode"
    wanted = {"mode", "type", "capabilities", "input_type", "output_type", "mode_param"}
    assert [wanted - set(row) for row in reply["data"]] == [set()] * len(reply["data"])
    assert "unitd-tts" in {row["mode"] for row in reply["data"] if "homepage" in row}


async def test_lstask_lists_every_task(client: WireClient) -> None:
    """One row for each task, whoever set it up."""
    task = await client.setup("llm", LLM_SETUP)

    reply = await ask_sys(client, "lstask")

    assert reply["object"] == "sys.lstask"
    [row] = reply["data"]
    assert row.pop("created") > 1_600_000_000
    assert row == {
        "work_id": task,
        "unit": "llm",
        "model": LLM_SETUP["model"],
        "served_by": "unitd-chat",
        "note": f"{LLM_SETUP['model']} is not installed, unitd-chat answers in its place",
        "state": "idle",
        "queue": 0,
        "inputs_": ["llm.utf-8"],
        "door": "tcp",
    }


async def test_lstask_says_which_model_answers_now(client: WireClient) -> None:
    """There is nothing to note where it is the one that was asked for, also by a later setup."""
    task = await client.setup("llm", LLM_SETUP)
    await client.ask(work_id=task, action="setup", data=LLM_SETUP | {"model": "default"})

    [row] = (await ask_sys(client, "lstask"))["data"]

    assert (row["model"], row["served_by"], "note" in row) == ("default", "unitd-chat", False)


async def test_lstask_tells_what_a_task_does(client: WireClient) -> None:
    """Running and queued prompts show."""
    task = await client.setup("llm", LLM_SETUP)
    await client.infer(task, "linger")
    await client.infer(task, "next")

    [row] = (await ask_sys(client, "lstask"))["data"]

    assert (row["state"], row["queue"]) == ("running", 1)


async def test_hwinfo_has_the_originals_shape(client: WireClient) -> None:
    """Whole numbers, and a list of interfaces."""
    reply = await ask_sys(client, "hwinfo")

    assert reply["object"] == "sys.hwinfo"
    kinds = {key: type(value) for key, value in reply["data"].items()}
    assert kinds == {"cpu_loadavg": int, "eth_info": list, "mem": int, "temperature": int}
    assert [set(each) for each in reply["data"]["eth_info"][:1]] == [{"ip", "name", "speed"}]


async def test_cmminfo_adds_up(client: WireClient) -> None:
    """The memory for models in KB, of which a task takes some; used and remaining make the total."""
    await client.setup("llm", LLM_SETUP)

    reply = await ask_sys(client, "cmminfo")

    assert reply["object"] == "sys.cmminfo"
    memory = reply["data"]
    assert memory["used"] + memory["remain"] == memory["total"]
    assert memory["used"] > 20_000
    assert memory["total"] * 1024 <= psutil.virtual_memory().total


async def test_slow_question_makes_nobody_wait(clients: Callable[[], Any]) -> None:
    """hwinfo measures for a while; a ping of another client is answered meanwhile."""
    one, other = await clients(), await clients()
    asked = await one.send(work_id="sys", action="hwinfo")
    await one.send(work_id="sys", action="ping", request_id="ping")

    assert (await ask_sys(other, "ping"))["error"]["code"] == 0
    assert [(await one.receive())["request_id"] for _ in range(2)] == ["ping", asked]


async def test_unknown_action_is_minus_3(client: WireClient) -> None:
    """uiflow takes -3 for an answer."""
    reply = await ask_sys(client, "dance")

    assert reply["error"]["code"] == -3
    assert reply["error"]["message"].startswith("action match false")


async def test_inference_on_sys_is_minus_4(client: WireClient) -> None:
    """sys is no task."""
    assert (await ask_sys(client, "inference", object="sys.utf-8", data="hello"))["error"]["code"] == -4


async def test_empty_work_id_means_sys(client: WireClient) -> None:
    """As the original has it."""
    assert (await client.ask(work_id="", action="ping"))["work_id"] == "sys"


async def test_uartsetup_without_a_line_is_refused(client: WireClient) -> None:
    """There is nothing to set up."""
    reply = await ask_sys(client, "uartsetup", data={"baud": 9600, "data_bits": 8, "stop_bits": 1, "parity": 110})

    assert reply["error"]["code"] == -10


@pytest.mark.parametrize(
    "change",
    [
        {"baud": "fast"},
        {"baud": 0},
        {"baud": True},
        {"data_bits": 9},
        {"stop_bits": 3},
        {"parity": "x"},
        {"parity": []},
    ],
    ids=str,
)
async def test_uartsetup_checks_its_values(client: WireClient, change: dict[str, Any]) -> None:
    """A wrong value is named before anything happens."""
    data = {"baud": 9600, "data_bits": 8, "stop_bits": 1, "parity": "n"} | change

    reply = await ask_sys(client, "uartsetup", data=data)

    assert reply["error"]["code"] == -2
    assert next(iter(change)) in reply["error"]["message"]


# Powers


@pytest.mark.parametrize("action", ["reboot", "bashexec", "update", "upgrade", "unit_call"])
async def test_dangerous_actions_are_refused(client: WireClient, action: str) -> None:
    """They are off until the configuration names them."""
    reply = await ask_sys(client, action, object="sys.utf-8", data="touch /tmp/unitd-was-here")

    assert reply["error"]["code"] == -10
    assert reply["error"]["message"].startswith("Not available at the moment.")


@pytest.mark.parametrize("allowed", [["bashexec"]])
async def test_allowed_command_runs(client: WireClient) -> None:
    """Its output comes back as text; what was not named stays off."""
    reply = await ask_sys(client, "bashexec", object="sys.utf-8", data="echo hello; echo trouble >&2")

    assert (reply["object"], reply["data"]) == ("sys.utf-8", "hello\ntrouble\n")
    assert (await ask_sys(client, "reboot"))["error"]["code"] == -10


@pytest.mark.parametrize("allowed", [["bashexec"]])
async def test_streamed_command_is_acknowledged_then_streams(client: WireClient) -> None:
    """An ack with code 0, then frames, the last one empty."""
    data = {"delta": "echo hello", "index": 0, "finish": True}
    asked = await client.send(work_id="sys", action="bashexec", object="sys.utf-8.stream", data=data)

    acknowledged = await client.receive()
    frames = await client.frames(asked)

    assert (acknowledged["error"]["code"], acknowledged["data"]) == (0, "None")
    assert [frame["data"]["delta"] for frame in frames] == ["hello\n", ""]
    assert {frame["object"] for frame in frames} == {"sys.utf-8.stream"}


@pytest.mark.parametrize("allowed", [["bashexec"]])
async def test_command_in_chunks_is_one_command(client: WireClient) -> None:
    """Every chunk is acknowledged; what they make together runs once (docs/original-firmware.md, section 8)."""
    for index, (delta, is_last) in enumerate([("echo hel", False), ("lo", True)]):
        data = {"delta": delta, "index": index, "finish": is_last}
        await client.send(request_id="1", work_id="sys", action="bashexec", object="sys.utf-8.stream", data=data)

    received = [await client.receive() for _ in range(4)]

    assert [reply["data"] for reply in received[:2]] == ["None", "None"]
    assert [reply["data"]["delta"] for reply in received[2:]] == ["hello\n", ""]


@pytest.mark.parametrize("allowed", [["bashexec"]])
async def test_command_makes_nobody_wait(client: WireClient) -> None:
    """A slow command does not hold up the next request of the same client."""
    slow = await client.send(work_id="sys", action="bashexec", object="sys.utf-8", data="sleep 0.3")
    quick = await client.send(work_id="sys", action="ping")

    assert [(await client.receive())["request_id"] for _ in range(2)] == [quick, slow]


async def test_command_ends_with_the_daemon(no_commands: None, no_blocking: None, tmp_path: Path) -> None:
    """A stopping daemon leaves no command running behind it."""
    document = {"sys": {"allow": ["bashexec"]}}
    async with running_app(tmp_path, document, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await client.send(work_id="sys", action="bashexec", object="sys.utf-8", data="exec sleep 60")
        await eventually(lambda: len(psutil.Process().children()) == 1)

    assert psutil.Process().children() == []


@pytest.mark.parametrize("allowed", [["bashexec", "update"]])
@pytest.mark.parametrize("data", [None, "", 5, {"delta": "ls"}], ids=str)
async def test_command_must_be_a_text(client: WireClient, data: Any) -> None:
    """Anything else is a damaged request."""
    assert (await ask_sys(client, "bashexec", object="sys.utf-8", data=data))["error"]["code"] == -2


@pytest.mark.parametrize("allowed", [["update"]])
async def test_allowed_update_lists_packages(client: WireClient, tmp_path: Path) -> None:
    """The pushed .deb files, as text."""
    (tmp_path / "files" / "llm.deb").touch()
    (tmp_path / "files" / "notes.txt").touch()

    reply = await ask_sys(client, "update")

    assert (reply["object"], reply["data"]) == ("sys.utf-8", "llm.deb")


# The new beginning


async def test_reset_is_acknowledged_then_reported_over(client: WireClient) -> None:
    """Two messages: the ack in the request's id, and the one with id "0" that clients wait for."""
    asked = await client.send(work_id="sys", action="reset")

    acknowledged, over = await client.receive(), await client.receive()

    assert (acknowledged["request_id"], acknowledged["error"]["code"]) == (asked, 0)
    assert acknowledged["error"]["message"] == "llm server restarting ..."
    assert (over["request_id"], over["work_id"], over["error"]["code"]) == ("0", "sys", 0)
    assert over["error"]["message"] == "reset over"


async def test_the_two_replies_to_reset_come_apart(tmp_path: Path, no_blocking: None) -> None:
    """A client that takes one read for one frame reads both."""
    async with running_app(tmp_path, {"tcp": {"frame_interval_ms": 200}}) as app, tcp_client(app) as client:
        asked = await client.send(work_id="sys", action="reset")
        assert (await client.receive())["request_id"] == asked
        acknowledged = time.monotonic()

        over = await client.receive()

    assert over["request_id"] == "0"
    assert time.monotonic() - acknowledged > 0.1


async def test_reset_ends_tasks_and_children_and_keeps_counting(client: WireClient) -> None:
    """Everything is new afterwards, except the numbers and the connection."""
    task = await client.setup("llm", LLM_SETUP)
    pid = int(await client.answer(task, "pid"))

    await ask_sys(client, "reset")
    await client.receive()

    assert not psutil.pid_exists(pid)
    assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == []
    renewed = await client.setup("llm", LLM_SETUP)
    assert (task, renewed) == ("llm.1000", "llm.1001")
    assert int(await client.answer(renewed, "pid")) != pid


async def test_reset_ends_answers_of_other_clients(clients: Callable[[], Any]) -> None:
    """Their streams end with a finish, their connections stay; the "0" is not for them."""
    asker, other = await clients(), await clients()
    question = await other.infer(await other.setup("llm", LLM_SETUP), "hello linger")
    await other.receive()

    await ask_sys(asker, "reset")

    [end] = await other.frames(question)
    assert end["data"]["finish"] is True
    assert (await asker.receive())["request_id"] == "0"
    ping = await other.send(work_id="sys", action="ping")
    assert (await other.receive())["request_id"] == ping
