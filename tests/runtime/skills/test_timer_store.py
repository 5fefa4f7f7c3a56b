"""Covers unitd.runtime.skills.timer_store, timer_table, clocks: what is kept, and what the next daemon makes of it."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.timer_board import START, TimerBoard
from tests.support.waiting import eventually
from unitd.core.outcomes import SkillReason
from unitd.runtime.skills import timer_store
from unitd.runtime.skills.actions import ActionFailed

Boards = Callable[..., TimerBoard]


async def test_a_timer_survives_the_daemon(boards: Boards) -> None:
    """On the same boot its time went on, whatever the clock on the wall says."""
    board = boards()
    number = await board.start(600, name="pizza")
    await board.die()

    (row,) = await (following := boards(boot=1100, wall=START - 50_000)).rows()

    assert (row["id"], row["name"], row["left"]) == (number, "pizza", 500)
    assert await following.start(1) == number + 1


async def test_a_timer_survives_a_reboot(boards: Boards, boot_id: Path) -> None:
    """By the clock on the wall."""
    board = boards()
    await board.start(600)
    await board.die()
    boot_id.write_text("boot 2\n")

    (row,) = await boards(boot=20, wall=START + 200).rows()

    assert row["left"] == pytest.approx(400)


async def test_a_clock_that_was_set_is_known_after_a_reboot(boards: Boards, boot_id: Path) -> None:
    """The board started in the wrong year, learnt the time, and lost its power."""
    board = boards(wall=1000.0)
    await board.start(600)
    board.pass_time(100, jump=START - 1000)
    await board.start(10_000)  # answered after the file has the new time
    await board.die()
    boot_id.write_text("boot 2\n")

    rows = await boards(boot=20, wall=START + 300).rows()

    assert rows[0]["left"] == pytest.approx(300)


async def test_what_passed_while_the_daemon_was_away_rings_and_says_so(boards: Boards) -> None:
    """Also a hundredth of a second, which counts as a tenth."""
    board = boards()
    await board.start(600)
    await board.start(900)
    await board.die()

    late = boards(boot=1900.01)
    rows = await late.rows()

    assert [(row["state"], row["missed"]) for row in rows] == [("ringing", 300), ("ringing", 0.1)]
    await eventually(lambda: late.loudspeaker.rings == [0])


async def test_what_rang_when_the_daemon_ended_rings_again_and_says_so(boards: Boards) -> None:
    """Nobody had stopped it; after a stop it is over."""
    board = boards()
    await board.start(0)
    await eventually(lambda: board.told()[-1] == ("ringing", 1))
    await board.start(600)  # the ring is in the file now
    await board.die()

    following = boards(boot=1001)
    row = (await following.rows())[0]
    await following.act("timer_stop")
    await following.die()
    after = await boards(boot=1002).rows()

    assert (row["state"], row["again"]) == ("ringing", True)
    assert [each["id"] for each in after] == [2]


async def test_a_command_whose_end_is_not_known_is_done_once_more(boards: Boards, tmp_path: Path) -> None:
    """And not for ever: it may be what ends the daemon."""
    row = {"id": 1, "kind": "timer", "created": START, "command": "turn off the fan", "state": "ringing", "end": START}
    file = {"boot_id": "boot 0", "offset": 0.0, "next_id": 2, "timers": [row]}
    path = tmp_path / "timers.json"
    path.write_bytes(orjson.dumps(file))
    board = boards()
    await eventually(lambda: board.told() == [("stopped", 1)] and not orjson.loads(path.read_bytes())["timers"])
    await board.die()
    path.write_bytes(orjson.dumps(file | {"timers": [row | {"repeats": 1}]}))

    following = boards()
    await eventually(lambda: following.told() == [("missed", 1)])

    assert [text for text, _ in board.done] == ["turn off the fan"]
    assert following.done == []


async def test_a_start_that_cannot_be_kept_is_refused(
    board: TimerBoard, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is left of it; what was there goes on, and what ends has ended."""
    first, second = await board.start(600), await board.start(700)
    monkeypatch.setattr(timer_store, "replace_file", no_space)
    with pytest.raises(ActionFailed) as failure:
        await board.start(60)
    with pytest.raises(ActionFailed):
        await board.act("timer_change", id=first, add_seconds=60)
    await board.act("timer_cancel", id=second)

    assert failure.value.reason is SkillReason.NOT_SAVED
    assert [(row["id"], row["left"]) for row in await board.rows()] == [(first, 600)]
    assert "after a restart the timers are as they were saved last" in caplog.text


@pytest.mark.parametrize("content", [b"", b"{", b"7", b"[]", b'{"timers": 1}'])
async def test_a_damaged_file_is_set_aside(
    boards: Boards, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """New timers work, and the log says what was lost."""
    caplog.set_level(logging.ERROR)
    (tmp_path / "timers.json").write_bytes(content)

    board = boards()
    await board.start(1)

    assert "its timers are lost" in caplog.text
    assert (tmp_path / "timers.damaged").read_bytes() == content


async def test_a_damaged_timer_is_lost_alone(boards: Boards, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Keys of a later release are passed over."""
    board = boards()
    await board.start(600)
    await board.die()
    file = orjson.loads((tmp_path / "timers.json").read_bytes())
    file["timers"][0]["colour"] = "red"
    file["timers"] += [file["timers"][0] | {"id": 2, "end": "soon"}, {"id": 3}, 7]
    (tmp_path / "timers.json").write_bytes(orjson.dumps(file))

    (row,) = await boards().rows()

    assert row["id"] == 1
    assert "3 timers cannot be read and are lost" in caplog.text


async def test_the_delayed_commands_of_the_release_before_are_taken_over_once(boards: Boards, tmp_path: Path) -> None:
    """Also when the power fails before their old file is gone."""
    old = orjson.dumps([{"due": START + 300, "text": "turn off the fan", "setup": {"area": "kitchen"}}])
    (tmp_path / "delayed.json").write_bytes(old)
    first = await (board := boards()).rows()
    is_gone = not (tmp_path / "delayed.json").exists()
    await board.die()
    (tmp_path / "delayed.json").write_bytes(old)

    again = boards()
    second = await again.rows()
    again.pass_time(300)
    await eventually(lambda: len(again.done) == 1)

    assert is_gone and not (tmp_path / "delayed.json").exists()
    assert [(row["command"], row["left"]) for row in first] == [("turn off the fan", 300)]
    assert second == first
    assert again.done == [("turn off the fan", {"area": "kitchen"})]


async def test_old_commands_that_cannot_be_read_are_said_in_the_log(
    boards: Boards, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They hold nothing up."""
    (tmp_path / "delayed.json").write_bytes(b'[{"due": 1}]')

    assert await boards().rows() == []

    assert "left undone" in caplog.text


async def test_old_commands_wait_for_a_disk_that_takes_them(
    boards: Boards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The timers that are there do not suffer from it; the next start takes the commands over."""
    board = boards()
    await board.start(600, name="pizza")
    await board.die()
    (tmp_path / "delayed.json").write_bytes(orjson.dumps([{"due": START + 300, "text": "turn on", "setup": {}}]))

    with monkeypatch.context() as full:
        full.setattr(timer_store, "replace_file", no_space)
        (pizza,) = await (second := boards()).rows()
        await second.die()
    rows = await boards().rows()

    assert pizza["name"] == "pizza"
    assert "cannot be taken over now" in caplog.text
    assert [row["command"] for row in rows] == ["turn on", ""]


def no_space(*_: Any) -> None:
    """Refuse to write."""
    raise OSError(28, "No space left on device")
