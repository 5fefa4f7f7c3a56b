"""Kill the daemon with `kill -9` while timers are set, ring and are stopped; and measure how late they ring.

    python -m bench.timers [--times 200] [--seed 1]

After each kill every timer whose start was acknowledged exists, unless its end was acknowledged: it runs, or it rings
and says that it is late or rings again. None whose end was acknowledged exists. Every second kill comes within 100 ms
of the moment at which a timer is due, before it or after it.
"""

import argparse
import asyncio
import datetime
import random
import statistics
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.daemon import Daemon, StreamClient
from bench.report import RELIABILITY, show, write_section

AROUND_SECONDS = 0.1
"""How near to a ring every second kill comes."""

SOON_SECONDS = 0.4
LONGEST_PAUSE_SECONDS = 0.3
MOST_TIMERS = 30
LATE_SECONDS = 0.1
MEASURED = 20


@dataclass
class Outcome:
    """The results of the run."""

    kills: int = 0
    around: int = 0
    """Kills that came within AROUND_SECONDS of a ring."""

    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    """Timers that exist although their end was acknowledged."""

    unsaid: list[str] = field(default_factory=list)
    """Rings after a restart that say neither that they are late nor that they come again."""

    rang_after: int = 0
    late: list[float] = field(default_factory=list)
    """Seconds from the time at which a timer was due until a client was told, on a quiet board."""


class Life:
    """Timers, and what is certainly known about them."""

    def __init__(self, daemon: Daemon, rng: random.Random, outcome: Outcome) -> None:
        self._daemon = daemon
        self._rng = rng
        self._outcome = outcome
        self._there: dict[int, float] = {}
        """When those are due whose start was acknowledged and whose end was not asked for."""

        self._ended: set[int] = set()
        """Timers whose end was acknowledged."""

    async def lose_the_daemon(self, *, around_a_ring: bool) -> None:
        """Kill the daemon while timers come and go; start it again, and compare."""
        client, busy_client = await self._daemon.client(), await self._daemon.client()
        due = await self._start(client, SOON_SECONDS)
        busy = asyncio.create_task(self._come_and_go(busy_client))
        pause = self._rng.uniform(0, LONGEST_PAUSE_SECONDS)
        if around_a_ring:
            pause = max(due - time.time() + self._rng.uniform(-AROUND_SECONDS, AROUND_SECONDS), 0.0)
        await asyncio.sleep(pause)
        self._outcome.around += abs(time.time() - due) <= AROUND_SECONDS
        await self._daemon.kill()
        self._outcome.kills += 1
        with suppress(OSError, EOFError):
            await busy
        await client.close()
        await busy_client.close()
        await self._daemon.start()
        await self._compare()

    async def _compare(self) -> None:
        """Compare what there is with what was acknowledged, and stop what rings."""
        client = await self._daemon.client()
        rows = {row["id"]: row for row in (await _timer(client, do="list"))["timers"]}
        kills, outcome = self._outcome.kills, self._outcome
        outcome.lost += [f"{each} after kill {kills}" for each in sorted(self._there.keys() - rows.keys())]
        outcome.back += [f"{each} after kill {kills}" for each in sorted(self._ended & rows.keys())]
        ringing = [row for row in rows.values() if row["state"] == "ringing"]
        outcome.rang_after += len(ringing)
        outcome.unsaid += [f"{row['id']}" for row in ringing if not row["missed"] and not row["again"]]
        stopped = {row["id"] for row in (await _timer(client, do="stop"))["stopped"]}
        self._ended |= stopped
        self._there = {each: row["due"] for each, row in rows.items() if each not in stopped}
        await client.close()

    async def _come_and_go(self, client: StreamClient) -> None:
        """Start timers and end them until the connection breaks."""
        while True:
            if len(self._there) > self._rng.randrange(MOST_TIMERS):
                number = self._rng.choice(sorted(self._there))
                del self._there[number]  # unknown from here until the answer
                with suppress(LookupError):  # it rang, and was stopped
                    await _timer(client, do="cancel", id=number)
                    self._ended.add(number)
            elif self._rng.random() < 0.3:
                soon = {each for each, due in self._there.items() if due < time.time() + 1}
                for each in soon:
                    del self._there[each]
                stopped = {row["id"] for row in (await _timer(client, do="stop"))["stopped"]}
                self._there |= dict.fromkeys(soon - stopped, 0.0)
                self._ended |= stopped
            else:
                await self._start(client, self._rng.choice([0.0, 0.05, 0.2, 60.0, 86400.0]))

    async def _start(self, client: StreamClient, seconds: float) -> float:
        row = (await _timer(client, do="start", seconds=seconds))["timer"]
        due: float = row["due"]
        self._there[row["id"]] = due
        self._outcome.acknowledged += 1
        return due


async def _timer(client: StreamClient, **data: Any) -> dict[str, Any]:
    """Return the answer of `sys.timer`; raise LookupError when it is an error."""
    reply = await client.ask(work_id="sys", action="timer", data=data)
    if reply["error"]["code"]:
        raise LookupError(reply["error"]["message"])
    answer: dict[str, Any] = reply["data"]
    return answer


async def kills(folder: Path, times: int, seed: int) -> Outcome:
    """Kill so many times, every second time around a ring; return the results."""
    outcome = Outcome()
    async with Daemon(folder) as daemon:
        life = Life(daemon, random.Random(seed), outcome)
        for number in range(times):
            await life.lose_the_daemon(around_a_ring=bool(number % 2))
    return outcome


async def lateness(folder: Path, count: int) -> list[float]:
    """Return how late so many timers ring, one after the other, in seconds."""
    late = []
    async with Daemon(folder) as daemon:
        watcher, worker = await daemon.client(), await daemon.client()
        await _timer(watcher, do="subscribe")
        for number in range(count):
            await _timer(worker, do="start", seconds=0.3 + 0.037 * number)
            while (frame := (await watcher.receive())["data"])["event"] != "ringing":
                pass
            late.append(time.time() - frame["timer"]["due"])
            await _timer(worker, do="stop")
        await watcher.close()
        await worker.close()
    return late


def report(outcome: Outcome) -> list[str]:
    """Return the lines for the page."""
    late = sorted(outcome.late)
    return [
        f"{datetime.datetime.now(datetime.UTC).date()}, {outcome.kills} times `kill -9` of the daemon, "
        f"{outcome.around} of them within {AROUND_SECONDS * 1e3:.0f} ms of a ring.",
        "",
        "| measure | figure | wanted |",
        "| --- | --- | --- |",
        f"| timers acknowledged | {outcome.acknowledged:,} | |",
        f"| of them lost | {len(outcome.lost)} | 0 |",
        f"| back after their end was acknowledged | {len(outcome.back)} | 0 |",
        f"| rang after the restart | {outcome.rang_after} | |",
        f"| of them without saying that they are late or ring again | {len(outcome.unsaid)} | 0 |",
        f"| late on a quiet board | median {statistics.median(late) * 1e3:.1f} ms, the latest {late[-1] * 1e3:.1f} ms "
        f"| within {LATE_SECONDS * 1e3:.0f} ms |",
    ]


async def main(arguments: argparse.Namespace) -> None:
    """Kill, measure, and write the page."""
    with tempfile.TemporaryDirectory() as name:
        outcome = await kills(Path(name) / "kills", arguments.times, arguments.seed)
        outcome.late = await lateness(Path(name) / "late", MEASURED)
    lines = [show(line) for line in report(outcome)]
    for each in (*outcome.lost[:20], *outcome.back[:20], *outcome.unsaid[:20]):
        show(f"! {each}")
    write_section("timers", lines, RELIABILITY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(main(parser.parse_args()))
