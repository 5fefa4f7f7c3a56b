"""`unitd send`: one request as it stands, and what comes back for it."""

import argparse
import sys

import orjson

from unitd.cli.connection import DaemonConnection, fail, is_last


def run(arguments: argparse.Namespace) -> int:
    """Prints every line up to the last one of this request; exit code 1 when it carries an error."""
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
    """The id that the reply will echo, "0" when there is none; ends the program when the text is no JSON object."""
    try:
        request = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        fail(f"that is no JSON: {error}")
    if not isinstance(request, dict):
        fail("a request is a JSON object")
    request_id = request.get("request_id")
    return request_id if isinstance(request_id, str) else "0"
