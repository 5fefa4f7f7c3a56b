"""Covers unitd.runtime.tasks.tool_loop."""

from collections.abc import Mapping
from typing import Any

from unitd.core.outcomes import Outcome
from unitd.runtime.tasks.tool_loop import MAX_ROUNDS, Call, ToolUse

CALL: Call = {"id": "call_1", "name": "turn_on", "arguments": {"entity": "kitchen light"}}
ON, OFF = "The kitchen light is on.", "The kitchen light is off."


class Hands:
    """A toolbox that notes what is to be done, and says of each call what a test says."""

    defaults: Mapping[str, Any] = {}

    def __init__(self, outcome: str = ON) -> None:
        self.calls: list[Call] = []
        self.outcome = outcome

    async def prepare(self, setup: dict[str, Any]) -> dict[str, Any]:
        """Nothing to add."""
        return setup

    async def listing(self) -> list[dict[str, Any]]:
        """Nothing to list."""
        return []

    async def do(self, call: Call) -> Outcome:
        """Note it."""
        self.calls.append(call)
        return Outcome(self.outcome, is_done=True)


def always() -> bool:
    """The answer is wanted to its end."""
    return True


async def test_calls_and_outcomes_become_messages_behind_the_question() -> None:
    """System prompt and history as the unit had them."""
    hands = Hands()
    use = ToolUse(hands, "Be brief.", "turn on the light", None)
    use.note(CALL)

    await use.do_calls({"history": [["hello", "Hi."]]}, always)

    assert hands.calls == [CALL]
    assert [message["role"] for message in use.messages] == [
        "system", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert use.messages[3]["content"] == "turn on the light"
    assert use.messages[-2]["tool_calls"][0]["function"]["name"] == "turn_on"
    assert use.messages[-1] == {"role": "tool", "tool_call_id": "call_1", "content": ON}


async def test_messages_that_the_client_keeps_are_gone_on_with() -> None:
    """And nothing is added in front."""
    hands, given = Hands("That did not work."), [{"role": "user", "content": "light!"}]
    use = ToolUse(hands, "Be brief.", "", given)
    use.note(CALL)

    await use.do_calls(None, always)

    assert use.messages[0] == given[0]
    assert use.messages[-1]["content"] == "That did not work."
    assert len(given) == 1


async def test_a_round_with_calls_waits_for_them_and_one_without_does_not() -> None:
    """The end of each round says which it was."""
    use = ToolUse(Hands(), "", "turn on the light", None)
    use.note(CALL)

    use.end_round({}, has_failed=False)
    first = await use.round
    await use.do_calls(None, always)
    use.end_round({}, has_failed=False)

    assert (first, await use.round) == (True, False)


async def test_calls_that_are_not_wanted_any_more_are_not_done() -> None:
    """The answer was cut while the first of them was under way."""
    hands = Hands()
    use = ToolUse(hands, "", "turn off everything", None)
    use.note(CALL)
    use.note(CALL | {"name": "turn_off"})

    is_wanted = await use.do_calls(None, lambda: not hands.calls)

    assert not is_wanted
    assert hands.calls == [CALL]
    assert not use.has_outcomes


async def test_a_call_that_repeats_another_is_not_taken() -> None:
    """In the same answer or in a later round; with other arguments it is another call."""
    hands = Hands()
    use = ToolUse(hands, "", "turn off everything", None)
    off = CALL | {"name": "turn_off"}

    first = [use.note(each) for each in (CALL, CALL | {"id": "call_2"}, off)]
    await use.do_calls(None, always)
    later = [use.note(CALL | {"id": "call_3"}), use.note(CALL | {"arguments": {"entity": "desk lamp"}})]

    assert (first, later) == ([True, False, True], [False, True])
    assert [each["name"] for each in hands.calls] == ["turn_on", "turn_off"]


async def test_the_answer_tells_what_came_of_all_rounds() -> None:
    """Not only of the last one; nothing is said twice."""
    hands = Hands()
    use = ToolUse(hands, "", "is it on? then turn it off", None)

    for name, hands.outcome in (("turn_on", ON), ("turn_off", OFF), ("get_state", OFF)):
        use.note(CALL | {"name": name})
        await use.do_calls(None, always)

    assert use.has_outcomes
    assert use.answer == f"{ON} {OFF}"


async def test_a_model_that_goes_on_calling_is_not_asked_again() -> None:
    """After four rounds."""
    may = []
    use = ToolUse(Hands(), "", "again and again", None)

    for number in range(MAX_ROUNDS):
        may.append(use.may_call_again)
        use.note(CALL | {"arguments": {"round": number}})
        await use.do_calls(None, always)

    assert [*may, use.may_call_again] == [*[True] * MAX_ROUNDS, False]
    assert len(use.messages) == 1 + 2 * MAX_ROUNDS


async def test_the_tokens_of_all_rounds_are_counted() -> None:
    """An answer with calls costs what all of its rounds cost."""
    use = ToolUse(Hands(), "", "", None)
    use.note(CALL)

    use.end_round({"prompt_tokens": 10, "completion_tokens": 5}, has_failed=False)
    await use.do_calls(None, always)
    use.end_round({"prompt_tokens": 20, "completion_tokens": 1}, has_failed=False)

    assert use.usage == {"prompt_tokens": 30, "completion_tokens": 6}
