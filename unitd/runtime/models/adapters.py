"""LoRA adapters: `lora` at setup names small corrections of a model's weights, GGUF files in the models folders.

They lie in a folder `lora` beside the models; a name is the file's without `.gguf`. Names are compared with what lies
there and never made into a path. Only the engine can tell whether an adapter fits its model; but in its program the
adapter meets the tasks of others, so a file that could crash the program is refused here.
"""

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unitd.core.models.gguf import read_description
from unitd.core.models.gguf_check import COMPUTABLE, check_tensors
from unitd.wire.errors import LoadFailed

ADAPTERS = "lora"
ADAPTER = "adapter"
"""What `general.type` of such a file is."""

# Each one makes every token a little slower.
MAX_ADAPTERS = 8
MAX_SCALE = 100.0


class Wanted(NamedTuple):
    """An adapter as a setup names it."""

    name: str
    scale: float


async def with_files(setup: dict[str, Any], folders: Sequence[Path]) -> dict[str, Any]:
    """Return a setup whose `lora` holds files instead of names: what the unit program is told.

    Raises LoadFailed when `lora` is of another form, or names what is not there, is damaged, or is no adapter.
    """
    wanted = read_wanted(setup.get("lora", []))
    files = await asyncio.to_thread(lambda: [_file_of(each.name, folders) for each in wanted])
    found = zip(files, wanted, strict=True)
    return setup | {"lora": [{"path": str(file), "scale": each.scale} for file, each in found]}


def read_wanted(value: Any) -> list[Wanted]:
    """Return the adapters of a name, an object with name and scale, or a list of these; else raise LoadFailed."""
    listed = value if isinstance(value, list) else [value]
    if len(listed) > MAX_ADAPTERS:
        raise LoadFailed(f"lora may name {MAX_ADAPTERS} adapters")
    wanted = [_wanted(each) for each in listed]
    if len({each.name for each in wanted}) < len(wanted):
        raise LoadFailed("lora names an adapter twice")
    return [each for each in wanted if each.scale]


def _wanted(value: Any) -> Wanted:
    entry = {"name": value} if isinstance(value, str) else value
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or entry.keys() - {"name", "scale"}:
        raise LoadFailed('lora must be a name, or a list of names and of objects {"name", "scale"}')
    scale = entry.get("scale", 1.0)
    if type(scale) not in (int, float) or not math.isfinite(scale) or abs(scale) > MAX_SCALE:
        raise LoadFailed(f"the scale of {entry['name']!r} must be a number from -{MAX_SCALE:g} to {MAX_SCALE:g}")
    return Wanted(entry["name"], float(scale))


def _file_of(name: str, folders: Sequence[Path]) -> Path:
    """Return the adapter of this name in the first folder that has one."""
    files = [file for folder in reversed(folders) for file in (folder / ADAPTERS).glob("*.gguf") if file.is_file()]
    there = {file.stem: file for file in files if file.stem.isprintable()}
    if name not in there:
        raise LoadFailed(f"there is no adapter {name!r} here; there is {', '.join(sorted(there)) or 'none'}")
    try:
        _check(there[name])
    except OSError as error:
        raise LoadFailed(f"the adapter {name!r} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise LoadFailed(f"the adapter {name!r} cannot be used: {error}") from error
    return there[name]


def _check(path: Path) -> None:
    """Raise ValueError for a file that is no adapter or damaged, OSError for one that cannot be read."""
    with path.open("rb") as file:
        check_tensors(file, path.stat().st_size, COMPUTABLE)
        file.seek(0)
        description = read_description(file)
    if description is None or description.kind != ADAPTER:
        raise ValueError("it is a model, no adapter")
