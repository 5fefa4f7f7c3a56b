"""Streamed input: {"delta", "index", "finish"} chunks of one client become one text or one block of bytes.

The original keeps one static buffer per process, so two clients mix; here a stream belongs to its session, its work_id
and its request_id (docs/original-firmware.md, section 2 and section 11, item 5). M5Stack's own plugin gives each chunk
another request_id: such a chunk continues the newest stream of its session and work_id, if that one waits for its
index.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from unitd.wire.errors import BadBase64, BadField, BadIndex, Unavailable, UnitdError
from unitd.wire.messages import Request, unit_of

# Streams whose last chunk was lost on a bad line must not block the next one: the oldest of them is dropped.
MAX_OPEN_STREAMS = 8
# Chunks of a dropped stream may still come; so many ids of dropped streams are remembered.
MAX_GIVEN_UP = 64
# Far more than a stream needs, and few enough that empty chunks cannot fill the memory.
MAX_CHUNKS = 65536
CHUNK_BYTES = 128
"""What Python needs for a chunk besides its text."""

# The length of base64 that is decoded at once; a multiple of four.
PIECE_CHARACTERS = 1024 * 1024

UNCOUNTED = frozenset({"tts", "melotts"})
"""Units that take chunks in the order of arrival: those of the original ignore the index, and its first clients send
1 for their only chunk."""


_Key = tuple[str, str]
"""work_id and request_id."""


@dataclass(slots=True)
class _Stream:
    """The chunks of one input, and their size in bytes."""

    object: str
    chunks: dict[int, str] = field(default_factory=dict)
    size: int = 0
    last: int = -1
    """The highest index so far."""


class StreamJoiner:
    """Collects chunks by index; at `finish` they must be 0..n-1 without a gap, except for UNCOUNTED units."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._open: dict[_Key, _Stream] = {}
        self._given_up: dict[_Key, None] = {}

    @property
    def open_streams(self) -> int:
        """The number of streams that have begun and not ended."""
        return len(self._open)

    @property
    def held_bytes(self) -> int:
        """The bytes of all open streams, with what Python needs for each chunk."""
        return sum(each.size + CHUNK_BYTES * len(each.chunks) for each in self._open.values())

    def drop_all(self) -> None:
        """Drop all open streams."""
        for key in self._open:
            self._give_up(key)
        self._open.clear()

    def add(self, request: Request) -> list[str] | None:
        """Add one chunk. Return all chunks of its stream in order if it is the last one, else None.

        Raises:
            BadIndex: the index is missing, no whole number, repeated, or leaves a gap; the stream is dropped.
            BadField: the chunk is no object or its delta no string; the stream is dropped.
            Unavailable: the joined text would be over the limit; the stream is dropped.
        """
        key = (request.work_id, request.request_id)
        stream = self._open.pop(self._continued_by(request), None) or _Stream(request.object)
        try:
            is_finished = self._extend(stream, request)
        except UnitdError:
            self._give_up(key)
            raise
        if is_finished:
            return _in_order(stream.chunks)
        if len(self._open) >= MAX_OPEN_STREAMS:
            oldest = next(iter(self._open))
            del self._open[oldest]
            self._give_up(oldest)
        self._open[key] = stream
        return None

    def _extend(self, stream: _Stream, request: Request) -> bool:
        """Add a chunk to its stream. Return True if it is the last one."""
        data = request.data
        if not isinstance(data, dict):
            raise BadIndex('a streamed input is {"delta": text, "index": n, "finish": bool}')
        index = len(stream.chunks) if unit_of(request.work_id) in UNCOUNTED else _read_index(data)
        delta = _read_delta(data, request)
        if index == 0 and 0 in stream.chunks:  # the client begins anew
            stream.chunks, stream.size, stream.last = {}, 0, -1
        elif index in stream.chunks:
            raise BadIndex(f"index {index} came twice")
        stream.chunks[index] = delta
        stream.size += len(delta.encode())
        stream.last = max(stream.last, index)
        if stream.size > self.limit_bytes or len(stream.chunks) > min(MAX_CHUNKS, self.limit_bytes):
            raise Unavailable(f"a streamed input may hold {self.limit_bytes} bytes in {MAX_CHUNKS} chunks")
        return bool(data.get("finish", True))

    def _continued_by(self, request: Request) -> _Key:
        """Return the key of the open stream that a chunk belongs to; its own key, if it begins a stream."""
        key = (request.work_id, request.request_id)
        index = request.data.get("index") if isinstance(request.data, dict) else None
        if key in self._open or key in self._given_up or type(index) is not int or index < 1:
            return key
        newest = next((each for each in reversed(self._open) if each[0] == request.work_id), key)
        stream = self._open.get(newest)
        is_next = stream is not None and stream.object == request.object and stream.last + 1 == index
        return newest if is_next else key

    def _give_up(self, key: _Key) -> None:
        """Remember a dropped stream, so that its later chunks continue no other stream."""
        if len(self._given_up) >= MAX_GIVEN_UP:
            del self._given_up[next(iter(self._given_up))]
        self._given_up[key] = None


def _read_index(data: dict[str, Any]) -> int:
    index = data.get("index")
    if type(index) is not int or index < 0:
        raise BadIndex("index must be a whole number from 0")
    return index


def _read_delta(data: dict[str, Any], request: Request) -> str:
    delta = data.get("delta", "")
    if not isinstance(delta, str):
        raise BadField("delta must be a string", request.request_id, request.work_id)
    if not isinstance(data.get("finish", True), bool):
        raise BadField("finish must be true or false", request.request_id, request.work_id)
    return delta


def _in_order(chunks: dict[int, str]) -> list[str]:
    missing = next((index for index in range(len(chunks)) if index not in chunks), None)
    if missing is not None:
        raise BadIndex(f"index {missing} never came")
    return [chunks[index] for index in range(len(chunks))]


def decode_base64(chunks: list[str]) -> bytes:
    """Return the bytes of one base64 text that was cut anywhere, or of several that were encoded separately.

    Raises:
        BadBase64: an illegal character or a wrong length.
    """
    texts = chunks if all(len(chunk) % 4 == 0 for chunk in chunks) else ["".join(chunks)]
    try:
        return b"".join(base64.b64decode(piece, validate=True) for text in texts for piece in _pieces(text))
    except (binascii.Error, ValueError) as error:
        raise BadBase64(str(error)) from error


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in parts. Other threads run between two parts, for the decoder holds the interpreter's lock."""
    if "=" in text[:-2]:  # padding inside the text is an error; at the end of a part it would be none
        yield text
    else:
        yield from (text[start : start + PIECE_CHARACTERS] for start in range(0, len(text), PIECE_CHARACTERS))
