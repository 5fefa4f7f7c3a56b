"""Covers settings: the configuration file, the service manager's folders, and who wins."""

from collections.abc import Callable
from pathlib import Path

import pytest

from unitd.settings import load_settings
from unitd.wire.errors import ConfigError


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
