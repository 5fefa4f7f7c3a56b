"""Covers reading: how many values a JSON text may hold, and that text in it is not taken for values."""

import orjson
import pytest

from unitd.wire.errors import TooLong
from unitd.wire.reading import LOOKED_THROUGH_BYTES, MAX_VALUES, read_json

LONG_PROSE = 'He said, "[well], {now}", and left. ' * MAX_VALUES


@pytest.mark.parametrize("text", ["{}", '{"a": [1, 2.5, null, "é"]}', "[]", '"a"', "7"])
def test_a_text_is_read_as_bytes_and_as_text(text: str) -> None:
    """As orjson reads it."""
    assert read_json(text) == read_json(text.encode()) == read_json(bytearray(text.encode())) == orjson.loads(text)


def test_as_many_values_as_are_allowed_are_read() -> None:
    """One list and the commas in it."""
    assert len(read_json(b"[" + b"1," * (MAX_VALUES - 1) + b"1]")) == MAX_VALUES


@pytest.mark.parametrize("value", [b"1", b'"a"', b"{}", b"[]", b'{"a":1}', b" null ", b'"\\""'])
def test_more_values_are_refused(value: bytes) -> None:
    """Whatever they are, and before one of them is made."""
    with pytest.raises(TooLong, match=f"it may hold {MAX_VALUES} values"):
        read_json(b"[" + (value + b",") * MAX_VALUES + value + b"]")


def test_a_long_text_is_one_value() -> None:
    """Commas and brackets in a string announce nothing, escaped quotation marks do not end it."""
    assert read_json(orjson.dumps({"data": LONG_PROSE})) == {"data": LONG_PROSE}


def test_what_is_too_long_to_be_looked_through_holds_few_commas_anywhere() -> None:
    """A recording in base64 does; a book does not."""
    recording = "UklGRiQAAABXQVZF" * (LOOKED_THROUGH_BYTES // 16)

    assert read_json(orjson.dumps({"data": recording})) == {"data": recording}
    with pytest.raises(TooLong):
        read_json(orjson.dumps({"data": LONG_PROSE + recording}))


def test_a_limit_of_bytes_is_kept() -> None:
    """The door that has one names it."""
    assert read_json(b'"12345678"', 10) == "12345678"
    with pytest.raises(TooLong, match="it may have 9 bytes"):
        read_json(b'"12345678"', 9)
