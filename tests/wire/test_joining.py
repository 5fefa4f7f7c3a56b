"""Covers joining: which units count the chunks of a streamed input, and which take them as they come."""

from typing import Any

import pytest

from unitd.wire.errors import BadIndex
from unitd.wire.joining import StreamJoiner
from unitd.wire.messages import Request


def chunk_to(work_id: str, delta: str, index: Any, *, finish: bool) -> Request:
    """One chunk of an inference."""
    data = {"delta": delta, "index": index, "finish": finish}
    return Request("1", work_id, "inference", f"{work_id.partition('.')[0]}.utf-8.stream", data)


@pytest.mark.parametrize("work_id", ["tts.1000", "melotts.1000"])
@pytest.mark.parametrize("indices", [(1, 2), (0, 0), (7, 3), (None, None)], ids=str)
def test_a_voice_takes_chunks_as_they_come(work_id: str, indices: tuple[Any, Any]) -> None:
    """The original's tts never looks at the index (fact sheet, section 3, -25)."""
    joiner = StreamJoiner(1000)

    waiting = joiner.add(chunk_to(work_id, "one ", indices[0], finish=False))
    joined = joiner.add(chunk_to(work_id, "two", indices[1], finish=True))

    assert (waiting, joined) == (None, ["one ", "two"])


@pytest.mark.parametrize("index", [1, None, "0"])
def test_other_units_count(index: Any) -> None:
    """A prompt with a gap would be another prompt."""
    with pytest.raises(BadIndex):
        StreamJoiner(1000).add(chunk_to("llm.1000", "hello", index, finish=True))
