"""Covers unitd.doors.http.turnchat.recording."""

import os
import stat
from pathlib import Path

import orjson
import pytest

from unitd.doors.http.turnchat import recording
from unitd.doors.http.turnchat.recording import RecordedChats

REQUEST = '{"messages": [{"role": "user", "content": "Hello!"}]}'
ANSWER = {"type": "done", "text": "Hi."}


@pytest.fixture
def sessions(tmp_path: Path) -> RecordedChats:
    """An empty folder, at a fixed time."""
    return RecordedChats(tmp_path / "sessions", lambda: 1_700_000_000.5)


def kept(sessions: RecordedChats) -> str:
    """One more session; returns its id."""
    session_id: str = sessions.keep(REQUEST, ANSWER)["recording_session_id"]
    return session_id


def kept_at(sessions: RecordedChats, folder: Path, seconds: int) -> str:
    """A session that was written then: a file's time is too coarse for a test."""
    session_id = kept(sessions)
    os.utime(folder / f"{session_id}.json", (seconds, seconds))
    return session_id


def test_what_was_kept_is_read_again(sessions: RecordedChats) -> None:
    """The request as it came and the answer, under an id that nobody can guess."""
    first, second = kept(sessions), kept(sessions)

    session = orjson.loads(sessions.read(first, None) or b"")

    assert session == {
        "id": first,
        "created": 1_700_000_000,
        "request": orjson.loads(REQUEST),
        "answer": ANSWER | {"recording_session_id": first},
    }
    assert first != second
    assert len(first) > 32


def test_only_the_daemon_may_read_it(sessions: RecordedChats, tmp_path: Path) -> None:
    """The folder and its files are readable for the daemon's user alone."""
    kept(sessions)

    folder = tmp_path / "sessions"

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600]


@pytest.mark.parametrize(
    "session_id", ["", "chat_", "../counter", "chat_/../../counter", "chat_" + "0" * 32, "chat_" + "0" * 31 + "/"]
)
def test_nothing_but_sessions_is_found(sessions: RecordedChats, tmp_path: Path, session_id: str) -> None:
    """No other file is returned, whether it is named by a path or by a guess."""
    (tmp_path / "counter.json").write_text("{}")
    kept(sessions)

    assert sessions.read(session_id, None) is None


def test_the_oldest_go_when_there_are_too_many(
    sessions: RecordedChats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three are allowed here; the fourth takes the place of the first."""
    monkeypatch.setattr(recording, "MAX_SESSIONS", 3)

    ids = [kept_at(sessions, tmp_path / "sessions", seconds) for seconds in (100, 200, 300)]
    ids.append(kept(sessions))

    assert [sessions.read(each, None) is not None for each in ids] == [False, True, True, True]


def test_the_oldest_go_when_they_are_too_large(sessions: RecordedChats, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest stays, also when it alone is over the limit."""
    monkeypatch.setattr(recording, "MAX_BYTES", 100)

    ids = [kept(sessions) for _ in range(2)]

    assert [sessions.read(each, None) is not None for each in ids] == [False, True]


def test_what_a_crash_left_half_written_goes(sessions: RecordedChats, tmp_path: Path) -> None:
    """An old one; what another thread writes at this moment stays."""
    kept(sessions)
    old, new = (tmp_path / "sessions" / f"chat_{digit * 32}.partial" for digit in "01")
    for path in (old, new):
        path.write_bytes(b"{")
    os.utime(old, (1_600_000_000, 1_600_000_000))

    kept(sessions)

    assert [old.exists(), new.exists()] == [False, True]


def test_a_disk_that_takes_nothing_is_no_error(
    sessions: RecordedChats, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer goes out without a recording, and the log says so."""
    (tmp_path / "sessions").write_text("a file where the folder should be")

    answer = sessions.keep(REQUEST, ANSWER)

    assert answer == ANSWER
    assert "cannot be recorded" in caplog.text
    assert os.listdir(tmp_path) == ["sessions"]


def test_another_one_s_session_is_not_there(sessions: RecordedChats, monkeypatch: pytest.MonkeyPatch) -> None:
    """For an administrator all are; the oldest go whosever they are."""
    ids = {holder: sessions.keep(REQUEST, ANSWER, holder)["recording_session_id"] for holder in ("anna", "ben", "")}

    assert sessions.read(ids["anna"], "anna")
    assert sessions.read(ids["anna"], "ben") is None
    assert sessions.read(ids[""], "ben") is None
    assert all(sessions.read(each, None) for each in ids.values())

    monkeypatch.setattr(recording, "MAX_SESSIONS", 1)
    newest = sessions.keep(REQUEST, ANSWER, "ben")["recording_session_id"]
    assert sessions.read(newest, "ben")
    assert not any(sessions.read(each, None) for each in ids.values())
