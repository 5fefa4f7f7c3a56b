"""Settings: one frozen tree, every key with a default. Prose under each field is its manual; `loader` fills it."""

import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unitd.core.access.grants import Limits
from unitd.wire.framing import DEFAULT_LIMIT_BYTES

# A client that takes one read for one frame reads every answer from 15 on beside a busy task; beside two more busy
# programs it lost two of 600 with 15 and one with 20 (docs/benchmarks.md, `bench/naive.py`).
DEFAULT_FRAME_INTERVAL_MS = 25


@dataclass(frozen=True)
class StateSettings:
    """Where the daemon keeps what must survive it."""

    dir: Path = Path("~/.local/state/unitd")
    """Counter, journal, files of sys.push, endpoints.json; /var/lib/unitd under systemd."""

    restore: bool = True
    """Tasks of clients that come back are there again after a restart; false: as forgetful as the original."""


@dataclass(frozen=True)
class ModelSettings:
    """Where models are found."""

    dir: tuple[Path, ...] = (Path("~/.local/share/unitd/models"), Path("/var/lib/unitd/models"))
    """Folders that hold model folders or GGUF files, looked through in this order before the bundled ones."""

    idle_s: float = 300.0
    """A model that serves requests of HTTP and WebSocket stays loaded for so long after the last one."""


@dataclass(frozen=True)
class UnixSettings:
    """The Unix socket, which the command line uses."""

    enabled: bool = True
    path: Path | None = None
    """Default: unitd.sock in $RUNTIME_DIRECTORY, else in the state directory."""

    frame_interval_ms: int = DEFAULT_FRAME_INTERVAL_MS
    """As of tcp."""


@dataclass(frozen=True)
class TcpSettings:
    """JSON over TCP, the port that clients of the Module LLM know."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: int = 10001
    max_connections: int = 256
    """One more is told so and closed."""

    frame_interval_ms: int = DEFAULT_FRAME_INTERVAL_MS
    """Milliseconds between two frames of one task; text that comes meanwhile is joined. 0: each frame as it comes."""


@dataclass(frozen=True)
class SerialSettings:
    """JSON over a serial line; opens when the table is there."""

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
    """Without a message for so long the socket is closed (WS_IDLE_TIMEOUT_S)."""

    idle_close_code: int = 4000
    """WS_CLOSE_IDLE_CODE."""

    acquire_timeout_s: float = 0.5
    """How long a client waits for a free seat before it is refused (WS_HANDSHAKE_ACQUIRE_TIMEOUT_S)."""

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
    """The system prompt; a line whose names in braces are all empty for a session is left out."""

    max_tokens: int = 256
    """Of one answer."""

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
    """More ports for the same door: 8002 and 8006 are where clients of the original servers look."""

    api_key: str = ""
    """Asked for everywhere but at /health and /healthz; "" asks nobody (TEXT_API_KEY)."""

    connections: int = 256
    """WebSockets open at the same time, of all kinds (MAX_CONCURRENT_CONNECTIONS)."""

    record_sessions: bool = False
    """Keep what was said over /ws/chat in the state directory, for GET /api/sessions/ID."""

    barge_in: BargeInSettings = BargeInSettings()


@dataclass(frozen=True)
class MqttSettings:
    """The MQTT bridge; opens when the table is there."""

    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password_file: Path | None = None
    tls: bool = False
    """Encrypted, usually on port 8883."""

    ca_file: Path | None = None
    """Who signed the broker's certificate, if no authority that the system knows."""

    cert_file: Path | None = None
    """Our own certificate, for brokers that ask for one, and its key."""

    key_file: Path | None = None
    node: str = field(default_factory=socket.gethostname)
    """The board's name in topics: unitd/<node>/…"""

    discovery_prefix: str = "homeassistant"
    """Where Home Assistant looks for devices; "" announces nothing."""


@dataclass(frozen=True)
class WyomingSettings:
    """The Wyoming door; opens when the table is there."""

    host: str = "127.0.0.1"
    """Any other address is announced in the local network too, for Home Assistant to find."""

    port: int = 10700
    wake_words: tuple[str, ...] = ("hey jarvis", "alexa", "hey mycroft", "okay nabu")
    """What a client may choose from."""

    system_prompt: str = ""
    """For what is asked through Home Assistant's Assist."""


@dataclass(frozen=True)
class HomeSettings:
    """What tasks with `"tools": "home"` can switch."""

    tools: Path | None = None
    """The file of tools and devices (tools.toml)."""

    homeassistant_url: str = ""
    """For tools that call a service of Home Assistant, such as http://homeassistant.local:8123."""

    homeassistant_token_file: Path | None = None
    """A long-lived access token."""

    domains: tuple[str, ...] = ()
    """Devices of these domains are read from Home Assistant at start, besides those of the file."""


@dataclass(frozen=True)
class AuthSettings:
    """Who may talk to the daemon from other machines, and that nobody listens on the way."""

    tokens_file: Path | None = None
    """What `unitd token` writes; default: tokens.json in the state directory."""

    tls_cert: Path | None = None
    """The certificate of doors that other machines reach (PEM, with what signed it), and its key."""

    tls_key: Path | None = None
    trust_loopback: bool = True
    """Programs on this machine need no token; false where a proxy or a container brings others in from there."""

    without_token: tuple[str, ...] = ()
    """Doors (tcp, http, wyoming) that take everybody who reaches them for an administrator."""

    without_tls: tuple[str, ...] = ()
    """Doors that other machines may reach in the clear, as behind a proxy or in a network of one's own."""


@dataclass(frozen=True)
class LlmSettings:
    """Defaults of the llm unit."""

    model: str = "unitd-chat"
    """The model that the name "default" stands for."""

    url: str = ""
    """Of an OpenAI-compatible server that computes in this machine's place; `model` is then what it is asked for."""

    slots: int = 4
    """Sequences that are computed side by side in one copy of the weights."""

    context: int = 4096
    """Tokens that one task may hold: system prompt, conversation and answer."""

    threads: int = 0
    """At most; 0: one for each core, one alone for models under 64 MiB. Fewer while others use the cores."""

    queue: int = 3
    """Prompts that may wait behind the running one, for each task."""

    exact: bool | None = None
    """Bit-identical greedy text in any company, a little slower; absent: as the model's card says."""


FILE_PREFIX = "file:"


def maybe_path(device: str) -> Path | None:
    """The file that stands in for a device; None where the setting names no file."""
    return Path(device.removeprefix(FILE_PREFIX)) if device.startswith(FILE_PREFIX) else None


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


BODY_FRAMES = 4
"""So many frames long a body of HTTP may be, or a WebSocket message: a minute of audio as base64 float32 has 5 MB."""

AN_ADDRESS = Limits(connections=32)


@dataclass(frozen=True)
class LimitSettings:
    """What one daemon takes on."""

    address: Limits = AN_ADDRESS
    """What one address of another machine may take, whatever its token; 0 is no limit."""

    tasks: int = 64
    memory: str = "80%"
    """For all models together: a size ("512M", "2G"), or a share of what the board, or its control group, has."""

    frame_bytes: int = DEFAULT_LIMIT_BYTES
    outbox_bytes: int = 4 * 1024 * 1024
    """Unread output after which a network client is disconnected and a serial line loses deltas."""

    unfinished_bytes: int = 64 * 1024 * 1024
    """What all clients together have begun to send and not ended, on all doors; over it the largest is given up."""

    waiting_bytes: int = 16 * 1024 * 1024
    """Requests and prompts of one client that wait for their answers; further ones are refused."""

    @property
    def unfinished(self) -> int:
        """The bound that counts; not less than one body may have."""
        return max(self.unfinished_bytes, BODY_FRAMES * self.frame_bytes)


SYS_POWERS = frozenset({"reboot", "bashexec", "update", "upgrade"})


@dataclass(frozen=True)
class SysSettings:
    """Powers of the original that are off until they are named here."""

    allow: tuple[str, ...] = ()
    """Any of reboot, bashexec, update, upgrade."""


@dataclass(frozen=True)
class PipelineTask:
    """One task of a pipeline."""

    name: str = ""
    """What `input` of the other tasks of this pipeline may say."""

    unit: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    """As in a setup; what it leaves out has a sensible value."""


@dataclass(frozen=True)
class PipelineSettings:
    """A chain of tasks that is there without any client."""

    name: str = ""
    tasks: tuple[PipelineTask, ...] = ()


@dataclass(frozen=True)
class LogSettings:
    """What is written to standard error."""

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
    """Tasks and links set up at boot."""
