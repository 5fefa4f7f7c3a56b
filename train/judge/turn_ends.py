"""Turn ends: whether the model tells a whole utterance from one that is cut in mid-sentence.

Each utterance is asked as it was typed, and as a recogniser writes it: in lower case and without punctuation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from train.judge.figures import Figure, area
from train.judge.files import Row

Probability = Callable[[str], float]
"""Returns the probability that a turn ends after a text."""

_PUNCTUATION = re.compile(r"[^\w\s']|_|(?<!\w)'|'(?!\w)")


def heard(text: str) -> str:
    """Return a text as recognisers write it."""
    return " ".join(_PUNCTUATION.sub(" ", text.replace("\u2019", "'").lower()).split())


def judge_ends(probability: Probability, rows: Sequence[Row]) -> list[Figure]:
    """Return the areas under the curve: of wholes against cuts, typed and heard, of books, and after content words."""
    whole: dict[str, list[float]] = defaultdict(list)
    cut: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        words = row["say"].split()
        group = "book" if row["kind"] == "book" else "said"
        for form, write in (("typed", str), ("heard", heard)):
            whole[f"{group} {form}"].append(probability(write(row["say"])))
            for count in row["cuts"]:
                value = probability(write(" ".join(words[:count])))
                cut[f"{group} {form}"].append(value)
                if count in row.get("hard", ()):
                    cut[f"hard {form}"].append(value)
    for form in ("typed", "heard"):
        whole[f"hard {form}"] = [*whole[f"said {form}"], *whole[f"book {form}"]]
    names = {
        "said typed": "turn ends: typed, AUC",
        "said heard": "turn ends: as recognised, AUC",
        "book typed": "turn ends: books as printed, AUC",
        "book heard": "turn ends: books as recognised, AUC",
        "hard heard": "turn ends: hard cuts, recognised, AUC",
    }
    every = [area("turn ends: all, AUC", _joined(whole, "hard"), [*_joined(cut, "said"), *_joined(cut, "book")])]
    return every + [area(name, whole[key], cut[key]) for key, name in names.items()]


def _joined(values: dict[str, list[float]], group: str) -> list[float]:
    return [*values[f"{group} typed"], *values[f"{group} heard"]]
