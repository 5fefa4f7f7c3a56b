"""Several boards on one broker; `bench.home` does it with fifty."""

from contextlib import AsyncExitStack
from pathlib import Path

from tests.support.daemon import running_app
from tests.support.servers.brokers import Broker, Listener

NODES = [f"board{number}" for number in range(5)]


async def test_boards_share_a_broker_without_cross_talk(tmp_path: Path, broker: Broker, listener: Listener) -> None:
    """Each is announced by itself, and what one is asked only that one answers."""
    async with AsyncExitStack() as stack:
        for node in NODES:
            mqtt = {"host": "127.0.0.1", "port": broker.port, "node": node}
            await stack.enter_async_context(running_app(tmp_path / node, {"mqtt": mqtt}))
        announced = {f"homeassistant/device/unitd_{node}/config" for node in NODES}
        await listener.until(lambda: announced <= {str(each.topic) for each in listener.messages})

        for node in NODES:
            request = f'{{"request_id":"for-{node}","work_id":"sys","action":"ping"}}'
            await listener.publish(f"unitd/{node}/request", request)
        wanted = {f"unitd/{node}/reply/for-{node}" for node in NODES}
        await listener.until(lambda: wanted <= {str(each.topic) for each in listener.messages})

    replies = [str(each.topic) for each in listener.messages if "/reply/" in str(each.topic)]
    assert sorted(replies) == sorted(wanted)
    for node in NODES:
        payload = listener.objects_on(f"homeassistant/device/unitd_{node}/config")[0]
        assert payload["device"]["name"] == node
        assert payload["availability"] == [{"topic": f"unitd/{node}/status"}]
