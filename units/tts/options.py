"""What setup may say to a tts task: one frozen dataclass, every bad value refused by name.

Keys are the original's (docs/original-firmware.md, section 2: `spacker_role`, `spacker_speed`) and plain ones for the
same; what other units use or newer clients send is ignored, as the original does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from units.base import SETUP_REFUSED, UnitFault
from units.tts.engine import Voice

USUAL_RATE = 16000
LOWEST_RATE, HIGHEST_RATE = 8000, 48000
SLOWEST, FASTEST = 0.25, 4.0
"""Of what is usual; an engine that cannot go so far goes as far as it can."""


_ANY_RATE = range(LOWEST_RATE, HIGHEST_RATE + 1)
CONTAINERS: Mapping[str, Sequence[int]] = {
    "wav": _ANY_RATE,
    "flac": _ANY_RATE,
    "mp3": (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000),
    "opus": (8000, 12000, 16000, 24000, 48000),
}
"""What a response_format may name, and the rates that it can hold."""


@dataclass(frozen=True)
class TtsOptions:
    """The settings of one task, or of one text."""

    voice: Voice
    rate: int
    """Samples a second of what the client gets."""

    is_delivered: bool
    """The client gets audio."""

    is_delivered_for_links: bool
    """Also of a text that a linked task wrote. With `sys.pcm` nobody asked for it as audio: the loudspeaker has it."""

    is_played: bool
    """The loudspeaker gets audio."""

    is_streamed: bool
    """The client gets each sentence when it is spoken, else everything at the end."""

    container: str
    """What the client's audio is wrapped in: one of CONTAINERS, or "" for raw samples."""

    @property
    def is_encoded(self) -> bool:
        """True of a container whose samples are encoded."""
        return self.container not in ("", "wav")


def read_options(data: dict[str, Any]) -> TtsOptions:
    """The options of a setup.

    Raises:
        UnitFault: a value is of the wrong type or out of range; the words name the key.
    """
    form = _text(data, "response_format", "")
    container = next((each for each in CONTAINERS if each in form), "")
    rate = int(_number(data, "sample_rate", USUAL_RATE, LOWEST_RATE, HIGHEST_RATE))
    if rate not in CONTAINERS.get(container, (rate,)):
        raise _refusal("sample_rate", f"one of {', '.join(map(str, CONTAINERS[container]))} for {container}", rate)
    return TtsOptions(
        voice=Voice(
            language=_text(data, "language", ""),
            speaker=_speaker(data),
            speed=_number(data, "speed" if "speed" in data else "spacker_speed", 1.0, SLOWEST, FASTEST),
        ),
        rate=rate,
        is_delivered=_flag(data, "enoutput"),
        is_delivered_for_links="sys" not in form or "base64" in form or bool(container),
        is_played="sys" in form,
        is_streamed="stream" in form,
        container=container,
    )


def _refusal(key: str, wanted: str, value: Any) -> UnitFault:
    return UnitFault(SETUP_REFUSED, f"{key} must be {wanted}, it is {value!r}")


def _text(data: dict[str, Any], key: str, default: str) -> str:
    value = data.get(key, default)
    if not isinstance(value, str):
        raise _refusal(key, "a text", value)
    return value


def _flag(data: dict[str, Any], key: str) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise _refusal(key, "true or false", value)
    return value


def _number(data: dict[str, Any], key: str, default: float, low: float, high: float) -> float:
    value = data.get(key, default)
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not low <= value <= high:
        raise _refusal(key, f"a number from {low} to {high}", value)
    return float(value)


def _speaker(data: dict[str, Any]) -> str | int:
    """A name or a number; the original sends its number as `spacker_role`, clients also as text."""
    key = "speaker" if "speaker" in data else "spacker_role"
    value = data.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _refusal(key, "a name or a number", value)
    return int(value) if isinstance(value, str) and value.isdecimal() else value
