"""Check that all tensors that a GGUF file's header lists lie in the file.

An engine maps the file into memory and trusts it; a tensor beyond the end is a crash at best. So a file is checked
before it is installed: each tensor must be of a known type, aligned, and inside the file.
"""

from collections.abc import Collection
from typing import BinaryIO

from unitd.core.models.gguf import KNOWN_VERSIONS, Header

# Deep models of experts have 2,000; checking so many takes a tenth of a second.
MAX_TENSORS = 16_384
MAX_DIMENSIONS = 4
DEFAULT_ALIGNMENT = 32
ALIGNMENT_KEY = "general.alignment"
_WORD, _OFFSET = 4, 10

BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 40),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip
"""Weights and bytes of a block, by ggml's number of a type."""

COMPUTABLE = BLOCKS.keys() - {24, 25, 26, 27, 28}
"""Types that weights can have: an engine crashes when it multiplies whole numbers or doubles."""


def check_tensors(file: BinaryIO, size: int, types: Collection[int] = BLOCKS.keys()) -> None:
    """Check a GGUF of `size` bytes, read from its beginning; its tensors must be of these types.

    Raises:
        ValueError: the file is no GGUF, is cut short, or has impossible values; the words say which.
    """
    if file.read(4) != b"GGUF":
        raise ValueError("it is no GGUF file")
    header = Header(file)
    if (version := header.number(_WORD)) not in KNOWN_VERSIONS:
        raise ValueError(f"it is a GGUF of version {version}, which is not known")
    if (count := header.number(_OFFSET)) > MAX_TENSORS:
        raise ValueError(f"its header claims {count} tensors")
    alignment = _alignment(header)
    end = max((_end_of_tensor(header, alignment, types) for _ in range(count)), default=0)
    data_at = -(-file.tell() // alignment) * alignment
    if data_at + end > size:
        raise ValueError(f"it has {size} bytes, its tensors end at byte {data_at + end}")


def _alignment(header: Header) -> int:
    """Skip all keys and return the alignment that one of them sets."""
    alignment = DEFAULT_ALIGNMENT
    for _ in range(header.count_of_keys()):
        key, kind = header.key(), header.number(_WORD)
        if key == ALIGNMENT_KEY and kind == _WORD:
            alignment = header.number(_WORD)
        else:
            header.skip_value(kind)
    if alignment <= 0 or alignment % 8:
        raise ValueError(f"its header aligns tensors to {alignment} bytes")
    return alignment


def _end_of_tensor(header: Header, alignment: int, types: Collection[int]) -> int:
    """Return where the next tensor ends, relative to the beginning of the first one."""
    name, dimensions = header.key(), header.number(_WORD)
    if dimensions > MAX_DIMENSIONS:
        raise ValueError(f"its tensor {name!r} has {dimensions} dimensions")
    lengths = [header.number(_OFFSET) for _ in range(dimensions)]
    kind, offset = header.number(_WORD), header.number(_OFFSET)
    if kind not in types:
        raise ValueError(f"its tensor {name!r} is of the unknown type {kind}")
    if offset % alignment:
        raise ValueError(f"its tensor {name!r} does not lie where the format wants it")
    return offset + _bytes_of(name, lengths, kind)


def _bytes_of(name: str, lengths: list[int], kind: int) -> int:
    weights, block_bytes = BLOCKS[kind]
    row, *others = lengths or [1]
    if row % weights:
        raise ValueError(f"its tensor {name!r} has rows of {row} weights, its type wants multiples of {weights}")
    count = row // weights
    for length in others:
        count *= length
    return count * block_bytes
