"""Forecast of a model's speed on a board, before it is loaded or even fetched. Pure.

A token of an answer needs all weights once, so its time follows from the bytes of the weights. The tokens of a prompt
share that reading, so their time follows from arithmetic: one multiplication with every weight except those of the
vocabulary's table. Both paces are measured (`python -m units.llm.measure`), separately for small models, which fit into
the processor's cache and are computed by one thread, and for large ones. The way of a token through the unit program
matters only for small models.

docs/benchmarks.md compares forecasts with measurements. The forecast is too low for a model with a separate table for
the output (the file's size counts both tables, one of which is only looked up) and for a mixture of experts.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.models.gguf import Shape
from unitd.core.models.memory import Need

PROMPT_TOKENS = 200
"""The length of the prompt of the forecast: a short system prompt and a question."""

# At this pace people who read or hear an answer need not wait for it; three words a second are quick speech.
FLUENT_TOKENS_PER_S = 5.0
# People who speak to a device ask again after some seconds of silence.
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
"""Features of processors that make language models quick, by the kernel's names for them."""


@dataclass(frozen=True)
class Pace:
    """The speed of a board with models of one size, in seconds."""

    byte_s: float
    """The time for each token of an answer and byte of weights."""

    weight_s: float
    """The time for each token of a prompt and weight that it is multiplied with."""


@dataclass(frozen=True)
class Speed:
    """The speed of a board."""

    token_s: float
    """The time of a token from the engine to the daemon, in seconds."""

    small: Pace
    large: Pace
    small_below: int
    """A model with fewer bytes of weights is a small one."""


@dataclass(frozen=True)
class Hardware:
    """The board that models run on."""

    name: str
    cores: int
    features: tuple[str, ...]
    memory: int
    """All memory in bytes; models may use `for_models` of it."""

    for_models: int


@dataclass(frozen=True)
class Forecast:
    """The expected speed of a model with one client."""

    tokens_per_s: float
    first_token_s: float | None
    """The time to the first token after a prompt of PROMPT_TOKENS; None if the model's shape is not known."""


@dataclass(frozen=True)
class Prospect:
    """A model with its forecast; values are None if they are not known."""

    card: Card
    size: int
    """The bytes on disk, or to fetch."""

    need: Need | None
    fits: bool | None
    forecast: Forecast | None

    @property
    def is_fluent(self) -> bool:
        """True for a language model that fits and is quick enough for a conversation."""
        forecast = self.forecast
        if not self.fits or forecast is None or forecast.first_token_s is None:
            return False
        return forecast.tokens_per_s >= FLUENT_TOKENS_PER_S and forecast.first_token_s <= PATIENCE_SECONDS


def read_speed(document: Mapping[str, Any]) -> Speed:
    """Return the speed that the measuring program printed.

    Raises:
        ValueError: the document is no measurement.
    """
    try:
        small, large = (Pace(**document[name]) for name in ("small", "large"))
        return Speed(document["token_s"], small, large, document["small_below"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is no measurement: {document}") from error


def forecast(speed: Speed, size: int, shape: Shape | None, parameters: int = 0) -> Forecast:
    """Return the forecast for a GGUF of `size` bytes; shape and parameters may be unknown (None, 0)."""
    pace = speed.small if size < speed.small_below else speed.large
    token_s = speed.token_s + size * pace.byte_s
    weights = multiplied_weights(shape, parameters)
    first_token_s = PROMPT_TOKENS * weights * pace.weight_s + token_s if weights else None
    return Forecast(1 / token_s, first_token_s)


def multiplied_weights(shape: Shape | None, parameters: int = 0) -> int:
    """Return the number of weights that each token of a prompt is multiplied with; 0 if it is not known.

    Each layer has two square matrices, those of keys and values, and the three of a gated feed-forward layer. Without a
    shape all `parameters` count, which is too many: a fifth of a small model is the vocabulary's table.
    """
    if shape is None or not shape.layers:
        return parameters
    layer = 2 * shape.width**2 + 3 * shape.width * shape.hidden
    return shape.layers * layer + shape.width * shape.cached_values


def in_order(prospects: Iterable[Prospect]) -> list[Prospect]:
    """Return language models first, the most able one on top, then the others by unit."""
    return sorted(prospects, key=lambda each: (each.card.unit != "llm", each.card.unit, _less_able(each), each.size))


def best_of(prospects: Iterable[Prospect]) -> Prospect | None:
    """Return the most able language model that is fluent on this board; None if none is."""
    fluent = [each for each in prospects if each.card.unit == "llm" and each.is_fluent]
    return min(fluent, key=_less_able, default=None)


def _less_able(prospect: Prospect) -> tuple[bool, int]:
    """Return the sort key of ability: a model that calls tools comes first, then the larger one."""
    card = prospect.card
    return TOOLS not in card.capabilities, -multiplied_weights(card.shape, card.parameters)


def features_in(cpuinfo: str) -> tuple[str, ...]:
    """Return the names of a processor's features, from the text of /proc/cpuinfo."""
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", cpuinfo, re.MULTILINE)
    flags = found[1].split() if found else []
    return tuple(dict.fromkeys(name for flag, name in FEATURES.items() if flag in flags))


def processor_in(cpuinfo: str) -> str:
    """Return the name of a processor, from the text of /proc/cpuinfo; "" if it has none (ARM)."""
    found = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return found[1].strip() if found else ""
