"""`unitd send`: one request as it stands, and what comes back for it."""

import argparse
import sys

import orjson

from unitd.cli.connection import Connection, fail, is_last


def run(arguments: argparse.Namespace) -> int:
    """Prints every line up to the last one of this request; exit code 1 when it carries an error."""
    text = sys.stdin.read() if arguments.json == "-" else arguments.json
    connection = Connection(arguments)
    connection.send(text.encode())
    request_id = _request_id(text)
    while True:
        try:
            line = connection.line(arguments.wait)
        except TimeoutError:
            fail(f"no answer within {arguments.wait:g} s")
        reply = orjson.loads(line)
        if reply["request_id"] not in (request_id, "0"):
            continue
        sys.stdout.write(line.decode() + "\n")
        sys.stdout.flush()
        if is_last(reply):
            return 1 if reply["error"]["code"] else 0


def _request_id(text: str) -> str:
    """The id that the reply will echo; "0" when there is none to read."""
    try:
        return str(orjson.loads(text)["request_id"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return "0"
