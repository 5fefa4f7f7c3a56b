"""Covers units.audio.portaudio: a real PortAudio over ALSA devices that are files, by a configuration of our own."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from pathlib import Path

import numpy as np
import pytest

from tests.support.units.voice_host import VoiceHost, tell, tone
from units.audio import portaudio
from units.audio.unit import AudioUnit

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not find_library("portaudio") or not importlib.util.find_spec("sounddevice"),
    reason="needs PortAudio on Linux: pip install sounddevice; apt install libportaudio2",
)

# An unplugged card: with nothing at all to look at, PortAudio ends the process by an assertion.
NO_CARD = "pcm.gone { type hw card 99 }"
CARD = """
pcm.gone {{ type hw card 99 }}
pcm.emptiness {{ type null }}
pcm.Headset {{ type file slave.pcm "emptiness" format "raw" file "{folder}/heard.raw" infile "{folder}/spoken.raw" }}
"""

Start = Callable[[str, str], AudioUnit]


@pytest.fixture
def alsa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The configuration that ALSA reads; a machine without sound so far."""
    path = tmp_path / "asound.conf"
    path.write_text(NO_CARD)
    (tmp_path / "spoken.raw").write_bytes(tone(3600, 1).tobytes() + bytes(200_000))
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(path))
    return path


@pytest.fixture
def host() -> VoiceHost:
    """Keeps what the unit says."""
    return VoiceHost()


@pytest.fixture
def start(alsa: Path, host: VoiceHost) -> Iterator[Start]:
    """Makes a unit for these devices."""
    units: list[AudioUnit] = []

    def start(capture: str, playback: str) -> AudioUnit:
        unit = AudioUnit(host)
        unit.load({"engine_options": {"capture": capture, "playback": playback}})
        units.append(unit)
        return unit

    yield start
    for unit in units:
        unit.close()


def plug_in(alsa: Path) -> None:
    """A headset is there from now on."""
    alsa.write_text(CARD.format(folder=alsa.parent))


def test_a_machine_without_sound_says_so_once(host: VoiceHost, start: Start) -> None:
    """The unit starts, names both devices, and lives."""
    unit = start("default", "default")
    (capture,) = host.wait_for("device", which="capture")
    (playback,) = host.wait_for("device", which="playback")

    assert (capture["state"], playback["state"]) == ("missing", "missing")
    assert "no microphone" in capture["reason"]
    assert "no loudspeaker" in playback["reason"]
    assert tell(unit, "status", seq=1)["playback"]["state"] == "missing"


def test_a_headset_that_is_plugged_in_is_opened(host: VoiceHost, start: Start, alsa: Path) -> None:
    """By a part of its name; what is played reaches it at its own rate."""
    unit = start("", "headset")
    host.wait_for("device", which="playback", state="missing")

    plug_in(alsa)
    host.wait_for("device", which="playback", state="open")
    tell(unit, "play", tone(0.2).tobytes(), owner="a", number=1, form="pcm")
    played = host.wait_for("played")

    assert not played[0]["is_cut"]
    assert np.abs(np.fromfile(alsa.parent / "heard.raw", np.int16)).max() > 10_000


def test_a_microphone_is_heard_in_periods(host: VoiceHost, start: Start, alsa: Path) -> None:
    """Resampled from its own rate, mono, with the time of the last sample."""
    plug_in(alsa)

    tell(start("Headset", ""), "listen", is_on=True)
    periods = host.wait_for("pcm", 3)

    assert {len(each["payload"]) for each in periods} == {640}
    assert periods[0]["at"] <= periods[0]["said_at"]


def test_an_unknown_name_is_answered_with_the_known(host: VoiceHost, start: Start, alsa: Path) -> None:
    """So that a person can choose."""
    plug_in(alsa)

    start("", "gramophone")

    assert "Headset" in host.wait_for("device", which="playback")[0]["reason"]


def test_a_microphone_that_comes_while_the_speaker_plays_is_found(
    host: VoiceHost, start: Start, alsa: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PortAudio looks again when the loudspeaker has a quiet moment."""
    cards = alsa.parent / "cards"
    monkeypatch.setattr(portaudio, "_CARDS", cards)
    plug_in(alsa)
    unit = start("gooseneck", "headset")
    host.wait_for("device", which="playback", state="open")
    tell(unit, "listen", is_on=True)

    alsa.write_text(CARD.format(folder=alsa.parent) + "pcm.Gooseneck { type null }")
    cards.write_text("1 [Gooseneck]")

    assert host.wait_for("device", which="capture", state="open")
    assert tell(unit, "status", seq=1)["playback"]["state"] == "open"


def test_a_missing_library_is_named_with_its_command(
    host: VoiceHost, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without sounddevice the unit lives."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    start("", "default")

    assert "pip install sounddevice" in host.wait_for("device", which="playback")[0]["reason"]
