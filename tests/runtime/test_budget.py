"""Covers memory_budget: memory is set aside before a program starts, and refused when it is not there."""

import asyncio
import os
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import GOBBLED_BYTES, bad_unit
from tests.support.setups import LLM_SETUP
from tests.support.waiting import MS
from unitd.app import App
from unitd.core.models.memory import MIB
from unitd.doors.local_client import LocalClient
from unitd.runtime.children import process
from unitd.runtime.children.memory_budget import look_at, memory_of_board

LIMIT = {"limits": {"memory": "1000M"}, "llm": {"slots": 1, "context": 512}}
"""The bundled model takes 62 of it."""

BUNDLED = Path("units/models/unitd-chat/unitd-chat.gguf").resolve()


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The folder of installed models."""
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


@pytest.fixture
def mode() -> str:
    """How every unit program behaves; tests parametrize it."""
    return "good"


@pytest.fixture
async def daemon(tmp_path: Path, models: Path, mode: str) -> AsyncIterator[App]:
    """The daemon with a thousand MiB for models; its unit programs never look at a file."""
    async with running_app(tmp_path, LIMIT, argv_for=bad_unit(mode, tmp_path / "gate")) as app:
        yield app


def install(models: Path, name: str, mib: int) -> None:
    """A model of this size, which takes no room on the disk."""
    with (models / f"{name}.gguf").open("wb") as file:
        file.truncate(mib * MIB)


async def refusal_of(client: WireClient, model: str) -> str:
    """What a setup of this model is answered; it leaves no task of it."""
    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": model})
    assert (reply["error"]["code"], reply["work_id"]) == (-5, "llm")
    return str(reply["error"]["message"])


async def linger(app: App, model: str) -> int:
    """A client over HTTP has used this model and left; returns the pid of the program that stays for a while."""
    before = set(psutil.Process().children())
    local_client = LocalClient(app, "somebody", "http")
    work_id, replies = await local_client.set_up("llm", LLM_SETUP | {"model": model})
    await local_client.ask(work_id, "exit")
    replies.close()
    local_client.close()
    [program] = set(psutil.Process().children()) - before
    return program.pid


def are_there(*pids: int) -> list[bool]:
    """Which of these programs live."""
    return [psutil.pid_exists(pid) for pid in pids]


# The happy day


async def test_what_fits_side_by_side_is_loaded(client: WireClient, models: Path) -> None:
    """And a second task of a model costs nothing."""
    install(models, "half", 450)

    tasks = [await client.setup("llm", LLM_SETUP, model=model) for model in ("half", "half", "unitd-chat")]

    assert [await client.answer(task, "hello") for task in tasks] == ["hello"] * 3


async def test_an_idle_model_makes_room(daemon: App, client: WireClient, models: Path) -> None:
    """The one that has been idle longest goes; the other one stays, and so does whatever has a task."""
    for name, size in (("first", 300), ("second", 200), ("third", 400)):
        install(models, name, size)
    used = await client.setup("llm", LLM_SETUP)
    first, second = await linger(daemon, "first"), await linger(daemon, "second")

    third = await client.setup("llm", LLM_SETUP, model="third")

    assert are_there(first, second) == [False, True]
    assert [await client.answer(task, "hello") for task in (used, third)] == ["hello"] * 2


async def test_what_is_being_stopped_is_waited_for(
    tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task has ended, its program takes a while to go, and the next model needs its room."""
    monkeypatch.setattr(process, "STOP_TIMEOUT_SECONDS", 200 * MS)
    install(models, "one", 600)
    install(models, "other", 600)
    async with running_app(tmp_path, LIMIT, argv_for=bad_unit("immortal")) as app, tcp_client(app) as client:
        task = await client.setup("llm", LLM_SETUP, model="one")
        await client.ask(work_id=task, action="exit")

        other = await client.setup("llm", LLM_SETUP, model="other")

        assert await client.answer(other, "hello") == "hello"


async def test_a_crashed_program_keeps_its_place(client: WireClient, models: Path) -> None:
    """Its memory is reserved while it is started again."""
    install(models, "one", 600)
    install(models, "other", 600)
    task = await client.setup("llm", LLM_SETUP, model="one")
    await client.frames(await client.infer(task, "abort"))

    await refusal_of(client, "other")

    assert await client.answer(task, "well again") == "well again"


# The limits


async def test_a_model_too_large_is_refused_with_figures(client: WireClient, models: Path) -> None:
    """Before anything of it is loaded; whoever is there notices nothing."""
    install(models, "large", 2048)
    task = await client.setup("llm", LLM_SETUP)

    message = await refusal_of(client, "large")

    assert message == (
        "Model loading failed. llm/large: needs about 2,287 MiB (weights 2,253, working memory 34); "
        "922 of 1,000 MiB of memory are free for models; set [limits] memory"
    )
    assert await client.answer(task, "still here") == "still here"
    assert len(psutil.Process().children()) == 1


async def test_what_would_fit_alone_fits_when_another_task_ends(client: WireClient, models: Path) -> None:
    """The refusal says so."""
    install(models, "one", 600)
    install(models, "other", 600)
    task = await client.setup("llm", LLM_SETUP, model="one")

    message = await refusal_of(client, "other")
    await client.ask(work_id=task, action="exit")
    other = await client.setup("llm", LLM_SETUP, model="other")

    assert message.endswith("306 of 1,000 MiB of memory are free for models; end a task or set [limits] memory")
    assert await client.answer(other, "hello") == "hello"


async def test_nothing_is_unloaded_in_vain(daemon: App, client: WireClient, models: Path) -> None:
    """An idle model whose room would not be enough stays."""
    for name, size in (("idle", 200), ("used", 500), ("large", 600)):
        install(models, name, size)
    await client.setup("llm", LLM_SETUP, model="used")
    idle = await linger(daemon, "idle")

    await refusal_of(client, "large")

    assert are_there(idle) == [True]


@pytest.mark.parametrize("mode", ["gated"])
async def test_two_setups_at_the_same_time_do_not_both_slip_in(daemon: App, models: Path, tmp_path: Path) -> None:
    """What one of them has been promised is gone for the other, long before it is loaded."""
    install(models, "one", 600)
    install(models, "other", 600)
    async with tcp_client(daemon) as first, tcp_client(daemon) as second:
        asked = [
            asyncio.create_task(client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": model}))
            for client, model in ((first, "one"), (second, "other"))
        ]
        [refused], [waiting] = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        (tmp_path / "gate").touch()

        assert (await refused)["error"]["code"] == -5
        assert (await waiting)["error"]["code"] == 0


async def test_a_program_that_takes_more_than_thought_counts_with_what_it_takes(
    client: WireClient, models: Path
) -> None:
    """The measured memory replaces the estimate."""
    install(models, "small", 1)
    task = await client.setup("llm", LLM_SETUP, model="small")
    before = (await client.ask(work_id="sys", action="cmminfo"))["data"]

    await client.answer(task, "gobble gobble")
    after = (await client.ask(work_id="sys", action="cmminfo"))["data"]

    assert before["used"] == int(1.1 * 1024) + 34 * 1024
    assert after["used"] * 1024 > 2 * GOBBLED_BYTES
    assert after["total"] == before["total"] == 1000 * 1024


async def test_what_a_program_has_forked_counts_as_its_own(client: WireClient, models: Path) -> None:
    """Grammars are compiled and followed in processes of their own."""
    install(models, "small", 1)
    task = await client.setup("llm", LLM_SETUP, model="small")

    await client.answer(task, "fork")
    after = (await client.ask(work_id="sys", action="cmminfo"))["data"]

    assert after["used"] * 1024 > 2 * GOBBLED_BYTES


def limit_of(program: psutil.Process) -> int:
    """Bytes of private memory that the kernel gives a program."""
    return int(program.rlimit(psutil.RLIMIT_DATA)[0])


async def test_a_program_that_takes_all_it_can_get_fails_by_itself(client: WireClient, models: Path) -> None:
    """Far below what the board has: its task hears of it, and fails when it happens again."""
    install(models, "small", 1)
    task = await client.setup("llm", LLM_SETUP, model="small")

    ends = [(await client.frames(await client.infer(task, "gobble " * 40)))[-1] for _ in range(2)]
    rows = (await client.ask(work_id="sys", action="lstask"))["data"]

    assert [end["error"]["code"] for end in ends] == [-11, -11]
    assert ends[0]["error"]["message"].endswith("its last words: MemoryError")
    assert [row["state"] for row in rows] == ["failed"]


async def test_a_setup_for_which_there_is_no_memory_is_refused(client: WireClient, models: Path) -> None:
    """In words; its program goes on with the tasks that it has."""
    install(models, "small", 1)
    task = await client.setup("llm", LLM_SETUP, model="small")
    pid = await client.answer(task, "pid")

    refused = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": "small", "fault": "devour"})

    assert refused["error"]["code"] == -5
    assert "needs more memory than its program may take ([limits] memory)" in refused["error"]["message"]
    assert await client.answer(task, "pid") == pid


async def test_the_limit_grows_with_the_tasks_and_does_not_shrink(client: WireClient, models: Path) -> None:
    """What is allocated stays so when a task has left."""
    install(models, "small", 1)
    tasks = [await client.setup("llm", LLM_SETUP, model="small")]
    [program] = psutil.Process().children()
    one = limit_of(program)

    tasks += [await client.setup("llm", LLM_SETUP, model="small") for _ in range(2)]
    three = limit_of(program)
    await client.ask(work_id=tasks[0], action="exit")

    assert three - one == 2 * 16 * MIB
    assert limit_of(program) == three


# The damage


async def test_a_hostile_header_is_refused(client: WireClient, models: Path) -> None:
    """It claims more layers than there are grains of sand; no program is started for it."""
    claim = b"llama.attention.head_count_kv"
    start = struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, len(claim)) + claim + struct.pack("<IIQ", 9, 4, 2**62)
    (models / "hostile.gguf").write_bytes(start)

    message = await refusal_of(client, "hostile")

    assert "hostile.gguf cannot be loaded: its header has attention.head_count_kv for 4611686018427387904" in message
    assert psutil.Process().children() == []


async def test_a_header_with_absurd_figures_is_refused_by_its_need(client: WireClient, models: Path) -> None:
    """Four billion layers of four billion heads fit nowhere."""
    most = 2**32 - 1
    keys = (b"llama.block_count", b"llama.attention.head_count_kv", b"llama.attention.key_length")
    values = b"".join(struct.pack("<Q", len(key)) + key + struct.pack("<II", 4, most) for key in keys)
    (models / "absurd.gguf").write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 0, len(keys)) + values)

    message = await refusal_of(client, "absurd")

    assert "KV cache 154,742,504" in message
    assert psutil.Process().children() == []


async def test_a_model_that_never_ends_is_left_to_the_engine(client: WireClient, models: Path) -> None:
    """A pipe instead of a file: the daemon does not begin to read it."""
    os.mkfifo(models / "pipe.gguf")

    assert await client.setup("llm", LLM_SETUP, model="pipe")


# The board


def test_the_board_is_what_there_is(tmp_path: Path) -> None:
    """Without a control group around the daemon."""
    assert memory_of_board(tmp_path) == psutil.virtual_memory().total


@pytest.mark.parametrize(
    ("groups", "limits"),
    [
        ("0::/", {"sys/fs/cgroup/memory.max": "536870912"}),
        (
            "0::/system.slice/unitd.service",
            {
                "sys/fs/cgroup/system.slice/memory.max": "536870912",
                "sys/fs/cgroup/system.slice/unitd.service/memory.max": "max",
            },
        ),
        ("4:memory:/box\n0::/", {"sys/fs/cgroup/memory/box/memory.limit_in_bytes": "536870912"}),
    ],
    ids=["container", "service", "version 1"],
)
def test_a_control_groups_limit_is_the_board(tmp_path: Path, groups: str, limits: dict[str, str]) -> None:
    """The smallest of those around the daemon counts."""
    for file, content in {"proc/self/cgroup": groups, **limits}.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content + "\n")

    assert memory_of_board(tmp_path) == 512 * MIB


# Against reality


@pytest.mark.parametrize(("context", "slots"), [(512, 4), (2048, 1)])
async def test_the_bundled_models_estimate_is_near_what_it_takes(tmp_path: Path, context: int, slots: int) -> None:
    """Within a quarter, after a prompt that fills its context."""
    llm: dict[str, Any] = {"slots": slots, "context": context}
    async with running_app(tmp_path, {"llm": llm}) as app, tcp_client(app) as client:
        task = await client.setup("llm", LLM_SETUP, prompt="")
        frames = await client.frames(await client.infer(task, "a " * (context - 50)))
        [program] = psutil.Process().children()
        processes = [program, *program.children(recursive=True)]  # a grammar has one of its own
        taken = await asyncio.to_thread(lambda: sum(each.memory_full_info().pss for each in processes))

    load = {"path": str(BUNDLED), "engine": "llama", "exact": True, **llm}
    need = await asyncio.to_thread(look_at, "llm", load)
    assert frames[-1]["error"]["code"] == 0
    assert need.total == pytest.approx(taken, rel=0.25)
