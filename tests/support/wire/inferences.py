"""Inferences as clients send them, in one piece or in chunks, and their results in a session."""

import base64
from typing import Any

import orjson

from unitd.wire.messages import Reply, Request
from unitd.wire.session import Session

TEXT_STREAM = "llm.utf-8.stream"
PCM = bytes(range(256)) * 3 + b"\xff"
ENCODED = base64.b64encode(PCM).decode()


def sent(object_: str, data: Any, request_id: str = "7", **changes: Any) -> bytes:
    """Return an inference as a client sends it."""
    fields = {"request_id": request_id, "work_id": "llm.1002", "action": "inference", "object": object_, "data": data}
    return orjson.dumps(fields | changes)


def raw(object_: str, payload: bytes, **changes: Any) -> bytes:
    """Return an inference with its bytes after a RAW header."""
    fields = {"RAW": len(payload), "request_id": "7", "work_id": "llm.1002", "action": "inference", "object": object_}
    return orjson.dumps(fields | changes) + payload


def chunk(index: Any, delta: Any = "", finish: Any = False) -> dict[str, Any]:
    """Return one piece of a streamed input."""
    return {"delta": delta, "index": index, "finish": finish}


def talk(session: Session, *packets: bytes) -> list[Request | Reply]:
    """Feed packets to a session; return all requests and replies."""
    return [outcome for packet in packets for outcome in session.receive_data(packet)]


def inputs(*packets: bytes) -> list[Any]:
    """Feed packets to a new session; return the data of each request, or the code of each refusal."""
    return [outcome.data if isinstance(outcome, Request) else outcome.code for outcome in talk(Session(), *packets)]
