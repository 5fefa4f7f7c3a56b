"""Damage to a byte stream: changes, random slices, and valid requests to damage. All random choices have a seed."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MEANINGFUL = b'{}"\\\n\x00\xff:,0'


def inference(object_: str, data: Any, request_id: str = "7") -> bytes:
    """Return an inference as a client sends it."""
    fields = {"request_id": request_id, "work_id": "llm.1002", "action": "inference", "object": object_, "data": data}
    return json.dumps(fields, ensure_ascii=False).encode()


VALID = (
    b'{"request_id":"1","work_id":"sys","action":"ping"}',
    b'{ "action" : "setup", "data": {"model": "default", "input": ["llm.utf-8", "kws.1000"], "top_p": 0.9},\r\n'
    b'"work_id": "llm", "object": "llm.setup", "request_id": "2" }\r\n',
    inference("llm.utf-8", 'say "}" and \\ to 🙂') + b"\n",
    inference("llm.utf-8.stream", {"delta": "one ", "index": 0, "finish": False}),
    inference("llm.utf-8.stream", {"delta": "two", "index": 1, "finish": True}),
    inference("llm.utf-8.stream", {"delta": "alone", "index": 0}, "8") + b"\n",
    inference("llm.utf-8.base64", "aGVsbG8="),
    inference("kws.base64.stream", {"delta": "AAEC", "index": 0, "finish": False}, "9"),
    b'{"RAW":12,"request_id":"3","work_id":"kws.1000","action":"inference","object":"kws.base64"}{"\x00\xff}\\"{{\n}}',
    b'{"work_id":"sys","object":"sys.base64.file./a","RAW":4,"action":"push","request_id":"4"}\x00\x01\x02\x03\n',
)
"""Requests of every form that the wire has."""


def flip(stream: bytearray, rng: random.Random) -> None:
    """Change one bit of one byte."""
    stream[rng.randrange(len(stream))] ^= 1 << rng.randrange(8)


def replace(stream: bytearray, rng: random.Random) -> None:
    """Replace one byte by one that has a meaning in JSON."""
    stream[rng.randrange(len(stream))] = rng.choice(MEANINGFUL)


def insert(stream: bytearray, rng: random.Random) -> None:
    """Insert one byte that has a meaning in JSON."""
    stream.insert(rng.randrange(len(stream) + 1), rng.choice(MEANINGFUL))


def delete(stream: bytearray, rng: random.Random) -> None:
    """Delete one byte."""
    del stream[rng.randrange(len(stream))]


def cut(stream: bytearray, rng: random.Random) -> None:
    """Delete a part, as when a serial buffer overflows."""
    at = rng.randrange(len(stream))
    del stream[at : min(at + rng.randrange(1, 100), len(stream) - 1)]


def duplicate(stream: bytearray, rng: random.Random) -> None:
    """Repeat a part."""
    at = rng.randrange(len(stream))
    stream[at:at] = stream[at : at + rng.randrange(1, 100)]


Damage = Callable[[bytearray, random.Random], None]
DAMAGES: tuple[Damage, ...] = (flip, replace, insert, delete, cut, duplicate)


def damaged(requests: Iterable[bytes], rng: random.Random) -> bytes:
    """Return the joined requests with one to five damages."""
    stream = bytearray(b"".join(requests))
    for damage in rng.choices(DAMAGES, k=rng.randint(1, 5)):
        if stream:
            damage(stream, rng)
    return bytes(stream)


def sliced(stream: bytes, rng: random.Random) -> Iterator[bytes]:
    """Yield the stream in packets of random sizes."""
    at = 0
    while at < len(stream):
        size = rng.choice((1, 2, 3, 10, 50, 500))
        yield stream[at : at + size]
        at += size
