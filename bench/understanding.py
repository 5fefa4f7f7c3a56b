"""Measure what the home understands: the sentences of tests/home/sentences, in houses of 10, 100 and 500 devices.

python -m bench.understanding                       the whole check; writes its tables into docs/home.md
python -m bench.understanding --tuning -v           the sentences for tuning, with each one that is not right
python -m bench.understanding --languages de fr     some languages
python -m bench.understanding --unit intent         without a model
"""

import argparse
import asyncio
import datetime
import json
import statistics
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

import aiomqtt

from bench.broker import broker, listening
from bench.report import show, write_section
from bench.voice_daemon import Daemon
from tests.support.home.asking import Answer, Asker, publish_states, tools_file
from tests.support.home.houses import LANGUAGES, SENTENCES, Device, Sentence, areas, house, small_houses
from tests.support.home.judging import Result, Verdict, judge, table

PAGE = Path(__file__).parent.parent / "docs" / "home.md"
SIZES = (10, 100, 500)


class Asked(NamedTuple):
    """A sentence, what came of it, and what is to be thought of that."""

    sentence: Sentence
    answer: Answer
    verdict: Verdict


def sentences_of(name: str) -> list[Sentence]:
    """Return the sentences of a file."""
    return [json.loads(line) for line in (SENTENCES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


async def asked_in(devices: list[Device], sentences: list[Sentence], language: str, unit: str) -> list[Asked]:
    """Run a daemon in this house, ask every sentence, and judge what it did."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        port = await stack.enter_async_context(broker(folder))
        async with aiomqtt.Client("127.0.0.1", port) as client:
            await publish_states(client, devices)
        (folder / "tools.toml").write_text(tools_file(devices, areas(language)), encoding="utf-8")
        home = f'[home]\ntools = "{folder}/tools.toml"\nlanguages = ["{language}"]\n'
        tables = f'[mqtt]\nport = {port}\nnode = "bench"\n{home}'
        daemon = await stack.enter_async_context(Daemon(folder, tables))
        async with listening(port, "unitd/bench/status") as listener:
            await listener.until(lambda: any(payload == b"online" for _, _, payload in listener.heard), 20)
        host, port = json.loads((folder / "endpoints.json").read_text())["tcp"]
        asker = Asker(*await asyncio.open_connection(host, port, limit=2**24))
        await asker.set_up(unit, language)
        asked = []
        for sentence in sentences:
            answer = await asker.ask(sentence, unit=unit, language=language)
            asked.append(Asked(sentence, answer, judge(sentence, devices, answer.calls)))
        if problems := daemon.log.strip():
            show(problems[-2000:])
        return asked


async def asked_of(name: str, size: int, language: str, unit: str) -> list[Asked]:
    """Ask the sentences of a file in a house, or in houses of ten, of this size."""
    sentences = sentences_of(name)
    if size != 10:
        return await asked_in(house(size, language), sentences, language, unit)
    asked = []
    for small in small_houses(sentences, language):
        asked += await asked_in(small.devices, small.sentences, language, unit)
    return asked


def tell(asked: list[Asked]) -> None:
    """Show every sentence that is not right."""
    for sentence, answer, verdict in asked:
        if verdict.result is not Result.RIGHT:
            room = f" ({sentence['room']})" if sentence.get("room") else ""
            wrong = [*(f"-{each}" for each in verdict.missing[:4]), *(f"+{each}" for each in verdict.unwanted[:4])]
            what = f"{verdict.result.words:13} {sentence['type']:9} {sentence['say']!r}{room}"
            show(f"{what}: {'; '.join(wrong)} | {answer.words!r}")


def main() -> None:
    """Ask, judge, and show or write the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.understanding")
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--sizes", nargs="+", type=int, choices=SIZES, default=SIZES)
    parser.add_argument("--unit", choices=("llm", "intent"), default="llm")
    parser.add_argument("--tuning", action="store_true", help="the sentences for tuning, and nothing is written")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each sentence that is not right")
    arguments = parser.parse_args()
    lines = [f"{datetime.datetime.now(datetime.UTC).date()}, two x86 cores."]
    for language in arguments.languages:
        for size in arguments.sizes if language == "en" else (100,):
            name = f"tuning.{language}" if arguments.tuning else language
            asked = asyncio.run(asked_of(name, size, language, arguments.unit))
            median = statistics.median(each.answer.seconds for each in asked) * 1e3
            lines += ["", show(f"{language}, {size} devices, median {median:.0f} ms:"), "", "```text"]
            lines += [show(table((each.sentence, each.verdict) for each in asked)), "```"]
            if arguments.verbose:
                tell(asked)
    if not arguments.tuning and arguments.unit == "llm":
        write_section("understanding", lines, PAGE)


if __name__ == "__main__":
    main()
