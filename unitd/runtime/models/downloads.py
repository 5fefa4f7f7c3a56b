"""Models on their way to this machine.

A download is a program of its own (`python -m unitd.fetch`), so that its work on the network, the disk and the
processor stops no unit, and its faults stop nothing. It gets what to fetch in one JSON object, and says how far it is
in JSON lines. All clients that ask for the same model follow the same program. A follower sees the newest state and the
last one; what came while it was busy is left out. A download goes on when its followers leave; when the daemon stops,
the program is killed, and the next download goes on with what has come.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import orjson

from unitd.core.models.catalog import Card, Catalog
from unitd.core.models.progress import FAILED, Progress
from unitd.wire.errors import BadFile, Unavailable

log = logging.getLogger("unitd.pulls")

FETCH_ARGV = (sys.executable, "-m", "unitd.fetch")
"""The program that pulls one model."""

# More at a time would share the same line, and each takes the memory of a Python with a network library.
AT_ONCE = 2
# A client of the wire that hears nothing for 5 s gives up; checking a large file takes longer.
SILENCE_SECONDS = 4.0
LAST_WORDS_BYTES = 8 * 1024
STOPPED = "it was stopped; another pull goes on where it ended"
CANCELLED = "it was cancelled"


class Download:
    """One model on its way."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.progress = Progress()
        self.fate = STOPPED
        """What its followers are told when it is ended from here."""

        self._news = asyncio.Event()
        self._failed = asyncio.Event()

    def note(self, progress: Progress) -> None:
        """Note how far the download is now."""
        self.progress = progress
        if progress.state == FAILED:
            self._failed.set()
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def follow(self, interval: float = 0.0) -> AsyncIterator[Progress]:
        """Yield the present state, each newer one as fast as it is taken, and the last; an old one after a silence.

        At least `interval` seconds lie between two of them, of which the newest counts; a failure comes at once.
        """
        while True:
            news, progress = self._news, self.progress
            yield progress
            if progress.is_last:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(interval):
                    await self._failed.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(SILENCE_SECONDS):
                    await news.wait()


class Downloads:
    """All downloads."""

    def __init__(self, argv: Sequence[str], cards_folder: Path) -> None:
        """`argv` starts the program that pulls one model, by its card in `cards_folder`."""
        self._argv = argv
        self._cards_folder = cards_folder
        self._lanes = asyncio.Semaphore(AT_ONCE)
        self._running: dict[str, tuple[Download, asyncio.Task[None]]] = {}
        self._group: asyncio.TaskGroup | None = None

    def open(self, group: asyncio.TaskGroup) -> None:
        """Run the programs in this group from now on."""
        self._group = group

    @property
    def under_way(self) -> Mapping[str, Progress]:
        """How far each download is, by the card's name."""
        return {name: pull.progress for name, (pull, _) in self._running.items()}

    def start(self, name: str, folder: Path) -> Download:
        """Return the download of a card into a models folder: the one that runs, or a new one."""
        if name not in self._running:
            assert self._group is not None
            pull = Download(name)
            task = self._group.create_task(self._see_through(pull, folder), name=f"pull of {name}")
            self._running[name] = pull, task
        return self._running[name][0]

    async def cancel(self, name: str) -> bool:
        """Cancel a download and tell its followers. Return False when none is running."""
        if name not in self._running:
            return False
        pull, task = self._running[name]
        pull.fate = CANCELLED
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return True

    async def stop(self) -> None:
        """End all programs and tell their followers."""
        tasks = [task for _, task in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _see_through(self, pull: Download, folder: Path) -> None:
        """Run one download to its last state; when that is told, the download is no longer under way."""
        end: Progress | None = None
        try:
            async with self._lanes:
                log.info("the model %s is pulled into %s", pull.name, folder)
                end = await self._run(pull, folder)
        except OSError as error:
            end = Progress(FAILED, reason=f"the program that pulls could not be started: {error.strerror}")
        finally:
            del self._running[pull.name]
            end = end or Progress(FAILED, reason=pull.fate)
            pull.note(end)
            log.log(logging.WARNING if end.state == FAILED else logging.INFO, "the pull of %s: %s", pull.name, end)

    async def _run(self, pull: Download, folder: Path) -> Progress:
        """Start the program and note what it says. Return its last word, or how it ended without one."""
        process = await asyncio.create_subprocess_exec(
            *self._argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C in the terminal is the daemon's, or the command's
        )
        try:
            assert process.stdin is not None and process.stderr is not None
            order = {"name": pull.name, "folder": str(folder), "cards": str(self._cards_folder)}
            process.stdin.write(orjson.dumps(order))
            process.stdin.close()
            async with asyncio.TaskGroup() as group:
                last_words = group.create_task(_last_words(process.stderr), name=f"words of the pull of {pull.name}")
                last = await self._listen(process, pull)
            status = await process.wait()
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        reason = f"the program that pulls ended with status {status}: {last_words.result() or 'without a word'}"
        return last if last.is_last else Progress(FAILED, reason=reason)

    async def _listen(self, process: asyncio.subprocess.Process, pull: Download) -> Progress:
        """Note each line but the last, which is returned; a line that is not of the protocol is left out."""
        assert process.stdout is not None
        said = pull.progress
        while not process.stdout.at_eof():
            try:
                line = orjson.loads(await process.stdout.readline())
            except ValueError:  # no JSON, or longer than any line of the protocol
                continue
            if isinstance(line, dict) and "state" in line:
                said = said.after(line)
                if not said.is_last:
                    pull.note(said)
        return said


async def _last_words(stream: asyncio.StreamReader) -> str:
    """Return the last line that was printed; always read, so that a flood cannot stall the program."""
    kept = b""
    while chunk := await stream.read(4096):
        kept = (kept + chunk)[-LAST_WORDS_BYTES:]
    return kept.decode(errors="replace").strip().rpartition("\n")[2].strip()


def card_to_pull(catalog: Catalog, name: str) -> Card:
    """Return the card that a name stands for, when it can be downloaded.

    Raises:
        BadFile: there is no such model.
        Unavailable: the model came with unitd, or the card does not say where its files are.
    """
    card = catalog.find(name)
    if card is None:
        raise BadFile(f"there is no model {name} to pull; sys.lsmode lists those there are")
    if card.is_bundled:
        raise Unavailable(f"{card.name} came with unitd")
    if not card.parts:
        raise Unavailable(f"it is not known where the files of {card.name} are")
    return card


def folder_for(folders: Sequence[Path]) -> Path:
    """Return the first folder that can be written, else the first that can be made; raise Unavailable if none can."""
    there = [folder for folder in folders if folder.is_dir() and os.access(folder, os.W_OK)]
    makeable = [folder for folder in folders if not folder.exists() and _may_make(folder)]
    for folder in (*there, *makeable):
        return folder
    names = ", ".join(map(str, folders)) or "none is configured"
    raise Unavailable(f"no models folder can be written ([models] dir): {names}")


def _may_make(folder: Path) -> bool:
    existing = next(each for each in folder.absolute().parents if each.exists())
    return existing.is_dir() and os.access(existing, os.W_OK)
