"""Whether a model is still what was installed."""

from pathlib import Path

from unitd.fetch.checks import flaw_of
from unitd.fetch.records import Installed, read_record, sha256_of


def verify(place: Path) -> list[str]:
    """A sentence for each thing that is wrong with a model, a folder or a GGUF file; none when it is sound.

    What was pulled or imported is held against its record, byte by byte; of other models a GGUF can be looked through.
    """
    if record := read_record(place):
        return [wrong for file in record.files if (wrong := _difference(place, file))]
    files = [path for path in (place, *sorted(place.rglob("*.gguf"))) if path.is_file()]
    if not files:
        return [f"{place.name} was neither pulled nor imported: there is nothing to hold it against"]
    return [f"{file.name}: {wrong}" for file in files if (wrong := flaw_of(file))]


def _difference(place: Path, file: Installed) -> str:
    path = place / file.path
    if not path.is_file():
        return f"{file.path} is missing"
    if (size := path.stat().st_size) != file.size:
        return f"{file.path} has {size} bytes instead of {file.size}"
    return "" if sha256_of(path) == file.sha256 else f"{file.path} has changed: its SHA-256 is another"
