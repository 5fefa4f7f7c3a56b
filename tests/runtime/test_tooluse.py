"""Covers unitd.runtime.tasks.tool_loop."""

import asyncio

import pytest

from tests.support.home.tool_use import (
    OFF,
    ON,
    UNKNOWN,
    YES,
    Hands,
    Inference,
    Program,
    a_call,
    a_use,
    nothing,
)
from unitd.core.home.call_guard import Verdict
from unitd.core.home.call_guard_words import cannot_wait
from unitd.core.outcomes import Outcome
from unitd.runtime.tasks.tool_loop import AGREED, AWAY, MAX_ROUNDS
from unitd.runtime.tasks.tool_messages import Call


async def test_what_is_recognised_is_done_and_no_model_is_asked() -> None:
    """The program has the words."""
    hands, inference = Hands(ON), Inference()
    program = Program({"turn": 1, "calls": [a_call()]}, {"answer": "Turned on the light."})

    answer = await a_use(hands, program, inference).answer(nothing)

    assert answer == "Turned on the light."
    assert hands.calls == inference.told == [a_call()]
    assert inference.asked == []
    assert program.asked[1] == ("outcomes", {"turn": 1, "outcomes": [Outcome(ON, is_done=True).as_data()]})


async def test_a_relative_wish_reads_and_then_sets() -> None:
    """The program has further calls when it knows the state."""
    read, then_set = a_call("get_state"), a_call("set_brightness", percent=60)
    hands = Hands("It is at 50 percent.", "It is at 60 percent.")
    program = Program({"turn": 1, "calls": [read]}, {"turn": 1, "calls": [then_set]}, {"answer": "Brighter."})

    answer = await a_use(hands, program, Inference(), "brighter").answer(nothing)

    assert answer == "Brighter."
    assert hands.calls == [read, then_set]


async def test_a_program_that_dies_in_mid_turn_leaves_the_words_of_the_daemon() -> None:
    """Tell what was done so far."""
    program = Program({"turn": 1, "calls": [a_call(), a_call(entity="desk lamp")]})

    answer = await a_use(Hands(ON, "The desk lamp is on."), program, Inference()).answer(nothing)

    assert answer == f"{ON} The desk lamp is on."


async def test_an_answer_without_calls_is_said() -> None:
    """Which light, say; and where there are no words, it agrees."""
    inference = Inference()

    asks = await a_use(Hands(), Program({"answer": "Which light?"}), inference).answer(nothing)
    agrees = await a_use(Hands(), Program({"answer": ""}), inference, "never mind").answer(nothing)

    assert (asks, agrees) == ("Which light?", AGREED)
    assert inference.asked == []


async def test_what_is_not_recognised_reaches_the_model_with_the_candidates() -> None:
    """Which says the answer itself when it calls nothing."""
    inference = Inference()

    answer = await a_use(Hands(), Program(UNKNOWN), inference, "tell me a joke").answer(nothing)

    assert answer is None
    assert inference.asked == [{"prompt": "kitchen light, desk lamp"}]


async def test_a_task_without_a_model_says_that_it_did_not_understand() -> None:
    """In the words of the program."""
    program = Program(UNKNOWN | {"otherwise": "I did not understand."})

    answer = await a_use(Hands(), program, Inference(), "tell me a joke").answer(nothing, has_model=False)

    assert answer == "I did not understand."


async def test_a_task_without_a_model_says_that_the_program_is_away() -> None:
    """Say so instead of agreeing to what was not done."""
    assert await a_use(Hands(), Program(), Inference()).answer(nothing, has_model=False) == AWAY


async def test_calls_and_outcomes_become_messages_after_the_question() -> None:
    """System prompt and history as the unit had them."""
    hands, inference = Hands(), Inference([a_call()])
    use = a_use(hands, Program(UNKNOWN), inference)

    answer = await use.answer(lambda: {"history": [["hello", "Hi."]]})

    assert (answer, hands.calls) == (ON, [a_call()])
    messages = inference.asked[1]["messages"]
    assert [each["role"] for each in messages] == ["system", "user", "assistant", "user", "assistant", "tool"]
    assert messages[0]["content"] == "kitchen light, desk lamp"
    assert messages[3]["content"] == "turn on the light"
    assert messages[-2]["tool_calls"][0]["function"]["name"] == "turn_on"
    assert messages[-1] == {"role": "tool", "tool_call_id": "turn_on kitchen light", "content": ON}
    assert use.usage == {"total_tokens": 20}


async def test_pictures_stay_with_the_question() -> None:
    """The model sees them again when it is told what its calls did."""
    inference = Inference([a_call()])
    use = a_use(Hands(), Program(UNKNOWN), inference, setup={"images": [{"image": "/9j/", "detail": "low"}]})

    await use.answer(nothing)

    question = inference.asked[1]["messages"][1]
    assert question["content"] == [
        {"type": "image", "image": "/9j/", "detail": "low"},
        {"type": "text", "text": "turn on the light"},
    ]


async def test_the_words_of_a_message_with_pictures_are_recognised() -> None:
    """Without the pictures, of which no sentence is made."""
    parts = [{"type": "image", "image": "/9j/"}, {"type": "text", "text": "light!"}]
    program = Program(UNKNOWN)

    await a_use(Hands(), program, Inference(), "", setup={"messages": [{"role": "user", "content": parts}]}).answer(
        nothing
    )

    assert program.asked[0] == ("recognize", {"text": "light!"})


async def test_messages_that_the_client_keeps_are_gone_on_with() -> None:
    """The last of them is what the person said."""
    given = [{"role": "user", "content": "light!"}]
    program, inference = Program(UNKNOWN), Inference([a_call()])

    await a_use(Hands(), program, inference, "", setup={"messages": given}).answer(nothing)

    assert program.asked[0] == ("recognize", {"text": "light!"})
    assert inference.asked[1]["messages"][0] == given[0]
    assert len(given) == 1


@pytest.mark.parametrize("recognised", [True, False])
async def test_calls_that_are_not_wanted_any_more_are_not_done(recognised: bool) -> None:
    """The answer was cut while the first of them was under way."""
    calls = [a_call(), a_call("turn_off")]
    hands, inference = Hands(), Inference(calls)
    use = a_use(hands, Program({"turn": 1, "calls": calls} if recognised else UNKNOWN), inference)
    do = hands.do

    async def do_and_cut(call: Call, *, sees: bool) -> Outcome:
        inference.is_wanted = False
        return await do(call, sees=sees)

    hands.do = do_and_cut  # type: ignore[method-assign]

    assert await use.answer(nothing) is None
    assert hands.calls == calls[:1]


async def test_a_call_that_repeats_another_is_not_done() -> None:
    """In the same answer or in a later round; with other arguments it is another call."""
    off = a_call("turn_off")
    hands, inference = Hands(), Inference([a_call(), a_call(), off], [a_call(), a_call(entity="desk lamp")])

    await a_use(hands, Program(UNKNOWN), inference).answer(nothing)

    assert hands.calls == [a_call(), off, a_call(entity="desk lamp")]


async def test_the_answer_tells_what_came_of_all_rounds() -> None:
    """Not only of the last one; nothing is said twice."""
    inference = Inference(*[[a_call(name)] for name in ("turn_on", "turn_off", "get_state")])

    answer = await a_use(Hands(ON, OFF, OFF), Program(UNKNOWN), inference).answer(nothing)

    assert answer == f"{ON} {OFF}"


async def test_a_model_that_goes_on_calling_is_not_asked_again() -> None:
    """After four rounds."""
    hands = Hands()
    inference = Inference(*[[a_call(entity=str(number))] for number in range(2 * MAX_ROUNDS)])

    await a_use(hands, Program(UNKNOWN), inference).answer(nothing)

    assert len(hands.calls) == len(inference.asked) == MAX_ROUNDS


async def test_a_call_that_the_words_do_not_back_is_asked_about_and_done_after_a_yes() -> None:
    """And no frame said that it would be done."""
    asks = Verdict(False, "Do you mean the desk lamp?", is_asked=True)
    call = a_call(entity="desk lamp")
    hands = Hands("The desk lamp is on.", refused={"desk lamp": asks})
    use = a_use(hands, Program(UNKNOWN), Inference([call]), "the dusk lamp")

    question = await use.answer(nothing)
    before = list(hands.calls)
    yes = await a_use(hands, Program(YES), Inference(), "yes", last=use.turn).answer(nothing)

    assert (question, before) == ("Do you mean the desk lamp?", [])
    assert (yes, hands.calls) == ("The desk lamp is on.", [call])


async def test_a_no_is_taken_for_an_answer() -> None:
    """No model is asked what it means."""
    asks = Verdict(False, "Do you mean the desk lamp?", is_asked=True)
    hands, inference = Hands(refused={"desk lamp": asks}), Inference()
    asked = a_use(hands, Program(UNKNOWN), Inference([a_call(entity="desk lamp")]))
    await asked.answer(nothing)

    answer = await a_use(hands, Program({"evidence": {"says": "no"}}), inference, "no", last=asked.turn).answer(nothing)

    assert answer == "All right."
    assert (hands.calls, inference.asked) == ([], [])


async def test_anything_else_than_a_yes_forgets_the_question() -> None:
    """A later yes means something else."""
    asks = Verdict(False, "Do you mean the desk lamp?", is_asked=True)
    hands = Hands(refused={"desk lamp": asks})
    asked = a_use(hands, Program(UNKNOWN), Inference([a_call(entity="desk lamp")]))
    await asked.answer(nothing)

    other = a_use(hands, Program(UNKNOWN), Inference(), "tell me a joke", last=asked.turn)
    await other.answer(nothing)
    await a_use(hands, Program(YES), Inference(), "yes", last=other.turn).answer(nothing)

    assert hands.calls == []


@pytest.mark.parametrize("recognised", [True, False])
async def test_a_tool_that_needs_a_confirmation_waits_for_a_yes(recognised: bool) -> None:
    """Hold for wishes of the model and of the intents alike."""
    unlock = a_call("unlock", "front door")
    first = {"turn": 1, "calls": [unlock]} if recognised else UNKNOWN
    hands = Hands("The front door is unlocked.", confirm="unlock")
    use = a_use(hands, Program(first), Inference([unlock]), "unlock the front door")

    question = await use.answer(nothing)
    before = list(hands.calls)
    program = Program(YES, {"answer": "The front door is unlocked."})
    yes = await a_use(hands, program, Inference(), "yes", last=use.turn).answer(nothing)

    assert (question, before) == ("Shall I?", [])
    assert (yes, hands.calls) == ("The front door is unlocked.", [unlock])


async def test_a_command_for_later_waits() -> None:
    """Unless it needs a confirmation: nobody may be there to give it."""
    later = {"turn": 1, "after_seconds": 300, "command": "turn off the fan", "answer": "In 5 minutes.", "calls": []}
    unlock = later | {"command": "unlock the door", "calls": [a_call("unlock", "front door")]}
    inference, hands = Inference(), Hands(confirm="unlock")

    answer = await a_use(hands, Program(later), inference).answer(nothing)
    refusal = await a_use(hands, Program(unlock), inference).answer(nothing)

    assert (answer, refusal) == ("In 5 minutes.", cannot_wait("en"))
    assert inference.delayed == [(300, "turn off the fan")]
    assert hands.calls == []


async def test_calls_of_a_round_that_failed_are_not_done() -> None:
    """Its end says so."""
    hands, inference = Hands(), Inference()
    use = a_use(hands, Program(UNKNOWN), inference)
    use.note(a_call())

    use.end_round({}, has_failed=True)

    assert not use.goes_on
    assert await use.round is False
    assert hands.calls == []


async def test_a_call_of_one_device_of_a_set_is_done_for_all_of_them() -> None:
    """The model sees one call, and a call that it makes for another of them is not done again."""
    devices = [f"lamp {number}" for number in range(5)]
    hands = Hands()
    hands.sets = {"lamp 0": devices}
    inference = Inference([a_call(entity="lamp 0")], [a_call(entity="lamp 3")])

    answer = await a_use(hands, Program(UNKNOWN), inference, "paint the lights blue").answer(nothing)

    assert [each["arguments"]["entity"] for each in hands.calls] == devices
    assert answer == f"{ON} The same for 4 others."
    assert len(inference.asked[1]["messages"][-2]["tool_calls"]) == 1


async def test_several_devices_are_switched_at_once() -> None:
    """Forty lights take as long as five."""
    calls = [a_call(entity=f"lamp {number}") for number in range(40)]
    hands, running, most = Hands(), 0, 0

    async def do(call: Call, *, sees: bool) -> Outcome:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        hands.calls.append(call)
        return Outcome(ON, is_done=True)

    hands.do = do  # type: ignore[method-assign]
    program = Program({"turn": 1, "calls": calls}, {"answer": "Turned on 40 lights."})

    await a_use(hands, program, Inference(), "turn on all lights").answer(nothing)

    assert hands.calls == calls
    assert 1 < most <= 8


async def test_a_call_of_a_skill_is_done_by_the_daemon_itself() -> None:
    """The tools of the home never see it, and the program gets what was found."""
    call = {"id": "c", "name": "timer_list", "arguments": {}, "skill": "timers"}
    program = Program({"turn": 1, "calls": [call], "language": "en"}, {"answer": "There is one timer."})
    hands, inference = Hands(), Inference()

    assert await a_use(hands, program, inference, "how many timers").answer(nothing) == "There is one timer."

    assert (hands.calls, inference.acted, inference.told) == ([], [call], [call])
    assert program.asked[1][1]["outcomes"][0]["data"] == {"n": 1}


async def test_a_skill_that_is_not_meant_after_all_leaves_the_sentence_to_the_model() -> None:
    """The client is told of no call: the skill has only looked whether the sentence is for it."""
    call = {"id": "c", "name": "timer_list", "arguments": {}, "skill": "timers"}
    program = Program({"turn": 1, "calls": [call], "language": "en"}, UNKNOWN)
    inference = Inference()

    assert await a_use(Hands(), program, inference, "the second one").answer(nothing) is None

    assert (len(inference.asked), inference.told) == (1, [])


async def test_a_skill_that_is_not_meant_leaves_what_is_not_understood_without_a_model() -> None:
    """A board may have none."""
    call = {"id": "c", "name": "timer_list", "arguments": {}, "skill": "timers"}
    program = Program({"turn": 1, "calls": [call]}, UNKNOWN | {"otherwise": "I did not understand."})

    use = a_use(Hands(), program, Inference(), "the second one")

    assert await use.answer(nothing, has_model=False) == "I did not understand."
