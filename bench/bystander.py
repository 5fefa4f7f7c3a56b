"""The client beside an attack, in a process of its own: it pings, asks, uploads speech, and compares the answers.

    python -m bench.bystander SOCKET

Prints one line when its tasks are set up. At the end of its standard input it finishes its current questions and prints
the results as JSON.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.daemon import LINE_BYTES, StreamClient

SPEECH = Path(__file__).parent.parent / "examples" / "home" / "turn-on-the-kitchen-light.wav"
QUESTION = "tell me a story about a fox"
PING_EVERY_SECONDS = 0.02
ASK_EVERY_SECONDS = 0.5
HEAR_EVERY_SECONDS = 2.0
PATIENCE_SECONDS = 60.0
CHILD_GONE = -11
LLM = {"model": "default", "response_format": "llm.utf-8.stream", "input": "llm.utf-8", "enoutput": True}
LLM |= {"prompt": "", "max_token_len": 24, "temperature": 0.0, "frame_interval_ms": 0}
GRAMMAR = "#JSGF V1.0; grammar home; public <command> = turn (on | off) the (kitchen | bedroom) light;"
ASR = {
    "model": "unitd-asr",
    "grammar": GRAMMAR,
    "response_format": "asr.utf-8",
    "input": "asr.base64",
    "enoutput": True,
}


@dataclass
class Seen:
    """The effect of an attack on a client that behaves well."""

    pings: list[float] = field(default_factory=list)
    """Seconds of each round trip."""

    answers: int = 0
    cut: int = 0
    """Answers that ended with -11, because the program died."""

    wrong: list[str] = field(default_factory=list)


async def watch(path: str) -> Seen:
    """Return the results when standard input ends."""
    over, seen = asyncio.Event(), Seen()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    pinger, asker, speaker = [await _connected(path) for _ in range(3)]
    llm, asr = await _set_up(asker, "llm", LLM), await _set_up(speaker, "asr", ASR)
    speech = base64.b64encode(SPEECH.read_bytes()).decode()

    async def ask() -> tuple[int, str]:
        return await _answer(asker, llm, "llm.utf-8", QUESTION)

    async def hear() -> tuple[int, str]:
        return await _answer(speaker, asr, "asr.base64.wav", speech)

    expected = [(await ask())[1], (await hear())[1]]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    async with asyncio.TaskGroup() as group:
        group.create_task(_ping(pinger, seen, over))
        group.create_task(_compare(ask, expected[0], ASK_EVERY_SECONDS, seen, over))
        group.create_task(_compare(hear, expected[1], HEAR_EVERY_SECONDS, seen, over))
        await reader.read()
        over.set()
    return seen


async def _connected(path: str) -> StreamClient:
    return StreamClient(*await asyncio.open_unix_connection(path, limit=LINE_BYTES))


async def _set_up(client: StreamClient, unit: str, data: dict[str, Any]) -> str:
    reply = await client.ask(work_id=unit, action="setup", data=data)
    if reply["error"]["code"]:
        raise SystemExit(f"{unit}: {reply['error']['message']}")
    return str(reply["work_id"])


async def _answer(client: StreamClient, work_id: str, form: str, data: str) -> tuple[int, str]:
    """Return the code and the text of one answer."""
    request_id, text = await client.send(work_id=work_id, action="inference", object=form, data=data), ""
    while True:
        frame = await client.receive()
        if frame["request_id"] != request_id:
            continue
        code, content = frame["error"]["code"], frame["data"]
        if code or not isinstance(content, dict):
            return code, text if code else str(content)
        text += content["delta"]
        if content["finish"]:
            return 0, text


async def _ping(client: StreamClient, seen: Seen, over: asyncio.Event) -> None:
    while not over.is_set():
        began = time.perf_counter()
        await client.ask(work_id="sys", action="ping")
        seen.pings.append(time.perf_counter() - began)
        await asyncio.sleep(PING_EVERY_SECONDS)


async def _compare(
    ask: Callable[[], Awaitable[tuple[int, str]]], expected: str, pause: float, seen: Seen, over: asyncio.Event
) -> None:
    while not over.is_set():
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                code, text = await ask()
        except TimeoutError:
            seen.wrong.append(f"no answer within {PATIENCE_SECONDS:.0f} s")
            return
        seen.answers += 1
        if code == CHILD_GONE:
            seen.cut += 1
        elif code or text != expected:
            seen.wrong.append(f"code {code}, {text!r} instead of {expected!r}")
        await asyncio.sleep(pause)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(asyncio.run(watch(sys.argv[1])))))
