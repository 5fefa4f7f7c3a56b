"""`unitd chat`: a conversation, or one question. Ctrl-C interrupts an answer; at the prompt it ends the command."""

import argparse
import base64
import itertools
import signal
import sys
from types import FrameType
from typing import Any

from unitd.cli.connection import DaemonConnection, read_file
from unitd.cli.screens import say
from unitd.core.visible import SHOWN_IN_TEXT

INTERRUPTED = 130  # the status by which a shell recognises a program that Ctrl-C ended


class Chat:
    """A conversation with one llm task."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._pictures = [base64.b64encode(read_file(file)).decode() for file in arguments.image]
        self._connection = DaemonConnection(arguments)
        self._numbers = itertools.count(1)
        setup = {
            "model": arguments.model,
            "response_format": "llm.utf-8.stream",
            "input": "llm.utf-8",
            "enoutput": True,
            "prompt": arguments.system,
            "max_token_len": arguments.max_tokens,
            "history": True,
            "usage": True,
            "on_pause": "stop",
            "tools": "home" if arguments.home else "auto",
        }
        self.work_id = self._connection.set_up("llm", setup)
        self.was_interrupted = False

    def ask(self, question: str) -> bool:
        """Print the answer as it comes; pictures go with the first question.

        Return False if the answer failed, after a line on stderr.
        """
        request_id = f"question-{next(self._numbers)}"
        self.was_interrupted = False
        pictures, self._pictures = self._pictures, []
        self._connection.send(
            {
                "request_id": request_id,
                "work_id": self.work_id,
                "action": "inference",
                "object": "llm.utf-8",
                "data": question,
                "options": {"images": [{"image": each} for each in pictures]} if pictures else {},
            }
        )
        previous = signal.signal(signal.SIGINT, self._interrupt)
        try:
            return self._print_answer(request_id)
        finally:
            signal.signal(signal.SIGINT, previous)

    def close(self) -> None:
        """End the task."""
        self._connection.close()

    def _print_answer(self, request_id: str) -> bool:
        for reply in self._connection.replies():
            if reply["request_id"] != request_id:
                continue
            if reply["error"]["code"]:
                sys.stdout.write("\n")
                sys.stderr.write(f"unitd: {reply['error']['message'].translate(SHOWN_IN_TEXT)}\n")
                return False
            if reply["object"] == "llm.tool_call":
                say(f"[{call_text(reply['data'])}]\n")
                continue
            say(reply["data"]["delta"])
            sys.stdout.flush()
            if reply["data"]["finish"]:
                break
        sys.stdout.write("\n")
        if reply["data"]["finish_reason"] == "interrupted" and not self.was_interrupted:
            sys.stderr.write("unitd: the daemon ended the answer\n")
            return False
        return True

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Ask the daemon to stop this answer; its last frame then ends `_print_answer`."""
        self.was_interrupted = True
        self._connection.send({"request_id": "interrupt", "work_id": self.work_id, "action": "pause"})


def call_text(call: dict[str, Any]) -> str:
    """Return a tool call as people read it, the device first: set_brightness kitchen light 40."""
    arguments = sorted(call["arguments"].items(), key=lambda each: each[0] != "entity")
    return " ".join([call["name"], *(str(value) for _, value in arguments)])


def run(arguments: argparse.Namespace) -> int:
    """Ask the question, or hold a conversation, and return the exit code."""
    try:
        chat = Chat(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        if arguments.text is None:
            _converse(chat)
            return 0
        is_answered = chat.ask(arguments.text)
        return INTERRUPTED if chat.was_interrupted else 0 if is_answered else 1
    finally:
        chat.close()


def _converse(chat: Chat) -> None:
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        import readline

        readline.set_auto_history(True)
        sys.stdout.write(f"Talking to {chat.work_id}. Ctrl-C interrupts an answer, Ctrl-D leaves.\n")
    while (question := _read_question(is_terminal)) is not None:
        if question.strip():
            chat.ask(question)


def _read_question(is_terminal: bool) -> str | None:
    """Return the next line; None at the end of input or at Ctrl-C."""
    try:
        return input("> " if is_terminal else "")
    except (EOFError, KeyboardInterrupt):
        if is_terminal:
            sys.stdout.write("\n")
        return None
