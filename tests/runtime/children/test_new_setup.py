"""Covers unitd.runtime.tasks.setup_probe and a setup on a task that is there: another model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.runtime.children.conftest import becomes, ends, state_of
from tests.support.clients.wire_client import WireClient, text_of
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.waiting import eventually

USAGE = LLM_SETUP | {"usage": True}


@pytest.fixture(autouse=True)
def other_model(tmp_path: Path) -> None:
    """A model besides the bundled one."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "other.gguf").touch()


async def change(client: WireClient, task: str, **changes: Any) -> dict[str, Any]:
    """The reply to a new setup of a task; frames that come before it are passed over."""
    data = USAGE | {"model": "other"} | changes
    return await client.ask(work_id=task, action="setup", object="llm.setup", data=data)


async def model_of(client: WireClient, task: str) -> str:
    """What taskinfo says."""
    return str((await client.ask(work_id=task, action="taskinfo"))["data"]["model"])


# The happy day


async def test_a_task_goes_on_with_another_model(client: WireClient) -> None:
    """Under its work_id, in the other model's program; the one that nobody uses any more is gone."""
    task = await client.setup("llm", LLM_SETUP)
    before = int(await client.answer(task, "pid"))

    reply = await change(client, task)

    assert (reply["work_id"], reply["error"]["code"]) == (task, 0)
    assert int(await client.answer(task, "pid")) != before
    assert await model_of(client, task) == "other"
    await eventually(lambda: not psutil.pid_exists(before))
    assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == [task]


async def test_new_settings_with_the_same_model_keep_its_program(client: WireClient) -> None:
    """Nothing is loaded anew."""
    task = await client.setup("llm", LLM_SETUP)
    before = await client.answer(task, "pid")

    await change(client, task, model=LLM_SETUP["model"], response_format="llm.utf-8")

    whole = await client.ask(work_id=task, action="inference", object="llm.utf-8", data="pid")
    assert (whole["object"], whole["data"]) == ("llm.utf-8", before)


@pytest.mark.parametrize("mode", ["gated"])
async def test_the_old_model_answers_until_the_new_one_is_there(
    client: WireClient, clients: Callable[[], Any], gate: Path
) -> None:
    """What runs then ends as at a wake; what waited is the new one's."""
    gate.touch()
    task = await client.setup("llm", USAGE)
    running = await client.infer(task, "tick")
    waiting = await client.infer(task, "pid")
    old = next(each.pid for each in psutil.Process().children())
    gate.unlink()
    other = await clients()

    asked = await other.send(work_id=task, action="setup", object="llm.setup", data=USAGE | {"model": "other"})
    await eventually(lambda: len(psutil.Process().children()) == 2)
    for _ in range(5):
        assert (await client.receive())["data"]["delta"] == "tick "
    gate.touch()
    frames, after = await client.frames(running), await client.frames(waiting)

    assert ends(frames)[0]["data"]["finish_reason"] == "interrupted"
    assert int(text_of(after)) != old
    assert (await other.receive_reply_to(asked, never=""))["error"]["code"] == 0


async def test_links_and_who_listens_stay(client: WireClient, clients: Callable[[], Any]) -> None:
    """Also those that were made by `link`; the new setup may bring more, and its program is told of all."""
    first = await client.setup("kws", KWS_SETUP)
    task = await client.setup("llm", LLM_SETUP)
    await client.ask(work_id=task, action="link", data=first)
    second = await client.setup("kws", KWS_SETUP)

    await change(await clients(), task, input=second)

    info = (await client.ask(work_id=task, action="taskinfo"))["data"]
    assert info["inputs_"] == ["llm.utf-8", first, second]
    assert await client.answer(task, "inputs") == f"llm.utf-8 {first} {second}"


async def test_a_link_that_would_loop_is_left_out(client: WireClient, caplog: pytest.LogCaptureFixture) -> None:
    """As at the first setup; the log says so."""
    task = await client.setup("llm", LLM_SETUP)
    voice = await client.setup(
        "tts", {"model": "unitd-tts", "response_format": "tts.base64", "enoutput": True, "input": task}
    )

    reply = await change(client, task, input=["llm.utf-8", voice])

    assert reply["error"]["code"] == 0
    assert f"nothing it can listen to: '{voice}'" in caplog.text


async def test_what_the_unit_remembers_moves_too(client: WireClient) -> None:
    """The conversation goes on with the other model."""
    task = await client.setup("llm", LLM_SETUP)
    await client.answer(task, "I am Anna")

    await change(client, task)

    assert await client.answer(task, "recall") == "I am Anna"


async def test_a_paused_task_stays_paused(client: WireClient) -> None:
    """What was held ends, what waits is said by the new model after `work`."""
    task = await client.setup("llm", USAGE)
    held = await client.infer(task, "tick")
    await client.receive()
    await client.ask(work_id=task, action="pause")
    asked = await client.infer(task, "one")

    changing = await client.send(work_id=task, action="setup", object="llm.setup", data=USAGE | {"model": "other"})
    frames = await client.frames(held)
    await client.receive_reply_to(changing, never=asked)

    assert frames[-1]["data"]["finish_reason"] == "interrupted"
    assert await state_of(client, task) == "paused"
    await client.send(work_id=task, action="work")
    assert text_of(await client.frames(asked)) == "one"


async def test_a_restart_brings_the_new_setup_back(tmp_path: Path) -> None:
    """The journal has it once the change is acknowledged."""
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        task = await client.setup("llm", LLM_SETUP)
        await change(client, task)

    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        assert await model_of(client, task) == "other"
        assert await client.answer(task, "hello") == "hello"


# What goes wrong


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ({"refuse": "seven is too many"}, -5, "seven is too many"),
        ({"model": "nowhere"}, -5, "there is no llm model 'nowhere'"),
        ({"queue": "long"}, -5, "queue must be a whole number"),
        ({"enoutput": 1}, -5, "enoutput must be true or false"),
    ],
)
async def test_a_setup_that_is_refused_changes_nothing(
    client: WireClient, changes: dict[str, Any], code: int, words: str
) -> None:
    """Not even what is being said; the error is under the task's own work_id."""
    task = await client.setup("llm", USAGE)
    running = await client.infer(task, "tick")
    old = next(each.pid for each in psutil.Process().children())

    reply = await change(client, task, **changes)

    assert (reply["work_id"], reply["error"]["code"]) == (task, code)
    assert words in reply["error"]["message"]
    assert (await client.receive())["request_id"] == running
    assert await model_of(client, task) == LLM_SETUP["model"]
    await eventually(lambda: [each.pid for each in psutil.Process().children()] == [old])


@pytest.mark.parametrize("mode", ["cannot-load", "dies-loading"])
async def test_a_model_that_does_not_load_changes_nothing(client: WireClient, gate: Path) -> None:
    """The reason is the reply; the old one answers."""
    gate.touch()
    task = await client.setup("llm", LLM_SETUP)
    before = await client.answer(task, "pid")
    gate.unlink()

    reply = await change(client, task)

    assert reply["error"]["code"] == -5
    assert "llm/other" in reply["error"]["message"]
    assert await client.answer(task, "pid") == before


@pytest.mark.parametrize("mode", ["gated"])
async def test_a_task_that_ends_meanwhile_has_not_changed(
    client: WireClient, clients: Callable[[], Any], gate: Path
) -> None:
    """Whoever wanted it changed is told at once, and the new model's program leaves."""
    gate.touch()
    task = await client.setup("llm", LLM_SETUP)
    gate.unlink()
    other = await clients()
    asked = await other.send(work_id=task, action="setup", object="llm.setup", data=USAGE | {"model": "other"})
    await eventually(lambda: len(psutil.Process().children()) == 2)

    await client.ask(work_id=task, action="exit")
    reply = await other.receive_reply_to(asked, never="")

    assert reply["error"]["code"] == -10
    assert "was ended while its model changed" in reply["error"]["message"]
    await eventually(lambda: not psutil.Process().children())


@pytest.mark.parametrize("mode", ["gated"])
async def test_a_reset_while_the_new_model_loads_is_told(
    client: WireClient, clients: Callable[[], Any], gate: Path
) -> None:
    """Nobody waits for a program that was stopped: the next setup of the same client is served."""
    gate.touch()
    task = await client.setup("llm", LLM_SETUP)
    gate.unlink()
    other = await clients()
    asked = await other.send(work_id=task, action="setup", object="llm.setup", data=USAGE | {"model": "other"})
    await eventually(lambda: len(psutil.Process().children()) == 2)

    await client.ask(work_id="sys", action="reset")
    reply = await other.receive_reply_to(asked, never="")
    gate.touch()
    after = await other.setup("llm", LLM_SETUP)

    assert reply["error"]["code"] == -10
    assert await other.answer(after, "here I am") == "here I am"


async def test_two_new_setups_come_one_after_the_other(client: WireClient, clients: Callable[[], Any]) -> None:
    """Both are acknowledged, the later one counts."""
    task = await client.setup("llm", LLM_SETUP)
    other = await clients()

    asked = await client.send(work_id=task, action="setup", object="llm.setup", data=USAGE | {"model": "other"})
    later = await change(other, task, model="default")
    first = await client.receive_reply_to(asked, never="")

    assert (first["error"]["code"], later["error"]["code"]) == (0, 0)
    assert await model_of(client, task) == "default"
    await becomes(client, task, "idle")


async def test_a_task_that_is_not_there_is_not_made(client: WireClient) -> None:
    """A number that was another's is not given again."""
    reply = await change(client, "llm.1000")

    assert reply["error"]["code"] == -6


async def test_links_survive_the_crash_of_a_program(client: WireClient) -> None:
    """The next one is told of those that were made by `link`, too."""
    kws = await client.setup("kws", KWS_SETUP)
    task = await client.setup("llm", LLM_SETUP)
    await client.ask(work_id=task, action="link", data=kws)

    await client.frames(await client.infer(task, "abort"))
    await becomes(client, task, "idle")

    assert await client.answer(task, "inputs") == f"llm.utf-8 {kws}"
