"""Measure the protocol alone: sys.ping beside a minimal asyncio line echo that parses and writes the same JSON.

    python -m bench.wire [--pairs 7] [--seconds 1.0]

Both servers run as their own processes; client and server share this machine's cores. The two are measured alternately,
pair by pair, and the ratio is the median over the pairs. It also measures the resident memory of the daemon with TCP, a
Unix socket and a serial line open, and the time from its start until endpoints.json exists.
"""

import argparse
import asyncio
import json
import os
import pty
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

PING = b'{"request_id":"sys_ping","work_id":"sys","action":"ping","object":"None","data":"None"}\n'
PIPELINE_DEPTH = 200


class Echo(asyncio.Protocol):
    """The peer: it parses lines and writes them again, nothing else."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        import orjson

        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._transport.write(orjson.dumps(orjson.loads(line), option=orjson.OPT_APPEND_NEWLINE))


async def serve_echo() -> None:
    """Print the port, then echo."""
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextmanager
def running_echo() -> Iterator[int]:
    """Run the peer; yield its port."""
    process = subprocess.Popen([sys.executable, "-m", "bench.wire", "--echo"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


@contextmanager
def running_daemon(folder: Path, device: str) -> Iterator[tuple[int, int, float]]:
    """Run the daemon; yield its port, its process id, and the seconds from start to ready."""
    config = folder / "unitd.toml"
    config.write_text(
        f'[state]\ndir = "{folder}"\n[tcp]\nport = 0\n[http]\nport = 0\n'
        f'[serial]\ndevice = "{device}"\n[log]\nlevel = "warning"\n'
    )
    endpoints = folder / "endpoints.json"
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "unitd", "serve", "--config", str(config)])
    while not endpoints.exists():
        if process.poll() is not None:
            raise SystemExit("the daemon did not start")
        time.sleep(0.001)
    took = time.perf_counter() - started
    try:
        yield json.loads(endpoints.read_text())["tcp"][1], process.pid, took
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def round_trip(port: int, seconds: float) -> float:
    """Return the median seconds of one ping, one at a time."""
    times = []
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end = time.perf_counter() + seconds
        while (begun := time.perf_counter()) < end:
            client.sendall(PING)
            answer = b""
            while not answer.endswith(b"\n"):
                answer += client.recv(4096)
            times.append(time.perf_counter() - begun)
    return statistics.median(times)


def pipelined(port: int, seconds: float) -> float:
    """Return the requests per second when a client keeps many in flight."""
    done = 0
    with socket.create_connection(("127.0.0.1", port)) as client:
        begun = time.perf_counter()
        while time.perf_counter() < begun + seconds:
            client.sendall(PING * PIPELINE_DEPTH)
            missing = PIPELINE_DEPTH
            while missing:
                missing -= client.recv(65536).count(b"\n")
            done += PIPELINE_DEPTH
        return done / (time.perf_counter() - begun)


def measure(pairs: int, seconds: float) -> None:
    """Print the table."""
    main_end, line_end = pty.openpty()
    with tempfile.TemporaryDirectory() as name, running_echo() as echo_port:
        starts = []
        for at in range(pairs):
            folder = Path(name) / str(at)
            folder.mkdir()
            with running_daemon(folder, os.ttyname(line_end)) as (_, _, took):
                starts.append(took)
        with running_daemon(Path(name), os.ttyname(line_end)) as (port, pid, _):
            trips = [(round_trip(port, seconds), round_trip(echo_port, seconds)) for _ in range(pairs)]
            rates = [(pipelined(port, seconds), pipelined(echo_port, seconds)) for _ in range(pairs)]
            memory = psutil.Process(pid).memory_info().rss
    os.close(main_end)
    os.close(line_end)
    say("sys.ping, round trip (us)", [(ours * 1e6, peer * 1e6) for ours, peer in trips], "at most 1.5")
    say("sys.ping, pipelined (1/s)", rates, "at least 0.2, and 20,000/s")
    sys.stdout.write(f"resident memory: {memory / 2**20:.1f} MiB (tcp, unix, serial open; under 40 MB)\n")
    sys.stdout.write(f"start to ready: {statistics.median(starts) * 1e3:.0f} ms (median of {pairs}; under 300 ms)\n")


def say(what: str, pairs: list[tuple[float, float]], target: str) -> None:
    """Print one row: both medians and the median ratio."""
    ours, peer = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(mine / theirs for mine, theirs in pairs)
    sys.stdout.write(f"{what}: unitd {ours:,.0f}, bare echo {peer:,.0f}, ratio {ratio:.2f} ({target})\n")


def main() -> None:
    """Read the arguments, and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="per measurement")
    parser.add_argument("--echo", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.echo:
        asyncio.run(serve_echo())
    else:
        measure(arguments.pairs, arguments.seconds)


if __name__ == "__main__":
    main()
