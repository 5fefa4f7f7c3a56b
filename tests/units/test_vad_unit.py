"""Covers units.vad.unit, units.vad.gate, units.vad.silero, units.vad.webrtc, units.setup_values."""

from typing import Any

import numpy as np
import pytest

from tests.support.units.ears import Ears
from tests.support.units.far_silero import FarSilero
from tests.support.units.spoken import RATE, cut_up, joined, recording, silence, speak
from units.base import SETUP_REFUSED, LoadError, UnitFault
from units.engines import ENGINES
from units.vad.gate import GateRules, SpeechGate
from units.vad.unit import VadUnit

VAD: dict[str, Any] = {"response_format": "vad.bool"}
SPEECH = "the weather is nice in paris"


@pytest.fixture(autouse=True)
def far_silero(silero_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real silero, out of llama.cpp's way."""
    monkeypatch.setitem(ENGINES["vad"], "silero", "tests.support.units.far_silero:FarSilero")


@pytest.fixture
def ears() -> Ears:
    """The bundled engine."""
    return Ears(VadUnit)


@pytest.mark.parametrize("engine", ["silero", "webrtc"])
def test_speech_begins_and_ends(ears: Ears, engine: str) -> None:
    """Near where it really does, twice."""
    ears.setup(**VAD, engine=engine)

    ears.hear(joined(silence(1), speak(SPEECH), silence(1.5), speak(SPEECH), silence(1.5)))

    assert ears.data() == [True, False, True, False]
    assert [event["is_speech"] for event in ears.events()] == ears.data()
    begin, end = [event["heard_at"] for event in ears.events()[:2]]
    assert 1.0 < begin < 1.8
    assert abs(end - 1.5 - len(speak(SPEECH)) / RATE) < 0.5


def test_a_real_voice_is_speech(ears: Ears) -> None:
    """A reader of a library's recording."""
    ears.setup(**VAD)

    ears.hear(joined(recording("speech/libri-0.wav"), silence(1)))

    assert (ears.data()[0], ears.data()[-1]) == (True, False)


def test_noise_is_no_speech(ears: Ears) -> None:
    """Neither noise nor silence is speech."""
    ears.setup(**VAD)

    ears.hear(joined(silence(1), np.random.default_rng(2).normal(0, 1000, 5 * RATE).astype(np.int16), silence(1)))

    assert ears.events() == []


def test_more_silence_may_be_asked_for(ears: Ears) -> None:
    """Then a pause is none."""
    ears.setup(**(VAD | {"silero_vad.min_silence_duration": 2.0}))

    ears.hear(joined(speak(SPEECH), silence(1), speak(SPEECH), silence(2.5)))

    assert ears.data() == [True, False]


def test_more_speech_may_be_asked_for(ears: Ears) -> None:
    """Then a word is none."""
    ears.setup(**(VAD | {"silero_vad.min_speech_duration": 3.0}))

    ears.hear(joined(speak(SPEECH), silence(1)))

    assert ears.data() == []


def test_a_sleeping_vad_is_woken_for_one_utterance(ears: Ears) -> None:
    """Or until nobody has spoken for rule1 seconds."""
    ears.setup(**VAD, input=["sys.pcm", "kws.1"], rule1=2.0)

    ears.hear(joined(speak(SPEECH), silence(1)))
    ears.tell("wake", at=ears.now)
    ears.hear(joined(speak(SPEECH), silence(1), speak(SPEECH), silence(1)))
    ears.tell("wake", at=ears.now)
    ears.hear(joined(silence(2.5), speak(SPEECH), silence(1)))

    assert ears.data() == [True, False]


def test_an_upload_ends_with_its_last_sample(ears: Ears) -> None:
    """Speech that goes on until there ends there."""
    ears.setup(**VAD, input=["vad"])

    ears.upload(speak(SPEECH)[:RATE].tobytes())

    assert ears.data() == [True, False]
    assert [event["source"] for event in ears.events()] == ["upload", "upload"]
    assert ears.answers() == [{}]


def test_a_whole_upload_without_speech_is_answered(ears: Ears) -> None:
    """By `false`, once; linked tasks are not told, for no speech has ended. Pieces have no answer of their own."""
    ears.setup(**VAD, input=["vad"])

    ears.upload(joined(speak(SPEECH), silence(1)).tobytes(), is_whole=False)
    ears.upload(silence(1).tobytes())
    ears.upload(joined(speak(SPEECH), silence(1)).tobytes())

    assert ears.data() == [True, False, False, True, False]
    assert ["is_speech" in event for event in ears.events()] == [True, True, False, True, True]


def test_uploads_and_microphone_do_not_mix(ears: Ears) -> None:
    """An upload of speech in the middle of silence changes nothing there."""
    ears.setup(**VAD)
    ears.hear(silence(1))

    ears.upload(speak(SPEECH).tobytes(), is_whole=False)
    ears.hear(silence(2))

    assert {event["source"] for event in ears.events()} == {"upload"}


@pytest.mark.parametrize("length", [1, 20, 511, 512, 700, 16000])
def test_slicing_changes_nothing(length: int) -> None:
    """One sample at a time, or a second."""
    speech = joined(silence(0.2), speak("good night"), silence(1))
    whole, cut = SpeechGate(FarSilero(), GateRules()), SpeechGate(FarSilero(), GateRules())

    changes = [change for piece in cut_up(speech, length) for change in cut.feed(piece)]

    assert changes == whole.feed(speech) == [True, False]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"silero_vad.threshold": 2}, "silero_vad.threshold is 2"),
        ({"silero_vad.threshold": None}, "silero_vad.threshold is None"),
        ({"silero_vad.min_silence_duration": "1"}, "silero_vad.min_silence_duration is '1'"),
        ({"silero_vad.min_speech_duration": -1}, "silero_vad.min_speech_duration is -1"),
        ({"engine": "ten"}, "engine: there is no vad engine 'ten'"),
        ({"engine": 1}, "engine must be a text"),
    ],
)
def test_bad_values_are_refused_by_name(ears: Ears, data: dict[str, Any], words: str) -> None:
    """The words become the setup's error."""
    with pytest.raises(UnitFault, match=words) as fault:
        ears.setup(**VAD, **data)

    assert fault.value.code == SETUP_REFUSED


def test_an_unknown_engine_does_not_load() -> None:
    """The card is wrong."""
    with pytest.raises(LoadError, match="no vad engine 'ten'"):
        Ears(VadUnit, engine="ten")
