"""Covers unitd.runtime.skills.ringer and unitd.runtime.audio.hub: timers that ring on a loudspeaker, a file."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.clients.wire_client import WireClient
from tests.support.daemon import running_app, tcp_client
from tests.support.units.spoken import RATE, joined, silence, speak
from tests.support.units.voice_setups import KWS, WAKE, played, write_wav
from tests.support.waiting import MS, eventually
from unitd.runtime.skills.ringer import EVERY_SECONDS

pytestmark = pytest.mark.timeout(60)


async def timer(client: WireClient, **data: Any) -> dict[str, Any]:
    """Return the answer of `sys.timer`."""
    reply = await client.ask(work_id="sys", action="timer", data=data)
    answer: dict[str, Any] = reply["data"]
    return answer


@pytest.fixture
def loudspeaker(tmp_path: Path) -> Path:
    """Return the file that is the loudspeaker."""
    return tmp_path / "out.wav"


@pytest.fixture
async def listening(tmp_path: Path, loudspeaker: Path) -> AsyncIterator[WireClient]:
    """A client of a daemon with that loudspeaker, and with a microphone before which somebody says the wake word."""
    calls = [each for _ in range(12) for each in (speak(WAKE), silence(0.6))]
    microphone = write_wav(tmp_path / "in.wav", joined(silence(1), *calls, silence(60)))
    audio = {"capture": microphone, "playback": f"file:{loudspeaker}"}
    async with running_app(tmp_path, {"audio": audio}) as app, tcp_client(app) as client:
        yield client


@pytest.mark.alone
async def test_a_timer_is_heard_within_a_tenth_of_a_second(listening: WireClient, loudspeaker: Path) -> None:
    """The audio program, which takes a second to start, has started by then."""
    due = (await timer(listening, do="start", seconds=3))["timer"]["due"]

    await eventually(lambda: bool(played(loudspeaker).any()), timeout=10)
    late = time.time() - due

    assert 0 <= late < 100 * MS


async def test_a_ring_grows_until_it_is_stopped(listening: WireClient, loudspeaker: Path) -> None:
    """With a pause in between; after "stop" there is silence."""
    await timer(listening, do="start", seconds=0)
    await eventually(lambda: len(rings_in(played(loudspeaker)[: -RATE // 5])) == 2, timeout=20)

    await timer(listening, do="stop")
    heard = played(loudspeaker)
    await eventually(lambda: len(played(loudspeaker)) > len(heard) + RATE, timeout=5)

    (first, begin), (second, again) = rings_in(played(loudspeaker))
    assert (again - begin) / RATE == pytest.approx(EVERY_SECONDS, abs=0.5)
    assert second > first * 1.2
    assert not played(loudspeaker)[len(heard) + RATE // 5 :].any()


async def test_a_wake_word_in_a_pause_ends_the_ring(listening: WireClient, loudspeaker: Path) -> None:
    """While it sounds the microphone is deaf; somebody who says it again is heard."""
    await listening.setup("kws", KWS | {"input": "sys.pcm", "enoutput": False})
    await timer(listening, do="subscribe")
    await timer(listening, do="start", seconds=0)

    stopped = await listening.receive(timeout=20)
    while stopped["data"]["event"] != "stopped":
        stopped = await listening.receive(timeout=20)

    assert stopped["data"]["reason"] == "wake"
    assert played(loudspeaker).any()


def rings_in(sound: np.ndarray[Any, np.dtype[np.int16]]) -> list[tuple[int, int]]:
    """Return the loudness and the first sample of each ring; between two there is a second of silence at least."""
    sounding = np.flatnonzero(sound)
    if not len(sounding):
        return []
    begins = [int(sounding[0]), *(int(each) for each in sounding[1:][np.diff(sounding) > RATE])]
    return [(int(np.abs(part).max()), begin) for begin, part in zip(begins, np.split(sound, begins)[1:], strict=True)]
