"""Run a hundred well and badly behaved clients on all doors at once, for half an hour.

    python -m bench.soak [--minutes 30] [--clients 100] [--seed 1]

Two in five are polite: they ask, and compare each answer word by word with what one client alone got before the others
came. The others are slow, silent, vanishing, flooding or malformed (`bench.rude`). Beside them a process of its own
times `sys.ping` 50 times a second. The run checks the replies to the polite clients, the memory of the daemon and of
its unit programs from the fourth minute on, and whether descriptors are left when all clients have gone.
"""

import argparse
import asyncio
import datetime
import itertools
import json
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt
import httpx
from websockets.exceptions import WebSocketException

from bench.broker import MOSQUITTO, broker
from bench.crowd import QUESTIONS
from bench.daemon import Daemon
from bench.polite import NODE, Polite, Wrong, polite
from bench.report import RELIABILITY, show, write_section
from bench.rude import MANNERS, Place, visit

PATIENCE_SECONDS = 30.0
PAUSE_SECONDS = 1.0
PING_EVERY_SECONDS = 0.02
SETTLE_SECONDS = 30.0
# Until then caches fill and the heap reaches its size.
WARM_UP_SECONDS = 180.0
BROKEN = (OSError, EOFError, WebSocketException, httpx.HTTPError, aiomqtt.MqttError)
"""Errors that the daemon must never cause to polite clients."""


@dataclass
class Outcome:
    """The results of the run."""

    answers: Counter[str] = field(default_factory=Counter)
    """By door."""

    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    visits: Counter[str] = field(default_factory=Counter)
    pings: list[float] = field(default_factory=list)
    """Seconds of each round trip."""

    memory: list[tuple[int, int]] = field(default_factory=list)
    """Bytes of the daemon and of its children, second by second."""

    leaked: int = 0
    """Descriptors that did not exist before the clients came."""

    errors: list[str] = field(default_factory=list)
    """Lines that the daemon logged as its own bug."""


Expected = Mapping[tuple[str, str], str]
"""The answer of a door to a question."""


@dataclass
class Crowd:
    """The clients and what they share."""

    daemon: Daemon
    doors: list[str]
    broker_port: int
    seed: int
    until: float
    outcome: Outcome

    async def stay_polite(self, number: int, expected: Expected) -> None:
        """Ask until the time is over; after a broken connection record it and connect again."""
        door = self.doors[number % len(self.doors)]
        while time.monotonic() < self.until:
            client = polite(door, self.daemon, number, self.broker_port)
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await client.open()
                await self._converse(client, door, number, expected)
            except Wrong as error:
                self.outcome.wrong.append(f"{door}: {error}")
            except TimeoutError:
                self.outcome.missing.append(f"{door}: no answer within {PATIENCE_SECONDS:.0f} s")
            except BROKEN as error:
                self.outcome.missing.append(f"{door}: {error!r}")

    async def _converse(self, client: Polite, door: str, number: int, expected: Expected) -> None:
        """Ask one question after the other; raise the error that ended the conversation."""
        try:
            for turn in itertools.count(number):
                if time.monotonic() > self.until:
                    break
                question = QUESTIONS[turn % len(QUESTIONS)]
                async with asyncio.timeout(PATIENCE_SECONDS):
                    text = await client.ask(question)
                self.outcome.answers[door] += 1
                if text != expected[door, question]:
                    self.outcome.wrong.append(f"{door}: {question!r} got {text!r}")
                await asyncio.sleep(PAUSE_SECONDS)
        except TimeoutError:
            await client.give_up()
            raise
        await client.close()

    async def stay_rude(self, number: int, manner: str) -> None:
        """Visit again and again until the time is over, in the middle of a visit, too."""
        door = self.doors[number % len(self.doors)]
        place = Place(self.daemon, door, random.Random(self.seed * 1000 + number), self.broker_port)
        while time.monotonic() < self.until:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.until - time.monotonic()):
                    await visit(place, manner)
            self.outcome.visits[manner] += 1

    async def watch(self) -> None:
        """Sample the memory every second."""
        while True:
            self.outcome.memory.append(self.daemon.memory())
            await asyncio.sleep(1)


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[tuple[Daemon, list[str], int]]:
    """Run a daemon with every door; yield it, the names of the doors, and the port of the broker (0: no broker)."""
    async with AsyncExitStack() as stack:
        doors, tables, port = ["tcp", "unix", "http", "ws", "ws/units"], "[limits]\ntasks = 160\n", 0
        if MOSQUITTO is not None:
            port = await stack.enter_async_context(broker(folder))
            doors.append("mqtt")
            tables += f'[mqtt]\nport = {port}\nnode = "{NODE}"\n'
        yield await stack.enter_async_context(Daemon(folder, tables)), doors, port


async def answers_alone(daemon: Daemon, doors: list[str], broker_port: int) -> Expected:
    """Return the answers of each door to one client when no other client is connected."""
    expected = {}
    for door in doors:
        client = polite(door, daemon, 9999, broker_port)
        await client.open()
        for question in QUESTIONS:
            expected[door, question] = await client.ask(question)
        await client.close()
    return expected


async def soak(folder: Path, clients: int, seconds: float, seed: int) -> Outcome:
    """Run so many clients for so many seconds; return the results."""
    outcome = Outcome()
    async with running(folder) as (daemon, doors, port):
        keeper = polite("tcp", daemon, 9998, port)  # its task keeps the model loaded
        await keeper.open()
        expected = await answers_alone(daemon, doors, port)
        before = daemon.descriptors()
        host, tcp = daemon.endpoints["tcp"]
        command = [sys.executable, "-m", "bench.soak", "--ping", f"{host}:{tcp}", "--minutes", str(seconds / 60)]
        pinger = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        crowd = Crowd(daemon, doors, port, seed, time.monotonic() + seconds, outcome)
        watching = asyncio.create_task(crowd.watch())
        async with asyncio.TaskGroup() as group:
            polite_ones = round(clients * 0.4)
            for number in range(polite_ones):
                group.create_task(crowd.stay_polite(number, expected))
            for number, manner in zip(range(clients - polite_ones), itertools.cycle(MANNERS), strict=False):
                group.create_task(crowd.stay_rude(number, manner))
        printed, _ = await pinger.communicate()
        watching.cancel()
        outcome.pings = json.loads(printed)
        outcome.leaked = await _settled(daemon, before) - before
        await keeper.close()
    outcome.errors = [line for line in daemon.log.splitlines() if " ERROR " in line]
    return outcome


async def _settled(daemon: Daemon, before: int) -> int:
    """Return the number of descriptors when all clients have gone, or when no more are expected to go."""
    until = time.monotonic() + SETTLE_SECONDS
    while (now := daemon.descriptors()) > before and time.monotonic() < until:
        await asyncio.sleep(0.2)
    return now


async def ping(address: str, seconds: float) -> list[float]:
    """Return the round trips of a client that does nothing else."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    times, until = [], time.monotonic() + seconds
    while (begun := time.perf_counter()) and time.monotonic() < until:
        writer.write(b'{"request_id":"ping","work_id":"sys","action":"ping"}\n')
        await reader.readline()
        times.append(time.perf_counter() - begun)
        await asyncio.sleep(PING_EVERY_SECONDS)
    writer.close()
    return times


def growth(memory: list[tuple[int, int]], seconds: float) -> list[tuple[float, float]]:
    """Return the MiB after the warm-up and at the end, of the daemon and of its unit programs.

    Each is a median over a tenth of the remaining time.
    """
    start = round(len(memory) * min(WARM_UP_SECONDS, seconds / 3) / seconds)
    rest = memory[start:]
    tenth = max(1, len(rest) // 10)
    return [
        (statistics.median(sizes[:tenth]) / 2**20, statistics.median(sizes[-tenth:]) / 2**20)
        for sizes in zip(*rest, strict=True)
    ]


def report(outcome: Outcome, clients: int, seconds: float) -> list[str]:
    """Return the lines for the page."""
    pings = sorted(outcome.pings)
    p99 = pings[len(pings) * 99 // 100] * 1e3
    doors = ", ".join(f"{door} {count:,}" for door, count in outcome.answers.items())
    visits = ", ".join(f"{manner} {count:,}" for manner, count in outcome.visits.items())
    grown = [
        f"{late / early - 1:+.1%} ({early:.1f} to {late:.1f} MiB)" for early, late in growth(outcome.memory, seconds)
    ]
    return [
        f"{datetime.datetime.now(datetime.UTC).date()}, {clients} clients, {seconds / 60:.1f} minutes.",
        "",
        "| measure | figure | wanted |",
        "| --- | --- | --- |",
        f"| answers to the polite, by door | {doors} | |",
        f"| wrong replies to the polite | {len(outcome.wrong)} | 0 |",
        f"| missing replies to the polite | {len(outcome.missing)} | 0 |",
        f"| visits of the others | {visits} | |",
        f"| memory of the daemon | {grown[0]} | under +2 % |",
        f"| memory of its children | {grown[1]} | under +2 % |",
        f"| descriptors left when everybody has gone | {outcome.leaked} | 0 |",
        f"| `sys.ping` beside them, of {len(pings):,} | median {statistics.median(pings) * 1e3:.1f} ms, "
        f"99 % within {p99:.1f} ms, the slowest {pings[-1] * 1e3:.1f} ms | 99 % within 50 ms |",
        f"| errors in the daemon's log | {len(outcome.errors)} | 0 |",
    ]


async def main(arguments: argparse.Namespace) -> None:
    """Run the clients, and write the page."""
    seconds = arguments.minutes * 60
    if arguments.ping:
        sys.stdout.write(json.dumps(await ping(arguments.ping, seconds)))
        return
    with tempfile.TemporaryDirectory() as name:
        outcome = await soak(Path(name), arguments.clients, seconds, arguments.seed)
        if arguments.keep_log:
            shutil.copy(Path(name) / "log", arguments.keep_log)
    lines = [show(line) for line in report(outcome, arguments.clients, seconds)]
    for each in (*outcome.wrong[:20], *outcome.missing[:20], *outcome.errors[:20]):
        show(f"! {each}")
    write_section("soak", lines, RELIABILITY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep-log", type=Path, metavar="FILE", help="where the daemon's warnings go")
    parser.add_argument("--ping", metavar="HOST:PORT", help=argparse.SUPPRESS)
    asyncio.run(main(parser.parse_args()))
