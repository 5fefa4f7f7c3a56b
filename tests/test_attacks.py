"""What an attacker tries, as far as no other test tries it; docs/reliability.md has the whole list."""

import asyncio
import importlib
import struct
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import orjson
import psutil
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.programs.bad_unit import bad_unit
from tests.support.servers.brokers import Broker, Listener
from tests.support.setups import KWS_SETUP, LLM_SETUP
from tests.support.units.engine_bench import BUNDLED
from tests.support.waiting import MS, eventually
from unitd.app import App
from unitd.core.config.schema import HomeSettings
from unitd.doors.home.toolbox import open_toolbox
from unitd.doors.http import door
from unitd.runtime.children import process

# The daemon imports it when it has tools; here it comes first, for the guard against blocking calls.
importlib.import_module("jinja2.sandbox")

PING = {"work_id": "sys", "action": "ping"}


@pytest.fixture
async def http_daemon(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon whose HTTP door is open."""
    async with running_app(tmp_path, {"http": {"enabled": True}}, argv_for=bad_unit()) as app:
        yield app


async def told(app: App, request: bytes) -> bytes:
    """All that the HTTP door says to these bytes until it hangs up."""
    reader, writer = await asyncio.open_connection(*app.endpoints["http"])
    writer.write(request)
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


# Paths


@pytest.mark.parametrize("unit", ["llm", "kws", "asr", "tts", "vad"])
@pytest.mark.parametrize("model", ["../../etc/passwd", "/etc/passwd", "..", ".", "unitd-chat/../unitd-chat", "a\0b"])
async def test_a_model_is_a_name_and_no_path(client: WireClient, unit: str, model: str) -> None:
    """What no card and no file in a model folder is called is no model."""
    data = (LLM_SETUP if unit == "llm" else KWS_SETUP) | {"model": model, "response_format": f"{unit}.utf-8"}

    reply = await client.ask(work_id=unit, action="setup", data=data)

    assert reply["error"]["code"] == -5
    assert f"there is no {unit} model" in reply["error"]["message"]


async def test_a_link_in_the_files_leads_nowhere(client: WireClient, tmp_path: Path) -> None:
    """Neither a push nor a pull follows it out, by the link itself or by a folder that is one."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (tmp_path / "files" / "folder").symlink_to(outside)
    (tmp_path / "files" / "file").symlink_to(outside / "secret")

    for name in ("folder/secret", "folder/new", "file"):
        push = await client.ask(work_id="sys", action="push", object=f"sys.file./{name}", data="changed")
        pull = await client.ask(work_id="sys", action="pull", object=f"sys.file./{name}")
        assert (push["error"]["code"], pull["error"]["code"]) == (-17, -17)

    assert [each.name for each in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text() == "secret"


# Models


def patched(at: int, value: bytes) -> bytes:
    """The bundled model with other bytes in its header."""
    content = BUNDLED.read_bytes()
    return content[:at] + value + content[at + len(value) :]


HUGE = struct.pack("<Q", 2**62)
VERSION_AT, TENSORS_AT, KEYS_AT, FIRST_KEY_LENGTH_AT = 4, 8, 16, 24


def value_of(key: bytes, value: bytes) -> bytes:
    """The bundled model with another value of a key that is a number."""
    return patched(BUNDLED.read_bytes().index(key) + len(key) + 4, value)


HOSTILE: dict[str, Callable[[], bytes]] = {
    "unknown version": lambda: patched(VERSION_AT, struct.pack("<I", 2**31)),
    "tensors without number": lambda: patched(TENSORS_AT, HUGE),
    "keys without number": lambda: patched(KEYS_AT, HUGE),
    "a key without end": lambda: patched(FIRST_KEY_LENGTH_AT, HUGE),
    "four billion layers": lambda: value_of(b".block_count", b"\xff\xff\xff\xff"),
    "an embedding of nothing": lambda: value_of(b".embedding_length", bytes(4)),
    "no heads": lambda: value_of(b".attention.head_count", bytes(4)),
}


async def test_a_model_with_hostile_metadata_costs_only_its_own_program(tmp_path: Path) -> None:
    """Each setup is refused in words that name the file; the daemon and other models go on."""
    models = {what.replace(" ", "-"): make() for what, make in HOSTILE.items()}
    refused, answers = await hostile_setups(tmp_path, models)

    assert [name for name, end in refused.items() if (end["code"], name in end["message"]) != (-5, True)] == []
    assert all(answers)


async def hostile_setups(folder: Path, models: dict[str, bytes]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Set a task up with each of these models, and ask it if that succeeds.

    Return the error of the last reply, by model; and what the bundled model answers after each of them.
    """
    (folder / "models").mkdir()
    errors, answers = {}, []
    async with running_app(folder) as app, tcp_client(app) as client:
        good = await client.setup("llm", LLM_SETUP)
        for name, content in models.items():
            (folder / "models" / f"{name}.gguf").write_bytes(content)
            reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"model": name})
            if not reply["error"]["code"]:
                reply = (await client.frames(await client.infer(work_id := reply["work_id"], "hello")))[-1]
                await client.ask(work_id=work_id, action="exit")
            errors[name] = reply["error"]
            answers.append(await client.answer(good, "hello"))
    return errors, answers


def with_template(template: str) -> bytes:
    """The bundled model with another chat template, as long as its own."""
    content = BUNDLED.read_bytes()
    at = content.index(b".chat_template") + len(b".chat_template") + 4
    (length,) = struct.unpack_from("<Q", content, at)
    return patched(at + 8, template.encode() + b"{#" + b" " * (length - len(template) - 4) + b"#}")


HOSTILE_TEMPLATES = (
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ messages.append(messages) }}",
    "{% for each in range(99999999) %}x{% endfor %}",
    "{{ 1 / 0 }}",
    "{% include '/etc/passwd' %}",
    "{% if",
)


async def test_a_hostile_chat_template_does_nothing(tmp_path: Path) -> None:
    """It is rendered in a sandbox: the answer is an error, and the next one of another model is an answer."""
    models = {f"hostile-{at}": with_template(each) for at, each in enumerate(HOSTILE_TEMPLATES)}
    errors, answers = await hostile_setups(tmp_path, models)

    assert [name for name, error in errors.items() if error["code"] not in (-5, -11)] == []
    assert all(answers)


LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


async def test_a_chat_template_that_never_ends_costs_its_own_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is replaced like any program that does not move; who asked is told."""
    monkeypatch.setattr(process, "PING_INTERVAL_SECONDS", 100 * MS)
    monkeypatch.setattr(process, "STALL_TIMEOUT_SECONDS", 1000 * MS)
    (tmp_path / "models").mkdir()
    template = "{% if messages[-1].role == 'user' %}" + LOOP + "{% endif %}"
    (tmp_path / "models" / "hostile.gguf").write_bytes(with_template(template))
    async with running_app(tmp_path) as app, tcp_client(app) as client:
        work_id = await client.setup("llm", LLM_SETUP, model="hostile")

        [*_, end] = await client.frames(await client.infer(work_id, "hello"))

        assert end["error"]["code"] == -11
        assert "did not move" in end["error"]["message"]


class Topics:
    """An MQTT bridge that keeps what is commanded."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, bytes]] = []

    async def command(self, topic: str, payload: bytes) -> bool:
        """Taken at once."""
        self.commands.append((topic, payload))
        return True

    def last_on(self, topic: str) -> bytes | None:
        """Nobody has said anything."""


@pytest.mark.parametrize("words", ["{{ 7 * 7 }}", "{% for each in range(9) %}x{% endfor %}", "{{ ''.__class__ }}"])
async def test_what_a_model_says_is_no_template(tmp_path: Path, words: str) -> None:
    """The arguments of a call are put into the payload as they are."""
    tools = tmp_path / "tools.toml"
    tools.write_text(
        '[[tool]]\nname = "say"\ntopic = "say"\npayload = "{{ words }}"\nparameters.words = {type = "string"}'
    )
    topics = Topics()
    toolbox = await open_toolbox(HomeSettings(tools), topics)

    await toolbox.do({"id": "1", "name": "say", "arguments": {"words": words}})
    await toolbox.close()

    assert topics.commands == [("say", words.encode())]


async def test_a_system_prompt_beyond_all_measure_is_refused_at_once(client: WireClient) -> None:
    """One that is refused before it is counted, too: nobody waits, and no task is left."""
    reply = await client.ask(work_id="llm", action="setup", data=LLM_SETUP | {"prompt": "long " * 100_000})

    assert (reply["work_id"], reply["error"]["code"]) == ("llm", -5)
    assert "the context holds 4096" in reply["error"]["message"]
    assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == []


# 25 rules, each with two ways to the next one: 2^24 ways to say "a".
AMBIGUOUS = "root ::= r0\n" + "\n".join(f'r{n} ::= r{n + 1} "x" | r{n + 1} "y"' for n in range(24)) + '\nr24 ::= "a"'
# 300 words that may be left out: the library looks for all ways around them.
OPTIONAL = f"#JSGF V1.0; grammar g; public <a> = {300 * '[hello] '};"
ASR_SETUP = {"model": "unitd-asr", "response_format": "asr.utf-8", "input": "asr.base64", "enoutput": True}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("unit", "setup", "grammar"),
    [("llm", LLM_SETUP, AMBIGUOUS), ("asr", ASR_SETUP, OPTIONAL)],
    ids=["GBNF", "JSGF"],
)
async def test_a_grammar_that_would_hang_its_program_is_no_task(
    clients: Callable[[], Any], unit: str, setup: dict[str, Any], grammar: str
) -> None:
    """Nobody else waits for it meanwhile, the program stays, and nothing is set up again after a restart."""
    victim, attacker = await clients(), await clients()
    neighbour = await victim.setup(unit, setup)
    programs = children_of(psutil.Process())

    await attacker.send(work_id=unit, action="setup", data=setup | {"grammar": grammar})
    about = await victim.ask(work_id=neighbour, action="taskinfo")
    refused = await attacker.receive(timeout=50)
    tasks = (await victim.ask(work_id="sys", action="lstask"))["data"]

    assert about["error"]["code"] == 0
    assert (refused["work_id"], refused["error"]["code"]) == (unit, -5)
    assert "too complex" in refused["error"]["message"]
    assert [task["work_id"] for task in tasks] == [neighbour]
    assert children_of(psutil.Process()) == programs


def children_of(process: psutil.Process) -> set[int]:
    """The unit programs."""
    return {child.pid for child in process.children()}


# HTTP


POST = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
HIDDEN = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        POST + b"Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello" + HIDDEN,
        POST + b"Content-Length: 5, 50\r\n\r\nhello" + HIDDEN,
        POST + b"Content-Length: 43\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" + HIDDEN,
        POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + HIDDEN,
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        POST + b"Content-Length : 5\r\n\r\nhello" + HIDDEN,
        POST + b"Content-Length: +5\r\n\r\nhello" + HIDDEN,
        POST + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n" + HIDDEN,
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: there\r\n\r\n" + HIDDEN,
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n" + HIDDEN,
    ],
    ids=range(11),
)
async def test_a_request_of_two_meanings_is_the_last_one(http_daemon: App, request_: bytes) -> None:
    """400, and the connection is closed: what stands behind it is nobody's request."""
    answer = await told(http_daemon, request_)

    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1 ") == 1


async def test_a_client_that_dribbles_gives_its_place_up(http_daemon: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request's head has a time to come in; a byte now and then does not make it longer."""
    monkeypatch.setattr(door, "REQUEST_SECONDS", 300 * MS)
    reader, writer = await asyncio.open_connection(*http_daemon.endpoints["http"])
    ended = asyncio.create_task(reader.read())

    for byte in b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 1000:
        if ended.done():
            break
        writer.write(bytes([byte]))
        await asyncio.sleep(10 * MS)

    assert await asyncio.gather(ended, return_exceptions=True)
    assert ended.done()
    assert (await told(http_daemon, HIDDEN.replace(b"Host", b"Connection: close\r\nHost"))).startswith(b"HTTP/1.1 200")
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)


async def test_nothing_is_unpacked(http_daemon: App) -> None:
    """A compressed body is no JSON, and no WebSocket agrees to compress: a bomb stays as small as it came."""
    bomb = b"\x1f\x8b\x08\0\0\0\0\0\0\x03"
    head = POST + b"Connection: close\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    host, port = http_daemon.endpoints["http"]

    answer = await told(http_daemon, head + bomb)
    async with connect(f"ws://{host}:{port}/ws/units", compression="deflate") as ws:
        extensions = ws.protocol.extensions

    assert answer.startswith(b"HTTP/1.1 400")
    assert extensions == []


# Messages


async def ask(ws: ClientConnection, **fields: Any) -> dict[str, Any]:
    """One request and the next line."""
    await ws.send(orjson.dumps({"request_id": "1"} | fields).decode())
    async with asyncio.timeout(5):
        reply: dict[str, Any] = orjson.loads(await ws.recv())
    return reply


async def test_a_header_that_promises_much_takes_one_message(http_daemon: App) -> None:
    """Where messages are whole, a payload that is not all there is refused, and what follows is served."""
    host, port = http_daemon.endpoints["http"]
    async with connect(f"ws://{host}:{port}/ws/units") as ws:
        await ws.send('{"RAW":8000000,"request_id":"1","work_id":"sys","action":"push","object":"sys.file./a"}')

        refused = await ask(ws, **PING)
        served = await ask(ws, **PING)

    assert (refused["error"]["code"], served["error"]["code"]) == (-2, 0)


async def test_a_switch_is_no_way_to_other_actions(
    tmp_path: Path, broker: Broker, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """What comes on a task's switch is ON or OFF; the name of an action does not do it."""
    mqtt = {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}
    async with running_app(tmp_path, {"mqtt": mqtt}, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"))
        work_id = await client.setup("llm", LLM_SETUP)

        await listener.publish(f"unitd/kitchen/{work_id}/work", "exit")
        await eventually(lambda: "a switch is ON or OFF, not 'exit'" in caplog.text)

        assert (await client.ask(work_id="llm", action="taskinfo"))["data"] == [work_id]


# The environment


@pytest.mark.parametrize("name", ["TEXT_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "CREDENTIALS_DIRECTORY"])
async def test_programs_do_not_inherit_what_is_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """/proc/PID/environ of a unit program has the daemon's environment without keys, tokens and passwords."""
    monkeypatch.setenv(name, "not for programs")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    async with running_app(tmp_path, argv_for=bad_unit()) as app, tcp_client(app) as client:
        await client.setup("llm", LLM_SETUP)
        [program] = psutil.Process().children()

        environment = program.environ()

    assert name not in environment
    assert environment["OMP_NUM_THREADS"] == "1"
