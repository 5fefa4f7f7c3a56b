"""Print when the chunks of a voice agent's answer come: the table of the chunked streaming server's document.

    python -m bench.timeline                            against a daemon of its own, with the bundled model
    python -m bench.timeline --url ws://board:8000/ws   against a running daemon

The agent asks for a first chunk of so many tokens, then for sentences, each as soon as the last one has arrived. Times
are in milliseconds: the first token as the server and as the client see it, and the whole chunk as the client sees it;
TPS is tokens a second over all of that. The answer before the one that is shown is discarded, because it loads the
model.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

SYSTEM = "You are a helpful assistant. Keep responses concise."
QUESTION = "tell me a very long story"
FIRST_TOKENS = 10
SHOWN_CHARACTERS = 50
RULE = "-" * 110
HEAD = f"{'#':<4}{'Tokens':<8}{'Srv TTFT':<11}{'Cli TTFT':<11}{'Chunk':<11}{'TPS':<9}Text (truncated)"


@dataclass(frozen=True)
class Chunk:
    """One chunk as the client saw it; times in milliseconds."""

    text: str
    tokens: int
    reason: str
    is_last: bool
    server_first: float
    client_first: float
    whole: float

    @property
    def rate(self) -> float:
        """Return the tokens a second, including the wait for the first one."""
        return self.tokens / self.whole * 1000

    def row(self, number: int) -> str:
        """Return its line of the table."""
        text = self.text.replace("\n", "\\n")
        shown = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."
        times = f"{self.server_first:<11.0f}{self.client_first:<11.1f}{self.whole:<11.1f}{self.rate:<9.1f}"
        return f"{number:<4}{self.tokens:<8}{times}{shown}"


async def next_chunk(socket: ClientConnection, request: dict[str, Any]) -> Chunk:
    """Ask for a chunk, read it to the end, and return it."""
    asked = time.perf_counter()
    first = None
    await socket.send(json.dumps(request))
    while True:
        message = json.loads(await socket.recv())
        now = (time.perf_counter() - asked) * 1000
        first = now if first is None else first
        if "error" in message:
            raise SystemExit(f"refused: {message['error']}")
        if message["type"] != "token":
            break
    return Chunk(
        text=message["text"],
        tokens=message["tokens"],
        reason=message["reason"],
        is_last=message["type"] == "done",
        server_first=message["ttft_ms"],
        client_first=first,
        whole=now,
    )


async def answer(url: str, question: str, tokens: int) -> list[Chunk]:
    """Return one answer, chunk by chunk."""
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    start = {"action": "start_stream", "messages": messages, "pause": {"max_tokens": tokens}, "stream_tokens": True}
    go_on = {"action": "continue_stream", "pause": {"sentence_boundary": True}}
    async with connect(url) as socket:
        chunks = [await next_chunk(socket, {"stream_id": "timeline", **start})]
        while not chunks[-1].is_last:
            chunks.append(await next_chunk(socket, {"stream_id": "timeline", **go_on}))
    return chunks


@asynccontextmanager
async def own_daemon() -> AsyncIterator[str]:
    """Run a daemon on a free port; yield the address of its /ws."""
    with tempfile.TemporaryDirectory() as name:
        config, endpoints = Path(name) / "unitd.toml", Path(name) / "endpoints.json"
        config.write_text(
            f'[state]\ndir = "{name}"\n[tcp]\nenabled = false\n[http]\nport = 0\n[log]\nlevel = "warning"\n'
        )
        process = await asyncio.create_subprocess_exec(sys.executable, "-m", "unitd", "serve", "--config", str(config))
        try:
            while not endpoints.exists():
                if process.returncode is not None:
                    raise SystemExit("the daemon did not start")
                await asyncio.sleep(0.005)
            host, port = json.loads(endpoints.read_text())["http"]
            yield f"ws://{host}:{port}/ws"
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()


def report(chunks: list[Chunk]) -> str:
    """Return the table and the whole text."""
    rows = [chunk.row(number) for number, chunk in enumerate(chunks, 1)]
    text = "".join(chunk.text for chunk in chunks)
    total = f"{sum(chunk.tokens for chunk in chunks)} tokens in {len(chunks)} chunks, {chunks[-1].reason}"
    return os.linesep.join(["CHUNK BREAKDOWN:", RULE, HEAD, RULE, *rows, RULE, total, "", text, ""])


async def measure(url: str, question: str, tokens: int) -> None:
    """Print the table of the second of two answers."""
    await answer(url, question, tokens)
    sys.stdout.write(report(await answer(url, question, tokens)))


async def run(arguments: argparse.Namespace) -> None:
    """Measure the daemon at the given address, or one of its own."""
    if arguments.url:
        await measure(arguments.url, arguments.question, arguments.tokens)
    else:
        async with own_daemon() as url:
            await measure(url, arguments.question, arguments.tokens)


def main() -> None:
    """Read the arguments, and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--url", help="of a /ws that runs; without it a daemon is started")
    parser.add_argument("--tokens", type=int, default=FIRST_TOKENS, help="of the first chunk (default: 10)")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
