"""Covers unfinished: what all clients together have begun and not ended, on every door."""

import asyncio
from pathlib import Path

import orjson
import pytest
from wyoming.event import Event

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.waiting import eventually
from unitd.doors.unfinished import Unfinished
from unitd.wire.session import Session

LIMITS = {"limits": {"frame_bytes": 262_144, "unfinished_bytes": 1024 * 1024}}
PING = {"work_id": "sys", "action": "ping"}
UNAVAILABLE = -10


class Sender:
    """Somebody who has begun to say something."""

    def __init__(self, name: str) -> None:
        self.holder_name = name
        self.was_told = False

    def give_up_unfinished(self) -> None:
        """Its bytes are dropped."""
        self.was_told = True


def test_the_largest_is_given_up() -> None:
    """Whoever says little is never the one, and whoever has ended holds nothing."""
    unfinished = Unfinished(100)
    small, large, late = (Sender(name) for name in ("small", "large", "late"))
    unfinished.hold(small, 10)
    unfinished.hold(large, 50)
    unfinished.hold(large, 60)
    unfinished.hold(late, 30)
    assert unfinished.total_bytes == 100

    unfinished.hold(small, 11)

    assert [each.was_told for each in (small, large, late)] == [False, True, False]
    assert unfinished.total_bytes == 41
    for each in (small, large, late):
        unfinished.hold(each, 0)
    assert unfinished.total_bytes == 0


def test_chunks_of_a_streamed_input_are_counted() -> None:
    """Empty ones too: each takes its place."""
    session = Session()
    chunk = b'{"request_id":"1","work_id":"llm.1","action":"inference","object":"llm.utf-8.stream",'
    for index in range(100):
        data = b'"data":{"delta":"","index":%d,"finish":false}}' % index
        assert list(session.receive_data(chunk + data)) == []
    assert session.unfinished_bytes >= 100 * 64

    session.drop_unfinished()

    assert session.unfinished_bytes == 0


@pytest.mark.parametrize("is_streamed", [False, True], ids=["frames", "streams"])
async def test_clients_who_end_nothing_do_not_fill_the_memory(tmp_path: Path, is_streamed: bool) -> None:
    """One of them is told and sent away, and who says little is served."""
    words = b"x" * 200_000
    begun = b'{"request_id":"1","data":"' + words
    if is_streamed:
        data = {"delta": words.decode(), "index": 0, "finish": False}
        fields = {"request_id": "1", "work_id": "llm.1", "action": "inference", "object": "llm.utf-8.stream"}
        begun = orjson.dumps(fields | {"data": data})
    async with running_app(tmp_path, LIMITS) as app:
        crowd = [WireClient(*await asyncio.open_connection(*app.endpoints["tcp"])) for _ in range(8)]
        for each in crowd:
            await each.send_bytes(begun)

        told = [asyncio.create_task(each.receive()) for each in crowd]
        done, waiting = await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED)
        async with tcp_client(app) as client:
            assert (await client.ask(**PING))["error"]["code"] == 0

        assert all(each.result()["error"]["code"] == UNAVAILABLE for each in done)
        assert len(done) < len(crowd)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for each in crowd:
            await each.close()


async def test_unfinished_events_of_wyoming_count(tmp_path: Path) -> None:
    """Five of 200 kB are held, the sixth is too much."""
    async with running_app(tmp_path, LIMITS | {"wyoming": {"port": 0}}) as app:
        head = orjson.dumps({"type": "audio-chunk", "payload_length": 250_000}) + b"\n"
        crowd = [await asyncio.open_connection(*app.endpoints["wyoming"]) for _ in range(8)]
        for _, writer in crowd:
            writer.write(head + b"x" * 200_000)
        ends = [asyncio.create_task(reader.read()) for reader, _ in crowd]

        await eventually(lambda: any(each.done() for each in ends))

        assert not all(each.done() for each in ends)
        for (_, writer), end in zip(crowd, ends, strict=True):
            writer.close()
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)
        reader, writer = await asyncio.open_connection(*app.endpoints["wyoming"])
        event = Event("ping", {"text": "here"})
        writer.write(orjson.dumps(event.to_dict()) + b"\n")
        assert b"pong" in await reader.readline()
        writer.close()
        await writer.wait_closed()
