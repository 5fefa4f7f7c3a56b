"""Measure questions about pictures through the whole daemon, beside llama-server with the same files.

    bench/peer.sh                           builds llama-server once
    python -m bench.vision [--pairs 7]      measures, alternately, and writes the table into docs/benchmarks.md

The text model has the shape of Qwen2.5-0.5B, the encoder that of SmolVLM-256M, both with random weights. A picture has
1,024 tokens.
"""

import argparse
import asyncio
import datetime
import io
import itertools
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bench.llm_sides import SHORT, Ours, Peer, SeeingSide, fresh
from bench.report import row, show, write_section
from bench.synthetic import WIDTH, make
from tests.support.models.projector import SMOLVLM_256M, write_projector

STREAM_TOKENS = 800
# An encode takes seconds: meanwhile the stream of another client is looked at.
ENCODE_BEGINS_SECONDS = 0.5
# Of the time to the first token of a picture that is asked about alone, unitd's encode takes 29 %; the rest is spent in
# reading its embeddings, as a prompt is read. Beside another answer the encode takes longer.
ENCODE_SHARE = 0.25


def picture(number: int) -> bytes:
    """Return the file of a picture that was never shown before."""
    file = io.BytesIO()
    pixels = np.random.default_rng(number).integers(0, 255, (384, 512, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


async def first_tokens(side: SeeingSide, number: int) -> tuple[float, float]:
    """Return the seconds to the first token of a question about a new picture, and of another question about it."""
    new = (await side.ask(0, fresh("what is this?", number), 2, picture(number))).first
    return new, (await side.ask(0, fresh("and where is it?", number), 2, picture(number))).first


async def gaps_in_steps(side: SeeingSide, number: int) -> tuple[float, float]:
    """Return the longest silences in an answer while another client's picture is encoded, and until its first token.

    Both are in steps: the usual time between two tokens of an answer that is computed alone.
    """
    whole, _ = await first_tokens(side, number + 60)
    alone = (await side.ask(1, fresh(SHORT, number), 60)).pieces
    step = statistics.median(later - earlier for earlier, later in itertools.pairwise(alone))
    running = asyncio.create_task(side.ask(1, fresh(SHORT, number + 50), STREAM_TOKENS))
    await asyncio.sleep(ENCODE_BEGINS_SECONDS)
    shown = await side.ask(0, fresh("what is this?", number), 2, picture(number))
    gaps = [(earlier - shown.sent, later - earlier) for earlier, later in itertools.pairwise((await running).pieces)]
    encoding, reading = (
        max(gap for at, gap in gaps if 0 <= at <= end) / step for end in (whole * ENCODE_SHARE, shown.first)
    )
    return encoding, reading


async def after_abandoning(side: SeeingSide, number: int) -> tuple[float]:
    """Return the seconds to the first token of the next client after another one has abandoned a picture."""
    abandoned = asyncio.create_task(side.ask(2, fresh("what is this?", number), 2, picture(number)))
    await asyncio.sleep(ENCODE_BEGINS_SECONDS)
    abandoned.cancel()
    await asyncio.gather(abandoned, return_exceptions=True)
    return ((await side.ask(3, fresh(SHORT, number), 2)).first,)


MEASURES: list[tuple[Any, float, list[tuple[str, str]]]] = [
    (
        first_tokens,
        1000,
        [("first token, new picture (ms)", "1.05"), ("first token, another question about it (ms)", "")],
    ),
    (
        gaps_in_steps,
        1,
        [
            ("longest gap of another answer during an encode (its own steps)", ""),
            ("longest gap of another answer until the picture's first token (its own steps)", ""),
        ],
    ),
    (after_abandoning, 1000, [("first token of another client after a picture was abandoned (ms)", "")]),
]


async def measure(ours: SeeingSide, peer: SeeingSide, pairs: int) -> list[str]:
    """Return the rows for which both servers are running."""
    lines = []
    for at, (take, factor, rows) in enumerate(MEASURES):
        taken = []
        for pair in range(pairs):
            number = at * 100 + pair + 1
            taken.append((await take(ours, number), await take(peer, number)))
        for place, (name, wanted) in enumerate(rows):
            values = [(mine[place] * factor, its[place] * factor) for mine, its in taken]
            lines.append(show(row(name, values, wanted)))
    return lines


async def cancels(ours: Ours, pairs: int) -> str:
    """Return a line about the time from `cancel` during an encode to the reply, which follows the finish frame."""
    await ours.talk(4)
    _, _, work_id = await ours.talk(0)
    times = []
    for pair in range(pairs):
        running = asyncio.create_task(ours.ask(0, fresh("what is this?", pair), 2, picture(5000 + pair)))
        await asyncio.sleep(ENCODE_BEGINS_SECONDS)
        began = time.perf_counter()
        await ours.request(4, work_id=work_id, action="cancel")
        times.append(time.perf_counter() - began)
        await running
    return show(f"Cancel to finish frame, during an encode: {statistics.median(times) * 1e3:.1f} ms (median).")


async def after_restart(ours: Ours) -> list[str]:
    """Return lines about a picture that was shown before the daemon was restarted, beside a new one."""
    shown, new = picture(9000), picture(9001)
    await ours.ask(0, "what is this?", 2, shown)
    ours.restart()
    await ours.wait_ready()
    await ours.ask(0, "what is this?", 2, picture(9002))  # the first picture loads the projector
    known = (await ours.ask(0, "and this?", 2, shown)).first
    unknown = (await ours.ask(0, "or this?", 2, new)).first
    return [
        show(
            f"After a restart: {known * 1e3:.0f} ms to the first token about a picture that was shown before, "
            f"{unknown * 1e3:.0f} ms about a new one."
        )
    ]


async def main(arguments: argparse.Namespace) -> None:
    """Start both servers, measure, stop them, and write the page."""
    date = datetime.datetime.now(datetime.UTC).date()
    lines = [f"{date}, {arguments.pairs} pairs, {arguments.threads} threads.", ""]
    lines += [show("| measure | unitd | llama.cpp | ratio | wanted |"), show("| --- | --- | --- | --- | --- |")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, projector = folder / "synthetic.gguf", folder / "mmproj.gguf"
        make(model)
        write_projector(projector, WIDTH, eye=SMOLVLM_256M)
        (folder / "ours").mkdir()
        ours = Ours(folder / "ours", model, arguments.threads, is_exact=False, projector=projector)
        peer = Peer(arguments.peer / "llama-server", model, arguments.port, arguments.threads, projector)
        try:
            for side in (ours, peer):
                side.start()
                await side.wait_ready()
                await side.ask(0, "what is this?", 2, picture(9003))  # the first one loads our projector
            lines += await measure(ours, peer, arguments.pairs)
            lines += ["", await cancels(ours, arguments.pairs), *await after_restart(ours)]
        finally:
            ours.stop()
            peer.stop()
    write_section("vision", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--peer", type=Path, default=Path("build/peer/build/bin"))
    parser.add_argument("--port", type=int, default=18080)
    asyncio.run(main(parser.parse_args()))
