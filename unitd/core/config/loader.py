"""Conversion of a parsed TOML document, and of some environment variables, into the tree of settings.

One walk reads every usable value and notes a problem for every other one; defaults replace those. So the tree is always
complete, checks of several keys can run on it, and all problems are reported at once.
"""

import copy
import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from unitd.core.config.checks import CHECKS, Check
from unitd.core.config.problems import Key, Problem, Problems, name_of
from unitd.core.config.schema import SYS_POWERS, Settings

LARGE = 10**300
"""Whole numbers from here on cannot become a float."""


def read_settings(document: dict[str, Any], *checks: Check) -> Settings:
    """Return the settings of a parsed TOML document; `checks` add problems that depend on more than the document.

    Raises:
        Problems: unknown keys, wrong types, numbers out of range, contradictions, and what `checks` found.
    """
    walk = _Walk()
    settings = cast(Settings, walk.read_table(Settings, document, ()))
    unusable = {each.key for each in walk.problems}
    found = [each for check in (*CHECKS, *checks) for each in check(settings)]
    # Problems of a default that replaces an unusable value would only confuse.
    problems = walk.problems + [each for each in found if unusable.isdisjoint(_ways_to(each.key))]
    if problems:
        raise Problems(problems)
    return settings


def _ways_to(key: Key) -> list[Key]:
    """Return the keys of the tables around a key, and the key itself."""
    return [key[:length] for length in range(1, len(key) + 1)]


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
"""Variables of the original barge-in server, and the keys that they set; a key in the file wins."""


def with_environment(document: dict[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the document with values from the environment for keys that it does not set."""
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
            table.setdefault(last, _from_text(typing.get_type_hints(settings)[last], environment[name]))
    return document


def _from_text(wanted: Any, text: str) -> Any:
    """Return a text as the key's type. A text that is no number stays a text, and is refused later."""
    try:
        return wanted(text)
    except ValueError:
        return text


class _Unusable(Exception):
    """A value cannot be used; its problem is noted."""


class _Walk:
    """Walks a document and builds the settings."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read_table(self, table: type[Any], document: Any, where: Key) -> Any:
        """Return the settings of a table, with defaults for missing and unusable values."""
        if not isinstance(document, dict):
            self._refuse(where, "must be a table")
        hints = typing.get_type_hints(table)
        values = {}
        for key, value in document.items():
            try:
                if key not in hints:
                    self._refuse_name((*where, key), hints)
                values[key] = self._read_value(hints[key], value, (*where, key))
            except _Unusable:
                continue
        return table(**values)

    def _read_value(self, wanted: Any, value: Any, where: Key) -> Any:
        """Return a value as the field's type: a table, a list, or a plain value."""
        if typing.get_origin(wanted) is types.UnionType:
            wanted = next(option for option in typing.get_args(wanted) if option is not types.NoneType)
        if is_dataclass(wanted):
            return self.read_table(cast(type[Any], wanted), value, where)
        if typing.get_origin(wanted) is tuple:
            return self._read_list(typing.get_args(wanted)[0], value, where)
        if typing.get_origin(wanted) is dict:
            if not isinstance(value, dict):
                self._refuse(where, "must be a table")
            return value
        return self._read_plain(wanted, value, where)

    def _read_list(self, wanted: Any, value: Any, where: Key) -> Any:
        if not isinstance(value, list):
            self._refuse(where, "must be a list")
        items = []
        for at, each in enumerate(value):
            try:
                items.append(self._read_value(wanted, each, (*where, at)))
            except _Unusable:
                items.append(wanted())  # so that the others keep their indices
        return tuple(items)

    def _read_plain(self, wanted: Any, value: Any, where: Key) -> Any:
        """Return a value of exactly the wanted type."""
        if wanted is float and type(value) is int and abs(value) < LARGE:
            value = float(value)
        if type(value) is not (str if wanted is Path else wanted):
            self._refuse(where, f"must be {_TYPE_NAMES[wanted]}, it is {value!r}")
        self._check_value(value, where)
        return Path(value) if wanted is Path else value

    def _check_value(self, value: Any, where: Key) -> None:
        key = ".".join(part for part in where if isinstance(part, str))
        if key in _RANGES and not _RANGES[key][0] <= value <= _RANGES[key][1]:
            self._refuse(where, "is {}, it must be from {} to {}".format(value, *_RANGES[key]))
        if key in _CHOICES and value not in _CHOICES[key]:
            self._refuse(where, f"is {value!r}, it must be one of {', '.join(map(str, sorted(_CHOICES[key])))}")

    def _refuse(self, where: Key, words: str) -> NoReturn:
        self.problems.append(Problem(where, f"{name_of(where)} {words}"))
        raise _Unusable

    def _refuse_name(self, where: Key, known: Iterable[str]) -> NoReturn:
        near = difflib.get_close_matches(str(where[-1]), known, n=1)
        words = f"unknown key {name_of(where)}" + (f", did you mean {near[0]}?" if near else "")
        self.problems.append(Problem(where, words))
        raise _Unusable


_TYPE_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", Path: "a path"}


_RANGES: dict[str, tuple[float, float]] = {
    "tcp.port": (0, 65535),
    "tcp.max_connections": (1, 65535),
    "tcp.frame_interval_ms": (0, 1000),
    "unix.frame_interval_ms": (0, 1000),
    "models.idle_s": (0, 31_536_000),
    "http.port": (0, 65535),
    "http.extra_ports": (0, 65535),
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
    "limits.address.requests_per_minute": (0, 1_000_000),
    "limits.address.connections": (0, 65535),
    "limits.address.tasks": (0, 100_000),
    "limits.address.frame_bytes": (0, 32 * 1024**2),
    "limits.outbox_bytes": (64 * 1024, 1024**3),
    "limits.unfinished_bytes": (1024 * 1024, 1024**4),
    "limits.waiting_bytes": (64 * 1024, 1024**3),
}
_CHOICES: dict[str, set[Any]] = {
    "serial.parity": {"n", "e", "o"},
    "serial.stop_bits": {1, 1.5, 2},
    "audio.pace": {"real", "fast"},
    "audio.echo": {"mute", "hear"},
    "log.level": {"debug", "info", "warning", "error"},
    "sys.allow": set(SYS_POWERS),
    "log.format": {"auto", "text", "json", "journal"},
}
