"""Covers units.audio.unit, playback, playlist, files, state: what is played, through files and FIFOs."""

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.units.audio_files import Start, read_wav, write_wav
from tests.support.units.voice_host import VoiceHost, tell, tone
from units.audio import playlist as playlist_module
from units.audio.devices import BLOCK
from units.audio.playlist import Item, Playlist
from units.base import UNAVAILABLE, LoadError, UnitFault
from units.sound.upload import RATE
from units.sound.wav import wav_header


def test_what_is_played_is_in_the_file(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """In order, each told when it is over, raw and WAV and of any rate."""
    unit = start(playback=f"file:{tmp_path}/out.wav", pace="fast")

    tell(unit, "play", tone(0.1).tobytes(), owner="a", number=1, form="pcm")
    tell(unit, "play", wav_header(4410, 22050) + tone(0.2, 22050, 880).tobytes(), owner="a", number=2, form="wav")
    tell(unit, "play", tone(0.1, 8000).tobytes(), owner="b", number=1, form="pcm", rate=8000)
    played = host.wait_for("played", 3)

    assert [(each["owner"], each["number"], each["is_cut"]) for each in played] == [
        ("a", 1, False),
        ("a", 2, False),
        ("b", 1, False),
    ]
    assert np.array_equal(read_wav(tmp_path / "out.wav")[:1600], tone(0.1))
    assert len(read_wav(tmp_path / "out.wav")) == pytest.approx(6400, abs=4)


def test_beginning_and_end_of_a_sound_are_told_with_their_times(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Each item begins where the one before it ends; what is stopped ends then, and what waited never begins."""
    unit = start(playback=f"file:{tmp_path}/out.wav")
    for number in (1, 2, 3):
        tell(unit, "play", tone(0.3).tobytes(), owner="a", number=number, form="pcm")
    begun = host.wait_for("playing", 2)

    tell(unit, "stop", owner="a")

    ended = host.wait_for("played", 3)
    assert [each["number"] for each in host.all("playing")] == [1, 2]
    assert begun[1]["at"] - begun[0]["at"] == pytest.approx(0.3, abs=0.05)
    assert ended[0]["at"] == pytest.approx(begun[1]["at"], abs=0.05)
    assert ended[1]["at"] - ended[0]["at"] < 0.2


def test_the_file_is_a_timeline(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Silence is written, too, at real pace; the header is right at every moment."""
    unit = start(playback=f"file:{tmp_path}/out.wav")
    tell(unit, "play", tone(0.1).tobytes(), owner="a", number=1, form="pcm")
    begun = host.wait_for("device", which="playback")[0]["said_at"]
    host.wait_for("played")
    tell(unit, "play", tone(0.1).tobytes(), owner="a", number=2, form="pcm")
    ended = host.wait_for("played", 2)[1]["said_at"]

    timeline = read_wav(tmp_path / "out.wav")

    assert len(timeline) / 16000 == pytest.approx(ended - begun, abs=0.05)
    assert np.count_nonzero(timeline) == 2 * np.count_nonzero(tone(0.1))


def test_a_stop_is_obeyed_within_a_block(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Of the stopped owner at most one more block sounds; the other's item goes on."""
    unit = start(playback=f"file:{tmp_path}/out.wav")
    tell(unit, "play", np.full(32000, 1000, np.int16).tobytes(), owner="tts.1", number=1, form="pcm")
    tell(unit, "play", np.full(1600, 2000, np.int16).tobytes(), owner="chime", number=1, form="pcm")
    host.wait_for("device", which="playback")
    while np.count_nonzero(read_wav(tmp_path / "out.wav")) < 3200:
        threading.Event().wait(0.001)

    before = np.count_nonzero(read_wav(tmp_path / "out.wav") == 1000)
    tell(unit, "stop", owner="tts.1")
    played = host.wait_for("played", 2)

    timeline = read_wav(tmp_path / "out.wav")
    assert np.count_nonzero(timeline == 1000) - before <= 2 * BLOCK  # one in the device, one that was just taken
    assert [(each["owner"], each["is_cut"]) for each in played] == [("tts.1", True), ("chime", False)]


@pytest.mark.parametrize("cut", ["stop", "hold", "at_once"])
def test_a_cut_fades_away_in_5_ms(cut: str) -> None:
    """No step to silence, or to what is played instead, is heard as a click."""
    playlist = Playlist()
    playlist.add(Item("tts.1", 1, np.full(16000, 8000, np.int16)))
    before = playlist.take(BLOCK).samples

    if cut == "stop":
        playlist.stop("tts.1")
    elif cut == "hold":
        playlist.hold("tts.1", is_held=True)
    else:
        playlist.add(Item("audio", 1, np.zeros(1600, np.int16)), at_once=True)
    after = np.concatenate([playlist.take(BLOCK).samples, np.zeros(1, np.int16)])

    assert np.all(before == 8000)
    assert np.abs(np.diff(after[:81].astype(int))).max() <= 8000 / 80 + 1
    assert not after[80:].any()


def test_what_was_held_fades_in_where_it_was() -> None:
    """5 ms of it are the two fades; nothing is heard twice."""
    playlist = Playlist()
    playlist.add(Item("tts.1", 1, np.full(16000, 8000, np.int16)))
    playlist.take(BLOCK)

    playlist.hold("tts.1", is_held=True)
    faded = playlist.take(BLOCK).samples
    playlist.hold("tts.1", is_held=False)
    resumed = playlist.take(16000).samples

    assert len(faded) + len(resumed) == 16000 - BLOCK
    assert resumed[0] == 0
    assert np.all(resumed[80:] == 8000)


def test_at_once_cuts_what_plays(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """And what waits."""
    unit = start(playback=f"file:{tmp_path}/out.wav")
    for number in (1, 2):
        tell(unit, "play", tone(5).tobytes(), owner="a", number=number, form="pcm")

    tell(unit, "play", tone(0.05).tobytes(), owner="b", number=1, form="pcm", at_once=True)
    played = host.wait_for("played", 3)

    assert [(each["owner"], each["is_cut"]) for each in played] == [("a", True), ("a", True), ("b", False)]


def items(holder: str, count: int, samples: int = BLOCK) -> list[Item]:
    """Sounds of one holder."""
    return [Item(f"of {holder}", number, np.full(samples, 1000, np.int16), holder=holder) for number in range(count)]


def test_holders_take_turns_and_cut_their_own() -> None:
    """Who has given much is not heard to its end before another one begins, nor ended by it."""
    playlist = Playlist()
    for item in [*items("anna", 4), *items("ben", 1)]:
        playlist.add(item)

    first, second = playlist.take(BLOCK).ended[0], playlist.take(BLOCK).ended[0]
    cut = playlist.add(items("ben", 1)[0], at_once=True, instead_of="ben")

    assert [first.holder, second.holder] == ["anna", "ben"]
    assert cut == []
    assert playlist.seconds("anna") == 3 * BLOCK / RATE
    assert playlist.seconds("ben") == BLOCK / RATE
    assert len(playlist.add(items("", 1)[0], at_once=True)) == 4


def test_another_one_s_queue_leaves_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A holder may queue some sound of its own, however much others have queued."""
    monkeypatch.setattr(playlist_module, "MAX_QUEUED_SECONDS", 2)
    monkeypatch.setattr(playlist_module, "OWN_SECONDS", 1)
    playlist = Playlist()
    playlist.add(items("anna", 1, 3 * RATE)[0])

    assert playlist.fullness("anna") == "over 2 s of sound are waiting"
    assert playlist.fullness("ben") == ""
    playlist.add(items("ben", 1, 2 * RATE)[0])
    assert playlist.fullness("ben")


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("MAX_QUEUED_SECONDS", 3, "over 3 s of sound are waiting"),
        ("MAX_QUEUED_ITEMS", 2, "2 sounds are waiting"),
    ],
)
def test_what_finds_no_room_is_refused(
    host: VoiceHost, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, words: str
) -> None:
    """With a fault and its end; what waits stays, and what comes instead of it has room."""
    monkeypatch.setattr(playlist_module, limit, value)
    monkeypatch.setattr(playlist_module, "OWN_SECONDS", 0)
    unit = start(playback=f"file:{tmp_path}/out.wav")
    tell(unit, "hold", owner="a", is_held=True)
    for number in (1, 2):
        tell(unit, "play", tone(2).tobytes(), owner="a", number=number, form="pcm")

    with pytest.raises(UnitFault, match=words) as fault:
        tell(unit, "play", tone(2).tobytes(), owner="a", number=3, form="pcm")
    (dropped,) = host.wait_for("played")

    assert fault.value.code == UNAVAILABLE
    assert (dropped["number"], dropped["is_cut"], dropped["reason"]) == (3, True, words)
    assert tell(unit, "status", seq=1)["queued_seconds"] == pytest.approx(4, abs=0.1)
    tell(unit, "play", tone(0.05).tobytes(), owner="b", number=1, form="pcm", at_once=True)


def test_status_says_what_is_going_on(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Queue, devices, volumes."""
    unit = start(playback=f"file:{tmp_path}/out.wav")
    tell(unit, "play", tone(2).tobytes(), owner="a", number=1, form="pcm")
    host.wait_for("device", which="playback")

    status = tell(unit, "status", seq=1)
    tell(unit, "stop", owner=None)

    assert status["is_playing"]
    assert 1.5 < status["queued_seconds"] <= 2
    assert (status["playback"]["state"], status["playback"]["name"]) == ("open", f"{tmp_path}/out.wav")
    assert tell(unit, "status", seq=2)["queued_seconds"] == 0


def test_volume_scales_both_ways(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Half as loud is half the amplitude."""
    write_wav(tmp_path / "in.wav", tone(0.2))
    unit = start(capture=f"file:{tmp_path}/in.wav", playback=f"file:{tmp_path}/out.wav", pace="fast")

    tell(unit, "volume", seq=1, capture=0.5, playback=0.25)
    tell(unit, "listen", is_on=True)
    tell(unit, "play", tone(0.2).tobytes(), owner="a", number=1, form="pcm")
    host.wait_for("pcm", 10)
    host.wait_for("played")

    assert np.abs(host.sound("pcm")).max() == np.abs(tone(0.2)).max() // 2
    assert np.abs(read_wav(tmp_path / "out.wav")).max() == np.abs(tone(0.2)).max() // 4


def test_a_fifo_gets_raw_samples(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """For as long as somebody reads; then the loudspeaker is lost, and found again with the next reader."""
    os.mkfifo(tmp_path / "speaker")
    unit = start(playback=f"file:{tmp_path}/speaker")
    assert "nobody reads" in host.wait_for("device", which="playback")[0]["reason"]

    with (tmp_path / "speaker").open("rb") as reader:
        host.wait_for("device", 2, which="playback")
        tell(unit, "play", np.full(1600, 7, np.int16).tobytes(), owner="a", number=1, form="pcm")
        while 7 not in np.frombuffer(reader.read(640), np.int16):
            pass
        host.wait_for("played")
    states = [each["state"] for each in host.wait_for("device", 3, which="playback")]

    assert states[:3] == ["missing", "open", "lost"]


def test_a_lost_loudspeaker_cuts_what_plays(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Everything that waits has its end, with the reason."""
    os.mkfifo(tmp_path / "speaker")
    unit = start(playback=f"file:{tmp_path}/speaker")

    with (tmp_path / "speaker").open("rb") as reader:
        host.wait_for("device", which="playback", state="open")
        for number in range(1000):
            tell(unit, "play", np.full(160, 7, np.int16).tobytes(), owner="a", number=number, form="pcm")
        reader.read(640)
    played = host.wait_for("played", 1000)

    assert sorted(each["number"] for each in played) == list(range(1000))
    assert "nobody reads it any more" in played[-1]["reason"]


def test_compressed_sound_in_a_fifo_is_told(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """It is not heard as noise, and the microphone is there again."""
    os.mkfifo(tmp_path / "mic")
    tell(start(capture=f"file:{tmp_path}/mic"), "listen", is_on=True)
    (tmp_path / "mic").write_bytes(b"ID3\x03" + bytes(500))

    told = host.wait_for("device", 2, which="capture")

    assert any("MP3" in each["reason"] for each in told)
    assert any(each["state"] == "open" for each in told)


def test_without_a_loudspeaker_items_end_at_once(host: VoiceHost, start: Start) -> None:
    """Cut, with the reason, so that nobody waits for them; who asked for one is told it as well."""
    unit = start()
    host.wait_for("device", which="playback")

    with pytest.raises(UnitFault, match="no loudspeaker is configured") as fault:
        tell(unit, "play", tone(5).tobytes(), owner="a", number=1, form="pcm")
    (played,) = host.wait_for("played")

    assert fault.value.code == UNAVAILABLE

    assert played["is_cut"]
    assert "no loudspeaker is configured" in played["reason"]
    assert not tell(unit, "status", seq=1)["is_playing"]


@pytest.mark.parametrize(
    ("payload", "fields", "words"),
    [
        (b"ID3\x03" + bytes(100), {"form": "wav"}, "MP3"),
        (bytes(100), {"form": "pcm", "rate": 7}, "rate must be"),
        (bytes(100), {"form": "pcm", "rate": "fast"}, "rate must be"),
    ],
)
def test_what_cannot_be_played_is_refused(
    host: VoiceHost, start: Start, payload: bytes, fields: dict[str, Any], words: str
) -> None:
    """With a fault, and its end for those who wait for the end."""
    unit = start()

    with pytest.raises(UnitFault, match=words):
        tell(unit, "play", payload, owner="a", number=1, **fields)

    assert words in host.wait_for("played")[0]["reason"]


@pytest.mark.parametrize("value", [-0.1, 1.5, "loud", True, None])
def test_a_bad_volume_is_refused_by_name(start: Start, value: Any) -> None:
    """It names the key."""
    unit = start()

    with pytest.raises(UnitFault, match="volume of playback"):
        tell(unit, "volume", seq=1, playback=value)


@pytest.mark.parametrize(("key", "value"), [("pace", "slow"), ("capture", 3), ("playback", None)])
def test_a_bad_setting_does_not_load(start: Start, key: str, value: Any) -> None:
    """The sentence names the key."""
    with pytest.raises(LoadError, match=key):
        start(**{key: value})
