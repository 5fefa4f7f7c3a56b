"""`python -m unitd.fetch`: pulls one model and reports its progress.

It reads one JSON object from stdin, {"name": …, "folder": the models folder, "cards": the folder of the catalogue}, and
writes a JSON line to stdout for each state (`unitd.core.models.progress`). The last state is done or failed; the exit
code is 0 or 1.
"""

import json
import os
import sys
import tomllib
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from unitd.core.models.catalog import Card, Catalog, read_card
from unitd.core.models.progress import FAILED, FETCHING, Progress
from unitd.fetch.failures import PullFailed
from unitd.fetch.pull import pull
from unitd.wire.errors import ConfigError

NICENESS = 10
"""The hash of a gigabyte must not delay units that speak and listen."""


def main() -> int:
    """Run the program and return its exit code."""
    with suppress(PermissionError):  # the service's sandbox forbids it
        os.nice(NICENESS)
    order = json.load(sys.stdin)
    try:
        pull(_card(order["name"], Path(order["cards"])), Path(order["folder"]), _say)
    except (PullFailed, ConfigError) as error:
        _say(Progress(FAILED, reason=str(error)))
        return 1
    return 0


def _card(name: str, folder: Path) -> Card:
    documents = ((path, tomllib.loads(path.read_text())) for path in sorted(folder.glob("*.toml")))
    catalog = Catalog([read_card(document, str(path)) for path, document in documents], [], default_llm="")
    if (card := catalog.find(name)) is None:
        raise PullFailed(f"the catalogue knows no model {name}")
    return card


def _say(progress: Progress) -> None:
    """Write a state without its empty values, which stay as they were; while bytes come zeros are written, too."""
    line = {key: value for key, value in asdict(progress).items() if value or progress.state == FETCHING}
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
