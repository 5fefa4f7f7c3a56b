"""`unitd install-service`: writes systemd's files with the path of this installation.

Nothing is started: the command prints the files that it wrote and the commands to run next. With `--root` the files go
where packages put theirs (usr/lib), else where administrators do (/etc); if both exist, /etc wins.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unitd.runtime.atomic_write import replace_file

SOURCES = Path(__file__).parents[2] / "systemd"
"""The shipped files, which name the program SHIPPED."""

SHIPPED = "/opt/unitd/bin/unitd"

HIDDEN = (Path("/home"), Path("/root"), Path("/run/user"))
"""The folders that ProtectHome=yes hides from a service."""

NEXT = (
    "systemd-sysusers unitd.conf",
    "systemd-tmpfiles --create unitd.conf",
    "systemctl daemon-reload",
    "systemctl enable --now unitd",
)


@dataclass(frozen=True)
class ServiceFile:
    """One file to write."""

    path: Path
    text: str


def run(arguments: argparse.Namespace) -> int:
    """Write the files, or print them with --dry-run; return 1 if one cannot be written, else 0."""
    program = Path(sys.executable).with_name("unitd")
    for file in service_files(program, arguments.root):
        if arguments.dry_run:
            sys.stdout.write(f"# {file.path}\n{file.text}\n")
            continue
        try:
            file.path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file.path, file.text.encode(), 0o644)
        except OSError as error:
            sys.stderr.write(
                f"unitd: cannot write {file.path} ({error.strerror}); try: sudo {program} install-service\n"
            )
            return 1
        sys.stdout.write(f"wrote {file.path}\n")
    for words in obstacles(program, Path(sys.executable).resolve()):
        sys.stderr.write(f"unitd: {words}\n")
    if arguments.root is None:
        sys.stdout.write("\nNext, as root:\n" + "".join(f"    {command}\n" for command in NEXT))
    return 0


def service_files(program: Path, root: Path | None) -> Iterator[ServiceFile]:
    """Yield every file with its path; the unit files start `program`."""
    base = Path("/etc") if root is None else root / "usr/lib"
    for source in sorted(SOURCES.glob("unitd*")):
        yield ServiceFile(base / "systemd/system" / source.name, _for_program(source.read_text(), program))
    for folder in ("sysusers.d", "tmpfiles.d"):
        yield ServiceFile(base / folder / "unitd.conf", (SOURCES / folder / "unitd.conf").read_text())


def obstacles(program: Path, interpreter: Path) -> Iterator[str]:
    """Yield a sentence for each reason why the service could not start this program."""
    folders = [*program.parents, *interpreter.parents]
    closed = sorted({each for each in folders if each.exists() and not each.stat().st_mode & 0o001})
    if closed:
        yield f"the user unitd may not enter {closed[0]}; install the program elsewhere, such as in /opt/unitd"
    if program.is_relative_to("/tmp") or program.is_relative_to("/var/tmp"):
        yield f"{program} lies in a temporary folder, which the service does not see (PrivateTmp=)"


def _for_program(text: str, program: Path) -> str:
    text = text.replace(SHIPPED, _quoted(program))
    if any(program.is_relative_to(folder) for folder in HIDDEN):
        text = text.replace("ProtectHome=yes", "ProtectHome=read-only")
    return text


def _quoted(path: Path) -> str:
    """Return a path quoted for systemd.service(5): % begins a specifier, $ a variable, blanks need quotes."""
    text = str(path).replace("%", "%%").replace("$", "$$")
    if all(each.isalnum() or each in "/._-+%$" for each in text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
