"""Covers install_service, and systemd's own opinion of the files that it writes."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from tests.support.command_line import UNITD, Finished, unitd
from unitd.cli.commands.install_service import obstacles, service_files

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is missing: sudo apt-get install systemd"
)
SERVICES = ("unitd.service", "unitd@.service")
HIGHEST_EXPOSURE = 2.0


async def run(*command: str) -> Finished:
    """Runs a program of systemd."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


@pytest.fixture
async def root(tmp_path: Path) -> Path:
    """Where `unitd install-service` has written everything."""
    done = await unitd("install-service", "--root", str(tmp_path))
    assert done.code == 0
    return tmp_path


def service_for(program: str) -> str:
    """The text of unitd.service for this program."""
    [text] = [file.text for file in service_files(Path(program), None) if file.path.name == SERVICES[0]]
    return text


def units_in(root: Path) -> Path:
    """systemd's folder of a package."""
    return root / "usr/lib/systemd/system"


# The happy day


async def test_every_file_is_written_and_named(tmp_path: Path) -> None:
    """The output says what was done."""
    done = await unitd("install-service", "--root", str(tmp_path))

    written = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert done.out == "".join(f"wrote {path}\n" for path in written)
    assert [str(path.relative_to(tmp_path / "usr/lib")) for path in written] == [
        "systemd/system/unitd-http.socket",
        "systemd/system/unitd-tcp.socket",
        "systemd/system/unitd.service",
        "systemd/system/unitd.socket",
        "systemd/system/unitd@.service",
        "sysusers.d/unitd.conf",
        "tmpfiles.d/unitd.conf",
    ]
    assert {path.stat().st_mode & 0o777 for path in written} == {0o644}


async def test_units_start_this_installation(root: Path) -> None:
    """With the path of the program that wrote them."""
    text = (units_in(root) / "unitd.service").read_text()

    assert f"ExecStart={UNITD} serve\n" in text


async def test_a_dry_run_prints_and_writes_nothing(tmp_path: Path) -> None:
    """The files that would be written are printed, with their paths."""
    done = await unitd("install-service", "--root", str(tmp_path), "--dry-run")

    assert done.code == 0
    assert f"# {tmp_path}/usr/lib/systemd/system/unitd.service\n" in done.out
    assert f"ExecStart={UNITD} serve\n" in done.out
    assert list(tmp_path.iterdir()) == []


async def test_writing_twice_replaces(root: Path) -> None:
    """An upgrade runs it again."""
    (units_in(root) / "unitd.service").write_text("old")

    done = await unitd("install-service", "--root", str(root))

    assert done.code == 0
    assert "ExecStart=" in (units_in(root) / "unitd.service").read_text()
    assert not list(root.rglob("*.partial"))


def test_without_a_root_files_go_where_an_administrator_puts_them() -> None:
    """Those of a package in usr/lib stay beside them."""
    paths = [str(file.path) for file in service_files(Path("/opt/x/bin/unitd"), None)]

    assert "/etc/systemd/system/unitd.service" in paths
    assert "/etc/sysusers.d/unitd.conf" in paths


# The limits


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Exit code 1 and the command that may do it."""
    (tmp_path / "usr").write_text("in the way")

    done = await unitd("install-service", "--root", str(tmp_path))

    assert (done.code, done.out) == (1, "")
    assert f"try: sudo {UNITD} install-service" in done.err


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("/srv/unit d/bin/unitd", 'ExecStart="/srv/unit d/bin/unitd" serve\n'),
        ("/srv/100%/bin/unitd", "ExecStart=/srv/100%%/bin/unitd serve\n"),
        ("/srv/$x/bin/unitd", "ExecStart=/srv/$$x/bin/unitd serve\n"),
        ('/srv/"q"/bin/unitd', 'ExecStart="/srv/\\"q\\"/bin/unitd" serve\n'),
    ],
)
def test_odd_paths_are_quoted_for_systemd(program: str, line: str) -> None:
    """Blanks, specifiers and variables are what they are."""
    assert line in service_for(program)


def test_a_program_in_a_home_can_be_read_there() -> None:
    """ProtectHome=yes would hide it from its own service."""
    at_home, elsewhere = service_for("/home/pi/unitd/bin/unitd"), service_for("/opt/unitd/bin/unitd")

    assert "ProtectHome=read-only\n" in at_home
    assert "ProtectHome=yes\n" in elsewhere


def test_a_folder_that_the_user_may_not_enter_is_told(tmp_path: Path) -> None:
    """Else the service would fail with a sentence that nobody understands."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)

    words = list(obstacles(closed / "bin/unitd", Path("/usr/bin/python3")))

    assert any("the user unitd may not enter" in each for each in words)


def test_a_good_place_has_no_obstacles() -> None:
    """Nothing to say about /opt and the system's Python."""
    assert list(obstacles(Path("/opt/unitd/bin/unitd"), Path("/usr/bin/python3"))) == []


# What systemd says


@needs_systemd
async def test_systemd_finds_nothing_wrong(root: Path) -> None:
    """`systemd-analyze verify` is silent about every unit."""
    units = [str(path) for path in sorted(units_in(root).iterdir())]

    done = await run("systemd-analyze", "verify", "--man=no", *units)

    assert (done.code, done.out, done.err) == (0, "", "")


@needs_systemd
@pytest.mark.parametrize("service", SERVICES)
async def test_the_service_is_hardly_exposed(root: Path, service: str) -> None:
    """At most 2.0 of 10 by systemd's own reckoning."""
    done = await run("systemd-analyze", "security", "--offline=true", "--no-pager", str(units_in(root) / service))

    [line] = [line for line in done.out.splitlines() if "Overall exposure level" in line]
    assert float(line.split(":")[1].split()[0]) <= HIGHEST_EXPOSURE


@needs_systemd
async def test_the_user_can_be_made(root: Path) -> None:
    """With the groups that own sound cards and serial lines."""
    (root / "etc").mkdir()

    done = await run("systemd-sysusers", f"--root={root}", "unitd.conf")

    assert done.code == 0
    groups = (root / "etc/group").read_text().splitlines()
    assert [line.split(":")[0] for line in groups if line.endswith(":unitd")] == ["audio", "dialout"]
    assert "/var/lib/unitd" in (root / "etc/passwd").read_text()


@needs_systemd
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders to another user: sudo make test")
async def test_the_folders_can_be_made(root: Path) -> None:
    """The folders belong to the user of the service, the configuration to root."""
    (root / "etc").mkdir()
    await run("systemd-sysusers", f"--root={root}", "unitd.conf")

    done = await run("systemd-tmpfiles", "--create", f"--root={root}", "unitd.conf")

    assert (done.code, done.err) == (0, "")
    modes = {each: (root / each).stat().st_mode & 0o777 for each in ("etc/unitd", "run/unitd", "var/lib/unitd/models")}
    assert modes == {"etc/unitd": 0o750, "run/unitd": 0o755, "var/lib/unitd/models": 0o755}
    assert (root / "etc/unitd").stat().st_uid == 0
    assert (root / "run/unitd").stat().st_uid != 0
