"""Clients that treat one read as one frame, as the published Python clients of the original do, beside a busy task.

    python -m bench.naive [--answers 200] [--intervals 10 15 20 25 30 40 50]

For each `frame_interval_ms` this counts how many of so many streamed answers such a client reads to the end. Meanwhile
another task, on a model with the shape of Qwen2.5-0.5B, computes an endless answer with both cores.
"""

import argparse
import asyncio
import json
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.daemon import Daemon, StreamClient
from bench.report import show, write_section
from bench.synthetic import make

READ_BYTES = 4096
QUESTION = "tell me a story about a bear"
PATIENCE_SECONDS = 30.0


class NaiveClient:
    """A client that reads until a newline has come and parses all that it read as one object."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address, PATIENCE_SECONDS)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def request(self, **fields: Any) -> dict[str, Any]:
        """Send a request and return what is read as its reply.

        Raises:
            ValueError: more than one object came.
        """
        self._socket.sendall((json.dumps({"request_id": "naive"} | fields) + "\n").encode())
        return self.read()

    def read(self) -> dict[str, Any]:
        """Return the frame that was read.

        Raises:
            ValueError: what was read is not a single JSON object.
        """
        received = b""
        while b"\n" not in received:
            if not (part := self._socket.recv(READ_BYTES)):
                raise EOFError("the daemon has hung up")
            received += part
        frame: dict[str, Any] = json.loads(received)
        return frame

    def answer(self, work_id: str) -> int:
        """Ask one question; return the number of frames of its answer."""
        frames = 1
        frame = self.request(work_id=work_id, action="inference", object="llm.utf-8", data=QUESTION)
        while not frame["data"]["finish"]:
            frame, frames = self.read(), frames + 1
        return frames


def whole_answers(address: tuple[str, int], answers: int, interval: int | None) -> tuple[int, int]:
    """Return how many answers a naive client read to their end, with a connection each, and the number of their frames.

    Without an interval the door's default is used.
    """
    setup: dict[str, Any] = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8"}
    setup |= {"enoutput": True, "prompt": "", "max_token_len": 60}
    setup |= {} if interval is None else {"frame_interval_ms": interval}
    whole = frames = 0
    for _ in range(answers):
        client = NaiveClient(address)
        with suppress(ValueError):
            work_id = client.request(work_id="llm", action="setup", data=setup)["work_id"]
            frames += client.answer(work_id)
            client.request(work_id=work_id, action="exit")
            whole += 1
        client.close()
    return whole, frames


async def keep_busy(client: StreamClient) -> None:
    """Let a large model compute one endless answer after the other."""
    setup = {"model": "synthetic", "response_format": "llm.utf-8", "input": "llm.utf-8", "enoutput": True, "prompt": ""}
    work_id = (await client.ask(work_id="llm", action="setup", data=setup))["work_id"]
    while True:
        options = {"max_token_len": 500, "end_bias": -100}
        question = {"object": "llm.utf-8", "data": "x" * 200, "options": options}
        await client.ask(work_id=work_id, action="inference", **question)


async def main(arguments: argparse.Namespace) -> None:
    """Measure each interval beside the busy task, and write the table."""
    lines = [show("| frame_interval_ms | answers read to the end | frames of an answer |"), show("| --- | --- | --- |")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "models").mkdir()
        make(folder / "models" / "synthetic.gguf")
        async with Daemon(folder / "state", models=f'["{folder}/models"]') as daemon:
            busy = asyncio.create_task(keep_busy(await daemon.client()))
            address = tuple(daemon.endpoints["tcp"])
            for interval in arguments.intervals:
                whole, frames = await asyncio.to_thread(whole_answers, address, arguments.answers, interval)
                mean = frames / max(whole, 1)
                lines.append(show(f"| {interval} | {whole} of {arguments.answers} | {mean:.1f} |"))
            busy.cancel()
            await asyncio.gather(busy, return_exceptions=True)
    write_section("naive clients", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--intervals", type=int, nargs="+", default=[0, 10, 15, 20, 25, 30, 40, 50])
    asyncio.run(main(parser.parse_args()))
