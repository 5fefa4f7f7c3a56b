"""What an engine is to the asr unit, and what every engine is told."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from unitd.wire.languages import main_language
from units.base import LoadError
from units.setup_values import SetupValues
from units.sound.upload import Samples
from units.trials import Trial


@dataclass(frozen=True)
class Heard:
    """What has been understood of the present utterance; final at its end."""

    text: str
    is_final: bool


@dataclass(frozen=True)
class Rules:
    """When an utterance ends, in seconds; the defaults are what the original's clients send."""

    rule1: float = 2.4
    """Of silence in which nobody has said anything: an empty utterance ends."""

    rule2: float = 1.2
    """Of silence after speech; `silence_timeout` says it in milliseconds. Infinite where a linked vad decides."""

    rule3: float = 30.0
    """Length of an utterance."""


@dataclass(frozen=True)
class AsrOptions:
    """What setup says to an engine."""

    rules: Rules
    language: str
    """"" where setup says nothing."""

    grammar: str
    """JSGF, "" for free speech."""


class Recogniser(Protocol):
    """One stream of audio."""

    quiet_seconds: float
    """How long nobody had spoken when the last utterance ended, up to the last sample that was fed."""

    @property
    def is_hearing_speech(self) -> bool:
        """True in the middle of an utterance."""

    def feed(self, samples: Samples) -> list[Heard]:
        """What has changed; after a final a new utterance begins. Finals without text tell that nobody spoke."""

    def finish(self) -> str:
        """The present utterance ends here; what it was."""

    def reset(self) -> None:
        """The present utterance does not count."""


class Engine(Protocol):
    """One model, loaded."""

    about: str

    usual_rules: Rules
    """Where setup says nothing."""

    def open(self, options: AsrOptions) -> Recogniser:
        """A stream; UnitFault names the option that this engine does not have."""

    def trial_of(self, options: AsrOptions) -> Trial | None:
        """What must be tried before a stream is opened; None: nothing. UnitFault tells what needs no trial."""


_NAMES = {
    "rule1": "endpoint_config.rule1.min_trailing_silence",
    "rule2": "endpoint_config.rule2.min_trailing_silence",
    "rule3": "endpoint_config.rule3.min_utterance_length",
}
_LONGEST_SECONDS = 3600
LONGEST_TIMEOUT_MS = 60_000


def read_options(data: Mapping[str, Any], usual: Rules, *, has_vad: bool) -> AsrOptions:
    """The options of a setup; UnitFault names the key of a bad value."""
    values = SetupValues(data)
    rules = {rule: _rule(values, rule, name, getattr(usual, rule)) for rule, name in _NAMES.items()}
    if "silence_timeout" in values:
        # Before rule2, which the original's clients send to every model, its offline ones included.
        rules["rule2"] = values.number("silence_timeout", 0.0, 1, LONGEST_TIMEOUT_MS) / 1000
    if has_vad:
        rules["rule2"] = math.inf
    return AsrOptions(Rules(**rules), main_language(values.text("language", "")), values.text("grammar", ""))


def _rule(values: SetupValues, rule: str, long_name: str, usual: float) -> float:
    """The short name before the long one; 0, which the original's clients may send, leaves the usual value."""
    return values.number(rule if rule in values else long_name, usual, 0, _LONGEST_SECONDS) or usual


def find_file(folder: Path, *patterns: str) -> Path:
    """The first file of the folder that fits; files are looked at here because the libraries end the process.

    Raises:
        LoadError: there is none, or it is empty or only a pointer to the real one.
    """
    found = [file for pattern in patterns for file in sorted(folder.glob(pattern)) if file.is_file()]
    if not found:
        raise LoadError(f"{folder} holds no {patterns[-1]}")
    beginning = found[0].read_bytes()[:8] if found[0].stat().st_size < 1024 else b"large"
    if not beginning or beginning.startswith(b"version "):
        raise LoadError(f"{found[0]} is empty or a pointer to a file that was not downloaded")
    return found[0]


def find_tokens(folder: Path) -> Path:
    """The model's tokens, one in a line with its number."""
    tokens = find_file(folder, "tokens.txt", "*tokens.txt")
    try:
        lines = tokens.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise LoadError(f"{tokens} is no text") from error
    for number_, line in enumerate(lines, start=1):
        if line.strip() and not line.split()[-1].isdecimal():
            raise LoadError(f"{tokens}, line {number_}: a token and its number are missing")
    return tokens


def folder_of(load: Mapping[str, Any]) -> Path:
    """Where the model's files lie; `path` names the folder or one of them."""
    if not load.get("path"):
        raise LoadError("the card names no file of the model")
    path = Path(load["path"])
    if not path.exists():
        raise LoadError(f"there is no {path}, which the card names")
    return path if path.is_dir() else path.parent
