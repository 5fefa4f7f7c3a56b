"""Files that models are made of, and cards that name them."""

import bz2
import hashlib
import io
import random
import struct
import tarfile

from tests.support.servers.local_hub import HubFile, LocalHub
from unitd.core.models.catalog import Card, ModelFile

HEADER_BYTES = 64
"""Of `gguf`: then the weights begin."""


def gguf(weights: int = 1000, *, tensors: int = 1, offset: int = 0, kind: int = 0) -> bytes:
    """A GGUF with one tensor of random numbers; its header may claim otherwise."""
    start = struct.pack("<4sIQQ", b"GGUF", 3, tensors, 0)
    tensor = struct.pack("<Q1sIQIQ", 1, b"t", 1, weights, kind, offset)
    return (start + tensor).ljust(HEADER_BYTES, b"\0") + random.Random(8).randbytes(4 * weights)


def packed(*members: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    """A .tar.bz2 of these files; a member of another kind is given whole."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for member, content in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            info.size = len(content) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(content))
    return bz2.compress(file.getvalue())


def sha256(content: bytes) -> str:
    """In hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def offer(hub: LocalHub, path: str, content: bytes, *, is_large: bool = True) -> ModelFile:
    """Puts a file into a repository of the hub; how a card names it, without a hash."""
    hub.files[f"me/model/{path}"] = HubFile(content, is_large)
    return ModelFile(path, repository="me/model")


def release(hub: LocalHub, path: str, content: bytes) -> ModelFile:
    """Puts a file on the page of releases; how a card names it."""
    hub.files[f"release/{path}"] = HubFile(content)
    return ModelFile(path, url=f"{hub.cdn_url}/release/{path}", size=len(content), sha256=sha256(content))


def card_of(*parts: ModelFile, file: str = "") -> Card:
    """The card of a model of these parts; the first is the main one."""
    return Card("small", "llm", "llama", file=file or parts[0].path, parts=parts)
