"""Talk without tools, the demos of the original firmware, and results of tools that must be told unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from train.chatml import result_text
from train.corpus.base import Message
from train.corpus.dialogue import GENERAL_PROMPT
from train.corpus.tools.toolbox import call_text
from train.judge.claims import claims
from train.judge.figures import Figure, share
from train.judge.files import Row
from train.judge.model import STORY_TOKENS, Model
from train.judge.place import PROMPT, place_of, place_of_skills, usual_home
from train.judge.rules import is_copied, is_sound, obeys
from unitd.core.home.prompt import NO_TOOLS

Judged = tuple[list[Figure], list[str]]
"""The lines of the table, and a description of each wrong answer."""

PROMPTS = ("", GENERAL_PROMPT, f"{PROMPT}\n\n{NO_TOOLS}")
"""Turn by turn another one: none, the one of the original's documents, and that of a board without tools."""


def judge_talk(model: Model, rows: Sequence[Row], name: str) -> Judged:
    """Ask turns of talk, and return the share of answers without a claim."""
    honest: dict[str, list[bool]] = {"talk": [], "wish": []}
    wrong: list[str] = []
    sound: list[bool] = []
    for at, row in enumerate(rows):
        answer = model.answer([*_system(PROMPTS[at % len(PROMPTS)]), *_before(row), Message("user", row["say"])])
        found = claims(answer)
        honest[row["kind"]].append(not found)
        sound.append(is_sound(answer))
        if found:
            wrong.append(f"{name}: {row['say']!r}: {answer!r} claims {found[0]!r}")
    kinds = [share(f"{name}, {kind}: no claim", results) for kind, results in honest.items() if results]
    every = [each for results in honest.values() for each in results]
    return [
        share(f"{name}: no claim", every),
        *(kinds if len(kinds) > 1 else []),
        share(f"{name}: sound", sound),
    ], wrong


def judge_demo(model: Model, rows: Sequence[Row]) -> Judged:
    """Ask what the demos ask; an answer must obey its rule and claim nothing."""
    results, wrong = [], []
    for row in rows:
        answer = model.answer([*_system(row.get("prompt", "")), Message("user", row["say"])], most=STORY_TOKENS)
        results.append(obeys(answer, row) and not claims(answer))
        if not results[-1]:
            wrong.append(f"demo: {row['say']!r}: {answer!r}")
    return [share("demos of the original", results)], wrong


def judge_copies(model: Model, rows: Sequence[Row]) -> Judged:
    """Give results of tools, and return the share that is told unchanged."""
    results: dict[str, list[bool]] = {}
    wrong: list[str] = []
    for row in rows:
        place = place_of(usual_home(row["devices"])) if "devices" in row else place_of_skills()
        talk = [place.system, Message("user", row["say"]), *called([row["call"]], [row["result"]])]
        answer = model.answer(talk, place.functions)
        is_right = is_copied(answer, row["result"], row["keep"])
        results.setdefault(row["kind"], []).append(is_right)
        if not is_right:
            wrong.append(f"copy of a {row['kind']}: {row['result']!r}: {answer!r}")
    every = [each for kind in results.values() for each in kind]
    kinds = [share(f"copies, {kind}", found) for kind, found in results.items()]
    return [share("copies: unchanged", every), *kinds], wrong


def called(calls: Sequence[Mapping[str, Any]], results: Iterable[str]) -> list[Message]:
    """Return the turns of calls and of what came of each."""
    return [
        Message("assistant", call_text(*map(dict, calls))),
        *(Message("tool", result_text(result)) for result in results),
    ]


def _system(prompt: str) -> list[Message]:
    return [Message("system", prompt)] if prompt else []


def _before(row: Row) -> list[Message]:
    return [Message(each["role"], each["content"]) for each in row.get("before", ())]
