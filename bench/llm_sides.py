"""Both sides of `bench.llm`, the daemon and llama-server, asked in the same way, and how their answers are timed."""

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx
import psutil

SLOTS, CONTEXT = 8, 3072
# A connection for each question, because llama-server may close old ones at any time.
LIMITS = httpx.Limits(max_connections=64, max_keepalive_connections=0)
SHORT, MIDDLE, LONG = "hello", "x" * 180, "y" * 1980


@dataclass
class Timed:
    """The time at which a question was sent and at which each piece of its answer came, in seconds."""

    sent: float
    pieces: list[float] = field(default_factory=list)

    @property
    def first(self) -> float:
        """Return the seconds to the first piece."""
        return self.pieces[0] - self.sent

    @property
    def longest_gap(self) -> float:
        """Return the seconds of the longest silence in the answer."""
        return max(later - earlier for earlier, later in zip(self.pieces, self.pieces[1:], strict=False))


class Side(Protocol):
    """A server under measurement. `client` separates conversations; a cancelled question is abandoned."""

    name: str
    pids: list[int]

    async def ask(self, client: int, text: str, tokens: int) -> Timed:
        """Return the times of one greedy answer of so many tokens."""


class SeeingSide(Side, Protocol):
    """A server of a model with vision."""

    async def ask(self, client: int, text: str, tokens: int, picture: bytes = b"") -> Timed:
        """Return the times of one greedy answer; the picture's file stands before the text."""


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask a server to stop and wait until it has stopped."""
    process.send_signal(signal.SIGTERM)
    process.wait()


class Peer:
    """llama-server."""

    name = "llama-server"

    def __init__(self, binary: Path, model: Path, port: int, threads: int, projector: Path | None = None) -> None:
        command = [str(binary), "-m", str(model), "--port", str(port), "-np", str(SLOTS), "-c", str(SLOTS * CONTEXT)]
        self._command = [*command, "-t", str(threads), "--no-webui"]
        self._command += ["--mmproj", str(projector)] if projector else []
        self.pids: list[int] = []
        self._url = f"http://127.0.0.1:{port}"
        self._http = httpx.AsyncClient(timeout=120, limits=LIMITS)

    def start(self) -> None:
        """Start the server; it begins to load."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pids = [self._process.pid]

    def stop(self) -> None:
        """Stop the server."""
        end(self._process)

    async def wait_ready(self) -> None:
        """Wait until /health reports that the server is ready."""
        while True:
            with suppress(httpx.TransportError):
                if (await self._http.get(self._url + "/health")).is_success:
                    return
            await asyncio.sleep(0.005)

    async def ask(self, client: int, text: str, tokens: int, picture: bytes = b"") -> Timed:
        """Request one streamed chat completion; return its times."""
        url = {"url": f"data:image/png;base64,{base64.b64encode(picture).decode()}"}
        parts = [{"type": "image_url", "image_url": url}, {"type": "text", "text": text}]
        body = {
            "messages": [{"role": "user", "content": parts if picture else text}],
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
    """The daemon, with one connection and one task for each client."""

    name = "unitd"

    def __init__(
        self, folder: Path, model: Path, threads: int, *, is_exact: bool, projector: Path | None = None
    ) -> None:
        (folder / "models" / "synthetic").mkdir(parents=True)
        (folder / "models" / "synthetic" / "model.gguf").symlink_to(model)
        if projector:
            (folder / "models" / "synthetic" / "mmproj.gguf").symlink_to(projector)
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
        """Start the daemon."""
        # A user's daemon finds compiled sources, so use them whatever this shell sets; drop its log lines.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stderr=log, env=environment)

    def stop(self) -> None:
        """Stop the daemon."""
        end(self._process)

    def restart(self) -> None:
        """Stop the daemon and start it again with the same state."""
        self.stop()
        self._talks.clear()
        (self._folder / "endpoints.json").unlink(missing_ok=True)
        self.start()

    async def wait_ready(self) -> None:
        """Wait until the daemon listens and the model is loaded."""
        while not (self._folder / "endpoints.json").exists():
            await asyncio.sleep(0.002)
        await self.talk(0)
        daemon = psutil.Process(self._process.pid)
        self.pids = [daemon.pid, *(child.pid for child in daemon.children())]

    @property
    def endpoints(self) -> dict[str, Any]:
        """Return the addresses on which the daemon listens."""
        found: dict[str, Any] = json.loads((self._folder / "endpoints.json").read_text())
        return found

    async def request(self, client: int, **fields: Any) -> dict[str, Any]:
        """Send a request on a client's connection and return its reply."""
        reader, writer, _ = self._talks[client]
        writer.write(json.dumps({"request_id": "r"} | fields).encode())
        reply: dict[str, Any] = json.loads(await reader.readline())
        return reply

    async def talk(self, client: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
        """Return a client's connection and task."""
        if client not in self._talks:
            host, port = self.endpoints["tcp"]
            reader, writer = await asyncio.open_connection(host, port)
            self._talks[client] = (reader, writer, "")
            setup: dict[str, Any] = {"model": "synthetic", "response_format": "llm.utf-8.stream"}
            setup |= {"input": "llm.utf-8", "enoutput": True, "prompt": "", "frame_interval_ms": 0}
            reply = await self.request(client, work_id="llm", action="setup", data=setup)
            self._talks[client] = (reader, writer, reply["work_id"])
        return self._talks[client]

    async def ask(self, client: int, text: str, tokens: int, picture: bytes = b"") -> Timed:
        """Run one streamed inference and return its times; when cancelled, close the connection."""
        reader, writer, work_id = await self.talk(client)
        options: dict[str, Any] = {"max_token_len": tokens, "temperature": 0, "end_bias": -100}
        if picture:
            options["images"] = [{"image": base64.b64encode(picture).decode()}]
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


def fresh(text: str, pair: int) -> str:
    """Return a text of the same length with another beginning, so that nothing of it is cached."""
    return f"{pair:04d}" + text[4:]


async def rate_of(side: Side, clients: int, pair: int) -> float:
    """Return the tokens per second of so many clients together, without the first tokens."""
    answers = await asyncio.gather(*(side.ask(client, fresh("question", pair), 96) for client in range(clients)))
    begun, ended = max(each.pieces[0] for each in answers), min(each.pieces[-1] for each in answers)
    tokens = sum(begun < piece <= ended for each in answers for piece in each.pieces)
    return tokens / (ended - begun)


async def first_of(side: Side, text: str, pair: int) -> float:
    """Return the seconds to the first token of a prompt that is not cached."""
    return (await side.ask(0, fresh(text, pair), 4)).first
