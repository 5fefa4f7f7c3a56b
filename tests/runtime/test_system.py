"""Covers system: what clients ask the board itself."""

import base64
import hashlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import running_app, tcp_client
from tests.helpers import LLM_SETUP, WireClient, eventually
from tests.runtime.bad_unit import bad_unit
from unitd.app import App

CONTENT = bytes(range(256)) * 10
BASE64 = base64.b64encode(CONTENT).decode()


@pytest.fixture
def allowed() -> list[str]:
    """Powers that the configuration names; tests parametrize it."""
    return []


@pytest.fixture
async def daemon(
    tmp_path: Path, no_blocking: None, caplog: pytest.LogCaptureFixture, allowed: list[str]
) -> AsyncIterator[App]:
    """A daemon with its state in `tmp_path / "state"`."""
    caplog.set_level(logging.INFO)
    async with running_app(tmp_path / "state", {"sys": {"allow": allowed}}, argv_for=bad_unit()) as app:
        yield app


@pytest.fixture
def files(tmp_path: Path, daemon: App) -> Path:
    """Where pushed files lie."""
    return tmp_path / "state" / "files"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that is none of the daemon's."""
    path = tmp_path / "secret"
    path.write_text("nobody's business")
    return path


@pytest.fixture
def no_commands() -> Iterator[None]:
    """What a failing test leaves running does not spoil the next one."""
    yield
    for child in psutil.Process().children(recursive=True):
        child.kill()


async def sys(client: WireClient, action: str, **fields: Any) -> dict[str, Any]:
    """One sys action and its reply."""
    return await client.ask(work_id="sys", action=action, **fields)


# What is there


async def test_ping_is_answered(client: WireClient) -> None:
    """The plainest reply there is."""
    reply = await sys(client, "ping")

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
    reply = await sys(client, "version")

    assert (reply["object"], reply["data"]) == ("sys.utf-8", "v1.6")


async def test_version2_lists_the_units(client: WireClient) -> None:
    """Names with versions, under the original's odd object."""
    reply = await sys(client, "version2")

    assert reply["object"] == "sys.utf-8.stream"
    assert [name.partition("-")[0] for name in reply["data"]] == [
        f"unitd_{unit}" for unit in ("asr", "kws", "llm", "melotts", "tts", "vad", "whisper")
    ]


async def test_lsmode_lists_every_model(client: WireClient) -> None:
    """The keys that the original's clients look for are in every row."""
    reply = await sys(client, "lsmode")

    assert reply["object"] == "sys.lsmode"
    wanted = {"mode", "type", "capabilities", "input_type", "output_type", "mode_param", "homepage"}
    assert [wanted - set(row) for row in reply["data"]] == [set()] * len(reply["data"])


async def test_lstask_lists_every_task(client: WireClient) -> None:
    """One row for each task, whoever set it up."""
    task = await client.setup("llm", LLM_SETUP)

    reply = await sys(client, "lstask")

    assert reply["object"] == "sys.lstask"
    [row] = reply["data"]
    assert row.pop("created") > 1_600_000_000
    assert row == {
        "work_id": task,
        "unit": "llm",
        "model": LLM_SETUP["model"],
        "state": "idle",
        "queue": 0,
        "inputs_": ["llm.utf-8"],
        "door": "tcp",
    }


async def test_lstask_tells_what_a_task_does(client: WireClient) -> None:
    """Running and queued prompts show."""
    task = await client.setup("llm", LLM_SETUP)
    await client.infer(task, "linger")
    await client.infer(task, "next")

    [row] = (await sys(client, "lstask"))["data"]

    assert (row["state"], row["queue"]) == ("running", 1)


async def test_hwinfo_has_the_originals_shape(client: WireClient) -> None:
    """Whole numbers, and a list of interfaces."""
    reply = await sys(client, "hwinfo")

    assert reply["object"] == "sys.hwinfo"
    kinds = {key: type(value) for key, value in reply["data"].items()}
    assert kinds == {"cpu_loadavg": int, "eth_info": list, "mem": int, "temperature": int}
    assert [set(each) for each in reply["data"]["eth_info"][:1]] == [{"ip", "name", "speed"}]


async def test_cmminfo_adds_up(client: WireClient) -> None:
    """Memory in KB, used and remaining make the total."""
    reply = await sys(client, "cmminfo")

    assert reply["object"] == "sys.cmminfo"
    memory = reply["data"]
    assert memory["used"] + memory["remain"] == pytest.approx(memory["total"], abs=2)
    assert memory["total"] * 1024 == psutil.virtual_memory().total


async def test_slow_question_makes_nobody_wait(clients: Callable[[], Any]) -> None:
    """hwinfo measures for a while; a ping of another client is answered meanwhile."""
    one, other = await clients(), await clients()
    asked = await one.send(work_id="sys", action="hwinfo")
    await one.send(work_id="sys", action="ping", request_id="ping")

    assert (await sys(other, "ping"))["error"]["code"] == 0
    assert [(await one.receive())["request_id"] for _ in range(2)] == ["ping", asked]


async def test_unknown_action_is_minus_3(client: WireClient) -> None:
    """uiflow takes -3 for an answer."""
    reply = await sys(client, "dance")

    assert reply["error"]["code"] == -3
    assert reply["error"]["message"].startswith("action match false")


async def test_inference_on_sys_is_minus_4(client: WireClient) -> None:
    """sys is no task."""
    assert (await sys(client, "inference", object="sys.utf-8", data="hello"))["error"]["code"] == -4


async def test_empty_work_id_means_sys(client: WireClient) -> None:
    """As the original has it."""
    assert (await client.ask(work_id="", action="ping"))["work_id"] == "sys"


async def test_uartsetup_without_a_line_is_refused(client: WireClient) -> None:
    """There is nothing to set up."""
    reply = await sys(client, "uartsetup", data={"baud": 9600, "data_bits": 8, "stop_bits": 1, "parity": 110})

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

    reply = await sys(client, "uartsetup", data=data)

    assert reply["error"]["code"] == -2
    assert next(iter(change)) in reply["error"]["message"]


# Files


async def test_pushed_text_arrives(client: WireClient, files: Path) -> None:
    """The reply carries the checksum of what was written."""
    reply = await sys(client, "push", object="sys.file./notes/today.txt", data="good weather ☀")

    content = (files / "notes" / "today.txt").read_bytes()
    assert content.decode() == "good weather ☀"
    assert reply["error"] == {"code": 0, "message": f"sha256:{hashlib.sha256(content).hexdigest()}"}


@pytest.mark.parametrize("name", ["data.bin", "utf-8.bin", "stream.base64"])
async def test_pushed_base64_arrives(client: WireClient, files: Path, name: str) -> None:
    """Bytes stay bytes, whatever the file is called."""
    reply = await sys(client, "push", object=f"sys.base64.file./{name}", data=BASE64)

    assert reply["error"] == {"code": 0, "message": f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"}
    assert (files / name).read_bytes() == CONTENT


async def test_streamed_push_is_answered_once_at_its_end(client: WireClient, files: Path) -> None:
    """Chunks are joined by number, not by spelling: 10 comes behind 2."""
    chunks = [BASE64[at : at + 100] for at in range(0, len(BASE64), 100)]
    for index, chunk in enumerate(chunks):
        data = {"delta": chunk, "index": index, "finish": index == len(chunks) - 1}
        await client.send(
            request_id="push", work_id="sys", action="push", object="sys.base64.stream.file./data", data=data
        )

    reply = await client.receive()

    assert reply["error"] == {"code": 0, "message": f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"}
    assert (files / "data").read_bytes() == CONTENT


async def test_pushed_raw_bytes_arrive(client: WireClient, files: Path) -> None:
    """A RAW header may carry a file, too."""
    header = b'{"RAW":%d,"request_id":"1","work_id":"sys","action":"push","object":"sys.file./raw"}' % len(CONTENT)

    await client.send_bytes(header + CONTENT)

    assert (await client.receive())["error"]["code"] == 0
    assert (files / "raw").read_bytes() == CONTENT


async def test_push_replaces_a_file(client: WireClient, files: Path) -> None:
    """Pushing again writes the whole file anew."""
    await sys(client, "push", object="sys.file./x", data="a long text")

    await sys(client, "push", object="sys.file./x", data="short")

    assert (files / "x").read_text() == "short"
    assert [each.name for each in files.iterdir()] == ["x"]


async def test_pulled_file_is_base64(client: WireClient, files: Path) -> None:
    """One reply with the whole file."""
    (files / "data").write_bytes(CONTENT)

    reply = await sys(client, "pull", object="sys.file./data")

    assert (reply["object"], reply["data"]) == ("sys.base64.stream", BASE64)


async def test_streamed_pull_comes_in_the_originals_chunks(client: WireClient, files: Path) -> None:
    """Frames of 1024 characters, then an empty one that ends it."""
    (files / "data").write_bytes(CONTENT)

    asked = await client.send(work_id="sys", action="pull", object="sys.stream.file./data")

    frames = await client.frames(asked)
    assert "".join(frame["data"]["delta"] for frame in frames) == BASE64
    assert [len(frame["data"]["delta"]) for frame in frames] == [1024, 1024, 1024, len(BASE64) - 3072, 0]
    assert [frame["data"]["index"] for frame in frames] == [0, 1, 2, 3, 4]
    assert {frame["object"] for frame in frames} == {"sys.base64.stream"}


async def test_streamed_pull_of_an_empty_file_is_one_frame(client: WireClient, files: Path) -> None:
    """Nothing to say is said with one finish."""
    (files / "empty").touch()

    asked = await client.send(work_id="sys", action="pull", object="sys.stream.file./empty")

    assert [frame["data"] for frame in await client.frames(asked)] == [{"delta": "", "finish": True, "index": 0}]


@pytest.mark.parametrize(
    "name", ["/nowhere", "/no/where", "/../../secret", "/sub/../../../secret", "", "/", "/..", "/.", "/x\0y"]
)
async def test_pull_of_no_file_is_minus_17(client: WireClient, files: Path, secret: Path, name: str) -> None:
    """Missing files, folders, and whatever lies outside."""
    reply = await sys(client, "pull", object=f"sys.file.{name}")

    assert reply["error"]["code"] == -17
    assert reply["data"] == "None"


async def test_absolute_path_is_one_inside_the_files(client: WireClient, files: Path, secret: Path) -> None:
    """`/x` means files/x, so a real path of the machine leads nowhere."""
    reply = await sys(client, "pull", object=f"sys.file.{secret}")

    assert reply["error"]["code"] == -17
    assert "file does not exist." in reply["error"]["message"]


async def test_pull_through_a_symlink_is_refused(client: WireClient, files: Path, secret: Path) -> None:
    """A link in the folder opens no door out of it."""
    (files / "link").symlink_to(secret)

    assert (await sys(client, "pull", object="sys.file./link"))["error"]["code"] == -17


@pytest.mark.parametrize("name", ["/../outside", "/sub/../../outside", "/link/outside", "", "/", "/.", "/x\0y"])
async def test_push_to_outside_is_refused(client: WireClient, tmp_path: Path, files: Path, name: str) -> None:
    """Nothing is written anywhere but below the files directory."""
    (files / "link").symlink_to(tmp_path)

    reply = await sys(client, "push", object=f"sys.file.{name}", data="evil")

    assert reply["error"]["code"] == -17
    assert not list(tmp_path.rglob("outside*"))


@pytest.mark.parametrize("name", ["/taken/below", "/folder", "/" + "x" * 300])
async def test_push_to_an_impossible_place_is_minus_17(client: WireClient, files: Path, name: str) -> None:
    """Below a file, over a folder, under a name that no disk takes."""
    (files / "taken").touch()
    (files / "folder").mkdir()

    reply = await sys(client, "push", object=f"sys.file.{name}", data="text")

    assert reply["error"]["code"] == -17


async def test_push_without_data_is_minus_24(client: WireClient, files: Path) -> None:
    """Nothing to write is refused, not written."""
    reply = await sys(client, "push", object="sys.file./x")

    assert reply["error"]["code"] == -24
    assert list(files.iterdir()) == []


# Powers


@pytest.mark.parametrize("action", ["reboot", "bashexec", "update", "upgrade", "unit_call"])
async def test_dangerous_actions_are_refused(client: WireClient, action: str) -> None:
    """They are off until the configuration names them."""
    reply = await sys(client, action, object="sys.utf-8", data="touch /tmp/unitd-was-here")

    assert reply["error"]["code"] == -10
    assert reply["error"]["message"].startswith("Not available at the moment.")


@pytest.mark.parametrize("allowed", [["bashexec"]])
async def test_allowed_command_runs(client: WireClient) -> None:
    """Its output comes back as text; what was not named stays off."""
    reply = await sys(client, "bashexec", object="sys.utf-8", data="echo hello; echo trouble >&2")

    assert (reply["object"], reply["data"]) == ("sys.utf-8", "hello\ntrouble\n")
    assert (await sys(client, "reboot"))["error"]["code"] == -10


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
    """Every chunk is acknowledged; what they make together runs once (fact sheet, section 8)."""
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
    assert (await sys(client, "bashexec", object="sys.utf-8", data=data))["error"]["code"] == -2


@pytest.mark.parametrize("allowed", [["update"]])
async def test_allowed_update_lists_packages(client: WireClient, files: Path) -> None:
    """The pushed .deb files, as text."""
    (files / "llm.deb").touch()
    (files / "notes.txt").touch()

    reply = await sys(client, "update")

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


async def test_reset_ends_tasks_and_children_and_keeps_counting(client: WireClient) -> None:
    """Everything is new afterwards, except the numbers and the connection."""
    task = await client.setup("llm", LLM_SETUP)
    pid = int(await client.answer(task, "pid"))

    await sys(client, "reset")
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

    await sys(asker, "reset")

    [end] = await other.frames(question)
    assert end["data"]["finish"] is True
    assert (await asker.receive())["request_id"] == "0"
    ping = await other.send(work_id="sys", action="ping")
    assert (await other.receive())["request_id"] == ping
