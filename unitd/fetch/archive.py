"""Unpacking of archives that may be hostile.

Only plain files are unpacked, inside one folder: a link, a device, a name that leads outside or comes twice, and an
archive that grows beyond MAX_RATIO are refused. tarfile reads an extended header at once, with a length from the
archive; so it reads the unpacked stream through `_Bounded`, which limits each read and never goes back.
"""

import bz2
import gzip
import io
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

from unitd.fetch.failures import PullFailed
from unitd.fetch.space import check_space

SUFFIXES = (".tar.bz2", ".tar.gz", ".tgz")
# Weights compress to a half at best, word lists to a fifth.
MAX_RATIO = 20
# The limit of small archives: they may hold only a word list.
SMALL_BYTES = 16 * 1024 * 1024
MAX_FILES = 10_000
MAX_AT_ONCE_BYTES = 1024 * 1024
_KINDS: dict[bytes, Callable[[Path], io.BufferedIOBase]] = {b"BZh": bz2.BZ2File, b"\x1f\x8b": gzip.GzipFile}


def is_archive(path: str) -> bool:
    """Return whether a file is an archive, by its name."""
    return path.endswith(SUFFIXES)


def unpack(archive: Path, into: Path, name: str) -> None:
    """Unpack an archive into a folder, without the outermost folder that most archives have.

    Raises:
        PullFailed: the archive is damaged, or holds what no model needs; the words call it `name`.
        OSError: the disk is full or cannot be written to.
    """
    limit = max(SMALL_BYTES, MAX_RATIO * archive.stat().st_size)
    scratch = into / ".unpacking"
    scratch.mkdir()
    try:
        with (
            _opened(archive, name) as stream,
            tarfile.open(fileobj=_Bounded(stream, name, limit), mode="r:") as members,
        ):
            _take(members, scratch, name)
    except (EOFError, tarfile.TarError, zlib.error, ValueError, OverflowError, RecursionError) as error:
        # tarfile raises the last three for numbers of a hostile header, or a long chain of headers.
        raise PullFailed(f"{name} is damaged: {error}") from error
    except OSError as error:
        # The decompressors raise it without a number for damaged data.
        if error.errno is None:
            raise PullFailed(f"{name} is damaged: {error}") from error
        raise
    _move_all(_only_folder(scratch), into)
    shutil.rmtree(scratch)


def _opened(archive: Path, name: str) -> io.BufferedIOBase:
    with archive.open("rb") as file:
        magic = file.read(3)
    for beginning, kind in _KINDS.items():
        if magic.startswith(beginning):
            return kind(archive)
    raise PullFailed(f"{name} is no archive that bzip2 or gzip has packed")


def _take(members: tarfile.TarFile, into: Path, name: str) -> None:
    for count, member in enumerate(members):
        if count >= MAX_FILES:
            raise PullFailed(f"{name} holds more than {MAX_FILES} files")
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts or not member.name.isprintable():
            raise PullFailed(f"{name} holds {member.name!r}, a name that leads outside or cannot be shown")
        if member.isdir():
            continue
        if not member.isreg() or member.issparse():
            raise PullFailed(f"{name} holds {member.name}, which is a link, a device or sparse")
        check_space(into, member.size, f"{member.name} of {name}")
        _take_file(members, member, into / path, name)


def _take_file(members: tarfile.TarFile, member: tarfile.TarInfo, target: Path, name: str) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            shutil.copyfileobj(_content(members, member), file)
    except (FileExistsError, NotADirectoryError) as error:
        raise PullFailed(f"{name} holds {member.name} twice") from error


def _content(members: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    content = members.extractfile(member)
    if content is None:
        raise PullFailed(f"{member.name} has no content")
    return content


def _only_folder(folder: Path) -> Path:
    """Return the only folder in this one; this one if there is anything else in it."""
    paths = list(folder.iterdir())
    return paths[0] if len(paths) == 1 and paths[0].is_dir() else folder


def _move_all(folder: Path, into: Path) -> None:
    for path in list(folder.iterdir()):
        path.rename(into / path.name)


class _Bounded(io.BufferedIOBase):
    """The unpacked stream: forwards only, `limit` bytes at most, and a limited number of bytes in each read."""

    def __init__(self, stream: io.BufferedIOBase, name: str, limit: int) -> None:
        self._stream = stream
        self._name = name
        self._limit = limit
        self._at = 0

    def tell(self) -> int:
        """Return how many bytes have been read."""
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        if size is None or not 0 <= size <= MAX_AT_ONCE_BYTES:
            raise PullFailed(f"{self._name} has a header of {size} bytes")
        data = self._stream.read(size)
        self._at += len(data)
        if self._at > self._limit:
            raise PullFailed(f"{self._name} unpacks to more than {self._limit} bytes, which no model does")
        return data

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        """Skip to a position, counted from the beginning; return the position that was reached."""
        if position < self._at:
            raise PullFailed(f"{self._name} leads back to what has been read")
        while self._at < position and self.read(min(position - self._at, MAX_AT_ONCE_BYTES)):
            pass
        return self._at
