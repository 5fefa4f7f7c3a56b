"""Covers units.tts.unit: speech as files of every form, and what is refused or cannot be spoken."""

import io
from typing import Any

import pytest
import soundfile

from tests.support.units.voice_host import Setup, VoiceHost, run, say, tell
from units.base import SETUP_REFUSED, UnitFault
from units.tts import speech
from units.tts.unit import TtsUnit

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
