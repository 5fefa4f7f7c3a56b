"""Files that are replaced in one step: a reader, or a power cut, finds the old content or the new, never half of it."""

import os
import tempfile
from pathlib import Path
from typing import BinaryIO


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file by way of NAME.partial; for folders in which only this program and the administrator write.

    Raises:
        OSError: the file cannot be written; what was there before stays.
    """
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        _fill(file, content, mode)
    partial.replace(path)
    _sync(path.parent)


def replace_shared_file(path: Path, content: bytes, mode: int = 0o600, *, is_given_away: bool = False) -> None:
    """Write a file by way of a new name that cannot be guessed; for folders in which others write, too.

    A file that is given away belongs to the folder's owner, if root writes it.

    Raises:
        OSError: the file cannot be written; what was there before stays.
    """
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".write-")
    try:
        with os.fdopen(handle, "wb") as file:
            if is_given_away and os.geteuid() == 0:
                owner = path.parent.stat()
                os.fchown(handle, owner.st_uid, owner.st_gid)
            _fill(file, content, mode)
        Path(partial).replace(path)
        _sync(path.parent)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def _fill(file: BinaryIO, content: bytes, mode: int | None) -> None:
    file.write(content)
    file.flush()
    if mode is not None:
        os.fchmod(file.fileno(), mode)
    os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
