"""Covers preflight: files that cannot be read and ports that are taken are told before anything starts."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from unitd.core.config import Settings
from unitd.core.mistakes import Mistake
from unitd.core.reading import read_settings
from unitd.doors.preflight import taken_ports, unusable_files

CLOSED = {"tcp": {"enabled": False}, "http": {"enabled": False}}


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of another program."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def settings_of(folder: Path, document: dict[str, Any]) -> Settings:
    """A configuration that keeps its state in the test's folder."""
    return read_settings({"state": {"dir": str(folder)}} | document)


def words_of(mistakes: Iterator[Mistake]) -> list[str]:
    """What is said."""
    return [str(each) for each in mistakes]


# Files


def test_files_that_can_be_read_are_no_mistake(tmp_path: Path) -> None:
    """Nor those that are not asked for."""
    for name in ("password", "token", "tools.toml"):
        (tmp_path / name).touch()
    mqtt = {"password_file": str(tmp_path / "password"), "cert_file": "/nowhere"}
    home = {"tools": str(tmp_path / "tools.toml"), "homeassistant_token_file": str(tmp_path / "token")}

    assert words_of(unusable_files(settings_of(tmp_path, {}))) == []
    assert words_of(unusable_files(settings_of(tmp_path, {"mqtt": mqtt, "home": home}))) == []


def test_every_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """Passwords, certificates, tokens, tools: with the key and the reason."""
    (tmp_path / "binary").write_bytes(b"\xff")
    document = {
        "auth": {"tls_cert": "/nowhere", "tls_key": str(tmp_path), "tokens_file": str(tmp_path / "binary")},
        "mqtt": {"password_file": str(tmp_path / "binary"), "tls": True, "ca_file": "/nowhere"},
        "home": {"tools": str(tmp_path), "homeassistant_token_file": "/nowhere"},
    }

    mistakes = list(unusable_files(settings_of(tmp_path, document)))

    assert [each.key for each in mistakes] == [
        ("auth", "tls_cert"),
        ("auth", "tls_key"),
        ("auth", "tokens_file"),
        ("mqtt", "password_file"),
        ("mqtt", "ca_file"),
        ("home", "homeassistant_token_file"),
        ("home", "tools"),
    ]
    assert mistakes[0].words == "auth.tls_cert: /nowhere cannot be read: No such file or directory"
    assert mistakes[1].words == f"auth.tls_key: {tmp_path} cannot be read: Is a directory"


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"auth": {"tls_cert": "text", "tls_key": "text"}}, "auth.tls_cert text with text: "),
        ({"mqtt": {"tls": True, "ca_file": "text"}}, "mqtt: the certificates cannot be used: "),
        ({"home": {"tools": "text"}}, "home.tools: text: Expected '=' after a key"),
    ],
)
def test_a_file_that_is_something_else_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: dict[str, Any], words: str
) -> None:
    """No certificate, no TOML."""
    (tmp_path / "text").write_text("words")
    monkeypatch.chdir(tmp_path)

    told = words_of(unusable_files(settings_of(tmp_path, document)))

    assert [each[: len(words)] for each in told] == [words]


def test_every_mistake_in_the_tools_is_told_with_its_own_line(tmp_path: Path) -> None:
    """File and line are those of tools.toml."""
    tools = tmp_path / "tools.toml"
    tools.write_text('[[entity]]\nname = "x"\nkind = "toaster"\n[[tool]]\nname = "t"\ntopic = "{{ x"\n')

    mistakes = list(unusable_files(settings_of(tmp_path, {"home": {"tools": str(tools)}})))

    assert [each.place for each in mistakes] == [f"{tools}:3", f"{tools}:6"]
    assert [each.key for each in mistakes] == [("home", "tools")] * 2
    assert mistakes[1].words.startswith("tool 't': topic is no template: ")


# Ports


def test_free_ports_are_free_afterwards(tmp_path: Path, taken: int) -> None:
    """They are bound for a moment only; a closed door wants none."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    document = {"tcp": {"port": free}, "http": {"port": taken, "enabled": False}}

    assert words_of(taken_ports(settings_of(tmp_path, document), {})) == []
    with socket.create_server(("127.0.0.1", free)):
        assert len(words_of(taken_ports(settings_of(tmp_path, document), {}))) == 1


def test_every_taken_port_is_told(tmp_path: Path, taken: int) -> None:
    """Those of all doors."""
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as six:
        document = {
            "tcp": {"port": taken},
            "http": {"host": "::1", "port": 0, "extra_ports": [six.getsockname()[1]]},
            "wyoming": {"host": "127.0.0.1", "port": 0},
        }

        mistakes = list(taken_ports(settings_of(tmp_path, document), {}))

    assert [each.key for each in mistakes] == [("tcp", "port"), ("http", "extra_ports", 0)]
    assert str(mistakes[0]) == f"tcp.port: cannot listen on 127.0.0.1:{taken}: Address already in use"


def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    """The host is to blame then."""
    document = CLOSED | {"tcp": {"host": "127.0.0.1.5", "port": 9}, "auth": {"without_tls": ["tcp"]}}

    mistakes = list(taken_ports(settings_of(tmp_path, document), {}))

    assert [each.key for each in mistakes] == [("tcp", "host")]
    assert mistakes[0].words.startswith("tcp.host: cannot listen on 127.0.0.1.5:9: ")


def test_sockets_of_the_service_manager_need_no_port(tmp_path: Path, taken: int) -> None:
    """What is passed on is open already."""
    settings = settings_of(tmp_path, CLOSED | {"tcp": {"port": taken}})

    assert words_of(taken_ports(settings, {"tcp": []})) == []


def test_a_configuration_can_be_checked_while_its_daemon_runs(tmp_path: Path, taken: int) -> None:
    """Its own ports are not in anybody's way; a new one may be."""
    endpoints = {"tcp": ["127.0.0.1", taken], "unix": "/run/unitd.sock"}
    (tmp_path / "endpoints.json").write_bytes(orjson.dumps(endpoints))

    assert words_of(taken_ports(settings_of(tmp_path, CLOSED | {"tcp": {"port": taken}}), {})) == []
    with socket.create_server(("127.0.0.1", 0)) as other:
        document = CLOSED | {"tcp": {"port": other.getsockname()[1]}}
        assert len(words_of(taken_ports(settings_of(tmp_path, document), {}))) == 1
