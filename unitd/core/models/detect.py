"""Detection of a model without a card, by its file names, its GGUF header, or the original's mode file. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from unitd.core.models.catalog import VISION, Card, read_card
from unitd.core.models.gguf import Description

_TRANSDUCER = ("tokens.txt", "encoder*.onnx", "decoder*.onnx", "joiner*.onnx")

FAMILIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("llm", "llama", ("*.gguf",)),
    ("tts", "piper", ("*.onnx", "*.onnx.json")),
    ("tts", "sherpa-onnx", ("tokens.txt", "*.onnx", "espeak-ng-data")),
    ("tts", "sherpa-onnx", ("tokens.txt", "*.onnx", "lexicon*.txt")),
    ("kws", "sherpa-onnx", ("*kws*", *_TRANSDUCER)),
    ("asr", "sherpa-onnx", _TRANSDUCER),
    ("asr", "sherpa-onnx-offline", ("uncached_decode*.onnx", "tokens.txt")),
    ("asr", "sherpa-onnx-offline", ("*encoder*.onnx", "*decoder*.onnx", "*tokens.txt")),
    ("asr", "sherpa-onnx-offline", ("*sense-voice*", "model*.onnx", "tokens.txt")),
    ("kws", "auto", ("*.tflite", "*.json")),
)
"""Unit, engine and the files that they need; the first match counts. docs/voice.md lists the same files."""


def family_of(name: str, files: Sequence[str]) -> tuple[str, str] | None:
    """Return unit and engine of a model of this name with these files; None if no engine can run it."""
    names = [name, *files]
    for unit, engine, patterns in FAMILIES:
        if all(any(fnmatchcase(each, pattern) for each in names) for pattern in patterns):
            return unit, engine
    return None


def described_card(name: str, description: Description) -> Card:
    """Return a card with what a GGUF's header says."""
    template = description.chat_template
    skills = {"text_generation": True, "chat": bool(template), "tools": "tools" in template}
    return Card(
        name,
        "llm",
        description=description.name,
        licence=description.licence,
        architecture=description.architecture,
        context_length=description.context_length,
        shape=description.shape,
        capabilities=tuple(skill for skill, has in skills.items() if has),
        input_type=("llm.utf-8", "llm.utf-8.stream"),
        output_type=("llm.utf-8", "llm.utf-8.stream"),
    )


_MODE_KEYS = {
    "type": "unit",
    "homepage": "homepage",
    "capabilities": "capabilities",
    "input_type": "input_type",
    "output_type": "output_type",
    "mode_param": "defaults",
}
"""The original's keys (docs/original-firmware.md, section 12) and a card's; others are for the original's hardware."""


def read_mode(name: str, document: Any, where: str) -> Card | None:
    """Return the card of a parsed mode file, under this name; None if the JSON is no mode file.

    Raises:
        ConfigError: a value is of the wrong type; `where` names the file.
    """
    if not isinstance(document, dict) or not {"mode", "type"} <= document.keys():
        return None
    values = {key: document[original] for original, key in _MODE_KEYS.items() if original in document}
    card = read_card({"name": name} | values, where)
    if card.unit == "vlm":  # a unit of its own in the original; here a model of llm that has vision
        card = replace(card, unit="llm", capabilities=(*card.capabilities, VISION))
    return card
