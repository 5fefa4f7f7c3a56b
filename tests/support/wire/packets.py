"""The four ways in which the same frames travel, and what a framer makes of them."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson
import pytest

from unitd.wire.errors import WireError
from unitd.wire.framing import Frame, Framer

Transport = Callable[[Sequence[bytes]], list[bytes]]


def whole(frames: Sequence[bytes]) -> list[bytes]:
    """Each frame in a packet of its own."""
    return list(frames)


def one_byte(frames: Sequence[bytes]) -> list[bytes]:
    """Each byte in a packet of its own."""
    return [bytes([byte]) for byte in b"".join(frames)]


def random_slices(frames: Sequence[bytes], seed: int = 7) -> list[bytes]:
    """Packets of 1 to 40 bytes, the same in every run."""
    rng, stream, pieces = random.Random(seed), b"".join(frames), []
    while stream:
        size = rng.randint(1, 40)
        pieces.append(stream[:size])
        stream = stream[size:]
    return pieces


def glued(frames: Sequence[bytes]) -> list[bytes]:
    """Everything in one packet."""
    return [b"".join(frames)]


TRANSPORTS: tuple[Transport, ...] = (whole, one_byte, random_slices, glued)

over_each_transport = pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda each: each.__name__)
"""Runs a test four times."""


def gist(framer: Framer, pieces: Iterable[bytes]) -> list[Frame | type[WireError]]:
    """What the framer makes of these packets: the frames as they are, of the errors their classes."""
    results = [result for piece in pieces for result in framer.feed(piece)]
    return [result if isinstance(result, Frame) else type(result) for result in results]


PING: dict[str, Any] = {"request_id": "1", "work_id": "sys", "action": "ping"}
PING_BYTES = orjson.dumps(PING)
PING_FRAME = Frame(PING)
