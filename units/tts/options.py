"""What setup may say to a tts task: one frozen dataclass, every bad value refused by name.

Keys are the original's (docs/original-firmware.md, section 2: `spacker_role`, `spacker_speed`) and plain ones for the
same; what other units use or newer clients send is ignored, as the original does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from units.setup_values import SetupValues, refusal
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
    """A name or a number; the original sends its number as `spacker_role`, clients also as text."""
    key = "speaker" if "speaker" in values else "spacker_role"
    value = values.get(key) if key in values else 0
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise values.refusal(key, "a name or a number", repr(value))
    return int(value) if isinstance(value, str) and value.isdecimal() else value
