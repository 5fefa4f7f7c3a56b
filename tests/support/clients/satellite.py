"""What a satellite sends over Wyoming, and what it hears."""

import asyncio

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event

from tests.support.daemon import tcp_client
from tests.support.units.spoken import RATE, Samples
from unitd.app import App


async def hear(client: AsyncTcpClient, last: str) -> list[Event]:
    """Return the events up to the one of this type, or an error."""
    events: list[Event] = []
    while not events or events[-1].type not in (last, "error"):
        event = await client.read_event()
        assert event is not None, f"hung up after {[each.type for each in events]}"
        events.append(event)
    return events


async def send_audio(client: AsyncTcpClient, samples: Samples, milliseconds: int = 64) -> None:
    """Send a start, chunks as a satellite sends them, and a stop."""
    audio, size = samples.tobytes(), RATE * 2 * milliseconds // 1000
    await client.write_event(AudioStart(RATE, 2, 1).event())
    for start in range(0, len(audio), size):
        await client.write_event(AudioChunk(RATE, 2, 1, audio[start : start + size]).event())
    await client.write_event(AudioStop().event())


async def eventually_no_task(app: App) -> None:
    """Returns as soon as there is none."""
    async with tcp_client(app) as observer, asyncio.timeout(5):
        while (await observer.ask(work_id="sys", action="lstask"))["data"]:
            await asyncio.sleep(0.005)
