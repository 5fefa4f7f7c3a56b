"""System prompts that were read once, kept on disk: a restarted board answers its first question warm.

There is one file for each prompt, with llama.cpp's state of the sequence. A damaged one is read anew.
"""

import threading
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from units.llm.kept_files import KeptFiles
from units.llm.sequence import Generation

# A hundred prompts of a 0.5B model.
MAX_TOTAL_BYTES = 256 * 1024 * 1024


def identity_of(path: Path, *facts: object) -> str:
    """Return the identity of a model file as it is now, with whatever else a state depends on."""
    status = path.stat()
    return repr((str(path.resolve()), status.st_size, status.st_mtime_ns, *facts))


def name_of(generation: Generation) -> str:
    """Return what a prompt's state depends on besides the model, and its owner; "" for neither."""
    adapters = "".join(f"{scale}*{adapter.identity}" for adapter, scale in generation.blend)
    is_shared = generation.public == len(generation.prompt)
    return adapters if is_shared or not generation.owner else f"{adapters}@{generation.owner}"


class Snapshots:
    """The states of one model's prompts in one folder."""

    def __init__(self, folder: Path, identity: str, warn: Callable[[str], None]) -> None:
        self._files = KeptFiles(folder, ".kv", lambda: MAX_TOTAL_BYTES, warn)
        self._identity = identity

    def load(self, tokens: Sequence[int], name: str = "") -> bytearray | None:
        """Return the state of exactly these tokens under this name; None if there is none or it is damaged."""
        return self._files.load(self._key(tokens, name))

    def store(self, tokens: Sequence[int], state: bytes | bytearray, name: str = "") -> threading.Thread:
        """Write a state beside the engine's work; return the thread, for a caller that wants to wait."""
        return self._files.store(self._key(tokens, name), state)

    def _key(self, tokens: Sequence[int], name: str) -> bytes:
        return (self._identity + name).encode() + array("i", tokens).tobytes()
