"""Covers settings: what a service manager hands over in files of $CREDENTIALS_DIRECTORY."""

from pathlib import Path

import pytest

from unitd.core.config.schema import Settings
from unitd.settings import load_settings
from unitd.wire.errors import ConfigError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where systemd puts credentials."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    return folder


def settings_with(folder: Path, text: str = "", environment: dict[str, str] | None = None) -> Settings:
    """The settings of a configuration beside these credentials."""
    path = folder.parent / "unitd.toml"
    path.write_text(text)
    return load_settings(path, {"CREDENTIALS_DIRECTORY": str(folder)} | (environment or {}))


def test_an_api_key_is_read(folder: Path) -> None:
    """Without the newline that an editor leaves."""
    (folder / "http-api-key").write_text("secret\n")

    assert settings_with(folder).http.api_key == "secret"


def test_files_are_named(folder: Path) -> None:
    """A credential that is read later is passed on as a path."""
    (folder / "mqtt-password").touch()
    (folder / "tls-cert").touch()
    (folder / "tls-key").touch()

    settings = settings_with(folder, '[mqtt]\nhost = "broker"\n')

    assert settings.mqtt is not None
    assert settings.mqtt.password_file == folder / "mqtt-password"
    assert settings.auth.tls_key == folder / "tls-key"


def test_the_configuration_and_the_environment_win(folder: Path) -> None:
    """What an administrator wrote is what counts."""
    (folder / "http-api-key").write_text("secret")

    assert settings_with(folder, '[http]\napi_key = "mine"\n').http.api_key == "mine"
    assert settings_with(folder, environment={"TEXT_API_KEY": "theirs"}).http.api_key == "theirs"


def test_a_password_opens_no_door(folder: Path) -> None:
    """Without [mqtt] there is no bridge, whatever credentials are there."""
    (folder / "mqtt-password").touch()
    (folder / "homeassistant-token").touch()

    assert settings_with(folder) == settings_with(folder.parent / "nothing")


def test_an_unreadable_credential_is_refused(folder: Path) -> None:
    """By its name and its key, at once with all other mistakes."""
    (folder / "http-api-key").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError) as caught:
        settings_with(folder, "tcp.port = -1")

    assert "unitd.toml:1: tcp.port is -1" in str(caught.value)
    assert f"credential http-api-key: http.api_key: {folder}/http-api-key cannot be read: " in str(caught.value)
