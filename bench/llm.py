"""Measure the whole daemon, over TCP, beside llama.cpp's own llama-server: the same model, threads and contexts.

    bench/peer.sh                          builds llama-server and llama-bench once
    python -m bench.llm [--pairs 7]        measures, alternately, and writes the table into docs/benchmarks.md
    python -m bench.llm --busy             the same beside programs that use the cores (bench/busy.py)

Every measurement is taken on one side, then on the other, `pairs` times; the ratio is the median over the pairs. Both
servers stay up for the whole run (except for the cold starts) and only one of them works at a time.
"""

import argparse
import asyncio
import datetime
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.busy import beside_others
from bench.llm_sides import LONG, MIDDLE, SHORT, Ours, Peer, Side, first_of, fresh, rate_of
from bench.report import row, show, write_section
from bench.synthetic import make

Measure = Callable[[Side, int], Awaitable[float]]


async def warm_first(side: Side, pair: int) -> float:
    """Return the seconds to the first token of a prompt that was just read."""
    await side.ask(0, fresh(MIDDLE, pair), 4)
    return (await side.ask(0, fresh(MIDDLE, pair), 4)).first


async def gap_beside_long_prompt(side: Side, pair: int) -> float:
    """Return the longest silence in a running answer while another client sends a long prompt."""
    running = asyncio.create_task(side.ask(0, SHORT, 200))
    await asyncio.sleep(0.5)
    await side.ask(1, fresh(LONG, pair), 2)
    return (await running).longest_gap


async def first_after_abandoning(side: Side, pair: int) -> float:
    """Return the seconds to the first token of the next client after another one has abandoned a long prompt."""
    abandoned = asyncio.create_task(side.ask(2, fresh(LONG, pair + 5000), 2))
    await asyncio.sleep(0.3)
    abandoned.cancel()
    await asyncio.gather(abandoned, return_exceptions=True)
    return (await side.ask(0, fresh(SHORT, pair), 2)).first


MEASURES: list[tuple[str, float, str, Measure]] = [
    ("tokens/s, one client", 1, "0.98", lambda side, pair: rate_of(side, 1, pair)),
    ("tokens/s, two clients together", 1, "", lambda side, pair: rate_of(side, 2, pair)),
    ("tokens/s, four clients together", 1, "1.10", lambda side, pair: rate_of(side, 4, pair)),
    ("tokens/s, eight clients together", 1, "", lambda side, pair: rate_of(side, 8, pair)),
    ("first token, short prompt (ms)", 1000, "1.03", lambda side, pair: first_of(side, SHORT, pair)),
    ("first token, 200 tokens (ms)", 1000, "1.03", lambda side, pair: first_of(side, MIDDLE, pair)),
    ("first token, 2000 tokens (ms)", 1000, "", lambda side, pair: first_of(side, LONG, pair)),
    ("first token, warm prompt (ms)", 1000, "1.03", warm_first),
    ("longest gap beside a 2000-token prompt (ms)", 1000, "0.5", gap_beside_long_prompt),
    ("first token after a long prompt was abandoned (ms)", 1000, "0.05", first_after_abandoning),
]


@dataclass(frozen=True)
class Setting:
    """The settings that both sides share."""

    model: Path
    threads: int
    peer: Path
    port: int
    pairs: int
    is_exact: bool

    def ours(self, folder: Path) -> "Ours":
        """Return a daemon with a folder of its own."""
        folder.mkdir()
        return Ours(folder, self.model, self.threads, is_exact=self.is_exact)

    def theirs(self) -> Peer:
        """Return a llama-server."""
        return Peer(self.peer / "llama-server", self.model, self.port, self.threads)


async def measure(ours: Side, peer: Side, pairs: int) -> list[str]:
    """Return the rows for which both servers are running."""
    lines = []
    for at, (name, factor, wanted, take) in enumerate(MEASURES):
        values = []
        for pair in range(pairs):
            number = at * 100 + pair + 1
            values.append((await take(ours, number) * factor, await take(peer, number) * factor))
        lines.append(show(row(name, values, wanted)))
    memory = [sum(psutil.Process(pid).memory_info().rss for pid in side.pids) / 2**20 for side in (ours, peer)]
    return [*lines, show(row("resident memory (MiB)", [(memory[0], memory[1])], "1.10", digits=0))]


async def beside_llama_bench(setting: Setting, ours: Side) -> str:
    """Return the row of our rate for one client through the daemon, beside llama.cpp's decode-only benchmark."""
    command = [str(setting.peer / "llama-bench"), "-m", str(setting.model), "-p", "0", "-n", "96", "-r", "1"]
    command += ["-t", str(setting.threads), "-o", "json"]
    values = []
    for pair in range(setting.pairs):
        mine = await rate_of(ours, 1, 4000 + pair)
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True)
        values.append((mine, json.loads(done.stdout)[0]["avg_ts"]))
    return show(row("tokens/s, one client, beside llama-bench tg96", values, "0.95"))


async def cold_start(side: Ours | Peer) -> float:
    """Return the milliseconds from the start of the program to the first token of a short question."""
    began = time.perf_counter()
    side.start()
    try:
        await side.wait_ready()
        await side.ask(0, SHORT, 2)
        return (time.perf_counter() - began) * 1e3
    finally:
        side.stop()


async def cold_starts(setting: Setting, folder: Path) -> str:
    """Return the row of cold starts; nothing else runs meanwhile."""
    values = []
    for pair in range(setting.pairs):
        mine = await cold_start(setting.ours(folder / f"cold{pair}"))
        values.append((mine, await cold_start(setting.theirs())))
    return show(row("cold start to the first token (ms)", values))


async def interrupts(ours: Ours, pairs: int) -> list[str]:
    """Return lines about wake to finish frame, speaking and reading, and about a second setup on the loaded model."""
    await ours.talk(9)
    setup = {"model": "unitd-kws", "response_format": "kws.bool", "enoutput": False}
    kws = (await ours.request(9, work_id="kws", action="setup", data=setup))["work_id"]
    _, _, llm = await ours.talk(0)
    await ours.request(0, work_id=llm, action="link", data=kws)
    lines = [""]
    for name, text, delay in (("speaking", SHORT, 0.7), ("reading a 2000-token prompt", LONG, 0.4)):
        times = []
        for pair in range(pairs):
            running = asyncio.create_task(ours.ask(0, fresh(text, 7000 + pair), 300))
            await asyncio.sleep(delay)
            woken = time.perf_counter()
            await asyncio.gather(running, ours.request(9, work_id=kws, action="trigger"))
            times.append(time.perf_counter() - woken)
        lines.append(show(f"Wake to finish frame, {name}: {statistics.median(times) * 1e3:.1f} ms (median)."))
    began = time.perf_counter()
    await ours.talk(10)
    took = (time.perf_counter() - began) * 1e3
    return [*lines, show(f"Setup of another task on the loaded model: {took:.1f} ms.")]


async def main(arguments: argparse.Namespace) -> None:
    """Start both servers, measure, stop them, and write the page."""
    mode = "in exact mode" if arguments.exact else "not in exact mode"
    title = (
        f"{datetime.datetime.now(datetime.UTC).date()}, {arguments.pairs} pairs, {mode}, {arguments.threads} threads."
    )
    lines = [
        title,
        "",
        show("| measure | unitd | llama.cpp | ratio | wanted |"),
        show("| --- | --- | --- | --- | --- |"),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "synthetic.gguf"
        make(model)
        setting = Setting(
            model, arguments.threads, arguments.peer, arguments.port, arguments.pairs, is_exact=arguments.exact
        )
        if not arguments.busy:
            lines.append(await cold_starts(setting, folder))
        ours, peer = setting.ours(folder / "ours"), setting.theirs()
        try:
            for side in (ours, peer):
                side.start()
                await side.wait_ready()
            if arguments.busy:
                lines += await beside_others(ours, peer, setting.pairs)
            else:
                lines += await measure(ours, peer, setting.pairs)
                lines.append(await beside_llama_bench(setting, ours))
                lines += await interrupts(ours, setting.pairs)
        finally:
            ours.stop()
            peer.stop()
    write_section("llm, busy" if arguments.busy else "llm, exact" if arguments.exact else "llm", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--peer", type=Path, default=Path("build/peer/build/bin"))
    parser.add_argument("--port", type=int, default=18080)
    parser.add_argument("--busy", action="store_true", help="beside programs that want the cores, too")
    parser.add_argument("--exact", action="store_true", help="our side in exact mode")
    asyncio.run(main(parser.parse_args()))
