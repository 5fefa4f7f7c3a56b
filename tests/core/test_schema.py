"""Covers schema, and loader on a good day: every documented key, and the defaults."""

import dataclasses
import tomllib
from pathlib import Path

import pytest

from unitd.core.config.loader import read_settings, with_environment
from unitd.core.config.schema import Settings


def settings_of(text: str) -> Settings:
    """The settings of a TOML text."""
    return read_settings(tomllib.loads(text))


# The happy day

DOCUMENTED = """
[state]
dir = "/var/lib/unitd"
restore = false
[models]
dir = ["/models", "~/more"]
idle_s = 60
[unix]
enabled = false
path = "/run/unitd.sock"
frame_interval_ms = 0
[tcp]
enabled = true
host = "0.0.0.0"
port = 0
max_connections = 7
frame_interval_ms = 40
[serial]
device = "/dev/ttyS1"
baud = 9600
data_bits = 7
stop_bits = 2
parity = "e"
[http]
enabled = false
host = "::"
port = 8080
extra_ports = [8002, 8006]
api_key = "secret"
connections = 9
record_sessions = true
fetch_images = true
[http.barge_in]
model = "qwen2.5-0.5b"
idle_timeout_s = 20
idle_close_code = 4001
acquire_timeout_s = 1
messages = 1
message_window_s = 2
cancels = 3
cancel_window_s = 4
persona_updates = 5
persona_update_window_s = 6
end_sentinel = "END"
cancel_sentinel = "CANCEL"
system_template = "{persona}"
max_tokens = 7
temperature = 0.1
top_p = 0.2
top_k = 8
min_p = 0.3
repetition_penalty = 1.4
presence_penalty = 0.5
frequency_penalty = 0.6
[mqtt]
host = "broker"
port = 8883
username = "unitd"
password_file = "/etc/unitd/mqtt"
tls = true
ca_file = "/etc/unitd/ca.pem"
cert_file = "/etc/unitd/mqtt.pem"
key_file = "/etc/unitd/mqtt.key"
node = "kitchen"
discovery_prefix = "ha"
[wyoming]
host = "0.0.0.0"
port = 10701
wake_words = ["computer"]
system_prompt = "Be brief."
[home]
tools = "/etc/unitd/tools.toml"
homeassistant_url = "http://homeassistant.local:8123"
homeassistant_token_file = "/etc/unitd/homeassistant-token"
domains = ["light"]
area = "kitchen"
languages = ["de", "en"]
skills = "/etc/unitd/skills"
[auth]
tokens_file = "/etc/unitd/tokens"
tls_cert = "/etc/unitd/cert.pem"
tls_key = "/etc/unitd/key.pem"
trust_loopback = false
without_token = ["wyoming"]
without_tls = ["wyoming"]
[llm]
model = "qwen2.5-0.5b"
url = "http://gpu:8001"
slots = 8
context = 8192
threads = 3
queue = 0
exact = true
[audio]
capture = "file:question.wav"
playback = "USB Audio"
pace = "fast"
echo = "hear"
[limits]
tasks = 2
memory = "512M"
frame_bytes = 4096
outbox_bytes = 65536
unfinished_bytes = 1048576
waiting_bytes = 131072
address = { requests_per_minute = 60, connections = 4, tasks = 1, frame_bytes = 2048 }
[sys]
allow = ["reboot", "bashexec"]
[log]
level = "debug"
format = "json"
[[pipeline]]
name = "assistant"
[[pipeline.tasks]]
name = "mind"
unit = "llm"
data = { prompt = "Be brief." }
[[pipeline]]
name = "empty"
"""

READ = {
    "state": {"dir": Path("/var/lib/unitd"), "restore": False},
    "models": {"dir": (Path("/models"), Path("~/more")), "idle_s": 60.0},
    "unix": {"enabled": False, "path": Path("/run/unitd.sock"), "frame_interval_ms": 0},
    "tcp": {"enabled": True, "host": "0.0.0.0", "port": 0, "max_connections": 7, "frame_interval_ms": 40},
    "serial": {"device": "/dev/ttyS1", "baud": 9600, "data_bits": 7, "stop_bits": 2.0, "parity": "e"},
    "http": {
        "enabled": False,
        "host": "::",
        "port": 8080,
        "extra_ports": (8002, 8006),
        "api_key": "secret",
        "connections": 9,
        "record_sessions": True,
        "fetch_images": True,
        "barge_in": {
            "model": "qwen2.5-0.5b",
            "idle_timeout_s": 20.0,
            "idle_close_code": 4001,
            "acquire_timeout_s": 1.0,
            "messages": 1,
            "message_window_s": 2.0,
            "cancels": 3,
            "cancel_window_s": 4.0,
            "persona_updates": 5,
            "persona_update_window_s": 6.0,
            "end_sentinel": "END",
            "cancel_sentinel": "CANCEL",
            "system_template": "{persona}",
            "max_tokens": 7,
            "temperature": 0.1,
            "top_p": 0.2,
            "top_k": 8,
            "min_p": 0.3,
            "repetition_penalty": 1.4,
            "presence_penalty": 0.5,
            "frequency_penalty": 0.6,
        },
    },
    "mqtt": {
        "host": "broker",
        "port": 8883,
        "username": "unitd",
        "password_file": Path("/etc/unitd/mqtt"),
        "tls": True,
        "ca_file": Path("/etc/unitd/ca.pem"),
        "cert_file": Path("/etc/unitd/mqtt.pem"),
        "key_file": Path("/etc/unitd/mqtt.key"),
        "node": "kitchen",
        "discovery_prefix": "ha",
    },
    "wyoming": {
        "host": "0.0.0.0",
        "port": 10701,
        "wake_words": ("computer",),
        "system_prompt": "Be brief.",
    },
    "home": {
        "tools": Path("/etc/unitd/tools.toml"),
        "homeassistant_url": "http://homeassistant.local:8123",
        "homeassistant_token_file": Path("/etc/unitd/homeassistant-token"),
        "domains": ("light",),
        "area": "kitchen",
        "languages": ("de", "en"),
        "skills": Path("/etc/unitd/skills"),
    },
    "auth": {
        "tokens_file": Path("/etc/unitd/tokens"),
        "tls_cert": Path("/etc/unitd/cert.pem"),
        "tls_key": Path("/etc/unitd/key.pem"),
        "trust_loopback": False,
        "without_token": ("wyoming",),
        "without_tls": ("wyoming",),
    },
    "llm": {
        "model": "qwen2.5-0.5b",
        "url": "http://gpu:8001",
        "slots": 8,
        "context": 8192,
        "threads": 3,
        "queue": 0,
        "exact": True,
    },
    "audio": {"capture": "file:question.wav", "playback": "USB Audio", "pace": "fast", "echo": "hear"},
    "limits": {
        "tasks": 2,
        "memory": "512M",
        "frame_bytes": 4096,
        "outbox_bytes": 65536,
        "unfinished_bytes": 1048576,
        "waiting_bytes": 131072,
        "address": {"requests_per_minute": 60, "connections": 4, "tasks": 1, "frame_bytes": 2048},
    },
    "sys": {"allow": ("reboot", "bashexec")},
    "log": {"level": "debug", "format": "json"},
    "pipeline": (
        {"name": "assistant", "tasks": ({"name": "mind", "unit": "llm", "data": {"prompt": "Be brief."}},)},
        {"name": "empty", "tasks": ()},
    ),
}


def test_every_documented_key_is_read() -> None:
    """The whole tree, as a file with every key makes it."""
    assert dataclasses.asdict(settings_of(DOCUMENTED)) == READ


def test_no_file_is_needed() -> None:
    """Every key has a default, and they are the documented ones."""
    settings = settings_of("")

    assert (settings.tcp.enabled, settings.tcp.host, settings.tcp.port) == (True, "127.0.0.1", 10001)
    assert (settings.http.enabled, settings.http.host, settings.http.port) == (True, "127.0.0.1", 8000)
    assert (settings.llm.slots, settings.llm.context, settings.llm.threads, settings.llm.queue) == (4, 4096, 0, 3)
    assert (settings.limits.tasks, settings.limits.frame_bytes) == (64, 8 * 1024 * 1024)
    assert settings.state.dir == Path("~/.local/state/unitd")
    assert settings.sys.allow == ()


@pytest.mark.parametrize("table", ["serial", "mqtt", "wyoming"])
def test_three_doors_stay_closed_without_their_table(table: str) -> None:
    """A serial line, a broker and Wyoming are opened only when they are named."""
    assert getattr(settings_of(""), table) is None


@pytest.mark.parametrize(
    ("table", "default"),
    [("mqtt", ("127.0.0.1", 1883)), ("wyoming", ("127.0.0.1", 10700))],
)
def test_an_empty_table_opens_its_door(table: str, default: tuple[str, int]) -> None:
    """The table is the switch, its keys have defaults."""
    door = getattr(settings_of(f"[{table}]"), table)

    assert (door.host, door.port) == default


def test_a_serial_line_has_the_original_s_settings() -> None:
    """115200 8N1."""
    serial = settings_of('[serial]\ndevice = "/dev/ttyUSB0"').serial

    assert serial is not None
    assert (serial.baud, serial.data_bits, serial.stop_bits, serial.parity) == (115200, 8, 1, "n")


def test_one_key_leaves_its_neighbours_alone() -> None:
    """A table may be given in part."""
    tcp = settings_of("[tcp]\nport = 5").tcp

    assert (tcp.port, tcp.host, tcp.max_connections) == (5, "127.0.0.1", 256)


def test_settings_cannot_be_changed() -> None:
    """All settings are frozen dataclasses."""
    settings = settings_of("")

    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.tcp.port = 5  # type: ignore[misc]


# Variables

ENVIRONMENT_VALUES = {
    "TEXT_API_KEY": "secret",
    "MAX_CONCURRENT_CONNECTIONS": "24",
    "WS_IDLE_TIMEOUT_S": "0.5",
    "WS_CANCEL_SENTINEL": "STOP",
}


def test_the_barge_in_servers_variables_stand_for_keys() -> None:
    """As its document names them."""
    settings = read_settings(with_environment({}, ENVIRONMENT_VALUES))

    assert (settings.http.api_key, settings.http.connections) == ("secret", 24)
    assert (settings.http.barge_in.idle_timeout_s, settings.http.barge_in.cancel_sentinel) == (0.5, "STOP")


def test_a_key_in_the_file_wins_over_its_variable() -> None:
    """The file is what an administrator reads."""
    document = {"http": {"api_key": "mine", "barge_in": {"idle_timeout_s": 9.0}}}

    settings = read_settings(with_environment(document, ENVIRONMENT_VALUES))

    assert (settings.http.api_key, settings.http.barge_in.idle_timeout_s) == ("mine", 9.0)
    assert document == {"http": {"api_key": "mine", "barge_in": {"idle_timeout_s": 9.0}}}
