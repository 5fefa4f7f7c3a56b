"""A real Mosquitto for measurements, and a listener that records when each message came."""

import asyncio
import shutil
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")


@asynccontextmanager
async def broker(folder: Path) -> AsyncIterator[int]:
    """Run a Mosquitto; yield its port."""
    if MOSQUITTO is None:
        raise SystemExit("mosquitto is not installed: sudo apt-get install mosquitto")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type error\nmax_queued_messages 100000\n")
    process = await asyncio.create_subprocess_exec(MOSQUITTO, "-c", str(config))
    try:
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                break
            except ConnectionRefusedError:
                await asyncio.sleep(0.01)
        writer.close()
        yield port
    finally:
        process.terminate()
        await process.wait()


class Listener:
    """Records each message with its topic and time (monotonic)."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.heard: list[tuple[float, str, bytes]] = []

    async def run(self) -> None:
        """Record messages until cancelled."""
        async for message in self.client.messages:
            self.heard.append((time.monotonic(), str(message.topic), bytes(message.payload)))

    async def until(self, is_done: Callable[[], bool], seconds: float) -> None:
        """Wait until the recorded messages satisfy the condition."""
        async with asyncio.timeout(seconds):
            while not is_done():
                await asyncio.sleep(0.002)


@asynccontextmanager
async def listening(port: int, *topics: str) -> AsyncIterator[Listener]:
    """Yield a listener on these topics."""
    async with aiomqtt.Client("127.0.0.1", port) as client:
        for topic in topics:
            await client.subscribe(topic, qos=1)
        listener = Listener(client)
        running = asyncio.create_task(listener.run())
        try:
            yield listener
        finally:
            running.cancel()
            await asyncio.wait([running])
