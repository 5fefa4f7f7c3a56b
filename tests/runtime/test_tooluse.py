"""Covers unitd.runtime.tooluse."""

from collections.abc import Callable, Sequence
from typing import Any

from unitd.runtime.tooluse import MAX_ROUNDS, Call, ToolUse

CALL: Call = {"id": "call_1", "name": "turn_on", "arguments": {"entity": "kitchen light"}}


class Hands:
    """A toolbox whose work is done when a test says so."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.finish: Callable[[Sequence[str]], None] = lambda results: None

    async def prepare(self, setup: dict[str, Any]) -> dict[str, Any]:
        """Nothing to add."""
        return setup

    async def listing(self) -> list[dict[str, Any]]:
        """Nothing to list."""
        return []

    def run(self, calls: Sequence[Call], then: Callable[[Sequence[str]], None], is_wanted: Callable[[], bool]) -> None:
        """Notes what is to be done."""
        self.calls, self.finish = list(calls), then


def test_calls_and_results_become_messages_behind_the_question() -> None:
    """System prompt and history as the unit had them."""
    hands, options = Hands(), list[dict[str, Any]]()
    use = ToolUse(hands, "Be brief.", "turn on the light", None)
    use.note(CALL)

    use.run({"history": [["hello", "Hi."]]}, options.append, lambda: True)
    hands.finish(["done"])

    assert hands.calls == [CALL]
    assert [message["role"] for message in options[0]["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert options[0]["messages"][3]["content"] == "turn on the light"
    assert options[0]["messages"][-2]["tool_calls"][0]["function"]["name"] == "turn_on"
    assert options[0]["messages"][-1] == {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    assert "tool_choice" not in options[0]


def test_messages_that_the_client_keeps_are_gone_on_with() -> None:
    """And nothing is added in front."""
    hands, options = Hands(), list[dict[str, Any]]()
    given = [{"role": "user", "content": "light!"}]
    use = ToolUse(hands, "Be brief.", "", given)
    use.note(CALL)

    use.run(None, options.append, lambda: True)
    hands.finish(["error: not reachable"])

    assert options[0]["messages"][0] == given[0]
    assert options[0]["messages"][-1]["content"] == "error: not reachable"
    assert len(given) == 1


def test_nothing_is_computed_while_the_tools_are_at_work() -> None:
    """From the run to the results."""
    hands = Hands()
    use = ToolUse(hands, "", "turn on the light", None)
    use.note(CALL)

    seen = [use.is_calling, use.is_at_work]
    use.run(None, lambda options: None, lambda: True)
    seen += [use.is_calling, use.is_at_work]
    hands.finish(["done"])
    seen += [use.is_calling, use.is_at_work]

    assert seen == [True, False, False, True, False, False]


def test_a_model_that_goes_on_calling_is_told_to_speak() -> None:
    """In the last round no tool may be chosen."""
    hands, options = Hands(), list[dict[str, Any]]()
    use = ToolUse(hands, "", "again and again", None)

    for _ in range(MAX_ROUNDS):
        use.note(CALL)
        use.run(None, options.append, lambda: True)
        hands.finish(["done"])

    assert ["tool_choice" in each for each in options] == [False] * (MAX_ROUNDS - 1) + [True]
    assert len(options[-1]["messages"]) == 1 + 2 * MAX_ROUNDS
