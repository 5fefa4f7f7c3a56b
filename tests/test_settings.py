"""Covers settings: the configuration file, the service manager's folders, who wins, and where mistakes were made."""

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from unitd.core.config.problems import Problem
from unitd.core.config.schema import Settings
from unitd.settings import files_words, load_settings
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
    text = (
        'state.dir = "~/s"\nmodels.dir = ["~/m"]\nunix.path = "~/u"\nauth = {tls_cert = "~/c", tls_key = "~/k"}\n'
        'audio = {capture = "file:~/in.wav", playback = "file:~/out.wav"}'
    )

    settings = load_settings(settings_file(text), {})

    assert settings.state.dir == Path("/home/somebody/s")
    assert settings.models.dir == (Path("/home/somebody/m"),)
    assert settings.unix.path == Path("/home/somebody/u")
    assert settings.auth.tls_key == Path("/home/somebody/k")
    assert (settings.audio.capture, settings.audio.playback) == (
        "file:/home/somebody/in.wav",
        "file:/home/somebody/out.wav",
    )


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


@pytest.fixture
def default_file(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only one that may be there: this machine may have a service with a configuration of its own."""
    path = Path("~/.config/unitd/unitd.toml")
    monkeypatch.setattr("unitd.settings.DEFAULT_FILES", [path, Path("/nowhere/unitd.toml")])
    return path


def test_a_default_file_that_may_not_be_seen_is_not_there(closed_home: Path, default_file: Path) -> None:
    """The service's configuration is not for everybody who types `unitd chat`."""
    assert load_settings(None, {}).state.dir == closed_home / ".local/state/unitd"


def test_the_files_that_were_read_are_named(
    tmp_path: Path, default_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody shall take for read what is not there; what the configuration names is read as well."""
    monkeypatch.setenv("HOME", str(tmp_path))
    without = files_words(None, load_settings(None, {}))
    file, tools = default_file.expanduser(), tmp_path / "tools.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[home]\ntools = "~/tools.toml"\n')
    tools.touch()

    assert without == "no file (neither ~/.config/unitd/unitd.toml nor /nowhere/unitd.toml), the defaults"
    assert files_words(None, load_settings(None, {})) == f"{file}, {tools}"
    assert files_words(file, load_settings(file, {})) == f"{file}, {tools}"


# Mistakes, and where they were made


def lines_of(load: Callable[[], Settings]) -> list[str]:
    """What is said to whoever starts the daemon, without the folder of the test."""
    with pytest.raises(ConfigError) as caught:
        load()
    return re.sub(r"/\S+/(?=unitd.toml)", "", str(caught.value)).split("\n  ")


def test_every_mistake_has_file_line_and_key(settings_file: Callable[[str], Path]) -> None:
    """All mistakes are reported at once, in the order of the file."""
    path = settings_file('[tcp]\nhost = 1\n\n[[pipeline]]\nname = "a"\n[[pipeline]]\nname = "a"\n[llm]\nslot = 1')

    assert lines_of(partial(load_settings, path, {})) == [
        "configuration error, 3 mistakes:",
        "unitd.toml:2: tcp.host must be a text, it is 1",
        "unitd.toml:7: pipeline[1].name is 'a', and so is pipeline[0].name",
        "unitd.toml:9: unknown key llm.slot, did you mean slots?",
    ]


def test_one_mistake_is_one_line(settings_file: Callable[[str], Path]) -> None:
    """As every other error of the command line."""
    with pytest.raises(ConfigError, match=r"^configuration error: /\S+/unitd.toml:1: serial.device is missing$"):
        load_settings(settings_file("[serial]"), {})


def test_a_mistake_that_was_not_made_in_the_file_names_its_source(settings_file: Callable[[str], Path]) -> None:
    """The variable, the command line; nothing where a default does not work."""
    path, environment = settings_file("[http]\nport = 1"), {"WS_CLOSE_IDLE_CODE": "1", "TEXT_API_KEY": "x"}
    options = {"llm": {"slots": 0}, "http": {"port": 70000}}

    def check(settings: Settings) -> Iterator[Problem]:
        yield Problem(("wyoming", "port"), "wyoming.port is taken")
        yield Problem(("http", "api_key"), "http.api_key is bad")

    assert set(lines_of(partial(load_settings, path, environment, options, [check]))[1:]) == {
        "variable WS_CLOSE_IDLE_CODE: http.barge_in.idle_close_code is 1, it must be from 4000 to 4999",
        "variable TEXT_API_KEY: http.api_key is bad",
        "command line: llm.slots is 0, it must be from 1 to 64",
        "command line: http.port is 70000, it must be from 0 to 65535",
        "wyoming.port is taken",
    }


def test_a_variable_is_not_blamed_for_the_file(settings_file: Callable[[str], Path]) -> None:
    """A key in the file wins, so it is the one that is wrong."""
    path = settings_file("[http]\nconnections = 0")

    with pytest.raises(ConfigError, match=r"unitd.toml:2: http.connections is 0"):
        load_settings(path, {"MAX_CONCURRENT_CONNECTIONS": "24"})


def test_checks_see_paths_as_they_will_be_used(
    settings_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home directories are written out before."""
    monkeypatch.setenv("HOME", "/home/somebody")
    seen = []

    def check(settings: Settings) -> Iterator[Problem]:
        seen.append(settings.state.dir)
        return iter(())

    load_settings(settings_file('[state]\ndir = "~/s"'), {}, checks=[check])

    assert seen == [Path("/home/somebody/s")]


def test_broken_toml_has_its_line_and_column(settings_file: Callable[[str], Path]) -> None:
    """The error has the line and column that the TOML parser names."""
    with pytest.raises(ConfigError, match=r"unitd\.toml: .* \(at line 2, column 5\)"):
        load_settings(settings_file("[tcp]\nport\n"), {})
