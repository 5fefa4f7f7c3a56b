"""One unit program from start to end: the socket pair, its messages, its last words.

The child gets one end of a socket pair, writes READY when it can work, and may take as long as it shows progress.
What it prints (stdout and stderr alike) is kept to the last 8 KiB and appears in the error when it dies. It is pinged;
a child that does not answer, or whose work does not move, is killed. A `Listener` is told everything.
"""

import asyncio
import logging
import math
import os
import re
import resource
import signal
import socket
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

from unitd.runtime.children.malloc import HEAP_VARIABLES
from unitd.wire.envelope import CANNOT_LOAD, Envelope, EnvelopeReader, encode_envelope
from unitd.wire.errors import reason_of

log = logging.getLogger("unitd.process")

# Importing an engine's libraries from a cold SD card takes most of this; each sign of progress starts it anew.
READY_TIMEOUT_SECONDS = 60.0
PING_INTERVAL_SECONDS = 5.0
# Three missed pings: the reader thread of a live child answers even while its engine computes.
PONG_TIMEOUT_SECONDS = 15.0
# The longest single step known is a prefill chunk of a 1.5B model on a Raspberry Pi 4, about 15 s.
STALL_TIMEOUT_SECONDS = 60.0
STOP_TIMEOUT_SECONDS = 3.0
# What a dying child still prints (the message of an abort, say) comes within this time.
LAST_WORDS_SECONDS = 0.3
LAST_WORDS_BYTES = 8 * 1024
# A program may be a third party's: it must not see the secrets in the daemon's environment.
_SECRET = re.compile("KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)


# Threads of llama.cpp (OpenMP) wait for each other by spinning. By default they spin for milliseconds, also while the
# one they wait for has no core because they spin on it: a busy board computes a token in a second (docs/benchmarks.md).
# numpy's own threads (OpenBLAS) would take cores from the engines for nothing: all its matrices here are small.
_THREAD_VARIABLES = {"GOMP_SPINCOUNT": "1000", "OPENBLAS_NUM_THREADS": "1"}


def environment() -> dict[str, str]:
    """Return the environment of a child program: the daemon's without its secrets."""
    own = {key: value for key, value in os.environ.items() if not _SECRET.search(key)}
    return HEAP_VARIABLES | _THREAD_VARIABLES | own


class Listener(Protocol):
    """Is told what a process does."""

    def on_message(self, envelope: Envelope) -> None:
        """Take a message other than ready, progress, pong and log."""

    def on_ready(self, info: dict[str, Any]) -> None:
        """Note that the program can work."""

    def on_exit(self, reason: str, *, was_ready: bool, hung_since: float = math.inf) -> None:
        """Note that the program ended by itself or was killed for a reason; not called when `run` is cancelled.

        `hung_since` is the moment of the loop's clock after which a program that hung took no message any more.
        """


class _Channel(asyncio.Protocol):
    """The daemon's end of the socket pair."""

    def __init__(self, on_envelope: Callable[[Envelope], None], on_garbage: Callable[[str], None]) -> None:
        self._reader = EnvelopeReader()
        self._on_envelope = on_envelope
        self._on_garbage = on_garbage
        self.is_closed = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_closed.set()

    def data_received(self, data: bytes) -> None:
        envelopes = self._reader.feed(data)
        while True:
            try:
                envelope = next(envelopes)
            except StopIteration:
                return
            except ValueError as error:
                self._on_garbage(f"it sent what is no message: {error}")
                return
            try:
                self._on_envelope(envelope)
            except Exception as error:
                # A message without one of its fields, or a bug of ours: the traceback tells. The child is replaced in
                # both cases, since what it says can no longer be followed.
                log.exception("a message of type %s cannot be used", envelope.type)
                self._on_garbage(f"it sent what is no message: {error!r}")
                return


class Process:
    """A running unit program."""

    def __init__(self, name: str, listener: Listener, data_limit: int | None = None) -> None:
        """`data_limit` is the bytes of private memory that the program may have from its start on; None is no limit."""
        self.name = name
        self._data_limit = data_limit or 0
        self._listener = listener
        self._process: asyncio.subprocess.Process | None = None
        self._channel = _Channel(self._on_envelope, self._kill)
        self._transport: asyncio.Transport | None = None
        self._last_words: deque[bytes] = deque()
        self._is_ready = False
        self._progress = "start"
        self._last_sign = 0.0
        self._death_reason: str | None = None
        self._hung_since = math.inf

    @property
    def pid(self) -> int | None:
        """The child's process id while there is a child."""
        return self._process.pid if self._process else None

    @property
    def unread_bytes(self) -> int:
        """How many bytes the child has not taken from its channel, beyond what the kernel keeps for it."""
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def allow_data(self, size: int) -> None:
        """Raise the limit of its private memory; never lower it, since what is allocated stays so."""
        if size > self._data_limit:
            self._data_limit = size
            self._limit_data()

    def _limit_data(self) -> None:
        """Set the soft limit, or the system's own one if that is smaller."""
        if not self._data_limit or self.pid is None or not hasattr(resource, "prlimit"):
            return
        try:
            _, hard = resource.prlimit(self.pid, resource.RLIMIT_DATA)
            size = self._data_limit if hard == resource.RLIM_INFINITY else min(self._data_limit, hard)
            resource.prlimit(self.pid, resource.RLIMIT_DATA, (size, hard))
        except ProcessLookupError:
            pass  # its end is on its way to the listener
        except (OSError, ValueError) as error:
            log.warning("%s: its memory cannot be limited: %s", self.name, error)

    def send(self, type_: str, payload: bytes = b"", **fields: Any) -> None:
        """Queue one message; what is sent to a dead child is lost, and `on_exit` reports the death."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(encode_envelope(Envelope(type_, fields, payload)))

    async def run(self, argv: Sequence[str], load: dict[str, Any]) -> None:
        """Start the program, tell it what to load, and return when it has ended; cancelling stops it."""
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:  # no descriptors are left
            self._listener.on_exit(f"it could not be started: {reason_of(error)}", was_ready=False)
            return
        with ours, theirs:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *argv,
                    str(theirs.fileno()),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    pass_fds=(theirs.fileno(),),
                    env=environment(),
                    start_new_session=True,  # Ctrl-C in the terminal is the daemon's, which stops its children in order
                )
            except OSError as error:
                self._listener.on_exit(f"it could not be started: {reason_of(error)}", was_ready=False)
                return
            theirs.close()
            self._limit_data()
            try:
                status = await self._stay(socket.socket(fileno=ours.detach()), load)
            except asyncio.CancelledError:
                await self._stop()
                raise
            finally:
                if self._transport is not None:
                    self._transport.close()
        self._listener.on_exit(self._describe_end(status), was_ready=self._is_ready, hung_since=self._hung_since)

    async def _stay(self, channel: socket.socket, load: dict[str, Any]) -> int:
        """Talk to the child until it or its channel has ended. Return its exit status."""
        assert self._process is not None
        loop = asyncio.get_running_loop()
        channel.setblocking(False)
        self._last_sign = loop.time()
        self._transport, _ = await loop.create_unix_connection(lambda: self._channel, sock=channel)
        self.send("load", **load)
        async with asyncio.TaskGroup() as group:
            watch = group.create_task(self._watch(), name=f"watch {self.name}")
            output = group.create_task(self._read_output(), name=f"output of {self.name}")
            # A child without its channel is of no use, and a grandchild that holds its output open must not hide its
            # death: whatever is left of its session ends here.
            await self._channel.is_closed.wait()
            watch.cancel()
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WORDS_SECONDS):
                    await asyncio.shield(output)
            self._kill_session()
            await output
        return await self._process.wait()

    async def _read_output(self) -> None:
        """Keep the last words; the pipe is always read, so that a flood cannot stall the child."""
        assert self._process is not None and self._process.stdout is not None
        kept = 0
        while chunk := await self._process.stdout.read(4096):
            log.debug("= %s prints: %s", self.name, chunk.decode(errors="replace").rstrip())
            self._last_words.append(chunk)
            kept += len(chunk)
            while kept > LAST_WORDS_BYTES and len(self._last_words) > 1:
                kept -= len(self._last_words.popleft())

    async def _watch(self) -> None:
        """Kill a child that does not get ready, does not answer, or does not move.

        The time in which the daemon itself stood still does not count: the answers to its pings are not read yet.
        """
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + PING_INTERVAL_SECONDS
            await asyncio.sleep(PING_INTERVAL_SECONDS)
            self._last_sign += max(0.0, loop.time() - due)
            silence = loop.time() - self._last_sign
            if not self._is_ready and silence > READY_TIMEOUT_SECONDS:
                self._kill(f"no progress in loading for {READY_TIMEOUT_SECONDS:.0f} s (at {self._progress})")
            elif self._is_ready and silence > PONG_TIMEOUT_SECONDS:
                # The ping after its last sign was the first that it did not take.
                self._hung_since = self._last_sign + PING_INTERVAL_SECONDS
                self._kill(f"it did not answer for {PONG_TIMEOUT_SECONDS:.0f} s")
            else:
                self.send("ping")

    def _on_envelope(self, envelope: Envelope) -> None:
        if envelope.type == "pong":
            self._on_pong(float(envelope.fields.get("stalled_seconds", 0.0)))
        elif envelope.type == "progress":
            self._note_sign(str(envelope.fields.get("at")))
        elif envelope.type == "ready":
            self._note_sign("ready")
            self._is_ready = True
            self._listener.on_ready(envelope.fields)
        elif envelope.type == "log":
            level = logging.getLevelNamesMapping().get(str(envelope.fields.get("level")).upper(), logging.INFO)
            log.log(level, "%s: %s", self.name, envelope.fields.get("text"))
        else:
            self._listener.on_message(envelope)

    def _on_pong(self, stalled_seconds: float) -> None:
        """Count the answer as a sign once the child is ready; before that only progress counts."""
        if self._is_ready:
            self._note_sign("ready")
        if stalled_seconds > STALL_TIMEOUT_SECONDS:
            self._hung_since = asyncio.get_running_loop().time() - stalled_seconds
            self._kill(f"its work did not move for {stalled_seconds:.0f} s")

    def _note_sign(self, progress: str) -> None:
        self._progress = progress
        self._last_sign = asyncio.get_running_loop().time()

    def _kill(self, reason: str) -> None:
        if self._process is not None and self._process.returncode is None:
            self._death_reason = self._death_reason or reason
            self._kill_session()

    def _kill_session(self) -> None:
        """End the child and whatever it has started."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def _stop(self) -> None:
        """Ask the child to end, wait a little, and kill it; read its output meanwhile, and reap it in any case."""
        assert self._process is not None
        self.send("shutdown")
        async with asyncio.TaskGroup() as group:
            group.create_task(self._read_output(), name=f"last output of {self.name}")
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
                    await self._process.wait()
            self._kill_session()
            await self._process.wait()

    def _describe_end(self, status: int) -> str:
        """Return one sentence for clients; the whole of the last words goes to the log."""
        words = b"".join(self._last_words)[-LAST_WORDS_BYTES:].decode(errors="replace").strip()
        last_line = words.rpartition("\n")[2].strip()
        if status == CANNOT_LOAD and last_line:
            return last_line
        if words:
            log.warning("%s ended; its last words:\n%s", self.name, words)
        reason = self._death_reason
        if reason is None:
            reason = f"it exited with status {status}" if status >= 0 else f"it was ended by {_signal_name(-status)}"
        return reason + (f", its last words: {last_line}" if last_line else "")


def _signal_name(number: int) -> str:
    """Return SIGKILL for 9; real-time signals have no name of their own."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
