"""The answers of the skill of timers: what is said of one timer, of several, and of a failure."""

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from units.intent.skills.skill import Asked, Said, SkillCall
from units.intent.skills.texts import read_texts
from units.intent.skills.timer_choice import Row, described
from units.intent.steps import Outcome
from units.intent.wording import wording_in

TEXTS = read_texts(Path(__file__).with_name("timers.toml"))

Work = Generator[list[SkillCall], list[Outcome], Said | None]
"""Calls of the daemon, and the answer at the end."""


class NotDone(Exception):
    """The daemon could not do a call; `said` has the reason."""

    def __init__(self, said: Said) -> None:
        super().__init__(said.key)
        self.said = said


def words_of(asked: Asked, key: str, values: Mapping[str, Any]) -> str:
    """Return a part of an answer in the language of a sentence."""
    return wording_in(asked.language).part(TEXTS[asked.language].answers[key], values)


def label(row: Row, asked: Asked) -> str:
    """Return what a timer is called: "pizza timer", "timer for 10 minutes", "7 AM alarm"."""
    return words_of(asked, "label", described(row, asked))


def about(row: Row, asked: Asked) -> dict[str, Any]:
    """Return the values for an answer about one timer."""
    return {**described(row, asked), "label": label(row, asked)}


def state_of(rows: Sequence[Row], asked: Asked) -> Said:
    """Return what is said of how timers are: each in a sentence of its own."""
    return states(sentences_of(rows, asked), asked)


def sentences_of(rows: Sequence[Row], asked: Asked) -> list[str]:
    """Return of each timer how it is; to the question how long, and when, of alarms both."""
    is_when = asked.intent == "left"
    return [words_of(asked, "state", about(row, asked) | {"is_when": is_when}) for row in rows]


def states(sentences: Sequence[str], asked: Asked, key: str = "states") -> Said:
    """Return an answer of several sentences."""
    wording = wording_in(asked.language)
    space = "" if asked.language.startswith("zh") else " "
    joined = space.join(wording.said("{{ each }}", {"each": each}) for each in sentences)
    return Said(key, {"sentences": joined, "count": len(sentences)})


def said_of(key: str, rows: Sequence[Row], asked: Asked) -> Said:
    """Return the answer of this key about one timer, or the one about several."""
    if len(rows) == 1:
        return Said(key, about(rows[0], asked))
    return Said(f"{key}_several", {"count": len(rows)})


def which_one(rows: Sequence[Row], asked: Asked) -> dict[str, Any]:
    """Return the values for the question which of several timers is meant."""
    labels = list(dict.fromkeys(label(row, asked) for row in rows))
    return {"choices": wording_in(asked.language).phrase(labels, "or")}


def done(asked: Asked, calls: list[SkillCall]) -> Generator[list[SkillCall], list[Outcome], list[Mapping[str, Any]]]:
    """Have calls done, and return what each has found or made.

    Raises:
        NotDone: one of them was not done.
    """
    outcomes = yield calls
    for outcome in outcomes:
        if not outcome.is_done:
            raise NotDone(failure(outcome, asked))
    return [outcome.data for outcome in outcomes]


def failure(outcome: Outcome, asked: Asked) -> Said:
    """Return why a call was not done, in words of ours where there are some for the reason."""
    key = f"reason_{outcome.reason}"
    if key in TEXTS[asked.language].answers:
        return Said(key)
    return Said("failed", {"text": outcome.text if asked.language == "en" else ""})
