"""How well a model will do on a board, before anything is loaded or even fetched.

A token of an answer costs one look at all weights: so many bytes, at the pace at which this board goes through them. A
token of a prompt shares that look with its neighbours and costs arithmetic: a multiplication with every weight but
those of the vocabulary's table. Both paces are measured (`python -m units.llm.measure`), for small models, which a
cache holds and one thread computes, apart from large ones. What a token costs besides, on its way through the unit
program, matters only for small models.

docs/benchmarks.md holds the forecast against what came true. It is too low for a model with a table of its own for the
output (all bytes of the file count, one of the two is only looked up) and for a mixture of experts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.models.gguf import Shape
from unitd.core.models.memory import Need

PROMPT_TOKENS = 200
"""Of the prompt whose first token is forecast: a short system prompt and a question."""

# People who read or hear an answer do not wait for it at this pace; three words a second are quick speech.
FLUENT_TOKENS_PER_S = 5.0
# Who speaks to a device asks again after some seconds of silence.
PATIENCE_SECONDS = 4.0

TOOLS = "tools"

FEATURES = {
    "neon": "NEON",
    "asimd": "NEON",
    "asimddp": "dotprod",
    "i8mm": "int8 matrices",
    "sve": "SVE",
    "avx2": "AVX2",
    "avx512f": "AVX-512",
    "avx_vnni": "VNNI",
    "avx512_vnni": "VNNI",
}
"""What makes language models quick, by the kernel's names for it."""


@dataclass(frozen=True)
class Pace:
    """Of models of one size, in seconds."""

    byte_s: float
    """For each token of an answer and byte of weights."""

    weight_s: float
    """For each token of a prompt and weight that it is multiplied with."""


@dataclass(frozen=True)
class Speed:
    """How fast a board is."""

    token_s: float
    """A token's way from the engine to the daemon, in seconds."""

    small: Pace
    large: Pace
    small_below: int
    """Bytes of weights from which on a model is a large one."""


@dataclass(frozen=True)
class Hardware:
    """What models run on."""

    name: str
    cores: int
    features: tuple[str, ...]
    memory: int
    """Bytes, of which `for_models` may be taken by models."""

    for_models: int


@dataclass(frozen=True)
class Forecast:
    """How a model will answer one who asks it alone."""

    tokens_per_s: float
    first_token_s: float | None
    """Of a prompt of PROMPT_TOKENS; None where the model's shape is not known."""


@dataclass(frozen=True)
class Prospect:
    """A model with what is to be expected of it; None where that cannot be told."""

    card: Card
    size: int
    """Bytes on the disk, or to fetch."""

    need: Need | None
    fits: bool | None
    forecast: Forecast | None

    @property
    def is_fluent(self) -> bool:
        """True of a language model that fits and is quick enough to talk to."""
        forecast = self.forecast
        if not self.fits or forecast is None or forecast.first_token_s is None:
            return False
        return forecast.tokens_per_s >= FLUENT_TOKENS_PER_S and forecast.first_token_s <= PATIENCE_SECONDS


def read_speed(document: Mapping[str, Any]) -> Speed:
    """What the measuring program printed.

    Raises:
        ValueError: it is something else.
    """
    try:
        small, large = (Pace(**document[name]) for name in ("small", "large"))
        return Speed(document["token_s"], small, large, document["small_below"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is no measurement: {document}") from error


def forecast(speed: Speed, size: int, shape: Shape | None, parameters: int = 0) -> Forecast:
    """Of a GGUF of `size` bytes; what is not known is None and 0."""
    pace = speed.small if size < speed.small_below else speed.large
    token_s = speed.token_s + size * pace.byte_s
    weights = multiplied_weights(shape, parameters)
    first_token_s = PROMPT_TOKENS * weights * pace.weight_s + token_s if weights else None
    return Forecast(1 / token_s, first_token_s)


def multiplied_weights(shape: Shape | None, parameters: int = 0) -> int:
    """What each token of a prompt is multiplied with; 0 where neither is known.

    In each layer two square matrices and those of keys and values, then the three of a gated feed-forward layer. By
    `parameters` alone it is too many: the vocabulary's table is among them, a fifth of a small model.
    """
    if shape is None or not shape.layers:
        return parameters
    layer = 2 * shape.width**2 + 3 * shape.width * shape.hidden
    return shape.layers * layer + shape.width * shape.cached_values


def in_order(prospects: Iterable[Prospect]) -> list[Prospect]:
    """Language models first, the most able ones on top; then the others by their units."""
    return sorted(prospects, key=lambda each: (each.card.unit != "llm", each.card.unit, _less_able(each), each.size))


def best_of(prospects: Iterable[Prospect]) -> Prospect | None:
    """The most able language model that is fluent here; None when none is."""
    fluent = [each for each in prospects if each.card.unit == "llm" and each.is_fluent]
    return min(fluent, key=_less_able, default=None)


def _less_able(prospect: Prospect) -> tuple[bool, int]:
    """A device has things to switch: whoever calls tools is more able than who does not, then size counts."""
    card = prospect.card
    return TOOLS not in card.capabilities, -multiplied_weights(card.shape, card.parameters)


def features_in(cpuinfo: str) -> tuple[str, ...]:
    """What a processor can, from the text of /proc/cpuinfo."""
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", cpuinfo, re.MULTILINE)
    flags = found[1].split() if found else []
    return tuple(dict.fromkeys(name for flag, name in FEATURES.items() if flag in flags))


def processor_in(cpuinfo: str) -> str:
    """What a processor calls itself there; "" where it says nothing (ARM)."""
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else ""
