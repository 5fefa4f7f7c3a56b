"""`unitd say`: speaks a text through the board's loudspeaker, or into a WAV file."""

import argparse
import base64
import sys
from pathlib import Path

from unitd.cli.connection import DaemonConnection, fail


def run(arguments: argparse.Namespace) -> int:
    """Return 0 after the text was played or the file written; 1 if playback was cut."""
    text = sys.stdin.read() if arguments.text == "-" else arguments.text
    if not text.strip():
        fail("there is nothing to say")
    connection = DaemonConnection(arguments)
    setup = {
        "model": arguments.model,
        "response_format": "tts.base64.wav" if arguments.output else "sys.pcm",
        "input": "tts.utf-8",
        "enoutput": True,
        "speed": arguments.speed,
    }
    if arguments.speaker:
        setup["speaker"] = arguments.speaker
    work_id = connection.set_up("tts", setup)
    connection.send(
        {"request_id": "say", "work_id": work_id, "action": "inference", "object": "tts.utf-8", "data": text}
    )
    try:
        return _save(connection, arguments.output) if arguments.output else _wait_until_heard(connection)
    finally:
        connection.close()


def _save(connection: DaemonConnection, file: Path) -> int:
    reply = next(connection.replies_to("say"))
    try:
        file.write_bytes(base64.b64decode(reply["data"]))
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    return 0


def _wait_until_heard(connection: DaemonConnection) -> int:
    """Wait for the frame that says that the sound was played; return 0 if it was played to its end, else 1."""
    played = next(reply for reply in connection.replies_to("say") if reply["object"] == "tts.played")
    return 0 if played["data"] else 1
