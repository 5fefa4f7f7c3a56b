"""JSON texts of clients, read within bounds.

The parser makes a Python object of every value and holds the interpreter's lock meanwhile: eight megabytes of `1,` are
four million values, during which no other client is served. No request of any protocol needs a thousandth of them, so
they are counted before the text is parsed. A long string is one value, whatever is in it.
"""

import re
from typing import Any

import orjson

from unitd.wire.errors import TooLong

MAX_VALUES = 32_768
"""The limit of commas and opening brackets in one text. A hundred tools with fifty properties each have 20,000."""

# A longer text holds recordings in base64; to tell its strings from its values would take too long.
LOOKED_THROUGH_BYTES = 8 * 1024 * 1024

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# Possessive throughout, so it never backtracks, and it stops at the first comma that is too many.
_TOO_MANY = re.compile(rb"(?s:(?:(?:[^\"\[{,]++|%s)*+[\[{,]){%d})" % (_STRING, MAX_VALUES + 1))


def read_json(text: bytes | bytearray | str, limit_bytes: int = 0) -> Any:
    """Return the value of a JSON text, which may have `limit_bytes` bytes; 0 is no limit.

    Raises:
        TooLong: the text has too many bytes, or holds more than MAX_VALUES values.
        orjson.JSONDecodeError: the text is no JSON.
    """
    if 0 < limit_bytes < len(text):
        raise TooLong(f"it may have {limit_bytes} bytes")
    if holds_too_many(text):
        raise TooLong(f"it may hold {MAX_VALUES} values")
    return orjson.loads(text)


def is_too_deep(*values: Any) -> bool:
    """Return True for values nested too deeply to encode: the parser takes 1,024 levels, the encoder 254."""
    try:
        orjson.dumps([[[values]]])  # a message adds levels around them
    except orjson.JSONEncodeError:
        return True
    return False


def holds_too_many(text: bytes | bytearray | str) -> bool:
    """Return whether a text holds more than MAX_VALUES values.

    In a very long text commas in strings count, too.
    """
    if len(text) <= MAX_VALUES:  # each takes a byte
        return False
    encoded = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if sum(encoded.count(each) for each in b",[{") <= MAX_VALUES:  # thirty times as fast as the regex
        return False
    return len(encoded) > LOOKED_THROUGH_BYTES or _TOO_MANY.match(encoded) is not None
