"""Known vulnerabilities of what the service installs: pip-audit against requirements.lock.

An advisory fails the build. A service of advisories that cannot be reached does not, for a build without a network is
no worse than the one before; it is said, since nothing was checked then.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parent.parent / "requirements.lock"
UNREACHABLE = re.compile(r"requests\.exceptions\.\w*(Connection|Proxy|SSL|Timeout)|Could not connect|Tip: your network")


def main() -> int:
    """Says what is known; returns the exit code."""
    command = ["pip-audit", "--disable-pip", "--require-hashes", "--format", "json", "--requirement", str(LOCK)]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        dependencies = json.loads(done.stdout)["dependencies"]
    except json.JSONDecodeError:
        if not UNREACHABLE.search(done.stderr):
            sys.stderr.write(done.stderr)
            return 1
        dependencies = []
    checked = [each for each in dependencies if "vulns" in each]
    found = [f"{each['name']} {each['version']}: {_named(vuln)}" for each in checked for vuln in each["vulns"]]
    if not checked:
        words = "the service of advisories cannot be reached: nothing was checked"
    else:
        unknown = sorted(each["name"] for each in dependencies if "vulns" not in each)
        words = f"{len(checked)} packages checked" + (f", not known there: {', '.join(unknown)}" if unknown else "")
    sys.stdout.write("\n".join([*found, f"audit: {words}", ""]))
    return 1 if found else 0


def _named(vuln: dict[str, list[str] | str]) -> str:
    fixed = ", ".join(vuln["fix_versions"]) or "no version yet"
    return f"{vuln['id']}, mended in {fixed}"


if __name__ == "__main__":
    sys.exit(main())
