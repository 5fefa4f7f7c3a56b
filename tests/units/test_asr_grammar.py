"""Covers units.asr.grammar, units.asr.grammar_size, units.confined, units.trials: grammars that are meant to harm."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.units.ears import Ears
from tests.support.units.spoken import joined, silence, speak
from units.asr.unit import AsrUnit
from units.base import LATER, SETUP_REFUSED, UNAVAILABLE, UnitFault

HEAD = "#JSGF V1.0;\ngrammar g;\n"
GOOD = f"{HEAD}public <command> = turn (on | off) the (light | lamp | radio) | good night;"
# 300 words that may be left out: 45,000 ways around them, for which the library takes tens of seconds.
ENDLESS = f"{HEAD}public <a> = {300 * '[hello] '};"
HUGE = f"{HEAD}public <a> = {2000 * '[hello] '};"


@pytest.fixture(scope="module")
def kept_ears() -> Ears:
    """The bundled engine, loaded once."""
    return Ears(AsrUnit)


@pytest.fixture
def known_ears(kept_ears: Ears) -> Iterator[Ears]:
    """That engine, which has tried grammars before; its tasks end with the test."""
    yield kept_ears
    kept_ears.forget()


@pytest.fixture
def ears() -> Ears:
    """The bundled engine, which has tried none."""
    return Ears(AsrUnit)


def doubling(levels: int) -> str:
    """Each rule uses the next one twice."""
    rules = [f"<a{level}> = <a{level + 1}> <a{level + 1}>;" for level in range(levels)]
    return f"{HEAD}public {''.join(rules)}<a{levels}> = hello;"


@pytest.mark.parametrize(
    ("grammar", "words"),
    [
        (doubling(15), "line 3: the rule <a0> becomes 163838 states when all rules are written out, it may be 10000"),
        (doubling(40), "line 3: the rule <a0> becomes more than a billion states"),
        (f"{HEAD}public <a> =\n{500 * '('}hello{500 * ')*'};", r"line 4: more than 32 levels of parentheses, brackets"),
        (f"{HEAD}public <a> = {500 * '['}hello{500 * ']'};", "line 3: more than 32 levels"),
        (
            f"{HEAD}public <a> = hello{40_000 * '+'};",
            "line 3: (more than 32 levels|this becomes more than 10000 states)",
        ),
        (f"{HEAD}public <a> = {20 * '('}hello{20 * ')+'};", "line 3: this becomes more than 10000 states"),
        (
            f"{HEAD}public <a0> = <a1>;" + "".join(f"<a{n}> = <a{n + 1}>;" for n in range(1, 90)) + "<a90> = hello;",
            "line 3: more than 64 rules that lead to each other, down to <a64>",
        ),
        (f"{HEAD}public <a> = {6000 * 'good night '};", "line 1: the grammar has 66037 bytes, it may have 65536"),
        (ENDLESS, "grammar is too complex: to compile it takes more than 1 s or 64 MiB"),
        (HUGE, "grammar is too complex: to compile it takes more than 1 s or 64 MiB"),
    ],
    ids=[
        "15 levels",
        "40 levels",
        "stars",
        "brackets",
        "pluses",
        "doubling pluses",
        "chain",
        "long",
        "endless",
        "huge",
    ],
)
def test_a_grammar_that_would_take_all_there_is_is_refused(known_ears: Ears, grammar: str, words: str) -> None:
    """In seconds; the program is as it was and takes the next grammar."""
    began = time.process_time()
    with pytest.raises(UnitFault, match=words) as fault:
        known_ears.setup(grammar=grammar)
    known_ears.setup(grammar=GOOD)

    assert fault.value.code == SETUP_REFUSED
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "grammar",
    [
        f"{HEAD}public <a> = hello <b>; <b> = world <a> | good <c>; <c> = night <a>;",
        f"{HEAD}public <a> = (turn [the] (light | <b>) {{tag (((}} on)+ [please]*; <b> = /0.5/ lamp | /2/ <NULL>;",
        f"{HEAD}public <a> = {30 * '('}hello{30 * ')'};",
        f"{HEAD}public <a> = {' | '.join(3000 * ['good night'])};",
        doubling(10),
    ],
    ids=["recursion", "everything", "parentheses", "many", "10 levels"],
)
def test_what_can_be_compiled_is_no_attack(known_ears: Ears, grammar: str) -> None:
    """Rules in a circle that leads on, every mark, and sizes below the limits."""
    known_ears.setup(grammar=grammar)
    known_ears.hear(silence(0.1))

    assert known_ears.data() == []


def test_while_a_grammar_is_tried_others_are_heard(ears: Ears) -> None:
    """A trial of a second keeps nobody waiting, and its setup is answered when it is over."""
    ears.setup("asr.1", grammar=GOOD)

    answer = tried(ears, "asr.2", ENDLESS)
    ears.hear(joined(speak("turn on the light"), silence(1.5)))
    heard = ears.data()
    with pytest.raises(UnitFault, match="too complex"):
        ears.host.settle(ears.unit, answer)

    assert answer is LATER
    assert heard == ["turn on the light."]


def test_many_poisons_wait_for_each_other(ears: Ears) -> None:
    """Two are tried at once, the third then; all are refused in the end."""
    answers = [tried(ears, f"asr.{number}", HUGE) for number in range(3)]

    for answer in answers:
        with pytest.raises(UnitFault, match="too complex"):
            ears.host.settle(ears.unit, answer)


def test_a_task_that_ends_ends_its_trial(ears: Ears) -> None:
    """Whoever waits for the setup is told; a new one of that name begins anew."""
    tried(ears, "asr.1", ENDLESS)

    ears.tell("exit", task="asr.1")
    refused = ears.answers()
    ears.setup("asr.1", grammar=GOOD)
    ears.hear(joined(speak("good night"), silence(1.5)))

    assert [answer["code"] for answer in refused] == [UNAVAILABLE]
    assert ears.data() == ["good night."]


def test_a_grammar_is_tried_once(ears: Ears) -> None:
    """Many tasks with the same one, and those of a program that was restarted, do not wait for it again."""
    ears.setup("asr.1", grammar=GOOD)

    assert tried(ears, "asr.2", GOOD) is not LATER


def tried(ears: Ears, task: str, grammar: str) -> Any:
    """A setup's answer, which comes later."""
    data = {"response_format": "asr.utf-8", "input": ["sys.pcm"], "grammar": grammar}
    return ears.tell("setup", task=task, data=data)
