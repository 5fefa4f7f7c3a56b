"""From a parsed TOML document, and the variables that stand for some of its keys, to the tree of settings.

What cannot be used is refused with the key's name.
"""

import copy
import difflib
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, cast

from unitd.core.config import SYS_POWERS, Settings
from unitd.wire.errors import ConfigError


def read_settings(document: dict[str, Any]) -> Settings:
    """The tree from a parsed TOML document.

    Raises:
        ConfigError: an unknown key, a wrong type or a number out of range; the reason names the key.
    """
    settings = cast(Settings, _read_table(Settings, document, ""))
    _check_ranges(settings)
    return settings


ENVIRONMENT = {
    "TEXT_API_KEY": "http.api_key",
    "MAX_CONCURRENT_CONNECTIONS": "http.connections",
    "WS_IDLE_TIMEOUT_S": "http.barge_in.idle_timeout_s",
    "WS_CLOSE_IDLE_CODE": "http.barge_in.idle_close_code",
    "WS_HANDSHAKE_ACQUIRE_TIMEOUT_S": "http.barge_in.acquire_timeout_s",
    "WS_MAX_MESSAGES_PER_WINDOW": "http.barge_in.messages",
    "WS_MESSAGE_WINDOW_SECONDS": "http.barge_in.message_window_s",
    "WS_MAX_CANCELS_PER_WINDOW": "http.barge_in.cancels",
    "WS_CANCEL_WINDOW_SECONDS": "http.barge_in.cancel_window_s",
    "CHAT_PROMPT_UPDATE_MAX_PER_WINDOW": "http.barge_in.persona_updates",
    "CHAT_PROMPT_UPDATE_WINDOW_SECONDS": "http.barge_in.persona_update_window_s",
    "WS_END_SENTINEL": "http.barge_in.end_sentinel",
    "WS_CANCEL_SENTINEL": "http.barge_in.cancel_sentinel",
}
"""Variables of the barge-in server's document, and the keys that they stand for; a key in the file wins."""


def with_environment(document: dict[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """The document with what the environment says where the file says nothing.

    Raises:
        ConfigError: a number is none.
    """
    document = copy.deepcopy(document)
    for name, key in ENVIRONMENT.items():
        if name not in environment:
            continue
        *tables, last = key.split(".")
        table: Any = document
        settings: Any = Settings
        for each in tables:
            table = table.setdefault(each, {}) if isinstance(table, dict) else {}
            settings = typing.get_type_hints(settings)[each]
        if isinstance(table, dict):
            wanted = typing.get_type_hints(settings)[last]
            table.setdefault(last, _from_text(wanted, environment[name], name))
    return document


def _from_text(wanted: Any, text: str, name: str) -> Any:
    try:
        return wanted(text)
    except ValueError as error:
        raise ConfigError(f"{name} is {text!r}, it must be {_TYPE_NAMES[wanted]}") from error


def _read_table(table: type[Any], document: Any, where: str) -> Any:
    if not isinstance(document, dict):
        raise ConfigError(f"{where.rstrip('.')} must be a table")
    hints = typing.get_type_hints(table)
    for key in document:
        if key not in hints:
            near = difflib.get_close_matches(key, hints, n=1)
            raise ConfigError(f"unknown key {where}{key}" + (f", did you mean {near[0]}?" if near else ""))
    return table(**{key: _read_value(hints[key], value, where + key) for key, value in document.items()})


def _read_value(wanted: Any, value: Any, where: str) -> Any:
    """One value as the field's type: a table, a list, a path, or a plain value of exactly that type."""
    if typing.get_origin(wanted) is types.UnionType:
        wanted = next(option for option in typing.get_args(wanted) if option is not types.NoneType)
    if is_dataclass(wanted):
        return _read_table(cast(type[Any], wanted), value, where + ".")
    if typing.get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} must be a list")
        item = typing.get_args(wanted)[0]
        return tuple(_read_value(item, each, f"{where}[{at}]") for at, each in enumerate(value))
    if typing.get_origin(wanted) is dict:
        if not isinstance(value, dict):
            raise ConfigError(f"{where} must be a table")
        return value
    if wanted is Path and isinstance(value, str):
        return Path(value)
    if wanted is float and type(value) in (int, float):
        return float(value)
    if type(value) is not wanted:
        raise ConfigError(f"{where} must be {_TYPE_NAMES[wanted]}, it is {value!r}")
    return value


_TYPE_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path"}


_RANGES: dict[str, tuple[float, float]] = {
    "tcp.port": (0, 65535),
    "tcp.max_connections": (1, 65535),
    "models.idle_s": (0, 31_536_000),
    "http.port": (0, 65535),
    "http.connections": (1, 65535),
    "http.barge_in.idle_timeout_s": (0.1, 86_400),
    "http.barge_in.idle_close_code": (4000, 4999),
    "http.barge_in.acquire_timeout_s": (0, 60),
    "http.barge_in.messages": (0, 1_000_000),
    "http.barge_in.message_window_s": (0, 86_400),
    "http.barge_in.cancels": (0, 1_000_000),
    "http.barge_in.cancel_window_s": (0, 86_400),
    "http.barge_in.persona_updates": (0, 1_000_000),
    "http.barge_in.persona_update_window_s": (0, 86_400),
    "http.barge_in.max_tokens": (1, 1_048_576),
    "mqtt.port": (1, 65535),
    "wyoming.port": (0, 65535),
    "serial.baud": (300, 4_000_000),
    "serial.data_bits": (5, 8),
    "llm.slots": (1, 64),
    "llm.context": (128, 1_048_576),
    "llm.threads": (0, 1024),
    "llm.queue": (0, 1024),
    "limits.tasks": (1, 100_000),
    "limits.frame_bytes": (1024, 32 * 1024**2),
    "limits.outbox_bytes": (64 * 1024, 1024**3),
}
_CHOICES: dict[str, set[Any]] = {
    "serial.parity": {"n", "e", "o"},
    "serial.stop_bits": {1, 1.5, 2},
    "audio.pace": {"real", "fast"},
    "audio.echo": {"mute", "hear"},
    "log.level": {"debug", "info", "warning", "error"},
    "log.format": {"auto", "text", "json", "journal"},
}


def _check_ranges(settings: Settings) -> None:
    for where, (low, high) in _RANGES.items():
        value = _value_at(settings, where)
        if value is not None and not low <= value <= high:
            raise ConfigError(f"{where} is {value}, it must be from {low} to {high}")
    for port in settings.http.extra_ports:
        if not 0 <= port <= 65535:
            raise ConfigError(f"http.extra_ports holds {port}, a port is from 0 to 65535")
    _check_url(settings)
    _check_pipelines(settings)
    for where, choices in _CHOICES.items():
        value = _value_at(settings, where)
        if value is not None and value not in choices:
            raise ConfigError(f"{where} is {value!r}, it must be one of {', '.join(map(str, sorted(choices)))}")
    if unknown := set(settings.sys.allow) - SYS_POWERS:
        raise ConfigError(f"sys.allow names {min(unknown)!r}, it may name {', '.join(sorted(SYS_POWERS))}")
    if settings.serial is not None and not settings.serial.device:
        raise ConfigError("serial.device is missing")


def _check_pipelines(settings: Settings) -> None:
    """Names are how tasks find each other, so each must be there, once."""
    _check_names("pipeline", [each.name for each in settings.pipeline])
    for pipeline in settings.pipeline:
        _check_names(f"pipeline {pipeline.name}: task", [each.name for each in pipeline.tasks])
        for task in pipeline.tasks:
            if not task.unit:
                raise ConfigError(f"pipeline {pipeline.name}: task {task.name} has no unit")


def _check_names(where: str, names: list[str]) -> None:
    if "" in names:
        raise ConfigError(f"{where} {names.index('') + 1} has no name")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"{where} {twice} is there twice")


def _check_url(settings: Settings) -> None:
    """A server that can be asked, and that is not this daemon itself: that would ask itself without end."""
    url, http = settings.llm.url, settings.http
    if not url:
        return
    found = re.fullmatch(r"https?://([^/:@\s]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?(?:/\S*)?", url)
    if found is None:
        raise ConfigError(f"llm.url is {url!r}, it must look like http://localhost:8000")
    is_own_port = found[2] is not None and int(found[2]) in (http.port, *http.extra_ports)
    if http.enabled and is_own_port and found[1] in ("localhost", "127.0.0.1", "[::1]", http.host):
        raise ConfigError(f"llm.url is {url}, where this daemon's own http door listens; give it another http.port")


def _value_at(settings: Settings, where: str) -> Any:
    value: Any = settings
    for name in where.split("."):
        value = None if value is None else getattr(value, name)
    return value
