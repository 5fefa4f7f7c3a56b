"""How many bytes of requests each client has waiting, in the daemon and in unit programs.

A request counts from when it is taken on until it is answered, an inference until its last frame: a prompt that a
program has got waits there for a slot. A client's grant and its `party` say which clients count as one.
"""

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import orjson

from unitd.core.tasks.table import Client
from unitd.wire.errors import BadField, Unavailable
from unitd.wire.messages import Request

Party = tuple[str, str]


class Waiting:
    """The bytes that are held, by client."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._held: Counter[Party] = Counter()

    def check(self, client: Client, size: int) -> None:
        """Raise Unavailable when a client would hold too many with so many bytes more."""
        held = self._held[_party(client)]
        if held + size > self._limit:
            most = f"{self._limit} may wait for one client"
            raise Unavailable(f"this request has {size} bytes, and {held} bytes of earlier requests wait; {most}")

    def hold(self, client: Client, size: int) -> Callable[[], None]:
        """Count so many bytes until the returned function is called, once."""
        party = _party(client)
        self._held[party] += size

        def release() -> None:
            self._held[party] -= size
            if not self._held[party]:
                del self._held[party]

        return release


def _party(client: Client) -> Party:
    return client.grant.name, client.party


def size_of(request: Request) -> int:
    """Return how many bytes a request holds; raise BadField when it is nested too deeply to be passed on.

    Audio that is to be heard counts for nothing, and a picture only once it is kept: both have bounds of their own.
    """
    is_uploaded = request.action == "inference" and isinstance(request.data, bytes)
    return sum(map(_bytes_in, (None if is_uploaded else request.data, request.options, request.payload)))


def _bytes_in(value: Any) -> int:
    """Return what a text or bytes take in memory, and what the JSON of anything else takes on its way."""
    if not value:
        return 0
    if isinstance(value, str | bytes):
        return sys.getsizeof(value)
    try:
        return len(orjson.dumps(value))
    except orjson.JSONEncodeError as error:
        raise BadField("data is nested too deeply") from error
