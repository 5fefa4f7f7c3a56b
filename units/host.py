"""The frame around a unit: the channel to the daemon, a reader thread and a loop.

The reader thread answers pings by itself (so a computing unit is not taken for a dead one), puts every other message
into a queue, and alerts the unit, which may cut its present step short. The loop handles all waiting messages, then
lets the unit do one step. When the daemon is gone the channel ends, and so does the program.
"""

import os
import queue
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from unitd.wire.envelope import CANNOT_LOAD, Envelope, EnvelopeReader, encode_envelope
from units.base import LATER, RUN_FAILED, SETUP_REFUSED, LoadError, Unit, UnitFault

NO_MEMORY = "this needs more memory than its program may take ([limits] memory)"


def guard_stdout() -> None:
    """Send what a library prints to stderr, where the daemon keeps it for error messages."""
    os.dup2(2, 1)


class Host:
    """The connection of one unit to the daemon."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._sending = threading.Lock()
        self._inbox: queue.SimpleQueue[Envelope] = queue.SimpleQueue()
        self._step_began: float | None = None
        self._stepping: int | None = None
        """The thread that is in a step: its messages are held until they are worth waking the daemon for."""

        self._held: list[bytes] = []
        self._is_ready = False

    def say(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Send one message, from any thread. The messages of a step go out together, at `flush` or at its end."""
        data = encode_envelope(Envelope(type_, fields, payload))
        with self._sending:
            if self._stepping == threading.get_ident():
                self._held.append(data)
            else:
                self._channel.sendall(data)

    def flush(self) -> None:
        """Send at once what the present step has said so far."""
        with self._sending:
            held, self._held = self._held, []
            if held:
                self._channel.sendall(b"".join(held))

    def log(self, level: str, text: str) -> None:
        """Write one line to the daemon's log."""
        self.say("log", level=level, text=text)

    def answer(self, envelope: Envelope, **fields: Any) -> None:
        """Answer a message, if it wants an answer."""
        if "seq" in envelope.fields:
            self.say("result", seq=envelope.fields["seq"], **fields)

    def post(self, envelope: Envelope) -> None:
        """Put a message of the program to itself after the waiting ones, from any thread."""
        self._inbox.put(envelope)

    def run(self, unit: Unit) -> None:
        """Load the model, send `ready`, and serve until shutdown."""
        threading.Thread(target=self._read, args=(unit,), name="reader", daemon=True).start()
        try:
            info = unit.load(self._inbox.get().fields)
        except LoadError as error:
            sys.stderr.write(f"{error}\n")
            raise SystemExit(CANNOT_LOAD) from None
        self._is_ready = True
        self.say("ready", **info)
        while self._handle_waiting(unit):
            if unit.is_busy:
                self._step(unit)
        unit.close()

    def _step(self, unit: Unit) -> None:
        self._step_began, self._stepping = time.monotonic(), threading.get_ident()
        try:
            unit.step()
        finally:
            self._step_began = self._stepping = None
            self.flush()

    def _handle_waiting(self, unit: Unit) -> bool:
        """Handle all waiting messages; wait for a first one while the unit is idle. Return False at shutdown."""
        unit.calm()
        while True:
            try:
                envelope = self._inbox.get(block=not unit.is_busy)
            except queue.Empty:
                return True
            if envelope.type == "shutdown":
                return False
            self._step_began = time.monotonic()  # a message, too, may keep the program busy for ever
            self._handle(unit, envelope)
            self._step_began = None

    def _handle(self, unit: Unit, envelope: Envelope) -> None:
        handler = unit.handlers.get(envelope.type)
        if handler is None:
            self.answer(envelope, code=-18, message=f"this unit has no {envelope.type}")
            return
        self.carry_out(envelope, lambda: handler(envelope))

    def carry_out(self, envelope: Envelope, work: Callable[[], Mapping[str, Any] | None]) -> None:
        """Do the work that a message asks for (at once, or put off by its handler), and answer the message."""
        try:
            result = work()
        except UnitFault as fault:
            self._fail(envelope, fault.code, str(fault))
        except MemoryError:
            self._fail(envelope, SETUP_REFUSED if envelope.type == "setup" else RUN_FAILED, NO_MEMORY)
        except Exception as bug:
            traceback.print_exc()
            self._fail(envelope, -1, repr(bug))
        else:
            if result is not LATER:
                self.answer(envelope, **(result or {}))

    def _fail(self, envelope: Envelope, code: int, message: str) -> None:
        """Send an error as the answer. `infer` has no answer of its own: the end of its inference carries the error."""
        if envelope.type == "infer":
            whose = {key: envelope.fields[key] for key in ("task", "inference")}
            self.say("finish", reason="error", code=code, message=message, **whose)
        else:
            self.answer(envelope, code=code, message=message)

    def _read(self, unit: Unit) -> None:
        """Read messages; end the program with the channel, as the main thread may be deep in native code."""
        try:
            self._read_messages(unit)
        except OSError:
            pass  # the daemon was killed with unread data in its end of the socket
        except Exception:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(0)

    def _read_messages(self, unit: Unit) -> None:
        reader = EnvelopeReader()
        while data := self._channel.recv(65536):
            for envelope in reader.feed(data):
                if envelope.type == "ping":
                    self.say("pong", stalled_seconds=self._stalled_seconds())
                elif envelope.type == "shutdown" and not self._is_ready:
                    os._exit(0)  # the main thread is loading and would not look before it is done
                else:
                    self._inbox.put(envelope)
                    unit.alert(envelope)

    def _stalled_seconds(self) -> float:
        began = self._step_began
        return 0.0 if began is None else time.monotonic() - began
