"""Estimates of the memory of unit programs, from a model's files and header, before it is loaded. Pure.

A program needs its interpreter and libraries, the weights, and working memory. For llama.cpp's models all parts follow
from the header; docs/models.md compares them with measurements. For others it is known how much a library needs for a
file.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from unitd.core.models.catalog import Card
from unitd.core.models.gguf import Shape
from unitd.core.tasks.kinds import PROGRAM_MEMORY, ProgramMemory

MIB = 1024 * 1024

# llama.cpp's defaults, which the llm unit does not change: the tokens of a chunk of a prompt, the step of the cache's
# size in tokens, and the bytes of a cached number (half precision).
CHUNK_TOKENS = 512
CACHE_STEP_TOKENS = 256
CACHED_VALUE_BYTES = 2

# llama.cpp holds the file, copied or mapped, its vocabulary once more, and pages around what is used.
LLAMA_FILE_FACTOR = 1.1

# An encoder's buffers, and the embeddings of the newest pictures: those of SmolVLM-256M (171 MiB) have 21 MiB, and 2 to
# 3 MiB for each picture.
PROJECTOR_WORKING_FACTOR = 0.5
PROJECTOR_WORKING_MIB = 8

# ONNX runtime holds a file and its own form of it while it loads (20 MiB became 41).
FILE_FACTOR = 2

USUAL_PROGRAM_MIB = 60
"""The same for any other unit and engine: an interpreter with numpy and an engine's library."""

UNMEASURED = ProgramMemory({})
"""The memory of an unknown program."""

RESERVE_MIB = 128
"""Addresses that a program reserves and never fills; 27 to 49 MiB were measured without a large model. A large model
adds buffers for the worst case: one of 643 MiB had 839, so half the estimate is added."""

STACK_MIB = 8
"""The same for the stack of a thread; engines start one for each core."""

REQUEST_FACTOR = 16
"""The same for each byte of the largest message: its JSON reader reserves 13, and it is copied."""

UNKNOWN_RESERVE_MIB = 1024
"""The same for programs of other packages, whose libraries were not measured."""


@dataclass(frozen=True)
class Need:
    """The memory of a program at work, in bytes."""

    weights: int = 0
    kv_cache: int = 0
    working: int = 0
    task: int = UNMEASURED.task * MIB
    """The memory of one more task."""

    @property
    def total(self) -> int:
        """The sum of weights, cache and working memory."""
        return self.weights + self.kv_cache + self.working

    def __str__(self) -> str:
        parts = {"weights": self.weights, "KV cache": self.kv_cache, "working memory": self.working}
        said = ", ".join(f"{name} {in_mib(size)}" for name, size in parts.items() if size)
        return f"about {in_mib(self.total)} MiB ({said})"


def in_mib(size: int) -> str:
    """Return a number of bytes in MiB, as people read it: 1,240."""
    return f"{round(size / MIB):,}"


def need_of_program(unit: str, engine: str, file_bytes: int) -> Need:
    """Return what a unit needs for files of this size; 0 is a unit without files."""
    program = PROGRAM_MEMORY.get(unit, UNMEASURED)
    working = program.engines.get(engine, USUAL_PROGRAM_MIB)
    return Need(file_bytes * FILE_FACTOR, working=working * MIB, task=program.task * MIB)


def need_of_llama(file_bytes: int, shape: Shape | None, slots: int, context: int, *, exact: bool) -> Need:
    """Return what the llm unit needs for a GGUF; without a shape only its weights are known.

    The cache has one sequence more than there are slots, for answers that gave up their slots. `exact` computes without
    flash attention, so the attention matrix of a whole chunk is stored, and once more in half precision.
    """
    weights, program = int(file_bytes * LLAMA_FILE_FACTOR), PROGRAM_MEMORY["llm"].engines["llama"] * MIB
    if shape is None:
        return Need(weights, working=program)
    tokens = -(-context // CACHE_STEP_TOKENS) * CACHE_STEP_TOKENS
    chunk = min(CHUNK_TOKENS, tokens)
    layer = 4 * chunk * (3 * shape.hidden + 6 * shape.width)
    mask = 6 * chunk * tokens
    attention = 6 * chunk * tokens * shape.heads if exact else 0
    return Need(
        weights=weights,
        kv_cache=CACHED_VALUE_BYTES * shape.cached_values * tokens * (slots + 1),
        working=program + layer + mask + attention,
    )


def with_projector(need: Need, file_bytes: int) -> Need:
    """Return the need of a model together with that of its projector, whose file has this size."""
    working = int(file_bytes * PROJECTOR_WORKING_FACTOR) + PROJECTOR_WORKING_MIB * MIB
    return replace(need, weights=need.weights + int(file_bytes * LLAMA_FILE_FACTOR), working=need.working + working)


def need_to_come(card: Card, slots: int, context: int, *, exact: bool) -> Need | None:
    """Return what a model that is not installed will need, by its card; None if the size of its files is not known."""
    size, projector = card.download_bytes, card.vision_bytes
    if not size:
        return None
    if (card.unit, card.engine) != ("llm", "llama"):
        return need_of_program(card.unit, card.engine, size)
    need = need_of_llama(size - projector, card.shape, slots, context, exact=exact)
    return with_projector(need, projector) if projector else need


def data_limit(unit: str, need: Need, tasks: int, limit: int, cores: int, request_bytes: int) -> int:
    """Return the bytes of private memory at which allocations fail in a program with this number of tasks.

    `request_bytes` is the size of the largest request that it may be sent.

    A program may fill twice its estimate and the share of each task, but never more than `limit`, which is for all
    models together. The kernel counts addresses, filled or not, so reserved addresses are added. Mapped files, such as
    the weights of a GGUF, do not count.
    """
    if unit not in PROGRAM_MEMORY:
        return max(limit, need.total) + UNKNOWN_RESERVE_MIB * MIB
    filled = max(min(2 * need.total + need.task * tasks, limit), need.total)
    reserve = RESERVE_MIB + STACK_MIB * cores + PROGRAM_MEMORY[unit].task_reserve * tasks
    return filled + need.total // 2 + reserve * MIB + REQUEST_FACTOR * request_bytes


_SPLIT = re.compile(r"(.+)-00001-of-(\d{5})\.gguf")


def parts_of(path: Path) -> list[Path]:
    """Return the files of a model; llama.cpp finds the parts of a split model by their names."""
    if (found := _SPLIT.fullmatch(path.name)) is None:
        return [path]
    return [path.with_name(f"{found[1]}-{number:05}-of-{found[2]}.gguf") for number in range(1, int(found[2]) + 1)]


def limit_of(text: str, board: int) -> int:
    """Return the bytes of a size ("512M", "2G") or of a share of the board's bytes ("80%").

    Raises:
        ValueError: the text is neither.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([MG%])", text)
    if found is None or not float(found[1]) > 0 or (found[2] == "%" and float(found[1]) > 100):
        raise ValueError(f"{text!r} is no size such as 512M or 2G, and no share such as 80%")
    unit = {"M": MIB, "G": 1024 * MIB, "%": board / 100}[found[2]]
    return int(float(found[1]) * unit)
