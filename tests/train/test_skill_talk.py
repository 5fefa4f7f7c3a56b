"""Conversations with the tools of skills (train.corpus.tools.skills)."""

from __future__ import annotations

import random
from functools import cache

import pytest

from train.corpus.base import Message, normal
from train.corpus.tools.skills.skill_requests import blocks, calls_of
from train.corpus.tools.skills.skill_talk import make_skill_probes, make_skill_talk
from train.corpus.tools.skills.skill_tools import CHOICES, SIGNATURES
from train.corpus.tools.toolbox import Call, read_calls

TALKS = 250


@cache
def talks() -> list[list[Message]]:
    """Return some conversations."""
    return [make_skill_talk(random.Random(seed)) for seed in range(TALKS)]


def calls_with_users() -> list[tuple[Call, str]]:
    """Return the calls of skills in the conversations, each with all that the user had said before."""
    found = []
    for talk in talks():
        said = ""
        for message in talk:
            said += f"\n{message.content}" if message.role == "user" else ""
            calls = (read_calls(message.content) or []) if message.role == "assistant" else []
            found += [(call, said) for call in calls if tuple(call["arguments"]) == SIGNATURES.get(call["name"])]
    return found


def stands_in(words: str, said: str) -> bool:
    """Return whether the words stand in what was said: in one place or, one after the other, in two."""
    cuts = [place for place, sign in enumerate(words) if sign == " "]
    return words in said or any(words[:cut] in said and words[cut + 1 :] in said for cut in cuts)


def test_arguments_are_the_users_words() -> None:
    """Spelling included; one that is not said is empty."""
    wrong = [(name, words, said) for call, said in calls_with_users() for name, words in call["arguments"].items()
             if name not in CHOICES.get(call["name"], {}) and not stands_in(words, said)]  # fmt: skip

    assert wrong == []


def test_a_choice_is_one_of_the_listed_words() -> None:
    """It is a word of the tool, not of the user."""
    chosen = [(call, name) for call, _ in calls_with_users() for name in CHOICES.get(call["name"], {})]

    assert chosen
    assert all(call["arguments"][name] in CHOICES[call["name"]][name] for call, name in chosen)


def test_each_tool_is_used() -> None:
    """None is forgotten by the corpus."""
    assert {call["name"] for call, _ in calls_with_users()} == set(SIGNATURES)


def test_only_listed_tools_are_called() -> None:
    """What is not in the system turn cannot be called."""
    for talk in talks():
        names = {line.split("(")[0] for line in talk[0].content.splitlines() if line.endswith(")")}
        called = {call["name"] for message in talk if message.role == "assistant"
                  for call in read_calls(message.content) or []}  # fmt: skip
        assert called <= names


def test_sentences_of_the_daemon_are_repeated() -> None:
    """A single result that is a sentence is the answer."""
    pairs = [(before, result, answer) for talk in talks()
             for before, result, answer in zip(talk, talk[1:], talk[2:], strict=False)
             if result.role == "tool" and before.role == "assistant" and answer.role == "assistant"]  # fmt: skip
    repeated = [answer.content in result.content for before, result, answer in pairs
                if (read_calls(before.content) or [{}])[0].get("name") in SIGNATURES]  # fmt: skip

    assert sum(repeated) / len(repeated) > 0.85


def test_a_seed_repeats_a_conversation() -> None:
    """Two runs train on the same."""
    assert make_skill_talk(random.Random(7)) == talks()[7]


def test_banned_questions_are_left_out() -> None:
    """What the evaluation asks is not in training."""
    asked = {normal(message.content) for talk in talks()[:50] for message in talk if message.role == "user"}
    banned = frozenset(sorted(asked)[::2])

    again = [make_skill_talk(random.Random(seed), banned) for seed in range(50)]

    assert banned.isdisjoint(normal(m.content) for talk in again for m in talk if m.role == "user")


def test_probes_are_no_training() -> None:
    """Their phrasings or their words are held out."""
    probes = make_skill_probes(4)
    trained = {normal(message.content) for talk in talks() for message in talk if message.role == "user"}

    assert {"two skills", "skill follow-up", "no skill", "chat", "spoken"} <= {probe.kind for probe in probes}
    asked = [probe.asked for probe in probes if len(probe.asked.split()) > 4]
    assert sum(each in trained for each in asked) / len(asked) < 0.05


@pytest.mark.parametrize("tool", sorted(SIGNATURES))
def test_each_tool_has_many_phrasings(tool: str) -> None:
    """Some of them held out."""
    mine = [forms for name, forms in blocks().items() if calls_of(name)[0][0] == tool and not name.startswith("two ")]

    assert sum(len(forms.train) for forms in mine) >= 75
    assert sum(len(forms.heldout) for forms in mine) >= 5
