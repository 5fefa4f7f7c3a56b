"""From a card to a model in its folder.

Look every file up, see whether they fit the disk, fetch what is missing, check it, unpack archives, and only then put
the folder into its place. Until that moment nothing of the model is seen by anybody, and after a failure it is not.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.models.progress import DONE, Progress
from unitd.fetch.archive import is_archive, unpack
from unitd.fetch.checks import check_download, check_model_files
from unitd.fetch.download import Downloads
from unitd.fetch.failures import PullFailed, disk_errors_told
from unitd.fetch.hub import Hub, Source
from unitd.fetch.place import CARD, Staging, describe, staging
from unitd.fetch.progress import Meter, Tell
from unitd.fetch.records import Installed, read_record
from unitd.fetch.space import check_space
from unitd.fetch.verify import verify


def pull(card: Card, models: Path, tell: Tell, hub: Hub | None = None) -> Path:
    """Brings a card's model into a models folder and tells how far it is, from any thread; its folder.

    A model that is there and sound is left alone; one that is damaged, or older than the card, is replaced.

    Raises:
        PullFailed: with a sentence; what has come is kept for the next pull.
    """
    if not card.parts:
        raise PullFailed(f"the card of {card.name} does not say where its files are to be had")
    with disk_errors_told(models), staging(models, card.name, tell) as stage:
        if not _is_there(card, stage.place, tell):
            _fetch_and_install(card, stage, tell, hub or Hub())
    tell(Progress(DONE, place=str(stage.place)))
    return stage.place


def _is_there(card: Card, place: Path, tell: Tell) -> bool:
    """True when nothing is to be done; PullFailed when what is there is somebody's own."""
    if not place.exists():
        return False
    record = read_record(place)
    if record is None or not record.origin:
        raise PullFailed(f"{place} is there and was not pulled: remove it, or keep it and use it as it is")
    wanted = [asdict(part) for part in card.parts]
    if [{key: each.get(key) for key in wanted[0]} for each in record.origin] != wanted:
        return False
    tell(Progress("checking"))
    return not verify(place)


def _fetch_and_install(card: Card, stage: Staging, tell: Tell, hub: Hub) -> None:
    stage.begin()
    downloads = Downloads(hub, stage.partial)
    sources = downloads.locate(card.parts)
    # An archive is there twice for a while: packed, and what comes out of it, of which only this much is known.
    unpacked = sum(source.size for source in sources if is_archive(source.part.path))
    check_space(stage.partial, downloads.missing_bytes(sources) + unpacked, card.name)
    downloads.fetch(sources, Meter(sum(source.size for source in sources), tell))
    tell(Progress("checking"))
    files = [_checked(source, downloads.place_of(source)) for source in sources]
    _assemble(sources, downloads, stage.model, tell)
    check_model_files(stage.model)
    if card.file and not (stage.model / card.file).is_file():
        raise PullFailed(f"{card.name} came without {card.file}, its main file")
    (stage.model / CARD).unlink(missing_ok=True)  # an archive's own may lead elsewhere: the catalogue's counts
    describe(stage.model, card, [_origin(source) for source in sources], {each.path: each for each in files})
    stage.finish()


def _checked(source: Source, file: Path) -> Installed:
    """What is wrong is not continued by the next pull."""
    try:
        return Installed(source.part.path, source.size, check_download(file, source), source.etag)
    except PullFailed:
        file.unlink()
        raise


def _assemble(sources: Sequence[Source], downloads: Downloads, model: Path, tell: Tell) -> None:
    """Unpacks archives and then moves files: what can fail goes first, a moved file has to be fetched again."""
    for source in sources:
        if is_archive(source.part.path):
            tell(Progress("unpacking", source.part.path))
            unpack(downloads.place_of(source), model, source.part.path)
    for source in sources:
        if not is_archive(source.part.path):
            target = model / source.part.path
            target.parent.mkdir(parents=True, exist_ok=True)
            downloads.place_of(source).rename(target)


def _origin(source: Source) -> dict[str, Any]:
    return asdict(source.part) | {"commit": source.commit, "etag": source.etag}
