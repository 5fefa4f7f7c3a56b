"""Measure the skills: the time from a sentence to the end of its answer, through the whole daemon.

python -m bench.skills                     ours, by skill; writes the table of docs/skills.md
python -m bench.skills --file FILE         the sentences of a file, one JSON object with "text" and "lang" a line
python -m bench.skills --file FILE --out RESULTS.jsonl   with the calls and the answer of each
"""

import argparse
import asyncio
import datetime
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bench.report import show, write_section
from bench.voice_daemon import Daemon
from tests.support.home.asking import Answer, Asker

PAGE = Path(__file__).parent.parent / "docs" / "skills.md"
ROUNDS = 5
SENTENCES: Mapping[str, Sequence[str]] = {
    "timers": (
        "set a pizza timer for 12 minutes",
        "how much time is left on the pizza timer",
        "cancel the pizza timer",
    ),
    "alarms": ("wake me at half past six on weekdays", "cancel the alarm"),
    "clock": ("what time is it", "what day is it", "how many days until christmas", "what time is it in Tokyo"),
    "sums": ("what is 345 plus 678", "what's 15 percent of 80", "two to the power of ten"),
    "conversions": ("how many cups is a litre", "convert 5 miles to kilometers"),
    "lists": ("add milk to the shopping list", "what is on my shopping list", "remove milk from the shopping list"),
    "board": ("what is your ip address", "how long have you been running"),
}


class Asked(NamedTuple):
    """A sentence and what came of it."""

    row: Mapping[str, Any]
    answer: Answer


async def asked_of(rows: Sequence[Mapping[str, Any]], unit: str) -> tuple[list[Asked], dict[str, float]]:
    """Ask every sentence in a daemon without a home; return what came of it, and the memory of each process in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        async with Daemon(Path(folder)) as daemon:
            host, port = json.loads((Path(folder) / "endpoints.json").read_text())["tcp"]
            asker = Asker(*await asyncio.open_connection(host, port, limit=2**24))
            for language in sorted({row.get("lang", "en") for row in rows}):
                await asker.set_up(unit, language)  # its sentences are loaded from now on
            asked = []
            for row in rows:
                sentence: Any = {"say": row["text"]}
                asked.append(Asked(row, await asker.ask(sentence, unit=unit, language=row.get("lang", "en"))))
            memory = daemon.mebibytes()
            await asker.close()
            return asked, memory


def table_of(asked: Sequence[Asked]) -> list[str]:
    """Return a line for each skill: the median and the slowest, from a sentence to the end of its answer."""
    lines = ["| skill | median | slowest |", "| --- | --- | --- |"]
    for skill in [*dict.fromkeys(each.row["skill"] for each in asked), ""]:
        seconds = [each.answer.seconds_to_end for each in asked if skill in ("", each.row["skill"])]
        name = skill or "all"
        lines.append(f"| {name} | {statistics.median(seconds) * 1e3:.0f} ms | {max(seconds) * 1e3:.0f} ms |")
    return lines


def main() -> None:
    """Ask, and show or write what was measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.skills")
    parser.add_argument("--file", type=Path, help="sentences instead of ours")
    parser.add_argument("--out", type=Path, help="where the results of a file's sentences are written")
    parser.add_argument("--unit", choices=("llm", "intent"), default="llm")
    arguments = parser.parse_args()
    if arguments.file:
        rows = [json.loads(line) for line in arguments.file.read_text(encoding="utf-8").splitlines()]
        asked, _ = asyncio.run(asked_of(rows, arguments.unit))
        results = [{"text": row["text"], "calls": answer.calls, "answer": answer.words} for row, answer in asked]
        if arguments.out:
            arguments.out.write_text("".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in results))
        show(f"median {statistics.median(each.answer.seconds_to_end for each in asked) * 1e3:.0f} ms")
        return
    rows = [{"text": text, "skill": skill} for _ in range(ROUNDS) for skill, some in SENTENCES.items() for text in some]
    asked, memory = asyncio.run(asked_of(rows, arguments.unit))
    resident = ", ".join(f"{name} {size:.1f} MiB" for name, size in memory.items())
    lines = [f"{datetime.datetime.now(datetime.UTC).date()}, two x86 cores. Resident memory: {resident}.", ""]
    write_section("skills", [*lines, *map(show, table_of(asked))], PAGE)


if __name__ == "__main__":
    main()
