"""Covers systemd and the service's part of serve and app: notifications, passed sockets, SIGHUP, the watchdog."""

import asyncio
import os
import pty
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import orjson
import psutil
import pytest

from tests.support.command_line import KWS, UNITD
from tests.support.service_manager import Manager, started
from tests.support.waiting import MS, eventually
from unitd.service.systemd import Service, activated_sockets, take_variables
from unitd.wire.errors import ConfigError

PING = b'{"request_id":"1","work_id":"sys","action":"ping"}'


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    """Whoever is told how the daemon stands."""
    with closing(Manager(tmp_path / "notify")) as manager:
        yield manager


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration that keeps everything in the test's folder."""
    path = tmp_path / "unitd.toml"
    write(path, key="old")
    return path


def write(path: Path, *, key: str, rest: str = "") -> None:
    """The configuration with this key of the HTTP door."""
    path.write_text(
        f'[state]\ndir = "{path.parent}/state"\n[models]\ndir = []\n[tcp]\nport = 0\n'
        f'[http]\nport = 0\napi_key = "{key}"\n[audio]\ncapture = ""\nplayback = ""\n{rest}'
    )


@pytest.fixture
def environment(manager: Manager) -> dict[str, str]:
    """What systemd sets for a service with Type=notify."""
    return {"NOTIFY_SOCKET": str(manager.path)}


def listening(address: tuple[str, int] | str = ("127.0.0.1", 0)) -> socket.socket:
    """A socket as a service manager opens it."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    opened = socket.socket(family)
    opened.bind(address)
    opened.listen()
    return opened


async def answer_at(address: tuple[str, int] | str) -> int:
    """The code of a ping's answer."""
    if isinstance(address, str):
        reader, writer = await asyncio.open_unix_connection(address)
    else:
        reader, writer = await asyncio.open_connection(*address)
    writer.write(PING)
    reply = orjson.loads(await reader.readline())
    writer.close()
    await writer.wait_closed()
    code: int = reply["error"]["code"]
    return code


def endpoints_of(config: Path) -> dict[str, Any]:
    """Where the daemon says it listens."""
    endpoints: dict[str, Any] = orjson.loads((config.parent / "state/endpoints.json").read_bytes())
    return endpoints


async def status_with(config: Path, key: str) -> int:
    """What a client with this key gets at the HTTP door."""
    host, port = endpoints_of(config)["http"]
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.get(f"http://{host}:{port}/v1/models", headers={"X-API-Key": key})).status_code


async def question_to(config: Path, key: str) -> httpx.Response:
    """What the bundled model answers at the HTTP door."""
    host, port = endpoints_of(config)["http"]
    body = {"model": "default", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 1}
    async with httpx.AsyncClient(trust_env=False) as client:
        url = f"http://{host}:{port}/v1/chat/completions"
        return await client.post(url, json=body, headers={"X-API-Key": key}, timeout=20)


# The happy day


async def test_the_manager_hears_when_clients_can_come(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """READY=1 comes with the addresses, and they answer."""
    async with started(config, environment):
        message = await manager.heard("READY=1")
        host, port = endpoints_of(config)["tcp"]

        assert f"tcp ['{host}', {port}]" in message["STATUS"]
        assert await answer_at((str(host), int(port))) == 0


async def test_the_manager_hears_when_the_end_begins(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """SIGTERM: STOPPING=1, then a clean exit."""
    async with started(config, environment) as daemon:
        await manager.heard("READY=1")

        daemon.process.terminate()

        await manager.heard("STOPPING=1")
        assert await daemon.end() == 0


async def test_without_a_manager_nothing_is_told(config: Path) -> None:
    """A daemon in a terminal runs as ever."""
    async with started(config, {}) as daemon:
        await eventually(lambda: (config.parent / "state/endpoints.json").exists(), timeout=10)

        daemon.process.terminate()

        assert await daemon.end() == 0
        assert b"service manager" not in daemon.log


async def test_a_manager_that_has_gone_does_not_stop_the_daemon(config: Path) -> None:
    """It is said in the log, and clients are served."""
    async with started(config, {"NOTIFY_SOCKET": str(config.parent / "nobody")}) as daemon:
        await eventually(lambda: (config.parent / "state/endpoints.json").exists(), timeout=10)
        host, port = endpoints_of(config)["tcp"]

        assert await answer_at((str(host), int(port))) == 0

        daemon.process.terminate()
        assert await daemon.end() == 0
        assert b"the service manager cannot be told READY=1" in daemon.log


async def test_children_are_not_told_what_was_meant_for_the_daemon(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """Neither the notification socket nor the watchdog is inherited."""
    async with started(config, environment | {"WATCHDOG_USEC": "60000000"}) as daemon:
        await manager.heard("READY=1")
        reader, writer = await asyncio.open_unix_connection(config.parent / "state/unitd.sock")
        writer.write(KWS.encode())
        await reader.readline()

        [child] = psutil.Process(daemon.process.pid).children()

        assert {"NOTIFY_SOCKET", "WATCHDOG_USEC"} & child.environ().keys() == set()
        writer.close()
        await writer.wait_closed()
        daemon.process.terminate()
        assert await daemon.end() == 0


# The watchdog


async def test_the_watchdog_is_fed(config: Path, manager: Manager, environment: dict[str, str]) -> None:
    """At least twice in its time."""
    limit = 0.5
    async with started(config, environment | {"WATCHDOG_USEC": str(round(limit * 1e6))}):
        await manager.heard("WATCHDOG=1")
        began = time.monotonic()
        for _ in range(4):
            await manager.heard("WATCHDOG=1")

        assert time.monotonic() - began < 4 * limit


async def test_a_loop_that_hangs_does_not_feed(manager: Manager) -> None:
    """The pings are the event loop's own, so that nothing else can vouch for it."""
    service = Service({"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": str(round(20 * MS * 1e6))})
    feeding = asyncio.create_task(service.feed_watchdog())
    await manager.heard("WATCHDOG=1")

    manager.waiting()
    time.sleep(200 * MS)  # noqa: ASYNC251  (the hang)

    assert manager.waiting() == 0
    await manager.heard("WATCHDOG=1")
    feeding.cancel()


async def test_another_process_s_watchdog_is_left_alone(manager: Manager) -> None:
    """WATCHDOG_PID says whose it is."""
    variables = {"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}

    await asyncio.wait_for(Service(variables).feed_watchdog(), timeout=1)

    assert manager.waiting() == 0


# Reloading


async def test_sighup_takes_over_what_can_change(config: Path, manager: Manager, environment: dict[str, str]) -> None:
    """The new key counts, the manager hears both ends of it, and the log says what waits for a restart."""
    async with started(config, environment) as daemon:
        await manager.heard("READY=1")
        assert (await status_with(config, "old"), await status_with(config, "new")) == (200, 401)

        write(config, key="new", rest="[limits]\ntasks = 3\nframe_bytes = 2048\n")
        daemon.process.send_signal(signal.SIGHUP)
        reloading = await manager.heard("RELOADING=1")
        await manager.heard("READY=1")

        assert int(reloading["MONOTONIC_USEC"]) > 0
        assert (await status_with(config, "old"), await status_with(config, "new")) == (401, 200)
        daemon.process.terminate()
        await daemon.end()
        assert b"read again: http.api_key, limits.tasks\n" in daemon.log
        assert b"only after a restart: limits.frame_bytes\n" in daemon.log


def is_blocked(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a signal wait."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(fields["SigBlk"], 16) >> (number - 1) & 1)


async def test_sighup_during_the_start_is_a_reload_after_it(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """Whoever changes the configuration at that moment need not know that the daemon is not there yet."""
    async with started(config, environment) as daemon:
        await eventually(lambda: is_blocked(daemon.process.pid, signal.SIGHUP), timeout=10)

        daemon.process.send_signal(signal.SIGHUP)

        await manager.heard("RELOADING=1")
        assert not is_blocked(daemon.process.pid, signal.SIGHUP)
        assert await status_with(config, "old") == 200
        daemon.process.terminate()
        assert await daemon.end() == 0


async def test_sighup_changes_the_memory_for_models(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """A model that was refused before is loaded then."""
    write(config, key="old", rest='[limits]\nmemory = "20M"\n')
    async with started(config, environment) as daemon:
        await manager.heard("READY=1")
        refused = await question_to(config, key="old")

        write(config, key="old", rest='[limits]\nmemory = "80%"\n')
        daemon.process.send_signal(signal.SIGHUP)
        await manager.heard("RELOADING=1")
        await manager.heard("READY=1")
        answered = await question_to(config, key="old")

    assert (refused.status_code, answered.status_code) == (503, 200)
    assert "20 of 20 MiB of memory are free for models" in refused.text


async def test_a_bad_configuration_leaves_the_old_one(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """The daemon says what is wrong and goes on."""
    async with started(config, environment) as daemon:
        await manager.heard("READY=1")

        write(config, key="new", rest="[limits]\ntasks = 'many'\n")
        daemon.process.send_signal(signal.SIGHUP)
        await manager.heard("RELOADING=1")
        await manager.heard("READY=1")

        assert await status_with(config, "old") == 200
        daemon.process.terminate()
        assert await daemon.end() == 0
        assert b"limits.tasks must be a whole number" in daemon.log


async def test_a_terminal_that_closes_ends_the_daemon(config: Path) -> None:
    """SIGHUP means then what it says."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(UNITD, "serve", "--config", str(config)), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    await eventually(lambda: (config.parent / "state/endpoints.json").exists(), timeout=10)
    with suppress(BlockingIOError):
        os.set_blocking(ours, False)
        os.read(ours, 65536)

    os.close(ours)
    process.send_signal(signal.SIGHUP)

    assert await asyncio.wait_for(process.wait(), timeout=10) == 0


# Passed sockets


async def test_passed_sockets_are_served(config: Path, manager: Manager, environment: dict[str, str]) -> None:
    """TCP, HTTP and Unix clients come in by what the manager has opened; its file is left behind."""
    path = str(config.parent / "activated.sock")
    with listening() as tcp, listening() as http, listening(path) as unix:
        async with started(config, environment, {"unix": unix, "tcp": tcp, "http": http}) as daemon:
            await manager.heard("READY=1")

            assert endpoints_of(config)["unix"] == path
            assert endpoints_of(config)["http"] == list(http.getsockname())
            assert await answer_at(path) == 0
            assert await answer_at(tcp.getsockname()) == 0
            assert await status_with(config, "old") == 200

            daemon.process.terminate()
            assert await daemon.end() == 0
    assert Path(path).is_socket()


async def test_a_door_takes_several_passed_sockets(config: Path, manager: Manager, environment: dict[str, str]) -> None:
    """Two ListenStream= lines of one unit."""
    with listening() as first, listening() as second:
        async with started(config, environment, {"tcp": first, "tcp 2": second}):
            await manager.heard("READY=1")

            assert await answer_at(first.getsockname()) == 0
            assert await answer_at(second.getsockname()) == 0


async def test_a_client_that_came_before_the_daemon_is_answered(
    config: Path, manager: Manager, environment: dict[str, str]
) -> None:
    """That is what socket activation is for: the request waits in the socket."""
    with listening() as tcp:
        early = asyncio.create_task(answer_at(tcp.getsockname()))
        async with started(config, environment, {"tcp": tcp}):
            assert await asyncio.wait_for(early, timeout=10) == 0


async def test_a_socket_for_a_closed_door_is_told(config: Path, manager: Manager, environment: dict[str, str]) -> None:
    """The daemon serves at its other doors."""
    config.write_text(config.read_text().replace("[tcp]", "[tcp]\nenabled = false"))
    with listening() as tcp:
        async with started(config, environment, {"tcp": tcp}) as daemon:
            await manager.heard("READY=1")
            daemon.process.terminate()
            await daemon.end()

    assert b"a socket was passed for tcp, a door that the configuration closes" in daemon.log


@pytest.mark.parametrize(
    ("name", "words"),
    [("ftp", b"FileDescriptorName must be one of unix, tcp, http"), ("unix", b"unix is no listening Unix socket")],
)
async def test_a_socket_that_fits_no_door_is_refused(config: Path, name: str, words: bytes) -> None:
    """Exit code 78 and a sentence."""
    with listening() as passed:
        async with started(config, {}, {name: passed}) as daemon:
            code = await daemon.end()

    assert code == 78
    assert words in daemon.log
    assert daemon.log.count(b"\n") == 1


async def test_a_connection_is_no_listening_socket(config: Path) -> None:
    """A socket unit with Accept=yes passes a connection, which is refused."""
    one, other = socket.socketpair()
    with one, other:
        async with started(config, {}, {"unix": one}) as daemon:
            assert await daemon.end() == 78

    assert b"Accept=no" in daemon.log


def test_sockets_of_a_parent_are_left_alone() -> None:
    """LISTEN_PID says whose they are."""
    assert activated_sockets({"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "tcp"}) == {}
    assert activated_sockets({}) == {}


@pytest.mark.parametrize("count", ["2", "many"])
def test_a_wrong_count_is_refused(count: str) -> None:
    """Names and descriptors must match."""
    with pytest.raises(ConfigError, match="LISTEN_FDS"):
        activated_sockets({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": count, "LISTEN_FDNAMES": "tcp"})


def test_variables_are_taken_out_of_the_environment() -> None:
    """The rest stays."""
    environment = {"NOTIFY_SOCKET": "/run/x", "STATE_DIRECTORY": "/var/lib/unitd"}

    assert take_variables(environment) == {"NOTIFY_SOCKET": "/run/x"}
    assert environment == {"STATE_DIRECTORY": "/var/lib/unitd"}
