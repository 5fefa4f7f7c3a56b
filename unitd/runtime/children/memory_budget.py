"""The board's memory: what each unit program may need is set aside before it starts, and refused when it is not there.

An entry is made before a program is started, by the estimate of `core.models.memory`, and is removed when the program
is gone or given up; a program that crashed keeps its entry while it is started again. An entry counts as much as the
program was measured to take, and never less than its estimate: a cache fills up later, and weights that the kernel has
put aside come back with the next question. Besides, the kernel limits each program (RLIMIT_DATA) to what
`core.models.memory` allows it, so that one that goes wrong fails by itself before it takes the memory of all. Entries
are made one after the other, so that two programs that start together do not count on the same room. To make room, the
budget waits for what is being stopped, then ends idle models if that is enough; a program with tasks stays.
"""

import asyncio
import logging
import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from unitd.core.models.catalog import Card
from unitd.core.models.gguf import Shape, read_shape
from unitd.core.models.memory import (
    Need,
    data_limit,
    in_mib,
    limit_of,
    need_of_llama,
    need_of_program,
    parts_of,
    with_projector,
)
from unitd.wire.errors import LoadFailed

log = logging.getLogger("unitd.budget")


class Program(Protocol):
    """A unit program that runs or is about to."""

    card: Card
    name: str

    @property
    def pid(self) -> int | None:
        """The process id; None before the program is started."""


P = TypeVar("P", bound=Program)


class Programs(Protocol[P]):
    """Can make room."""

    @property
    def idle(self) -> Sequence[P]:
        """Programs without a task, the longest idle first."""

    async def end(self, program: P, /) -> None:
        """Return when an idle program is gone; one that is used again stays."""

    async def settle(self) -> None:
        """Return when the programs that are being stopped are gone."""


class Usage(NamedTuple):
    """Bytes for models."""

    used: int
    limit: int


class Budget:
    """Gives out the memory for models."""

    def __init__(self, board: int, limit: str, request_bytes: int) -> None:
        """`board` is the bytes of the whole board, `limit` is as `[limits] memory` says it.

        `request_bytes` is the size of the largest request that a program is sent.
        """
        self._board = board
        self._limit = limit
        self._request_bytes = request_bytes
        self._needs: dict[Program, Need] = {}
        self._measured: dict[Program, int] = {}
        self._one_by_one = asyncio.Lock()

    async def usage(self) -> Usage:
        """Return what is taken now, and what may be taken."""
        await self._measure()
        return Usage(self._used(), self.limit_bytes)

    def change_limit(self, limit: str) -> None:
        """Give out so much from now on, as `[limits] memory` says it."""
        self._limit = limit

    @property
    def limit_bytes(self) -> int:
        """How many bytes all models together may take."""
        return limit_of(self._limit, self._board)

    @asynccontextmanager
    async def room(self, programs: Programs[P], program: P, load: Mapping[str, Any]) -> AsyncIterator[None]:
        """Keep a program's memory for it as long as this lasts; raise LoadFailed when there is not enough."""
        need = await asyncio.to_thread(look_at, program.card.unit, load)
        try:
            async with self._one_by_one:
                await self._make_room(program, need, programs)
                self._needs[program] = need
            yield
        finally:
            self._needs.pop(program, None)
            self._measured.pop(program, None)

    def data_limit(self, program: Program, tasks: int) -> int | None:
        """Return the bytes of private memory that a program with so many tasks may have; None without an entry."""
        if (need := self._needs.get(program)) is None:
            return None
        return data_limit(program.card.unit, need, tasks, self.limit_bytes, os.cpu_count() or 1, self._request_bytes)

    async def _make_room(self, program: P, need: Need, programs: Programs[P]) -> None:
        await self._measure()
        if not self._fits(need):
            await programs.settle()
        idle = [each for each in programs.idle if each in self._needs]
        if self._fits(need, without=idle):
            for each in idle:
                if self._fits(need):
                    break
                log.info("%s is unloaded to make room for %s", each.name, program.name)
                await programs.end(each)
        if not self._fits(need):
            raise LoadFailed(self._refusal(need))

    def _fits(self, need: Need, without: Sequence[Program] = ()) -> bool:
        return need.total <= self.limit_bytes - self._used(without)

    def _used(self, without: Sequence[Program] = ()) -> int:
        return sum(
            max(need.total, self._measured.get(program, 0))
            for program, need in self._needs.items()
            if program not in without
        )

    def _refusal(self, need: Need) -> str:
        limit = self.limit_bytes
        figures = f"{in_mib(max(limit - self._used(), 0))} of {in_mib(limit)} MiB of memory are free for models"
        remedy = "end a task or set [limits] memory" if need.total <= limit else "set [limits] memory"
        return f"needs {need}; {figures}; {remedy}"

    async def _measure(self) -> None:
        processes = {program: program.pid for program in self._needs}
        measured = await asyncio.to_thread(_measure, processes)
        self._measured = {program: size for program, size in measured.items() if program in self._needs}


def _measure(processes: Mapping[Program, int | None]) -> dict[Program, int]:
    """What each process has of the memory, with its share of what several use; one that has ended is left out."""
    return {program: size for program, pid in processes.items() if pid is not None and (size := _share_of(pid))}


def _share_of(pid: int) -> int:
    """Return the bytes (PSS of the kernel) of a program and of those that it has forked; 0 when that is not known."""
    found = re.search(r"^Pss: +(\d+) kB$", _read(Path(f"/proc/{pid}/smaps_rollup")), re.MULTILINE)
    forked = _read(Path(f"/proc/{pid}/task/{pid}/children")).split()
    return (int(found[1]) * 1024 if found else 0) + sum(_share_of(int(each)) for each in forked)


def look_at(unit: str, load: Mapping[str, Any]) -> Need:
    """Return what a program will need for what it loads, by the files on the disk; raise LoadFailed for a bad GGUF."""
    path = Path(load["path"]) if load["path"] else None
    if unit != "llm" or load["engine"] != "llama" or path is None:
        return need_of_program(unit, load["engine"], size_of(path) if path else 0)
    try:
        shape = _shape_in(path)
    except ValueError as error:
        raise LoadFailed(f"{path.name} cannot be loaded: {error}") from error
    size = sum(map(size_of, parts_of(path)))
    need = need_of_llama(size, shape, load["slots"], load["context"], exact=load["exact"])
    vision = [Path(load[key]) for key in ("projector", "vision_lora") if load.get(key)]
    return with_projector(need, sum(map(size_of, vision))) if vision else need


def _shape_in(path: Path) -> Shape | None:
    """Return None for a file that cannot be read or would never end: the engine says more clearly what is wrong."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return read_shape(file)
    except OSError:
        return None


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; 0 for what is not there or cannot be read."""
    try:
        files = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
        return sum(each.stat().st_size for each in files)
    except OSError:
        return 0


def memory_of_board(root: Path = Path("/")) -> int:
    """Return the bytes of memory of this machine, or what the control groups of this process leave of it."""
    limits = [int(text) for file in _limit_files(root) if (text := _read(file)).isdecimal()]
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *limits])


def _limit_files(root: Path) -> list[Path]:
    """Return the files with the limits of this process's control group and of those around it."""
    files = []
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers == "":
            mount, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            mount, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        place = mount / group.lstrip("/")
        files += [folder / name for folder in (place, *place.parents) if folder.is_relative_to(mount)]
    return files


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
