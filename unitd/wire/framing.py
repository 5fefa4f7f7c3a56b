"""Framer: a byte stream in any slicing becomes JSON objects and RAW blocks.

How it works. Between objects everything up to the next `{` is skipped. From there a scan counts braces outside
strings; when the count is back at zero the object is parsed. A header with a top-level `"RAW": n` is followed by n
payload bytes (an optional newline after them is skipped like any other byte between objects). The original counts
braces inside strings too and can be hung by one; see docs/original-firmware.md, section 1.1.

Damage costs one error and never the connection:
- a complete object that does not parse is dropped whole;
- a raw control character inside a string cannot occur in JSON, so it ends a damaged object right there;
- a `{` at the beginning of a line where JSON allows none (the object before lost its `}`) begins the next object, if
  it is indented no deeper than the one before: a deeper one is a part of an object that spans several lines;
- a `}` between objects is damage; a run of such garbage is reported once;
- an object or payload over the limit is reported when the limit is passed, then skipped to its end;
- an object of too many values (wire/reading.py) is dropped whole;
- an unfinished object is dropped by `drop_incomplete`, which the caller calls after a timeout.

Every byte is looked at a fixed number of times (as a slice of its own, by the quick match, by the resumable scan), so
the time is linear.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

from unitd.wire.errors import NotJson, TooLong, WireError
from unitd.wire.reading import read_json

# 8 MiB holds a minute of 16 kHz audio in base64 or a large photo; uvicorn and nginx sit between 1 and 16 MiB.
DEFAULT_LIMIT_BYTES = 8 * 1024 * 1024

_STRING = rb'"[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+"'


def _object_pattern(depth: int) -> bytes:
    """Return a regex for an object nested at most `depth` deep; possessive throughout, so it never backtracks."""
    inner = b"" if depth == 0 else b"|" + _object_pattern(depth - 1)
    return rb'\{(?:[^{}"]++|' + _STRING + inner + rb")*+\}"


# Requests are flat or hold one `data` object with at most one more level; deeper ones take the resumable scan.
_QUICK_OBJECT = re.compile(_object_pattern(2))


def _value_pattern(depth: int) -> bytes:
    """Return a regex for an object nested at most `depth` deep that stands where JSON allows a value."""
    inner = b"" if depth == 0 else b"|" + _value_pattern(depth - 1)
    return rb'(?:(?<=[:,\[])|(?<=[:,\[] ))\{(?:[^{}"]++|' + _STRING + inner + rb")*+\}"


# Outside a string: everything up to the next brace, or up to a string that does not end in this buffer. Objects that
# are values are skipped whole: there may be a million of them, and one step of the scan per brace would take seconds.
_UP_TO_BRACE = re.compile(rb'(?:[^{}"]++|' + _STRING + b"|" + _value_pattern(2) + rb")*+")
_UP_TO_QUOTE = re.compile(rb'[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+')

# How far back the end of the line before a brace is searched for.
_LOOK_BACK_BYTES = 64

_OPEN, _CLOSE, _QUOTE, _BACKSLASH = b'{}"\\'


class Frame(NamedTuple):
    """One JSON object and, after a RAW header, its payload bytes. A tuple, because one is made for every request."""

    fields: dict[str, Any]
    payload: bytes | None = None


# A request_id and a work_id are in every reply, in log lines and in topics of MQTT. A UUID has 36 bytes.
MAX_NAME_BYTES = 256


def is_too_long(name: str) -> bool:
    """Return True for a request_id or work_id over MAX_NAME_BYTES."""
    return len(name) > MAX_NAME_BYTES or len(name.encode(errors="surrogatepass")) > MAX_NAME_BYTES


def readable_ids(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the request_id and work_id for a reply; "0" and "sys" replace those that are missing or too long."""
    request_id, work_id = fields.get("request_id"), fields.get("work_id")
    return (
        request_id if isinstance(request_id, str) and not is_too_long(request_id) else "0",
        work_id if isinstance(work_id, str) and work_id and not is_too_long(work_id) else "sys",
    )


class Framer:
    """Turns bytes into frames and errors, in the order in which they end."""

    def __init__(self, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> None:
        self.limit_bytes = limit_bytes
        self._buffer = bytearray()
        # Indentation of the line on which an object begins; larger for the second object of a line.
        self._indent = 0
        self._reset_scan()
        self._raw_header: dict[str, Any] | None = None
        self._raw_missing = 0
        self._is_skipping = False
        self._garbage_reported = False

    def _reset_scan(self) -> None:
        self._position = 0
        self._depth = 0
        self._in_string = False

    @property
    def is_incomplete(self) -> bool:
        """True while an object or a payload has begun and not ended."""
        return self._depth > 0 or self._raw_missing > 0 or self._raw_header is not None

    @property
    def has_more(self) -> bool:
        """True while the buffer holds the beginning of an object that was not examined yet."""
        return b"{" in self._buffer

    @property
    def awaits_payload(self) -> bool:
        """True after a RAW header, until its payload is complete."""
        return self._raw_header is not None

    @property
    def held_bytes(self) -> int:
        """How many bytes of an unfinished object or payload are kept."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterable[Frame | WireError]:
        """Take any slice of the stream and return the frames and errors that it completes.

        They are produced one by one as the caller takes them: if the first frame raises the limit (it shows a token),
        the new limit holds for the second.
        """
        if not self._buffer and not self.is_incomplete and (result := self._take_single(data)) is not None:
            return [result]
        self._buffer += data
        return self._results()

    def _take_single(self, data: bytes) -> Frame | None:
        """Return the frame of a slice that is exactly one object, the common case; None if it is anything else."""
        if data[:1] != b"{" or len(data) > self.limit_bytes:
            return None
        try:
            fields = read_json(data)
        except (orjson.JSONDecodeError, TooLong):
            return None
        self._garbage_reported = False
        return None if "RAW" in fields else Frame(fields)

    def drop_incomplete(self) -> WireError | None:
        """Drop an unfinished object and return the error for it; None if there is none or it was reported before."""
        was_incomplete, was_skipping = self.is_incomplete, self._is_skipping
        self._buffer.clear()
        self._reset_scan()
        self._raw_header, self._raw_missing, self._is_skipping = None, 0, False
        self._garbage_reported = self._garbage_reported or was_incomplete
        if was_incomplete and not was_skipping:
            return NotJson("incomplete object, no more bytes came")
        return None

    def _results(self) -> Iterator[Frame | WireError]:
        progress = True
        while progress:
            if self._raw_header is not None or self._raw_missing:
                result, progress = self._take_payload()
            elif self._depth:
                result, progress = self._scan_object()
            else:
                result, progress = self._begin_object()
            if result is not None:
                yield result

    def _take_payload(self) -> tuple[Frame | WireError | None, bool]:
        """Collect the bytes after a RAW header, or skip them if there are more than the limit allows."""
        taken = min(self._raw_missing, len(self._buffer))
        if self._is_skipping:
            del self._buffer[:taken]
            self._raw_missing -= taken
            self._is_skipping = self._raw_missing > 0
            return None, not self._is_skipping
        if taken < self._raw_missing:
            return None, False
        frame = Frame(self._raw_header or {}, bytes(self._buffer[:taken]))
        del self._buffer[:taken]
        self._raw_header, self._raw_missing = None, 0
        return frame, True

    def _begin_object(self) -> tuple[Frame | WireError | None, bool]:
        """Skip to the next `{`; take a complete object of ordinary depth in one match."""
        buffer = self._buffer
        start = buffer.find(b"{")
        garbage = buffer[:start] if start >= 0 else bytes(buffer)
        line = garbage.rfind(b"\n") + 1
        self._indent = len(garbage) - line + (0 if line else self._indent)
        if b"}" in garbage and not self._garbage_reported:
            self._garbage_reported = True
            del buffer[: start if start >= 0 else len(buffer)]
            return NotJson("'}' without '{'"), True
        if start < 0:
            buffer.clear()
            return None, False
        self._garbage_reported = False
        if start:
            del buffer[:start]
        if match := _QUICK_OBJECT.match(buffer, 0, self.limit_bytes):
            with suppress(orjson.JSONDecodeError, TooLong):  # then the scan finds its end and its error
                fields = read_json(buffer[: match.end()])
                del buffer[: match.end()]
                return self._take_fields(fields)
        self._depth, self._position = 1, 1
        return None, True

    def _scan_object(self) -> tuple[Frame | WireError | None, bool]:
        """Count braces from where the last scan stopped, up to an end, damage, or the end of the buffer."""
        buffer = self._buffer
        while self._depth:
            at = self._skip_plain()
            if at == len(buffer) or (buffer[at] == _BACKSLASH and at + 1 == len(buffer)):
                return self._want_more()
            byte = buffer[at]
            self._position = at + 1
            if byte == _QUOTE:
                self._in_string = not self._in_string
            elif byte == _OPEN:
                if self._begins_next(at):
                    return self._drop_damaged(at, "an object without its end")
                self._depth += 1
            elif byte == _CLOSE:
                self._depth -= 1
            else:
                return self._drop_damaged(at + 1, "raw control character inside a string")
        return self._finish_object(self._position)

    def _begins_next(self, at: int) -> bool:
        """Return whether a brace begins a line and can be neither a value nor a part of the object so far."""
        before = self._buffer[max(0, at - _LOOK_BACK_BYTES) : at]
        value, line_end = before.rstrip(), before.rfind(b"\n")
        is_value = not value or value[-1] in b":,["
        return not is_value and len(value) <= line_end and len(before) - 1 - line_end <= self._indent

    def _skip_plain(self) -> int:
        """Move to the next byte that matters in the present state and return its position."""
        pattern = _UP_TO_QUOTE if self._in_string else _UP_TO_BRACE
        match = pattern.match(self._buffer, self._position)
        self._position = match.end() if match else self._position
        return self._position

    def _want_more(self) -> tuple[WireError | None, bool]:
        """Wait for more bytes. An object over the limit is reported once; then only its braces are counted."""
        error = None
        if not self._is_skipping and len(self._buffer) > self.limit_bytes:
            self._is_skipping = True
            error = self._too_long()
        if self._is_skipping:
            seen = max(0, self._position - _LOOK_BACK_BYTES)
            del self._buffer[:seen]
            self._position -= seen
        return error, False

    def _too_long(self, fields: Mapping[str, Any] | None = None) -> TooLong:
        return TooLong(f"a frame may hold {self.limit_bytes} bytes", *readable_ids(fields or {}))

    def _drop_damaged(self, end: int, reason: str) -> tuple[WireError | None, bool]:
        """Drop an object up to `end`, where it cannot continue as JSON, and report it."""
        was_skipping, self._is_skipping = self._is_skipping, False
        del self._buffer[:end]
        self._reset_scan()
        self._garbage_reported = True  # closing braces of its rest are part of the same damage
        return None if was_skipping else NotJson(reason), True

    def _finish_object(self, end: int) -> tuple[Frame | WireError | None, bool]:
        was_skipping, self._is_skipping = self._is_skipping, False
        with memoryview(self._buffer) as view:
            raw = bytes(view[:end])
        del self._buffer[:end]
        self._reset_scan()
        if was_skipping:
            return None, True
        if len(raw) > self.limit_bytes:
            return self._too_long(), True
        try:
            fields: dict[str, Any] = read_json(raw)
        except orjson.JSONDecodeError as error:
            return NotJson(str(error)), True
        except TooLong as error:
            return error, True
        return self._take_fields(fields)

    def _take_fields(self, fields: dict[str, Any]) -> tuple[Frame | WireError | None, bool]:
        if "RAW" in fields:
            return self._begin_payload(fields)
        return Frame(fields), True

    def _begin_payload(self, header: dict[str, Any]) -> tuple[WireError | None, bool]:
        length = header.pop("RAW")
        if type(length) is not int or length < 0:
            return NotJson("RAW must be the number of bytes that follow", *readable_ids(header)), True
        self._raw_missing = length
        if length > self.limit_bytes:
            self._is_skipping = True
            return self._too_long(header), True
        self._raw_header = header
        return None, True
