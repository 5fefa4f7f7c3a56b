"""What a setup may say to a kws task: one frozen dataclass, every bad value refused by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from units.setup_values import SetupValues, refusal

DEFAULT_PHRASE = "hey jarvis"
"""The phrase where neither the client nor the card names one."""

DEFAULT_DEBOUNCE_SECONDS = 1.0
LONGEST_DEBOUNCE_SECONDS = 60

# Each phrase is searched for in every block of audio.
MAX_PHRASES = 32
MAX_PHRASE_LENGTH = 100


@dataclass(frozen=True)
class KwsOptions:
    """The settings of one task."""

    phrases: tuple[str, ...]
    """The phrases as the client wrote them."""

    thresholds: Mapping[str, float]
    """By phrase, where the client asked for one; what the number means is up to the engine."""

    debounce: float
    """Seconds of audio after a wake in which no other is told."""

    wants_json: bool
    wants_chime: bool
    keywords_threshold: float | None
    """The original's key for sherpa-onnx; a client may send it to any model, so other engines leave it alone."""

    keywords_score: float | None
    """The same for the weight that sherpa-onnx gives the phrases."""


def read_options(data: Mapping[str, Any]) -> KwsOptions:
    """Return the options of a setup; raise UnitFault, which names the key, for a bad value."""
    values = SetupValues(data)
    phrases = _phrases(values.texts("kws", "a phrase or a list of phrases") if "kws" in values else [DEFAULT_PHRASE])
    return KwsOptions(
        phrases=phrases,
        thresholds=_thresholds(data.get("threshold", {}), phrases),
        debounce=values.number("debounce", DEFAULT_DEBOUNCE_SECONDS, 0, LONGEST_DEBOUNCE_SECONDS),
        wants_json="json" in values.text("response_format", ""),
        wants_chime=values.flag("enwake_audio", False),
        keywords_threshold=values.number("keywords_threshold", None, 0, 1),
        keywords_score=values.number("keywords_score", None, 0, 100),
    )


def check_scale(phrase: str, threshold: float | None, engine: str, low: float, high: float) -> None:
    """Refuse a threshold that means nothing to the engine that listens for the phrase; None means none was asked for.

    Raises:
        UnitFault: the threshold is out of the engine's range; the words name the range.
    """
    if threshold is not None and not low <= threshold <= high:
        scale = f"it must be from {low:g} to {high:g} for {engine}, which listens for this phrase"
        raise refusal(f"threshold of {phrase!r} is {threshold:g}, {scale}; threshold may also be an object by phrase")


def plain(phrase: str) -> str:
    """Return what two spellings of one phrase have in common."""
    return " ".join(phrase.casefold().split())


def _phrases(listed: Sequence[str]) -> tuple[str, ...]:
    if not 1 <= len(listed) <= MAX_PHRASES:
        raise refusal(f"kws holds {len(listed)} phrases, it may be 1 to {MAX_PHRASES}")
    if any(not plain(each) or len(each) > MAX_PHRASE_LENGTH for each in listed):
        raise refusal(f"kws holds an empty phrase or one of over {MAX_PHRASE_LENGTH} characters")
    return tuple({plain(each): " ".join(each.split()) for each in listed}.values())


def _thresholds(value: Any, phrases: Sequence[str]) -> dict[str, float]:
    if not isinstance(value, dict):
        return dict.fromkeys(phrases, _threshold("threshold", value))
    by_name = {plain(phrase): phrase for phrase in phrases}
    for name in value:
        if plain(name) not in by_name:
            raise refusal(f"threshold names {name!r}, which is not among the phrases of kws")
    return {by_name[plain(name)]: _threshold(f"threshold of {name!r}", number) for name, number in value.items()}


def _threshold(key: str, value: Any) -> float:
    threshold = SetupValues({key: value}).number(key, 0.0, 0, 1)
    if not threshold:
        raise refusal(f"{key} is {value!r}, it must be over 0")
    return threshold
