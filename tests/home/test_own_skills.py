"""Covers unitd.doors.home.own_skills, opening and units.intent.skills.own: a person's own skills on a whole board."""

import asyncio
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from tests.support.children import is_alive
from tests.support.command_line import start
from tests.support.daemon import running_app, tcp_client
from tests.support.home.boards import frames_of, said
from tests.support.servers.brokers import Broker, Listener, free_port
from tests.support.waiting import eventually
from unitd.doors.home import own_skills

pytestmark = pytest.mark.timeout(60)

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "skills"
SETUP = {"response_format": "intent.utf-8.stream", "enoutput": True, "input": "intent.utf-8"}


@asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Run a server that gives these answers; return its address, and the requests that have come."""
    requests: list[bytes] = []
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), b":0")
        requests.append(head + await reader.readexactly(int(length.split(b":")[1])))
        writer.write(left.pop(0))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", requests


def answer(body: bytes, status: bytes = b"200 OK", *more: bytes) -> bytes:
    """Return an HTTP answer."""
    return b"\r\n".join(
        [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *more, b"", body]
    )


async def told(folder: Path, skill: str, *sentences: str) -> list[str]:
    """Return what a board with one skill answers."""
    skills = folder / "skills"
    skills.mkdir()
    (skills / "own.toml").write_text(skill)
    async with running_app(folder, {"home": {"skills": str(skills)}}) as app, tcp_client(app) as client:
        task = await client.setup("intent", SETUP)
        return [said(await frames_of(client, task, each)) for each in sentences]


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


async def test_what_is_said_cannot_change_an_address(tmp_path: Path) -> None:
    """It is encoded; a body of JSON is sent as such; the text that comes back is the answer."""
    async with answering(answer(b"found it"), answer(b"")) as (url, requests):
        answers = await told(tmp_path, HTTP % (url, url), "ask for fish & chips", "tell it all")

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
    tmp_path: Path, bad: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """No redirect is followed; the log says why."""
    async with answering(bad) as (url, requests):
        answers = await told(tmp_path, HTTP % (url, url), "ask for help")

    assert answers == ["That did not work."]
    assert len(requests) == 1
    assert "own.ask failed" in caplog.text


PROGRAM = """
[en.sentences]
say = ["repeat after me {what}"]

[actions.say]
program = ["%s", "{{ what }}"]
"""


def a_program(folder: Path, text: str) -> Path:
    """Return a shell script."""
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


async def test_a_program_gets_its_arguments_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No shell sees them, and no key of the daemon is in its environment."""
    monkeypatch.setenv("SOME_API_KEY", "secret")
    program = a_program(tmp_path, 'echo "$# $1 ${SOME_API_KEY-none}"')

    answers = await told(tmp_path, PROGRAM % program, "repeat after me $(id) `id` | cat")

    assert answers == ["1 $(id) `id` | cat none"]


@pytest.mark.parametrize(
    "script", ["exit 3", "yes", "echo bad >&2; exit 1"], ids=["status", "endless output", "error output"]
)
async def test_a_program_that_fails_is_told_so(tmp_path: Path, script: str) -> None:
    """Whatever it has printed."""
    assert await told(tmp_path, PROGRAM % a_program(tmp_path, script), "repeat after me hello") == [
        "That did not work."
    ]


async def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a time."""
    monkeypatch.setattr(own_skills, "PATIENCE_SECONDS", 0.5)
    program = a_program(tmp_path, f"sleep 600 & echo $! > {tmp_path}/pid; wait")

    answers = await told(tmp_path, PROGRAM % program, "repeat after me hello")

    assert answers == ["That did not work."]
    await eventually(lambda: not _is_alive(int((tmp_path / "pid").read_text())))


def _is_alive(pid: int) -> bool:
    try:
        return is_alive(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


async def test_a_program_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    """The daemon goes on."""
    answers = await told(tmp_path, PROGRAM % "/nowhere/program", "repeat after me hello", "louder")

    assert answers == ["That did not work.", "I have no loudspeaker here."]


async def test_ones_own_sentence_wins_over_the_boards(tmp_path: Path) -> None:
    """Where both have it word for word."""
    skill = '[en.sentences]\nmine = ["louder"]\n[en.answers]\nmine = "This is mine."'

    assert await told(tmp_path, skill, "louder", "quieter") == ["This is mine.", "I have no loudspeaker here."]


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
