"""Files that `unitd token` and `unitd cert` write, by root too, into a folder that is the daemon's and not root's.

Nothing there is trusted: a file is written under a new name that nobody can know, never through a link, and given away
and renamed only then.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_for_daemon(file: Path, content: bytes, mode: int = 0o600) -> None:
    """By rename, and on the disk before it returns. Where root writes, the file is its folder's owner's.

    Raises:
        OSError: it cannot be written; what was there before stays.
    """
    handle, partial = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fchmod(handle, mode)
            if os.geteuid() == 0:
                owner = file.parent.stat()
                os.fchown(handle, owner.st_uid, owner.st_gid)
            os.fsync(handle)
        Path(partial).replace(file)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


@contextmanager
def only_writer_in(folder: Path) -> Iterator[None]:
    """Others who want the same wait: what two read and write at the same time would lose the change of one.

    Raises:
        OSError: the folder cannot be opened.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
