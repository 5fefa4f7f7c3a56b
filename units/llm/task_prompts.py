"""The tokens of what a task is asked: its system prompt, the conversation, and the question."""

from collections.abc import Callable, Sequence
from functools import partial

from units.base import UnitFault
from units.llm.messages import Message
from units.llm.options import LlmOptions
from units.llm.prompt import PromptMaker, too_long, unfinished
from units.llm.task import LlmTask, conversation
from units.llm.vision.picture import Picture
from units.setup_values import refusal


class TaskPrompts:
    """The prompts of all tasks of one model, which was trained on texts of `trained_tokens`."""

    def __init__(
        self,
        prompts: PromptMaker,
        trained_tokens: int,
        warn: Callable[[str], None],
        show: Callable[[str, Picture], Sequence[int]],
    ) -> None:
        """`show` returns the tokens of an owner's picture."""
        self._show = show
        self._prompts = prompts
        self._trained_tokens = trained_tokens
        self._warn = warn

    def checked(self, task: LlmTask) -> list[int]:
        """Return the tokens of a system prompt; raise UnitFault when no question fits, or the template fails."""
        try:
            prompt = self._make(task, task.options, conversation(task.options.system_prompt, [], None), asks=False)
        except UnitFault as fault:
            raise refusal(str(fault)) from fault
        tokens = len(prompt)
        if tokens >= task.options.context:
            raise refusal(f"prompt is {tokens} tokens, the context holds {task.options.context}")
        return prompt

    def beginning(self, task: LlmTask, options: LlmOptions) -> list[int]:
        """Return what the next prompt will begin with; empty without a system prompt and a conversation."""
        messages = options.messages or conversation(options.system_prompt, task.history, None)
        prompt = self._make(task, options, messages, asks=False)
        size = min(len(prompt), options.context - 1)
        while size < len(prompt) and size and prompt[size - 1] < 0:
            size -= 1  # half a picture is none
        return prompt[:size]

    def of_question(self, task: LlmTask, options: LlmOptions, text: str) -> list[int]:
        """Return the tokens of the conversation with this question.

        A conversation that the client keeps is not shortened: it would not know.

        Raises:
            UnitFault: the context does not hold them.
        """
        if options.is_raw:
            prompt = self._prompts.make_raw(text, options.context)
        elif options.messages is not None:
            prompt = self._make(task, options, options.messages)
        else:
            prompt = self._with_history(task, options, text)
        if len(prompt) >= options.context:
            raise too_long(len(prompt), options.context, sum(token < 0 for token in prompt))
        if len(prompt) > self._trained_tokens and not task.is_warned:
            task.is_warned = True
            words = f"a prompt of {len(prompt)} tokens, the model was trained on {self._trained_tokens}"
            self._warn(f"{task.work_id}: {words}; its answers may make no sense")
        return prompt

    def until(self, task: LlmTask, options: LlmOptions, text: str) -> list[int]:
        """Return the tokens of the conversation up to these words of the person, who may go on.

        Raises:
            UnitFault: the context does not hold them.
        """
        messages = [*(options.messages or ()), *conversation("", [], text)]
        if options.messages is None:
            messages = conversation(options.system_prompt, task.history, text)
        prompt = self._make(task, options, unfinished(messages), asks=False)
        if len(prompt) >= options.context:
            raise too_long(len(prompt), options.context)
        return prompt

    def _with_history(self, task: LlmTask, options: LlmOptions, text: str) -> list[int]:
        """Drop the oldest turns, whole, until an answer fits after the prompt.

        Beyond what the model was trained on it would remember more and say less, so the history ends there.
        """
        most = min(options.context, self._trained_tokens)
        wanted = most - min(options.max_tokens, most // 2)
        for forgotten in range(len(task.history) + 1):
            messages = conversation(options.system_prompt, task.history[forgotten:], text, options.images)
            prompt = self._make(task, options, messages)
            if len(prompt) <= wanted:
                break
        if len(prompt) < options.context:
            del task.history[:forgotten]
        return prompt

    def _make(self, task: LlmTask, options: LlmOptions, messages: Sequence[Message], *, asks: bool = True) -> list[int]:
        return self._prompts.make(
            messages,
            context=options.context,
            thinks=options.thinks,
            asks=asks,
            tools=options.tools,
            show=partial(self._show, task.owner),
        )
