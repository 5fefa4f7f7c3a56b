"""Covers units.intent.skills.local_time: the zone of the board."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo

import pytest

from units.intent.skills.local_time import local_now

SUMMER = datetime(2026, 7, 1)
"""The zone must know the offset of other times of the year."""


@pytest.fixture
def zone_file(tmp_path: Path) -> Path:
    """Return a file with the zone of Berlin that is in no folder of zones."""
    found = next((Path(each) for each in TZPATH if (Path(each) / "Europe/Berlin").is_file()), None)
    if found is None:
        pytest.skip("no zones of the system: apt-get install tzdata")
    copy = tmp_path / "localtime"
    copy.write_bytes((found / "Europe/Berlin").read_bytes())
    return copy


def test_the_environment_names_the_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    """TZ comes first, as for the C library."""
    monkeypatch.setenv("TZ", ":Asia/Tokyo")

    now = local_now()

    assert now.tzinfo == ZoneInfo("Asia/Tokyo")
    assert abs(now - datetime.now().astimezone()) < timedelta(seconds=5)


def test_the_system_names_the_zone_by_a_link(monkeypatch: pytest.MonkeyPatch, zone_file: Path) -> None:
    """/etc/localtime is a link into the folder of zones."""
    monkeypatch.delenv("TZ", raising=False)
    folder = zone_file.parent / "zoneinfo/Europe"
    folder.mkdir(parents=True)
    (folder / "Berlin").write_bytes(zone_file.read_bytes())
    link = zone_file.parent / "link"
    link.symlink_to(folder / "Berlin")

    assert local_now(link).tzinfo == ZoneInfo("Europe/Berlin")


def test_a_copied_file_has_the_changes_of_the_clock(monkeypatch: pytest.MonkeyPatch, zone_file: Path) -> None:
    """In some images /etc/localtime is a copy: its name is not known, but its rules are."""
    monkeypatch.delenv("TZ", raising=False)

    zone = local_now(zone_file).tzinfo

    assert zone is not None
    assert zone.utcoffset(SUMMER) == timedelta(hours=2)


@pytest.mark.parametrize("name", ["Nowhere/Land", "../../etc/passwd", "CET-1CEST"])
def test_what_is_no_zone_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    """Without a zone the time has the offset that the C library knows."""
    monkeypatch.setenv("TZ", name)

    now = local_now(tmp_path / "missing")

    assert now.utcoffset() is not None
    assert abs(now - datetime.now().astimezone()) < timedelta(seconds=5)
