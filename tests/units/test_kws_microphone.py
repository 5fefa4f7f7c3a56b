"""Covers units.kws.unit: the microphone's way when hearing takes longer than speaking."""

import pytest

from tests.support.units.kws_bench import TASK, KwsBench
from tests.support.units.spoken import RATE, Samples, cut_up, joined, silence, speak
from unitd.wire.envelope import Envelope

pytest.importorskip("pymicro_wakeword", reason="pip install pymicro-wakeword")


@pytest.fixture
def bench() -> KwsBench:
    """A task that waits for its word."""
    bench = KwsBench()
    bench.setup(kws="hey jarvis")
    return bench


def send(bench: KwsBench, samples: Samples, **fields: int) -> None:
    """The microphone goes on, and the unit gets no time to hear it."""
    for period in cut_up(samples, RATE // 50):
        bench.clock += len(period) / RATE
        message = {"tasks": [TASK], "at": bench.clock} | fields
        bench.unit.handlers["pcm"](Envelope("pcm", message, period.tobytes()))


def test_what_waits_too_long_is_dropped_at_once_and_the_next_word_is_heard(bench: KwsBench) -> None:
    """Two seconds go together, counted in the log; nothing is kept for later."""
    send(bench, joined(speak("hey jarvis"), silence(1.5)))
    bench.drain()
    shed = bench.events()
    send(bench, joined(silence(0.3), speak("hey jarvis"), silence(0.5)))
    bench.drain()

    assert (shed, bench.phrases()) == ([], ["hey jarvis"])
    assert bench.host.logged() == "kws cannot keep up, 100 microphone periods were dropped"


def test_who_is_late_by_less_hears_everything(bench: KwsBench) -> None:
    """And knows when it was said."""
    sound = joined(silence(0.3), speak("hey jarvis"), silence(0.5))

    send(bench, sound)
    bench.drain()

    assert len(sound) / RATE < 2
    assert bench.host.logged() == ""
    (event,) = bench.events()
    assert 0.3 < event["heard_at"] < len(sound) / RATE


def test_a_paused_task_does_not_hear_what_waits(bench: KwsBench) -> None:
    """After the reply to pause no wake comes, and none of the old ones after work."""
    send(bench, joined(speak("hey jarvis"), silence(0.4)))

    bench.tell("pause")
    bench.tell("work")
    bench.drain()

    assert bench.events() == []


def test_a_period_that_is_asked_about_is_answered_when_it_has_been_heard(bench: KwsBench) -> None:
    """A file that is read fast waits for that; those that were dropped are answered, too."""
    known = bench.answers()
    send(bench, silence(2.1), seq=7)
    dropped = bench.answers() - known
    bench.drain()

    assert (dropped, bench.answers() - known) == (100, 105)
