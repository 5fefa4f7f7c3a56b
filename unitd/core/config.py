"""Settings: one frozen tree, read once from TOML, every key with a default. Prose under each field is its manual.

`read_settings` turns the parsed TOML into the tree; what it cannot use it refuses with the key's name. The tables of
doors that come later (http, mqtt, wyoming, auth) are accepted and checked already.
"""

import difflib
import socket
import types
import typing
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, cast

from unitd.wire.errors import ConfigError
from unitd.wire.framing import DEFAULT_LIMIT_BYTES


@dataclass(frozen=True)
class StateSettings:
    """Where the daemon keeps what must survive it."""

    dir: Path = Path("~/.local/state/unitd")
    """Counter, files of sys.push, endpoints.json; /var/lib/unitd under systemd."""


@dataclass(frozen=True)
class ModelSettings:
    """Where models are found."""

    dir: tuple[Path, ...] = (Path("~/.local/share/unitd/models"), Path("/var/lib/unitd/models"))
    """Folders that hold model folders or GGUF files, looked through in this order before the bundled ones."""


@dataclass(frozen=True)
class UnixSettings:
    """The Unix socket, which the command line uses."""

    enabled: bool = True
    path: Path | None = None
    """Default: unitd.sock in $RUNTIME_DIRECTORY, else in the state directory."""


@dataclass(frozen=True)
class TcpSettings:
    """JSON over TCP, the port that clients of the Module LLM know."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: int = 10001
    max_connections: int = 256
    """One more is told so and closed."""


@dataclass(frozen=True)
class SerialSettings:
    """JSON over a serial line; opens when the table is there."""

    device: str = ""
    baud: int = 115200
    data_bits: int = 8
    stop_bits: float = 1
    parity: str = "n"
    """n, e or o."""


@dataclass(frozen=True)
class HttpSettings:
    """The HTTP and WebSocket door."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: int = 8000
    extra_ports: tuple[int, ...] = ()


@dataclass(frozen=True)
class MqttSettings:
    """The MQTT bridge; opens when the table is there."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password_file: Path | None = None
    node: str = field(default_factory=socket.gethostname)
    discovery_prefix: str = "homeassistant"


@dataclass(frozen=True)
class WyomingSettings:
    """The Wyoming door; opens when the table is there."""

    host: str = "127.0.0.1"
    port: int = 10700


@dataclass(frozen=True)
class AuthSettings:
    """Who may talk to the daemon from other machines."""

    tokens_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


@dataclass(frozen=True)
class LlmSettings:
    """Defaults of the llm unit."""

    model: str = "unitd-chat"
    """The model that the name "default" stands for."""

    slots: int = 4
    """Sequences that are computed side by side in one copy of the weights."""

    context: int = 4096
    """Tokens that one task may hold: system prompt, conversation and answer."""

    threads: int = 0
    """0: one for each core, one alone for models under 64 MiB."""

    queue: int = 3
    """Prompts that may wait behind the running one, for each task."""

    exact: bool | None = None
    """Bit-identical greedy text in any company, a little slower; absent: as the model's card says."""


@dataclass(frozen=True)
class AudioSettings:
    """The board's microphone and loudspeaker; used once a task listens or speaks."""

    capture: str = "default"
    """"default", a part of a device's name, file:PATH (WAV or a FIFO of s16le, 16 kHz, mono), or "" for none."""

    playback: str = "default"
    """The same; a file becomes a WAV of everything that is played."""

    pace: str = "real"
    """How fast files are read and written: real, or fast."""

    echo: str = "mute"
    """mute: wake words are not listened for while the loudspeaker plays; hear: they are (headphones, or a microphone
    that cancels the echo itself)."""


@dataclass(frozen=True)
class LimitSettings:
    """What one daemon takes on."""

    tasks: int = 64
    frame_bytes: int = DEFAULT_LIMIT_BYTES
    outbox_bytes: int = 4 * 1024 * 1024
    """Unread output after which a network client is disconnected and a serial line loses deltas."""


SYS_POWERS = frozenset({"reboot", "bashexec", "update", "upgrade"})


@dataclass(frozen=True)
class SysSettings:
    """Powers of the original that are off until they are named here."""

    allow: tuple[str, ...] = ()
    """Any of reboot, bashexec, update, upgrade."""


@dataclass(frozen=True)
class LogSettings:
    """What is written to standard error."""

    level: str = "info"
    """debug, info, warning or error; prompts and answers appear at debug only."""


@dataclass(frozen=True)
class Settings:
    """The whole tree; a door without a table (None) stays closed."""

    state: StateSettings = StateSettings()
    models: ModelSettings = ModelSettings()
    unix: UnixSettings = UnixSettings()
    tcp: TcpSettings = TcpSettings()
    serial: SerialSettings | None = None
    http: HttpSettings = HttpSettings()
    mqtt: MqttSettings | None = None
    wyoming: WyomingSettings | None = None
    auth: AuthSettings = AuthSettings()
    llm: LlmSettings = LlmSettings()
    audio: AudioSettings = AudioSettings()
    limits: LimitSettings = LimitSettings()
    sys: SysSettings = SysSettings()
    log: LogSettings = LogSettings()
    pipeline: tuple[dict[str, Any], ...] = ()
    """Tasks and links set up at boot."""


def read_settings(document: dict[str, Any]) -> Settings:
    """The tree from a parsed TOML document.

    Raises:
        ConfigError: an unknown key, a wrong type or a number out of range; the reason names the key.
    """
    settings = cast(Settings, _read_table(Settings, document, ""))
    _check_ranges(settings)
    return settings


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
    "http.port": (0, 65535),
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
}


def _check_ranges(settings: Settings) -> None:
    for where, (low, high) in _RANGES.items():
        value = _value_at(settings, where)
        if value is not None and not low <= value <= high:
            raise ConfigError(f"{where} is {value}, it must be from {low} to {high}")
    for port in settings.http.extra_ports:
        if not 0 <= port <= 65535:
            raise ConfigError(f"http.extra_ports holds {port}, a port is from 0 to 65535")
    for where, choices in _CHOICES.items():
        value = _value_at(settings, where)
        if value is not None and value not in choices:
            raise ConfigError(f"{where} is {value!r}, it must be one of {', '.join(map(str, sorted(choices)))}")
    if unknown := set(settings.sys.allow) - SYS_POWERS:
        raise ConfigError(f"sys.allow names {min(unknown)!r}, it may name {', '.join(sorted(SYS_POWERS))}")
    if settings.serial is not None and not settings.serial.device:
        raise ConfigError("serial.device is missing")


def _value_at(settings: Settings, where: str) -> Any:
    table, _, key = where.partition(".")
    section = getattr(settings, table)
    return None if section is None else getattr(section, key)
