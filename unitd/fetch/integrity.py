"""Checks of files: size and hash, whether an engine can be trusted with a GGUF, and whether a model is still intact."""

from collections.abc import Sequence
from pathlib import Path

from unitd.core.models.gguf_check import check_tensors
from unitd.fetch.failures import PullFailed
from unitd.fetch.records import Installed, git_hash_of, read_record, sha256_of
from unitd.fetch.sources import Source

GIT_DIGITS = 40


def check_download(file: Path, source: Source) -> str:
    """Compare a fetched file with its announced size and hash; return its SHA-256.

    Raises:
        PullFailed: they differ.
    """
    if (size := file.stat().st_size) != source.size:
        raise PullFailed(f"{source.part.label} came with {size} bytes, {source.size} were announced")
    sha256 = sha256_of(file)
    if source.sha256 and sha256 != source.sha256:
        raise PullFailed(f"{source.part.label} came with the SHA-256 {sha256}, it should be {source.sha256}")
    if _has_git_hash(source) and (found := git_hash_of(file)) != source.etag:
        raise PullFailed(f"{source.part.label} came with the hash {found}, the hub says {source.etag}")
    return sha256


def _has_git_hash(source: Source) -> bool:
    return bool(source.part.repository) and not source.sha256 and len(source.etag) == GIT_DIGITS


def unchecked_words(sources: Sequence[Source]) -> str:
    """Return a sentence about the files whose hash the catalogue does not have; "" if it has all."""
    unknown = [source for source in sources if not source.part.sha256]
    by_hub = [source for source in unknown if source.sha256 or _has_git_hash(source)]
    lists = {
        "not verified, for the catalogue has no hash: {} (compared with the hub's own hash only)": by_hub,
        "not verified, for there is no hash: {} (only the length was compared)": [
            source for source in unknown if source not in by_hub
        ],
    }
    return "; ".join(
        words.format(", ".join(source.part.path for source in some)) for words, some in lists.items() if some
    )


def check_model_files(model: Path) -> None:
    """Check every GGUF in a model's folder; other files are checked by their engine.

    Raises:
        PullFailed: a file could harm an engine.
    """
    for file in sorted(model.rglob("*.gguf")):
        if wrong := flaw_of(file):
            raise PullFailed(f"{file.relative_to(model)} is refused: {wrong}")


def flaw_of(file: Path) -> str:
    """Return what is wrong with a GGUF; "" if an engine may load it."""
    try:
        with file.open("rb") as content:
            check_tensors(content, file.stat().st_size)
    except ValueError as error:
        return str(error)
    return ""


def verify(model: Path) -> list[str]:
    """Return a sentence for each problem of a model (a folder or a GGUF file); an empty list if it is intact.

    A model that was pulled or imported is compared with its record, byte by byte; of others each GGUF is checked.
    """
    if record := read_record(model):
        return [wrong for file in record.files if (wrong := _difference(model, file))]
    files = [path for path in (model, *sorted(model.rglob("*.gguf"))) if path.is_file()]
    if not files:
        return [f"{model.name} was neither pulled nor imported: there is nothing to hold it against"]
    return [f"{file.name}: {wrong}" for file in files if (wrong := flaw_of(file))]


def _difference(model: Path, file: Installed) -> str:
    path = model / file.path
    if not path.is_file():
        return f"{file.path} is missing"
    if (size := path.stat().st_size) != file.size:
        return f"{file.path} has {size} bytes instead of {file.size}"
    return "" if sha256_of(path) == file.sha256 else f"{file.path} has changed: its SHA-256 is another"
