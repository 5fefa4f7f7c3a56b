"""Many WebSocket clients at once, some of them busy: answers, pings and memory, with the bundled model.

Busy clients ask one question after the other over chunked streaming, each answer in several chunks. They compare it
with the answer that one client alone got: the bundled model answers exactly, so a wrong word belongs to another answer.
Idle clients send a ping now and then. They run in a process of their own, so that the pings do not include the time
that this program needs for its busy clients.
"""

import argparse
import asyncio
import datetime
import itertools
import json
import math
import statistics
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from bench.daemon import Daemon
from bench.report import show

IDLE, BUSY = 200, 20
PING_EVERY_SECONDS = 10.0
HEROES, PLACES = ("a fox", "a king", "a robot", "two sisters", "a cat"), ("the sea", "a forest")
QUESTIONS = [f"tell me a story about {hero} and {place}" for hero, place in itertools.product(HEROES, PLACES)]
FIRST, NEXT = {"max_tokens": 10}, {"sentence_boundary": True}


@dataclass
class Outcome:
    """The results of the crowd."""

    answers: int = 0
    mixed: int = 0
    """Answers that differ from what one client alone gets."""

    tokens: int = 0
    pings: list[float] = field(default_factory=list)
    """Seconds of each round trip."""

    memory: list[tuple[int, int]] = field(default_factory=list)
    """Bytes of the daemon and of its children, second by second."""


async def ask(ws: ClientConnection, stream_id: str, question: str) -> tuple[str, int]:
    """Return the text of one answer, received chunk by chunk, and its number of tokens."""
    start = {"stream_tokens": True, "temperature": 0, "messages": [{"role": "user", "content": question}]}
    await send(ws, "start_stream", stream_id, pause=FIRST, **start)
    text, tokens = "", 0
    while True:
        message = json.loads(await ws.recv())
        if message["type"] == "token":
            text += message["content"]
            continue
        tokens += message["tokens"]
        if message["type"] == "done":
            break
        await send(ws, "continue_stream", stream_id, pause=NEXT)
    await send(ws, "end_stream", stream_id)
    await ws.recv()
    return text, tokens


async def send(ws: ClientConnection, action: str, stream_id: str, **fields: Any) -> None:
    """Send one message."""
    await ws.send(json.dumps({"action": action, "stream_id": stream_id, **fields}))


async def busy(ws: ClientConnection, number: int, until: float, expected: dict[str, str], outcome: Outcome) -> None:
    """Ask until the time is over, always other questions than the neighbours."""
    for turn in itertools.count(number):
        if time.monotonic() > until:
            return
        question = QUESTIONS[turn % len(QUESTIONS)]
        text, tokens = await ask(ws, f"stream {turn}", question)
        outcome.answers += 1
        outcome.tokens += tokens
        outcome.mixed += text != expected[question]


async def idle(ws: ClientConnection, delay: float, until: float, pings: list[float]) -> None:
    """Send a ping now and then."""
    while time.monotonic() + delay < until:
        await asyncio.sleep(delay)
        sent = time.perf_counter()
        await ws.send('{"action": "ping"}')
        await ws.recv()
        pings.append(time.perf_counter() - sent)
        delay = PING_EVERY_SECONDS


async def stay_idle(url: str, seconds: float) -> list[float]:
    """Run all idle clients, with their pings spread over time; return the round trips."""
    pings: list[float] = []
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(connect(url)) for _ in range(IDLE)]
        until, every = time.monotonic() + seconds, min(PING_EVERY_SECONDS, seconds)
        async with asyncio.TaskGroup() as group:
            for number, ws in enumerate(sockets):
                group.create_task(idle(ws, every * number / IDLE, until, pings))
    return pings


async def watch(daemon: Daemon, memory: list[tuple[int, int]]) -> None:
    """Sample the memory every second."""
    while True:
        memory.append(daemon.memory())
        await asyncio.sleep(1)


async def crowd(folder: Path, seconds: float) -> Outcome:
    """Run so many clients for so many seconds; return the results."""
    outcome = Outcome()
    async with Daemon(folder) as daemon, AsyncExitStack() as stack:
        url = "ws://{}:{}/ws".format(*daemon.endpoints["http"])
        sockets = [await stack.enter_async_context(connect(url)) for _ in range(BUSY)]
        expected = {question: (await ask(sockets[0], "alone", question))[0] for question in QUESTIONS}
        command = [sys.executable, "-m", "bench.crowd", url, str(seconds)]
        idlers = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        watching = asyncio.create_task(watch(daemon, outcome.memory))
        until = time.monotonic() + seconds
        async with asyncio.TaskGroup() as group:
            for number, ws in enumerate(sockets):
                group.create_task(busy(ws, number, until, expected, outcome))
        printed, _ = await idlers.communicate()
        watching.cancel()
        outcome.pings = json.loads(printed)
    return outcome


async def report(folder: Path, seconds: float) -> list[str]:
    """Return the lines for the page."""
    outcome = await crowd(folder, seconds)
    pings = sorted(outcome.pings)
    most = pings[math.ceil(len(pings) * 0.999) - 1]
    early, late = (memory_at(outcome.memory, part) for part in (0.2, 1.0))
    rate = outcome.tokens / seconds
    lines = [
        f"{datetime.datetime.now(datetime.UTC).date()}, {seconds / 60:.1f} minutes, the bundled model.",
        f"- {outcome.answers:,} answers, {rate:,.0f} tokens/s in all; mixed up: {outcome.mixed} (wanted: none).",
        f"- {len(pings):,} pings: median {statistics.median(pings) * 1e3:.1f} ms, 99.9 % within {most * 1e3:.1f} ms, "
        f"the slowest {pings[-1] * 1e3:.1f} ms (wanted: within 50 ms).",
        f"- Memory of the daemon and its child after a fifth of the time {early}, at the end {late} (wanted: flat).",
    ]
    return [show(line) for line in lines]


def memory_at(memory: list[tuple[int, int]], part: float) -> str:
    """Return the median of the memory over the last tenth of the time before this point."""
    end = max(1, round(len(memory) * part))
    near = memory[max(0, end - max(1, len(memory) // 10)) : end]
    return " + ".join(f"{statistics.median(sizes) / 2**20:.1f}" for sizes in zip(*near, strict=True)) + " MiB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the idle clients of a crowd, in a process of their own")
    parser.add_argument("url")
    parser.add_argument("seconds", type=float)
    arguments = parser.parse_args()
    sys.stdout.write(json.dumps(asyncio.run(stay_idle(arguments.url, arguments.seconds))))
