"""A unit program that misbehaves when told to: `python tests/support/programs/bad_unit.py MODE[=PATH] FD`.

A prompt is echoed word by word, but a word of FAULTS is carried out ("hello abort" says hello and dies). The same
holds for what an asr is sent, and for "fault" of a setup if the file that its "where" names exists. MODE is a fault of
the whole program, see `BadUnit.load`; PATH is a file that a test creates to end the fault.
"""

import itertools
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from unitd.wire.envelope import Envelope
from units import confined
from units.base import SETUP_REFUSED, Handler, LoadError, Unit, UnitFault
from units.host import Host, guard_stdout

LAST_WORDS = "out of memory in layer 7"
LOAD_REASON = "the weights are damaged at byte 4711"
TICK_SECONDS = 0.01
PROGRESS_SECONDS = 0.2
PROGRESS_STEPS = 8
SLOW_EXIT_SECONDS = 0.5
GOBBLED_BYTES = 64 * 1024 * 1024


def bad_unit(mode: str = "good", gate: Path | None = None, **modes: str) -> Callable[[str], Sequence[str]]:
    """Return an `argv_for` of the daemon: every unit runs this program in `mode`, or in the one that `modes` names."""

    def argv_for(unit: str) -> Sequence[str]:
        return (sys.executable, __file__, f"{modes.get(unit, mode)}={gate or ''}")

    return argv_for


@dataclass(eq=False)
class Answer:
    """The rest of an inference's text; an inference that lingers sends no text and does not end."""

    task: str
    number: int
    words: Iterator[str]
    client: str = ""
    is_held: bool = False
    lingers: bool = False


class BadUnit(Unit):
    """Echoes prompts, and misbehaves when told to."""

    def __init__(self, host: Host, mode: str, gate: Path) -> None:
        self.host = host
        self.mode = mode
        self.gate = gate
        self.answers: dict[str, Answer] = {}
        self.hoard: list[bytes] = []
        self.forked: confined.Confined | None = None
        self.memories: dict[str, Any] = {}
        self.inputs: dict[str, Any] = {}
        self.owners: dict[str, str] = {}
        self.handlers: Mapping[str, Handler] = {
            "setup": self._setup,
            "infer": self._infer,
            "hear": self._hear,
            "pause": partial(self._hold, is_held=True),
            "work": partial(self._hold, is_held=False),
            "cancel": self._cancel,
            "trigger": self._trigger,
            "wake": lambda envelope: None,
            "exit": self._exit,
        }

    def load(self, load: dict[str, Any]) -> dict[str, Any]:
        """Get ready, late, or never, as the mode says."""
        if self.mode == "cannot-load" and not self.gate.exists():
            raise LoadError(LOAD_REASON)
        if self.mode == "dies-loading" and not self.gate.exists():
            _die(os.abort)
        while self.mode == "never-ready":
            signal.pause()
        for step in range(PROGRESS_STEPS if self.mode == "slow" else 0):
            self._show_progress(step)
        for step in itertools.takewhile(lambda _: self.mode == "gated" and not self.gate.exists(), itertools.count()):
            self._show_progress(step)
        return {"about": "a bad unit"}

    def _show_progress(self, step: int) -> None:
        self.host.say("progress", at=f"step {step}")
        time.sleep(PROGRESS_SECONDS)

    @property
    def is_busy(self) -> bool:
        """Return True while an answer has words left and is not held."""
        return any(not answer.is_held and not answer.lingers for answer in self.answers.values())

    def step(self) -> None:
        """Say one word of every answer."""
        for answer in [each for each in self.answers.values() if not each.is_held and not each.lingers]:
            word = next(answer.words, None)
            if word is None:
                self.finish(answer, "stop")
            elif fault := FAULTS.get(word.strip()):
                fault(self, answer)
            else:
                self.say(answer, word)

    def say(self, answer: Answer, text: str) -> None:
        """Send a delta."""
        self.host.say("delta", task=answer.task, inference=answer.number, text=text)

    def finish(self, answer: Answer, reason: str) -> None:
        """Send the end of an answer."""
        self.answers.pop(answer.task, None)
        memory = self.memories.get(answer.task)
        self.host.say("finish", task=answer.task, inference=answer.number, reason=reason, memory=memory)

    def _setup(self, envelope: Envelope) -> None:
        data = envelope.fields["data"]
        if words := data.get("refuse"):
            raise UnitFault(SETUP_REFUSED, words)
        if "fault" in data and Path(data.get("where", "/")).exists():
            FAULTS[data["fault"]](self, Answer(envelope.fields["task"], 0, iter(())))
        self.memories[envelope.fields["task"]] = envelope.fields.get("memory")
        self.inputs[envelope.fields["task"]] = envelope.fields["data"].get("input")
        is_public = envelope.fields["has_public_prompt"]
        self.owners[envelope.fields["task"]] = f"{envelope.fields['owner']} {'public' if is_public else 'private'}"

    def _infer(self, envelope: Envelope) -> None:
        task, text = envelope.fields["task"], envelope.payload.decode()
        words = iter(re.findall(r"\S+\s*", text))
        self.answers[task] = Answer(task, envelope.fields["inference"], words, envelope.fields["client"])
        if "recall" not in text:
            self.memories[task] = text

    def _hear(self, envelope: Envelope) -> None:
        """As an asr: take the sent bytes for what was spoken."""
        task, text = envelope.fields["task"], envelope.payload.decode()
        if fault := FAULTS.get(text):
            fault(self, Answer(task, 0, iter(())))
        self.host.say("event", task=task, text=text, data={"delta": text, "finish": True, "index": 0})

    def _hold(self, envelope: Envelope, *, is_held: bool) -> None:
        if answer := self.answers.get(envelope.fields["task"]):
            answer.is_held = is_held

    def _cancel(self, envelope: Envelope) -> None:
        answer = self.answers.get(envelope.fields["task"])
        if answer and self.mode != "stubborn":
            self.finish(answer, "interrupted")

    def _trigger(self, envelope: Envelope) -> None:
        self.host.say("event", task=envelope.fields["task"], data=True, is_wake=True)

    def _exit(self, envelope: Envelope) -> None:
        if self.mode == "slow-exit":
            time.sleep(SLOW_EXIT_SECONDS)
        self._cancel(envelope)


def _die(how: Callable[[], Any]) -> NoReturn:
    sys.stderr.write(f"loading layer 7\n{LAST_WORDS}\n")
    sys.stderr.flush()
    how()
    raise AssertionError("it lives on")


def _linger(unit: BadUnit, answer: Answer) -> None:
    answer.lingers = True


def _call(unit: BadUnit, answer: Answer) -> None:
    """Call a tool of the board."""
    unit.host.say("tool_call", task=answer.task, inference=answer.number, id="call_1", name="turn_on", arguments={})


def _tick(unit: BadUnit, answer: Answer) -> None:
    """Say tick until the answer is cut."""
    time.sleep(TICK_SECONDS)
    unit.say(answer, "tick ")
    answer.words = itertools.repeat("tick")


def _print(unit: BadUnit, answer: Answer) -> None:
    sys.stdout.write('{"type": "finish"}\n' * 100)
    sys.stdout.flush()


def _flood(unit: BadUnit, answer: Answer) -> None:
    for _ in range(1000):
        sys.stderr.write("nothing to see here\n" * 200)
    sys.stderr.flush()


def _hoarded(size: int) -> bytes:
    """Return bytes whose memory is really taken, which that of zeros is not."""
    return b"x" * size


def _devour() -> None:
    """Allocate more than a gibibyte at once and keep nothing of it."""
    hoard = [_hoarded(GOBBLED_BYTES) for _ in range(20)]
    hoard.clear()


def _fork(unit: BadUnit, answer: Answer) -> None:
    """Allocate memory in a forked process."""
    unit.forked = confined.start(_gobble)
    unit.forked.connection.recv()


def _gobble(connection: "Connection[object, object]") -> None:
    hoard = _hoarded(2 * GOBBLED_BYTES)
    connection.send(len(hoard))
    connection.recv()


FAULTS: dict[str, Callable[[BadUnit, Answer], None]] = {
    "abort": lambda unit, answer: _die(os.abort),
    "exit": lambda unit, answer: _die(partial(os._exit, 3)),
    "call": _call,
    "linger": _linger,
    "tick": _tick,
    "hang": lambda unit, answer: time.sleep(3600),
    "garbage": lambda unit, answer: unit.host.say("delta", task=answer.task, inference=answer.number),
    "noise": lambda unit, answer: _send_noise(),
    "print": _print,
    "flood": _flood,
    "pid": lambda unit, answer: unit.say(answer, str(os.getpid())),
    "recall": lambda unit, answer: unit.say(answer, str(unit.memories[answer.task])),
    "inputs": lambda unit, answer: unit.say(answer, " ".join(unit.inputs[answer.task])),
    "whose": lambda unit, answer: unit.say(answer, f"{answer.client} {unit.owners[answer.task]}"),
    "fork": _fork,
    "devour": lambda unit, answer: _devour(),
    "gobble": lambda unit, answer: unit.hoard.append(_hoarded(GOBBLED_BYTES)),
}


def _send_noise() -> None:
    os.write(int(sys.argv[2]), b"this is no message\n")


def main() -> None:
    """Run in the mode of the command line."""
    mode, _, gate = sys.argv[1].partition("=")
    guard_stdout()
    host = Host(socket.socket(fileno=int(sys.argv[2])))
    host.run(BadUnit(host, mode, Path(gate or "/nowhere")))
    while mode == "immortal":
        signal.pause()


if __name__ == "__main__":
    main()
