"""The detectors by name; only the chosen one is imported."""

import importlib
from collections.abc import Callable

from units.base import LoadError
from units.vad.gate import Detector

DETECTORS = {
    "silero": ("units.vad.silero", "Silero"),
    "webrtc": ("units.vad.webrtc", "Webrtc"),
}
BUNDLED = "silero"


def find_detector(name: str) -> Callable[[], Detector]:
    """The detector's class; LoadError when there is none or its package is missing."""
    if name not in DETECTORS:
        raise LoadError(f"there is no vad engine {name!r}; there is {', '.join(DETECTORS)}")
    module, class_name = DETECTORS[name]
    found: Callable[[], Detector] = getattr(importlib.import_module(module), class_name)
    return found
