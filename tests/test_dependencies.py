"""Covers requirements.lock, packaging/licences.py and packaging/audit.py: what a service install brings along."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

ROOT = Path(__file__).parent.parent
LOCK = (ROOT / "requirements.lock").read_text()
SERVICE_EXTRAS = ("tls",)

Audit = Callable[[str, int], subprocess.CompletedProcess[str]]


def plain(name: str) -> str:
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=; ]", name)[0]).lower()


def blocks_of(lock: str) -> list[str]:
    """The lines of each package."""
    return [block for block in re.split(r"^(?=[a-z])", lock, flags=re.MULTILINE) if "==" in block]


def test_every_dependency_of_the_service_is_locked() -> None:
    """Those of the program and of what the Debian package and the container have besides."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [each for name in SERVICE_EXTRAS for each in project["optional-dependencies"][name]]
    locked = {plain(block) for block in blocks_of(LOCK)}

    assert {plain(each) for each in project["dependencies"] + extras} - locked == set()


def test_every_locked_package_has_hashes() -> None:
    """One version and the hashes of its files; no registry is named."""
    for block in blocks_of(LOCK):
        assert re.match(r"[a-z0-9.-]+==[\w.]+( ; .+)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", block)
    assert "://" not in LOCK
    assert "--index" not in LOCK


def test_the_lock_is_for_every_architecture() -> None:
    """Compiled packages have the hashes of far more files than this machine needs."""
    compiled = [block for block in blocks_of(LOCK) if block.startswith(("orjson==", "psutil==", "numpy=="))]

    assert min(block.count("--hash") for block in compiled) > 10


def test_every_licence_is_agreed_to_and_listed() -> None:
    """docs/licences.md says what the installed packages say."""
    done = subprocess.run(
        [sys.executable, "packaging/licences.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """The audit beside a `pip-audit` that says what it is told, for advisories cannot be ordered."""

    def run(says: str, code: int) -> subprocess.CompletedProcess[str]:
        stream = 1 if says.startswith("{") else 2
        (tmp_path / "said").write_text(says)
        program = tmp_path / "pip-audit"
        program.write_text(f'#!/bin/sh\ncat "{tmp_path}/said" >&{stream}\nexit {code}\n')
        program.chmod(0o755)
        environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        command = [sys.executable, "packaging/audit.py"]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    return run


def answer(*vulns: dict[str, object], **more: object) -> str:
    """What pip-audit writes of one package."""
    return orjson.dumps(
        {"dependencies": [{"name": "h11", "version": "0.16.0", "vulns": vulns}, *more.values()]}
    ).decode()


def test_nothing_known_is_good(audit: Audit) -> None:
    """And what the service does not know is said."""
    done = audit(answer(other={"name": "unitd", "skip_reason": "not found"}), 0)

    assert (done.returncode, done.stdout) == (0, "audit: 1 packages checked, not known there: unitd\n")


def test_an_advisory_fails(audit: Audit) -> None:
    """With its number, and the version that mends it."""
    done = audit(answer({"id": "PYSEC-1", "fix_versions": ["0.16.1"]}, {"id": "PYSEC-2", "fix_versions": []}), 1)

    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [
        "h11 0.16.0: PYSEC-1, mended in 0.16.1",
        "h11 0.16.0: PYSEC-2, mended in no version yet",
    ]


@pytest.mark.parametrize(
    "says",
    [
        "requests.exceptions.ConnectionError: HTTPSConnectionPool(…): Max retries exceeded",
        orjson.dumps({"dependencies": [{"name": "h11", "skip_reason": "Dependency not found"}]}).decode(),
    ],
)
def test_a_service_that_cannot_be_reached_is_said(audit: Audit, says: str) -> None:
    """A build without a network goes on; it does not say that all is well."""
    done = audit(says, 0)

    assert (done.returncode, done.stdout) == (
        0,
        "audit: the service of advisories cannot be reached: nothing was checked\n",
    )


def test_an_audit_that_breaks_fails(audit: Audit) -> None:
    """A lock file that cannot be read is not a network that is away."""
    done = audit("ERROR: requirement is not pinned", 1)

    assert (done.returncode, done.stderr) == (1, "ERROR: requirement is not pinned")


@pytest.mark.parametrize("installed", ["", "-test"])
def test_make_compiles_what_pip_leaves_as_it_is(installed: str) -> None:
    """The sources of an editable installation: else the first start would, half as long again as the later ones."""
    command = ["make", "--dry-run", "--always-make", f".venv/.installed{installed}"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    commands = [line.partition("python -m ")[2].split() for line in done.stdout.splitlines() if "python -m " in line]
    assert [each[0] for each in commands[-2:]] == ["pip", "compileall"]
    assert commands[-1][-2:] == ["unitd", "units"]
