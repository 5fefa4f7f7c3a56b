"""Measure both sides beside programs that use the cores, for `bench.llm --busy`."""

import asyncio
import base64
import itertools
import json
import statistics
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from bench.llm_sides import MIDDLE, SHORT, Ours, Side, first_of, fresh, rate_of
from bench.report import row, show
from bench.speech import RATE, silence, speak

LOOP = ("sh", "-c", "while :; do :; done")
"""A program that computes without a pause."""

# Time until the kernel has distributed all programs over the cores, and the unit has followed the load.
SETTLE_SECONDS = 1.0
PERIOD_SECONDS = 0.1
SENTENCE = "the train to the north was late again, so we walked home along the river"
SAY_SECONDS = 5.0

Take = Callable[[Side, int], Awaitable[float]]

MEASURES: list[tuple[str, int, float, str, Take]] = [
    ("tokens/s, one client, quiet", 0, 1, "0.94", lambda side, pair: rate_of(side, 1, pair)),
    ("tokens/s, one client, beside one busy core", 1, 1, "1.3", lambda side, pair: rate_of(side, 1, pair)),
    ("tokens/s, one client, beside two busy loops", 2, 1, "1.2", lambda side, pair: rate_of(side, 1, pair)),
    ("first token, 200 tokens, quiet (ms)", 0, 1000, "", lambda side, pair: first_of(side, MIDDLE, pair)),
    ("first token, 200 tokens, one busy core (ms)", 1, 1000, "0.8", lambda side, pair: first_of(side, MIDDLE, pair)),
]
"""Name, busy loops, factor, wanted ratio, how it is taken."""


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Run so many programs that compute without a pause, until the end of the block."""
    loops = [subprocess.Popen(LOOP) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


async def beside_others(ours: Ours, peer: Side, pairs: int) -> list[str]:
    """Return the rows of the table, and the effect of the board's own recogniser and voice on an answer."""
    lines = []
    for at, (name, loops, factor, wanted, take) in enumerate(MEASURES):
        values = []
        with busy_loops(loops):
            await asyncio.sleep(SETTLE_SECONDS)
            for pair in range(pairs):
                number = 8000 + at * 100 + pair
                values.append((await take(ours, number) * factor, await take(peer, number) * factor))
        lines.append(show(row(name, values, wanted)))
    quiet = [await _slowest_step(ours, 8800 + pair) for pair in range(pairs)]
    async with _voice_at_work(ours):
        await asyncio.sleep(SETTLE_SECONDS)
        beside = [await _slowest_step(ours, 8900 + pair) for pair in range(pairs)]
    quiet_ms, beside_ms = (statistics.median(each) * 1000 for each in (quiet, beside))
    words = f"Slowest step of an answer while kws, asr and tts of the same board work: {beside_ms:.0f} ms, quiet "
    return [
        *lines,
        "",
        show(f"{words}{quiet_ms:.0f} ms (medians): {beside_ms / quiet_ms:.1f} times (wanted: at most 3)."),
    ]


async def _slowest_step(side: Side, pair: int) -> float:
    return (await side.ask(0, fresh(SHORT + " there", pair), 96)).longest_gap


@asynccontextmanager
async def _voice_at_work(ours: Ours) -> AsyncIterator[None]:
    """Run wake word and speech recognition on endless speech, and speak a sentence every five seconds."""
    workers = [
        asyncio.create_task(_hear(ours, 20, "kws", {"response_format": "kws.bool", "kws": "alexa"})),
        asyncio.create_task(_hear(ours, 21, "asr", {"response_format": "asr.utf-8.stream"})),
        asyncio.create_task(_say(ours, 22)),
    ]
    try:
        yield
    finally:
        for each in workers:
            each.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _open(ours: Ours, unit: str, data: dict[str, Any]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
    """Return a new connection with a task of the bundled model."""
    reader, writer = await asyncio.open_connection(*ours.endpoints["tcp"], limit=2**24)
    data = {"model": f"unitd-{unit}", "enoutput": True} | data
    writer.write(json.dumps({"request_id": "s", "work_id": unit, "action": "setup", "data": data}).encode())
    return reader, writer, json.loads(await reader.readline())["work_id"]


async def _hear(ours: Ours, client: int, unit: str, data: dict[str, Any]) -> None:
    """Upload sound at the speed of a microphone."""
    reader, writer, work_id = await _open(ours, unit, data | {"input": f"{unit}.base64"})
    sound = b"".join(each.tobytes() for each in (speak(SENTENCE), silence(1.5)))
    period = int(PERIOD_SECONDS * RATE) * 2
    reading = asyncio.create_task(_read_all(reader))
    try:
        for at in itertools.cycle(range(0, len(sound) - period, period)):
            data = {"data": base64.b64encode(sound[at : at + period]).decode(), "object": f"{unit}.base64"}
            request = {"request_id": f"{client}", "work_id": work_id, "action": "inference"}
            writer.write(json.dumps(request | data).encode())
            await asyncio.sleep(PERIOD_SECONDS)
    finally:
        reading.cancel()
        writer.close()


async def _read_all(reader: asyncio.StreamReader) -> None:
    while await reader.readline():
        pass


async def _say(ours: Ours, client: int) -> None:
    """Speak a sentence again and again."""
    reader, writer, work_id = await _open(ours, "tts", {"response_format": "tts.base64", "input": "tts.utf-8"})
    request = {"request_id": f"{client}", "work_id": work_id, "action": "inference", "object": "tts.utf-8"}
    try:
        while True:
            writer.write(json.dumps(request | {"data": SENTENCE}).encode())
            await reader.readline()
            await asyncio.sleep(SAY_SECONDS)
    finally:
        writer.close()
