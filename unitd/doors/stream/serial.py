"""The serial door: one line, one client, opened again when the adapter comes back.

The client behind the line stays the same over unplugging: its tasks and their output wait for it. What it had running
is cut when the line goes, like that of any lost client.
"""

import asyncio
import logging
import random
import termios

import serial
import serial_asyncio_fast

from unitd.core.config.schema import SerialSettings
from unitd.core.repeats import backoff_seconds
from unitd.doors.server import Server
from unitd.doors.stream.protocol import StreamProtocol, StreamSettings
from unitd.runtime.sys.board import LineSettings
from unitd.wire.errors import reason_of

log = logging.getLogger("unitd.serial")

# A UART has no stalls of its own: two seconds of silence inside an object means that bytes were lost.
SERIAL_IDLE_SECONDS = 2.0
# The answer to uartsetup must have left before the speed changes. The original waits 100 ms, which at 9600 baud is
# less than the answer takes; ten bits make a byte on the line.
RECONFIGURE_DELAY_SECONDS = 0.1
ANSWER_BITS = 200 * 10
FIRST_RETRY_SECONDS = 0.2
MAX_RETRY_SECONDS = 5.0

_PARITIES = {"n": serial.PARITY_NONE, "e": serial.PARITY_EVEN, "o": serial.PARITY_ODD}


class _SerialTalk(StreamProtocol):
    """A Talk that tells when its line is lost."""

    def __init__(self, server: Server, settings: StreamSettings, device: str) -> None:
        super().__init__(server, settings, name=f"serial {device}")
        self.is_lost = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.is_lost.set()


class _Transport(serial_asyncio_fast.SerialTransport):
    """The library's, which waits for ever, and the loop with it, when it writes to a line that is exactly full; and
    which writes nothing without end once a full line has been emptied."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Only when the line has room."""
        if not self._closing:
            self._write_buffer.append(data)
            self._maybe_pause_protocol()
            self._ensure_writer()

    def _write_ready(self) -> None:
        super()._write_ready()
        if self._flushed():
            self._remove_writer()


class SerialDoor:
    """Keeps the line open; `reconfigure` changes its parameters for as long as the daemon runs."""

    def __init__(self, server: Server, settings: StreamSettings, line: SerialSettings) -> None:
        self._device = line.device
        self._line = LineSettings(line.baud, line.data_bits, line.stop_bits, line.parity)
        self._talk = _SerialTalk(server, settings, line.device)
        self._transport: _Transport | None = None
        self.was_tried = asyncio.Event()
        """Set when the line has been opened, or could not be, for the first time."""

    async def run(self) -> None:
        """Opens the line and opens it again whenever it is lost, until cancelled."""
        failures = 0
        try:
            while True:
                try:
                    await self._open()
                except (OSError, ValueError, serial.SerialException, termios.error) as error:
                    level = logging.DEBUG if failures else logging.WARNING
                    log.log(level, "%s cannot be opened, it is tried again: %s", self._device, reason_of(error))
                    failures += 1
                    self.was_tried.set()
                    wait = backoff_seconds(failures, FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS)
                    await asyncio.sleep(wait * random.uniform(0.8, 1.2))
                    continue
                log.info("%s is open at %d baud", self._device, self._line.baud)
                self.was_tried.set()
                failures = 0
                await self._talk.is_lost.wait()
                log.warning("%s is lost", self._device)
        finally:
            self._talk.hang_up()

    async def _open(self) -> None:
        self._talk.is_lost.clear()
        line = await asyncio.to_thread(
            serial.serial_for_url,
            self._device,
            baudrate=self._line.baud,
            bytesize=self._line.data_bits,
            stopbits=self._line.stop_bits,
            parity=_PARITIES[self._line.parity],
        )
        self._transport = _Transport(asyncio.get_running_loop(), self._talk, line)

    @property
    def is_open(self) -> bool:
        """True while there is a line."""
        return not self._talk.client.is_gone

    @property
    def settings(self) -> LineSettings:
        """The present line parameters."""
        return self._line

    def reconfigure(self, settings: LineSettings) -> None:
        """Takes new line parameters over, after the answer has left."""
        delay = RECONFIGURE_DELAY_SECONDS + ANSWER_BITS / self._line.baud
        asyncio.get_running_loop().call_later(delay, self._apply, settings)

    def _apply(self, settings: LineSettings) -> None:
        """What the device does not take is not kept either: the line must open again after unplugging."""
        if self._transport is not None and self._transport.serial is not None:
            try:
                self._transport.serial.apply_settings(
                    {
                        "baudrate": settings.baud,
                        "bytesize": settings.data_bits,
                        "stopbits": settings.stop_bits,
                        "parity": _PARITIES[settings.parity],
                    }
                )
            except (OSError, ValueError, serial.SerialException, termios.error) as error:
                log.warning("%s does not take %s: %s", self._device, settings, reason_of(error))
                return
        self._line = settings
        log.info("%s is at %d baud now", self._device, settings.baud)
