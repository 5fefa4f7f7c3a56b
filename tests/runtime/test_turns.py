"""Covers unitd.runtime.audio.latency, and what the link router and the audio hub tell it."""

import logging
import re
from pathlib import Path

import pytest

from tests.support.daemon import running_app, tcp_client
from tests.support.setups import LLM_SETUP, LONG_QUESTION
from tests.support.units.spoken import joined, silence, speak
from tests.support.units.voice_setups import ASR, KWS, TTS, write_wav
from tests.support.waiting import eventually
from unitd.runtime.audio.latency import TurnLatency
from unitd.runtime.metrics import Metrics, Step

ANSWER, VOICE = ("llm.3", 1), ("tts.4", 7)


class Clock:
    """Stands still until it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock."""
    return Clock()


@pytest.fixture
def metrics() -> Metrics:
    """Nothing is counted yet."""
    return Metrics()


@pytest.fixture
def latency(metrics: Metrics, clock: Clock, caplog: pytest.LogCaptureFixture) -> TurnLatency:
    """Nobody speaks."""
    caplog.set_level(logging.INFO)
    return TurnLatency(metrics, clock)


def total(metrics: Metrics, step: Step) -> float:
    """Milliseconds that a step took, over all turns."""
    return round(metrics.chain[step].total * 1000)


def test_a_turn_is_told_in_one_line(
    latency: TurnLatency, metrics: Metrics, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Each step from the end of the one before; later deltas and sounds change nothing."""
    latency.begin("asr.2", ANSWER, clock.now - 0.42)
    clock.now += 0.06
    latency.note_word(ANSWER)
    latency.note_voice(ANSWER, VOICE)
    clock.now += 0.5
    latency.note_word(ANSWER)
    latency.note_sound(VOICE, clock.now - 0.16)
    latency.note_sound(VOICE, clock.now)
    latency.end(ANSWER)
    latency.end(VOICE)

    [line] = caplog.messages
    assert line == (
        "= turn: text 420 ms after the speech, first word 60 ms later, sound 340 ms later (asr.2, llm.3, tts.4)"
    )
    assert [total(metrics, step) for step in (Step.SPEECH_TO_TEXT, Step.TEXT_TO_WORD, Step.WORD_TO_SOUND)] == [
        420,
        60,
        340,
    ]


def test_an_answer_without_a_voice_is_told_at_its_end(
    latency: TurnLatency, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """An uploaded sentence has no time of its speech either."""
    latency.begin("asr.2", ANSWER, None)
    clock.now += 0.06
    latency.note_word(ANSWER)
    latency.end(ANSWER)

    assert caplog.messages == ["= turn: first word 60 ms later (asr.2, llm.3)"]


def test_a_turn_that_was_cut_tells_how_far_it_came(
    latency: TurnLatency, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Before the first word, or before its sound."""
    latency.begin("asr.2", ANSWER, None)
    latency.end(ANSWER)
    latency.begin("asr.2", ("llm.3", 2), clock.now)
    latency.note_word(("llm.3", 2))
    latency.note_voice(("llm.3", 2), VOICE)
    latency.end(("llm.3", 2))
    latency.end(VOICE)

    assert caplog.messages == [
        "= turn: ended before its first word (asr.2, llm.3)",
        "= turn: text 0 ms after the speech, first word 0 ms later (asr.2, llm.3, tts.4)",
    ]


def test_what_nobody_said_is_no_turn(latency: TurnLatency, metrics: Metrics, caplog: pytest.LogCaptureFixture) -> None:
    """A client that types and a voice of its own are measured elsewhere."""
    latency.note_word(ANSWER)
    latency.note_voice(ANSWER, VOICE)
    latency.note_sound(VOICE)
    latency.end(VOICE)
    latency.note_silence("tts.4", 100.0)

    assert caplog.messages == []
    assert sum(histogram.count for histogram in metrics.chain.values()) == 0


@pytest.mark.timeout(60)
async def test_a_spoken_turn_is_measured_from_end_to_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A wake opens the ears, a question gets a spoken answer, and a second wake silences it."""
    caplog.set_level(logging.INFO)
    capture = write_wav(tmp_path / "in.wav", joined(silence(1), speak(LONG_QUESTION), silence(6)))
    devices = {"capture": capture, "playback": f"file:{tmp_path}/out.wav"}
    async with running_app(tmp_path, {"audio": devices}) as app, tcp_client(app) as client:
        grammar = f"#JSGF V1.0; grammar g; public <g> = {LONG_QUESTION};"
        kws = await client.setup("kws", KWS | {"input": []})
        asr = await client.setup("asr", ASR | {"input": [kws], "grammar": grammar, "rule1": 5})
        llm = await client.setup("llm", LLM_SETUP | {"input": [asr, kws]})
        await client.setup("tts", TTS | {"response_format": "sys.pcm", "input": [llm, kws]})
        chain = app.metrics.chain

        await client.ask(work_id=asr, action="link", data="sys.pcm")
        await client.send(work_id=kws, action="trigger")
        await eventually(lambda: chain[Step.WORD_TO_SOUND].count == 1, timeout=20)
        await client.send(work_id=kws, action="trigger")
        await eventually(lambda: chain[Step.WAKE_TO_SILENCE].count == 1)

    [line] = [each for each in caplog.messages if each.startswith("= turn")]
    assert re.fullmatch(
        rf"= turn: text \d+ ms after the speech, first word \d+ ms later, sound \d+ ms later \({asr}, {llm}, tts.\d+\)",
        line,
    )
    assert 0.9 < chain[Step.SPEECH_TO_TEXT].total < 2.5
    assert chain[Step.WAKE_TO_EARS].count == 2
    assert chain[Step.WAKE_TO_SILENCE].total < 0.15
