"""An audio unit without a daemon."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.units.audio_files import Start
from tests.support.units.voice_host import VoiceHost
from units.audio.unit import AudioUnit


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
