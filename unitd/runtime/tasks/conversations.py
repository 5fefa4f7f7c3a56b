"""Conversations with the home: what tells them apart, and the last turn of each.

A client with a task is a conversation, so are the links of a task. Where each sentence has a task of its own, the setup
names the `conversation`: Home Assistant's for Wyoming, the session of barge-in inference.
"""

from collections import OrderedDict
from hashlib import sha256

from unitd.core.tasks.table import Client, Task
from unitd.runtime.tasks.tool_loop import Turn

MOST_CONVERSATIONS = 256
"""The last turns of so many conversations are kept; who goes on with an older one has to name the device again."""

MOST_CHARACTERS = 4000
"""Of a longer answer the begin is kept."""


def conversation_of(task: Task, client: Client | None) -> str:
    """Return what tells the conversation of an inference from all others; `client` is None where a link asks."""
    if named := task.setup.get("conversation"):
        short = sha256(repr(named).encode(errors="replace")).hexdigest()  # clients choose names of any length
        return f"{task.owner.door} {task.grant_name} {short}"
    return f"{task.work_id} {client.party if client is not None else ''}"


class Conversations:
    """The last turn of each conversation that uses the board's own tools."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, Turn] = OrderedDict()
        self._answers: OrderedDict[str, str] = OrderedDict()

    def last(self, conversation: str) -> Turn | None:
        """Return the last turn of a conversation, or None."""
        return self._turns.get(conversation)

    def keep(self, conversation: str, turn: Turn) -> None:
        """Remember a turn, which may still go on, as the last one."""
        self._turns[conversation] = turn
        self._turns.move_to_end(conversation)
        if len(self._turns) > MOST_CONVERSATIONS:
            self._turns.popitem(last=False)

    def last_answer(self, conversation: str) -> str:
        """Return what was answered last in a conversation; "" if there is nothing."""
        return self._answers.get(conversation, "")

    def keep_answer(self, conversation: str, words: str) -> None:
        """Remember the answer of a conversation."""
        self._answers[conversation] = words.strip()[:MOST_CHARACTERS]
        self._answers.move_to_end(conversation)
        if len(self._answers) > MOST_CONVERSATIONS:
            self._answers.popitem(last=False)
