"""Answers of the llm unit; Home Assistant names the conversation to continue."""

from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

from unitd.core.config.schema import HomeSettings
from unitd.doors.chat_session import ChatSession, Said, home_tools
from unitd.doors.local_client import LocalClient
from unitd.runtime.tasks.tool_loop import AUTO

Messages = list[dict[str, str]]

REMEMBERED_CONVERSATIONS = 64
REMEMBERED_MESSAGES = 20
"""Ten turns, which fit in a small model's context."""


class Memory:
    """The messages of each conversation, by Home Assistant's id; the oldest conversations are forgotten."""

    def __init__(self) -> None:
        self._conversations: OrderedDict[str, Messages] = OrderedDict()

    def recall(self, conversation: str | None) -> Messages:
        """Return the messages of a conversation so far; [] for a new one."""
        return list(self._conversations.get(conversation or "", ()))

    def keep(self, conversation: str | None, question: str, answer: str) -> None:
        """Add a turn to a conversation; without an id nothing is kept."""
        if not conversation:
            return
        turn = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        messages = [*self._conversations.pop(conversation, ()), *turn]
        self._conversations[conversation] = messages[-REMEMBERED_MESSAGES:]
        if len(self._conversations) > REMEMBERED_CONVERSATIONS:
            self._conversations.popitem(last=False)


class Assistant:
    """The assistant of the configuration; its model may use the board's own tools."""

    def __init__(self, system_prompt: str, home: HomeSettings) -> None:
        self._system = [{"role": "system", "content": system_prompt}] if system_prompt else []
        self._tools = home_tools(home)
        self._memory = Memory()

    @property
    def switches_things(self) -> bool:
        """Return True when answers may use tools."""
        return bool(self._tools)

    async def answer(self, local_client: LocalClient, question: str, context: Any) -> AsyncIterator[str]:
        """Yield the answer while it is generated.

        Raises:
            UnitdError: the model does not load, the question does not fit.
        """
        conversation = context.get("conversation_id") if isinstance(context, dict) else None
        before = self._memory.recall(conversation)
        messages = [*self._system, *before, {"role": "user", "content": question}]
        tools = self._tools or {"tools": AUTO}
        session = await ChatSession.open(local_client, messages=messages, conversation=conversation, **tools)
        said = []
        try:
            async for event in session.ask(question):
                if isinstance(event, Said):
                    said.append(event.text)
                    yield event.text
        finally:
            session.close()
        self._memory.keep(conversation, question, "".join(said))
