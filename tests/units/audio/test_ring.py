"""Covers units.audio.chime, playlist, playback and unit: the ring of a timer."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.units.audio_files import Start, read_wav
from tests.support.units.voice_host import VoiceHost, tell
from units.audio.chime import RING_HZ, RING_PEAKS, ring
from units.audio.playlist import RING, Item, Playlist
from units.base import UNAVAILABLE, UnitFault
from units.sound.fades import FADE_SAMPLES
from units.sound.upload import RATE


def test_a_ring_grows_and_clicks_nowhere() -> None:
    """Each level is louder than the one before, the last goes on; it begins and ends in silence."""
    rings = [ring(level) for level in range(len(RING_PEAKS) + 1)]

    peaks = [int(np.abs(each.astype(np.int32)).max()) for each in rings]
    assert peaks[:-1] == sorted(set(peaks))
    assert peaks[-1] == peaks[-2] < 32767
    assert len(rings[0]) / RATE == pytest.approx(1.5, abs=0.05)
    assert rings[-1][0] == rings[-1][-1] == 0
    assert max(np.abs(np.diff(rings[-1].astype(np.int32)))) < 2 * np.pi * max(RING_HZ) / RATE * peaks[-1]  # as a tone


def test_a_ring_sounds_over_speech() -> None:
    """Which goes on as it is."""
    playlist = Playlist()
    playlist.add(Item("tts.1", 1, np.full(400, 1000, np.int16)))
    playlist.add_over(Item(RING, 0, np.full(200, 3000, np.int16)))

    taken = playlist.take(300)

    assert taken.samples.tolist() == [4000] * 200 + [1000] * 100
    assert [item.owner for item in taken.begun] == ["tts.1", RING]
    assert [item.owner for item in taken.ended] == [RING]
    assert playlist.take(300).samples.tolist() == [1000] * 100


def test_a_ring_sounds_where_nothing_else_does() -> None:
    """And is too loud for no device, whatever it sounds over."""
    playlist = Playlist()
    playlist.add_over(Item(RING, 0, np.full(100, 3000, np.int16)))
    alone = playlist.take(300).samples
    playlist.add(Item("tts.1", 1, np.full(50, 32767, np.int16)))
    playlist.add_over(Item(RING, 0, np.full(50, 26000, np.int16)))

    together = playlist.take(300).samples

    assert alone.tolist() == [3000] * 100
    assert together.tolist() == [32767] * 50


@pytest.mark.parametrize(("volume", "ringing"), [(1.0, 3000), (0.5, 1500), (0.1, 900), (0.0, 900)])
def test_a_ring_is_heard_on_a_quiet_board(volume: float, ringing: int) -> None:
    """Show that a ring follows the volume down to 30 percent and no further."""
    playlist = Playlist()
    playlist.add(Item("tts.1", 1, np.full(100, 1000, np.int16)))
    playlist.add_over(Item(RING, 0, np.full(200, 3000, np.int16)))

    samples = playlist.take(300, volume).samples.tolist()

    assert samples == [ringing + round(1000 * volume)] * 100 + [ringing] * 100


def test_a_stopped_ring_fades_and_the_speech_goes_on() -> None:
    """Within 5 ms."""
    playlist = Playlist()
    playlist.add(Item("tts.1", 1, np.full(4000, 1000, np.int16)))
    playlist.add_over(Item(RING, 0, np.full(4000, 3000, np.int16)))
    playlist.take(100)

    playlist.stop(RING)

    rest = playlist.take(1000).samples
    assert rest[0] > rest[FADE_SAMPLES // 2] > rest[FADE_SAMPLES - 1]
    assert rest[FADE_SAMPLES:].tolist() == [1000] * (1000 - FADE_SAMPLES)


def test_wake_words_are_heard_in_the_pauses() -> None:
    """While a ring sounds the microphone is as deaf as during speech; a chime does not count."""
    playlist = Playlist()
    playlist.add_over(Item(RING, 0, np.full(100, 3000, np.int16)))
    while_it_sounds = playlist.is_speaking, playlist.has_sound()

    playlist.take(100)

    assert while_it_sounds == (True, True)
    assert (playlist.is_speaking, playlist.has_sound()) == (False, False)


def test_a_ring_is_in_the_file_until_it_is_stopped(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Over a sound that plays already."""
    unit = start(playback=f"file:{tmp_path}/out.wav")
    tell(unit, "play", np.full(8000, 100, np.int16).tobytes(), owner="a", number=1, form="pcm")
    host.wait_for("playing")

    tell(unit, "ring", level=5)
    host.wait_for("playing", 2)
    tell(unit, "stop", owner=RING)
    host.wait_for("played", 2)

    timeline = read_wav(tmp_path / "out.wav")
    assert np.abs(timeline).max() > 2000
    assert np.count_nonzero(np.abs(timeline) > 200) < RATE // 2


def test_a_ring_without_a_loudspeaker_is_refused(start: Start) -> None:
    """With the reason, so that the daemon can say that others must tell of it."""
    unit = start(playback="")

    with pytest.raises(UnitFault) as refusal:
        tell(unit, "ring", level=0)

    assert refusal.value.code == UNAVAILABLE
    assert "no loudspeaker" in str(refusal.value)
