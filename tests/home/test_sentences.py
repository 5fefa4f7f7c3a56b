"""The sentences of the check stay as they were fixed, and none of them is in what is written or trained from.

They were chosen before the first sentence file of `units/intent/`. Whoever changes one says so here, with its reason in
tests/home/sentences/README.md.
"""

import ast
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.home.houses import LANGUAGES, SENTENCES, read_sentences

ROOT = Path(__file__).parents[2]
CHECK = (*LANGUAGES, "talk")
HASHES = {
    "house.json": "46750015b0b0ce808d2393bce5aff6d6555f294a8c2b4fcb97bb7c2bd868f5fc",
    "en.jsonl": "35c7430e53a73f349a61c53f37311fb7056a17ea6eae02dbcb13116336e3b6aa",
    "de.jsonl": "88513d093c9da7f448a5b786c36bc8ded91c73fe9a266044489c867c0241ffdf",
    "fr.jsonl": "e98e4632e38b28c9b77f1f3800fd0b523137d0e744ac832894b91899f84e6a26",
    "es.jsonl": "5a3bfcf91cf3feea5f05f3c5ec1ffd8be54aaaad2a98ae1f809dd9b8458d1be1",
    "zh.jsonl": "61e3c7e5f532122020b77d494b885a0293ae4c53ff07b3dadc93633c60983c7d",
    "talk.jsonl": "4401baea6596894a4d159673932fa0570753e17955510b5814345739f48d15d8",
    "skills.jsonl": "49207c397200d5e05a1f06ce6670f63d3a447a6b70dc6255ed903f0c108b1f62",
}
TYPES = {"one": 150, "value": 100, "set": 120, "question": 90, "relative": 60, "nothing": 80}
WORDS = re.compile(r"[\W_]+")
TEXTS = {".yaml", ".yml", ".json", ".jsonl", ".txt", ".md", ".toml"}


@pytest.mark.parametrize("name", HASHES)
def test_the_check_is_what_it_was(name: str) -> None:
    """A figure counts only for the sentences that were fixed beforehand."""
    assert hashlib.sha256((SENTENCES / name).read_bytes()).hexdigest() == HASHES[name]


def test_every_file_of_the_check_is_fixed() -> None:
    """The tuning files may grow."""
    fixed = {path.name for path in SENTENCES.glob("*.json*") if not path.name.startswith("tuning.")}

    assert fixed == set(HASHES)


def test_the_check_has_its_size_and_mostly_other_hands() -> None:
    """600 in English, 60 in each other language, 200 turns of talk."""
    english = read_sentences("en")

    assert Counter(each["type"] for each in english) == TYPES
    assert sum(each["source"] != "own" for each in english) >= len(english) / 2
    assert {name: len(read_sentences(name)) for name in CHECK[1:]} == dict.fromkeys(LANGUAGES[1:], 60) | {"talk": 200}


@pytest.mark.parametrize("name", CHECK)
def test_each_line_says_where_it_comes_from(name: str) -> None:
    """And no sentence stands twice with the same room."""
    lines = read_sentences(name)

    assert [each for each in lines if not each["source"] or ("expect" in each) == ("or" in each)] == []
    assert [key for key, count in Counter((plain(e["say"]), e.get("room")) for e in lines).items() if count > 1] == []


def test_no_sentence_of_the_check_is_in_what_is_tuned_or_trained_with() -> None:
    """Apart from upper case, punctuation and spaces."""
    check = {plain(each["say"]) for name in CHECK for each in read_sentences(name)}

    assert [f"{place}: {text}" for place, text in _seen_texts() if plain(text) in check] == []


def test_plain_keeps_words_only() -> None:
    """Letters of any script, in lower case, one space between."""
    assert plain("  Turn OFF:  the lamp! ") == "turn off the lamp"
    assert plain("Éteins l'éclairage") == "éteins l éclairage"
    assert plain("打开客厅灯。") == "打开客厅灯"


def plain(text: str) -> str:
    """Return the words of a text, without case, punctuation and repeated spaces."""
    return WORDS.sub(" ", unicodedata.normalize("NFC", text).casefold()).strip()


def _seen_texts() -> Iterator[tuple[str, str]]:
    """Yield each sentence that someone tunes or trains with, and where it stands."""
    for language in LANGUAGES:
        yield from ((f"tuning.{language}", each["say"]) for each in read_sentences(f"tuning.{language}"))
    for folder in (ROOT / "units" / "intent", ROOT / "train" / "corpus"):
        for path in sorted(folder.rglob("*")):
            if path.suffix == ".py":
                yield from ((path.name, text) for text in _literals(path))
            elif path.suffix in TEXTS:
                yield from ((path.name, line) for line in _lines(path))


def _literals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _lines(path: Path) -> Iterator[str]:
    """Yield each line, and each part between quotes, bars or tabs: a line of data may hold several sentences."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield line
        yield from re.split(r"[\"|\t]|: |^\s*- ", line)
