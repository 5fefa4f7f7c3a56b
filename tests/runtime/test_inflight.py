"""Covers unitd.runtime.children.in_flight: who may begin its work in a program, and whose was running when it died."""

import asyncio

import pytest

from tests.support.waiting import MS
from unitd.runtime.children import in_flight
from unitd.runtime.children.in_flight import InFlight


class Program:
    """Work in a program with some suspects; at each turn the task that waits asks again."""

    def __init__(self, *suspects: str, waiting: str = "llm.2") -> None:
        self.turns = 0
        self.turned = asyncio.Event()
        self.may_begin = False
        self._waiting = waiting
        self.work = InFlight(suspects.__contains__, self._on_turn)

    def _on_turn(self) -> None:
        self.turns += 1
        self.may_begin = self.work.may_begin(self._waiting)
        self.turned.set()


@pytest.fixture(autouse=True)
def short_time_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twentieth of a second."""
    monkeypatch.setattr(in_flight, "ALONE_SECONDS", 50 * MS)


async def test_above_suspicion_all_work_at_once() -> None:
    """And nobody waits."""
    program = Program()
    program.work.begin("llm.1", "inference")

    assert program.work.may_begin("llm.2")


async def test_a_suspect_begins_alone_and_the_others_wait_for_it() -> None:
    """Whoever waits is called when its work has ended."""
    program = Program("llm.1")
    program.work.begin("llm.1", "inference")

    waits = not program.work.may_begin("llm.2")
    program.work.end("llm.1", "inference")

    assert waits
    assert (program.turns, program.may_begin) == (1, True)


async def test_the_setup_of_a_suspect_is_waited_for_to_its_end() -> None:
    """However long it takes: a program that hangs is killed."""
    program = Program("llm.1")
    program.work.begin("llm.1", 7, is_setup=True)

    await asyncio.sleep(3 * in_flight.ALONE_SECONDS)

    assert not program.work.may_begin("llm.2")


async def test_others_begin_beside_an_answer_that_takes_long() -> None:
    """A suspect cannot keep a program for itself."""
    program = Program("llm.1")
    program.work.begin("llm.1", "inference")

    await asyncio.wait_for(program.turned.wait(), 5)

    assert program.may_begin


async def test_a_suspect_that_is_never_alone_begins_in_company() -> None:
    """It may be innocent, and its client waits."""
    program = Program("llm.1", waiting="llm.1")
    program.work.begin("llm.2", "inference")
    waits = not program.work.may_begin("llm.1")

    await asyncio.wait_for(program.turned.wait(), 5)

    assert waits
    assert program.may_begin


async def test_the_time_in_which_nobody_waited_does_not_count(short_time_alone: None) -> None:
    """A suspect whose prompt was dropped meanwhile waits anew with the next one."""
    program = Program("llm.1", waiting="llm.2")
    program.work.begin("llm.2", "inference")
    program.work.may_begin("llm.1")
    await asyncio.wait_for(program.turned.wait(), 5)
    await asyncio.sleep(0)

    assert not program.work.may_begin("llm.1")


async def test_what_a_hung_program_was_given_later_is_not_its_death() -> None:
    """It has not touched it."""
    program = Program()
    loop = asyncio.get_running_loop()
    program.work.begin("asr.1", 1)
    hung_since = loop.time()
    while loop.time() <= hung_since:
        await asyncio.sleep(0)
    program.work.begin("asr.2", 2)

    assert program.work.at_work(hung_since) == {"asr.1"}
    assert program.work.at_work(loop.time()) == {"asr.1", "asr.2"}


async def test_the_next_program_begins_with_nothing() -> None:
    """The work of the program before does not count."""
    program = Program("llm.1")
    program.work.begin("llm.1", 7, is_setup=True)

    program.work.clear()

    assert program.work.may_begin("llm.2")
    assert program.work.at_work(asyncio.get_running_loop().time()) == set()
