"""Covers units.vad and units.asr as the daemon meets them: as programs of their own."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.units.spoken import RATE, cut_up, joined, silence, speak
from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope

PROGRAM = """
import socket, sys
from {module} import {name}
from units.host import Host, guard_stdout

guard_stdout()
host = Host(socket.socket(fileno=int(sys.argv[1])))
host.run({name}(host))
"""
LOAD = Envelope("load", {"engine": "auto", "path": None, "engine_options": {}})


class Child:
    """One program and our end of its channel."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._reader = EnvelopeReader()
        self._messages: list[Envelope] = []

    def tell(self, *messages: Envelope) -> None:
        """Sends."""
        for message in messages:
            self._channel.sendall(encode_envelope(message))

    def wait_for(self, type_: str) -> dict[str, Any]:
        """The next message of that type; those before it are dropped."""
        while True:
            while self._messages:
                if (message := self._messages.pop(0)).type == type_:
                    return message.fields
            self._messages += self._reader.feed(self._channel.recv(65536))


@contextmanager
def started(module: str, name: str) -> Iterator[Child]:
    """A child that has loaded; it ends when its channel does."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", PROGRAM.format(module=module, name=name), str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
    theirs.close()
    try:
        with ours:
            child = Child(ours)
            child.tell(LOAD)
            child.wait_for("ready")
            yield child
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("module", "name", "data"),
    [
        ("units.vad.unit", "VadUnit", [True, False]),
        ("units.asr.unit", "AsrUnit", ["turn on the light."]),
    ],
)
def test_a_child_hears(module: str, name: str, data: list[Any]) -> None:
    """Set up, spoken to in periods of 20 ms, it says what it heard; an upload at the same time is answered."""
    grammar = "#JSGF V1.0; grammar g; public <g> = turn on the light;"
    # Under 2 s, so that it may come all at once without being shed.
    speech = joined(speak("turn on the light"), silence(0.7))[-2 * RATE + RATE // 10 :]
    periods = [
        Envelope("pcm", {"tasks": ["it.1"], "at": number / 50}, period.tobytes())
        for number, period in enumerate(cut_up(speech, RATE // 50))
    ]

    with started(module, name) as child:
        options = {"input": ["sys.pcm"], "grammar": grammar, "rule2": 0.3}
        child.tell(Envelope("setup", {"seq": 1, "task": "it.1", "data": options}))
        assert child.wait_for("result") == {"seq": 1}
        child.tell(*periods)
        heard = [child.wait_for("event")["data"] for _ in data]
        child.tell(Envelope("hear", {"seq": 2, "task": "it.1", "form": "pcm", "is_whole": True}, bytes(RATE)))
        answer = child.wait_for("result")

    assert (heard, answer) == (data, {"seq": 2})
