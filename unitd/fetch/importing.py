"""Import of a model that is already on this machine: a GGUF file, a folder, an archive.

The model is copied, checked and installed as if it had been pulled.
"""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from unitd.core.models.card_text import read_document
from unitd.core.models.catalog import Card, read_card
from unitd.core.models.detect import family_of
from unitd.core.models.gguf import read_description
from unitd.fetch.archive import is_archive, unpack
from unitd.fetch.failures import PullFailed, disk_errors_explained
from unitd.fetch.integrity import check_model_files, flaw_of
from unitd.fetch.reporter import Report
from unitd.fetch.space import check_space
from unitd.fetch.staging import CARD, describe, staging
from unitd.wire.errors import ConfigError

QUANTIZE = (sys.executable, "-m", "units.llm.quantize")
"""The program that writes a GGUF with fewer bits: IN OUT TYPE. It loads llama.cpp, so it belongs to a unit."""


def import_model(
    source: Path, models: Path, name: str, report: Report, known: Card | None = None, quantize: str = ""
) -> Path:
    """Copy a model into a models folder under a name and return its folder there.

    `known` is the catalogue's card of that name: the model gets the card's own name, and its unit and engine if the
    model does not have them in a card. `quantize` is llama.cpp's name of a type, such as q4_0, for a GGUF file; ""
    keeps the file.

    Raises:
        PullFailed: the model cannot be used; nothing is installed.
    """
    name = known.name if known else name
    with disk_errors_explained(models), staging(models, name, report) as stage:
        if stage.target.exists():
            raise PullFailed(f"{stage.target} is there: remove it first, or import under another name")
        stage.begin()
        check_space(stage.model, _size_of(source), name)
        if quantize:
            _quantize(source, stage.model / f"{source.stem}-{quantize}.gguf", quantize)
        else:
            _copy(source, stage.model)
        check_model_files(stage.model)
        describe(stage.model, _card_of(stage.model, name, known), [], {})
        return stage.finish()


def _size_of(source: Path) -> int:
    files = source.rglob("*") if source.is_dir() else [source]
    return sum(file.stat().st_size for file in files if file.is_file())


def _copy(source: Path, model: Path) -> None:
    if source.is_dir():
        _copy_folder(source, model)
    elif source.suffix == ".gguf":
        shutil.copyfile(source, model / source.name)
    elif is_archive(source.name):
        unpack(source, model, source.name)
    else:
        raise PullFailed(f"{source} is no GGUF file, no folder and no archive")


def _copy_folder(source: Path, model: Path) -> None:
    """Copy a folder with the targets of links to files: hub clients keep the files elsewhere."""
    for path in sorted(source.rglob("*")):  # a complete list first: the copy may lie inside
        target = model / path.relative_to(source)
        if path.is_dir() and not path.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        elif path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        else:
            raise PullFailed(f"{path} is neither a file nor a folder")


def _quantize(source: Path, target: Path, kind: str) -> None:
    if source.suffix != ".gguf" or not source.is_file():
        raise PullFailed(f"only a GGUF file can be quantized, {source} is none")
    if wrong := flaw_of(source):
        raise PullFailed(f"{source.name} is refused: {wrong}")
    finished = subprocess.run([*QUANTIZE, source, target, kind], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if finished.returncode:
        last_words = finished.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise PullFailed(f"{source.name} could not be quantized to {kind}: {last_words or finished.returncode}")


def _card_of(model: Path, name: str, known: Card | None) -> Card:
    """Return the card in the model's folder, else the catalogue's, else one that the file names tell."""
    if (model / CARD).exists():
        return _own_card(model / CARD, name)
    unit, engine = family_of(name, [path.name for path in model.iterdir()]) or ("", "")
    card = known or Card(name, unit, engine)
    if not card.unit:
        raise PullFailed(f"nothing says what {name} is: put a card.toml in, or import it under a catalogue's name")
    has_main_file = bool(card.file) and (model / card.file).is_file()
    return card if has_main_file else replace(card, file=_gguf_in(model))


def _gguf_in(model: Path) -> str:
    """Return the name of the first GGUF that is a model; "" if there is no GGUF."""
    ggufs = sorted(model.glob("*.gguf"))
    for path in ggufs:
        with path.open("rb") as file:
            description = read_description(file)
        if description and description.is_model:
            return path.name
    if ggufs:
        raise PullFailed(f"{ggufs[0].name} only adds to another model; an adapter (LoRA) goes into the folder lora")
    return ""


def _own_card(path: Path, name: str) -> Card:
    try:
        card = read_card(read_document(path.read_bytes()), CARD)
    except (ValueError, RecursionError, ConfigError) as error:
        raise PullFailed(f"its card.toml cannot be used: {error}") from error
    if card.name != name:
        raise PullFailed(f"its card.toml calls it {card.name}: import it under that name")
    if card.engine_options:
        raise PullFailed("its card.toml leads to a server: put it into the models folder yourself if you trust it")
    return card
