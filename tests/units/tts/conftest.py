"""A voice without a daemon."""

from typing import Any

import pytest

from tests.support.units.voice_host import Setup, VoiceHost, tell
from units.tts.unit import TtsUnit

SETUP = {"response_format": "tts.base64.wav.stream", "enoutput": True, "model": "unitd-tts"}


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
