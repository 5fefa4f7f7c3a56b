"""The interface of engines of the asr unit, and the options that every engine gets."""

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
    """The ends of utterances, in seconds; the defaults are what the original's clients send."""

    rule1: float = 2.4
    """Silence after which an utterance without speech ends."""

    rule2: float = 1.2
    """Silence after speech; `silence_timeout` gives it in milliseconds. Infinite where a linked vad decides."""

    rule3: float = 30.0
    """The longest utterance."""


@dataclass(frozen=True)
class AsrOptions:
    """The options that a setup gives to an engine."""

    rules: Rules
    language: str
    """"" where the setup names none."""

    grammar: str
    """A JSGF grammar, "" for free speech."""


class Recogniser(Protocol):
    """One stream of audio."""

    quiet_seconds: float
    """The silence at the end of the last utterance, up to the last sample that was fed."""

    @property
    def is_hearing_speech(self) -> bool:
        """Return True in the middle of an utterance."""

    def feed(self, samples: Samples) -> list[Heard]:
        """Return what has changed. A final ends an utterance; a final without text means that no speech came."""

    def finish(self) -> str:
        """End the present utterance and return its text."""

    def reset(self) -> None:
        """Drop the present utterance."""


class Engine(Protocol):
    """A loaded model."""

    about: str

    usual_rules: Rules
    """The rules where a setup names none."""

    def open(self, options: AsrOptions) -> Recogniser:
        """Return a stream; raise UnitFault for an option that this engine does not have."""

    def trial_of(self, options: AsrOptions) -> Trial | None:
        """Return what must be tried before a stream is opened, or None. Raise UnitFault for what needs no trial."""


_NAMES = {
    "rule1": "endpoint_config.rule1.min_trailing_silence",
    "rule2": "endpoint_config.rule2.min_trailing_silence",
    "rule3": "endpoint_config.rule3.min_utterance_length",
}
_LONGEST_SECONDS = 3600
LONGEST_TIMEOUT_MS = 60_000


def read_options(data: Mapping[str, Any], usual: Rules, *, has_vad: bool) -> AsrOptions:
    """Return the options of a setup; raise UnitFault, naming the key, for a bad value."""
    values = SetupValues(data)
    rules = {rule: _rule(values, rule, name, getattr(usual, rule)) for rule, name in _NAMES.items()}
    if "silence_timeout" in values:
        # Before rule2, which the original's clients send to every model, its offline ones included.
        rules["rule2"] = values.number("silence_timeout", 0.0, 1, LONGEST_TIMEOUT_MS) / 1000
    if has_vad:
        rules["rule2"] = math.inf
    return AsrOptions(Rules(**rules), main_language(values.text("language", "")), values.text("grammar", ""))


def _rule(values: SetupValues, rule: str, long_name: str, usual: float) -> float:
    """Return the rule by its short name, else by its long one; 0, which original clients may send, means `usual`."""
    return values.number(rule if rule in values else long_name, usual, 0, _LONGEST_SECONDS) or usual


def find_file(folder: Path, *patterns: str) -> Path:
    """Return the first file of the folder that fits. Files are checked here because the libraries end the process.

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
    """Return the file of the model's tokens: one in each line, with its number."""
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
    """Return the folder of the model's files; `path` names the folder or one of the files."""
    if not load.get("path"):
        raise LoadError("the card names no file of the model")
    path = Path(load["path"])
    if not path.exists():
        raise LoadError(f"there is no {path}, which the card names")
    return path if path.is_dir() else path.parent
