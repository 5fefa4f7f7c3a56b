"""Daemon ↔ child: one JSON header line, then payload bytes.

    {"type": "infer", "task": "llm.1002", "inference": 7, ...}\n
    {"type": "audio", "task": "asr.1003", "length": 3200, ...}\n<3200 bytes>

`length` is the size of the payload; it is left out when there is none. PCM is sent as it is, never as base64. A line
over the limit or a header that is no object ends the conversation with a ValueError.
docs/units.md lists the message types for those who write a unit in another language.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

# Setup data is at most a frame of the wire (`[limits] frame_bytes`, 32 MiB at the most), and a control character of one
# byte takes six as a JSON escape. A prompt is sent as payload, unescaped, in at most four bytes a character.
MAX_HEADER_BYTES = 256 * 1024 * 1024
MAX_PAYLOAD_BYTES = 128 * 1024 * 1024

CANNOT_LOAD = 65
"""The exit status of a unit program that cannot load its model (EX_DATAERR): its last line on stderr is the reason."""

ENTRY_POINT_GROUP = "unitd.units"
"""Where installed packages register units of their own."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message: its type, its fields, its payload."""

    type: str
    fields: dict[str, Any] = field(default_factory=dict)
    payload: bytes = b""


def encode_envelope(envelope: Envelope) -> bytes:
    """Return the bytes of one message."""
    header = {"type": envelope.type, **envelope.fields}
    if envelope.payload:
        header["length"] = len(envelope.payload)
    return orjson.dumps(header, option=orjson.OPT_APPEND_NEWLINE) + envelope.payload


class EnvelopeReader:
    """Turns bytes in any slicing into envelopes."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._header: dict[str, Any] | None = None
        self._length = 0

    def feed(self, data: bytes) -> Iterator[Envelope]:
        """Yield the messages that these bytes complete.

        Raises:
            ValueError: the other end does not speak this protocol; nothing more can be read from it.
        """
        self._buffer += data
        while self._header is not None or self._take_header():
            if len(self._buffer) < self._length:
                return
            payload = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            fields, self._header = self._header or {}, None
            yield Envelope(fields.pop("type"), fields, payload)

    def _take_header(self) -> bool:
        end = self._buffer.find(b"\n", self._searched)
        self._searched = len(self._buffer) if end < 0 else 0
        if max(end, self._searched) > MAX_HEADER_BYTES:
            raise ValueError(f"a header line of over {MAX_HEADER_BYTES} bytes")
        if end < 0:
            return False
        header = orjson.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        if not isinstance(header, dict) or not isinstance(header.get("type"), str):
            raise ValueError("a header must be an object with a type")
        self._length = header.pop("length", 0)
        if type(self._length) is not int or not 0 <= self._length <= MAX_PAYLOAD_BYTES:
            raise ValueError(f"a payload length of {self._length!r}")
        self._header = header
        return True
