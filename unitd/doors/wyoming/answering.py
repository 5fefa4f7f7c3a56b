"""What somebody said gets an answer by the llm unit; conversations go on where Home Assistant says that they do."""

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


class Assistant:
    """Answers as the configuration says; where the board has tools of its own the model may use them."""

    def __init__(self, system_prompt: str, home: HomeSettings) -> None:
        self._system = [{"role": "system", "content": system_prompt}] if system_prompt else []
        self._tools = home_tools(home)
        self._memory = Memory()

    @property
    def switches_things(self) -> bool:
        """Whether an answer may do something."""
        return bool(self._tools)

    async def answer(self, local_client: LocalClient, question: str, context: Any) -> AsyncIterator[str]:
        """The answer, as it is written.

        Raises:
            UnitdError: the model does not load, the question does not fit.
        """
        conversation = context.get("conversation_id") if isinstance(context, dict) else None
        before = self._memory.recall(conversation)
        messages = [*self._system, *before, {"role": "user", "content": question}]
        talk = await ChatSession.open(local_client, messages=messages, **(self._tools or {"tools": AUTO}))
        said = []
        try:
            async for event in talk.ask(question):
                if isinstance(event, Said):
                    said.append(event.text)
                    yield event.text
        finally:
            talk.close()
        self._memory.keep(conversation, question, "".join(said))
