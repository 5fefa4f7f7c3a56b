"""Four ways to cut the same frames into packets, and the results of a framer."""

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson
import pytest

from unitd.wire.errors import WireError
from unitd.wire.framing import Frame, Framer

Transport = Callable[[Sequence[bytes]], list[bytes]]


def whole(frames: Sequence[bytes]) -> list[bytes]:
    """Return each frame in a packet of its own."""
    return list(frames)


def one_byte(frames: Sequence[bytes]) -> list[bytes]:
    """Return each byte in a packet of its own."""
    return [bytes([byte]) for byte in b"".join(frames)]


def random_slices(frames: Sequence[bytes], seed: int = 7) -> list[bytes]:
    """Return packets of 1 to 40 bytes, the same in every run."""
    rng, stream, pieces = random.Random(seed), b"".join(frames), []
    while stream:
        size = rng.randint(1, 40)
        pieces.append(stream[:size])
        stream = stream[size:]
    return pieces


def glued(frames: Sequence[bytes]) -> list[bytes]:
    """Return everything in one packet."""
    return [b"".join(frames)]


TRANSPORTS: tuple[Transport, ...] = (whole, one_byte, random_slices, glued)

over_each_transport = pytest.mark.parametrize("transport", TRANSPORTS, ids=lambda each: each.__name__)
"""Run a test once for each way."""


def gist(framer: Framer, pieces: Iterable[bytes]) -> list[Frame | type[WireError]]:
    """Feed packets to a framer; return its frames, and the class of each error."""
    results = [result for piece in pieces for result in framer.feed(piece)]
    return [result if isinstance(result, Frame) else type(result) for result in results]


PING: dict[str, Any] = {"request_id": "1", "work_id": "sys", "action": "ping"}
PING_BYTES = orjson.dumps(PING)
PING_FRAME = Frame(PING)
