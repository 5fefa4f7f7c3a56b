"""`unitd send`: sends one request as it is and prints its replies."""

import argparse
import sys

import orjson

from unitd.cli.connection import DaemonConnection, fail, is_last


def run(arguments: argparse.Namespace) -> int:
    """Print every line up to the request's last one; return 1 if that is an error, else 0."""
    text = sys.stdin.read() if arguments.json == "-" else arguments.json
    request_id = _request_id(text)
    connection = DaemonConnection(arguments)
    connection.send(text.encode())
    while True:
        line = connection.line(arguments.wait)
        reply = orjson.loads(line)
        if reply["request_id"] not in (request_id, "0"):
            continue
        sys.stdout.write(line.decode() + "\n")
        sys.stdout.flush()
        if is_last(reply):
            return 1 if reply["error"]["code"] else 0


def _request_id(text: str) -> str:
    """Return the id that replies will echo, "0" if there is none; exit if the text is no JSON object."""
    try:
        request = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        fail(f"that is no JSON: {error}")
    if not isinstance(request, dict):
        fail("a request is a JSON object")
    request_id = request.get("request_id")
    return request_id if isinstance(request_id, str) else "0"
