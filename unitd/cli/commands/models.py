"""`unitd models`: lists, fetches, imports, checks and removes models.

It works on the models folders themselves; a running daemon reads them again at each setup.
"""

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unitd.app import ProgramFolders, open_model_store
from unitd.cli.connection import DaemonConnection, fail, is_listened_to, socket_of
from unitd.cli.screens import ProgressScreen, print_table
from unitd.core.config.schema import Settings
from unitd.core.models.catalog import Card, Catalog
from unitd.core.models.memory import in_mib, limit_of
from unitd.core.models.progress import FAILED, Progress, size_words
from unitd.core.visible import SHOWN
from unitd.runtime.children.memory_budget import memory_of_board
from unitd.runtime.models.downloads import FETCH_ARGV, Downloads, card_to_pull, folder_for
from unitd.runtime.models.inventory import Inventory, ModelInfo
from unitd.runtime.models.store import ModelStore
from unitd.settings import find_program_folders, load_settings
from unitd.wire.errors import BadFile, UnitdError

COLUMNS = ("name", "unit", "size", "state", "fits", "good for")


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand and return its exit code."""
    try:
        return COMMANDS[arguments.what](_LocalModels.of(arguments.config), arguments)
    except UnitdError as error:
        fail(error.reason)


@dataclass(frozen=True)
class _LocalModels:
    """The models of this machine, by its configuration."""

    settings: Settings
    program_folders: ProgramFolders
    model_store: ModelStore

    @staticmethod
    def of(config: Path | None) -> "_LocalModels":
        settings, program_folders = load_settings(config), find_program_folders()
        return _LocalModels(settings, program_folders, open_model_store(settings, program_folders))

    def catalog(self) -> Catalog:
        return asyncio.run(self.model_store.catalog())

    def card(self, name: str) -> Card:
        card = self.catalog().find(name)
        return card or fail(f"there is no model {name}; unitd models list shows those there are")

    def infos(self, *cards: Card) -> list[ModelInfo]:
        limit = limit_of(self.settings.limits.memory, memory_of_board())
        return asyncio.run(Inventory(self.settings.llm, lambda: limit).take(cards))

    @property
    def folder(self) -> Path:
        return folder_for(self.settings.models.dir)


def _list(local: _LocalModels, arguments: argparse.Namespace) -> int:
    infos = local.infos(*local.catalog().cards)
    ordered = sorted(infos, key=lambda each: (not each.card.is_installed, each.card.unit, each.card.name))
    print_table(COLUMNS, [_row(each) for each in ordered])
    return 0


def _row(info: ModelInfo) -> tuple[str, ...]:
    card, size = info.card, size_words(info.size) if info.size else "-"
    return (card.name, card.unit, size, _state(card), _fits(info), card.good_for or card.description)


def _state(card: Card) -> str:
    if card.is_bundled:
        return "bundled"
    if "base_url" in card.engine_options:
        return "elsewhere"
    return "installed" if card.is_installed else "available" if card.parts else "known"


def _fits(info: ModelInfo) -> str:
    if info.fits is None:
        return "-"
    return "yes" if info.fits or info.need is None else f"no, needs {in_mib(info.need.total)} MiB"


def _info(local: _LocalModels, arguments: argparse.Namespace) -> int:
    [info] = local.infos(card := local.card(arguments.name))
    facts = {
        "name": card.name,
        "also called": ", ".join(card.aliases),
        "unit": f"{card.unit}, engine {card.engine}" if card.engine else card.unit,
        "what": card.description,
        "good for": card.good_for,
        "languages": ", ".join(card.languages),
        "weights": f"{card.parameters:,}" if card.parameters else "",
        "context": f"{card.context_length:,} tokens" if card.context_length else "",
        "licence": card.licence,
        "homepage": card.homepage,
        "state": _state(card),
        "place": str(card.place or ""),
        "size": size_words(info.size) if info.size else "",
        "memory": str(info.need or ""),
        "fits": _fits(info),
        "files": ", ".join(part.url or f"{part.repository}/{part.path}@{part.revision}" for part in card.parts),
        "note": card.note,
    }
    lines = [f"{key + ':':12} {value.translate(SHOWN)}\n" for key, value in facts.items() if value]
    sys.stdout.write("".join(lines))
    return 0


def _pull(local: _LocalModels, arguments: argparse.Namespace) -> int:
    logging.getLogger("unitd.pulls").setLevel(logging.CRITICAL)  # the screen shows the same
    card = card_to_pull(local.catalog(), arguments.name)
    last = asyncio.run(_follow(Downloads(FETCH_ARGV, local.program_folders.model_cards), card.name, local.folder))
    if last.state == FAILED:
        fail(last.reason)
    if last.unchecked:
        sys.stdout.write(f"{card.name}: {last.unchecked}\n")
    sys.stdout.write(f"{card.name} is installed in {last.place}\n")
    return 0


async def _follow(downloads: Downloads, name: str, folder: Path) -> Progress:
    """Show the pull's progress and return its last state."""
    async with asyncio.TaskGroup() as group:
        downloads.open(group)
        with ProgressScreen(name) as screen:
            async for progress in downloads.start(name, folder).follow():
                screen.show(progress)
    return progress


def _remove(local: _LocalModels, arguments: argparse.Namespace) -> int:
    """Remove through the daemon if one runs, because it knows which models are in use."""
    card = local.card(arguments.name)
    is_gone = is_listened_to(socket_of(arguments)) and _remove_by_daemon(DaemonConnection(arguments), card.name)
    if not is_gone:
        asyncio.run(local.model_store.remove(card.name))
    what = "" if card.is_installed else ", which was not installed: what had come of it"
    sys.stdout.write(f"{card.name}{what} is removed\n")
    return 0


def _remove_by_daemon(connection: DaemonConnection, name: str) -> bool:
    """Remove through the daemon; return False if it does not have the model, as with another configuration."""
    connection.send({"request_id": "rm", "work_id": "sys", "action": "rmmode", "data": name})
    error = next(reply["error"] for reply in connection.replies(timeout=60) if reply["request_id"] == "rm")
    if error["code"] not in (0, BadFile.code):
        fail(error["message"])
    return not error["code"]


def _import(local: _LocalModels, arguments: argparse.Namespace) -> int:
    from unitd.fetch.archive import SUFFIXES
    from unitd.fetch.failures import PullFailed
    from unitd.fetch.importing import import_model

    source: Path = arguments.path
    name = arguments.name or source.absolute().name
    if not arguments.name and (endings := [each for each in (".gguf", *SUFFIXES) if name.endswith(each)]):
        name = name.removesuffix(endings[0])
    known = local.catalog().find(name)
    try:
        with ProgressScreen(name) as screen:
            place = import_model(source, local.folder, name, screen.show, known, arguments.quantize)
    except PullFailed as error:
        fail(str(error))
    sys.stdout.write(f"{name} is installed in {place}\n")
    return 0


def _verify(local: _LocalModels, arguments: argparse.Namespace) -> int:
    """Check models; return 1 if anything is wrong, else 0."""
    from unitd.fetch.integrity import verify

    cards = [local.card(name) for name in arguments.name] or local.catalog().cards
    own = [card for card in cards if not card.is_bundled and "base_url" not in card.engine_options]
    places = {card.name: card.place for card in own if card.place}
    findings = {name: verify(place) for name, place in places.items()}
    for name, wrong in findings.items():
        sys.stdout.writelines(f"{name}: {words}\n" for words in wrong or ["sound"])
    if not findings:
        sys.stdout.write("there is nothing to verify\n")
    return 1 if any(findings.values()) else 0


def _suggest(local: _LocalModels, arguments: argparse.Namespace) -> int:
    from unitd.cli.commands.suggest import suggest

    return suggest(local.settings, local.program_folders.bundled_models, local.infos(*local.catalog().cards))


COMMANDS: dict[str, Callable[[_LocalModels, argparse.Namespace], int]] = {
    "list": _list,
    "info": _info,
    "pull": _pull,
    "rm": _remove,
    "import": _import,
    "verify": _verify,
    "suggest": _suggest,
}
