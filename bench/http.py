"""Measure the HTTP door beside llama.cpp's own llama-server: the same model, threads, contexts and client.

    bench/peer.sh                                   builds llama-server once
    python -m bench.http [--pairs 7] [--minutes 5]  measures and writes its tables into docs/benchmarks.md

Both servers stay up and work alternately, as in `bench.llm`, whose daemon, peer and measures are used here. Every
question to `/v1/chat/completions` uses a new connection on both sides; the WebSocket stays open, as a voice agent's
does. Then the peer ends, and the daemon serves 220 WebSocket clients (`bench.crowd`).
"""

import argparse
import asyncio
import datetime
import json
import os
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from bench.crowd import report
from bench.llm import Setting, warm_first
from bench.llm_sides import LIMITS, MIDDLE, SHORT, Side, Timed, fresh, rate_of
from bench.report import row, show, write_section
from bench.synthetic import make

# Questions before the measurement, more than there are slots: the first one to a slot also touches its memory.
WARM_UP = 12

# Tokens of each chunk of a stream that is continued repeatedly.
CHUNK_TOKENS = 8


def words_in(text: str) -> int:
    """Return the number of tokens in a piece: nearly all of the model's tokens are words with a blank before them."""
    return max(1, text.count(" "))


@dataclass
class Completions:
    """A server of the OpenAI API; `extra` is what only this server needs in a request."""

    name: str
    url: str
    pids: list[int]
    extra: dict[str, Any]
    http: httpx.AsyncClient

    async def ask(self, client: int, text: str, tokens: int) -> Timed:
        """Request one streamed chat completion; return its times."""
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": tokens, "temperature": 0, "stream": True}
        timed = Timed(time.perf_counter())
        async with self.http.stream("POST", f"{self.url}/v1/chat/completions", json=body | self.extra) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {") and (said := said_in(line)):
                    timed.pieces += [time.perf_counter()] * words_in(said)
        return timed


def said_in(line: str) -> str:
    """Return the text of one event."""
    choices = json.loads(line.removeprefix("data: "))["choices"]
    return (choices[0]["delta"].get("content") or "") if choices else ""


class Chunked:
    """The daemon's `/ws` with chunked streaming, one stream at a time."""

    name = "unitd"

    def __init__(self, address: str, pids: list[int]) -> None:
        self._address = address
        self.pids = pids
        self._sockets: dict[int, ClientConnection] = {}
        self._streams = 0

    async def close(self) -> None:
        """Close the connection."""
        for ws in self._sockets.values():
            await ws.close()

    async def ask(self, client: int, text: str, tokens: int) -> Timed:
        """Run one stream of a single chunk; return its times."""
        ws = await self._socket(client)
        timed = await self._chunk(ws, await self._start(ws, text, tokens))
        await self._end(ws)
        return timed

    async def steps(self, text: str, chunks: int) -> list[tuple[float, float]]:
        """Run one stream in many chunks; return the times to their first tokens, and their decode steps.

        The first chunk is left out.
        """
        ws = await self._socket(0)
        timed = await self._chunk(ws, await self._start(ws, text, CHUNK_TOKENS))
        steps = []
        for _ in range(chunks):
            step = (timed.pieces[-1] - timed.pieces[0]) / (len(timed.pieces) - 1)
            message = {"action": "continue_stream", "stream_id": self._stream_id, "pause": {"max_tokens": CHUNK_TOKENS}}
            sent = time.perf_counter()
            await ws.send(json.dumps(message))
            timed = await self._chunk(ws, sent)
            steps.append((timed.first, step))
        await self._end(ws)
        return steps

    @property
    def _stream_id(self) -> str:
        return f"stream {self._streams}"

    async def _socket(self, client: int) -> ClientConnection:
        if client not in self._sockets:
            self._sockets[client] = await connect(f"ws://{self._address}/ws")
        return self._sockets[client]

    async def _start(self, ws: ClientConnection, text: str, tokens: int) -> float:
        self._streams += 1
        message = {"action": "start_stream", "stream_id": self._stream_id, "stream_tokens": True, "temperature": 0}
        message |= {"messages": [{"role": "user", "content": text}], "pause": {"max_tokens": tokens}}
        sent = time.perf_counter()
        await ws.send(json.dumps(message))
        return sent

    async def _chunk(self, ws: ClientConnection, sent: float) -> Timed:
        timed = Timed(sent)
        while (message := json.loads(await ws.recv()))["type"] == "token":
            timed.pieces += [time.perf_counter()] * words_in(message["content"])
        return timed

    async def _end(self, ws: ClientConnection) -> None:
        await ws.send(json.dumps({"action": "end_stream", "stream_id": self._stream_id}))
        await ws.recv()


async def first_of(side: Side, text: str, number: int) -> float:
    """Return the milliseconds to the first token of a prompt that is not cached."""
    return (await side.ask(0, fresh(text, number), 4)).first * 1e3


async def warm_first_of(side: Side, number: int) -> float:
    """Return the milliseconds to the first token of a prompt that was just read."""
    return await warm_first(side, number) * 1e3


async def beside_peer(completions: Side, chunked: Chunked, peer: Side, pairs: int) -> list[str]:
    """Return the rows that compare; all prompts have different numbers, so that none is cached by accident."""
    lines = [show("| measure | unitd | llama-server | ratio | wanted |"), show("| --- | --- | --- | --- | --- |")]
    numbers = iter(range(1, 10_000))
    for door, ours in (("/v1/chat/completions", completions), ("/ws", chunked)):
        for name, text in (("short prompt", SHORT), ("200 tokens", MIDDLE)):
            values = []
            for _ in range(pairs):
                number = next(numbers)
                values.append((await first_of(ours, text, number), await first_of(peer, text, number)))
            lines.append(show(row(f"`{door}`, first token, {name} (ms)", values, "at most 1.1")))
        values = []
        for _ in range(pairs):
            number = next(numbers)
            values.append((await warm_first_of(ours, number), await warm_first_of(peer, number)))
        lines.append(show(row(f"`{door}`, first token, warm prompt (ms)", values, "at most 1.1")))
    values = []
    for _ in range(pairs):
        number = next(numbers)
        values.append((await rate_of(completions, 4, number), await rate_of(peer, 4, number)))
    lines.append(show(row("`/v1/chat/completions`, tokens/s, four clients together", values, "at least 1.0")))
    return lines


async def continued(chunked: Chunked, pairs: int) -> list[str]:
    """Return the time of a continue, in decode steps of the same stream."""
    steps = [step for at in range(pairs) for step in await chunked.steps(fresh(MIDDLE, 9000 + at), chunks=8)]
    first, step = (statistics.median(each) * 1e3 for each in zip(*steps, strict=True))
    ratio = statistics.median(mine / one for mine, one in steps)
    words = f"{first:.1f} ms to its first token, a decode step takes {step:.1f} ms: {ratio:.2f} steps (wanted: two)"
    return ["", show(f"`continue_stream`: {words}.")]


async def measure(setting: Setting, folder: Path) -> list[str]:
    """Return the rows, with both sides running and measured alternately."""
    ours, peer = setting.ours(folder / "ours"), setting.theirs()
    http = httpx.AsyncClient(timeout=120, limits=LIMITS)
    chunked = None
    try:
        for side in (ours, peer):
            side.start()
            await side.wait_ready()
        host, port = ours.endpoints["http"]
        address = f"{host}:{port}"
        completions = Completions(
            "unitd", f"http://{address}", ours.pids, {"model": "synthetic", "logit_bias": {"151935": -100}}, http
        )
        theirs = Completions(peer.name, f"http://127.0.0.1:{setting.port}", peer.pids, {"ignore_eos": True}, http)
        chunked = Chunked(address, ours.pids)
        for number in range(WARM_UP):
            for each in (completions, theirs):
                await first_of(each, SHORT, 9900 + number)
        lines = await beside_peer(completions, chunked, theirs, setting.pairs)
        return lines + await continued(chunked, setting.pairs)
    finally:
        if chunked is not None:
            await chunked.close()
        await http.aclose()
        ours.stop()
        peer.stop()


async def main(arguments: argparse.Namespace) -> None:
    """Measure, and write the page."""
    title = f"{datetime.datetime.now(datetime.UTC).date()}, {arguments.pairs} pairs, {arguments.threads} threads."
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.pairs:
            model = folder / "synthetic.gguf"
            make(model)
            setting = Setting(model, arguments.threads, arguments.peer, arguments.port, arguments.pairs, is_exact=False)
            write_section("http", [title, "", *await measure(setting, folder)])
        if arguments.minutes:
            write_section("crowd", await report(folder / "crowd", arguments.minutes * 60))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7, help="0: no comparison")
    parser.add_argument("--minutes", type=float, default=5, help="of the crowd; 0: none")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--peer", type=Path, default=Path("build/peer/build/bin"))
    parser.add_argument("--port", type=int, default=18080)
    asyncio.run(main(parser.parse_args()))
