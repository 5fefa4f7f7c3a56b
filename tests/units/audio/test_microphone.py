"""Covers units.audio.unit, capture, files, state: what is heard, through files and FIFOs."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.support.units.audio_files import Start, states_of, write_wav
from tests.support.units.voice_host import VoiceHost, tell, tone
from units.audio.devices import PERIOD
from units.audio.unit import PERIODS_AHEAD


def test_a_wav_is_heard_in_periods(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """20 ms each, nothing lost, silence behind the end."""
    sound = tone(0.5)
    write_wav(tmp_path / "in.wav", sound)

    tell(start(capture=f"file:{tmp_path}/in.wav", pace="fast"), "listen", is_on=True)
    periods = host.wait_for("pcm", 30)

    assert {len(each["payload"]) for each in periods} == {2 * PERIOD}
    assert np.array_equal(host.sound("pcm")[: len(sound)], sound)
    assert not host.sound("pcm")[len(sound) :].any()


def test_a_file_of_another_rate_is_heard_at_ours(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """The tone keeps its length and its height."""
    write_wav(tmp_path / "in.wav", tone(1.0, rate=44100), rate=44100)

    tell(start(capture=f"file:{tmp_path}/in.wav"), "listen", is_on=True)
    host.wait_for("pcm", 55)

    sound = host.sound("pcm")
    assert abs(int(np.flatnonzero(np.abs(sound) > 500)[-1]) - 16000) < 50
    assert abs(int(np.argmax(np.abs(np.fft.rfft(sound[:16000])))) - 440) <= 1


def test_raw_samples_and_odd_bytes_are_heard(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """A file without a header is 16 kHz; half a sample at its end is none."""
    (tmp_path / "in.pcm").write_bytes(tone(0.1).tobytes() + b"x")

    tell(start(capture=f"file:{tmp_path}/in.pcm", pace="fast"), "listen", is_on=True)
    host.wait_for("pcm", 6)

    assert np.array_equal(host.sound("pcm")[:1600], tone(0.1))
    assert not host.sound("pcm")[1600:].any()


def test_a_file_of_another_kind_is_heard(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """FLAC of 24 bits, as recorders write it."""
    soundfile.write(tmp_path / "in.flac", tone(0.5), 16000, subtype="PCM_24")

    tell(start(capture=f"file:{tmp_path}/in.flac", pace="fast"), "listen", is_on=True)
    host.wait_for("pcm", 30)

    assert np.abs(host.sound("pcm")[:8000] - tone(0.5)).max() <= 1


@pytest.mark.parametrize(
    ("samples", "rate", "words"),
    [
        (0, 16000, "holds no sound: only silence is heard"),
        (4000, 8000, "has 8000 samples a second: words are misheard below 16000"),
    ],
)
def test_a_file_that_cannot_be_understood_well_is_told_in_the_log(
    host: VoiceHost, start: Start, tmp_path: Path, samples: int, rate: int, words: str
) -> None:
    """The warning comes once, and the file is still heard."""
    write_wav(tmp_path / "in.wav", np.zeros(samples, np.int16), rate)

    tell(start(capture=f"file:{tmp_path}/in.wav", pace="fast"), "listen", is_on=True)
    host.wait_for("pcm", 40)

    assert [each["text"] for each in host.all("log")] == [f"{tmp_path}/in.wav {words}"]


def test_a_file_without_a_byte_is_told_in_the_log(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """A file without even a header is reported."""
    (tmp_path / "in.wav").touch()

    tell(start(capture=f"file:{tmp_path}/in.wav"), "listen", is_on=True)
    host.wait_for("pcm", 2)

    assert [each["level"] for each in host.all("log")] == ["warning"]


def test_a_fast_file_waits_for_its_ears(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """A second ahead of them, no more; its times are those at which it would have sounded."""
    write_wav(tmp_path / "in.wav", tone(2.0))
    unit = start(capture=f"file:{tmp_path}/in.wav", pace="fast")
    tell(unit, "listen", is_on=True)
    ahead = len(host.wait_for("pcm", PERIODS_AHEAD))

    for _ in range(10):
        tell(unit, "heard")
    periods = host.wait_for("pcm", PERIODS_AHEAD + 10)

    assert (ahead, len(periods)) == (PERIODS_AHEAD, PERIODS_AHEAD + 10)
    assert periods[-1]["at"] - periods[0]["at"] == pytest.approx((len(periods) - 1) * 0.02)
    assert periods[-1]["said_at"] - periods[0]["said_at"] < 1


def test_real_pace_is_kept(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """A period every 20 ms, each with the time of its last sample."""
    write_wav(tmp_path / "in.wav", tone(1.0))

    tell(start(capture=f"file:{tmp_path}/in.wav"), "listen", is_on=True)
    periods = host.wait_for("pcm", 25)

    assert periods[24]["at"] - periods[0]["at"] == pytest.approx(24 * 0.02, abs=0.06)
    assert periods[24]["said_at"] - periods[24]["at"] < 0.1


def test_nobody_listens_nothing_is_heard(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Off means silence; on again the file begins anew."""
    write_wav(tmp_path / "in.wav", tone(0.2))
    unit = start(capture=f"file:{tmp_path}/in.wav", pace="fast")

    tell(unit, "listen", is_on=True)
    host.wait_for("pcm", 12)
    tell(unit, "listen", is_on=False)
    while tell(unit, "status", seq=1)["capture"]["state"] != "idle":
        threading.Event().wait(0.005)
    host.said.clear()
    tell(unit, "listen", is_on=True)
    host.wait_for("pcm", 12)

    assert np.array_equal(host.sound("pcm")[:3200], tone(0.2))


def test_a_fifo_is_heard_as_it_is_written(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Silence before a writer comes, its sound, and silence again when it is gone."""
    os.mkfifo(tmp_path / "mic")
    tell(start(capture=f"file:{tmp_path}/mic"), "listen", is_on=True)
    host.wait_for("pcm", 3)

    (tmp_path / "mic").write_bytes(tone(0.2).tobytes())
    host.wait_for("pcm", 60)

    sound = host.sound("pcm")
    begin = int(np.flatnonzero(sound)[0]) - 1
    assert not sound[:begin].any()
    assert np.array_equal(sound[begin : begin + 3200], tone(0.2))


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "No such file"), (b"ID3\x03" + bytes(500), "MP3"), (b"RIFF\x10\0\0\0WAVEfmt \0", "ends in its header")],
)
def test_a_file_that_cannot_be_heard_is_told_once(
    host: VoiceHost, start: Start, tmp_path: Path, content: bytes | None, words: str
) -> None:
    """The reason names it; it is tried again without a word."""
    if content is not None:
        (tmp_path / "in.wav").write_bytes(content)

    tell(start(capture=f"file:{tmp_path}/in.wav", pace="fast"), "listen", is_on=True)
    (missing,) = host.wait_for("device", which="capture")
    threading.Event().wait(0.7)  # long enough for a second try and a third

    assert missing["state"] == "missing"
    assert words in missing["reason"]
    assert states_of(host.all("device")).count(("capture", "missing")) == 1


def test_a_file_that_comes_later_is_opened(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """The file is opened as soon as it exists, like a microphone that is plugged in."""
    tell(start(capture=f"file:{tmp_path}/in.wav", pace="fast"), "listen", is_on=True)
    host.wait_for("device", which="capture")

    write_wav(tmp_path / "in.wav", tone(0.1))
    host.wait_for("pcm", 5)

    assert states_of(host.all("device"))[-1] == ("capture", "open")
