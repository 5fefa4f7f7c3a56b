"""Covers settings: the configuration file, the service manager's folders, and who wins."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from unitd.settings import load_settings
from unitd.wire.errors import ConfigError

NOBODY = 65534


@pytest.fixture
def settings_file(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a configuration file."""

    def write(text: str) -> Path:
        path = tmp_path / "unitd.toml"
        path.write_text(text)
        return path

    return write


def test_service_managers_directories_are_the_default(settings_file: Callable[[str], Path]) -> None:
    """systemd's StateDirectory= and RuntimeDirectory= count where the file says nothing."""
    environment = {"STATE_DIRECTORY": "/var/lib/unitd", "RUNTIME_DIRECTORY": "/run/unitd"}

    settings = load_settings(settings_file(""), environment)

    assert settings.state.dir == Path("/var/lib/unitd")
    assert settings.unix.path == Path("/run/unitd/unitd.sock")


def test_the_file_wins_over_the_service_manager(settings_file: Callable[[str], Path]) -> None:
    """What an administrator wrote is what counts."""
    environment = {"STATE_DIRECTORY": "/var/lib/unitd", "RUNTIME_DIRECTORY": "/run/unitd"}
    text = '[state]\ndir = "/data"\n[unix]\npath = "/tmp/x.sock"'

    settings = load_settings(settings_file(text), environment)

    assert (settings.state.dir, settings.unix.path) == (Path("/data"), Path("/tmp/x.sock"))


def test_socket_lies_in_the_state_directory_by_default(settings_file: Callable[[str], Path]) -> None:
    """One folder holds everything."""
    settings = load_settings(settings_file('[state]\ndir = "/data"'), {})

    assert settings.unix.path == Path("/data/unitd.sock")


def test_tilde_is_the_home_directory(settings_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """In every path of the file."""
    monkeypatch.setenv("HOME", "/home/somebody")
    text = '[state]\ndir = "~/s"\n[models]\ndir = ["~/m"]\n[unix]\npath = "~/u"\n[auth]\ntls_key = "~/k"'

    settings = load_settings(settings_file(text), {})

    assert settings.state.dir == Path("/home/somebody/s")
    assert settings.models.dir == (Path("/home/somebody/m"),)
    assert settings.unix.path == Path("/home/somebody/u")
    assert settings.auth.tls_key == Path("/home/somebody/k")


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """The sentence names the file."""
    (tmp_path / "unitd.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match=r"unitd\.toml"):
        load_settings(tmp_path / "unitd.toml", {})


@pytest.fixture
def closed_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that this process may not enter, also when root runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(mode=0o000)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    yield tmp_path / "home"
    os.seteuid(user)
    (tmp_path / "home").chmod(0o700)


def test_a_default_file_that_may_not_be_seen_is_not_there(closed_home: Path) -> None:
    """The service's configuration is not for everybody who types `unitd chat`."""
    assert load_settings(None, {}).state.dir == closed_home / ".local/state/unitd"
