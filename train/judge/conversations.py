"""Long conversations in one home: talk, sums, facts of the conversation, commands and questions about states.

The model's own answers stay in the conversation, right or wrong. The oldest turns are left out, as in the daemon, as
soon as an answer would not fit into the context that the model's card advertises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from train.corpus.base import Message
from train.corpus.tools.toolbox import read_calls
from train.judge.claims import claims
from train.judge.figures import share
from train.judge.files import Row
from train.judge.model import Model
from train.judge.place import Place, place_of, usual_home
from train.judge.rules import obeys
from train.judge.talk import Judged, called

LAST = 4
"""The last fourth of a conversation is a line of its own."""


def judge_conversation(model: Model, row: Row) -> Judged:
    """Have a conversation, and return the share of turns that are right."""
    place = place_of(usual_home(row["devices"]), row["prompt"])
    turns: list[list[Message]] = []
    results: list[bool] = []
    wrong: list[str] = []
    for at, turn in enumerate(row["turns"], 1):
        now, is_right = _answered(model, place, turns, turn)
        turns.append(now)
        results.append(is_right)
        if not is_right:
            said = [message.content for message in now[1:] if message.role == "assistant"]
            wrong.append(f"{row['name']}, turn {at}: {turn['say']!r}: {said}")
    last = results[-(len(results) // LAST) :]
    return [share(f"one talk of {row['name']}", results), share("  its last fourth", last)], wrong


def _answered(
    model: Model, place: Place, before: list[list[Message]], turn: Mapping[str, Any]
) -> tuple[list[Message], bool]:
    """Return the messages of one turn, and whether the model's are right."""
    now = [Message("user", turn["say"])]
    said = model.answer(_shortened(model, place, before, now), place.functions)
    calls = read_calls(said)
    wanted = turn.get("calls", [])
    if not calls:
        is_right = not wanted and calls is not None and obeys(said, turn) and not claims(said)
        return [*now, Message("assistant", said)], is_right
    given = turn.get("results", [])
    now += called(calls, [*given, *["done"] * len(calls)][: len(calls)])
    said = model.answer(_shortened(model, place, before, now), place.functions)
    # A second call is not wanted by any turn; it is answered by nobody.
    return [*now, Message("assistant", said)], _are_same(calls, wanted) and obeys(said, turn)


def _shortened(model: Model, place: Place, before: list[list[Message]], now: list[Message]) -> list[Message]:
    """Return the conversation with as many of its last turns as the model can hold."""
    for first in range(len(before) + 1):
        messages = [place.system, *(message for turn in before[first:] for message in turn), *now]
        if model.fits(messages):
            break
    return messages


def _are_same(calls: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the calls are the wanted ones, in the same order."""
    return len(calls) == len(wanted) and all(map(_is_same, calls, wanted))


def _is_same(call: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether a call is the wanted one; "some jazz" is jazz."""
    made = {name: str(value).casefold() for name, value in call.get("arguments", {}).items()}
    due = {name: str(value).casefold() for name, value in wanted["arguments"].items()}
    if call.get("name") != wanted["name"] or made.keys() != due.keys():
        return False
    return all(value in made[name] if name == "media" else value == made[name] for name, value in due.items())
