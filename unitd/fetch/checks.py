"""Whether a file is what it should be: its size, its hash, and whether an engine can be trusted with it."""

from pathlib import Path

from unitd.core.models.gguf_check import check_tensors
from unitd.fetch.failures import PullFailed
from unitd.fetch.hub import Source, told
from unitd.fetch.records import git_hash_of, sha256_of

GIT_DIGITS = 40


def check_download(file: Path, source: Source) -> str:
    """Compares a fetched file with what was announced; its SHA-256.

    Raises:
        PullFailed: it is another.
    """
    if (size := file.stat().st_size) != source.size:
        raise PullFailed(f"{told(source.part)} came with {size} bytes, {source.size} were announced")
    sha256 = sha256_of(file)
    if source.sha256 and sha256 != source.sha256:
        raise PullFailed(f"{told(source.part)} came with the SHA-256 {sha256}, it should be {source.sha256}")
    is_of_git = bool(source.part.repository) and not source.sha256 and len(source.etag) == GIT_DIGITS
    if is_of_git and (found := git_hash_of(file)) != source.etag:
        raise PullFailed(f"{told(source.part)} came with the hash {found}, the hub says {source.etag}")
    return sha256


def check_model_files(model: Path) -> None:
    """Looks through every GGUF of a model's folder; of other files the engine is the judge.

    Raises:
        PullFailed: no engine should see one of them.
    """
    for file in sorted(model.rglob("*.gguf")):
        if wrong := flaw_of(file):
            raise PullFailed(f"{file.relative_to(model)} is refused: {wrong}")


def flaw_of(file: Path) -> str:
    """What is wrong with a GGUF; "" when an engine may see it."""
    try:
        with file.open("rb") as content:
            check_tensors(content, file.stat().st_size)
    except ValueError as error:
        return str(error)
    return ""
