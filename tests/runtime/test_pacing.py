"""Covers pacing, and frames where they join what waits: no two frames of a task in one read of a simple client."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.clients.fake_client import FakeClient
from tests.support.waiting import MS, eventually
from unitd.core.tasks.kinds import BUILTIN_KINDS
from unitd.core.tasks.table import Task
from unitd.runtime.metrics import ModelMetrics
from unitd.runtime.tasks.observers import TaskObservers
from unitd.runtime.tasks.output import (
    INTERRUPTED,
    End,
    Inference,
    TaskOutput,
)
from unitd.runtime.tasks.pacing import MAX_WAITING
from unitd.wire.messages import Reply

INTERVAL = 60 * MS
STOP = End("stop")


@dataclass(eq=False)
class TimedClient(FakeClient):
    """A client that notes when each frame came."""

    frame_interval: float = INTERVAL
    at: list[float] = field(default_factory=list)

    def send(self, reply: Reply) -> None:
        """Keeps the frame and its time."""
        super().send(reply)
        self.at.append(asyncio.get_running_loop().time())

    @property
    def gaps(self) -> list[float]:
        """Seconds between one frame and the next."""
        return [later - earlier for earlier, later in zip(self.at, self.at[1:], strict=False)]

    @property
    def data(self) -> list[Any]:
        """What the frames say."""
        return [reply.data for reply in self.received]


@pytest.fixture
def client() -> TimedClient:
    """A client that wants its frames apart."""
    return TimedClient()


def frames_of(unit: str, client: TimedClient, **setup: Any) -> TaskOutput:
    """The sending half of a task of this client."""
    task = Task(
        work_id=f"{unit}.1000",
        kind=BUILTIN_KINDS[unit],
        model="default",
        response_format=f"{unit}.utf-8.stream",
        enoutput=True,
        inputs=[],
        setup=setup,
        request_id="setup",
        owner=client,
        created=0,
    )
    return TaskOutput(task, ModelMetrics(unit, "default", Counter()), TaskObservers())


def asked_by(client: TimedClient, request_id: str = "question") -> Inference:
    """An inference that runs."""
    return Inference(request_id, client, "hello")


def delta(text: str, index: int, *, finish: bool = False) -> dict[str, Any]:
    """The data of a streamed frame."""
    return {"delta": text, "finish": finish, "index": index}


# The happy day


async def test_the_first_frame_goes_out_at_once_and_the_others_are_joined(client: TimedClient) -> None:
    """Text that comes while a frame waits is appended to it; indexes have no gap."""
    frames, inference = frames_of("llm", client), asked_by(client)

    for word in ("one ", "two ", "three"):
        frames.delta(inference, word)
    at_once = list(client.data)
    frames.finish(inference, STOP)
    await eventually(lambda: len(client.data) == 3)

    assert at_once == [delta("one ", 0)]
    assert client.data == [delta("one ", 0), delta("two three", 1), delta("", 2, finish=True)]
    assert min(client.gaps) >= INTERVAL


async def test_the_end_waits_out_the_rest_of_its_time(client: TimedClient) -> None:
    """Also when no text waits."""
    frames, inference = frames_of("llm", client), asked_by(client)

    frames.delta(inference, "yes")
    frames.finish(inference, STOP)
    await eventually(lambda: len(client.data) == 2)

    assert client.data == [delta("yes", 0), delta("", 1, finish=True)]
    assert client.gaps[0] >= INTERVAL


async def test_an_interrupt_ends_at_once_and_takes_along_what_waits(client: TimedClient) -> None:
    """A wake is never delayed, and no word is lost by it."""
    frames, inference = frames_of("llm", client), asked_by(client)

    frames.delta(inference, "one ")
    frames.delta(inference, "two")
    frames.finish(inference, INTERRUPTED)

    assert client.data == [delta("one ", 0), delta("two", 1, finish=True)]


async def test_the_next_answer_comes_behind_the_end_of_the_last_one(client: TimedClient) -> None:
    """Two prompts of one client: no frame of the second before the first has ended."""
    frames, first, second = frames_of("llm", client), asked_by(client, "first"), asked_by(client, "second")

    frames.delta(first, "one")
    frames.finish(first, STOP)
    frames.delta(second, "two")
    frames.finish(second, STOP)
    await eventually(lambda: len(client.data) == 4)

    assert [reply.request_id for reply in client.received] == ["first", "first", "second", "second"]
    assert min(client.gaps) >= INTERVAL


async def test_a_call_comes_behind_the_text_before_it(client: TimedClient) -> None:
    """A tool call is a frame of its own; text behind it is not joined to text before it."""
    frames, inference = frames_of("llm", client), asked_by(client)

    frames.delta(inference, "one ")
    frames.delta(inference, "two")
    frames.tool_call(inference, {"id": "1", "name": "turn_on", "arguments": {}})
    frames.delta(inference, "three")
    await eventually(lambda: len(client.data) == 4)

    assert [each.get("name") or each["delta"] for each in client.data] == ["one ", "two", "turn_on", "three"]
    assert min(client.gaps) >= INTERVAL


async def test_sound_is_spaced_and_never_joined(client: TimedClient) -> None:
    """Two base64 texts in one would be neither."""
    frames, inference = frames_of("tts", client), asked_by(client)

    for piece in (b"one", b"two", b"six"):
        frames.delta(inference, "", piece)
    await eventually(lambda: len(client.data) == 3)

    assert [each["delta"] for each in client.data] == ["b25l", "dHdv", "c2l4"]
    assert min(client.gaps) >= INTERVAL


async def test_of_partial_transcripts_the_newest_counts(client: TimedClient) -> None:
    """Each holds the whole utterance so far, so an older one that still waits gives way; indexes have no gap."""
    frames = frames_of("asr", client)

    for index, text in enumerate(("turn", "turn on", "turn on the")):
        frames.event(delta(text, index))
    await eventually(lambda: len(client.data) == 2)
    frames.event(delta("turn on the light", 3, finish=True))
    frames.event(delta("hello", 0))
    await eventually(lambda: len(client.data) == 4)

    assert client.data == [
        delta("turn", 0),
        delta("turn on the", 1),
        delta("turn on the light", 2, finish=True),
        delta("hello", 0),
    ]
    assert min(client.gaps) >= INTERVAL


async def test_a_final_transcript_replaces_a_partial_one_that_waits(client: TimedClient) -> None:
    """The final text says all that the partial one said."""
    frames = frames_of("asr", client)

    frames.event(delta("turn", 0))
    frames.event(delta("turn on", 1))
    frames.event(delta("turn on.", 2, finish=True))
    await eventually(lambda: len(client.data) == 2)

    assert client.data == [delta("turn", 0), delta("turn on.", 1, finish=True)]


async def test_a_detector_loses_no_edge(client: TimedClient) -> None:
    """Speech began and ended: both are told, apart."""
    frames = frames_of("vad", client)

    frames.event(True)
    frames.event(False)
    await eventually(lambda: len(client.data) == 2)

    assert client.data == [True, False]
    assert client.gaps[0] >= INTERVAL


# The limits


async def test_flush_sends_what_waits(client: TimedClient) -> None:
    """Before the reply to pause."""
    frames, inference = frames_of("llm", client), asked_by(client)

    for word in ("one ", "two ", "three"):
        frames.delta(inference, word)
    frames.flush()
    frames.flush()

    assert client.data == [delta("one ", 0), delta("two three", 1)]


async def test_each_frame_goes_out_as_it_comes_where_the_setup_says_so(client: TimedClient) -> None:
    """`frame_interval_ms` at setup counts for more than the door's."""
    frames, inference = frames_of("llm", client, frame_interval_ms=0), asked_by(client)

    for word in ("one ", "two "):
        frames.delta(inference, word)
    frames.finish(inference, STOP)

    assert client.data == [delta("one ", 0), delta("two ", 1), delta("", 2, finish=True)]


async def test_sound_that_comes_too_fast_does_not_fill_the_memory(client: TimedClient) -> None:
    """Beyond the limit the oldest pieces go out without waiting, in their order."""
    frames, inference = frames_of("tts", client), asked_by(client)

    for number in range(MAX_WAITING + 3):
        frames.delta(inference, "", bytes([number]))

    assert [each["index"] for each in client.data] == [0, 1, 2]


async def test_another_client_does_not_wait_for_the_first_ones_time(client: TimedClient) -> None:
    """Its frames cannot be in one read with another client's."""
    frames, other = frames_of("llm", client), TimedClient()

    frames.delta(asked_by(client), "one")
    frames.delta(asked_by(other), "two")

    assert other.data == [delta("two", 0)]
