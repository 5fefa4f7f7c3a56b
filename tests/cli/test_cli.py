"""Covers cli, serve, settings and __main__: the installed console script, run as people run it."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson
import psutil
import pytest

from tests.conftest import running_app
from tests.helpers import KWS_SETUP, eventually
from tests.runtime.bad_unit import bad_unit
from unitd import __version__
from unitd.app import App
from unitd.settings import load_settings
from unitd.wire.errors import ConfigError

UNITD = str(Path(sys.executable).with_name("unitd"))
PING = '{"request_id":"1","work_id":"sys","action":"ping"}'
KWS = orjson.dumps({"request_id": "1", "work_id": "kws", "action": "setup", "data": KWS_SETUP}).decode()
LLM = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8", "enoutput": True, "prompt": ""}


STARTED: list[asyncio.subprocess.Process] = []


@pytest.fixture(autouse=True)
async def no_programs() -> AsyncIterator[None]:
    """What a failing test leaves running does not spoil the next one."""
    yield
    for process in STARTED:
        if process.returncode is None:
            process.kill()
            await process.wait()
    STARTED.clear()


@dataclass(frozen=True)
class Finished:
    """What a program left behind."""

    code: int
    out: str
    err: str


async def unitd(*arguments: str, stdin: str = "", environment: dict[str, str] | None = None) -> Finished:
    """Runs `unitd` with a pipe at each end."""
    process = await start(*arguments, environment=environment)
    out, err = await process.communicate(stdin.encode())
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


async def start(*arguments: str, environment: dict[str, str] | None = None) -> asyncio.subprocess.Process:
    """Starts `unitd`; nothing of the user's own configuration reaches it."""
    process = await asyncio.create_subprocess_exec(
        UNITD,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"} | (environment or {}),
        # Who runs these tests in the background has Ctrl-C ignored, and programs inherit that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    STARTED.append(process)
    return process


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration that keeps everything in the test's folder."""
    path = tmp_path / "unitd.toml"
    path.write_text(
        f'[state]\ndir = "{tmp_path}/state"\n[models]\ndir = []\n[tcp]\nport = 0\n[http]\nport = 0\n'
        f'[audio]\ncapture = ""\nplayback = "file:{tmp_path}/heard.wav"\npace = "fast"\n'
    )
    return path


@asynccontextmanager
async def serving(config: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A real `unitd serve` that is ready; ended with SIGTERM unless the test has ended it."""
    process = await start("serve", "--config", str(config))
    try:
        await eventually(lambda: (config.parent / "state" / "endpoints.json").exists(), timeout=10)
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


@pytest.fixture
async def served(config: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """`unitd serve` with that configuration."""
    async with serving(config) as process:
        yield process


@pytest.fixture
async def echo_daemon(tmp_path: Path) -> AsyncIterator[App]:
    """A daemon whose llm says what it is told, so that words may be compared."""
    async with running_app(tmp_path / "state", argv_for=bad_unit()) as app:
        yield app


@pytest.fixture
def at_socket(echo_daemon: App) -> Sequence[str]:
    """The option that leads to the echoing daemon."""
    return ("--socket", str(echo_daemon.endpoints["unix"]))


# Words about itself


@pytest.mark.parametrize("command", ["", "serve", "chat", "send", "say", "listen", "chain", "tasks", "doctor"])
async def test_help_is_there(command: str) -> None:
    """Every command explains itself on stdout."""
    done = await unitd(*command.split(), "--help")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: unitd {command}".rstrip())


async def test_version_is_the_packages() -> None:
    """One line."""
    assert await unitd("--version") == Finished(0, f"unitd {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["dance"], ["send"], ["serve", "--no-such-option"]], ids=" ".join)
async def test_wrong_arguments_are_told_on_stderr(arguments: list[str]) -> None:
    """Usage and exit code 2, nothing on stdout."""
    done = await unitd(*arguments)

    assert (done.code, done.out) == (2, "")
    assert "usage: unitd" in done.err


# serve


async def test_good_configuration_passes_the_check(config: Path) -> None:
    """--check says so and starts nothing."""
    done = await unitd("serve", "--check", "--config", str(config))

    assert (done.code, done.err) == (0, "")
    assert "fine" in done.out
    assert not (config.parent / "state").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tcp]\nprot = 1", "tcp.prot, did you mean port?"),
        ("[tcp]\nport = 'x'", "tcp.port must be a whole number"),
        ("[tcp]\nport = 70000", "tcp.port is 70000"),
        ("[serial]\nbaud = 9600", "serial.device is missing"),
        ("[log]\nlevel = 'loud'", "log.level is 'loud'"),
        ("tcp = 3", "tcp must be a table"),
        ("[tcp", "unitd.toml"),
    ],
)
@pytest.mark.parametrize("check", [["--check"], []], ids=["check", "serve"])
async def test_bad_configuration_is_refused(tmp_path: Path, text: str, words: str, check: list[str]) -> None:
    """Exit code 78 and one sentence that names the key."""
    path = tmp_path / "unitd.toml"
    path.write_text(text)

    done = await unitd("serve", *check, "--config", str(path))

    assert (done.code, done.out) == (78, "")
    assert words in done.err
    assert done.err.count("\n") == 1


async def test_missing_configuration_is_refused(tmp_path: Path) -> None:
    """A file that was named must be there."""
    done = await unitd("serve", "--config", str(tmp_path / "nowhere.toml"))

    assert done.code == 78
    assert "nowhere.toml: No such file" in done.err


async def test_second_daemon_is_refused_with_a_sentence(served: asyncio.subprocess.Process, config: Path) -> None:
    """Exit code 78, no traceback."""
    done = await unitd("serve", "--config", str(config))

    assert done.code == 78
    assert "another daemon uses" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_signal_stops_the_daemon_in_order(config: Path, number: signal.Signals) -> None:
    """Exit code 0, no child left, nothing on stdout, no traceback."""
    async with serving(config) as daemon:
        assert (await unitd("send", "--config", str(config), KWS)).code == 0
        children = psutil.Process(daemon.pid).children(recursive=True)

        daemon.send_signal(number)
        out, err = await daemon.communicate()

    assert (daemon.returncode, out, len(children)) == (0, b"", 1)
    assert b"Traceback" not in err
    assert not any(child.is_running() for child in children)
    assert not (config.parent / "state" / "endpoints.json").exists()


async def test_killed_daemon_takes_its_children_along(config: Path) -> None:
    """Even kill -9 leaves no orphan: a child whose channel ends goes."""
    async with serving(config) as daemon:
        await unitd("send", "--config", str(config), KWS)
        children = psutil.Process(daemon.pid).children(recursive=True)

        daemon.kill()
        await daemon.wait()

    await eventually(lambda: not any(child.is_running() for child in children))


async def test_log_level_of_the_command_line_wins(config: Path) -> None:
    """At error level a good day leaves no line."""
    process = await start("serve", "--config", str(config), "--log-level", "error")
    await eventually(lambda: (config.parent / "state" / "endpoints.json").exists(), timeout=10)

    process.terminate()

    assert await process.communicate() == (b"", b"")


# send


async def test_send_prints_the_reply(served: asyncio.subprocess.Process, config: Path) -> None:
    """One JSON line on stdout, exit code 0."""
    done = await unitd("send", "--config", str(config), PING)

    assert (done.code, done.err) == (0, "")
    reply = orjson.loads(done.out)
    assert (reply["request_id"], reply["error"]["code"]) == ("1", 0)


async def test_send_reads_stdin(at_socket: Sequence[str]) -> None:
    """A dash stands for the pipe."""
    done = await unitd("send", *at_socket, "-", stdin=PING)

    assert done.code == 0
    assert orjson.loads(done.out)["request_id"] == "1"


async def test_send_fails_with_the_reply(at_socket: Sequence[str]) -> None:
    """An error code is printed like any reply, and is exit code 1."""
    done = await unitd("send", *at_socket, '{"request_id":"1","work_id":"llm.7","action":"exit"}')

    assert done.code == 1
    assert orjson.loads(done.out)["error"]["code"] == -6


async def test_send_prints_an_inference_to_its_end(at_socket: Sequence[str]) -> None:
    """Every frame is a line, the last one finishes."""
    setup = {"request_id": "1", "work_id": "llm", "action": "setup", "data": LLM}
    task = orjson.loads((await unitd("send", *at_socket, orjson.dumps(setup).decode())).out)["work_id"]
    question = {"request_id": "2", "work_id": task, "action": "inference", "object": "llm.utf-8", "data": "one two"}

    done = await unitd("send", *at_socket, orjson.dumps(question).decode())

    frames = [orjson.loads(line)["data"] for line in done.out.splitlines()]
    assert done.code == 0
    assert [frame["delta"] for frame in frames] == ["one ", "two", ""]
    assert [frame["finish"] for frame in frames] == [False, False, True]


@pytest.mark.parametrize("text", ['{"request_id":"1"}', '{"request_id":5,"work_id":"sys"}'])
async def test_send_of_a_bad_request_fails(at_socket: Sequence[str], text: str) -> None:
    """The daemon's -2 is printed."""
    done = await unitd("send", *at_socket, text)

    assert done.code == 1
    assert orjson.loads(done.out)["error"]["code"] == -2


@pytest.mark.parametrize("text", ["hello", '{"request_id":"1"', '{"request_id":}', "[]", ""])
async def test_send_of_no_object_fails_at_once(at_socket: Sequence[str], text: str) -> None:
    """What no daemon would answer is refused before it is sent."""
    async with asyncio.timeout(4):
        done = await unitd("send", *at_socket, text)

    assert (done.code, done.out) == (1, "")
    assert "JSON" in done.err


async def test_send_gives_up_after_the_wait(at_socket: Sequence[str]) -> None:
    """--wait is how long a silent daemon is listened to."""
    setup = {"request_id": "1", "work_id": "llm", "action": "setup", "data": LLM}
    task = orjson.loads((await unitd("send", *at_socket, orjson.dumps(setup).decode())).out)["work_id"]
    question = {"request_id": "2", "work_id": task, "action": "inference", "object": "llm.utf-8", "data": "linger"}

    done = await unitd("send", *at_socket, "--wait", "0.3", orjson.dumps(question).decode())

    assert (done.code, done.out) == (1, "")
    assert "no answer within 0.3 s" in done.err


@pytest.mark.parametrize("command", [["send", PING], ["tasks"], ["chat", "hello"]], ids=lambda each: str(each[0]))
async def test_without_a_daemon_there_is_a_clear_message(tmp_path: Path, command: list[str]) -> None:
    """Exit code 1, the path that was tried, and how to start one."""
    done = await unitd(*command, "--socket", str(tmp_path / "nowhere.sock"))

    assert (done.code, done.out) == (1, "")
    assert "nowhere.sock" in done.err
    assert "unitd serve" in done.err
    assert "Traceback" not in done.err


async def test_bad_configuration_stops_a_client_too(tmp_path: Path) -> None:
    """The file that should name the socket is wrong: a sentence, exit code 1."""
    (tmp_path / "unitd.toml").write_text("[unix]\npaht = 'x'")

    done = await unitd("tasks", "--config", str(tmp_path / "unitd.toml"))

    assert done.code == 1
    assert "unix.paht" in done.err


# tasks


async def test_piped_tasks_are_tab_separated_and_never_cut(at_socket: Sequence[str]) -> None:
    """A line for each task under a line of names, whatever the width of the terminal."""
    assert (await unitd("send", *at_socket, KWS)).code == 0

    done = await unitd("tasks", *at_socket, environment={"COLUMNS": "20"})

    head, row = [line.split("\t") for line in done.out.splitlines()]
    assert head[:4] == ["work_id", "model", "state", "queue"]
    assert row[:6] == ["kws.1000", KWS_SETUP["model"], "idle", "0", "sys.pcm", "unix"]
    assert (done.code, done.err, len(row)) == (0, "", len(head))


async def test_piped_tasks_without_tasks_are_the_head_only(served: asyncio.subprocess.Process, config: Path) -> None:
    """A script counts no tasks."""
    done = await unitd("tasks", "--config", str(config))

    assert (done.code, done.out.count("\n")) == (0, 1)


# doctor


async def test_doctor_finds_a_healthy_machine(config: Path) -> None:
    """Everything needed is there: exit code 0, also without a daemon."""
    done = await unitd("doctor", "--config", str(config))

    assert (done.code, done.err) == (0, "")
    assert "MISSING" not in done.out
    assert "bundled model" in done.out
    assert "nobody listens" in done.out


async def test_doctor_sees_the_daemon(served: asyncio.subprocess.Process, config: Path) -> None:
    """And says where it listens."""
    done = await unitd("doctor", "--config", str(config), environment={"COLUMNS": "20"})

    assert done.code == 0
    assert f"daemon: listens on {config.parent}/state/unitd.sock\n" in done.out


@pytest.mark.parametrize(
    ("text", "words"),
    [('[serial]\ndevice = "/dev/no-such-line"', "/dev/no-such-line is not there"), ("[tcp]\nprot = 1", "tcp.prot")],
    ids=["serial", "configuration"],
)
async def test_doctor_fails_when_something_needed_is_missing(tmp_path: Path, text: str, words: str) -> None:
    """Exit code 1, the finding, and what to do about it."""
    (tmp_path / "unitd.toml").write_text(text)

    done = await unitd("doctor", "--config", str(tmp_path / "unitd.toml"))

    assert done.code == 1
    assert words in done.out
    assert "→" in done.out


# chat


async def test_chat_answers_one_question(at_socket: Sequence[str]) -> None:
    """The answer and a newline on stdout, nothing else anywhere; the task is ended."""
    done = await unitd("chat", *at_socket, "hello there")

    assert done == Finished(0, "hello there\n", "")
    assert (await unitd("tasks", *at_socket)).out.count("\n") == 1


async def test_chat_speaks_with_the_bundled_model(served: asyncio.subprocess.Process, config: Path) -> None:
    """From the console script to the weights and back."""
    done = await unitd("chat", "--config", str(config), "--max-tokens", "8", "hello")

    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("\n")


async def test_chat_reads_questions_from_a_pipe(at_socket: Sequence[str]) -> None:
    """A question per line, empty lines are none, an answer per line, no prompt in between."""
    done = await unitd("chat", *at_socket, stdin="one two\n\nthree\n")

    assert done == Finished(0, "one two\nthree\n", "")


async def test_chat_reports_a_failure(at_socket: Sequence[str]) -> None:
    """A child that dies is a sentence on stderr and exit code 1."""
    done = await unitd("chat", *at_socket, "hello abort")

    assert (done.code, done.out) == (1, "hello \n")
    assert "died" in done.err
    assert "Traceback" not in done.err


async def test_chat_with_an_unknown_model_fails(at_socket: Sequence[str]) -> None:
    """The daemon's reason is shown."""
    done = await unitd("chat", *at_socket, "--model", "no-such-model", "hello")

    assert (done.code, done.out) == (1, "")
    assert "no-such-model" in done.err


async def test_chat_survives_output_that_is_not_read(at_socket: Sequence[str]) -> None:
    """`unitd chat | head` ends quietly."""
    process = await start("chat", *at_socket, "tick")
    assert process.stdout is not None
    assert process.stderr is not None
    await process.stdout.readexactly(5)

    process.stdout._transport.close()  # type: ignore[attr-defined]  # the only way to hang up a pipe in asyncio

    assert await process.stderr.read() == b""
    assert await process.wait() == 1


@pytest.fixture
async def endless(at_socket: Sequence[str]) -> AsyncIterator[asyncio.subprocess.Process]:
    """A chat in the middle of an answer that never ends by itself."""
    process = await start("chat", *at_socket, "tick")
    assert process.stdout is not None
    await process.stdout.readexactly(5)
    yield process


async def test_ctrl_c_interrupts_the_answer(endless: asyncio.subprocess.Process, at_socket: Sequence[str]) -> None:
    """What was said stays, the line is ended, the task too; exit code 130."""
    endless.send_signal(signal.SIGINT)
    out, err = await endless.communicate()

    assert (endless.returncode, err) == (130, b"")
    assert (b"tick " + out).endswith(b"tick \n")
    assert (await unitd("tasks", *at_socket)).out.count("\n") == 1


async def test_ctrl_c_in_a_piped_conversation_goes_on(at_socket: Sequence[str]) -> None:
    """The interrupted answer ends, the next question is asked."""
    process = await start("chat", *at_socket)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"tick\nand now\n")
    await process.stdout.readexactly(5)

    process.send_signal(signal.SIGINT)

    out, err = await process.communicate(b"")
    assert (process.returncode, err) == (0, b"")
    assert out.endswith(b"\nand now\n")


async def test_chat_of_a_daemon_that_stops_ends(endless: asyncio.subprocess.Process, echo_daemon: App) -> None:
    """It does not wait for ever, and shows no traceback."""
    echo_daemon.stop()

    _, err = await endless.communicate()

    assert endless.returncode == 1
    assert b"Traceback" not in err


# settings


@pytest.fixture
def settings_file(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a configuration file."""

    def write(text: str) -> Path:
        path = tmp_path / "unitd.toml"
        path.write_text(text)
        return path

    return write


def test_service_managers_directories_are_the_default(settings_file: Callable[[str], Path]) -> None:
    """systemd's StateDirectory= and RuntimeDirectory= count where the file says nothing."""
    environment = {"STATE_DIRECTORY": "/var/lib/unitd", "RUNTIME_DIRECTORY": "/run/unitd"}

    settings = load_settings(settings_file(""), environment)

    assert settings.state.dir == Path("/var/lib/unitd")
    assert settings.unix.path == Path("/run/unitd/unitd.sock")


def test_the_file_wins_over_the_service_manager(settings_file: Callable[[str], Path]) -> None:
    """What an administrator wrote is what counts."""
    environment = {"STATE_DIRECTORY": "/var/lib/unitd", "RUNTIME_DIRECTORY": "/run/unitd"}
    text = '[state]\ndir = "/data"\n[unix]\npath = "/tmp/x.sock"'

    settings = load_settings(settings_file(text), environment)

    assert (settings.state.dir, settings.unix.path) == (Path("/data"), Path("/tmp/x.sock"))


def test_socket_lies_in_the_state_directory_by_default(settings_file: Callable[[str], Path]) -> None:
    """One folder holds everything."""
    settings = load_settings(settings_file('[state]\ndir = "/data"'), {})

    assert settings.unix.path == Path("/data/unitd.sock")


def test_tilde_is_the_home_directory(settings_file: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """In every path of the file."""
    monkeypatch.setenv("HOME", "/home/somebody")
    text = '[state]\ndir = "~/s"\n[models]\ndir = ["~/m"]\n[unix]\npath = "~/u"\n[auth]\ntls_key = "~/k"'

    settings = load_settings(settings_file(text), {})

    assert settings.state.dir == Path("/home/somebody/s")
    assert settings.models.dir == (Path("/home/somebody/m"),)
    assert settings.unix.path == Path("/home/somebody/u")
    assert settings.auth.tls_key == Path("/home/somebody/k")


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """The sentence names the file."""
    (tmp_path / "unitd.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match=r"unitd\.toml"):
        load_settings(tmp_path / "unitd.toml", {})
