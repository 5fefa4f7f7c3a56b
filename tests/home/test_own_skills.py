"""Covers unitd.doors.home.own_skills, opening and units.intent.skills.own: a person's own skills on a whole board."""

import asyncio
import socket
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.children import is_alive
from tests.support.command_line import start
from tests.support.daemon import own_tasks_ended, running_app, shared_app, tcp_client
from tests.support.home.boards import frames_of, said
from tests.support.servers.brokers import Broker, Listener, free_port
from tests.support.waiting import eventually
from unitd.app import App
from unitd.doors.home import own_skills

pytestmark = pytest.mark.timeout(60)

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "skills"
SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}

HTTP = """
[en.sentences]
ask = ["ask for {what}"]
tell = ["tell it {what}"]

[actions.ask]
url = "%s/find/{{ what }}?q={{ what }}"

[actions.tell]
url = "%s/tell"
method = "POST"
body = '{"what": "{{ what }}"}'
"""
PROGRAM = """
[en.sentences]
say = ["repeat after me {what}"]

[actions.say]
program = ["%s", "{{ what }}"]
"""
MISSING = PROGRAM.replace("repeat after me", "repeat after nobody") % "/nowhere/program"
MINE = '[en.sentences]\nmine = ["louder"]\n[en.answers]\nmine = "This is mine."'


@dataclass
class Board:
    """A board with a skill that asks a server, one that runs a program, one whose program is missing, and an answer."""

    app: App
    socket: socket.socket
    """Where the server is to listen."""

    program: Path

    async def told(self, *sentences: str) -> list[str]:
        """Return what it answers in one conversation."""
        async with own_tasks_ended(self.app), tcp_client(self.app) as client:
            task = await client.setup("intent", SETUP)
            return [said(await frames_of(client, task, each)) for each in sentences]

    def write_program(self, text: str) -> None:
        """Let the program be this shell script."""
        self.program.write_text(f"#!/bin/sh\n{text}\n")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """One board for all: its programs take longer to start than all else that a test does."""
    folder = tmp_path_factory.mktemp("board")
    (skills := folder / "skills").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        for name, text in {
            "web": HTTP % (url, url), "program": PROGRAM % (folder / "program"), "missing": MISSING, "mine": MINE
        }.items():  # fmt: skip
            (skills / f"{name}.toml").write_text(text)
        with shared_app(folder, {"home": {"skills": str(skills)}}, {"intent": SETUP}) as app:
            yield Board(app, listening, folder / "program")


@asynccontextmanager
async def answering(board: Board, *answers: bytes) -> AsyncIterator[list[bytes]]:
    """Run the board's server with these answers; return the requests that have come."""
    requests: list[bytes] = []
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), b":0")
        requests.append(head + await reader.readexactly(int(length.split(b":")[1])))
        writer.write(left.pop(0))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, sock=board.socket.dup()):
        yield requests


def answer(body: bytes, status: bytes = b"200 OK", *more: bytes) -> bytes:
    """Return an HTTP answer."""
    return b"\r\n".join(
        [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *more, b"", body]
    )


async def test_the_examples_work(tmp_path: Path, broker: Broker, listener: Listener) -> None:
    """A message over MQTT, a request to the example's own server, a program."""
    port = free_port()
    skills = tmp_path / "skills"
    skills.mkdir()
    for each in EXAMPLES.glob("*.toml"):
        (skills / each.name).write_text(each.read_text().replace("8090", str(port)))
    server = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLES / "server.py"), str(port), stderr=asyncio.subprocess.PIPE
    )
    await _listening(port)
    tables = {"mqtt": {"host": "127.0.0.1", "port": broker.port, "node": "kitchen"}, "home": {"skills": str(skills)}}
    try:
        async with running_app(tmp_path, tables) as app, tcp_client(app) as client:
            await listener.until(lambda: b"online" in listener.on("unitd/kitchen/status"))
            task = await client.setup("intent", SETUP)
            answers = [
                said(await frames_of(client, task, each))
                for each in (
                    "water the garden for five minutes",
                    "water the garden",
                    "stop watering",
                    "when does the next bus to the station leave",
                    "how full is the disk",
                )
            ]
            await listener.until(lambda: len(listener.on("garden/pump/set")) == 3)
    finally:
        server.terminate()
        await server.communicate()

    assert listener.on("garden/pump/set") == [
        b'{"state": "ON", "minutes": 5}',
        b'{"state": "ON", "minutes": 10}',
        b'{"state": "OFF"}',
    ]
    assert answers[:4] == [
        "The garden is watered for 5 minutes.",
        "The garden is watered for 10 minutes.",
        "The water is off.",
        "The next bus to the station leaves in 7 minutes.",
    ]
    assert answers[4].endswith("% of the disk are in use.")


async def _listening(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        except OSError:
            await asyncio.sleep(0.01)


async def test_what_is_said_cannot_change_an_address(board: Board) -> None:
    """It is encoded; a body of JSON is sent as such; the text that comes back is the answer."""
    async with answering(board, answer(b"found it"), answer(b"")) as requests:
        answers = await board.told("ask for fish & chips", "tell it all")

    assert answers == ["Found it", "Done."]
    assert requests[0].startswith(b"GET /find/fish%20%26%20chips?q=fish%20%26%20chips HTTP/1.1\r\n")
    assert requests[1].endswith(b'\r\n\r\n{"what": "all"}')
    assert b"content-type: application/json" in requests[1].lower()


@pytest.mark.parametrize(
    "bad",
    [
        answer(b"", b"302 Found", b"Location: http://127.0.0.1:9/"),
        answer(b"sorry", b"500 Oops"),
        answer(b"x" * (own_skills.MOST_BYTES + 1)),
        b"nonsense\r\n\r\n",
    ],
    ids=["redirect", "error", "long", "no http"],
)
async def test_a_server_that_misbehaves_is_a_failure(
    board: Board, bad: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """No redirect is followed; the log says why."""
    async with answering(board, bad) as requests:
        answers = await board.told("ask for help")

    assert answers == ["That did not work."]
    assert len(requests) == 1
    assert "web.ask failed" in caplog.text


async def test_a_program_gets_its_arguments_as_they_are(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell sees them, and no key of the daemon is in its environment."""
    monkeypatch.setenv("SOME_API_KEY", "secret")
    board.write_program('echo "$# $1 ${SOME_API_KEY-none}"')

    answers = await board.told("repeat after me $(id) `id` | cat")

    assert answers == ["1 $(id) `id` | cat none"]


@pytest.mark.parametrize(
    "script", ["exit 3", "yes", "echo bad >&2; exit 1"], ids=["status", "endless output", "error output"]
)
async def test_a_program_that_fails_is_told_so(board: Board, script: str) -> None:
    """Whatever it has printed."""
    board.write_program(script)

    assert await board.told("repeat after me hello") == ["That did not work."]


async def test_a_program_that_hangs_is_ended_with_its_children(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a time."""
    monkeypatch.setattr(own_skills, "PATIENCE_SECONDS", 0.5)
    board.write_program(f"sleep 600 & echo $! > {tmp_path}/pid; wait")

    answers = await board.told("repeat after me hello")

    assert answers == ["That did not work."]
    await eventually(lambda: not _is_alive(int((tmp_path / "pid").read_text())))


def _is_alive(pid: int) -> bool:
    try:
        return is_alive(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


async def test_a_program_that_is_not_there_is_a_failure(board: Board) -> None:
    """The daemon goes on."""
    answers = await board.told("repeat after nobody hello", "quieter")

    assert answers == ["That did not work.", "I have no loudspeaker here."]


async def test_ones_own_sentence_wins_over_the_boards(board: Board) -> None:
    """Where both have it word for word."""
    assert await board.told("louder", "quieter") == ["This is mine.", "I have no loudspeaker here."]


BAD = """
[en.sentences]
go = ["go [to {place}", "{place}"]
stay = ["stay"]

[en.answers]
go = "I go to {{ palce }}."
away = "?"

[slots]
place = "city"
other = "text"

[actions.go]
url = "http://{{ place }}/"
topic = "x"

[actions.sit]
topic = "x"

[sometimes]
x = 1
"""


async def test_a_file_with_mistakes_stops_the_start_with_all_its_lines(tmp_path: Path) -> None:
    """So does `--check`."""
    skills = tmp_path / "skills"
    skills.mkdir()
    (skills / "bad.toml").write_text(BAD)
    config = tmp_path / "unitd.toml"
    config.write_text(f'state.dir = "{tmp_path}/state"\nhome.skills = "{skills}"\ntcp.port = 0\nhttp.enabled = false\n')

    first = await _refusal(config, "serve", "--config", str(config))
    (skills / "bad.toml").write_text(BAD.partition("[slots]")[0].replace("palce", "place").replace('away = "?"', ""))
    second = await _refusal(config, "serve", "--config", str(config), "--check")
    (skills / "bad.toml").write_text('[en.sentences]\ngo = ["go [to {place}", "{place}"]\n[en.answers]\ngo = "I go."')
    third = await _refusal(config, "serve", "--config", str(config), "--check")

    assert f"{skills}/bad.toml:21" in first
    assert "neither slots, nor actions, nor a language" in first
    assert f"{skills}/bad.toml:11: slots.place must be 'text' or 'number'" in first
    assert f"{skills}/bad.toml:4: en.sentences.stay has neither an answer nor an action" in second
    assert third.count(f"{skills}/bad.toml:2: en.sentences.go: ") == 2
    assert "it needs a word beside its slots" in third


async def _refusal(config: Path, *arguments: str) -> str:
    daemon = await start(*arguments)
    _, errors = await daemon.communicate()
    assert daemon.returncode == 78
    return errors.decode()


async def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """At start and by `--check`."""
    config = tmp_path / "unitd.toml"
    config.write_text(f'state.dir = "{tmp_path}/state"\nhome.skills = "{tmp_path}/none"\n')

    assert f"{tmp_path}/none: No such file or directory" in await _refusal(config, "serve", "--config", str(config))
