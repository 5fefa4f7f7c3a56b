"""Run attacks at full size, each on a daemon of its own, beside a client that behaves well.

    python -m bench.attacks [NAME ...]

An attack has done no harm when its own result is as required, the bystander (`bench.bystander`) got every answer right
and short pings, and the daemon's memory stayed under 1.2 times its value before the attack plus the budget that the
documentation gives to such input. All load goes to loopback addresses and is bounded in count and time. The test suite
tries each attack at about a fiftieth of its size.
"""

import argparse
import asyncio
import datetime
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import attacks_units, attacks_web, attacks_wire
from bench.daemon import Daemon
from bench.report import RELIABILITY, show, write_section
from bench.target import Attack, Harm, Memory, Target, start_bystander

ATTACKS: tuple[Attack, ...] = (*attacks_wire.ATTACKS, *attacks_units.ATTACKS, *attacks_web.ATTACKS)
LONGEST_PING_SECONDS = 0.1
IDLE_FACTOR = 1.2


@dataclass
class Result:
    """The result of one attack."""

    attack: Attack
    said: str
    seen: dict[str, Any]
    idle: float
    peak: float
    programs: float
    """MiB of the daemon before the attack and at its maximum, and of its programs at their maximum."""

    @property
    def harm(self) -> list[str]:
        """Return what should not have happened; empty when no harm was done."""
        limit = self.idle * IDLE_FACTOR + self.attack.budget_mib
        cut = [] if self.attack.kills else [f"{self.seen['cut']} answers cut"] * bool(self.seen["cut"])
        wide = [f"the daemon's memory is over {limit:.0f} MiB"] if self.peak > limit else []
        late = ["pings are late"] if max(self.seen["pings"], default=0) > LONGEST_PING_SECONDS else []
        return [*self.seen["wrong"], *cut, *wide, *late]

    @property
    def row(self) -> str:
        """Return one line of the table."""
        pings = self.seen["pings"]
        slowest = f"{max(pings) * 1e3:.0f} ms" if pings else "not measured"
        right = f"{self.seen['answers'] - self.seen['cut'] - len(self.seen['wrong'])} of {self.seen['answers']}"
        memory = f"{self.idle:.0f} → {self.peak:.0f} | {self.programs:.0f}"
        return f"| {self.attack.name} | {self.said} | {slowest} | {memory} | {right} |"


async def attacked(attack: Attack) -> Result:
    """Start a daemon and a bystander, attack, and return the result."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        attack.prepare(folder)
        settings = (each.replace("FOLDER", name) for each in (attack.tables, attack.models, attack.playback))
        async with Daemon(folder, *settings) as daemon:
            target = Target(daemon, folder)
            bystander = await start_bystander(target) if attack.has_bystander else None
            with Memory(daemon) as memory:
                try:
                    said = await asyncio.to_thread(attack.run, target)
                except (Harm, OSError, EOFError) as harm:
                    said = f"**{harm}**"
            seen: dict[str, Any] = {"pings": [], "answers": 0, "cut": 0, "wrong": []}
            if bystander is not None:
                printed, _ = await bystander.communicate(b"")
                seen = json.loads(printed)
            return Result(attack, said, seen, *(size / 2**20 for size in (memory.idle[0], *memory.peak)))


async def main(names: list[str]) -> None:
    """Try the attacks and print their results; if all of them ran, write the page."""
    chosen = [each for each in ATTACKS if not names or each.name in names]
    rows = []
    for attack in chosen:
        result = await attacked(attack)
        rows.append(show(result.row))
        for harm in result.harm[:10]:
            show(f"! {attack.name}: {harm}")
    if not names:
        head = "| attack | what came of it | slowest ping | MiB of the daemon | of its programs | answers right |"
        date = f"{datetime.datetime.now(datetime.UTC).date()}."
        write_section("attacks", [date, "", head, "| --- " * 6 + "|", *rows], RELIABILITY)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(each.name for each in ATTACKS))
    asked = parser.parse_args().names
    if unknown := sorted(set(asked) - {each.name for each in ATTACKS}):
        parser.error(f"there is no attack {', '.join(unknown)}")
    asyncio.run(main(asked))
