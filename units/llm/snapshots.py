"""System prompts that were read once, kept on disk: a restarted board answers its first question warm.

There is one file for each prompt: a checksum, then llama.cpp's state of the sequence. The name is a hash of everything
that the state depends on, so a file that fits by name is valid; a stale one is never asked for and is removed when room
is needed. A damaged file is deleted, and its prompt read anew.
"""

import hashlib
import threading
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path

from units.llm.sequence import Generation

# A hundred prompts of a 0.5B model; the oldest leave first.
MAX_TOTAL_BYTES = 256 * 1024 * 1024
_CHECKSUM_BYTES = hashlib.sha256().digest_size


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
        self._folder = folder
        self._identity = identity
        self._warn = warn

    def load(self, tokens: Sequence[int], name: str = "") -> bytearray | None:
        """Return the state of exactly these tokens under this name; None if there is none or it is damaged."""
        path = self._path(tokens, name)
        try:
            with path.open("rb") as file:
                checksum, state = file.read(_CHECKSUM_BYTES), bytearray(file.read())
        except OSError:
            return None
        if hashlib.sha256(state).digest() != checksum:
            self._warn(f"{path.name} is damaged, the prompt is read anew")
            path.unlink(missing_ok=True)
            return None
        return state

    def store(self, tokens: Sequence[int], state: bytes | bytearray, name: str = "") -> threading.Thread:
        """Write a state beside the engine's work; return the thread, for a caller that wants to wait."""
        writer = threading.Thread(target=self._write, args=(self._path(tokens, name), state), name="snapshot")
        writer.start()
        return writer

    def _path(self, tokens: Sequence[int], name: str) -> Path:
        key = hashlib.sha256((self._identity + name).encode() + array("i", tokens).tobytes())
        return self._folder / f"{key.hexdigest()}.kv"

    def _write(self, path: Path, state: bytes | bytearray) -> None:
        """Write by rename; a full disk costs the snapshot and a line in the log."""
        partial = path.with_suffix(".partial")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room(len(state))
            partial.write_bytes(hashlib.sha256(state).digest() + state)
            partial.replace(path)
        except OSError as error:
            self._warn(f"a prompt's state cannot be kept: {error}")

    def _make_room(self, needed: int) -> None:
        files = sorted(self._folder.glob("*.kv"), key=lambda each: each.stat().st_mtime)
        total = sum(each.stat().st_size for each in files) + needed
        for each in files:
            if total <= MAX_TOTAL_BYTES:
                return
            total -= each.stat().st_size
            each.unlink()
