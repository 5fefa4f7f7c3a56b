"""Files of models, and cards that name them."""

import bz2
import hashlib
import io
import random
import struct
import tarfile

from tests.support.servers.local_hub import HubFile, LocalHub
from unitd.core.models.catalog import Card, ModelFile

HEADER_BYTES = 64
"""The size of the header of `gguf`; the weights follow it."""


def gguf(weights: int = 1000, *, tensors: int = 1, offset: int = 0, kind: int = 0) -> bytes:
    """Return a GGUF with one tensor of random numbers; its header may claim something else."""
    start = struct.pack("<4sIQQ", b"GGUF", 3, tensors, 0)
    tensor = struct.pack("<Q1sIQIQ", 1, b"t", 1, weights, kind, offset)
    return (start + tensor).ljust(HEADER_BYTES, b"\0") + random.Random(8).randbytes(4 * weights)


def packed(*members: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    """Return a .tar.bz2 of these files; a TarInfo stands for a member that is no plain file."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for member, content in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            info.size = len(content) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(content))
    return bz2.compress(file.getvalue())


def sha256(content: bytes) -> str:
    """Return the hash in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def offer(hub: LocalHub, path: str, content: bytes, *, is_large: bool = True) -> ModelFile:
    """Put a file into a repository of the hub; return the part of a card that names it, without a hash."""
    hub.files[f"me/model/{path}"] = HubFile(content, is_large)
    return ModelFile(path, repository="me/model")


def release(hub: LocalHub, path: str, content: bytes) -> ModelFile:
    """Put a file on the page of releases; return the part of a card that names it."""
    hub.files[f"release/{path}"] = HubFile(content)
    return ModelFile(path, url=f"{hub.cdn_url}/release/{path}", size=len(content), sha256=sha256(content))


def card_of(*parts: ModelFile, file: str = "") -> Card:
    """Return the card of a model of these parts; the first is the main file."""
    return Card("small", "llm", "llama", file=file or parts[0].path, parts=parts)
