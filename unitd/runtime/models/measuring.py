"""How fast this board is, measured by a program of the llm unit: the daemon never loads an engine.

The program takes about half a second of the processor, and memory for a probe that no cache holds.
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from unitd.core.models.forecast import Prospect, Speed, forecast, read_speed
from unitd.runtime.models.inventory import ModelInfo
from unitd.wire.errors import Unavailable

PROGRAM = "units.llm.measure"
# Reading the engine's libraries from a cold memory card takes most of it.
TIMEOUT_SECONDS = 120.0
# An interrupted program removes its probe, a file as large as an eighth of the memory.
GOODBYE_SECONDS = 5.0


async def measure_board(bundled_models: Path, threads: int) -> Speed:
    """Measure this board with the bundled model and as many threads as `[llm] threads` says.

    Raises Unavailable when that fails, with the last line of the program as its reason.
    """
    if not (models := await asyncio.to_thread(lambda: [*bundled_models.glob("*/unitd-chat.gguf")])):
        raise Unavailable("the bundled model is not there to measure with; install unitd again")
    command = [sys.executable, "-m", PROGRAM, str(models[0]), str(threads)]
    pipe = asyncio.subprocess.PIPE
    # In a session of its own, so that the unit program that it starts ends with it.
    try:
        program = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise Unavailable(f"the program that measures this board could not be started: {error.strerror}") from error
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            out, errors = await program.communicate()
    except TimeoutError as error:
        raise Unavailable(f"measuring this board took more than {TIMEOUT_SECONDS:.0f} s") from error
    finally:
        await _end(program)
    if program.returncode:
        words = errors.decode(errors="replace").strip().rpartition("\n")[2] or f"status {program.returncode}"
        raise Unavailable(f"this board cannot be measured: {words}")
    return read_speed(json.loads(out))


async def _end(program: asyncio.subprocess.Process) -> None:
    """End a program that still runs, with what it has started."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if program.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(program.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                await program.wait()


def prospect_of(stock: ModelInfo, speed: Speed) -> Prospect:
    """Return what is to be expected of a model on a board of this speed."""
    card = stock.card
    is_computed_here = (card.unit, card.engine) == ("llm", "llama") and stock.size > 0
    weights = stock.size - stock.vision_size  # which are not read for a token
    expected = forecast(speed, weights, card.shape, card.parameters) if is_computed_here else None
    return Prospect(card, stock.size, stock.need, stock.fits, expected)
