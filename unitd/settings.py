"""Loading of the settings from the configuration file, the environment, credentials and the command line.

All problems are reported at once, each with its location: FILE:LINE, a variable, a credential, the command line.
"""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from unitd.app import ProgramFolders
from unitd.core.config.checks import Check
from unitd.core.config.loader import ENVIRONMENT, read_settings, with_environment
from unitd.core.config.problems import Key, Problem, Problems, name_of
from unitd.core.config.schema import FILE_PREFIX, Settings, maybe_path
from unitd.core.config.toml_lines import TomlLines
from unitd.doors.preflight import files_read
from unitd.wire.errors import ConfigError

DEFAULT_FILES = (Path("~/.config/unitd/unitd.toml"), Path("/etc/unitd/unitd.toml"))


CREDENTIALS = {
    "http-api-key": ("http", "api_key"),
    "mqtt-password": ("mqtt", "password_file"),
    "homeassistant-token": ("home", "homeassistant_token_file"),
    "tokens": ("auth", "tokens_file"),
    "tls-cert": ("auth", "tls_cert"),
    "tls-key": ("auth", "tls_key"),
}
"""Files of $CREDENTIALS_DIRECTORY, and the table and key that each of them sets."""

Options = Mapping[str, Mapping[str, Any]]
"""Values of the command line, by table and key."""


def load_settings(
    path: Path | None,
    environment: Mapping[str, str] = os.environ,
    options: Options | None = None,
    checks: Sequence[Check] = (),
) -> Settings:
    """Return the settings of a configuration file, of the first default file that exists, or the defaults.

    `options` win over the file; problems that `checks` find are reported with all others.

    Raises:
        ConfigError: the file is missing, is no TOML, or something in it or in the options cannot be used.
    """
    path = find_configuration(path)
    text, document = ("", {}) if path is None else _read_toml(path)
    document = with_environment(_with_options(document, options or {}), environment)
    credentials = Path(environment["CREDENTIALS_DIRECTORY"]) if "CREDENTIALS_DIRECTORY" in environment else None
    document, unreadable = _with_credentials(document, credentials) if credentials else (document, [])
    if folder := environment.get("STATE_DIRECTORY"):
        document = _with_default(document, "state", "dir", folder)
    expand = partial(_expand, runtime_directory=environment.get("RUNTIME_DIRECTORY"))

    def look_around(settings: Settings) -> Iterator[Problem]:
        yield from unreadable
        for check in checks:
            yield from check(expand(settings))

    try:
        return expand(read_settings(document, look_around))
    except Problems as error:
        sources = _Sources(path, TomlLines(text), options or {}, environment, credentials)
        raise Problems(sources.located(error.problems)) from error
    except RuntimeError as error:  # a home directory that cannot be found
        raise ConfigError(str(error)) from error


def find_configuration(path: Path | None) -> Path | None:
    """Return the file that `load_settings` reads for this path; None if there is none, and the defaults count."""
    return path or next((found for each in DEFAULT_FILES if _is_there(found := each.expanduser())), None)


def files_words(path: Path | None, settings: Settings) -> str:
    """Return a text that lists the configuration file of `path` and the files that it names and that are read."""
    found = find_configuration(path)
    named = [*([found] if found else []), *files_read(settings)]
    without = [] if found else [f"no file (neither {' nor '.join(map(str, DEFAULT_FILES))}), the defaults"]
    return ", ".join([*without, *map(str, named)])


@dataclass(frozen=True)
class _Sources:
    """The sources of the settings."""

    path: Path | None
    lines: TomlLines
    options: Options
    environment: Mapping[str, str]
    credentials: Path | None

    def located(self, problems: Sequence[Problem]) -> list[Problem]:
        """Return problems in the order of the file, each with its location; that of a default is ""."""
        in_order = sorted(problems, key=lambda each: self.lines.of(each.key) or sys.maxsize)
        return [replace(each, location=each.location or self._location_of(each.key)) for each in in_order]

    def _location_of(self, key: Key) -> str:
        if str(key[-1]) in self.options.get(str(key[0]), {}):
            return "command line"
        if key not in self.lines:
            name = name_of(key)
            if variable := next((each for each in self.environment if ENVIRONMENT.get(each) == name), None):
                return f"variable {variable}"
            credential = next((each for each, place in CREDENTIALS.items() if place == key), None)
            if self.credentials and credential and (self.credentials / credential).exists():
                return f"credential {credential}"
        number = self.lines.of(key)
        return f"{self.path}:{number}" if number else ""


def _is_there(path: Path) -> bool:
    """Return whether a file exists; False also if this user may not see it, as the service's in /etc/unitd."""
    try:
        return path.exists()
    except PermissionError:
        return False


def _read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.expanduser().read_text()
        return text, tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ValueError as error:  # no TOML, no text, or a number of thousands of digits
        raise ConfigError(f"{path}: {error}") from error


def _with_options(document: dict[str, Any], options: Options) -> dict[str, Any]:
    """Return the document with the options; a value that should be a table stays, and is refused later."""
    tables = {table: document.get(table, {}) for table in options}
    return document | {name: table | dict(options[name]) for name, table in tables.items() if isinstance(table, dict)}


def _with_default(document: dict[str, Any], table: str, key: str, value: str) -> dict[str, Any]:
    """Return the document with a value for a key that it does not set."""
    values = document.get(table, {})
    return document | {table: {key: value} | values} if isinstance(values, dict) else document


def _with_credentials(document: dict[str, Any], folder: Path) -> tuple[dict[str, Any], list[Problem]]:
    """Return the document with the service manager's credentials (LoadCredential=) for keys that it does not set, and
    the problems of those that cannot be read.
    """
    unreadable = []
    for name, (table, key) in CREDENTIALS.items():
        path = folder / name
        # A password alone must not open a door: mqtt and home open only with their tables.
        if not path.exists() or (table in ("mqtt", "home") and not document.get(table)):
            continue
        try:
            document = _with_default(document, table, key, path.read_text().strip() if table == "http" else str(path))
        except (OSError, UnicodeDecodeError) as error:
            unreadable.append(Problem((table, key), f"{table}.{key}: {path} cannot be read: {error}"))
    return document, unreadable


def _expand(settings: Settings, runtime_directory: str | None) -> Settings:
    """Return the settings with home directories expanded and the path of the Unix socket set."""
    settings = cast(Settings, _with_homes(settings))
    socket_path = settings.unix.path or Path(runtime_directory or settings.state.dir).expanduser() / "unitd.sock"
    audio = replace(
        settings.audio,
        capture=_expand_device(settings.audio.capture),
        playback=_expand_device(settings.audio.playback),
    )
    return replace(settings, unix=replace(settings.unix, path=socket_path), audio=audio)


def _with_homes(value: Any) -> Any:
    """Return a value of the tree with the home directory expanded in every path."""
    if isinstance(value, Path):
        return value.expanduser()
    if isinstance(value, tuple):
        return tuple(map(_with_homes, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{each.name: _with_homes(getattr(value, each.name)) for each in fields(value)})
    return value


def _expand_device(setting: str) -> str:
    path = maybe_path(setting)
    return setting if path is None else f"{FILE_PREFIX}{path.expanduser()}"


def find_program_folders() -> ProgramFolders:
    """Return the folders of the installed program.

    Raises:
        ConfigError: the `units` package is not installed beside this one.
    """
    spec = find_spec("units")  # without an import: the daemon never loads an engine
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError("the package `units` is not installed; install unitd again")
    bundled = Path(next(iter(spec.submodule_search_locations))) / "models"
    configs = Path(__file__).parent / "configs"
    return ProgramFolders(bundled, model_cards=configs / "models", original_models=configs / "original-models.toml")
