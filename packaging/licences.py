"""The licences of what the service installs, by the packages' own words, written to docs/licences.md.

With --check nothing is written: it fails when the page is not what it would write. It fails in any case when a package
of requirements.lock has a licence that nobody has agreed to.
"""

import re
import sys
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"

ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MIT-CMU"),
    *("PSF-2.0", "Zlib"),
    # Their own sources stay open; what uses them unchanged, as we do, need not be.
    *("EPL-2.0", "LGPL-2.1-or-later", "MPL-2.0"),
}

STATED = {"espeakng-loader": "GPL-3.0-or-later"}
"""What a package does not say itself: this one brings espeak-ng's library along."""

IN_A_PROGRAM_OF_ITS_OWN = {"espeakng-loader"}
"""Loaded by the tts program alone, and may be left out (docs/voice.md)."""

OLD_NAMES = {
    "Apache": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""What packages wrote before there were identifiers (SPDX)."""

HEAD = """\
# Licences

What a service install brings along (`requirements.lock`), by the packages' own words. `make licences` writes this page,
CI refuses a licence that is not on the list in `packaging/licences.py`.

| package | licence |
|---|---|
"""
TAIL = """
espeakng-loader holds espeak-ng's library. It is loaded by the tts program alone and may be left out, see
[voice.md](voice.md). soundfile's wheel brings libsndfile and LAME, which are LGPL-2.1-or-later. The extra `vision` adds
PyAV (BSD-3-Clause), whose wheel brings FFmpeg (LGPL-3.0-or-later) with x264 and x265 (GPL-2.0-or-later); only the
programs that read videos load it. Models have licences of their own, see [models.md](models.md).
"""


def main() -> int:
    """Writes or checks the page; returns the exit code."""
    licences = {name: _licence_of(metadata(name)) for name in _locked_names()}
    refused = [
        f"{name}: {licence or 'names no licence'}" for name, licence in licences.items() if _is_refused(name, licence)
    ]
    if refused:
        sys.stderr.write("\n".join(["licences that nobody has agreed to:", *refused, ""]))
        return 1
    page = HEAD + "".join(f"| {name} | {licence} |\n" for name, licence in licences.items()) + TAIL
    if "--check" not in sys.argv:
        PAGE.write_text(page)
    elif PAGE.read_text() != page:
        sys.stderr.write("docs/licences.md is old: make licences\n")
        return 1
    return 0


def _locked_names() -> list[str]:
    names = re.findall(r"^([A-Za-z0-9_.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    return sorted(set(names))


def _licence_of(package: PackageMetadata) -> str:
    """The identifier, or what packages used to say in its place; "" for nothing."""
    said = package.get_all("License-Expression", [])
    said += [each for each in package.get_all("Classifier", []) if each.startswith("License ::")]
    said += [*package.get_all("License", []), STATED.get(package["Name"], "")]
    named = next(filter(None, said)).rpartition(" :: ")[2] if any(said) else ""
    return OLD_NAMES.get(named, named)


def _is_refused(name: str, licence: str) -> bool:
    identifiers = set(re.findall(r"[\w.+-]+", licence)) - {"AND", "OR"}
    return name not in IN_A_PROGRAM_OF_ITS_OWN and (not identifiers or not identifiers <= ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
