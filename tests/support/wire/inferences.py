"""Inferences as clients send them, in one piece or in chunks, and what a session makes of them."""

import base64
from typing import Any

import orjson

from unitd.wire.messages import Reply, Request
from unitd.wire.session import Session

TEXT_STREAM = "llm.utf-8.stream"
PCM = bytes(range(256)) * 3 + b"\xff"
ENCODED = base64.b64encode(PCM).decode()


def sent(object_: str, data: Any, request_id: str = "7", **changes: Any) -> bytes:
    """An inference as a client sends it."""
    fields = {"request_id": request_id, "work_id": "llm.1002", "action": "inference", "object": object_, "data": data}
    return orjson.dumps(fields | changes)


def raw(object_: str, payload: bytes, **changes: Any) -> bytes:
    """An inference with its bytes behind a RAW header."""
    fields = {"RAW": len(payload), "request_id": "7", "work_id": "llm.1002", "action": "inference", "object": object_}
    return orjson.dumps(fields | changes) + payload


def chunk(index: Any, delta: Any = "", finish: Any = False) -> dict[str, Any]:
    """One piece of a streamed input."""
    return {"delta": delta, "index": index, "finish": finish}


def talk(session: Session, *packets: bytes) -> list[Request | Reply]:
    """Everything a session makes of these packets."""
    return [outcome for packet in packets for outcome in session.receive_data(packet)]


def inputs(*packets: bytes) -> list[Any]:
    """What arrives as input over a fresh session; for a refusal its code."""
    return [outcome.data if isinstance(outcome, Request) else outcome.code for outcome in talk(Session(), *packets)]
