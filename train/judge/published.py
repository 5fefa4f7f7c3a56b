"""Choose 300 turns of talk from published dialogue data, by a fixed rule.

``python -m train.judge.published FOLDER`` reads checkouts of the repositories of `SOURCES` (FOLDER/<name>) and writes
`train/out/judge/talk.jsonl`, whose checksum stands in tests/train/judge/README.md. The sentences of others are not a
part of this repository; with the same commits the same file comes out.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from train.judge.files import PUBLISHED

SEED = "unitd: turns of everyday talk"
FEWEST_WORDS, MOST_WORDS = 1, 30

# Not fit for a device in a living room; the rest is taken as it was written.
_UNFIT = re.compile(
    r"\b(sex\w*|fuck\w*|shit\w*|bitch\w*|ass|asshole\w*|bastard\w*|dick\w*|porn\w*|rap(e|ed|ist)|nazi\w*|hitler|gay|"
    r"lesbian\w*|nigg\w*|retard\w*|suicid\w*|kill\w*|murder\w*|naked|nude|virgin\w*|slut\w*|whore\w*|horny|kiss\w*)\b",
    re.IGNORECASE,
)
_TALK_FILES = (
    "ai botprofile computers conversations emotion food gossip greetings health history humor literature money movies "
    "psychology science sports"
)

Turn = tuple[str, ...]
"""The messages of a conversation up to a turn of the user, which is the last; user and other take turns."""


class Source(NamedTuple):
    """A repository, its commit and licence, how many turns are taken, and how they are read."""

    name: str
    repository: str
    commit: str
    licence: str
    share: int
    read: Callable[[Path], Iterator[Turn]]


def _personality_chat(folder: Path) -> Iterator[Turn]:
    """Return the questions of the table; the first line is its title."""
    lines = (folder / "CSharp/Datasets/Queries_Responses_Friendly_QnAMaker.tsv").read_text("utf-8-sig").splitlines()
    yield from ((line.split("\t")[0],) for line in lines[1:])


def _chatterbot(folder: Path) -> Iterator[Turn]:
    """Return the first line of each conversation."""
    for name in _TALK_FILES.split():
        text = (folder / f"chatterbot_corpus/data/english/{name}.yml").read_text("utf-8")
        yield from ((found.strip().strip("'\""),) for found in re.findall(r"^- - (.+)$", text, re.MULTILINE))


def _films(folder: Path) -> Iterator[Turn]:
    """Return what the user says first in conversations about tickets for a film."""
    text = (folder / "TM-3-2020/splits/train/train-bc.tsv").read_text("utf-8")
    yield from ((found[1],) for line in text.splitlines() if (found := re.search(r"<U>([^<\t]+)", line)))


def _coffee(folder: Path) -> Iterator[Turn]:
    """Return what the user says first in orders of coffee."""
    for path in sorted((folder / "TM-4-2024/data").glob("*.json")):
        for talk in json.loads(path.read_text("utf-8")):
            first = talk["utterances"][0] if talk["utterances"] else {"speaker": ""}
            if first["speaker"] == "user":
                yield (first["text"],)


def _self_dialogue(length: int) -> Callable[[Path], Iterator[Turn]]:
    """Return a reader of the first `length` turns of each conversation."""

    def read(folder: Path) -> Iterator[Turn]:
        for path in sorted((folder / "corpus").rglob("*.csv")):
            with path.open(encoding="utf-8", errors="replace", newline="") as file:
                for row in csv.DictReader(file):
                    yield tuple(row.get(f"Answer.sentence{at}") or "" for at in range(1, length + 1))

    return read


_TASKMASTER = ("google-research-datasets/Taskmaster", "d92cb6af3005f1dc09c39e75e7daf4a04905e00b", "CC BY 4.0")
_SELF = ("jfainberg/self_dialogue_corpus", "113a1b0ff10308f1227c13a4aaded9bc85577816", "BSD 3-Clause")
SOURCES = (
    # A copy of Microsoft's repository of the same name.
    Source(
        "BotBuilder-PersonalityChat",
        "ntulsi/BotBuilder-PersonalityChat",
        "67174467a6d94b849c0fe2e4b5c4c2053ed9ed88",
        "MIT",
        70,
        _personality_chat,
    ),
    Source(
        "chatterbot-corpus",
        "gunthercox/chatterbot-corpus",
        "a01efece26661309b870af0251d96f94ee09fb19",
        "BSD 3-Clause",
        60,
        _chatterbot,
    ),
    Source("Taskmaster", *_TASKMASTER, 50, _films),
    Source("Taskmaster", *_TASKMASTER, 40, _coffee),
    Source("self_dialogue_corpus", *_SELF, 40, _self_dialogue(1)),
    Source("self_dialogue_corpus", *_SELF, 40, _self_dialogue(3)),
)


def chosen(folder: Path) -> list[dict[str, Any]]:
    """Return the turns: of each source as many as it gives, drawn from all its fit turns in the order of their text."""
    rows: list[dict[str, Any]] = []
    for at, source in enumerate(SOURCES):
        turns = {tuple(map(_spaced, turn)) for turn in source.read(folder / source.name)}
        fit = sorted(turn for turn in turns if all(map(_is_fit, turn)))
        taken: dict[str, Turn] = {}
        for turn in random.Random(f"{SEED} {at}").sample(fit, len(fit)):
            taken.setdefault(turn[-1].casefold(), turn)
        known = {row["say"].casefold() for row in rows}
        drawn = [turn for say, turn in taken.items() if say not in known][: source.share]
        rows += [_row(turn, f"{source.repository}, {source.licence}") for turn in drawn]
    return rows


def _spaced(text: str) -> str:
    """Return the text with single spaces; some texts have the two characters of an escaped line end in them."""
    return " ".join(re.sub(r"\\[rn]", " ", text).split())


def _is_fit(text: str) -> bool:
    is_plain = text.isprintable() and re.search(r"[a-z]", text, re.IGNORECASE) is not None
    return is_plain and FEWEST_WORDS <= len(text.split()) <= MOST_WORDS and not _UNFIT.search(text)


def _row(turn: Sequence[str], source: str) -> dict[str, Any]:
    roles = ("user", "assistant")
    before = [{"role": roles[at % 2], "content": text} for at, text in enumerate(turn[:-1])]
    return {"say": turn[-1], "kind": "talk", **({"before": before} if before else {}), "source": source}


def main() -> int:
    """Write the file, and tell its checksum."""
    parser = argparse.ArgumentParser(prog="python -m train.judge.published", description=__doc__)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in chosen(arguments.folder)]
    PUBLISHED.parent.mkdir(parents=True, exist_ok=True)
    PUBLISHED.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{len(lines)} turns, sha256 {hashlib.sha256(PUBLISHED.read_bytes()).hexdigest()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
