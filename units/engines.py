"""All units and engines that come with unitd, by name; a module is imported when its unit or engine is chosen.

An entry names a module and what in it makes the unit or the engine.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from units.base import LoadError

UNITS: Mapping[str, str] = {
    "llm": "units.llm.engine_loader:EngineLoader",
    "kws": "units.kws.unit:KwsUnit",
    "asr": "units.asr.unit:AsrUnit",
    "vad": "units.vad.unit:VadUnit",
    "tts": "units.tts.unit:TtsUnit",
    "audio": "units.audio.unit:AudioUnit",
    "intent": "units.intent.unit:IntentUnit",
    "camera": "units.camera.unit:CameraUnit",
}
"""The units by kind; each maker takes the host."""

ENGINES: dict[str, dict[str, str]] = {
    "llm": {
        "llama": "units.llm.unit:LlmUnit",
        "openai": "units.llm.remote:RemoteLlmUnit",
    },
    "kws": {
        "auto": "units.kws.bundled:BundledEngine",
        "sherpa": "units.kws.sherpa:SherpaEngine",
        "sherpa-onnx": "units.kws.sherpa:SherpaEngine",
    },
    "asr": {
        "auto": "units.asr.bundled:BundledEngine",
        "pocketsphinx": "units.asr.bundled:BundledEngine",
        "sherpa-onnx": "units.asr.sherpa:SherpaEngine",
        "sherpa-onnx-offline": "units.asr.offline:OfflineEngine",
    },
    "vad": {
        "silero": "units.vad.silero:Silero",
        "webrtc": "units.vad.webrtc:Webrtc",
    },
    "tts": {
        "auto": "units.tts.engine:load_bundled",
        "espeak": "units.tts.espeak:load_engine",
        "espeak-program": "units.tts.espeak_program:load_engine",
        "piper": "units.tts.piper:load_engine",
        "sherpa": "units.tts.sherpa:load_engine",
        "sherpa-onnx": "units.tts.sherpa:load_engine",
    },
}
"""By unit and by the `engine` of a card. Makers of llm take the host, of kws the card's path, of asr and tts the `load`
message, of vad nothing."""


def find_engine(unit: str, name: str) -> Callable[..., Any]:
    """Import an engine's module and return its maker; raise LoadError when it is unknown or not installed."""
    engines = ENGINES[unit]
    if name not in engines:
        raise LoadError(f"there is no {unit} engine {name!r}; there is {', '.join(engines)}")
    return imported(engines[name])


def imported(entry: str) -> Callable[..., Any]:
    """Import the module of an entry and return what the entry names."""
    module, _, name = entry.partition(":")
    maker: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return maker
