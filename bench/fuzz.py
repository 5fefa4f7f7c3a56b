"""Send a million damaged, sliced and joined frames to every door of a real daemon.

    python -m bench.fuzz [--frames 1000000] [--seed 1]

Valid requests of every form, many of them to an existing task, are joined, damaged, and sent in slices over TCP, a
serial line (a pseudo-terminal), /ws/units, /ws and, where Mosquitto is installed, MQTT. After each batch a valid
request must be answered on the same connection, and another one on a new connection. At the end this program checks
whether the daemon is alive, what it has logged as its own error, whether its memory has grown, and whether descriptors
are left.
"""

import argparse
import asyncio
import datetime
import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt

from bench.broker import MOSQUITTO, broker
from bench.cable import Cable
from bench.daemon import Daemon, StreamClient
from bench.fuzz_doors import (
    SETUP,
    Answers,
    Chunked,
    Door,
    Mqtt,
    Serial,
    Tcp,
    Unanswered,
    Units,
    requests_to,
)
from bench.polite import NODE, TopicClient
from bench.report import RELIABILITY, show, write_section

BATCH = 250
SETTLE_SECONDS = 10.0


@dataclass
class Outcome:
    """The results of the run."""

    frames: Counter[str] = field(default_factory=Counter)
    """By door."""

    unanswered: list[str] = field(default_factory=list)
    fresh: int = 0
    """Valid requests on fresh connections that were answered."""

    memory: list[tuple[int, int]] = field(default_factory=list)
    """Bytes of the daemon and of its children after each batch."""

    leaked: int = 0
    errors: list[str] = field(default_factory=list)
    is_alive: bool = False
    seconds: float = 0.0


@asynccontextmanager
async def running(folder: Path, seed: int) -> AsyncIterator[tuple[Daemon, list[Door]]]:
    """Run a daemon and yield it with the doors to fuzz; close the doors before the daemon ends."""
    cable = Cable(folder / "ttyUSB0")
    line = await cable.plug()
    tables = f'[serial]\ndevice = "{cable.device}"\n'
    async with AsyncExitStack() as stack:
        stack.callback(cable.unplug)
        port = 0
        if MOSQUITTO is not None:
            port = await stack.enter_async_context(broker(folder))
            tables += f'[mqtt]\nport = {port}\nnode = "{NODE}"\n'
        daemon = await stack.enter_async_context(Daemon(folder, tables))
        rngs = (random.Random(f"{seed} {number}") for number in itertools.count())
        doors: list[Door] = [
            Tcp(daemon, next(rngs)),
            Serial(daemon, next(rngs), Answers(line), line),
            Units(daemon, next(rngs)),
            Chunked(daemon, next(rngs)),
        ]
        if port:
            client = await TopicClient.enter(port, "fuzz/answers")
            raw = await stack.enter_async_context(aiomqtt.Client("127.0.0.1", port))
            doors.append(Mqtt(daemon, next(rngs), client, raw, f"unitd/{NODE}"))
        yield daemon, doors


async def fuzz(folder: Path, frames: int, seed: int) -> Outcome:
    """Send so many frames, batch by batch, door by door; return the results."""
    outcome, began = Outcome(), time.monotonic()
    async with running(folder, seed) as (daemon, doors):
        keeper = await daemon.client()  # its task keeps the model loaded
        kept = await _set_up(keeper)
        target = await _set_up(keeper)
        before = daemon.descriptors()
        for door in itertools.cycle(doors):
            if outcome.frames.total() >= frames or not daemon.is_alive:
                break
            target = await _tidy(keeper, kept, target)
            await _one_batch(door, min(BATCH, frames - outcome.frames.total()), requests_to(target), outcome)
            await _ask_afresh(daemon, outcome)
            outcome.memory.append(daemon.memory())
        for door in doors:
            await _close(door, outcome)
        outcome.leaked = await _settled(daemon, before) - before
        outcome.is_alive = daemon.is_alive
        await keeper.close()
    outcome.errors = [line for line in daemon.log.splitlines() if " ERROR " in line]
    outcome.seconds = time.monotonic() - began
    return outcome


async def _one_batch(door: Door, frames: int, requests: list[bytes], outcome: Outcome) -> None:
    try:
        await door.batch(frames, requests)
    except (Unanswered, OSError, EOFError, aiomqtt.MqttError) as error:
        outcome.unanswered.append(f"{door.name} after {outcome.frames[door.name]:,} frames: {error!r}")
    outcome.frames[door.name] += frames


async def _ask_afresh(daemon: Daemon, outcome: Outcome) -> None:
    """Check that a new client is answered."""
    answers = Answers(await daemon.client())
    if await answers.come(SETTLE_SECONDS):
        outcome.fresh += 1
    else:
        outcome.unanswered.append("a fresh connection")
    await answers.close()


async def _close(door: Door, outcome: Outcome) -> None:
    try:
        await door.close()
    except (Unanswered, OSError, EOFError) as error:
        outcome.unanswered.append(f"{door.name}: {error!r}")


async def _set_up(client: StreamClient) -> str:
    return str((await client.ask(work_id="llm", action="setup", data=SETUP))["work_id"])


async def _tidy(client: StreamClient, kept: str, target: str) -> str:
    """End the tasks that damaged setups have left; return an existing task."""
    rows = (await client.ask(work_id="sys", action="lstask"))["data"]
    for row in rows:
        if row["work_id"] not in (kept, target):
            await client.ask(work_id=row["work_id"], action="exit")
    return target if any(row["work_id"] == target for row in rows) else await _set_up(client)


async def _settled(daemon: Daemon, before: int) -> int:
    """Return the number of descriptors when all clients have gone, or when no more are expected to go."""
    until = time.monotonic() + SETTLE_SECONDS
    while (now := daemon.descriptors()) > before and time.monotonic() < until:
        await asyncio.sleep(0.2)
    return now


def report(outcome: Outcome, seed: int) -> list[str]:
    """Return the lines for the page."""
    doors = ", ".join(f"{name} {count:,}" for name, count in outcome.frames.items())
    tenth = len(outcome.memory) // 10
    early, late = outcome.memory[tenth], outcome.memory[-1]
    grown = [f"{now / then - 1:+.1%} (to {now / 2**20:.1f} MiB)" for then, now in zip(early, late, strict=True)]
    return [
        f"{datetime.datetime.now(datetime.UTC).date()}, seed {seed}, {outcome.frames.total():,} frames in "
        f"{outcome.seconds / 60:.1f} minutes.",
        "",
        "| measure | figure | wanted |",
        "| --- | --- | --- |",
        f"| frames, by door | {doors} | |",
        f"| valid requests without an answer | {len(outcome.unanswered)} | 0 |",
        f"| fresh connections answered between the batches | {outcome.fresh:,} of {len(outcome.memory):,} | all |",
        f"| the daemon is alive | {'yes' if outcome.is_alive else 'no'} | yes |",
        f"| errors in its log | {len(outcome.errors)} | 0 |",
        f"| memory of the daemon after the first tenth | {grown[0]} | |",
        f"| memory of its children after the first tenth | {grown[1]} | |",
        f"| descriptors left when everybody has gone | {outcome.leaked} | 0 |",
    ]


async def main(arguments: argparse.Namespace) -> None:
    """Fuzz, and write the page."""
    with tempfile.TemporaryDirectory() as name:
        outcome = await fuzz(Path(name), arguments.frames, arguments.seed)
    lines = [show(line) for line in report(outcome, arguments.seed)]
    for each in (*outcome.unanswered[:20], *outcome.errors[:20]):
        show(f"! {each}")
    write_section("fuzz", lines, RELIABILITY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(main(parser.parse_args()))
