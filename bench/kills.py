"""Kill unit programs and the daemon with `kill -9` at random moments.

    python -m bench.kills [--times 200] [--seed 1]

Each time either one of the unit programs or the daemon is killed, beside clients that set tasks up, end them and ask.
After a kill of a unit program every client that waits for its answer gets an error within a second or the answer, and
the next question is answered. After a kill of the daemon every task whose setup was acknowledged exists again under its
work_id, no task whose exit was acknowledged does, and the first `sys.ping` is answered within two seconds of the start,
while all the tasks are restored.
"""

import argparse
import asyncio
import datetime
import random
import statistics
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench.daemon import Daemon, StreamClient
from bench.report import RELIABILITY, show, write_section

PROGRAMS: dict[str, dict[str, Any]] = {
    "llm": {
        "model": "default",
        "prompt": "",
        "max_token_len": 400,
        "input": "llm.utf-8",
        "response_format": "llm.utf-8.stream",
    },
    "kws": {"model": "unitd-kws", "kws": "alexa", "input": "kws.base64", "response_format": "kws.bool"},
    "asr": {"model": "unitd-asr", "input": "asr.base64", "response_format": "asr.utf-8.stream"},
    "vad": {"model": "unitd-vad", "input": "vad.base64", "response_format": "vad.bool"},
    "tts": {"model": "unitd-tts", "input": "tts.utf-8", "response_format": "sys.pcm"},
}
"""One task of each unit with a bundled model, as its setup says it."""

MOST_EXTRA_TASKS = 20
TOLD_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 0.4
BACK_SECONDS = 2.0
QUESTION = "tell me a very long story"


@dataclass
class Outcome:
    """The results of the run."""

    kills: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    """Tasks that were acknowledged and are missing, or were ended and exist again."""

    untold: list[str] = field(default_factory=list)
    """Clients that got no answer."""

    told: list[float] = field(default_factory=list)
    """Seconds from a unit program's end until the client that waited had its last frame."""

    back: list[float] = field(default_factory=list)
    """Seconds from a start of the daemon to the first answer."""

    acknowledged: int = 0


class Life:
    """Tasks, and what is certainly known about them."""

    def __init__(self, daemon: Daemon, rng: random.Random, outcome: Outcome) -> None:
        self._daemon = daemon
        self._rng = rng
        self._outcome = outcome
        self._there: set[str] = set()
        """Tasks whose setup was acknowledged and for which no exit was sent."""

        self._ended: set[str] = set()
        """Tasks whose exit was acknowledged."""

    async def begin(self) -> None:
        """Set up one task of each unit."""
        client = await self._daemon.client()
        for unit, data in PROGRAMS.items():
            await self._set_up(client, unit, data)
        await client.close()

    async def lose_a_program(self) -> None:
        """Kill one of the unit programs while a client waits for an answer."""
        work_id = next(each for each in sorted(self._there) if each.startswith("llm."))
        client = await self._daemon.client()
        asked = await client.send(work_id=work_id, action="inference", object="llm.utf-8", data=QUESTION)
        await asyncio.sleep(self._rng.uniform(0, LONGEST_PAUSE_SECONDS))
        victim = self._rng.choice(self._daemon.children())
        name = victim.cmdline()[-2]
        with suppress(psutil.NoSuchProcess):
            victim.kill()
        killed_at = time.monotonic()
        self._outcome.kills[name] += 1
        try:
            async with asyncio.timeout(TOLD_SECONDS):
                is_cut = await _last_frame(client, asked)
                if is_cut and name == "llm":
                    self._outcome.told.append(time.monotonic() - killed_at)
        except TimeoutError:
            self._outcome.untold.append(f"{work_id} after the end of {name}")
        await client.close()
        await self._all_answer()

    async def lose_the_daemon(self) -> None:
        """Kill the daemon while a client sets tasks up and ends them; then start it again."""
        client = await self._daemon.client()
        busy = asyncio.create_task(self._come_and_go(client))
        await asyncio.sleep(self._rng.uniform(0, LONGEST_PAUSE_SECONDS))
        await self._daemon.kill()
        self._outcome.kills["daemon"] += 1
        with suppress(OSError, EOFError):
            async with asyncio.timeout(TOLD_SECONDS):
                await busy
        await client.close()
        began = time.monotonic()
        await self._daemon.start()
        client = await self._daemon.client()
        await client.ask(work_id="sys", action="ping")
        self._outcome.back.append(time.monotonic() - began)
        listed = {row["work_id"] for row in (await client.ask(work_id="sys", action="lstask"))["data"]}
        self._outcome.lost += [f"{each} is gone" for each in sorted(self._there - listed)]
        self._outcome.lost += [f"{each} is there again" for each in sorted(self._ended & listed)]
        self._ended -= listed
        self._there = listed  # tasks without an acknowledgement may exist or not
        await client.close()
        await self._all_answer()

    async def _come_and_go(self, client: StreamClient) -> None:
        """Set tasks up and end them until the connection breaks."""
        while True:
            extra = sorted(self._there, key=_number)[len(PROGRAMS) :]
            if len(extra) > self._rng.randrange(MOST_EXTRA_TASKS):
                work_id = self._rng.choice(extra)
                self._there.discard(work_id)  # unknown from here until the answer
                await client.ask(work_id=work_id, action="exit")
                self._ended.add(work_id)
            else:
                await self._set_up(client, "kws", PROGRAMS["kws"])

    async def _set_up(self, client: StreamClient, unit: str, data: dict[str, Any]) -> None:
        reply = await client.ask(work_id=unit, action="setup", data=data | {"enoutput": True})
        if reply["error"]["code"]:
            raise SystemExit(f"{unit}: {reply['error']['message']}")
        self._there.add(reply["work_id"])
        self._outcome.acknowledged += 1

    async def _all_answer(self) -> None:
        """Check that every program runs again: each of the first tasks answers a pause and a work."""
        client = await self._daemon.client()
        for work_id in sorted(self._there, key=_number)[: len(PROGRAMS)]:
            for action in ("pause", "work"):
                try:
                    async with asyncio.timeout(TOLD_SECONDS * 3):
                        reply = await client.ask(work_id=work_id, action=action)
                except TimeoutError:
                    self._outcome.untold.append(f"{action} of {work_id}")
                    continue
                if reply["error"]["code"] not in (0, -11):
                    self._outcome.untold.append(f"{action} of {work_id}: {reply['error']}")
            if work_id.startswith("llm."):
                await self._ask(client, work_id)
        await client.close()

    async def _ask(self, client: StreamClient, work_id: str) -> None:
        """Check that the next question is answered."""
        asked = await client.send(work_id=work_id, action="inference", object="llm.utf-8", data="hello")
        try:
            async with asyncio.timeout(TOLD_SECONDS * 3):
                if await _last_frame(client, asked):
                    self._outcome.untold.append(f"the next question of {work_id}")
        except TimeoutError:
            self._outcome.untold.append(f"the next question of {work_id}")


async def _last_frame(client: StreamClient, request_id: str) -> bool:
    """Read to the end of an answer; return True when it ended with an error."""
    while True:
        frame = await client.receive()
        if frame["request_id"] == request_id and (frame["error"]["code"] or frame["data"]["finish"]):
            return bool(frame["error"]["code"])


def _number(work_id: str) -> int:
    return int(work_id.rpartition(".")[2])


async def kills(folder: Path, times: int, seed: int) -> Outcome:
    """Kill so many times, every second time the daemon; return the results."""
    outcome, rng = Outcome(), random.Random(seed)
    async with Daemon(folder) as daemon:
        life = Life(daemon, rng, outcome)
        await life.begin()
        for number in range(times):
            await (life.lose_the_daemon() if number % 2 else life.lose_a_program())
    return outcome


def report(outcome: Outcome) -> list[str]:
    """Return the lines for the page."""
    who = ", ".join(f"{name} {count}" for name, count in sorted(outcome.kills.items()))
    told, back = sorted(outcome.told) or [0.0], sorted(outcome.back) or [0.0]
    return [
        f"{datetime.datetime.now(datetime.UTC).date()}, {outcome.kills.total()} times `kill -9`: {who}.",
        "",
        "| measure | figure | wanted |",
        "| --- | --- | --- |",
        f"| tasks acknowledged | {outcome.acknowledged:,} | |",
        f"| of them lost, or back after their exit | {len(outcome.lost)} | 0 |",
        f"| clients that waited in vain | {len(outcome.untold)} | 0 |",
        f"| last frame of an answer that was cut, after the kill | median {statistics.median(told) * 1e3:.0f} ms, "
        f"the slowest {told[-1] * 1e3:.0f} ms | |",
        f"| daemon started to first answer | median {statistics.median(back) * 1e3:.0f} ms, "
        f"the slowest {back[-1] * 1e3:.0f} ms | within {BACK_SECONDS:.0f} s |",
    ]


async def main(arguments: argparse.Namespace) -> None:
    """Kill, and write the page."""
    with tempfile.TemporaryDirectory() as name:
        outcome = await kills(Path(name), arguments.times, arguments.seed)
    lines = [show(line) for line in report(outcome)]
    for each in (*outcome.lost[:20], *outcome.untold[:20]):
        show(f"! {each}")
    write_section("kills", lines, RELIABILITY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(main(parser.parse_args()))
