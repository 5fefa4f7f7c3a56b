"""`unitd models suggest`: shows which models this board can run, how fast, and which one to choose.

A program of the llm unit measures the board for about half a second, because this one loads no engine. The description
of the board goes to stderr, the table to stdout.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from unitd.cli.connection import fail
from unitd.cli.screens import print_table
from unitd.core.config.schema import Settings
from unitd.core.models.forecast import (
    PROMPT_TOKENS,
    Forecast,
    Hardware,
    Prospect,
    Speed,
    best_of,
    features_in,
    in_order,
    processor_in,
)
from unitd.core.models.memory import in_mib, limit_of
from unitd.core.models.progress import size_words
from unitd.runtime.children.memory_budget import memory_of_board
from unitd.runtime.models.inventory import ModelInfo
from unitd.runtime.models.measuring import measure_board, prospect_of
from unitd.wire.errors import Unavailable

# The load of the last minute per core from which on a model that uses all cores is slowed down.
BUSY_SHARE = 0.5
COLUMNS = ("", "model", "unit", "size", "fits", "tokens/s", "first token", "memory left", "installed")
BEST = "*"
DEVICE_TREE_NAME = Path("/proc/device-tree/model")
"""The file with a board's name; a PC has none."""


def suggest(settings: Settings, bundled_models: Path, infos: Sequence[ModelInfo]) -> int:
    """Measure this board, print the forecast of each model, and return 0; exit with 1 if measuring fails."""
    board = _board(settings)
    sys.stderr.write(f"{_described(board)}\n")
    speed = measured(bundled_models, settings.llm.threads)
    prospects = in_order(prospect_of(each, speed) for each in infos)
    best = best_of(prospects)
    print_table(COLUMNS, [_row(each, board, is_best=each is best) for each in prospects])
    sys.stderr.write(f"{_advice(best)}\n")
    return 0


def measured(bundled_models: Path, threads: int) -> Speed:
    """Return the speed of this board; exit with 1 and the last words of the measuring program if it fails."""
    try:
        return asyncio.run(measure_board(bundled_models, threads))
    except Unavailable as error:
        fail(error.reason)


def _board(settings: Settings) -> Hardware:
    cpuinfo, memory = Path("/proc/cpuinfo").read_text(), memory_of_board()
    # The device tree's texts end in a zero byte.
    tree = DEVICE_TREE_NAME.read_text().strip("\0 \n") if DEVICE_TREE_NAME.exists() else ""
    return Hardware(
        name=tree or processor_in(cpuinfo) or os.uname().machine,
        cores=os.cpu_count() or 1,
        features=features_in(cpuinfo),
        memory=memory,
        for_models=limit_of(settings.limits.memory, memory),
    )


def _described(board: Hardware) -> str:
    cores = "1 core" if board.cores == 1 else f"{board.cores} cores"
    able = f" with {', '.join(board.features)}" if board.features else ""
    memory = f"{in_mib(board.memory)} MiB of memory, {in_mib(board.for_models)} of them for models"
    is_busy = os.getloadavg()[0] > board.cores * BUSY_SHARE
    company = " Other programs are busy on it: speeds are those beside them." if is_busy else ""
    return f"This board: {board.name}, {cores}{able}; {memory}.{company}"


def _row(prospect: Prospect, board: Hardware, *, is_best: bool) -> tuple[str, ...]:
    card, need = prospect.card, prospect.need
    left = f"{in_mib(board.for_models - need.total)} MiB" if need and prospect.fits else "-"
    return (
        BEST if is_best else "",
        card.name,
        card.unit,
        size_words(prospect.size) if prospect.size else "-",
        {True: "yes", False: "no", None: "-"}[prospect.fits],
        *_speeds(prospect.forecast),
        left,
        "yes" if card.is_installed else "no",
    )


def _speeds(expected: Forecast | None) -> tuple[str, str]:
    if expected is None:
        return "-", "-"
    first = expected.first_token_s
    return _figure(expected.tokens_per_s), "-" if first is None else f"{_figure(first)} s"


def _figure(value: float) -> str:
    """Return a number with two significant digits: 1,500, 33, 4.2, 0.35."""
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def _advice(best: Prospect | None) -> str:
    words = f"First token: of a prompt of {PROMPT_TOKENS} tokens. "
    if best is None:
        return words + "No language model is quick enough here to talk to."
    how = f"unitd chat --model {best.card.name}" if best.card.is_installed else f"unitd models pull {best.card.name}"
    return words + f"{BEST} is the most able one that answers fluently: {how}"
