"""The serial door: one line with one client, opened again when the adapter comes back.

The client stays the same when the line is unplugged and comes back, and so do its tasks. Its running requests are cut
when the line is lost, like those of any lost client.
"""

import asyncio
import logging
import random
import termios
from collections.abc import Mapping

import serial
import serial_asyncio_fast

from unitd.core.repeats import backoff_seconds
from unitd.doors.base import Door, DoorContext, Server
from unitd.doors.stream.protocol import StreamProtocol, StreamSettings
from unitd.runtime.sys.board import LineSettings
from unitd.wire.errors import reason_of

log = logging.getLogger("unitd.serial")

# A UART does not stall: two seconds of silence inside an object mean that bytes were lost.
SERIAL_IDLE_SECONDS = 2.0
# The answer to uartsetup must have left before the speed changes. The original waits 100 ms, which at 9600 baud is
# less than the answer takes; ten bits make a byte on the line.
RECONFIGURE_DELAY_SECONDS = 0.1
ANSWER_BITS = 200 * 10
# At 115200 baud this much output is under six seconds old when it arrives.
OUTBOX_BYTES = 64 * 1024
FIRST_RETRY_SECONDS = 0.2
MAX_RETRY_SECONDS = 5.0

_PARITIES = {"n": serial.PARITY_NONE, "e": serial.PARITY_EVEN, "o": serial.PARITY_ODD}


class _SerialConnection(StreamProtocol):
    """The protocol of the line; `is_lost` is set when the line is lost."""

    def __init__(self, server: Server, settings: StreamSettings, device: str) -> None:
        super().__init__(server, settings, name=f"serial {device}")
        self.is_lost = asyncio.Event()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.is_lost.set()


class _Transport(serial_asyncio_fast.SerialTransport):
    """The library's transport without two faults; the only place that knows its private names.

    The library blocks, and the event loop with it, when it writes to a line that is exactly full; and it calls its
    writer without end after a full line has been emptied.
    """

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write when the line has room."""
        if not self._closing:
            self._write_buffer.append(data)
            self._maybe_pause_protocol()
            self._ensure_writer()

    def _write_ready(self) -> None:
        super()._write_ready()
        if self._flushed():
            self._remove_writer()


class SerialDoor(Door):
    """The door that keeps the line open; `reconfigure` changes its parameters until the daemon ends."""

    name = "serial"

    def __init__(self, context: DoorContext) -> None:
        line = context.settings.serial
        assert line is not None
        outbox_bytes = min(context.settings.limits.outbox_bytes, OUTBOX_BYTES)
        settings = StreamSettings.of(
            context, "serial", SERIAL_IDLE_SECONDS, outbox_bytes=outbox_bytes, is_ascii=True, is_lossy=True
        )
        self.line = self
        self._device = line.device
        self._line = LineSettings(line.baud, line.data_bits, line.stop_bits, line.parity)
        self._connection = _SerialConnection(context.server, settings, line.device)
        self._transport: _Transport | None = None
        self._failures = 0

    @property
    def connections(self) -> Mapping[str, int]:
        """Return 1 while the line is open, else 0."""
        return {self.name: int(not self._connection.client.is_gone)}

    async def open(self) -> str:
        """Try to open the line for the first time. Return its device."""
        await self._try()
        return self._device

    async def run(self) -> None:
        """Open the line again whenever it is lost, until cancelled."""
        try:
            while True:
                if self._transport is not None:
                    await self._connection.is_lost.wait()
                    self._transport = None
                    log.warning("%s is lost", self._device)
                else:
                    wait = backoff_seconds(self._failures, FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS)
                    await asyncio.sleep(wait * random.uniform(0.8, 1.2))
                await self._try()
        finally:
            self._connection.hang_up()

    async def _try(self) -> None:
        """Open the line, or log why that is not possible."""
        try:
            await self._open()
        except (OSError, ValueError, serial.SerialException, termios.error) as error:
            level = logging.DEBUG if self._failures else logging.WARNING
            log.log(level, "%s cannot be opened, it is tried again: %s", self._device, reason_of(error))
            self._failures += 1
        else:
            log.info("%s is open at %d baud", self._device, self._line.baud)
            self._failures = 0

    async def _open(self) -> None:
        self._connection.is_lost.clear()
        line = await asyncio.to_thread(
            serial.serial_for_url,
            self._device,
            baudrate=self._line.baud,
            bytesize=self._line.data_bits,
            stopbits=self._line.stop_bits,
            parity=_PARITIES[self._line.parity],
        )
        self._transport = _Transport(asyncio.get_running_loop(), self._connection, line)

    @property
    def settings(self) -> LineSettings:
        """Return the present line parameters."""
        return self._line

    def reconfigure(self, settings: LineSettings) -> None:
        """Change the line parameters, after the answer has been sent."""
        delay = RECONFIGURE_DELAY_SECONDS + ANSWER_BITS / self._line.baud
        asyncio.get_running_loop().call_later(delay, self._apply, settings)

    def _apply(self, settings: LineSettings) -> None:
        """Apply the parameters; keep them only if the device accepts them, for the line is opened again with them."""
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
