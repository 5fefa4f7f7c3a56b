"""Covers units.tts.unit, speech, options, espeak: with the bundled voice."""

import importlib.util
import io
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.support.units.voice_host import VoiceHost, tell
from unitd.wire.envelope import Envelope
from units.base import SETUP_REFUSED, UnitFault
from units.sound.upload import Upload
from units.tts import speech
from units.tts.unit import TtsUnit

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="needs a voice: pip install espeakng-loader"
)

SETUP = {"response_format": "tts.base64.wav.stream", "enoutput": True, "model": "unitd-tts"}
Setup = Callable[..., None]


@pytest.fixture
def host() -> VoiceHost:
    """Keeps what the unit says."""
    return VoiceHost()


@pytest.fixture
def unit(host: VoiceHost) -> TtsUnit:
    """The unit with the bundled voice."""
    unit = TtsUnit(host)
    unit.load({"engine": "espeak", "path": ""})
    return unit


@pytest.fixture
def setup(unit: TtsUnit) -> Setup:
    """Sets up tts.1, or another."""

    def setup(task: str = "tts.1", **data: Any) -> None:
        tell(unit, "setup", seq=1, task=task, data=SETUP | data, memory=None)

    return setup


def say(unit: TtsUnit, text: str, number: int = 1, **fields: Any) -> None:
    """An inference."""
    tell(unit, "infer", text.encode(), **({"task": "tts.1", "inference": number, "is_text": True} | fields))


def run(unit: TtsUnit) -> None:
    """Until there is nothing to do."""
    while unit.is_busy:
        unit.step()


def seconds_of(payload: bytes) -> float:
    """How long a WAV or raw payload sounds."""
    return len(Upload().feed(payload, "pcm")) / 16000


# The happy day


def test_each_sentence_is_a_wav_of_its_own(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """With a header, at a sensible length and loudness, unclipped; then one end."""
    setup()

    say(unit, "Hello world. How are you today?")
    run(unit)

    deltas = [each["payload"] for each in host.all("delta")]
    sounds = [Upload().feed(payload, "wav").astype(float) for payload in deltas]
    assert [payload[:4] for payload in deltas] == [b"RIFF", b"RIFF"]
    assert [0.5 < len(sound) / 16000 < 2.5 for sound in sounds] == [True, True]
    assert [1000 < np.sqrt(np.mean(sound**2)) < 10_000 for sound in sounds] == [True, True]
    assert max(np.abs(sound).max() for sound in sounds) < 32767
    assert [end["reason"] for end in host.ends()] == ["stop"]


def test_a_client_that_does_not_stream_gets_everything_once(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """One delta before the end, raw where no WAV is asked for."""
    setup(response_format="tts.base64")

    say(unit, "Hello world. How are you today?")
    run(unit)

    (delta,) = host.all("delta")
    assert not delta["payload"].startswith(b"RIFF")
    assert 1.5 < seconds_of(delta["payload"]) < 4
    assert [type_ for type_, _ in host.said] == ["delta", "finish"]


def test_the_speaker_gets_each_sentence_with_its_text(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """`sys.pcm` plays, and without enoutput the client gets nothing but the end."""
    setup(response_format="sys.pcm", enoutput=False)

    say(unit, "**One.** Two! 😀")
    run(unit)

    assert [each["text"] for each in host.all("speak")] == ["**One.**", "Two!"]
    assert not host.all("delta")
    assert [end["reason"] for end in host.ends()] == ["stop"]


@pytest.mark.parametrize(
    ("response_format", "priority", "deltas"),
    [
        ("sys.pcm", 0, 1),
        ("sys.pcm", 1, 0),
        ("sys.pcm.base64", 1, 1),
        ("tts.base64", 1, 1),
        ("tts.base64.stream", 1, 2),
    ],
)
def test_a_client_gets_audio_where_it_asks_for_it(
    host: VoiceHost, unit: TtsUnit, setup: Setup, response_format: str, priority: int, deltas: int
) -> None:
    """What a linked llm wrote (priority 1) is for the loudspeaker alone with `sys.pcm`; the client gets the end."""
    setup(response_format=response_format, enoutput=True)

    say(unit, "One. Two!", priority=priority)
    run(unit)

    assert len(host.all("delta")) == deltas
    assert bool(host.all("speak")) == ("sys" in response_format)
    assert [end["reason"] for end in host.ends()] == ["stop"]


def test_sentences_are_spoken_while_the_text_still_comes(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """As a linked llm streams; the rest at the end."""
    setup()
    say(unit, "", is_open=True)

    spoken = []
    for bit in ("Hel", "lo world.", " How", " are you"):
        tell(unit, "more", bit.encode(), task="tts.1", inference=1, is_last=False)
        run(unit)
        spoken.append(len(host.all("delta")))
    tell(unit, "more", b"", task="tts.1", inference=1, is_last=True)
    run(unit)

    assert spoken == [0, 0, 1, 1]
    assert len(host.all("delta")) == 2
    assert [end["reason"] for end in host.ends()] == ["stop"]


@pytest.mark.alone
def test_the_first_sound_comes_at_once(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """Far sooner than a sentence lasts."""
    setup(response_format="sys.pcm")
    began = time.monotonic()

    say(unit, "It is a quarter past three, and the sun is shining. " * 20)
    while not host.all("speak"):
        unit.step()

    assert host.all("speak")[0]["said_at"] - began < 0.1


def test_sentences_are_a_breath_apart(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """A later sentence begins with the pause that the voice leaves out, the first does not."""
    setup(response_format="sys.pcm")

    say(unit, "Go. Go.")
    run(unit)

    first, second = (np.frombuffer(each["payload"], np.int16) for each in host.all("speak"))
    assert len(second) - len(first) == pytest.approx(0.25 * 16000, abs=160)
    assert np.abs(second[:3800]).max() < 10  # what the resampler rings


@pytest.mark.parametrize("rate", [8000, 22050, 44100])
def test_the_client_chooses_its_rate(host: VoiceHost, unit: TtsUnit, setup: Setup, rate: int) -> None:
    """The same length at every rate; the speaker's stays."""
    setup(sample_rate=rate, response_format="sys.tts.wav.stream")

    say(unit, "Hello world.")
    run(unit)

    (delta,), (speak,) = host.all("delta"), host.all("speak")
    assert int.from_bytes(delta["payload"][24:28], "little") == rate
    assert (len(delta["payload"]) - 44) / 2 / rate == pytest.approx(len(speak["payload"]) / 32000, abs=0.001)


@pytest.mark.parametrize("key", ["speed", "spacker_speed"])
def test_speed_shortens(host: VoiceHost, unit: TtsUnit, setup: Setup, key: str) -> None:
    """Twice as fast takes about half as long; a text may have its own."""
    setup(**{key: 2.0})

    say(unit, "The quick brown fox jumps over the lazy dog.")
    run(unit)
    say(unit, "The quick brown fox jumps over the lazy dog.", options={key: 1.0})
    run(unit)

    fast, usual = (seconds_of(each["payload"]) for each in host.all("delta"))
    assert 0.4 < fast / usual < 0.65


def test_voices_differ(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """Language, speaker and the original's number for one change the sound."""
    choices: list[dict[str, Any]] = [
        {},
        {"language": "de"},
        {"speaker": "f3"},
        {"spacker_role": 1},
        {"language": "EN_gb"},
    ]
    setup()

    for choice in choices:
        say(unit, "Hello world.", options=choice)
        run(unit)

    assert len({each["payload"] for each in host.all("delta")}) == len(choices)


def test_chinese_is_not_spelled_out_in_english(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """Without a language asked for, the letters decide, sentence by sentence."""
    setup()

    say(unit, "你好。 Hello.")
    run(unit)
    say(unit, "你好。", options={"language": "zh-CN"})
    run(unit)

    mixed, _, chinese = (each["payload"] for each in host.all("delta"))
    assert seconds_of(mixed) == pytest.approx(seconds_of(chinese), abs=0.01)


def test_two_tasks_take_turns(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """Neither waits for the other's whole text."""
    setup(response_format="sys.pcm")
    setup("tts.2", response_format="sys.pcm", language="de")

    say(unit, "One. Two. Three.")
    say(unit, "Eins. Zwei. Drei.", task="tts.2")
    run(unit)

    assert [each["text"] for each in host.all("speak")] == ["One.", "Eins.", "Two.", "Zwei.", "Three.", "Drei."]


@pytest.mark.parametrize("text", ["", "None", "...", "😀", "\n\n"])
def test_nothing_to_say_ends_at_once(host: VoiceHost, unit: TtsUnit, setup: Setup, text: str) -> None:
    """No sound, one end."""
    setup()

    say(unit, text)
    run(unit)

    assert [type_ for type_, _ in host.said] == ["finish"]


# Cutting and holding


def test_a_cancel_ends_it_and_nothing_follows(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """The end says so; more of the old text is for nobody; a new text is spoken."""
    setup(response_format="sys.pcm")
    say(unit, "One. Two. Three.", is_open=True)
    while not host.all("speak"):
        unit.step()

    unit.alert(Envelope("cancel", {"task": "tts.1"}))
    tell(unit, "cancel", seq=2, task="tts.1", inference=1)
    tell(unit, "more", b"Four. Five.", task="tts.1", inference=1, is_last=True)
    say(unit, "New.", number=2)
    run(unit)

    assert [each["text"] for each in host.all("speak")] == ["One.", "New."]
    assert [(end["inference"], end["reason"]) for end in host.ends()] == [(1, "interrupted"), (2, "stop")]


def test_a_piece_that_is_cut_is_not_delivered(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """The message has arrived and is not handled yet: what the step made is for nobody."""
    setup(response_format="sys.pcm")
    say(unit, "Several words without any stop.")
    unit.step()

    unit.alert(Envelope("cancel", {"task": "tts.1"}))
    for _ in range(5):
        unit.step()
    tell(unit, "cancel", seq=2, task="tts.1", inference=1)

    assert [type_ for type_, _ in host.said] == ["finish"]


def test_a_late_alert_does_not_cut_the_next_text(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """The loop may handle a cancel before the reader thread has told of it."""
    setup(response_format="sys.pcm")

    tell(unit, "cancel", seq=2, task="tts.1", inference=None)
    unit.alert(Envelope("cancel", {"task": "tts.1"}))
    say(unit, "Hello.")
    run(unit)

    assert [end["reason"] for end in host.ends()] == ["stop"]
    assert host.all("speak")


def test_pause_holds_between_two_sentences(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """And work goes on with the next."""
    setup(response_format="sys.pcm")
    say(unit, "One. Two.")
    while not host.all("speak"):
        unit.step()

    tell(unit, "pause", seq=2, task="tts.1")
    assert not unit.is_busy
    tell(unit, "work", seq=3, task="tts.1")
    run(unit)

    assert [each["text"] for each in host.all("speak")] == ["One.", "Two."]


def test_exit_ends_what_is_said(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """With its end, and the unit is idle."""
    setup()
    say(unit, "One. Two.")

    tell(unit, "exit", seq=2, task="tts.1")

    assert [end["reason"] for end in host.ends()] == ["interrupted"]
    assert not unit.is_busy


# Files


@pytest.mark.parametrize(("form", "found"), [("mp3", "MP3"), ("opus", "OGG"), ("flac", "FLAC"), ("wav", "WAV")])
def test_a_file_holds_all_that_is_said(host: VoiceHost, unit: TtsUnit, setup: Setup, form: str, found: str) -> None:
    """One file for the whole text, whose sentences were encoded one after the other."""
    setup(response_format=f"tts.base64.{form}", sample_rate=24000)

    say(unit, "The light is on. The heating is off. Good night.")
    run(unit)

    [sound] = [each["payload"] for each in host.all("delta")]
    samples, _ = soundfile.read(io.BytesIO(sound))
    assert soundfile.info(io.BytesIO(sound)).format == found
    assert abs(samples).max() > 0.1
    assert 2 < soundfile.info(io.BytesIO(sound)).duration < 8


def test_each_delta_of_a_stream_is_a_file(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """As with WAV."""
    setup(response_format="tts.base64.mp3.stream")

    say(unit, "The light is on. The heating is off.")
    run(unit)

    found = [soundfile.info(io.BytesIO(payload)).format for payload in (each["payload"] for each in host.all("delta"))]
    assert found == ["MP3", "MP3"]


# Bad input


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"language": "klingonese"}, "language 'klingonese'"),
        ({"language": 7}, "language must be a text"),
        ({"speaker": "nobody"}, "speaker 'nobody'"),
        ({"speaker": 99}, "speaker 99"),
        ({"spacker_role": [1]}, "spacker_role must be"),
        ({"speed": 0}, "speed must be a number from 0.25 to 4.0"),
        ({"spacker_speed": "fast"}, "spacker_speed must be"),
        ({"speed": float("nan")}, "speed must be"),
        ({"sample_rate": 96000}, "sample_rate must be"),
        ({"sample_rate": 17000, "response_format": "tts.base64.mp3"}, "sample_rate must be one of 8000, .* for mp3"),
        ({"sample_rate": 22050, "response_format": "tts.base64.opus"}, "sample_rate must be one of 8000, .* for opus"),
        ({"enoutput": "yes"}, "enoutput must be true or false"),
        ({"response_format": None}, "response_format must be a text"),
    ],
)
def test_a_bad_setup_is_refused_by_name(setup: Setup, data: dict[str, Any], words: str) -> None:
    """The sentence names the key."""
    with pytest.raises(UnitFault, match=words) as refused:
        setup(**data)

    assert refused.value.code == SETUP_REFUSED


@pytest.mark.parametrize(
    ("fields", "words"), [({"is_text": False}, "tts takes text"), ({"options": {"speed": 9}}, "speed must be")]
)
def test_a_text_that_cannot_be_spoken_ends_with_a_reason(
    host: VoiceHost, unit: TtsUnit, setup: Setup, fields: dict[str, Any], words: str
) -> None:
    """In the inference's name; the task lives."""
    setup()

    say(unit, "Hello.", **fields)
    say(unit, "Hello.", number=2)
    run(unit)

    assert words in host.ends()[0]["message"]
    assert [end["reason"] for end in host.ends()] == ["error", "stop"]


def test_too_much_for_one_answer_is_refused(
    host: VoiceHost, unit: TtsUnit, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that wants a book asks for a stream."""
    monkeypatch.setattr(speech, "MAX_KEPT_BYTES", 50_000)
    setup(response_format="tts.base64.wav")

    say(unit, "One sentence after another. " * 5)
    run(unit)

    assert "ask for a stream" in host.ends()[0]["message"]
    assert not host.all("delta")


def test_garbage_is_spoken_as_far_as_it_goes(host: VoiceHost, unit: TtsUnit, setup: Setup) -> None:
    """Control characters, halves of characters, nulls: one end, no crash."""
    setup()

    tell(unit, "infer", bytes(range(256)) * 4, task="tts.1", inference=1, is_text=True)
    run(unit)

    assert [end["reason"] for end in host.ends()] == ["stop"]
