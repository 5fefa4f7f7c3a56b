"""Settings: one frozen tree, every key with a default and a text about it. `loader` fills it."""

import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unitd.core.access.grants import Limits
from unitd.wire.framing import DEFAULT_LIMIT_BYTES

# A client that expects one frame in each read gets every answer with 15 ms or more beside a busy task; beside two more
# busy programs it lost two of 600 answers with 15 ms and one with 20 ms (docs/benchmarks.md, `bench/naive.py`).
DEFAULT_FRAME_INTERVAL_MS = 25


@dataclass(frozen=True)
class StateSettings:
    """Where the daemon keeps its state."""

    dir: Path = Path("~/.local/state/unitd")
    """Counter, journal, files of sys.push and endpoints.json are here; /var/lib/unitd under systemd."""

    restore: bool = True
    """Restore the tasks of clients after a restart; false: forget them, as the original does."""


@dataclass(frozen=True)
class ModelSettings:
    """Where models are found."""

    dir: tuple[Path, ...] = (Path("~/.local/share/unitd/models"), Path("/var/lib/unitd/models"))
    """Folders with model folders or GGUF files, searched in this order before the bundled models."""

    idle_s: float = 300.0
    """How long a model stays loaded after the last request over HTTP or WebSocket."""


@dataclass(frozen=True)
class UnixSettings:
    """The Unix socket, which the command line uses."""

    enabled: bool = True
    path: Path | None = None
    """Default: unitd.sock in $RUNTIME_DIRECTORY, else in the state directory."""

    frame_interval_ms: int = DEFAULT_FRAME_INTERVAL_MS
    """As for tcp."""


@dataclass(frozen=True)
class TcpSettings:
    """JSON over TCP, on the port that clients of the Module LLM use."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: int = 10001
    max_connections: int = 256
    """A further connection gets an error and is closed."""

    frame_interval_ms: int = DEFAULT_FRAME_INTERVAL_MS
    """Milliseconds between two frames of one task; text that comes meanwhile is joined. 0: send each frame at once."""


@dataclass(frozen=True)
class SerialSettings:
    """JSON over a serial line; opened if the table exists."""

    device: str = ""
    baud: int = 115200
    data_bits: int = 8
    stop_bits: float = 1
    parity: str = "n"
    """n, e or o."""


SYSTEM_TEMPLATE = """{persona}
You speak in this style: {style}.
You are a {gender}.
You talk to a {identity}.
This was said before: {history}"""


@dataclass(frozen=True)
class BargeInSettings:
    """The barge-in text inference socket; the names in capitals are the original's environment variables."""

    model: str = "default"
    idle_timeout_s: float = 150.0
    """The socket is closed after this time without a message (WS_IDLE_TIMEOUT_S)."""

    idle_close_code: int = 4000
    """WS_CLOSE_IDLE_CODE."""

    acquire_timeout_s: float = 0.5
    """How long a client waits for a free connection before it is refused (WS_HANDSHAKE_ACQUIRE_TIMEOUT_S)."""

    messages: int = 25
    """Messages of one connection in a window; 0 here or in a window is no limit (WS_MAX_MESSAGES_PER_WINDOW)."""

    message_window_s: float = 60.0
    """WS_MESSAGE_WINDOW_SECONDS."""

    cancels: int = 25
    """WS_MAX_CANCELS_PER_WINDOW."""

    cancel_window_s: float = 60.0
    """WS_CANCEL_WINDOW_SECONDS."""

    persona_updates: int = 4
    """`chat_prompt` messages of one session in a window (CHAT_PROMPT_UPDATE_MAX_PER_WINDOW)."""

    persona_update_window_s: float = 60.0
    """CHAT_PROMPT_UPDATE_WINDOW_SECONDS."""

    end_sentinel: str = "__END__"
    """WS_END_SENTINEL."""

    cancel_sentinel: str = "__CANCEL__"
    """WS_CANCEL_SENTINEL."""

    system_template: str = SYSTEM_TEMPLATE
    """The system prompt; a line is left out if all its names in braces are empty for a session."""

    max_tokens: int = 256
    """The longest answer."""

    temperature: float = 0.8
    top_p: float = 0.9
    top_k: int = 40
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0


@dataclass(frozen=True)
class HttpSettings:
    """The HTTP and WebSocket door."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: int = 8000
    extra_ports: tuple[int, ...] = ()
    """More ports of the same door; clients of the original servers use 8002 and 8006."""

    api_key: str = ""
    """The key that all routes but /health and /healthz require; "" requires none (TEXT_API_KEY)."""

    connections: int = 256
    """WebSockets open at the same time, of all kinds (MAX_CONCURRENT_CONNECTIONS)."""

    record_sessions: bool = False
    """Keep the conversations of /ws/chat in the state directory, for GET /api/sessions/ID."""

    fetch_images: bool = False
    """Fetch images that requests of OpenAI's API name by an http address, from public hosts only."""

    barge_in: BargeInSettings = BargeInSettings()


@dataclass(frozen=True)
class MqttSettings:
    """The MQTT bridge; opened if the table exists."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password_file: Path | None = None
    tls: bool = False
    """Use TLS, usually on port 8883."""

    ca_file: Path | None = None
    """The authority that signed the broker's certificate, if the system does not know it."""

    cert_file: Path | None = None
    """The daemon's own certificate, for brokers that require one, and its key."""

    key_file: Path | None = None
    node: str = field(default_factory=socket.gethostname)
    """The board's name in topics: unitd/<node>/…"""

    discovery_prefix: str = "homeassistant"
    """The topic in which Home Assistant finds devices; "" announces nothing."""


@dataclass(frozen=True)
class WyomingSettings:
    """The Wyoming door; opened if the table exists."""

    host: str = "127.0.0.1"
    """Any other address is also announced in the local network, so that Home Assistant finds it."""

    port: int = 10700
    wake_words: tuple[str, ...] = ("hey jarvis", "alexa", "hey mycroft", "okay nabu")
    """The wake words that a client may choose from."""

    system_prompt: str = ""
    """The system prompt for questions through Home Assistant's Assist."""


@dataclass(frozen=True)
class HomeSettings:
    """The tools and devices of tasks with `"tools": "home"`."""

    tools: Path | None = None
    """The file of tools and devices (tools.toml)."""

    homeassistant_url: str = ""
    """The address for tools that call a service of Home Assistant, such as http://homeassistant.local:8123."""

    homeassistant_token_file: Path | None = None
    """A long-lived access token; to read devices, an administrator's."""

    domains: tuple[str, ...] = ()
    """Devices of these domains are read from Home Assistant at start, in addition to those of the file."""

    area: str = ""
    """The room of the board: "turn on the lights" means the lights in it. "" means that the room is asked for."""

    languages: tuple[str, ...] = ("en",)
    """The languages in which sentences about the home are understood, the usual one first."""

    skills: Path | None = None
    """A folder of skills of your own, a TOML file each (docs/own-skills.md)."""


@dataclass(frozen=True)
class AuthSettings:
    """Tokens and TLS for clients on other machines."""

    tokens_file: Path | None = None
    """The file that `unitd token` writes; default: tokens.json in the state directory."""

    tls_cert: Path | None = None
    """The certificate (PEM, with its chain) of doors that other machines reach, and its key."""

    tls_key: Path | None = None
    trust_loopback: bool = True
    """Programs on this machine need no token; false if a proxy or a container forwards others from this machine."""

    without_token: tuple[str, ...] = ()
    """Doors (tcp, http, wyoming) that treat every client as an administrator."""

    without_tls: tuple[str, ...] = ()
    """Doors that other machines may reach without TLS, as behind a proxy or in a private network."""


@dataclass(frozen=True)
class LlmSettings:
    """Defaults of the llm unit."""

    model: str = "unitd-chat"
    """The model of the name "default"."""

    url: str = ""
    """The address of an OpenAI-compatible server that computes instead; `model` is then the name of its model."""

    slots: int = 4
    """Sequences that are computed at the same time with one copy of the weights."""

    context: int = 4096
    """Tokens of one task: system prompt, conversation and answer."""

    threads: int = 0
    """The most threads; 0: one for each core, a single one for models under 64 MiB. Fewer while the cores are busy."""

    queue: int = 3
    """Prompts of one task that may wait after the running one."""

    exact: bool | None = None
    """Greedy text is bit-identical whatever else is computed, a little slower; absent: as the model's card says."""


FILE_PREFIX = "file:"


def maybe_path(device: str) -> Path | None:
    """Return the file that a setting names instead of a device; None if it names no file."""
    return Path(device.removeprefix(FILE_PREFIX)) if device.startswith(FILE_PREFIX) else None


@dataclass(frozen=True)
class AudioSettings:
    """The board's microphone and loudspeaker; opened when a task first listens or speaks."""

    capture: str = "default"
    """"default", a part of a device's name, file:PATH (WAV or a FIFO of s16le, 16 kHz, mono), or "" for none."""

    playback: str = "default"
    """The same; a file becomes a WAV of all that is played."""

    pace: str = "real"
    """How fast files are read and written: real, or fast."""

    echo: str = "mute"
    """mute: wake words are not detected while the loudspeaker plays; hear: they are (for headphones, or a microphone
    that cancels the echo itself)."""


BODY_FRAMES = 4
"""The longest HTTP body or WebSocket message, in frames: a minute of audio as base64 float32 has 5 MB."""

AN_ADDRESS = Limits(connections=32)


@dataclass(frozen=True)
class LimitSettings:
    """The limits of one daemon."""

    address: Limits = AN_ADDRESS
    """What one address of another machine may use, whatever its token; 0 is no limit."""

    tasks: int = 64
    memory: str = "80%"
    """Memory of all models together: a size ("512M", "2G"), or a share of the board's or control group's memory."""

    frame_bytes: int = DEFAULT_LIMIT_BYTES
    outbox_bytes: int = 4 * 1024 * 1024
    """Unread output after which a network client is disconnected and a serial line loses deltas."""

    unfinished_bytes: int = 64 * 1024 * 1024
    """Unfinished input of all clients together, on all doors; above it the largest one is dropped."""

    waiting_bytes: int = 16 * 1024 * 1024
    """Requests and prompts of one client that wait for answers; further ones are refused."""

    @property
    def unfinished(self) -> int:
        """The effective limit of unfinished input, which is at least that of one HTTP body."""
        return max(self.unfinished_bytes, BODY_FRAMES * self.frame_bytes)


SYS_POWERS = frozenset({"reboot", "bashexec", "update", "upgrade"})


@dataclass(frozen=True)
class SysSettings:
    """Powerful actions of the original, which are refused unless they are named here."""

    allow: tuple[str, ...] = ()
    """Any of reboot, bashexec, update, upgrade."""


@dataclass(frozen=True)
class PipelineTask:
    """One task of a pipeline."""

    name: str = ""
    """The name by which other tasks of this pipeline refer to it in `input`."""

    unit: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    """The data of a setup; missing keys have defaults."""


@dataclass(frozen=True)
class PipelineSettings:
    """A chain of tasks that is set up without any client."""

    name: str = ""
    tasks: tuple[PipelineTask, ...] = ()


@dataclass(frozen=True)
class LogSettings:
    """The log."""

    level: str = "info"
    """debug, info, warning or error; prompts and answers appear at debug only."""

    format: str = "auto"
    """text, json (an object per line), journal (systemd's, with fields); auto: the journal under systemd, else text."""


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
    home: HomeSettings = HomeSettings()
    auth: AuthSettings = AuthSettings()
    llm: LlmSettings = LlmSettings()
    audio: AudioSettings = AudioSettings()
    limits: LimitSettings = LimitSettings()
    sys: SysSettings = SysSettings()
    log: LogSettings = LogSettings()
    pipeline: tuple[PipelineSettings, ...] = ()
    """Tasks and links that are set up at boot."""
