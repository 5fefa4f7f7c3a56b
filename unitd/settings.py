"""Where settings come from: the file, the home directory, the environment. Read once, at the top."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unitd.app import Places
from unitd.core.config import AuthSettings, MqttSettings, Settings, read_settings
from unitd.wire.errors import ConfigError

DEFAULT_FILES = (Path("~/.config/unitd/unitd.toml"), Path("/etc/unitd/unitd.toml"))


def load_settings(path: Path | None, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of a configuration file, or of the first default file that is there, or the defaults.

    Raises:
        ConfigError: the file is missing, is no TOML, or holds what cannot be used.
    """
    if path is None:
        path = next((found for each in DEFAULT_FILES if (found := each.expanduser()).exists()), None)
    document = {} if path is None else _read_toml(path)
    settings = read_settings(document)
    if "dir" not in document.get("state", {}) and (folder := environment.get("STATE_DIRECTORY")):
        settings = replace(settings, state=replace(settings.state, dir=Path(folder)))
    try:
        return _expand(settings, environment.get("RUNTIME_DIRECTORY"))
    except RuntimeError as error:  # a home directory that cannot be found
        raise ConfigError(str(error)) from error


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.expanduser().read_text())
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


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
        auth=_expand_auth(settings.auth),
    )


def _expand_mqtt(mqtt: MqttSettings) -> MqttSettings:
    return replace(mqtt, password_file=mqtt.password_file and mqtt.password_file.expanduser())


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
