"""JSON bodies of plain HTTP."""

from typing import Self

import orjson

from unitd.doors.http.errors import ApiError, bad_value
from unitd.wire.errors import TooLong
from unitd.wire.fields import Fields
from unitd.wire.framing import DEFAULT_LIMIT_BYTES
from unitd.wire.reading import read_json


class Body(Fields):
    """The JSON object of a request, or one in it."""

    null_is_absent = True

    def refusal(self, key: str, wanted: str, shown: str = "") -> ApiError:
        """Return the error, which names the place."""
        place = self.place(key)
        return bad_value(f"{place} must be {wanted}.", place.partition(".")[0])

    def table(self, key: str) -> Self:
        """Return the object at a key; an empty list counts as an empty object, for PHP writes it so."""
        return type(self)(self.get(key) or {}, self.place(key))


def read_body(data: bytes) -> Body:
    """Return the JSON object of a request.

    Raises:
        ApiError: the body is no JSON object.
    """
    try:
        body = read_json(data, DEFAULT_LIMIT_BYTES)
    except orjson.JSONDecodeError as error:
        raise bad_value(f"The body is no JSON: {error}", None) from error
    except TooLong as error:
        raise bad_value(f"The body is too large: {error.reason}.", None) from error
    if not isinstance(body, dict):
        raise bad_value("The body must be a JSON object.", None)
    return Body(body)
