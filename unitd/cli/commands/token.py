"""`unitd token`: manages the tokens of clients on other machines. A token is shown once; the file holds its hash."""

import argparse
import fcntl
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unitd.cli.connection import DaemonConnection, fail, is_listened_to, socket_of
from unitd.core.access.grants import Limits, Role
from unitd.core.access.tokens import Token, dump_tokens, issue
from unitd.core.config.schema import Settings
from unitd.runtime.atomic_write import replace_shared_file
from unitd.runtime.state_dir import make_state_folder
from unitd.runtime.sys.access import load_tokens, tokens_file
from unitd.settings import load_settings
from unitd.wire.errors import ConfigError

# Where systemd/unitd.service keeps its state.
SERVICE_STATE = Path("/var/lib/unitd")
LIMITS = ("requests_per_minute", "connections", "tasks", "frame_bytes")
_NAME = re.compile(r"[\w.@-]{1,64}")


def run(arguments: argparse.Namespace) -> int:
    """Run new, list or revoke, and return 0."""
    try:
        file: Path = arguments.file or _default_file(arguments.config)
        if arguments.what == "list":
            return _list(file, load_tokens(file))
        make_state_folder(file.parent)
        with _only_writer_in(file.parent):
            words = {"new": _new, "revoke": _revoke}[arguments.what](arguments, file, load_tokens(file))
    except ConfigError as error:
        fail(error.reason)
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    sys.stderr.write(f"unitd: {words}{_tell_daemon(arguments)}")
    return 0


def _new(arguments: argparse.Namespace, file: Path, tokens: list[Token]) -> str:
    """Make a token and print it alone to stdout, for scripts; return words for stderr."""
    name = arguments.name
    if not _NAME.fullmatch(name):
        fail("a name has up to 64 letters, digits and . _ @ -")
    if any(token.name == name for token in tokens):
        fail(f"there is a token {name!r} already; unitd token revoke {name}")
    now = int(time.time())
    limits = Limits(**{key: getattr(arguments, key) for key in LIMITS})
    token, text = issue(name, Role(arguments.role), now, arguments.expires and now + arguments.expires, limits)
    _write(file, [*tokens, token])
    sys.stdout.write(f"{text}\n")
    return "the token is shown once. "


def _list(file: Path, tokens: list[Token]) -> int:
    from rich.console import Console
    from rich.table import Table

    if not tokens:
        sys.stdout.write(f"no tokens in {file}\n")
        return 0
    table = Table("name", "role", "made", "until", "limits", box=None)
    for token in tokens:
        limits = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in vars(token.limits).items() if value)
        table.add_row(token.name, token.role.value, _day(token.created), _day(token.expires), limits or "-")
    Console().print(table)
    return 0


def _revoke(arguments: argparse.Namespace, file: Path, tokens: list[Token]) -> str:
    left = [token for token in tokens if token.name != arguments.name]
    if len(left) == len(tokens):
        fail(f"there is no token {arguments.name!r}")
    _write(file, left)
    return ""


def _write(file: Path, tokens: Sequence[Token]) -> None:
    """Write the tokens; if root does, the file belongs to the folder's owner, so that the daemon can read it."""
    replace_shared_file(file, dump_tokens(tokens), is_given_away=True)


@contextmanager
def _only_writer_in(folder: Path) -> Iterator[None]:
    """Hold the folder's lock: two programs that change the tokens at the same time would lose a change.

    Raises:
        OSError: the folder cannot be opened.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _default_file(config: Path | None) -> Path:
    """Return the configured file; for root that of the service, if there is one."""
    settings: Settings = load_settings(config)
    file = tokens_file(settings)
    is_service = config is None and os.geteuid() == 0 and not settings.state.dir.exists() and SERVICE_STATE.exists()
    return SERVICE_STATE / file.name if is_service and settings.auth.tokens_file is None else file


def _tell_daemon(arguments: argparse.Namespace) -> str:
    """Make a running daemon read the file; return a sentence that says whether there is one."""
    if not is_listened_to(socket_of(arguments)):
        return "No daemon runs here; it reads the file when it starts\n"
    DaemonConnection(arguments).ask(action="reload")
    return "The running daemon knows it\n"


def _day(at: int | None) -> str:
    return "-" if at is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
