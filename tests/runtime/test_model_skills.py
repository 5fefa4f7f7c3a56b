"""Covers unitd.runtime.tasks.tool_loop: calls of skills by a model."""

from typing import Any

from tests.support.home.tool_use import ON, Hands, Inference, Program, a_call, a_use, nothing
from unitd.runtime.tasks.tool_loop import Recognition, Turn
from unitd.runtime.tasks.tool_messages import Call

OVEN = "60 minutes for the oven please"
NOT_UNDERSTOOD: Recognition = {"evidence": {}, "otherwise": "I did not understand that."}
STARTED: Recognition = {"turn": 1, "calls": [{"skill": "timers", "name": "timer_start", "arguments": {}}]}
SAID: Recognition = {"answer": "The oven timer is set for 60 minutes."}


def skill_call(name: str, /, **arguments: Any) -> Call:
    """Return a call of a skill by a model."""
    return {"id": name, "name": name, "arguments": arguments}


async def test_what_the_model_calls_is_done_by_the_skill() -> None:
    """The skill reads a sentence made of the person's words, and has the answer."""
    inference = Inference([skill_call("start_timer", length="60 minutes", name="oven")])
    program = Program(NOT_UNDERSTOOD, STARTED, SAID)

    answer = await a_use(Hands(), program, inference, OVEN).answer(nothing)

    assert answer == "The oven timer is set for 60 minutes."
    sentences = ["set a oven timer for 60 minutes", "set a timer for 60 minutes called oven"]
    assert program.asked[1] == ("recognize_skill", {"language": "en", "sentences": sentences})
    assert inference.acted == inference.told == STARTED["calls"]


async def test_words_that_nobody_said_start_nothing() -> None:
    inference = Inference([skill_call("start_timer", length="16 minutes", name="oven")])

    answer = await a_use(Hands(), Program(NOT_UNDERSTOOD), inference, OVEN).answer(nothing)

    assert answer == "I did not understand that."
    assert inference.acted == inference.told == []


async def test_words_of_the_turn_before_count_too() -> None:
    """ "Add milk to the list." "And eggs." """
    last = Turn(words="add milk to the shopping list")
    inference = Inference([skill_call("add_to_list", item="eggs", list="shopping")])
    program = Program(NOT_UNDERSTOOD, STARTED, SAID)

    assert await a_use(Hands(), program, inference, "and eggs", last=last).answer(nothing) == SAID["answer"]
    assert program.asked[1][1]["sentences"][0] == "add eggs to the shopping list"


async def test_a_device_and_a_skill_of_one_sentence_are_both_done() -> None:
    inference = Inference([a_call(), skill_call("start_timer", length="ten minutes", name="")])
    text = "light on, and ten minutes from now ring"

    answer = await a_use(Hands(ON), Program(NOT_UNDERSTOOD, STARTED, SAID), inference, text).answer(nothing)

    assert answer == f"{ON} {SAID['answer']}"


async def test_what_no_skill_takes_is_not_understood() -> None:
    """Nor is the model asked again."""
    inference = Inference([skill_call("get_time", place="oven")])
    program = Program(NOT_UNDERSTOOD, NOT_UNDERSTOOD)

    assert await a_use(Hands(), program, inference, "time of the oven").answer(nothing) == NOT_UNDERSTOOD["otherwise"]
    assert len(inference.asked) == 1


async def test_a_program_that_is_away_is_no_skill() -> None:
    inference = Inference([skill_call("stop")])

    assert await a_use(Hands(), Program(NOT_UNDERSTOOD), inference, "shush").answer(nothing) != "OK."
