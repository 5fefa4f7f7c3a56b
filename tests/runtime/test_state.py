"""Covers unitd.runtime.state_dir: the counter, the endpoints file, and disks that fail."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from blockbuster import blockbuster_ctx

from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.setups import LLM_SETUP
from unitd.runtime.state_dir import StateDir
from unitd.wire.errors import ConfigError

ADDRESS = {"tcp": ["127.0.0.1", 4711]}


@pytest.fixture(autouse=True)
def no_blocking() -> Iterator[None]:
    """A blocking call of the daemon fails the test; the test itself may touch files."""
    with blockbuster_ctx(["unitd.app", "unitd.runtime.dispatcher", "unitd.runtime.tasks.actions"]):
        yield


@pytest.fixture
def state(tmp_path: Path) -> StateDir:
    """An opened state directory."""
    state = StateDir(tmp_path / "state")
    state.open()
    return state


async def first_work_id(folder: Path) -> str:
    """The work_id that a daemon on this folder gives first."""
    async with running_app(folder, argv_for=bad_unit()) as app, tcp_client(app) as client:
        return await client.setup("llm", LLM_SETUP)


async def test_numbers_begin_at_1000(tmp_path: Path) -> None:
    """A new daemon counts from where the original does."""
    assert await first_work_id(tmp_path) == "llm.1000"


async def test_numbers_go_on_after_a_restart(tmp_path: Path) -> None:
    """No work_id is ever given twice."""
    await first_work_id(tmp_path)

    assert await first_work_id(tmp_path) == "llm.1001"


async def test_failed_setup_uses_its_number_up(tmp_path: Path) -> None:
    """A number that an error may have named is not given again, neither now nor after a restart."""
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"refuse": "no"})

    assert await first_work_id(tmp_path) == "llm.1001"


@pytest.mark.parametrize("content", [b"", b"no number", b"\xff\xfe", b"10.5"])
async def test_damaged_counter_is_set_aside(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """The daemon starts anyway, keeps the damaged file for a look, and says so."""
    (tmp_path / "counter").write_bytes(content)

    assert await first_work_id(tmp_path) == "llm.1000"

    assert (tmp_path / "counter.damaged").read_bytes() == content
    assert "was damaged" in caplog.text


async def test_counter_below_1000_counts_from_1000(tmp_path: Path) -> None:
    """Small and negative numbers were never ours."""
    (tmp_path / "counter").write_text("-5")

    assert await first_work_id(tmp_path) == "llm.1000"


async def test_late_save_does_not_turn_the_counter_back(state: StateDir) -> None:
    """Two setups may finish in any order; the higher number stays."""
    await state.save(1005)
    await state.save(1002)

    state.close()
    assert StateDir(state.folder).open() == 1005


async def test_full_disk_stops_no_setup(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A counter that cannot be written is an error in the log, not in the answer."""
    (tmp_path / "counter.partial").symlink_to("/dev/full")

    assert await first_work_id(tmp_path) == "llm.1000"

    assert "cannot be saved: [Errno 28]" in caplog.text


async def test_full_disk_stops_no_daemon(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Endpoints that cannot be written are an error in the log; clients are served."""
    caplog.set_level(logging.INFO)
    (tmp_path / "endpoints.json.partial").symlink_to("/dev/full")

    assert await first_work_id(tmp_path) == "llm.1000"

    assert "No space left on device" in caplog.text


async def test_counter_is_saved_again_when_the_disk_has_room(state: StateDir) -> None:
    """A failed save is made up for by the next one."""
    obstacle = state.folder / "counter.partial"
    obstacle.mkdir()
    await state.save(1003)
    obstacle.rmdir()

    await state.save(1003)

    state.close()
    assert StateDir(state.folder).open() == 1003


async def test_directory_that_cannot_be_made_is_a_configuration_error(tmp_path: Path) -> None:
    """The reason names the key and the folder."""
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match=r"state\.dir.*file/state"):
        StateDir(tmp_path / "file" / "state").open()


async def test_counter_that_cannot_be_read_is_a_configuration_error(tmp_path: Path) -> None:
    """A daemon that forgot its numbers would give them again."""
    (tmp_path / "counter").mkdir()

    with pytest.raises(ConfigError, match=r"state\.dir"):
        StateDir(tmp_path).open()


async def test_endpoints_are_replaced_never_rewritten(state: StateDir) -> None:
    """Who has the old file open reads the old file to its end."""
    await state.write_endpoints({"unix": "/old"})
    path = state.folder / "endpoints.json"
    with path.open("rb") as opened:
        await state.write_endpoints(ADDRESS)

        assert orjson.loads(opened.read()) == {"unix": "/old"}
    assert orjson.loads(path.read_bytes()) == ADDRESS
    assert sorted(each.name for each in state.folder.iterdir()) == ["endpoints.json", "files", "lock"]


async def test_endpoints_of_a_daemon_that_was_killed_are_forgotten(state: StateDir) -> None:
    """Nobody is sent to a port where nobody listens."""
    await state.write_endpoints(ADDRESS)

    state.close()
    StateDir(state.folder).open()

    assert not (state.folder / "endpoints.json").exists()


async def test_endpoints_are_removed_twice_without_harm(state: StateDir) -> None:
    """Stopping is safe to repeat."""
    await state.write_endpoints(ADDRESS)

    await state.remove_endpoints()
    await state.remove_endpoints()

    assert not (state.folder / "endpoints.json").exists()


# Who may read it


@pytest.fixture(params=[0o000, 0o022], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """A daemon may be started with any umask."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


async def test_prompts_on_the_disk_are_for_the_daemon_alone(tmp_path: Path, umask: int) -> None:
    """The journal holds prompts and conversations, and so do the files that SQLite keeps beside it."""
    folder = tmp_path / "state"
    async with running_app(folder, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await client.setup("llm", LLM_SETUP)

        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("journal.sqlite*")} == {0o600}


async def test_journal_of_an_earlier_release_is_closed_to_others(tmp_path: Path) -> None:
    """It was readable for everybody; a directory that was there keeps its mode, which an administrator may have set."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    await first_work_id(folder)
    (folder / "journal.sqlite").chmod(0o644)

    await first_work_id(folder)

    assert stat.S_IMODE((folder / "journal.sqlite").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
