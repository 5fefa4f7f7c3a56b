"""Checks before the start: a configuration needs packages, readable files and free ports.

Models and the files of `[audio]` may come later, and the daemon tries them again; so only `unitd serve --check` checks
them. A port is bound and released at once; when another program takes it before its door opens, the door reports that.
"""

import errno
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson

from unitd.core.config.checks import addresses_of
from unitd.core.config.exposure import reach_of, warnings_of
from unitd.core.config.pipeline_tasks import check_pipelines, setup_of, tasks_of
from unitd.core.config.problems import (
    Key,
    Problem,
    Problems,
    name_of,
)
from unitd.core.config.schema import (
    AuthSettings,
    HomeSettings,
    MqttSettings,
    Settings,
    maybe_path,
)
from unitd.core.models.catalog import Card, Catalog
from unitd.core.tasks.kinds import DEFAULT_NAME, UnitKind
from unitd.doors.registry import DOORS
from unitd.doors.tls import Tls
from unitd.runtime.sys.access import load_tokens, tokens_file
from unitd.runtime.tasks.plan import setup_data
from unitd.service.systemd import Activated
from unitd.wire.errors import ConfigError, LoadFailed, UnitdError


def missing_packages(settings: Settings) -> Iterator[Problem]:
    """Yield the packages that open doors need and that are not installed; they are looked for, not imported."""
    for door, row in DOORS.items():
        for module, package in row.packages:
            if row.is_open(settings) and find_spec(module) is None:
                yield Problem((door,), f"{door} needs {package}, which is not installed: pip install {package}")


def unusable_files(settings: Settings) -> Iterator[Problem]:
    """Yield the passwords, tokens, certificates and tools that cannot be used."""
    yield from _unusable_of_auth(settings.auth)
    try:
        load_tokens(tokens_file(settings))
    except ConfigError as error:
        yield Problem(("auth", "tokens_file"), f"auth.tokens_file: {error.reason}")
    if settings.mqtt is not None:
        yield from _unusable_of_mqtt(settings.mqtt)
    yield from _unusable_of_home(settings.home)


def access_words(settings: Settings, now: float) -> tuple[list[str], str]:
    """Return warnings about doors that other machines reach, and a sentence about who may come in without warnings.

    Raises:
        ConfigError: the tokens or the certificate cannot be used.
    """
    tokens, auth = len(load_tokens(tokens_file(settings))), settings.auth
    expiry = Tls(auth.tls_cert, auth.tls_key).warning(now) if auth.tls_cert and auth.tls_key else ""
    return [*warnings_of(settings, tokens), *filter(None, [expiry])], reach_of(settings, tokens)


def _unusable_of_auth(auth: AuthSettings) -> Iterator[Problem]:
    unreadable = [*_unreadable(("auth", "tls_cert"), auth.tls_cert), *_unreadable(("auth", "tls_key"), auth.tls_key)]
    yield from unreadable
    if auth.tls_cert is None or auth.tls_key is None or unreadable:
        return
    try:
        Tls(auth.tls_cert, auth.tls_key)
    except ConfigError as error:
        yield Problem(("auth", "tls_cert"), error.reason)


def _unusable_of_mqtt(mqtt: MqttSettings) -> Iterator[Problem]:
    yield from _unreadable(("mqtt", "password_file"), mqtt.password_file, is_text=True)
    files = {"ca_file": mqtt.ca_file, "cert_file": mqtt.cert_file, "key_file": mqtt.key_file} if mqtt.tls else {}
    unreadable = [mistake for name, path in files.items() for mistake in _unreadable(("mqtt", name), path)]
    yield from unreadable
    if not any(files.values()) or unreadable:
        return
    from unitd.doors.mqtt.door import tls_of  # aiomqtt only where there is a broker

    try:
        tls_of(mqtt)
    except ConfigError as error:
        yield Problem(("mqtt", "cert_file" if mqtt.cert_file else "ca_file"), error.reason)


def _unusable_of_home(home: HomeSettings) -> Iterator[Problem]:
    yield from _unreadable(("home", "homeassistant_token_file"), home.homeassistant_token_file, is_text=True)
    unreadable = list(_unreadable(("home", "tools"), home.tools))
    yield from unreadable
    if home.tools is not None and not unreadable:
        from unitd.doors.home.tools_reader import read_tools  # templates only where there are tools

        yield from _found_by(partial(read_tools, home.tools), "tools")
    if home.skills is not None:
        from unitd.doors.home.own_skill_check import check_own_skills

        yield from _found_by(partial(check_own_skills, home.skills), "skills")


def _found_by(read: Callable[[], object], name: str) -> Iterator[Problem]:
    """Yield the problems that reading the files of a key of `[home]` finds."""
    try:
        read()
    except Problems as error:
        yield from (replace(each, key=("home", name)) for each in error.problems)
    except ConfigError as error:
        yield Problem(("home", name), f"home.{name}: {error.reason}")


def _unreadable(key: Key, path: Path | None, *, is_text: bool = False) -> Iterator[Problem]:
    if path is None:
        return
    try:
        path.read_text() if is_text else path.read_bytes()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        yield Problem(key, f"{name_of(key)}: {path} cannot be read: {reason}")


def files_read(settings: Settings) -> list[Path]:
    """Return the files, such as tokens and certificates, that the daemon reads at its start."""
    auth, mqtt, home = settings.auth, settings.mqtt, settings.home
    named = [tokens_file(settings), auth.tls_cert, auth.tls_key, home.tools, home.homeassistant_token_file]
    if mqtt is not None:
        named += [mqtt.password_file, *([mqtt.ca_file, mqtt.cert_file, mqtt.key_file] if mqtt.tls else [])]
    named += sorted(home.skills.glob("*.toml")) if home.skills is not None else []
    return [path for path in named if path is not None and path.exists()]


# Pipelines


def unusable_pipelines(settings: Settings, kinds: Callable[[], Mapping[str, UnitKind]]) -> Iterator[Problem]:
    """Yield units, keys and inputs that can never work, and values of a wrong type."""
    if not settings.pipeline:
        return
    known = kinds()
    found = list(check_pipelines(settings, known))
    yield from found
    for key, _, task in tasks_of(settings):
        if task.unit not in known or any(each.key[: len(key)] == key for each in found):
            continue
        try:
            setup_data(known[task.unit], setup_of(task))
        except UnitdError as error:
            yield Problem((*key, "data"), f"{name_of((*key, 'data'))}: {error.reason}")


# Things that may come later


def models_wanted(settings: Settings, kinds: Mapping[str, UnitKind]) -> Iterator[tuple[Key, str, str]]:
    """Yield the key, the unit and the name of each model in the configuration."""
    yield ("llm", "model"), "llm", DEFAULT_NAME
    if settings.http.enabled:
        yield ("http", "barge_in", "model"), "llm", settings.http.barge_in.model
    for key, _, task in tasks_of(settings):
        name = setup_of(task).get("model")
        if task.unit in kinds and isinstance(name, str):
            yield (*key, "data", "model"), kinds[task.unit].serving, name


def unknown_models(
    settings: Settings, kinds: Callable[[], Mapping[str, UnitKind]], catalog: Callable[[Settings], Catalog]
) -> Iterator[Problem]:
    """Yield the names that no model has."""
    known = catalog(settings)
    told = set[tuple[str, str]]()
    for key, unit, name in models_wanted(settings, kinds()):
        try:
            known.resolve(unit, name)
        except LoadFailed as error:
            if (unit, name) not in told:
                yield Problem(key, f"{name_of(key)}: {error.reason}")
            told.add((unit, name))


def substitutions(settings: Settings, kinds: Mapping[str, UnitKind], catalog: Catalog) -> list[str]:
    """Return a sentence for each model that is not installed and is replaced by another one."""
    cards: list[Card] = [catalog.resolve(unit, name) for _, unit, name in models_wanted(settings, kinds)]
    return list(dict.fromkeys(card.substitution for card in cards if card.substitution))


def unusable_audio(settings: Settings) -> Iterator[Problem]:
    """Yield files in place of microphone and loudspeaker that cannot be read or written."""
    capture, playback = maybe_path(settings.audio.capture), maybe_path(settings.audio.playback)
    if capture is not None and (reason := _refusal(capture, os.R_OK)):
        yield Problem(("audio", "capture"), f"audio.capture: {capture} cannot be read: {reason}")
    if playback is not None:
        written = playback if playback.exists() else playback.absolute().parent
        if reason := _refusal(written, os.W_OK, is_folder=not playback.exists()):
            yield Problem(("audio", "playback"), f"audio.playback: {playback} cannot be written: {reason}")


def _refusal(path: Path, access: int, *, is_folder: bool = False) -> str:
    """Return the reason why a file, or a folder for a new one, cannot be used; "" when it can."""
    if not path.exists():
        return os.strerror(errno.ENOENT)
    if path.is_dir() != is_folder:
        return os.strerror(errno.EISDIR if path.is_dir() else errno.ENOTDIR)
    return "" if os.access(path, access) else os.strerror(errno.EACCES)


# Ports


def taken_ports(settings: Settings, activated: Activated) -> Iterator[Problem]:
    """Yield addresses that cannot be listened on; doors with `activated` sockets open none of their own."""
    own = _ports_of_our_daemon(settings)
    for key, host, port in addresses_of(settings):
        if not port or port in own or key[0] in activated:
            continue
        try:
            _bind(host, port)
        except OSError as error:
            blamed = key if error.errno in (errno.EADDRINUSE, errno.EACCES) else (key[0], "host")
            yield Problem(blamed, f"{name_of(blamed)}: cannot listen on {host}:{port}: {error.strerror}")


def _bind(host: str, port: int) -> None:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        probe.bind(address)


def _ports_of_our_daemon(settings: Settings) -> set[int]:
    """Return the ports of the running daemon of this configuration, which may be checked meanwhile."""
    try:
        return _numbers_in(orjson.loads((settings.state.dir / "endpoints.json").read_bytes()))
    except (OSError, orjson.JSONDecodeError):
        return set()


def _numbers_in(value: Any) -> set[int]:
    if isinstance(value, int):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {number for each in parts for number in _numbers_in(each)}
