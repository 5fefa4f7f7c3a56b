"""Attacks on the HTTP door: bodies and messages that never end, endless pings, JSON that takes long to parse.

Each attack returns its result as text for the table.
"""

import base64
import json
import os
import select
import socket
import struct
import time

from bench.target import KEY_HEADER, Attack, Harm, Target

OWNERS = "[auth]\ntrust_loopback = false\n"
TEXT, CONTINUATION, PING = 1, 0, 9
FLOOD_SECONDS = 30.0
MEGABYTE = 1_000_000
# `[limits] unfinished_bytes`: the limit of all unfinished bodies and messages together.
UNFINISHED_MIB = 64.0


def upgrade(target: Target, path: str, token: str = "") -> socket.socket:
    """Return a connection that asked for a WebSocket, without reading the answer."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(target.http)
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    head += f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
    connection.sendall((head + (f"{KEY_HEADER}: {token}\r\n" if token else "") + "\r\n").encode())
    return connection


def frame(operation: int, payload: bytes, *, is_last: bool = False) -> bytes:
    """Return a masked WebSocket frame."""
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xff" + struct.pack("!Q", size)
    return bytes([(0x80 if is_last else 0) | operation]) + length + b"\0\0\0\0" + payload


def pour(connections: list[socket.socket], data: bytes, seconds: float, limit: int) -> tuple[int, int]:
    """Send the same bytes again and again without reading.

    Return the number of bytes that were sent and the connections that are still open.
    """
    unsent, sent, until = dict.fromkeys(connections, data), 0, time.monotonic() + seconds
    for each in connections:
        each.setblocking(False)
    while unsent and sent < limit and time.monotonic() < until:
        for each in select.select([], list(unsent), [], 0.2)[1]:
            try:
                count = each.send(unsent[each])
            except BlockingIOError:
                continue
            except OSError:
                del unsent[each]
                continue
            sent += count
            unsent[each] = unsent[each][count:] or data
    return sent, len(unsent)


def pings_of_strangers(target: Target) -> str:
    """Send pings without a key and read no pong."""
    return _pings(target, [upgrade(target, "/ws/units") for _ in range(4)])


def pings_of_a_user(target: Target) -> str:
    """Send pings with a key and read no pong."""
    token = target.token("user", "use")
    return _pings(target, [upgrade(target, path, token) for path in ("/ws/units", "/ws", "/ws/chat", "/ws/units")])


def _pings(target: Target, connections: list[socket.socket]) -> str:
    time.sleep(0.5)
    sent, alive = pour(connections, frame(PING, b"x" * 125, is_last=True) * 500, FLOOD_SECONDS, 2**34)
    for each in connections:
        each.close()
    return f"{sent / MEGABYTE:.0f} MB were taken, {alive} of {len(connections)} connections live"


def unfinished_messages(target: Target) -> str:
    """Begin messages of 30 MB in short frames, with a token of role `observe` and with one of role `use`."""
    tokens, parts = {"observe": target.token("looker", "observe", "--frame-bytes", "4096")}, []
    tokens["use"] = target.token("user", "use")
    for role, token in tokens.items():
        connections = [upgrade(target, "/ws/units", token) for _ in range(10)]
        time.sleep(0.5)
        message = frame(TEXT, b" ") + frame(CONTINUATION, b" " * MEGABYTE) * 30
        taken = sum(pour([each], message, 3, 30 * MEGABYTE)[0] for each in connections)
        time.sleep(1)
        for each in connections:
            each.close()
        parts.append(f"{taken / MEGABYTE:.0f} MB of `{role}`")
    return ", ".join(parts) + " left the clients"


def empty_fragments(target: Target) -> str:
    """Send a message of a million fragments without content, and one of as many with one space each."""
    token, sent = target.token("user", "use"), []
    for content in (b"", b" "):
        connection = upgrade(target, "/ws/units", token)
        time.sleep(0.2)
        connection.sendall(frame(TEXT, b"{"))
        fragment = frame(CONTINUATION, content)
        taken, _ = pour([connection], fragment * 20_000, FLOOD_SECONDS, 2_000_000 * len(fragment))
        sent.append(taken // len(fragment))
        connection.close()
    return f"{sent[0]:,} and {sent[1]:,} fragments were taken"


def unfinished_bodies(target: Target) -> str:
    """Begin bodies of 30 MB, with a token of role `observe` and with one of role `use`."""
    parts = []
    for role in ("observe", "use"):
        token, connections = target.token(role, role), []
        for _ in range(10):
            connection = socket.create_connection(target.http)
            head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n{KEY_HEADER}: {token}\r\n"
            connection.sendall(f"{head}Content-Length: {30 * MEGABYTE + 10}\r\n\r\n".encode())
            connections.append(connection)
        taken = sum(pour([each], b" " * MEGABYTE, 3, 30 * MEGABYTE)[0] for each in connections)
        time.sleep(1)
        for each in connections:
            each.close()
        parts.append(f"{taken / MEGABYTE:.0f} MB of `{role}`")
    return ", ".join(parts) + " left the clients"


def large_json(target: Target) -> str:
    """Post bodies of up to 30 MB that take long to parse: many messages, numbers, parts, keys."""
    message, words = '{"role":"user","content":"x"}', []
    many = {
        "messages": '{"messages":[' + message + ("," + message) * 900_000 + "]}",
        "numbers": '{"messages":[' + message + '],"stop":[1' + ",1" * 14_000_000 + "]}",
        "parts": '{"messages":[{"role":"user","content":[{"type":"text","text":""}'
        + ',{"type":"text","text":""}' * 1_000_000
        + "]}]}",
        "biases": '{"messages":['
        + message
        + '],"logit_bias":'
        + json.dumps({str(i): 1 for i in range(1_500_000)})
        + "}",
        "brackets": '{"messages":' + "[" * 5_000_000,
    }
    for path in ("/v1/chat/completions", "/api/chat"):
        for name, body in many.items():
            status = _post(target, path, body.encode())
            if status != "cut" and not status.startswith("4"):
                raise Harm(f"{name} to {path}: {status}")
            words.append(status)
    return ", ".join(f"{words.count(each)} times {each}" for each in dict.fromkeys(words))


def _post(target: Target, path: str, body: bytes) -> str:
    """Return the status, or "cut" when the connection ended without one."""
    with socket.create_connection(target.http, 60) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
        try:
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = connection.recv(65536)
        except OSError:
            return "cut"
    return answer[9:12].decode() or "cut"


ATTACKS = (
    Attack("pings-of-strangers", pings_of_strangers, OWNERS),
    Attack("pings-of-a-user", pings_of_a_user, OWNERS),
    Attack("unfinished-messages", unfinished_messages, OWNERS, budget_mib=UNFINISHED_MIB),
    Attack("empty-fragments", empty_fragments, OWNERS),
    Attack("unfinished-bodies", unfinished_bodies, OWNERS, budget_mib=UNFINISHED_MIB),
    Attack("large-json", large_json, budget_mib=UNFINISHED_MIB),
)
