"""JSON bodies of plain HTTP."""

from collections.abc import Mapping
from typing import Any

import orjson

from unitd.doors.http.errors import bad_value
from unitd.wire.errors import TooLong
from unitd.wire.framing import DEFAULT_LIMIT_BYTES
from unitd.wire.reading import read_json

Body = Mapping[str, Any]


def read_body(data: bytes) -> Body:
    """The JSON object of a request.

    Raises:
        ApiError: it is none.
    """
    try:
        body = read_json(data, DEFAULT_LIMIT_BYTES)
    except orjson.JSONDecodeError as error:
        raise bad_value(f"The body is no JSON: {error}", None) from error
    except TooLong as error:
        raise bad_value(f"The body is too large: {error.reason}.", None) from error
    if not isinstance(body, dict):
        raise bad_value("The body must be a JSON object.", None)
    return body
