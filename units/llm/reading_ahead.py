"""Prompts that are read before a question comes: system prompts and conversations, from a snapshot if there is one."""

import time
from collections.abc import Callable
from typing import NamedTuple

from unitd.wire.envelope import Envelope
from units.llm.engine import Engine
from units.llm.sequence import Generation
from units.llm.snapshots import Snapshots, name_of
from units.llm.task import LlmTask

READING_AHEAD = -1
"""The priority of a prompt that no question waits for."""

# A system prompt that is read faster than this need not wear out a memory card.
WORTH_KEEPING_SECONDS = 0.1


class _Read(NamedTuple):
    asked: Envelope | None
    """The message that is answered when the prompt is read."""

    is_conversation: bool
    """True when the prompt holds what was said."""


class ReadingAhead:
    """The generations that only read."""

    def __init__(self, engine: Engine, snapshots: Snapshots | None, answer: Callable[[Envelope], None]) -> None:
        self._engine = engine
        self._snapshots = snapshots
        self._answer = answer
        self._reads: dict[Generation, _Read] = {}

    def __contains__(self, generation: Generation) -> bool:
        return generation in self._reads

    def add(self, generation: Generation, asked: Envelope | None, *, is_conversation: bool) -> None:
        """Take a generation that has just been started; its state may be in a snapshot."""
        if self._snapshots is not None and not generation.wanted_pictures:
            state = self._snapshots.load(generation.prompt, name_of(generation))
            generation.saved = None if state is None else (state, generation.prompt)
        self._reads[generation] = _Read(asked, is_conversation)

    def stop(self, task: LlmTask) -> None:
        """Stop for a question, which is more urgent; what has been read stays in the slot."""
        if task.generation in self._reads:
            self._engine.end(task.generation, "interrupted")

    def end(self, generation: Generation, reason: str) -> None:
        """Keep a system prompt that took long to read; what was said in a conversation never goes to the disk."""
        asked, is_conversation = self._reads.pop(generation)
        is_slow = time.monotonic() - generation.began > WORTH_KEEPING_SECONDS
        if self._snapshots is not None and reason == "stop" and is_slow and not is_conversation:
            self._snapshots.store(generation.prompt, self._engine.state_of(generation), name_of(generation))
        if asked is not None:
            self._answer(asked)
