"""What somebody said gets an answer by the llm unit; conversations go on where Home Assistant says that they do."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

from unitd.doors.conversation import Conversation, Said
from unitd.doors.guest import Guest

Messages = list[dict[str, str]]

REMEMBERED_CONVERSATIONS = 64
REMEMBERED_MESSAGES = 20
"""Ten turns: what a small model's context holds."""


class Memory:
    """What was said in each conversation, by Home Assistant's id for it; the oldest are forgotten."""

    def __init__(self) -> None:
        self._conversations: OrderedDict[str, Messages] = OrderedDict()

    def recall(self, conversation: str | None) -> Messages:
        """What was said so far."""
        return list(self._conversations.get(conversation or "", ()))

    def keep(self, conversation: str | None, question: str, answer: str) -> None:
        """One more turn; without an id nothing is kept."""
        if not conversation:
            return
        turn = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        messages = [*self._conversations.pop(conversation, ()), *turn]
        self._conversations[conversation] = messages[-REMEMBERED_MESSAGES:]
        if len(self._conversations) > REMEMBERED_CONVERSATIONS:
            self._conversations.popitem(last=False)


async def answer(guest: Guest, memory: Memory, system: str, question: str, context: Any) -> AsyncIterator[str]:
    """The answer, as it is written.

    Raises:
        UnitdError: the model does not load, the question does not fit.
    """
    conversation = context.get("conversation_id") if isinstance(context, dict) else None
    before = memory.recall(conversation)
    talk = await Conversation.open(guest)
    said = []
    try:
        messages = [*([{"role": "system", "content": system}] if system else []), *before]
        async for event in talk.answer([*messages, {"role": "user", "content": question}]):
            if isinstance(event, Said):
                said.append(event.text)
                yield event.text
    finally:
        talk.close()
    memory.keep(conversation, question, "".join(said))
