"""What a setup may say to a tts task: one frozen dataclass, every bad value refused by name.

Keys are the original's (docs/original-firmware.md, section 2: `spacker_role`, `spacker_speed`) and plain ones for the
same. Keys of other units or of newer clients are ignored, as by the original.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from units.setup_values import SetupValues, refusal
from units.tts.engine import Voice

USUAL_RATE = 16000
LOWEST_RATE, HIGHEST_RATE = 8000, 48000
SLOWEST, FASTEST = 0.25, 4.0
"""Limits of the speed, relative to the usual one; an engine that cannot go so far goes as far as it can."""


_ANY_RATE = range(LOWEST_RATE, HIGHEST_RATE + 1)
CONTAINERS: Mapping[str, Sequence[int]] = {
    "wav": _ANY_RATE,
    "flac": _ANY_RATE,
    "mp3": (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000),
    "opus": (8000, 12000, 16000, 24000, 48000),
}
"""The containers that a response_format may name, and the rates that each can hold."""


@dataclass(frozen=True)
class TtsOptions:
    """The settings of one task, or of one text."""

    voice: Voice
    rate: int
    """Samples a second of what the client gets."""

    is_delivered: bool
    """True when the client gets audio."""

    is_delivered_for_links: bool
    """True when the client also gets the audio of a linked task's text. With `sys.pcm` only the loudspeaker gets it."""

    is_played: bool
    """True when the loudspeaker gets audio."""

    is_streamed: bool
    """True when the client gets each sentence as soon as it is spoken, else everything at the end."""

    container: str
    """The container of the client's audio: one of CONTAINERS, or "" for raw samples."""

    @property
    def is_encoded(self) -> bool:
        """Return True for a container whose samples are encoded."""
        return self.container not in ("", "wav")


def read_options(data: dict[str, Any]) -> TtsOptions:
    """Return the options of a setup; raise UnitFault, which names the key, for a bad value."""
    values = _Values(data)
    form = values.text("response_format", "")
    container = next((each for each in CONTAINERS if each in form), "")
    rate = int(values.number("sample_rate", USUAL_RATE, LOWEST_RATE, HIGHEST_RATE))
    if rate not in CONTAINERS.get(container, (rate,)):
        known = ", ".join(map(str, CONTAINERS[container]))
        raise values.refusal("sample_rate", f"one of {known} for {container}", str(rate))
    return TtsOptions(
        voice=Voice(
            language=values.text("language", ""),
            speaker=_speaker(values),
            speed=values.number("speed" if "speed" in values else "spacker_speed", 1.0, SLOWEST, FASTEST),
        ),
        rate=rate,
        is_delivered=values.flag("enoutput", False),
        is_delivered_for_links="sys" not in form or "base64" in form or bool(container),
        is_played="sys" in form,
        is_streamed="stream" in form,
        container=container,
    )


class _Values(SetupValues):
    def refusal(self, key: str, wanted: str, shown: str = "") -> Exception:
        return refusal(f"{key} must be {wanted}" + (f", it is {shown}" if shown else ""))


def _speaker(values: SetupValues) -> str | int:
    """Return a name or a number; the original sends its number as `spacker_role`, some clients send it as text."""
    key = "speaker" if "speaker" in values else "spacker_role"
    value = values.get(key) if key in values else 0
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise values.refusal(key, "a name or a number", repr(value))
    return int(value) if isinstance(value, str) and value.isdecimal() else value
