"""Covers unitd.runtime.models.downloads: one program for each model, whoever follows it, and how it ends."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import orjson
import pytest

from tests.support.programs import pulling
from tests.support.waiting import eventually
from unitd.core.models.progress import Progress
from unitd.runtime.models.downloads import (
    AT_ONCE,
    STOPPED,
    Download,
    Downloads,
    folder_for,
)
from unitd.wire.errors import Unavailable

DONE = '{"state": "done", "place": "/models/qwen"}\nexit 0'
Say = Callable[..., None]


@pytest.fixture
async def downloads(tmp_path: Path) -> AsyncIterator[Downloads]:
    """Pulls by a program that says what the test wants."""
    downloads = Downloads((sys.executable, pulling.__file__, str(tmp_path)), tmp_path / "cards")
    async with asyncio.TaskGroup() as group:
        downloads.open(group)
        yield downloads
        await downloads.stop()


@pytest.fixture
def say(tmp_path: Path) -> Say:
    """Makes the program print these lines."""

    def write(*lines: str) -> None:
        with (tmp_path / "lines").open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    return write


def orders(folder: Path) -> list[dict[str, str]]:
    """What the programs were told, as far as they have started."""
    file = folder / "orders"
    return [orjson.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def fetching(count: int) -> str:
    """A line that says so many bytes."""
    return f'{{"state": "fetching", "file": "x.gguf", "bytes": {count}, "total": 1000}}'


async def states(pull: Download) -> list[Progress]:
    """Everything that a follower is told."""
    return [progress async for progress in pull.follow()]


# The happy day


async def test_a_follower_is_told_how_far_it_is_until_the_end(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """The program gets its order, its lines become states, and then nothing is under way."""
    pull = downloads.start("qwen", tmp_path / "models")
    following = asyncio.create_task(states(pull))

    say(fetching(10))
    await eventually(lambda: downloads.under_way["qwen"].bytes == 10)
    say(DONE)
    told = await following

    assert orders(tmp_path) == [{"name": "qwen", "folder": str(tmp_path / "models"), "cards": str(tmp_path / "cards")}]
    assert [progress.state for progress in told] == ["waiting", "fetching", "done"]
    assert told[-1] == Progress("done", "x.gguf", 10, 1000, place="/models/qwen")
    assert not downloads.under_way


async def test_who_asks_for_what_is_on_its_way_follows_the_same_program(
    downloads: Downloads, say: Say, tmp_path: Path
) -> None:
    """Two pulls of one model are one; both are told its end."""
    both = [asyncio.create_task(states(downloads.start("qwen", tmp_path))) for _ in range(2)]

    say(DONE)
    told = [(await each)[-1].state for each in both]

    assert told == ["done", "done"]
    assert len(orders(tmp_path)) == 1


async def test_a_pull_after_the_end_is_a_new_one(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """What was fetched once may be damaged by now."""
    say(DONE)

    await states(downloads.start("qwen", tmp_path))
    await states(downloads.start("qwen", tmp_path))

    assert len(orders(tmp_path)) == 2


async def test_a_pull_goes_on_when_its_follower_leaves(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """Who asks again later finds it further."""
    leaving = asyncio.create_task(states(downloads.start("qwen", tmp_path)))
    await eventually(lambda: bool(orders(tmp_path)))

    leaving.cancel()
    say(fetching(500))
    await eventually(lambda: downloads.under_way["qwen"].bytes == 500)
    say(DONE)

    assert (await states(downloads.start("qwen", tmp_path)))[-1].state == "done"
    assert len(orders(tmp_path)) == 1


# The limits


async def test_a_slow_follower_is_told_the_newest_and_the_last(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """A burst that came while it was busy is one state to it."""
    pull = downloads.start("qwen", tmp_path)
    follower = pull.follow()
    first = await anext(follower)

    say(*(fetching(count) for count in range(1, 301)))
    await eventually(lambda: pull.progress.bytes == 300)
    second = await anext(follower)
    say(DONE)
    await eventually(lambda: pull.progress.is_last)
    rest = [progress async for progress in follower]

    assert (first.state, second.bytes) == ("waiting", 300)
    assert [progress.state for progress in rest] == ["done"]


async def test_only_so_many_are_fetched_at_once(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """One more waits until one has ended, and says so."""
    names = [f"model-{number}" for number in range(AT_ONCE + 1)]
    all_pulls = [asyncio.create_task(states(downloads.start(name, tmp_path))) for name in names]
    await eventually(lambda: len(orders(tmp_path)) == AT_ONCE)
    assert downloads.under_way[names[-1]].state == "waiting"

    say(DONE)
    ends = [told[-1].state for told in await asyncio.gather(*all_pulls)]

    assert ends == ["done"] * len(names)
    assert [order["name"] for order in orders(tmp_path)][-1] == names[-1]


# The damage


async def test_a_failure_has_the_programs_own_words(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """Its sentence is the last thing that is told."""
    say('{"state": "failed", "reason": "the disk is full"}', "exit 1")

    last = (await states(downloads.start("qwen", tmp_path)))[-1]

    assert (last.state, str(last)) == ("failed", "the disk is full")


async def test_a_program_that_dies_without_a_word_is_a_failure(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """The last line of its stderr tells why."""
    say("stderr Traceback", "stderr MemoryError", "exit 3")

    last = (await states(downloads.start("qwen", tmp_path)))[-1]

    assert last.state == "failed"
    assert last.reason == "the program that pulls ended with status 3: MemoryError"


async def test_what_a_library_prints_is_passed_over(downloads: Downloads, say: Say, tmp_path: Path) -> None:
    """No JSON, JSON that says no state, and a line without end."""
    say("hello", "[1]", "{}", "x" * 1_000_000, fetching(7), DONE)

    last = (await states(downloads.start("qwen", tmp_path)))[-1]

    assert (last.state, last.bytes) == ("done", 7)


async def test_a_program_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    """The daemon goes on."""
    downloads = Downloads(("/no/such/program",), tmp_path)
    async with asyncio.TaskGroup() as group:
        downloads.open(group)

        last = (await states(downloads.start("qwen", tmp_path)))[-1]

    assert last == Progress("failed", reason="the program that pulls could not be started: No such file or directory")


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        (("there", "new"), "there"),
        (("new", "there"), "there"),
        (("new", "newer"), "new"),
        (("file/below", "new"), "new"),
    ],
)
def test_a_new_model_goes_to_the_first_folder_that_can_be_written(
    tmp_path: Path, folders: tuple[str, ...], expected: str
) -> None:
    """One that is there comes before one that would have to be made."""
    (tmp_path / "there").mkdir()
    (tmp_path / "file").touch()

    assert folder_for([tmp_path / name for name in folders]) == tmp_path / expected


def test_without_a_folder_nothing_can_be_pulled(tmp_path: Path) -> None:
    """The sentence names what was tried."""
    (tmp_path / "file").touch()

    with pytest.raises(Unavailable, match=r"no models folder can be written .* /.*/file"):
        folder_for([tmp_path / "file"])


# The goodbye


async def test_stopping_ends_the_program_and_tells_its_followers(
    downloads: Downloads, say: Say, tmp_path: Path
) -> None:
    """No child is left, which the fixture of all tests looks for."""
    following = asyncio.create_task(states(downloads.start("qwen", tmp_path)))
    say(fetching(500))
    await eventually(lambda: bool(downloads.under_way) and downloads.under_way["qwen"].bytes == 500)

    await downloads.stop()

    assert (await following)[-1] == Progress("failed", reason=STOPPED)
    assert not downloads.under_way
