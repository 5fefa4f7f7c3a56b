"""Where settings come from: the file, the home directory, the environment. Read once, at the top."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unitd.app import Places
from unitd.core.config import AuthSettings, HomeSettings, MqttSettings, Settings
from unitd.core.reading import read_settings, with_environment
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
"""Files of $CREDENTIALS_DIRECTORY, and the table and key that each stands for."""

Options = Mapping[str, Mapping[str, Any]]
"""What the command line says, by table and key."""


def load_settings(
    path: Path | None, environment: Mapping[str, str] = os.environ, options: Options | None = None
) -> Settings:
    """The settings of a configuration file, or of the first default file that is there, or the defaults.

    `options` win over the file.

    Raises:
        ConfigError: the file is missing, is no TOML, or something in it or in the options cannot be used.
    """
    if path is None:
        path = next((found for each in DEFAULT_FILES if _is_there(found := each.expanduser())), None)
    document = _with_options({} if path is None else _read_toml(path), options or {})
    document = with_environment(document, environment)
    if folder := environment.get("CREDENTIALS_DIRECTORY"):
        document = _with_credentials(document, Path(folder))
    settings = read_settings(document)
    if "dir" not in document.get("state", {}) and (folder := environment.get("STATE_DIRECTORY")):
        settings = replace(settings, state=replace(settings.state, dir=Path(folder)))
    try:
        return _expand(settings, environment.get("RUNTIME_DIRECTORY"))
    except RuntimeError as error:  # a home directory that cannot be found
        raise ConfigError(str(error)) from error


def _is_there(path: Path) -> bool:
    """False also for what this user may not see: /etc/unitd is the service's, people have daemons of their own."""
    try:
        return path.exists()
    except PermissionError:
        return False


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.expanduser().read_text())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _with_options(document: dict[str, Any], options: Options) -> dict[str, Any]:
    """The document as if the options stood in it; a table that is none is left to be complained about."""
    tables = {table: document.get(table, {}) for table in options}
    return document | {name: table | dict(options[name]) for name, table in tables.items() if isinstance(table, dict)}


def _with_credentials(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The document with what the service manager handed over (LoadCredential=) where the rest says nothing."""
    for name, (table, key) in CREDENTIALS.items():
        path, values = folder / name, document.get(table, {})
        # A password opens no door: mqtt and home are there when their tables are.
        if not path.exists() or not isinstance(values, dict) or (table in ("mqtt", "home") and not values):
            continue
        value = _read_secret(path) if table == "http" else str(path)
        document = document | {table: {key: value} | values}
    return document


def _read_secret(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the credential {path.name} cannot be read: {error}") from error


def _expand(settings: Settings, runtime_directory: str | None) -> Settings:
    """Home directories written out, and the Unix socket's place decided."""
    state = settings.state.dir.expanduser()
    socket_path = settings.unix.path or Path(runtime_directory or state) / "unitd.sock"
    return replace(
        settings,
        state=replace(settings.state, dir=state),
        models=replace(settings.models, dir=tuple(each.expanduser() for each in settings.models.dir)),
        unix=replace(settings.unix, path=socket_path.expanduser()),
        mqtt=settings.mqtt and _expand_mqtt(settings.mqtt),
        home=_expand_home(settings.home),
        auth=_expand_auth(settings.auth),
    )


def _expand_mqtt(mqtt: MqttSettings) -> MqttSettings:
    return replace(
        mqtt,
        password_file=mqtt.password_file and mqtt.password_file.expanduser(),
        ca_file=mqtt.ca_file and mqtt.ca_file.expanduser(),
        cert_file=mqtt.cert_file and mqtt.cert_file.expanduser(),
        key_file=mqtt.key_file and mqtt.key_file.expanduser(),
    )


def _expand_home(home: HomeSettings) -> HomeSettings:
    return replace(
        home,
        tools=home.tools and home.tools.expanduser(),
        homeassistant_token_file=home.homeassistant_token_file and home.homeassistant_token_file.expanduser(),
    )


def _expand_auth(auth: AuthSettings) -> AuthSettings:
    return replace(
        auth,
        tokens_file=auth.tokens_file and auth.tokens_file.expanduser(),
        tls_cert=auth.tls_cert and auth.tls_cert.expanduser(),
        tls_key=auth.tls_key and auth.tls_key.expanduser(),
    )


def find_places() -> Places:
    """The folders that come with the installed program.

    Raises:
        ConfigError: the `units` package is not installed beside this one.
    """
    spec = find_spec("units")  # finds, does not import: the daemon never loads an engine
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError("the package `units` is not installed; install unitd again")
    bundled = Path(next(iter(spec.submodule_search_locations))) / "models"
    return Places(bundled_models=bundled, model_cards=Path(__file__).parent / "configs" / "models")
