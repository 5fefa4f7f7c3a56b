"""Covers serve's options of the chunked streaming server, and what the configuration makes of them."""

from pathlib import Path

import pytest

from tests.support.command_line import unitd
from unitd.__main__ import build_parser
from unitd.core.config.loader import read_settings
from unitd.core.config.schema import Settings
from unitd.core.models.catalog import Catalog, remote_card
from unitd.serve import chosen_options
from unitd.settings import load_settings
from unitd.wire.errors import ConfigError


def settings_of(command: str, path: Path) -> Settings:
    """What `unitd serve` would run with."""
    arguments = build_parser().parse_args(["serve", "--config", str(path), *command.split()])
    return load_settings(arguments.config, {}, chosen_options(arguments))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A configuration that says something about everything."""
    path = tmp_path / "unitd.toml"
    path.write_text(
        '[llm]\nslots = 2\ncontext = 512\n[http]\nhost = "127.0.0.1"\nport = 9000\n[auth]\nwithout_tls = ["http"]\n'
    )
    return path


def test_options_of_the_original_set_their_keys(file: Path) -> None:
    """The command line wins over the file, key by key."""
    settings = settings_of("--llama-url http://localhost:8000 --num-slots 1 --host 0.0.0.0 -p 8002", file)

    assert (settings.llm.url, settings.llm.slots) == ("http://localhost:8000", 1)
    assert (settings.http.host, settings.http.port) == ("0.0.0.0", 8002)
    assert settings.llm.context == 512


def test_without_options_the_file_counts(file: Path) -> None:
    """An option that was not given changes nothing in the configuration."""
    settings = settings_of("", file)

    assert (settings.llm.url, settings.llm.slots, settings.http.port) == ("", 2, 9000)


async def test_a_bad_option_is_refused_like_a_bad_key(file: Path) -> None:
    """Exit code 78 and a sentence."""
    done = await unitd("serve", "--check", "--config", str(file), "--num-slots", "0")

    assert (done.code, done.out) == (78, "")
    assert "command line: llm.slots is 0, it must be from 1 to 64" in done.err


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x", "http://", "http://a b", "http://user:word@x"])
def test_a_url_must_be_one(url: str) -> None:
    """Of a server that speaks HTTP."""
    with pytest.raises(ConfigError, match="it must look like"):
        read_settings({"llm": {"url": url}})


@pytest.mark.parametrize("url", ["http://localhost:8000", "http://127.0.0.1:8000/v1", "http://[::1]:8002"])
def test_a_daemon_does_not_ask_itself(url: str) -> None:
    """It would without end: the original's URL is this daemon's own default address."""
    with pytest.raises(ConfigError, match="own http door"):
        read_settings({"llm": {"url": url}, "http": {"extra_ports": [8002]}})


@pytest.mark.parametrize("url", ["http://gpu:8000", "https://gpu.example/v1/", "http://localhost:8001", "http://[::1]"])
def test_other_servers_may_be_asked(url: str) -> None:
    """Whatever port or path they have."""
    assert read_settings({"llm": {"url": url}}).llm.url == url


def test_an_address_makes_a_card() -> None:
    """The model of the configuration is what the server is asked for; bundled models keep their names."""
    card = remote_card("http://gpu:8000/", "qwen3")

    assert (card.name, card.engine, card.is_installed) == ("gpu:8000", "openai", True)
    assert card.engine_options == {"base_url": "http://gpu:8000/v1", "remote_model": "qwen3"}
    assert remote_card("http://gpu:8000/v1", "x").engine_options["base_url"] == "http://gpu:8000/v1"
    assert Catalog([], [card], card.name).resolve("llm", "default") is card
