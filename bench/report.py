"""Write a measurement's table into a page of docs, between the marks of its section."""

import re
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PAGE, RELIABILITY = DOCS / "benchmarks.md", DOCS / "reliability.md"

Pair = tuple[float, float]
"""Our value and the peer's, measured one after the other."""


def row(name: str, pairs: Sequence[Pair], wanted: str = "", digits: int = 1) -> str:
    """Return one line of a table: both medians and the median of the ratios."""
    ours, peer = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(mine / theirs for mine, theirs in pairs)
    return f"| {name} | {ours:,.{digits}f} | {peer:,.{digits}f} | {ratio:.2f} | {wanted} |"


def show(line: str) -> str:
    """Return the line and print it at once, because a measurement takes minutes."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
    return line


def write_section(name: str, lines: Sequence[str], page: Path = PAGE) -> None:
    """Replace the text between `<!-- name -->` and `<!-- /name -->`."""
    text = page.read_text()
    mark, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    section = re.compile(f"{re.escape(mark)}.*?{re.escape(end)}", re.DOTALL)
    if not section.search(text):
        raise SystemExit(f"{page} has no section {mark}")
    content = "\n".join([mark, *lines, end])
    page.write_text(section.sub(lambda _: content, text))
