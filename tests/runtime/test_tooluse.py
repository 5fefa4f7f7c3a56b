"""Covers unitd.runtime.tasks.tool_loop."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unitd.runtime.tasks.tool_loop import MAX_ROUNDS, Call, ToolUse

CALL: Call = {"id": "call_1", "name": "turn_on", "arguments": {"entity": "kitchen light"}}
ON, OFF = "The kitchen light is on.", "The kitchen light is off."


class Hands:
    """A toolbox whose work is done when a test says so."""

    defaults: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.finish: Callable[[Sequence[str]], None] = lambda outcomes: None

    async def prepare(self, setup: dict[str, Any]) -> dict[str, Any]:
        """Nothing to add."""
        return setup

    async def listing(self) -> list[dict[str, Any]]:
        """Nothing to list."""
        return []

    def run(self, calls: Sequence[Call], then: Callable[[Sequence[str]], None], is_wanted: Callable[[], bool]) -> None:
        """Notes what is to be done."""
        self.calls, self.finish = list(calls), then


def nothing() -> None:
    """Nobody waits for the outcome."""


def test_calls_and_outcomes_become_messages_behind_the_question() -> None:
    """System prompt and history as the unit had them."""
    hands = Hands()
    use = ToolUse(hands, "Be brief.", "turn on the light", None)
    use.note(CALL)

    use.run({"history": [["hello", "Hi."]]}, nothing, lambda: True)
    hands.finish([ON])

    assert hands.calls == [CALL]
    assert [message["role"] for message in use.messages] == [
        "system", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert use.messages[3]["content"] == "turn on the light"
    assert use.messages[-2]["tool_calls"][0]["function"]["name"] == "turn_on"
    assert use.messages[-1] == {"role": "tool", "tool_call_id": "call_1", "content": ON}


def test_messages_that_the_client_keeps_are_gone_on_with() -> None:
    """And nothing is added in front."""
    hands, given = Hands(), [{"role": "user", "content": "light!"}]
    use = ToolUse(hands, "Be brief.", "", given)
    use.note(CALL)

    use.run(None, nothing, lambda: True)
    hands.finish(["That did not work."])

    assert use.messages[0] == given[0]
    assert use.messages[-1]["content"] == "That did not work."
    assert len(given) == 1


def test_nothing_is_computed_while_the_tools_are_at_work() -> None:
    """From the run to the outcomes."""
    hands = Hands()
    use = ToolUse(hands, "", "turn on the light", None)
    use.note(CALL)

    seen = [use.is_calling, use.is_at_work]
    use.run(None, nothing, lambda: True)
    seen += [use.is_calling, use.is_at_work]
    hands.finish([ON])
    seen += [use.is_calling, use.is_at_work]

    assert seen == [True, False, False, True, False, False]


def test_a_call_that_repeats_another_is_not_taken() -> None:
    """In the same answer or in a later round; with other arguments it is another call."""
    hands = Hands()
    use = ToolUse(hands, "", "turn off everything", None)
    off = CALL | {"name": "turn_off"}

    first = [use.note(each) for each in (CALL, CALL | {"id": "call_2"}, off)]
    use.run(None, nothing, lambda: True)
    hands.finish([ON, ON])
    later = [use.note(CALL | {"id": "call_3"}), use.note(CALL | {"arguments": {"entity": "desk lamp"}})]

    assert (first, later) == ([True, False, True], [False, True])
    assert [each["name"] for each in hands.calls] == ["turn_on", "turn_off"]


def test_the_answer_tells_what_came_of_all_rounds() -> None:
    """Not only of the last one; nothing is said twice."""
    hands = Hands()
    use = ToolUse(hands, "", "is it on? then turn it off", None)

    for name, outcome in (("turn_on", ON), ("turn_off", OFF), ("get_state", OFF)):
        use.note(CALL | {"name": name})
        use.run(None, nothing, lambda: True)
        hands.finish([outcome])

    assert use.has_outcomes
    assert use.answer == f"{ON} {OFF}"


def test_a_model_that_goes_on_calling_is_not_asked_again() -> None:
    """After four rounds."""
    hands, may = Hands(), []
    use = ToolUse(hands, "", "again and again", None)

    for number in range(MAX_ROUNDS):
        may.append(use.may_call_again)
        use.note(CALL | {"arguments": {"round": number}})
        use.run(None, nothing, lambda: True)
        hands.finish([ON])

    assert [*may, use.may_call_again] == [*[True] * MAX_ROUNDS, False]
    assert len(use.messages) == 1 + 2 * MAX_ROUNDS


def test_the_tokens_of_all_rounds_are_counted() -> None:
    """An answer with calls costs what all of its rounds cost."""
    use = ToolUse(Hands(), "", "", None)

    use.count({"prompt_tokens": 10, "completion_tokens": 5})
    use.count({"prompt_tokens": 20, "completion_tokens": 1})

    assert use.usage == {"prompt_tokens": 30, "completion_tokens": 6}
