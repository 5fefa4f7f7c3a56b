"""The speed of this board: `python -m units.llm.measure MODEL [THREADS]` runs three short trials and prints JSON.

MODEL is a small GGUF, the bundled one. The unit program answers a question with it, as the daemon would ask it to; then
llama.cpp alone computes with it; then llama.cpp computes with a probe that no cache of the processor holds. The
difference between the first two is what a token costs besides its arithmetic. Small and large models differ: the former
are computed by one thread, out of the cache, the latter by all, out of the memory.

    {"token_s": 4e-5,                                      a token's way, in seconds
     "small": {"byte_s": 8e-11, "weight_s": 3e-11},        per byte of weights for each token of an answer, and
     "large": {"byte_s": 4e-11, "weight_s": 5e-12},        per weight (the vocabulary's aside) for each of a prompt
     "small_below": 67108864}                              bytes

The figures of llama.cpp alone are medians: other programs take their turns on the same processor. That of the answer is
the mean: pieces may come in twos.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope
from units.base import LoadError
from units.llm.context import SMALL_MODEL_BYTES, Alarm, Context, Entry
from units.llm.llama import Model, log_filter
from units.llm.probe import Probe

# A trial lasts so long, and so many steps even where one takes longer.
TRIAL_SECONDS = 0.1
FEWEST_STEPS = 3
# Of a prompt: with fewer tokens the arithmetic differs, with more it only takes longer.
PROMPT_TOKENS = 64
# As many as an answer has by default.
ANSWER_TOKENS = 127
NEVER_ENDS = -100.0
CONTEXT_TOKENS = 256

SMALLEST_PROBE_BYTES = 64 * 1024 * 1024
# So much larger than a cache that what the cache still holds of it does not matter.
PROBE_CACHES = 8
# The probe is there twice, as a file in the kernel's memory and as the engine's copy.
LARGEST_SHARE_OF_MEMORY = 8


class Pace(NamedTuple):
    """The speed of models of one size, in seconds."""

    byte_s: float
    """Seconds for each token of an answer and byte of weights."""

    weight_s: float
    """Seconds for each token of a prompt and weight by which it is multiplied."""


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(description="Measure how fast this board computes.")
    parser.add_argument("model", type=Path, help="a small GGUF")
    parser.add_argument("threads", type=int, nargs="?", default=0, help="as [llm] threads says (default: 0)")
    arguments = parser.parse_args()
    log_filter().is_quiet = True
    try:
        sys.stdout.write(json.dumps(measure(arguments.model, arguments.threads)) + "\n")
    except LoadError as error:
        raise SystemExit(str(error)) from error


def measure(model: Path, threads: int) -> dict[str, Any]:
    """Return what is printed; raise LoadError for a file that is no model, or without memory for the probe."""
    small, decode_s = pace_of(model, threads, is_exact=True)
    return {
        "token_s": max(0.0, token_seconds(model, threads) - decode_s),
        "small": small._asdict(),
        "large": probe_pace(threads)._asdict(),
        "small_below": SMALL_MODEL_BYTES,
    }


def pace_of(path: Path, threads: int, *, is_exact: bool) -> tuple[Pace, float]:
    """Return llama.cpp's speed with a model, and the seconds of one token of an answer."""
    model = Model(str(path), lambda _: None)
    context = Context(model, Alarm(), slots=1, context=CONTEXT_TOKENS, threads=threads, exact=is_exact)
    numbers = iter(range(CONTEXT_TOKENS))

    def say() -> None:
        context.decode([Entry(0, next(numbers), 0, True)])

    def read() -> None:
        context.forget(0)
        context.decode([Entry(0, at, 0, at == PROMPT_TOKENS - 1) for at in range(PROMPT_TOKENS)])

    say()  # the first one brings the weights in
    decode_s = _median_seconds(say, most=CONTEXT_TOKENS - 1)
    read_s = _median_seconds(read)
    context.close()
    return Pace(decode_s / model.size, read_s / PROMPT_TOKENS / model.matrix_weights), decode_s


def probe_pace(threads: int) -> Pace:
    """Return llama.cpp's speed with weights that come out of the memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    wanted = max(SMALLEST_PROBE_BYTES, PROBE_CACHES * _cache_bytes())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "probe.gguf"
        Probe.of_size(min(wanted, memory // LARGEST_SHARE_OF_MEMORY)).write(path)
        return pace_of(path, threads, is_exact=False)[0]


def token_seconds(path: Path, threads: int) -> float:
    """Return the time from token to token of an answer, as the daemon gets it from the unit program."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            command = [sys.executable, "-m", "units", "llm", str(theirs.fileno())]
            program = subprocess.Popen(command, pass_fds=(theirs.fileno(),))
        ours.sendall(b"".join(map(encode_envelope, _conversation(path, threads))))
        times = list(_times_of_pieces(ours))
    program.wait()  # it ends because its channel has ended
    if len(times) < FEWEST_STEPS:
        raise LoadError("the unit program did not answer")
    return (times[-1] - times[0]) / (len(times) - 1)


def _conversation(path: Path, threads: int) -> Iterator[Envelope]:
    """Return all messages to the program."""
    load = {"engine": "llama", "path": str(path), "slots": 1, "context": CONTEXT_TOKENS, "threads": threads}
    yield Envelope("load", load | {"exact": True, "cache_dir": ""})
    yield Envelope("setup", {"task": "llm.1", "data": {}})
    options = {"max_token_len": ANSWER_TOKENS, "end_bias": NEVER_ENDS}
    question = {"task": "llm.1", "inference": 1, "is_text": True, "options": options}
    yield Envelope("infer", question, b"Tell me a story.")


def _times_of_pieces(channel: socket.socket) -> Iterator[float]:
    """Return when each piece of the answer came."""
    reader = EnvelopeReader()
    while data := channel.recv(65536):
        now = time.perf_counter()
        for envelope in reader.feed(data):
            if envelope.type == "finish":
                return
            if envelope.type == "delta":
                yield now


def _median_seconds(step: Callable[[], None], most: int = 1_000_000) -> float:
    """Return the median of as many steps as a trial has time for."""
    taken: list[float] = []
    while len(taken) < most and (len(taken) < FEWEST_STEPS or sum(taken) < TRIAL_SECONDS):
        began = time.perf_counter()
        step()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _cache_bytes() -> int:
    """Return the bytes of the processor's largest cache; 0 where the kernel does not tell."""
    sizes = [file.read_text().strip() for file in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")]
    return max((int(size[:-1]) * 1024 for size in sizes if size.endswith("K") and size[:-1].isdecimal()), default=0)


if __name__ == "__main__":
    main()
