"""Covers unitd.runtime.tasks.conversations."""

from unitd.runtime.tasks.conversations import MOST_CONVERSATIONS, Conversations
from unitd.runtime.tasks.tool_loop import Turn


def test_each_conversation_has_its_last_turn() -> None:
    """A new one has none."""
    conversations, first, second, other = Conversations(), Turn(), Turn(), Turn()
    conversations.keep("anna", first)
    conversations.keep("ben", other)
    conversations.keep("anna", second)

    assert conversations.last("anna") is second
    assert conversations.last("ben") is other
    assert conversations.last("carl") is None


def test_the_conversation_that_rested_longest_is_forgotten() -> None:
    """The memory of a board is small."""
    conversations, turn = Conversations(), Turn()
    for each in range(MOST_CONVERSATIONS):
        conversations.keep(str(each), turn)
    conversations.keep("0", turn)

    conversations.keep("one more", turn)

    assert conversations.last("0") is turn
    assert conversations.last("1") is None
