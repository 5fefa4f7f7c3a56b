"""Covers units.asr.unit: what clients upload, whole and in pieces, and what is refused in its turn."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.units.ears import Ears
from tests.support.units.spoken import RATE, cut_up, joined, silence, speak
from units.asr.unit import AsrUnit
from units.base import LATER, RUN_FAILED
from units.sound.wav import wav_header

GRAMMAR = """#JSGF V1.0;
grammar home;
public <command> = turn (on | off) the (light | lamp | radio) | what time is it | good night;
"""
ASLEEP: dict[str, Any] = {"input": ["sys.pcm", "kws.1"], "grammar": GRAMMAR}
STREAM: dict[str, Any] = {"response_format": "asr.utf-8.stream"}
LIGHT = "turn on the light"


@pytest.fixture(scope="module")
def kept_ears() -> Ears:
    """The bundled engine, loaded once."""
    return Ears(AsrUnit)


@pytest.fixture
def ears(kept_ears: Ears) -> Iterator[Ears]:
    """That engine; its tasks end with the test."""
    yield kept_ears
    kept_ears.forget()


def test_a_whole_upload_is_answered(ears: Ears) -> None:
    """At once, with no silence behind it, and then the message itself."""
    ears.setup(input=["asr"], grammar=GRAMMAR)

    ears.upload(speak(LIGHT).tobytes())

    assert ears.data() == ["turn on the light."]
    assert ears.events()[0]["source"] == "upload"
    assert ears.answers() == [{}]


def test_an_upload_comes_in_any_slicing(ears: Ears) -> None:
    """Odd byte counts in a WAV, while the same task sleeps beside its microphone."""
    ears.setup(**ASLEEP)
    sound = wav_header(len(speak(LIGHT)), RATE) + speak(LIGHT).tobytes()

    for begin in range(0, len(sound), 3333):
        ears.upload(sound[begin : begin + 3333], form="wav", is_whole=begin + 3333 >= len(sound))

    assert ears.data() == ["turn on the light."]


def test_a_whole_upload_of_silence_is_answered_empty(ears: Ears) -> None:
    """In both forms."""
    ears.setup(input=["asr"])
    ears.setup("asr.2", **STREAM)

    ears.upload(silence(1).tobytes())
    ears.upload(b"", task="asr.2")

    assert ears.data() == ["", {"delta": "", "finish": True, "index": 0}]


def test_a_whole_upload_is_answered_after_a_sentence_that_ended_before_it(ears: Ears) -> None:
    """A sentence and the silence that ends it, in pieces; then the end of the audio, an answer of its own."""
    ears.setup(input=["asr"], grammar=GRAMMAR)

    for piece in cut_up(joined(speak(LIGHT), silence(1.5)), 1024):
        ears.upload(piece.tobytes(), is_whole=False)
    ears.upload(wav_header(0, RATE), form="wav")

    assert ears.data() == ["turn on the light.", ""]


@pytest.mark.parametrize("after", [0, 1.5, 3])
def test_a_whole_upload_that_was_answered_gets_no_second_answer(ears: Ears, after: float) -> None:
    """Whether its sentence ends by silence or with the file, which may come in pieces."""
    ears.setup(input=["asr"], grammar=GRAMMAR)
    sound = joined(speak(LIGHT), silence(after))
    file = wav_header(len(sound), RATE) + sound.tobytes()

    ears.upload(file, form="wav")
    for begin in range(0, len(file), 3333):
        ears.upload(file[begin : begin + 3333], form="wav", is_whole=begin + 3333 >= len(file))

    assert ears.data() == ["turn on the light."] * 2


def test_pieces_have_no_answer_of_their_own(ears: Ears) -> None:
    """Silence in pieces says nothing, and is heard to its end all the same."""
    ears.setup(input=["asr"])

    ears.upload(silence(1).tobytes(), is_whole=False)
    ears.tell("idle")
    ears.drain()

    assert ears.data() == []
    assert ears.answers() == [{}, {}]


def test_a_bad_upload_is_refused_in_its_turn(ears: Ears) -> None:
    """After the answer to the one before it, and the next one is heard."""
    ears.setup(input=["asr"], grammar=GRAMMAR)
    ears.tell("hear", speak(LIGHT).tobytes(), form="pcm", is_whole=True)
    ears.tell("hear", b"ID3\x04" + bytes(500), form="wav", is_whole=True)
    ears.tell("hear", speak(LIGHT).tobytes(), form="pcm", is_whole=True)

    ears.drain()

    assert [type_ for type_, _ in ears.host.said] == ["event", "result", "result", "event", "result"]
    assert ears.data() == ["turn on the light."] * 2
    refusal = ears.answers()[1]
    assert refusal["code"] == RUN_FAILED and "MP3" in refusal["message"]


def test_what_a_bad_upload_began_is_forgotten(ears: Ears) -> None:
    """A sentence that ended in an error is no part of the next one."""
    ears.setup(input=["asr"], grammar=GRAMMAR)
    ears.upload(speak("good night").tobytes(), is_whole=False)

    ears.upload(b"RIFF")
    ears.upload(speak(LIGHT).tobytes())

    assert "ends in its header" in ears.answers()[1]["message"]
    assert ears.data() == ["turn on the light."]


def test_a_long_upload_lets_other_messages_through(ears: Ears) -> None:
    """It is heard a tenth of a second at a time; an exit answers it."""
    ears.setup(input=["asr"])
    later = ears.tell("hear", silence(60).tobytes(), form="pcm", is_whole=True)

    ears.unit.step()
    before = ears.answers()
    ears.tell("exit")

    assert (later is LATER, before) == (True, [])
    assert ears.answers()[0]["code"] == RUN_FAILED
    assert not ears.unit.is_busy


def test_tasks_take_turns(ears: Ears) -> None:
    """Two uploads at once are both under way after two steps."""
    ears.setup("asr.1", input=["asr"], grammar=GRAMMAR)
    ears.setup("asr.2", input=["asr"], grammar=GRAMMAR)
    ears.tell("hear", silence(60).tobytes(), form="pcm", is_whole=True)
    ears.tell("hear", speak(LIGHT).tobytes(), task="asr.2", form="pcm", is_whole=True)

    for _ in range(2 * (len(speak(LIGHT)) // (RATE // 10) + 1)):
        ears.unit.step()

    assert [event["task"] for event in ears.events()] == ["asr.2"]
