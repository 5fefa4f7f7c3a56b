"""Covers unitd.runtime.tasks.uploads: who is held, who is let go, what is remembered."""

import asyncio
import gc
import weakref
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.clients.fake_client import FakeClient
from tests.support.waiting import eventually
from unitd.runtime.tasks.output import Asker
from unitd.runtime.tasks.uploads import MAX_UNHEARD_BYTES, Uploads

MOST_OF_IT = b"\0" * (MAX_UNHEARD_BYTES * 3 // 4)


@dataclass(eq=False)
class Sender(FakeClient):
    """A client that knows whether it is read."""

    is_held: bool = False

    def hold(self, reason: str, *, is_held: bool) -> None:
        """As its door is told."""
        self.is_held = is_held


@dataclass
class Ears:
    """A child that hears when it is told to."""

    unheard: list[asyncio.Future[Any]] = field(default_factory=list)

    def ask(self, action: str, payload: bytes, **fields: Any) -> asyncio.Future[Any]:
        """A piece on its way."""
        self.unheard.append(asyncio.get_running_loop().create_future())
        return self.unheard[-1]

    def end(self) -> asyncio.Future[Any]:
        """Nothing more comes, which is a message like any other."""
        return self.ask("idle", b"")

    async def hear_all(self) -> None:
        """It has kept up, and everybody has been told."""
        for each in self.unheard:
            each.set_result({})
        self.unheard.clear()
        await asyncio.sleep(0)


async def test_everybody_who_was_held_is_read_again() -> None:
    """All clients that waited for room are read again, whoever made the room."""
    ears, first, second = Ears(), Sender("first"), Sender("second")
    uploads = Uploads("asr.1000", ears.ask, ears.end)
    for client in (first, first, second, first, first):
        uploads.hear(Asker(client, "1"), MOST_OF_IT, "pcm", is_whole=True)
    assert (first.is_held, second.is_held) == (True, True)

    await ears.hear_all()

    assert (first.is_held, second.is_held) == (False, False)


async def test_the_end_of_pieces_is_heard_in_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the next upload comes before the child has heard that they ended."""
    monkeypatch.setattr("unitd.runtime.tasks.uploads.IDLE_SECONDS", 0.0)
    ears, first, second = Ears(), Asker(Sender(), "1"), Asker(Sender(), "2")
    uploads = Uploads("asr.1000", ears.ask, ears.end)
    uploads.hear(first, b"\0\0", "pcm", is_whole=False)
    await ears.hear_all()
    await eventually(lambda: bool(ears.unheard))

    uploads.hear(second, b"\0\0", "pcm", is_whole=True)
    whose = [uploads.asker]
    await ears.hear_all()
    whose.append(uploads.asker)

    assert whose == [first, second]


async def test_what_was_heard_is_not_kept() -> None:
    """A microphone streams for hours, and nothing is said that anybody would have asked for."""
    ears, client = Ears(), Sender()
    uploads = Uploads("kws.1000", ears.ask, ears.end)
    asked = []
    for number in range(100):
        asker = Asker(client, str(number))
        asked.append(weakref.ref(asker))
        uploads.hear(asker, b"\0\0", "pcm", is_whole=True)
        del asker
        await ears.hear_all()

    gc.collect()
    assert sum(each() is not None for each in asked) <= 2
