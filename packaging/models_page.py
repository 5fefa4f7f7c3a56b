"""The catalogue's table in docs/models.md, by the cards in configs/models.

With --check nothing is written: it fails when the page is not what it would write.
"""

import re
import sys
import tomllib
from pathlib import Path

from unitd.core.config.schema import LlmSettings
from unitd.core.models.catalog import Card, read_card
from unitd.core.models.memory import MIB, need_of_llama, need_of_program

ROOT = Path(__file__).parent.parent
CARDS = ROOT / "configs" / "models"
PAGE = ROOT / "docs" / "models.md"
MARKED = re.compile(r"(<!-- catalogue -->\n).*(<!-- /catalogue -->)", re.DOTALL)

UNITS = {
    "llm": "llm: language models, four bits for a weight",
    "kws": "kws: wake words",
    "asr": "asr and whisper: speech to text",
    "tts": "tts and melotts: voices",
}
"""Headings, in the order of the page."""

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
    return "".join(_table(unit, [card for card in cards if card.unit == unit]) for unit in UNITS)


def _table(unit: str, cards: list[Card]) -> str:
    head = "| model | good for | languages | download, MB | memory, MiB | licence |\n" + "| --- " * 6 + "|\n"
    rows = "".join(map(_row, sorted(cards, key=lambda card: card.download_bytes)))
    return f"\n### {UNITS[unit]}\n\n{head}{rows}"


def _row(card: Card) -> str:
    languages = ", ".join("many" if tag == "mul" else tag for tag in card.languages) or "not stated"
    download = f"{card.download_bytes / 1e6:,.0f}"
    cells = (_name(card), card.good_for, languages, download, _memory(card), card.licence)
    return f"| {' | '.join(cells)} |\n"


def _name(card: Card) -> str:
    """With the shortest of its other names, where that is shorter."""
    short = min(card.aliases, key=len, default=card.name)
    name = f"[`{card.name}`]({card.homepage})"
    return f"{name}, `{short}`" if len(short) < len(card.name) else name


def _memory(card: Card) -> str:
    size = card.download_bytes
    if (card.unit, card.engine) != ("llm", "llama"):
        return f"{need_of_program(card.unit, card.engine, size).total // MIB:,}"
    usual = LlmSettings()
    needs = [
        need_of_llama(size, card.shape, slots, context, exact=card.exact).total // MIB
        for slots, context in ((1, SMALL_CONTEXT), (usual.slots, usual.context))
    ]
    return " to ".join(f"{need:,}" for need in needs)


if __name__ == "__main__":
    sys.exit(main())
