"""`unitd listen`: shows the speech of the microphone as text while it is spoken, or the text of a recording."""

import argparse
import struct
import sys
from typing import Any

import orjson

from unitd.cli.connection import DaemonConnection, fail, read_file, read_text, say_what_is_missing
from unitd.cli.screens import say

CLEAR_LINE = "\r\x1b[K"
EMPTY_WAV = (
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0" + struct.pack("<IIHH", 16000, 32000, 2, 16) + b"data\0\0\0\0"
)


def run(arguments: argparse.Namespace) -> int:
    """Print one line for each utterance and return 0; the microphone is used until Ctrl-C."""
    audio = read_file(arguments.file) if arguments.file else b""
    connection = DaemonConnection(arguments)
    setup: dict[str, Any] = {
        "model": arguments.model,
        "response_format": "asr.utf-8.stream",
        "input": "asr.base64" if arguments.file else "sys.pcm",
        "enoutput": True,
    }
    if arguments.grammar:
        setup["grammar"] = read_text(arguments.grammar)
    work_id = connection.set_up("asr", setup)
    screen = Screen()
    try:
        if arguments.file:
            _upload(connection, work_id, audio)
        else:
            say_what_is_missing(connection, "capture")
        _show(connection, work_id, screen)
    except KeyboardInterrupt:
        screen.end()
    finally:
        connection.close()
    return 0


def _show(connection: DaemonConnection, work_id: str, screen: "Screen") -> None:
    """Print recognised text; return after all text of a recording."""
    has_answer = has_ended = False
    for reply in connection.replies():
        if reply["error"]["code"]:
            fail(reply["error"]["message"])
        if reply["work_id"] != work_id:
            continue
        if reply["request_id"] == "end":
            has_ended = True
        else:
            has_answer = has_answer or reply["data"]["finish"]
            screen.show(reply["data"])
        if has_answer and has_ended:
            return


class Screen:
    """Prints on a terminal one line that grows during speech; elsewhere only complete lines."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()

    def show(self, data: dict[str, Any]) -> None:
        """Print a frame of the asr task, which holds the whole text so far."""
        if data["finish"]:
            if data["delta"] or not self._is_terminal:
                sys.stdout.write(CLEAR_LINE if self._is_terminal else "")
                say(data["delta"] + "\n")
        elif self._is_terminal:
            sys.stdout.write(CLEAR_LINE)
            say(data["delta"])
        sys.stdout.flush()

    def end(self) -> None:
        """End the line on a terminal, so that the shell's prompt begins a new one."""
        if self._is_terminal:
            sys.stdout.write("\n")


def _upload(connection: DaemonConnection, work_id: str, audio: bytes) -> None:
    """Send the recording and then an empty one, whose answer comes after all text of the recording."""
    for request_id, file in (("recording", audio), ("end", EMPTY_WAV)):
        request = {"request_id": request_id, "work_id": work_id, "action": "inference", "object": "asr.wav"}
        connection.send(orjson.dumps({"RAW": len(file)} | request) + file)
