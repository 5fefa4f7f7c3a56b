"""Covers units.audio.unit, capture, playback, playlist, files, state: through files and FIFOs."""

import os
import threading
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from tests.support.units.voice_host import VoiceHost, tell, tone
from units.audio import playlist as playlist_module
from units.audio.devices import BLOCK, PERIOD
from units.audio.playlist import Item, Playlist
from units.audio.unit import PERIODS_AHEAD, AudioUnit
from units.base import UNAVAILABLE, LoadError, UnitFault
from units.sound.upload import RATE
from units.sound.wav import wav_header

Start = Callable[..., AudioUnit]


@pytest.fixture
def host() -> VoiceHost:
    """Keeps what the unit says."""
    return VoiceHost()


@pytest.fixture
def start(host: VoiceHost) -> Iterator[Start]:
    """Makes a unit with these devices, none where nothing is said."""
    units: list[AudioUnit] = []

    def start(**options: Any) -> AudioUnit:
        unit = AudioUnit(host)
        unit.load({"engine_options": {"capture": "", "playback": ""} | options})
        units.append(unit)
        return unit

    yield start
    for unit in units:
        unit.close()


def write_wav(path: Path, samples: NDArray[np.int16], rate: int = 16000) -> None:
    """A file to hear."""
    path.write_bytes(wav_header(len(samples), rate) + samples.tobytes())


def read_wav(path: Path) -> NDArray[np.int16]:
    """What was played."""
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def states_of(devices: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Which device went to which state."""
    return [(each["which"], each["state"]) for each in devices]


# The microphone


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
    """Once; it is heard all the same."""
    write_wav(tmp_path / "in.wav", np.zeros(samples, np.int16), rate)

    tell(start(capture=f"file:{tmp_path}/in.wav", pace="fast"), "listen", is_on=True)
    host.wait_for("pcm", 40)

    assert [each["text"] for each in host.all("log")] == [f"{tmp_path}/in.wav {words}"]


def test_a_file_without_a_byte_is_told_in_the_log(host: VoiceHost, start: Start, tmp_path: Path) -> None:
    """Not even a header."""
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
    """As a microphone that is plugged in."""
    tell(start(capture=f"file:{tmp_path}/in.wav", pace="fast"), "listen", is_on=True)
    host.wait_for("device", which="capture")

    write_wav(tmp_path / "in.wav", tone(0.1))
    host.wait_for("pcm", 5)

    assert states_of(host.all("device"))[-1] == ("capture", "open")


# The loudspeaker


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
    """For a minute of each holder."""
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
