"""The whole daemon, through TCP, beside llama.cpp's own llama-server: the same model, threads and contexts.

    bench/peer.sh                          builds llama-server and llama-bench once
    python -m bench.llm [--pairs 7]        measures, in turn, and writes the table into docs/benchmarks.md

Every measurement is taken on one side, then on the other, `pairs` times; the ratio is the median over the pairs. Both
servers stay up for the whole run (but for the cold starts) and only one of them works at a time.
"""

import argparse
import asyncio
import datetime
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx
import psutil

from bench.report import row, show, write_section
from bench.synthetic import make

SLOTS, CONTEXT = 8, 3072
# A connection for each question: llama-server hangs up on old ones when it likes.
LIMITS = httpx.Limits(max_connections=64, max_keepalive_connections=0)
SHORT, MIDDLE, LONG = "hello", "x" * 180, "y" * 1980


@dataclass
class Timed:
    """When a question was sent and when each piece of its answer came, in seconds."""

    sent: float
    pieces: list[float] = field(default_factory=list)

    @property
    def first(self) -> float:
        """Seconds to the first piece."""
        return self.pieces[0] - self.sent

    @property
    def longest_gap(self) -> float:
        """Seconds of the longest silence in the answer."""
        return max(later - earlier for earlier, later in zip(self.pieces, self.pieces[1:], strict=False))


class Side(Protocol):
    """A server under measurement. `client` separates conversations; a cancelled question is abandoned."""

    name: str
    pids: list[int]

    async def ask(self, client: int, text: str, tokens: int) -> Timed:
        """One greedy answer of so many tokens."""


def end(process: "subprocess.Popen[bytes]") -> None:
    """Asks a server to stop and waits until it has."""
    process.send_signal(signal.SIGTERM)
    process.wait()


class Peer:
    """llama-server."""

    name = "llama-server"

    def __init__(self, binary: Path, model: Path, port: int, threads: int) -> None:
        command = [str(binary), "-m", str(model), "--port", str(port), "-np", str(SLOTS), "-c", str(SLOTS * CONTEXT)]
        self._command = [*command, "-t", str(threads), "--no-webui"]
        self.pids: list[int] = []
        self._url = f"http://127.0.0.1:{port}"
        self._http = httpx.AsyncClient(timeout=120, limits=LIMITS)

    def start(self) -> None:
        """Begins to load."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pids = [self._process.pid]

    def stop(self) -> None:
        """Ends it."""
        end(self._process)

    async def wait_ready(self) -> None:
        """Until /health says so."""
        while True:
            with suppress(httpx.TransportError):
                if (await self._http.get(self._url + "/health")).is_success:
                    return
            await asyncio.sleep(0.005)

    async def ask(self, client: int, text: str, tokens: int) -> Timed:
        """One streamed chat completion."""
        body = {
            "messages": [{"role": "user", "content": text}],
            "max_tokens": tokens,
            "temperature": 0,
            "stream": True,
            "ignore_eos": True,
            "id_slot": client,
        }
        timed = Timed(time.perf_counter())
        async with self._http.stream("POST", self._url + "/v1/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {") and '"content":"' in line:
                    timed.pieces.append(time.perf_counter())
        return timed


class Ours:
    """The daemon, one connection and one task for each client."""

    name = "unitd"

    def __init__(self, folder: Path, model: Path, threads: int, *, is_exact: bool) -> None:
        (folder / "models").mkdir()
        (folder / "models" / "synthetic.gguf").symlink_to(model)
        config = folder / "unitd.toml"
        config.write_text(
            f'[state]\ndir = "{folder}"\n[models]\ndir = ["{folder}/models"]\n[tcp]\nport = 0\n[http]\nport = 0\n'
            f'[llm]\nmodel = "synthetic"\n'
            f"slots = {SLOTS}\ncontext = {CONTEXT}\nthreads = {threads}\nexact = {str(is_exact).lower()}\n"
            f'[log]\nlevel = "warning"\n'
        )
        self._folder = folder
        self._command = [sys.executable, "-m", "unitd", "serve", "--config", str(config)]
        self.pids: list[int] = []
        self._talks: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter, str]] = {}

    def start(self) -> None:
        """Begins to serve."""
        self._process = subprocess.Popen(self._command)

    def stop(self) -> None:
        """Ends it."""
        end(self._process)

    async def wait_ready(self) -> None:
        """Until the daemon listens and the model is loaded."""
        while not (self._folder / "endpoints.json").exists():
            await asyncio.sleep(0.002)
        await self.talk(0)
        daemon = psutil.Process(self._process.pid)
        self.pids = [daemon.pid, *(child.pid for child in daemon.children())]

    @property
    def endpoints(self) -> dict[str, Any]:
        """Where the daemon listens."""
        found: dict[str, Any] = json.loads((self._folder / "endpoints.json").read_text())
        return found

    async def request(self, client: int, **fields: Any) -> dict[str, Any]:
        """A request and its reply on a client's connection."""
        reader, writer, _ = self._talks[client]
        writer.write(json.dumps({"request_id": "r"} | fields).encode())
        reply: dict[str, Any] = json.loads(await reader.readline())
        return reply

    async def talk(self, client: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
        """A client's connection and task."""
        if client not in self._talks:
            host, port = self.endpoints["tcp"]
            reader, writer = await asyncio.open_connection(host, port)
            self._talks[client] = (reader, writer, "")
            setup: dict[str, Any] = {"model": "synthetic", "response_format": "llm.utf-8.stream"}
            setup |= {"input": "llm.utf-8", "enoutput": True, "prompt": ""}
            reply = await self.request(client, work_id="llm", action="setup", data=setup)
            self._talks[client] = (reader, writer, reply["work_id"])
        return self._talks[client]

    async def ask(self, client: int, text: str, tokens: int) -> Timed:
        """One streamed inference; cancelled, the connection is closed, as by a client that walks away."""
        reader, writer, work_id = await self.talk(client)
        options: dict[str, Any] = {"max_token_len": tokens, "temperature": 0, "end_bias": -100}
        request = {"request_id": "q", "work_id": work_id, "action": "inference", "object": "llm.utf-8", "data": text}
        timed = Timed(time.perf_counter())
        writer.write(json.dumps(request | {"options": options}).encode())
        try:
            while True:
                data = json.loads(await reader.readline())["data"]
                if data["finish"]:
                    return timed
                if data["delta"]:
                    timed.pieces.append(time.perf_counter())
        except asyncio.CancelledError:
            writer.close()
            del self._talks[client]
            raise


Measure = Callable[[Side, int], Awaitable[float]]


def fresh(text: str, pair: int) -> str:
    """The same length, another beginning: nothing of it is cached."""
    return f"{pair:04d}" + text[4:]


async def rate_of(side: Side, clients: int, pair: int) -> float:
    """Tokens per second of so many clients together, first tokens left out."""
    answers = await asyncio.gather(*(side.ask(client, fresh("question", pair), 96) for client in range(clients)))
    begun, ended = max(each.pieces[0] for each in answers), min(each.pieces[-1] for each in answers)
    tokens = sum(begun < piece <= ended for each in answers for piece in each.pieces)
    return tokens / (ended - begun)


async def first_of(side: Side, text: str, pair: int) -> float:
    """Seconds to the first token of a prompt that is not cached."""
    return (await side.ask(0, fresh(text, pair), 4)).first


async def warm_first(side: Side, pair: int) -> float:
    """Seconds to the first token of a prompt that was just read."""
    await side.ask(0, fresh(MIDDLE, pair), 4)
    return (await side.ask(0, fresh(MIDDLE, pair), 4)).first


async def gap_beside_long_prompt(side: Side, pair: int) -> float:
    """The longest silence in a running answer while another client sends a long prompt."""
    running = asyncio.create_task(side.ask(0, SHORT, 200))
    await asyncio.sleep(0.5)
    await side.ask(1, fresh(LONG, pair), 2)
    return (await running).longest_gap


async def first_after_abandoning(side: Side, pair: int) -> float:
    """Seconds to the first token of the next client when one has walked away from a long prompt."""
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
    """What both sides get alike."""

    model: Path
    threads: int
    peer: Path
    port: int
    pairs: int
    is_exact: bool

    def ours(self, folder: Path) -> "Ours":
        """A daemon of its own folder."""
        folder.mkdir()
        return Ours(folder, self.model, self.threads, is_exact=self.is_exact)

    def theirs(self) -> Peer:
        """A llama-server."""
        return Peer(self.peer / "llama-server", self.model, self.port, self.threads)


async def measure(ours: Side, peer: Side, pairs: int) -> list[str]:
    """The rows for which both are up."""
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
    """Our rate for one client through the whole daemon, beside llama.cpp's benchmark, which only decodes."""
    command = [str(setting.peer / "llama-bench"), "-m", str(setting.model), "-p", "0", "-n", "96", "-r", "1"]
    command += ["-t", str(setting.threads), "-o", "json"]
    values = []
    for pair in range(setting.pairs):
        mine = await rate_of(ours, 1, 4000 + pair)
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True)
        values.append((mine, json.loads(done.stdout)[0]["avg_ts"]))
    return show(row("tokens/s, one client, beside llama-bench tg96", values, "0.95"))


async def cold_start(side: Ours | Peer) -> float:
    """Milliseconds from the start of the program to the first token of a short question."""
    began = time.perf_counter()
    side.start()
    try:
        await side.wait_ready()
        await side.ask(0, SHORT, 2)
        return (time.perf_counter() - began) * 1e3
    finally:
        side.stop()


async def cold_starts(setting: Setting, folder: Path) -> str:
    """Nothing else runs meanwhile."""
    values = []
    for pair in range(setting.pairs):
        mine = await cold_start(setting.ours(folder / f"cold{pair}"))
        values.append((mine, await cold_start(setting.theirs())))
    return show(row("cold start to the first token (ms)", values))


async def interrupts(ours: Ours, pairs: int) -> list[str]:
    """Wake frame to finish frame, speaking and reading; setup of a second task on the loaded model."""
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
    """Starts both, measures, stops both, writes the page."""
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
        lines.append(await cold_starts(setting, folder))
        ours, peer = setting.ours(folder / "ours"), setting.theirs()
        try:
            for side in (ours, peer):
                side.start()
                await side.wait_ready()
            lines += await measure(ours, peer, setting.pairs)
            lines.append(await beside_llama_bench(setting, ours))
            lines += await interrupts(ours, setting.pairs)
        finally:
            ours.stop()
            peer.stop()
    write_section("llm, exact" if arguments.exact else "llm", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--peer", type=Path, default=Path("build/peer/build/bin"))
    parser.add_argument("--port", type=int, default=18080)
    parser.add_argument("--exact", action="store_true", help="our side in exact mode")
    asyncio.run(main(parser.parse_args()))
