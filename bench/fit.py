"""Compare the forecast of `unitd models suggest` with a measurement through the whole daemon.

    python -m bench.fit [--pairs 7] [--threads 0]    measures, alternately, and writes the table into docs/benchmarks.md

For the bundled model, which runs in exact mode, and for a model with the shape of Qwen2.5-0.5B (`bench/synthetic.py`),
which does not. The board is measured again before each pair. Both daemons stay up, and only one of them works at a
time.
"""

import argparse
import asyncio
import datetime
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.llm_sides import MIDDLE, Ours, first_of, rate_of
from bench.report import Pair, row, show, write_section
from bench.synthetic import make
from unitd.cli.commands.suggest import measured
from unitd.core.models.forecast import Forecast, Speed, forecast
from unitd.core.models.gguf import Shape, read_shape
from unitd.settings import find_program_folders

BUNDLED = find_program_folders().bundled_models
WANTED = "0.75 to 1.25"
WORDS = "0000" + " so" * 186
"""As many tokens of the bundled model, with the marks around it, as MIDDLE has of the synthetic one: 200."""


@dataclass(frozen=True)
class Subject:
    """A model that is forecast and measured."""

    name: str
    size: int
    shape: Shape | None
    prompt: str
    daemon: Ours

    @classmethod
    def of(cls, name: str, path: Path, prompt: str, daemon: Ours) -> "Subject":
        """Return the subject for a model file."""
        with path.open("rb") as file:
            return cls(name, path.stat().st_size, read_shape(file), prompt, daemon)

    def expected(self, speed: Speed) -> Forecast:
        """Return the forecast as the command makes it."""
        return forecast(speed, self.size, self.shape)


def subjects(folder: Path, threads: int) -> list[Subject]:
    """Return both models, each with a daemon that is not started yet."""
    synthetic, bundled = folder / "synthetic.gguf", BUNDLED / "unitd-chat" / "unitd-chat.gguf"
    make(synthetic)
    found = []
    for name, path, prompt, is_exact in (
        ("bundled, exact", bundled, WORDS, True),
        ("0.5B", synthetic, MIDDLE, False),
    ):
        place = folder / name
        place.mkdir()
        found.append(Subject.of(name, path, prompt, Ours(place, path, threads, is_exact=is_exact)))
    return found


async def measure(subjects: list[Subject], pairs: int, threads: int) -> list[str]:
    """Return the rows; all daemons must be running."""
    rates: dict[str, list[Pair]] = {each.name: [] for each in subjects}
    firsts: dict[str, list[Pair]] = {each.name: [] for each in subjects}
    for pair in range(pairs):
        speed = await asyncio.to_thread(measured, BUNDLED, threads)
        for each in subjects:
            expected = each.expected(speed)
            rates[each.name].append((expected.tokens_per_s, await rate_of(each.daemon, 1, 2 * pair)))
            first_s = await first_of(each.daemon, each.prompt, 2 * pair + 1)
            firsts[each.name].append(((expected.first_token_s or 0) * 1e3, first_s * 1e3))
    return [
        show(row(f"{name}, {what}", values[name], wanted))
        for name in rates
        for what, values, wanted in (("tokens/s", rates, WANTED), ("first token, 200 tokens (ms)", firsts, ""))
    ]


async def main(arguments: argparse.Namespace) -> None:
    """Start both daemons, measure, stop them, and write the page."""
    threads = f"{arguments.threads} threads" if arguments.threads else "threads as the unit chooses them"
    lines = [
        f"{datetime.datetime.now(datetime.UTC).date()}, {arguments.pairs} pairs, {threads}.",
        "",
        show("| measure | forecast | came true | ratio | wanted |"),
        show("| --- | --- | --- | --- | --- |"),
    ]
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        models = subjects(Path(name), arguments.threads)
        for each in models:
            each.daemon.start()
            stack.callback(each.daemon.stop)
            await each.daemon.wait_ready()
        lines += await measure(models, arguments.pairs, arguments.threads)
    write_section("fit", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=0, help="as [llm] threads (default: 0)")
    asyncio.run(main(parser.parse_args()))
