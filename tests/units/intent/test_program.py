"""Covers units.intent.unit, units.engines: the program as the daemon meets it."""

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest

from tests.support.units.intent_home import device, home
from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope

MOST_MEMORY = 72_000_000
MOST_SECONDS = 0.06


class Program:
    """A program that has loaded, and our end of its channel."""

    def __init__(self, channel: socket.socket, process: "subprocess.Popen[bytes]") -> None:
        self._channel = channel
        self._reader = EnvelopeReader()
        self._messages: list[Envelope] = []
        self.process = process

    def ask(self, type_: str, **fields: Any) -> dict[str, Any]:
        """Send a message and return its answer."""
        self._channel.sendall(encode_envelope(Envelope(type_, {"seq": 1, "task": "intent.1", **fields})))
        return self.wait_for("result")

    def wait_for(self, type_: str) -> dict[str, Any]:
        """Return the next message of a type; those before it are dropped."""
        while True:
            while self._messages:
                if (message := self._messages.pop(0)).type == type_:
                    return message.fields
            self._messages += self._reader.feed(self._channel.recv(65536))


@contextmanager
def started() -> Iterator[Program]:
    """Start the program; it ends when its channel does."""
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "units", "intent", str(theirs.fileno())]
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
    try:
        with ours:
            ours.sendall(encode_envelope(Envelope("load", {"path": None})))
            program = Program(ours, process)
            program.wait_for("ready")
            yield program
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()


def test_the_program_serves_a_task_from_setup_to_exit() -> None:
    """A refusal names the languages, and leaves the program at work."""
    with started() as program:
        refusal = program.ask("setup", data={"home": home(), "language": "xx"})
        assert program.ask("setup", data={"home": home()}) == {"seq": 1}
        reply = program.ask("recognize", text="turn on the desk lamp")
        outcome = {"is_done": True, "text": "The desk lamp is on.", "state": None}
        answer = program.ask("outcomes", turn=reply["turn"], outcomes=[outcome])
        program.ask("exit")
        gone = program.ask("recognize", text="turn on the desk lamp")

    assert "languages that work" in refusal["message"]
    assert reply["calls"] == [
        {"id": reply["calls"][0]["id"], "name": "turn_on", "arguments": {"entity": "desk lamp"}},
    ]
    assert answer == {"seq": 1, "answer": "Turned on the light", "intent": "HassTurnOn", "language": "en"}
    assert "there is no task" in gone["message"]


@pytest.mark.alone
def test_five_hundred_devices_are_quick_and_small() -> None:
    """In two languages, from the first sentence on."""
    kinds = ("light", "switch", "fan", "cover", "climate", "media", "lock", "sensor")
    devices = [device(f"{kinds[at % 8]} {at}", kinds[at % 8], f"room {at % 50}") for at in range(500)]
    texts = [
        "turn on light {0}",
        "turn off the lights in room {1}",
        "which lights are on in room {1}",
        "are all doors locked",
    ]
    texts += ["schalte light {0} ein", "wie warm ist es in room {1}", "tell me a story about room {1}"]
    seconds = []

    with started() as program:
        program.ask("setup", data={"home": home(devices, languages=["en", "de"])})
        for at in range(5):
            for text in texts:
                began = time.perf_counter()
                program.ask("recognize", text=text.format(8 * at, at))
                seconds.append(time.perf_counter() - began)
        memory = psutil.Process(program.process.pid).memory_info().rss

    assert seconds[0] < 0.3
    assert statistics.median(seconds) < MOST_SECONDS
    assert memory < MOST_MEMORY
