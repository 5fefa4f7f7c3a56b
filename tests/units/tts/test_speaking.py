"""Covers units.tts.unit, speech, options, espeak: with the bundled voice."""

import importlib.util
import time
from typing import Any

import numpy as np
import pytest

from tests.support.units.voice_host import Setup, VoiceHost, run, say, tell
from unitd.wire.envelope import Envelope
from units.sound.upload import Upload
from units.tts.unit import TtsUnit

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="needs a voice: pip install espeakng-loader"
)


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
