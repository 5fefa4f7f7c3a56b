"""Covers unitd.runtime.skills, all but actions: sentences to a whole board, and what it does and keeps."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.children import is_alive
from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, shared_app, tcp_client
from tests.support.home.boards import frames_of, said
from tests.support.waiting import eventually
from unitd.app import App
from unitd.runtime.skills.actions import ActionFailed, Where
from unitd.runtime.skills.kept_values import KeptValues
from unitd.runtime.skills.lists import MOST_ITEMS, MOST_LISTS, ListActions, OwnLists

pytestmark = pytest.mark.timeout(60)

SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}
VOICE = {"model": "unitd-tts", "response_format": "pcm.stream.base64", "enoutput": True}


@pytest.fixture(scope="module")
def module_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One board without a loudspeaker for all who leave it as it was."""
    with shared_app(tmp_path_factory.mktemp("board"), {}, {"intent": SETUP}) as app:
        yield app


@pytest.fixture
def daemon(shared_daemon: App) -> App:
    """That board."""
    return shared_daemon


def with_loudspeaker(folder: Path) -> dict[str, Any]:
    """Return the configuration of a board whose loudspeaker is a file."""
    return {"audio": {"capture": "", "playback": f"file:{folder}/out.wav", "pace": "fast"}}


async def answers(client: WireClient, *sentences: str) -> list[str]:
    """Return what is answered to sentences of one conversation."""
    task = await client.setup("intent", SETUP)
    return [said(await frames_of(client, task, each)) for each in sentences]


async def volume(client: WireClient) -> float:
    """Return the volume that the audio program has; ask until there is one again."""
    while (status := await client.ask(work_id="audio", action="audio_status"))["error"]["code"]:
        pass
    return float(status["data"]["playback"]["volume"])


async def test_volume_and_lists_outlive_program_and_daemon(tmp_path: Path) -> None:
    """A board that was quiet at night is not loud after a power cut; what was told as added is on the disk."""
    async with running_app(tmp_path, with_loudspeaker(tmp_path)) as app, tcp_client(app) as client:
        said_first = await answers(client, "how loud are you", "set the volume to 30 percent", "louder")
        listed_first = await answers(
            client,
            "add milk and eggs to the shopping list",
            "add Milk to the shopping list",
            "add passport to the packing list",
            "tick off eggs",
        )
        first = await volume(client)
        program = next(each for each in psutil.Process().children() if each.cmdline()[-3:-1] == ["units", "audio"])
        os.kill(program.pid, signal.SIGKILL)
        await eventually(lambda: not is_alive(program))
        after_death = await volume(client)
    async with running_app(tmp_path, with_loudspeaker(tmp_path)) as app, tcp_client(app) as client:
        said_later = await answers(client, "how loud are you")
        listed_later = await answers(
            client, "what's on the shopping list", "clear the packing list", "yes", "tick off eggs"
        )
        after_restart = await volume(client)

    assert said_first == [f"The volume is at {percent} percent." for percent in (100, 30, 40)]
    assert said_later == ["The volume is at 40 percent."]
    assert (first, after_death, after_restart) == (0.4, 0.4, 0.4)
    assert listed_first == [
        "I have added milk and eggs to the shopping list.",
        "Milk is on the shopping list already.",
        "I have added passport to the packing list.",
        "I have ticked off eggs on the shopping list.",
    ]
    assert listed_later == [
        "On the shopping list: milk.",
        "Shall I remove the only item from the packing list?",
        "The packing list is empty now.",
        "There is no eggs on your lists.",
    ]


async def test_a_loudspeaker_that_is_missing_is_told_at_the_first_wish(tmp_path: Path) -> None:
    """Nothing is said to be done before the device was tried."""
    audio = {"audio": {"capture": "", "playback": "a device that nobody has"}}
    async with running_app(tmp_path, audio) as app, tcp_client(app) as client:
        told = await answers(client, "mute", "set the volume to 30 percent", "how loud are you")

    assert told == ["I have no loudspeaker here."] * 3


async def test_mute_is_undone_with_the_volume_of_before(tmp_path: Path) -> None:
    """A volume that anybody sets ends it, too."""
    async with running_app(tmp_path, with_loudspeaker(tmp_path)) as app, tcp_client(app) as client:
        muted = await answers(client, "volume 5", "mute", "how loud is it")
        silent = await volume(client)
        back = await answers(client, "unmute")
        await answers(client, "mute")
        await client.ask(work_id="audio", action="setup", data={"playback_volume": 0.7})
        other = await answers(client, "how loud is it")

    assert muted == ["The volume is at 50 percent.", "The sound is off.", "The sound is off; it was at 50 percent."]
    assert silent == 0.0
    assert back == ["The volume is at 50 percent."]
    assert other == ["The volume is at 70 percent."]


async def test_a_board_without_loudspeaker_has_no_volume(client: WireClient) -> None:
    """And answers everything else."""
    told = await answers(client, "louder", "what is your hostname", "how long have you been running")

    assert told[0] == "I have no loudspeaker here."
    assert os.uname().nodename in told[1]
    assert told[2].startswith("I have been running for ")


async def test_a_file_that_is_damaged_or_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The board begins with its usual values; what it cannot keep is not told as done, and the log says why."""
    (tmp_path / "skills.json").write_text('{"volume": 3')

    async with running_app(tmp_path, with_loudspeaker(tmp_path)) as app, tcp_client(app) as client:
        usual = await answers(client, "how loud is it")
        (tmp_path / "skills.json.partial").mkdir()  # stands where the file would be written
        told = await answers(client, "volume 5", "speak slower")

    assert usual == ["The volume is at 100 percent."]
    assert (tmp_path / "skills.damaged").exists()
    assert told == ["I could not change the volume.", "I could not change my speed."]
    assert "skills.json cannot be written" in caplog.text


async def test_the_last_answer_is_said_again_in_its_conversation_only(clients: Callable[[], Any]) -> None:
    """Another one has its own."""
    first = await answers(await clients(), "say that again", "louder", "say that again", "what did you say")
    second = await answers(await clients(), "say that again")

    assert first == ["I have not said anything yet.", *["I have no loudspeaker here."] * 3]
    assert second == ["I have not said anything yet."]


async def test_a_linked_voice_speaks_slower(client: WireClient) -> None:
    """From the answer on that says so; a text that a client has spoken itself keeps its speed."""
    brain = await client.setup("intent", SETUP)
    voice = await client.setup("tts", VOICE | {"input": ["tts.utf-8", brain]})
    usual = await _spoken(client, brain, "louder", voice)
    await _spoken(client, brain, "speak much slower", voice)
    slow = await _spoken(client, brain, "louder", voice)
    own = await _length(client, voice, await client.infer(voice, "I have no loudspeaker here."))
    await _spoken(client, brain, "speak normally", voice)
    again = await _spoken(client, brain, "louder", voice)

    assert slow > usual * 1.2
    assert again == pytest.approx(usual, rel=0.1)
    assert own == pytest.approx(usual, rel=0.1)


async def _spoken(client: WireClient, brain: str, sentence: str, voice: str) -> int:
    """Return how long the answer to a sentence sounds, in characters of base64."""
    await client.infer(brain, sentence)
    return await _length(client, voice)


async def _length(client: WireClient, voice: str, request_id: str = "") -> int:
    length = 0
    while True:
        frame = await client.receive(timeout=20)
        if frame["work_id"] == voice and request_id in ("", frame["request_id"]):
            length += len(frame["data"]["delta"])
            if frame["data"]["finish"]:
                return length


async def test_a_list_has_an_end(tmp_path: Path) -> None:
    """So that nobody fills the board's disk."""
    lists = ListActions(OwnLists(kept := KeptValues(tmp_path / "lists.json")))
    await kept.open()
    here = Where()
    for at in range(0, MOST_ITEMS, 20):
        await lists.actions["list_add"]({"list": "a", "items": [f"thing {at + each}" for each in range(20)]}, here)

    with pytest.raises(ActionFailed):
        await lists.actions["list_add"]({"list": "a", "items": ["one more"]}, here)
    with pytest.raises(ActionFailed):
        await lists.actions["list_add"]({"list": "b", "items": ["x" * 201]}, here)
    for at in range(MOST_LISTS - 1):
        await lists.actions["list_add"]({"list": f"list {at}", "items": ["x"]}, here)
    with pytest.raises(ActionFailed):
        await lists.actions["list_add"]({"list": "new", "items": ["x"]}, here)
    read = await lists.actions["list_read"]({"list": "a"}, here)

    assert len(read.data["items"]) == MOST_ITEMS


async def test_of_many_changes_at_the_same_time_none_is_lost(tmp_path: Path) -> None:
    """What two people add at once is on the list, and on the disk."""
    lists = ListActions(OwnLists(KeptValues(tmp_path / "lists.json")))
    add = lists.actions["list_add"]

    await asyncio.gather(*[add({"list": "a", "items": [f"thing {at}"]}, Where()) for at in range(20)])
    await (later := KeptValues(tmp_path / "lists.json")).open()

    assert sorted(later["lists"]["a"]) == sorted(f"thing {at}" for at in range(20))
