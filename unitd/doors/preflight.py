"""What a configuration needs around it, looked at before anything starts: files that can be read, ports that are free.

A port is bound and given back at once, so somebody may still take it before its door opens; the door says so then.
"""

import errno
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from unitd.core.checks import addresses_of
from unitd.core.config import AuthSettings, HomeSettings, MqttSettings, Settings
from unitd.core.mistakes import Key, Mistake, Mistakes, name_of
from unitd.doors.systemd import Activated
from unitd.doors.tls import Tls
from unitd.runtime.access import load_tokens, tokens_file
from unitd.wire.errors import ConfigError


def unusable_files(settings: Settings) -> Iterator[Mistake]:
    """Passwords, certificates and tools that the daemon would want."""
    yield from _unusable_of_auth(settings.auth)
    try:
        load_tokens(tokens_file(settings))
    except ConfigError as error:
        yield Mistake(("auth", "tokens_file"), f"auth.tokens_file: {error.reason}")
    if settings.mqtt is not None:
        yield from _unusable_of_mqtt(settings.mqtt)
    yield from _unusable_of_home(settings.home)


def _unusable_of_auth(auth: AuthSettings) -> Iterator[Mistake]:
    unreadable = [*_unreadable(("auth", "tls_cert"), auth.tls_cert), *_unreadable(("auth", "tls_key"), auth.tls_key)]
    yield from unreadable
    if auth.tls_cert is None or auth.tls_key is None or unreadable:
        return
    try:
        Tls(auth.tls_cert, auth.tls_key)
    except ConfigError as error:
        yield Mistake(("auth", "tls_cert"), error.reason)


def _unusable_of_mqtt(mqtt: MqttSettings) -> Iterator[Mistake]:
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
        yield Mistake(("mqtt", "cert_file" if mqtt.cert_file else "ca_file"), error.reason)


def _unusable_of_home(home: HomeSettings) -> Iterator[Mistake]:
    yield from _unreadable(("home", "homeassistant_token_file"), home.homeassistant_token_file, is_text=True)
    unreadable = list(_unreadable(("home", "tools"), home.tools))
    yield from unreadable
    if home.tools is None or unreadable:
        return
    from unitd.doors.toolbox import read_tools  # a client of HTTP and templates only where there are tools

    try:
        read_tools(home.tools)
    except Mistakes as error:
        yield from (replace(each, key=("home", "tools")) for each in error.mistakes)
    except ConfigError as error:
        yield Mistake(("home", "tools"), f"home.tools: {error.reason}")


def _unreadable(key: Key, path: Path | None, *, is_text: bool = False) -> Iterator[Mistake]:
    if path is None:
        return
    try:
        path.read_text() if is_text else path.read_bytes()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        yield Mistake(key, f"{name_of(key)}: {path} cannot be read: {reason}")


def taken_ports(settings: Settings, activated: Activated) -> Iterator[Mistake]:
    """Addresses that cannot be listened on; `activated` doors open none of their own."""
    own = _ports_of_our_daemon(settings)
    for key, host, port in addresses_of(settings):
        if not port or port in own or key[0] in activated:
            continue
        try:
            _bind(host, port)
        except OSError as error:
            blamed = key if error.errno in (errno.EADDRINUSE, errno.EACCES) else (key[0], "host")
            yield Mistake(blamed, f"{name_of(blamed)}: cannot listen on {host}:{port}: {error.strerror}")


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
    """Where the daemon listens that this configuration is for: it may be checked while that one runs."""
    try:
        return _numbers_in(orjson.loads((settings.state.dir / "endpoints.json").read_bytes()))
    except (OSError, orjson.JSONDecodeError):
        return set()


def _numbers_in(value: Any) -> set[int]:
    if isinstance(value, int):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {number for each in parts for number in _numbers_in(each)}
