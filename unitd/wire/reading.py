"""JSON texts of clients, read within bounds.

The parser makes an object of every value, and a lock of the interpreter is held while it does: eight megabytes of `1,`
are four million values, during which nobody else is served. No request of any dialect needs a thousandth of them, so
they are counted before they are made. A long text is one value, whatever is in it.
"""

import re
from typing import Any

import orjson

from unitd.wire.errors import TooLong

MAX_VALUES = 32_768
"""Commas and opening brackets of one text: each announces a value. A hundred tools of fifty properties have 20,000."""

# What is longer holds recordings in base64, and to tell its strings from its values would take too long.
LOOKED_THROUGH_BYTES = 8 * 1024 * 1024

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# Possessive throughout, so it never backtracks, and it stops at the first comma that is too many.
_TOO_MANY = re.compile(rb"(?s:(?:(?:[^\"\[{,]++|%s)*+[\[{,]){%d})" % (_STRING, MAX_VALUES + 1))


def read_json(text: bytes | bytearray | str, limit_bytes: int = 0) -> Any:
    """Return the value of a JSON text; with a limit, of one that has at most so many bytes.

    Raises:
        TooLong: it has too many bytes, or holds more than MAX_VALUES values.
        orjson.JSONDecodeError: it is no JSON.
    """
    if 0 < limit_bytes < len(text):
        raise TooLong(f"it may have {limit_bytes} bytes")
    if holds_too_many(text):
        raise TooLong(f"it may hold {MAX_VALUES} values")
    return orjson.loads(text)


def is_too_deep(*values: Any) -> bool:
    """Return whether values cannot be passed on: the parser takes 1,024 levels, the encoder 254, messages need some."""
    try:
        orjson.dumps([[[values]]])
    except orjson.JSONEncodeError:
        return True
    return False


def holds_too_many(text: bytes | bytearray | str) -> bool:
    """Return whether a text holds more than MAX_VALUES values.

    In a very long text what stands in strings counts too.
    """
    if len(text) <= MAX_VALUES:  # each takes a byte
        return False
    encoded = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if sum(encoded.count(each) for each in b",[{") <= MAX_VALUES:  # thirty times as fast as to tell strings apart
        return False
    return len(encoded) > LOOKED_THROUGH_BYTES or _TOO_MANY.match(encoded) is not None
