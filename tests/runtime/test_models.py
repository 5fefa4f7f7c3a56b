"""Covers models, inventory, measuring: what there is and what suits the board, from a name to an answering unit."""

import fcntl
import logging
import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.clients.wire_client import WireClient, ask_sys
from tests.support.daemon import running_app, tcp_client
from tests.support.models.model_files import HEADER_BYTES
from tests.support.models.small_model import CONTENT, FETCHED, HALF, board, held_at_half, small_catalogue, small_hub
from tests.support.servers.local_hub import BLOCK, HubFile, LocalHub
from tests.support.setups import LLM_SETUP
from tests.support.waiting import eventually
from unitd.app import App, unit_argv
from unitd.core.access.grants import Grant, Role, check_request
from unitd.core.config.schema import LlmSettings
from unitd.core.models.catalog import Card, ModelFile
from unitd.core.models.forecast import Pace, Speed
from unitd.core.models.progress import INCOMING
from unitd.runtime.models.downloads import CANCELLED, STOPPED
from unitd.runtime.models.inventory import Inventory
from unitd.runtime.models.measuring import prospect_of
from unitd.runtime.sys.models import WHOLE
from unitd.settings import find_program_folders
from unitd.wire.errors import NotAllowed
from unitd.wire.messages import Request

pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """Has the small model."""
    with small_hub(monkeypatch) as hub:
        yield hub


@pytest.fixture
async def daemon(
    tmp_path: Path, hub: LocalHub, no_blocking: None, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[App]:
    """The daemon beside the hub."""
    caplog.set_level(logging.INFO)
    async with board(tmp_path) as app:
        yield app


async def rows(client: WireClient) -> dict[str, dict[str, Any]]:
    """What lsmode lists, by name."""
    return {row["mode"]: row for row in (await ask_sys(client, "lsmode", data=WHOLE))["data"]}


async def hold_at_half(hub: LocalHub, client: WireClient, name: str = "small") -> str:
    """Asks for the model of a hub that stops in the middle; returns the request_id when it has come so far."""
    hub.holds_at = HALF
    request_id = await client.send(work_id="sys", action="pull_model", data=name)
    while not (await client.receive())["data"]["bytes"]:
        pass
    await held_at_half(hub)
    return request_id


# The happy day


async def test_a_pulled_model_answers_to_all_of_its_names(client: WireClient, tmp_path: Path) -> None:
    """From a name that nobody serves to a running unit, without a restart."""
    before = (await rows(client))["small"]

    frames = await client.frames(await client.send(work_id="sys", action="pull_model", data="small-from-the-original"))

    assert (before["installed"], before["model"]) == (False, "unitd-chat")
    assert frames[-1]["object"] == "sys.pull_model.stream"
    assert frames[-1]["data"]["state"] == "done"
    assert [frame["data"]["index"] for frame in frames] == list(range(len(frames)))
    assert [frame["data"]["finish"] for frame in frames] == [False] * (len(frames) - 1) + [True]
    assert (tmp_path / "models" / "small" / "small.gguf").read_bytes() == CONTENT
    assert {(await rows(client))[name]["model"] for name in ("small", "small-too")} == {"small"}
    assert await client.setup("llm", LLM_SETUP, model="small-too") == "llm.1000"


async def test_ten_cuts_later_a_real_model_answers(tmp_path: Path, hub: LocalHub) -> None:
    """From an empty board to an answer: each byte is fetched once, and every alias is served by what came."""
    file = find_program_folders().bundled_models / "unitd-chat" / "unitd-chat.gguf"
    content = file.read_bytes()
    hub.files["me/model/small.gguf"] = HubFile(content)
    hub.cuts = [random.Random(8).randrange(BLOCK, len(content) // 10) for _ in range(10)]
    cards = small_catalogue(tmp_path, size=len(content))
    async with board(tmp_path, cards=cards, argv_for=unit_argv) as app, tcp_client(app) as client:
        frames = await client.frames(await client.send(work_id="sys", action="pull_model", data="small-too"))
        names = ("small", "small-too", "small-from-the-original")
        tasks = [await client.setup("llm", LLM_SETUP, model=name) for name in names]
        answers = {await client.answer(task, "turn on the kitchen light") for task in tasks}

    assert frames[-1]["data"]["state"] == "done"
    assert (tmp_path / "models" / "small" / "small.gguf").read_bytes() == content
    assert hub.sent <= len(content) + 10 * BLOCK
    assert len(hub.gets(FETCHED)) == 11
    assert answers == {"Turning on the kitchen light."}


async def test_frames_tell_people_and_programs_how_far_it_is(client: WireClient, hub: LocalHub) -> None:
    """Numbers for a bar, and the same in words."""
    request_id = await hold_at_half(hub, client)
    row = (await rows(client))["small"]
    hub.released.set()
    last = (await client.frames(request_id))[-1]["data"]

    assert (row["download"]["state"], row["download"]["file"]) == ("fetching", "small.gguf")
    assert 0 < row["download"]["bytes"] <= HALF < row["download"]["total"] == len(CONTENT)
    assert set(row["download"]) == {"state", "file", "bytes", "total", "bytes_per_s", "seconds_left"}
    assert last["delta"].startswith("installed; not verified, for the catalogue has no hash: small.gguf ")
    assert last["bytes"] == len(CONTENT)
    assert "download" not in (await rows(client))["small"]


async def test_a_pull_holds_nothing_up(client: WireClient, hub: LocalHub) -> None:
    """The same client sets a task up and is answered; the program is in no hurry."""
    request_id = await hold_at_half(hub, client)
    [program] = psutil.Process().children()

    task = await client.setup("llm", LLM_SETUP, model="unitd-chat")
    answer = await client.answer(task, "hello there")
    niceness = program.nice() - psutil.Process().nice()
    hub.released.set()

    assert niceness == 10
    assert answer.strip() == "hello there"
    assert (await client.frames(request_id))[-1]["data"]["state"] == "done"


async def test_two_pulls_of_one_model_are_one(client: WireClient, daemon: App, hub: LocalHub) -> None:
    """By different names and from different clients; both are told the end, and it is fetched once."""
    first = await hold_at_half(hub, client)
    async with tcp_client(daemon) as other:
        second = await other.send(work_id="sys", action="pull_model", data={"model": "small-too"})
        assert (await other.receive())["data"]["bytes"] > 0

        hub.released.set()
        ends = [(await client.frames(first))[-1], (await other.frames(second))[-1]]

    assert [end["data"]["state"] for end in ends] == ["done", "done"]
    assert len(hub.gets(FETCHED)) == 1


async def test_a_pull_goes_on_without_its_client(client: WireClient, daemon: App, hub: LocalHub) -> None:
    """Who asks later finds the model there."""
    await hold_at_half(hub, client)

    await client.close()
    hub.released.set()

    async with tcp_client(daemon) as other:
        request_id = await other.send(work_id="sys", action="pull_model", data="small")
        assert (await other.frames(request_id))[-1]["data"]["state"] == "done"
        assert (await rows(other))["small"]["installed"]
    assert len(hub.gets(FETCHED)) == 1


async def test_what_was_pulled_can_be_removed(client: WireClient, tmp_path: Path) -> None:
    """Then the bundled model answers again."""
    await client.frames(await client.send(work_id="sys", action="pull_model", data="small"))

    removed = await ask_sys(client, "rmmode", data="small")

    assert removed["error"]["code"] == 0
    assert (await rows(client))["small"]["model"] == "unitd-chat"
    assert not (tmp_path / "models" / "small").exists()


# What models weigh


async def test_lsmode_tells_what_a_model_weighs_and_whether_it_fits(tmp_path: Path) -> None:
    """What is here by its file, what is to come by its card; an alias is no model of its own."""
    large = small_catalogue(tmp_path, size=10**15)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine.gguf").write_bytes(CONTENT)
    async with board(tmp_path, cards=large) as app, tcp_client(app) as client:
        listed = await rows(client)

    figures = {name: (listed[name]["size"], listed[name]["fits"]) for name in ("mine", "small", "elsewhere")}
    assert figures == {"mine": (len(CONTENT), True), "small": (10**15, False), "elsewhere": (0, None)}
    assert listed["unitd-chat"]["bundled"]
    assert listed["unitd-chat"]["size"] > 1_000_000
    assert not {"size", "fits", "bundled"} & set(listed["small-too"])


async def test_a_pull_can_be_given_up(client: WireClient, hub: LocalHub, tmp_path: Path) -> None:
    """Removing a model that is on its way ends that for everybody, and nothing of it stays."""
    asked = await hold_at_half(hub, client)

    removed = await client.send(work_id="sys", action="rmmode", data="small-too")
    errors: dict[str, Any] = {}
    while len(errors) < 2:
        frame = await client.receive()
        if frame["request_id"] == removed or frame["error"]["code"]:
            errors[frame["request_id"]] = frame["error"]
    hub.released.set()

    assert errors[removed]["code"] == 0
    assert CANCELLED in errors[asked]["message"]
    assert not (tmp_path / "models" / INCOMING / "small").exists()
    assert not (await rows(client))["small"]["installed"]


async def test_what_a_cut_pull_left_can_be_removed(client: WireClient, tmp_path: Path) -> None:
    """But not under the hands of another program that goes on with it."""
    incoming = tmp_path / "models" / INCOMING
    (incoming / "small" / "partial").mkdir(parents=True)
    with (incoming / "small.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        meanwhile = await ask_sys(client, "rmmode", data="small")
    afterwards = [await ask_sys(client, "rmmode", data="small") for _ in range(2)]

    assert "by another program" in meanwhile["error"]["message"]
    assert [each["error"]["code"] for each in (meanwhile, *afterwards)] == [-10, 0, -17]


# The damage


async def test_a_failed_pull_is_an_error_with_the_reason(client: WireClient, hub: LocalHub) -> None:
    """The last frame is the error; nothing is installed, and the next pull may succeed."""
    content = hub.files.pop("me/model/small.gguf")
    frames = await client.frames(await client.send(work_id="sys", action="pull_model", data="small"))
    hub.files["me/model/small.gguf"] = content
    again = await client.frames(await client.send(work_id="sys", action="pull_model", data="small"))

    assert frames[-1]["error"]["code"] == -10
    assert "me/model" in frames[-1]["error"]["message"]
    assert again[-1]["data"]["state"] == "done"


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        ("no-such-model", -17, "there is no model no-such-model to pull"),
        ("unitd-chat", -10, "unitd-chat came with unitd"),
        ("elsewhere", -10, "it is not known where the files of elsewhere are"),
        ("", -2, "data must be the name of a model"),
        (None, -2, "data must be the name of a model"),
        ({"name": "small"}, -2, "data must be the name of a model"),
    ],
)
async def test_what_cannot_be_pulled_is_refused(client: WireClient, data: Any, code: int, words: str) -> None:
    """With a plain error reply, before anything is started."""
    reply = await ask_sys(client, "pull_model", data=data)

    assert reply["error"]["code"] == code
    assert words in reply["error"]["message"]


@pytest.mark.parametrize("action", ["pull_model", "rmmode", "suggest_model"])
@pytest.mark.parametrize("role", [Role.OBSERVE, Role.USE])
def test_only_an_administrator_changes_the_models(action: str, role: Role) -> None:
    """The others see what there is."""
    grant = Grant("kitchen", role)

    check_request(grant, Request("1", "sys", "lsmode"))
    with pytest.raises(NotAllowed):
        check_request(grant, Request("1", "sys", action, data="small"))


# What suits this board


async def test_the_suggested_model_is_the_most_able_that_fits(tmp_path: Path) -> None:
    """With 300 MiB for models none of the larger ones; how it will answer comes with its name."""
    document = {"limits": {"memory": "300M"}, "llm": {"threads": 1}}
    async with running_app(tmp_path, document) as app, tcp_client(app) as client:
        suggested = await ask_sys(client, "suggest_model")

    assert (suggested["object"], suggested["data"]["model"]) == ("sys.suggest_model", "unitd-chat")
    assert suggested["data"]["tokens_per_s"] > 1
    assert suggested["data"]["first_token_s"] > 0


async def test_a_measurement_holds_nothing_up(tmp_path: Path) -> None:
    """Neither the next request of the client nor the stop of the daemon waits for it."""
    async with running_app(tmp_path, {"llm": {"threads": 1}}) as app, tcp_client(app) as client:
        await client.send(work_id="sys", action="suggest_model")
        await eventually(lambda: bool(psutil.Process().children()))

        listing = await client.send(work_id="sys", action="lsmode")

        assert (await client.receive())["request_id"] == listing


# The goodbye


async def test_the_daemons_stop_ends_a_pull_and_the_next_one_goes_on_from_there(tmp_path: Path, hub: LocalHub) -> None:
    """Who follows it is told; after a start only what is missing is fetched."""
    async with board(tmp_path) as app, tcp_client(app) as client:
        request_id = await hold_at_half(hub, client)
        app.stop()
        end = (await client.frames(request_id))[-1]
    hub.released.set()
    async with board(tmp_path) as app, tcp_client(app) as client:
        again = await client.frames(await client.send(work_id="sys", action="pull_model", data="small"))

    assert end["error"]["message"] == f"Not available at the moment. {STOPPED}"
    assert again[-1]["data"]["state"] == "done"
    gets = [seen.first for seen in hub.gets(FETCHED)]
    assert gets[0] == 0
    assert HEADER_BYTES < gets[1] <= HALF


async def test_a_projector_does_not_slow_an_answer_down(tmp_path: Path) -> None:
    """The bytes of a projector and its adapter are read for a picture, not for a token, before and after a download."""
    pace = Pace(byte_s=1e-9, weight_s=1e-9)
    speed = Speed(token_s=0.0, small=pace, large=pace, small_below=0)
    parts = (ModelFile("x.gguf", "me/model", size=1000), ModelFile("mmproj.gguf", "me/model", size=600))
    to_come = Card("x", "llm", "llama", parts=parts, projector="mmproj.gguf")
    for name, size in (("x", 1000), ("mmproj", 500), ("lora", 100)):
        (tmp_path / f"{name}.gguf").write_bytes(bytes(size))
    here = Card("x", "llm", "llama", path=tmp_path / "x.gguf", projector_path=tmp_path / "mmproj.gguf")
    here = replace(here, place=tmp_path, vision_lora_path=tmp_path / "lora.gguf")
    bundled = replace(here, is_bundled=True)

    infos = await Inventory(LlmSettings(), lambda: 1).take([to_come, here, bundled])
    forecasts = [prospect_of(info, speed).forecast for info in infos]

    assert [each and each.tokens_per_s for each in forecasts] == [pytest.approx(1e6)] * 3
