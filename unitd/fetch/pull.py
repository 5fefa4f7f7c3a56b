"""The pull of a model: from a card to an installed folder.

The steps: look every file up, check the space on disk, fetch what is missing, check it, unpack archives, and rename the
folder to its target. Nothing of the model is visible before the last step, nor after a failure.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unitd.core.models.catalog import Card
from unitd.core.models.progress import DONE, Progress
from unitd.fetch.archive import is_archive, unpack
from unitd.fetch.downloader import Downloader
from unitd.fetch.failures import PullFailed, disk_errors_explained
from unitd.fetch.integrity import check_download, check_model_files, unchecked_words, verify
from unitd.fetch.records import Installed, read_record
from unitd.fetch.reporter import ProgressReporter, Report
from unitd.fetch.sources import Hub, Source
from unitd.fetch.space import check_space
from unitd.fetch.staging import CARD, Staging, describe, staging


def pull(card: Card, models: Path, report: Report, hub: Hub | None = None) -> Path:
    """Install a card's model in a models folder and return its folder; report progress, from any thread.

    An installed model that is intact is kept; one that is damaged, or older than the card, is replaced.

    Raises:
        PullFailed: the model cannot be fetched or is refused; partial files are kept for the next pull.
    """
    if not card.parts:
        raise PullFailed(f"the card of {card.name} does not say where its files are to be had")
    with disk_errors_explained(models), staging(models, card.name, report) as stage:
        is_there = _is_there(card, stage.target, report)
        unchecked = "" if is_there else _fetch_and_install(card, stage, report, hub or Hub())
    report(Progress(DONE, place=str(stage.target), unchecked=unchecked))
    return stage.target


def _is_there(card: Card, model: Path, report: Report) -> bool:
    """Return whether the card's model is installed and intact; raise PullFailed if one of the user's own is there."""
    if not model.exists():
        return False
    record = read_record(model)
    if record is None or not record.origin:
        raise PullFailed(f"{model} is there and was not pulled: remove it, or keep it and use it as it is")
    wanted = [asdict(part) for part in card.parts]
    if [{key: each.get(key) for key in wanted[0]} for each in record.origin] != wanted:
        return False
    report(Progress("checking"))
    return not verify(model)


def _fetch_and_install(card: Card, stage: Staging, report: Report, hub: Hub) -> str:
    """Return a sentence about files that could not be compared with a hash of the catalogue; "" if all were."""
    stage.begin()
    downloader = Downloader(hub, stage.partial)
    sources = downloader.locate(card.parts)
    # An archive needs space twice, packed and unpacked; the unpacked size is at least the packed one.
    unpacked = sum(source.size for source in sources if is_archive(source.part.path))
    check_space(stage.partial, downloader.missing_bytes(sources) + unpacked, card.name)
    downloader.fetch(sources, ProgressReporter(sum(source.size for source in sources), report))
    report(Progress("checking"))
    files = [_checked(source, downloader.partial_file(source)) for source in sources]
    _assemble(sources, downloader, stage.model, report)
    check_model_files(stage.model)
    if card.file and not (stage.model / card.file).is_file():
        raise PullFailed(f"{card.name} came without {card.file}, its main file")
    (stage.model / CARD).unlink(missing_ok=True)  # an archive's card is not trusted: the catalogue's counts
    describe(stage.model, card, [_origin(source) for source in sources], {each.path: each for each in files})
    stage.finish()
    return unchecked_words(sources)


def _checked(source: Source, file: Path) -> Installed:
    """Return the record of a checked file; delete a wrong one, so that the next pull does not continue it."""
    try:
        return Installed(source.part.path, source.size, check_download(file, source), source.etag)
    except PullFailed:
        file.unlink()
        raise


def _assemble(sources: Sequence[Source], downloader: Downloader, model: Path, report: Report) -> None:
    """Unpack archives, then move files: unpacking can fail, and a moved file would have to be fetched again."""
    for source in sources:
        if is_archive(source.part.path):
            report(Progress("unpacking", source.part.path))
            unpack(downloader.partial_file(source), model, source.part.path)
    for source in sources:
        if not is_archive(source.part.path):
            target = model / source.part.path
            target.parent.mkdir(parents=True, exist_ok=True)
            downloader.partial_file(source).rename(target)


def _origin(source: Source) -> dict[str, Any]:
    return asdict(source.part) | {"commit": source.commit, "etag": source.etag}
