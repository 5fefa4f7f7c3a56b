"""Covers preflight: files, pipelines and models that cannot be used and taken ports are told before anything starts."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from unitd.app import all_kinds, open_model_store
from unitd.core.config.loader import read_settings
from unitd.core.config.problems import Problem
from unitd.core.config.schema import Settings
from unitd.core.models.catalog import Catalog
from unitd.doors.preflight import (
    files_read,
    substitutions,
    taken_ports,
    unknown_models,
    unusable_audio,
    unusable_files,
    unusable_pipelines,
)
from unitd.settings import find_program_folders

CLOSED = {"tcp": {"enabled": False}, "http": {"enabled": False}}


@pytest.fixture
def taken() -> Iterator[int]:
    """A port of another program."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def settings_of(folder: Path, document: dict[str, Any]) -> Settings:
    """A configuration that keeps its state in the test's folder."""
    return read_settings({"state": {"dir": str(folder)}} | document)


def words_of(mistakes: Iterator[Problem]) -> list[str]:
    """What is said."""
    return [str(each) for each in mistakes]


# Files


def test_files_that_can_be_read_are_no_mistake(tmp_path: Path) -> None:
    """A file that no setting asks for is not looked at."""
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

    assert [each.location for each in mistakes] == [f"{tools}:3", f"{tools}:6"]
    assert [each.key for each in mistakes] == [("home", "tools")] * 2
    assert mistakes[1].words.startswith("tool 't': topic is no template: ")


def test_files_that_are_read_are_named(tmp_path: Path) -> None:
    """Those that are there; passwords of a door that is closed are not read."""
    for name in ("tokens.json", "tools.toml", "password"):
        (tmp_path / name).touch()
    document = {
        "home": {"tools": str(tmp_path / "tools.toml")},
        "auth": {"tls_cert": "/nowhere", "tls_key": "/nowhere"},
    }
    mqtt = {"password_file": str(tmp_path / "password"), "cert_file": str(tmp_path / "password")}

    assert files_read(settings_of(tmp_path, document)) == [tmp_path / "tokens.json", tmp_path / "tools.toml"]
    assert files_read(settings_of(tmp_path, {"mqtt": mqtt})) == [tmp_path / "tokens.json", tmp_path / "password"]


# Pipelines


def pipeline_of(unit: str, **data: Any) -> dict[str, Any]:
    """A configuration with one task."""
    return {"pipeline": [{"name": "p", "tasks": [{"name": "t", "unit": unit, "data": data}]}]}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (pipeline_of("llm", enoutput="yes"), "enoutput must be true or false, it is 'yes'"),
        (pipeline_of("llm", queue=-1), "queue must be a whole number from 0 to 1024, it is -1"),
        (pipeline_of("whisper", model="whisper-base"), "response_format is missing"),
    ],
)
def test_a_setup_that_is_always_refused_is_told(tmp_path: Path, document: dict[str, Any], words: str) -> None:
    """In the words of its refusal."""
    told = words_of(unusable_pipelines(settings_of(tmp_path, document), all_kinds))

    assert told == [f"pipeline[0].tasks[0].data: {words}"]


def test_a_task_with_a_mistake_is_told_once(tmp_path: Path) -> None:
    """The errors that would follow from the first one are left out."""
    document = pipeline_of("llm", promt="Be brief.", enoutput="yes")

    assert len(words_of(unusable_pipelines(settings_of(tmp_path, document), all_kinds))) == 1


# Models and files that may come later


def catalog_of(settings: Settings) -> Catalog:
    """The models that are really here."""
    return asyncio.run(open_model_store(settings, find_program_folders()).catalog())


def test_names_that_stand_for_no_model_are_told(tmp_path: Path) -> None:
    """Each once, at the first place that asks for it; one that can be fetched is no mistake."""
    models = {"models": {"dir": [str(tmp_path)]}}
    unknown = settings_of(tmp_path, models | {"llm": {"model": "gone"}} | pipeline_of("tts", model="lost"))
    known = settings_of(tmp_path, models | {"llm": {"model": "qwen2.5-0.5b"}} | pipeline_of("kws"))

    told = list(unknown_models(unknown, all_kinds, catalog_of))

    assert [each.key for each in told] == [("llm", "model"), ("pipeline", 0, "tasks", 0, "data", "model")]
    assert told[0].words.startswith("llm.model: there is no llm model 'gone' here; sys.lsmode lists ")
    assert words_of(unknown_models(known, all_kinds, catalog_of)) == []
    assert substitutions(known, all_kinds(), catalog_of(known)) == [
        "qwen2.5-0.5b is not installed, unitd-chat answers in its place"
    ]


def test_devices_that_are_files_must_be_usable(tmp_path: Path) -> None:
    """A microphone is read; a loudspeaker is written, and its folder must be there before it."""
    (tmp_path / "in.wav").touch()
    missing = {"audio": {"capture": f"file:{tmp_path}/none.wav", "playback": f"file:{tmp_path}/none/out.wav"}}
    folders = {"audio": {"capture": f"file:{tmp_path}", "playback": f"file:{tmp_path}"}}
    usable = {"audio": {"capture": f"file:{tmp_path}/in.wav", "playback": f"file:{tmp_path}/out.wav"}}

    assert words_of(unusable_audio(settings_of(tmp_path, missing))) == [
        f"audio.capture: {tmp_path}/none.wav cannot be read: No such file or directory",
        f"audio.playback: {tmp_path}/none/out.wav cannot be written: No such file or directory",
    ]
    assert [each.split(": ")[-1] for each in words_of(unusable_audio(settings_of(tmp_path, folders)))] == [
        "Is a directory",
        "Is a directory",
    ]
    assert words_of(unusable_audio(settings_of(tmp_path, usable))) == []
    assert words_of(unusable_audio(settings_of(tmp_path, {}))) == []


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
