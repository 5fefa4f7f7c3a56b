"""Wear: tasks that come and go, more clients than places, an adapter with a loose plug.

python -m bench.faults [--cycles 10000] [--connections 1000] [--unplugs 50]
"""

import argparse
import asyncio
import datetime
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path

from bench.cable import Cable
from bench.daemon import Client, Daemon, StreamClient
from bench.fuzz_doors import SETUP
from bench.report import RELIABILITY, show, write_section

PING = {"work_id": "sys", "action": "ping"}
WARM_UP = 0.2
"""Share of the cycles after which the heap has its final size."""

PATIENCE_SECONDS = 30.0
# Each of a thousand clients needs a descriptor in this program too.
DESCRIPTORS = 8192


async def cycles(folder: Path, count: int) -> str:
    """Set a task up, ask it and end it, so many times, beside a task that stays; return a row of the table."""
    async with Daemon(folder) as daemon:
        client = await daemon.client()
        await client.ask(work_id="llm", action="setup", data=SETUP)
        await _cycle(client, round(count * WARM_UP))
        memory, descriptors, began = daemon.memory(), daemon.descriptors(), time.monotonic()
        failed = await _cycle(client, count - round(count * WARM_UP))
        rate = (count - round(count * WARM_UP)) / (time.monotonic() - began)
        grown = [f"{now / then - 1:+.1%}" for then, now in zip(memory, daemon.memory(), strict=True)]
        left = daemon.descriptors() - descriptors
        await client.close()
    return (
        f"| {count:,} times setup, question, exit | {failed} failed, {rate:.0f}/s; memory of the daemon {grown[0]}, "
        f"of its child {grown[1]} after the first fifth; descriptors left: {left} |"
    )


async def _cycle(client: Client, count: int) -> int:
    """Return how many of the tasks failed."""
    failed = 0
    for _ in range(count):
        reply = await client.ask(work_id="llm", action="setup", data=SETUP)
        work_id = reply["work_id"]
        answer = await client.ask(work_id=work_id, action="inference", object="llm.utf-8", data="hello")
        end = await client.ask(work_id=work_id, action="exit")
        failed += any(each["error"]["code"] for each in (reply, answer, end))
    return failed


async def connections(folder: Path, over: int) -> str:
    """Open so many connections more than there are places; return a row of the table.

    The clients inside must be served, the others must get an error.
    """
    async with Daemon(folder) as daemon:
        first = await daemon.client()
        await first.ask(**PING)
        descriptors = daemon.descriptors()
        places = 255  # tcp.max_connections is 256, and one is taken
        began = time.monotonic()
        entering = asyncio.gather(*(_try_to_enter(daemon) for _ in range(places + over)))
        pings = [await _timed(first.ask(**PING))]
        while not entering.done():
            pings.append(await _timed(first.ask(**PING)))
        answers = await entering
        took = time.monotonic() - began
        for client, _ in answers:
            await client.close()
        left = await _settled(daemon, descriptors) - descriptors
        entered = await _try_to_enter(daemon)
        await entered[0].close()
        await first.close()
    served, refused = (sum(code == wanted for _, code in answers) for wanted in (0, -10))
    return (
        f"| {places + over:,} connections at once, {places} places | {served} served, {refused:,} told so (-10), "
        f"{len(answers) - served - refused} neither, in {took:.1f} s; a client beside them: a ping takes "
        f"{max(pings) * 1e3:.0f} ms at most; afterwards code {entered[1]}; descriptors left: {left} |"
    )


async def _try_to_enter(daemon: Daemon) -> tuple[StreamClient, int | None]:
    """Return the code of the first line; None when no line comes."""
    client = await daemon.client()
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await client.send(**PING)
            return client, (await client.receive())["error"]["code"]
    except (OSError, EOFError, TimeoutError):
        return client, None


async def unplugs(folder: Path, count: int) -> str:
    """Unplug the adapter in mid-answer and plug another one in; return a row of the table.

    The task must still be there.
    """
    cable, back = Cable(folder / "ttyUSB0"), []
    line = await cable.plug()
    async with Daemon(folder, f'[serial]\ndevice = "{cable.device}"\n') as daemon:
        work_id = (await line.ask(work_id="llm", action="setup", data=SETUP | {"max_token_len": 400}))["work_id"]
        before = daemon.descriptors()
        for _ in range(count):
            await line.send(work_id=work_id, action="inference", object="llm.utf-8", data="tell me a very long story")
            await line.receive()
            cable.unplug()
            line, began = await cable.plug(), time.monotonic()
            await _until_answered(line)
            back.append(time.monotonic() - began)
        rows = (await line.ask(work_id="llm", action="taskinfo"))["data"]
        left = daemon.descriptors() - before
        cable.unplug()
    is_there = "yes" if rows == [work_id] else "no"
    return (
        f"| an adapter unplugged {count} times in mid-answer | task still there: {is_there}; "
        f"answered again after {statistics.median(back) * 1e3:.0f} ms (the slowest {max(back) * 1e3:.0f} ms); "
        f"descriptors left: {left} |"
    )


async def _until_answered(line: StreamClient) -> None:
    """Repeat a request until it is answered: a line that is not open yet may lose it."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                async with asyncio.timeout(0.1):
                    await line.ask(**PING)
                    return
            except TimeoutError:
                continue


async def _timed(answer: Awaitable[object]) -> float:
    began = time.perf_counter()
    await answer
    return time.perf_counter() - began


async def _settled(daemon: Daemon, before: int) -> int:
    until = time.monotonic() + PATIENCE_SECONDS
    while (now := daemon.descriptors()) > before and time.monotonic() < until:
        await asyncio.sleep(0.05)
    return now


async def main(arguments: argparse.Namespace) -> None:
    """Run the tests, and write the page."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, most), most))
    lines = [f"{datetime.datetime.now(datetime.UTC).date()}.", "", "| what | what came of it |", "| --- | --- |"]
    with tempfile.TemporaryDirectory() as name:
        for each, number in (
            (cycles, arguments.cycles),
            (connections, arguments.connections),
            (unplugs, arguments.unplugs),
        ):
            folder = Path(name) / each.__name__
            os.mkdir(folder)
            lines.append(show(await each(folder, number)))
    write_section("faults", lines, RELIABILITY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cycles", type=int, default=10_000)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--unplugs", type=int, default=50)
    asyncio.run(main(parser.parse_args()))
