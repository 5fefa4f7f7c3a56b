"""The catalogue's table in docs/models.md, by the cards in configs/models.

With --check nothing is written: it fails when the page is not what it would write.
"""

import re
import sys
import tomllib
from collections import defaultdict
from math import inf
from pathlib import Path

from unitd.core.config.schema import LlmSettings
from unitd.core.models.catalog import VISION, Card, read_card
from unitd.core.models.memory import MIB, need_to_come

ROOT = Path(__file__).parent.parent
CARDS = ROOT / "configs" / "models"
PAGE = ROOT / "docs" / "models.md"
MARKED = re.compile(r"(<!-- catalogue -->\n).*(<!-- /catalogue -->)", re.DOTALL)

HEADINGS = {
    ("llm", False): "llm: language models, four bits for a weight",
    ("llm", True): "llm: models with vision, four to sixteen bits for a weight; with the projector",
    ("kws", False): "kws: wake words",
    ("asr", False): "asr and whisper: speech to text",
    ("tts", False): "tts and melotts: voices",
}
"""By unit, and whether the models take pictures; in the order of the page."""

UNKNOWN = "not known"

SMALL_CONTEXT = 2048
"""Tokens of the one conversation by which the second figure for memory is reckoned."""


def main() -> int:
    """Writes or checks the page; returns the exit code."""
    page = PAGE.read_text()
    written = MARKED.sub(lambda found: f"{found[1]}{catalogue()}{found[2]}", page)
    if "--check" not in sys.argv:
        PAGE.write_text(written)
    elif written != page:
        sys.stderr.write("docs/models.md is old: make models-page\n")
        return 1
    return 0


def catalogue() -> str:
    """A table for each unit, the smallest model first."""
    cards = [read_card(tomllib.loads(path.read_text()), path.name) for path in sorted(CARDS.glob("*.toml"))]
    by_kind: dict[tuple[str, bool], list[Card]] = defaultdict(list)
    for card in cards:
        by_kind[card.unit, VISION in card.capabilities].append(card)
    return "".join(_table(heading, by_kind[kind]) for kind, heading in HEADINGS.items())


def _table(heading: str, cards: list[Card]) -> str:
    head = "| model | good for | languages | download, MB | memory, MiB | licence |\n" + "| --- " * 6 + "|\n"
    rows = "".join(map(_row, sorted(cards, key=_size)))
    return f"\n### {heading}\n\n{head}{rows}"


def _size(card: Card) -> float:
    return card.download_bytes or inf


def _row(card: Card) -> str:
    languages = ", ".join("many" if tag == "mul" else tag for tag in card.languages) or "not stated"
    download = f"{card.download_bytes / 1e6:,.0f}" if card.download_bytes else UNKNOWN
    cells = (_name(card), card.good_for, languages, download, _memory(card), card.licence)
    return f"| {' | '.join(cells)} |\n"


def _name(card: Card) -> str:
    """With the shortest of its other names, where that is shorter."""
    short = min(card.aliases, key=len, default=card.name)
    name = f"[`{card.name}`]({card.homepage})"
    return f"{name}, `{short}`" if len(short) < len(card.name) else name


def _memory(card: Card) -> str:
    usual = LlmSettings()
    sizes = ((1, SMALL_CONTEXT), (usual.slots, usual.context))
    needs = [need_to_come(card, slots, context, exact=card.exact) for slots, context in sizes]
    words = dict.fromkeys(f"{need.total // MIB:,}" for need in needs if need)
    return " to ".join(words) or UNKNOWN


if __name__ == "__main__":
    sys.exit(main())
