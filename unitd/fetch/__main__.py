"""`python -m unitd.fetch`: pulls one model and says how far it is.

One JSON object on stdin, {"name": …, "folder": the models folder, "cards": the folder of the catalogue}; a JSON line on
stdout for each state of it, as in `unitd.core.models.progress`; the last is done or failed, and so is the exit code.
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
"""What it computes (a hash of a gigabyte) gives way to units that speak and listen."""


def main() -> int:
    """The program; returns its exit code."""
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
    """What a state says nothing of is left out, and stays as it was; of a fetch a zero is told, too."""
    line = {key: value for key, value in asdict(progress).items() if value or progress.state == FETCHING}
    sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
