"""The batching engine: several sequences over one copy of the weights, one small step at a time.

Theory of operation. A `Generation` is a growing list of tokens; a `Slot` is one sequence of the KV cache and knows
which tokens it holds. What a generation has and its slot has not is missing: the whole prompt at first, one token
while it speaks. A step computes one batch of all speakers (one token each) and one chunk of one reader's prompt, so
that a long prompt never stalls somebody's stream. A slot keeps its tokens when its generation ends: the next prompt of
that task reuses the longest common beginning.

A held generation (pause) stays where it is. If its slot is needed, the cache is saved and comes back bit for bit.

A cut (cancel, exit) arrives in another thread: it rings the alarm if the task is part of the running batch, llama.cpp
gives up between two graph nodes, and the step takes back whatever part of the batch is in the cache. The other
sequences of that batch are computed again in the next step.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from units.llm.llama import Alarm, Context, Entry, Model
from units.llm.policy import NEVER, PausePolicy, ends_sentence
from units.llm.sampling import Sampler
from units.llm.text import TextStream

# What a prompt may take between two tokens of somebody's stream: about the time of two decode steps.
CHUNK_IN_COMPANY = 64
# Measured with Q4_0 and Q8_0 weights: kernels for fewer tokens round differently, so in exact mode no chunk is
# smaller and as many tokens of a reused beginning are computed again.
SMALLEST_EXACT_CHUNK = 8


# A sentence's end with its closing quotes and brackets is shorter.
RECENT_CHARACTERS = 32


class Listener(Protocol):
    """Who hears what a generation says."""

    def on_text(self, generation: "Generation", text: str) -> None:
        """More of the answer."""

    def on_pause(self, generation: "Generation", reason: str) -> None:
        """It stopped by its policy: max_tokens or sentence_boundary."""

    def on_end(self, generation: "Generation", reason: str, error: str = "") -> None:
        """The one end: stop, length, sentence_boundary_eos, interrupted or error."""


@dataclass(eq=False)
class Slot:
    """One sequence of the KV cache; `tokens` are in it, in order from position 0."""

    index: int
    tokens: list[int] = field(default_factory=list)
    task: str = ""
    last_used: float = 0.0
    generation: "Generation | None" = None


@dataclass(eq=False)
class Generation:
    """One answer on its way. `max_tokens` 0 only warms the cache."""

    task: str
    prompt: list[int]
    max_tokens: int
    context: int
    sampler: Sampler
    text: TextStream
    listener: Listener
    policy: PausePolicy = NEVER
    number: int = 0
    tokens: list[int] = field(default_factory=list)
    chunk_tokens: int = 0
    """Tokens said since the start or the last pause."""

    recent: str = ""
    """The end of the text, as far as a sentence's end can be told from it."""

    is_at_boundary: bool = False
    ahead: int | None = None
    """A token that was sampled to see whether anything follows, and not said yet."""

    slot: Slot | None = None
    is_held: bool = False
    saved: tuple[bytes, list[int]] | None = None
    last_step: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)

    @property
    def generated(self) -> int:
        """Tokens said so far."""
        return len(self.tokens) - len(self.prompt)

    @property
    def missing(self) -> int:
        """Tokens that the cache has not seen."""
        return len(self.tokens) - (len(self.slot.tokens) if self.slot else 0)

    @property
    def is_speaking(self) -> bool:
        """True when the next step is one token."""
        return self.slot is not None and self.generated > 0 and self.missing == 1


class Engine:
    """All generations of one model. One thread calls everything but `cut`."""

    def __init__(self, model: Model, context: Context, alarm: Alarm, *, slots: int, is_exact: bool) -> None:
        self._model = model
        self._context = context
        self._alarm = alarm
        self._slots = [Slot(index) for index in range(slots)]
        self._generations: list[Generation] = []
        self._recomputed = SMALLEST_EXACT_CHUNK if is_exact else 1
        self._in_batch: frozenset[str] = frozenset()
        self._cut: set[str] = set()

    @property
    def is_busy(self) -> bool:
        """True while some generation is not held."""
        return any(not generation.is_held for generation in self._generations)

    def start(self, generation: Generation) -> None:
        """Takes a generation in; it gets a slot when one is free."""
        self._generations.append(generation)

    def end(self, generation: Generation, reason: str, error: str = "") -> None:
        """Ends a generation and tells its listener; nothing happens to one that is over."""
        if generation not in self._generations:
            return
        self._generations.remove(generation)
        if generation.slot is not None:
            generation.slot.generation = None
            generation.slot.last_used = time.monotonic()
        generation.sampler.close()
        if rest := generation.text.finish():
            generation.listener.on_text(generation, rest)
        generation.listener.on_end(generation, reason, error)

    def release(self, task: str) -> None:
        """A task is gone: its cache is free for others."""
        self._cut.discard(task)
        for slot in self._slots:
            if slot.task == task and slot.generation is None:
                self._empty(slot)

    # Interrupts

    def cut(self, task: str) -> None:
        """From the reader thread: a batch that holds this task is not worth finishing."""
        self._cut.add(task)
        if task in self._in_batch:
            self._alarm.ring()

    def cut_handled(self, task: str) -> None:
        """The cut's message has been dealt with."""
        self._cut.discard(task)

    # Steps

    def step(self) -> None:
        """One batch of all speakers, then one chunk of the reader that waited longest."""
        self._place_waiting()
        active = [each for each in self._generations if each.slot is not None and not each.is_held]
        speakers = [each for each in active if each.is_speaking]
        if speakers:
            self._speak(speakers)
        readers = [each for each in active if each in self._generations and each.missing and not each.is_speaking]
        if readers:
            self._read(min(readers, key=lambda each: each.last_step), has_company=bool(speakers))

    def _speak(self, speakers: Sequence[Generation]) -> None:
        """The next token of every speaker."""
        for start in range(0, len(speakers), self._context.batch_size):
            group = speakers[start : start + self._context.batch_size]
            if self._compute([(each, 1) for each in group]):
                for row, generation in enumerate(group):
                    self._say_next(generation, row)

    def _read(self, reader: Generation, *, has_company: bool) -> None:
        """A chunk of a prompt; the last one is followed by the first token."""
        reader.last_step = time.monotonic()
        size = self._chunk_size(reader.missing, CHUNK_IN_COMPANY if has_company else self._context.batch_size)
        if not self._compute([(reader, size)]):
            return
        if reader.missing == 0 and reader.max_tokens:
            self._say_next(reader, size - 1)
        elif reader.missing == 0:
            self.end(reader, "stop")

    def _chunk_size(self, missing: int, budget: int) -> int:
        """At most `budget`, and never so that less than the smallest chunk is left over."""
        if missing <= budget:
            return missing
        return min(budget, max(missing - self._recomputed, self._recomputed))

    def _compute(self, parts: Sequence[tuple[Generation, int]]) -> bool:
        """Decodes the next `count` missing tokens of each; False when cut short or failed, and taken back."""
        entries: list[Entry] = []
        for generation, count in parts:
            assert generation.slot is not None
            start = len(generation.slot.tokens)
            wants_logits = generation.missing == count
            entries += [
                Entry(token, start + at, generation.slot.index, wants_logits and at == count - 1)
                for at, token in enumerate(generation.tokens[start : start + count])
            ]
        self._in_batch = frozenset(generation.task for generation, _ in parts)
        try:
            is_done = not (self._in_batch & self._cut) and self._context.decode(entries)
        except RuntimeError as error:
            self._take_back(parts)
            for generation, _ in parts:
                self.end(generation, "error", str(error))
            return False
        finally:
            self._in_batch = frozenset()
        if not is_done:
            self._take_back(parts)
            return False
        for generation, count in parts:
            assert generation.slot is not None
            start = len(generation.slot.tokens)
            generation.slot.tokens += generation.tokens[start : start + count]
        return True

    def _take_back(self, parts: Sequence[tuple[Generation, int]]) -> None:
        """Makes the cache what the slots say it is."""
        for generation, _ in parts:
            assert generation.slot is not None
            self._shorten(generation.slot, len(generation.slot.tokens))

    def _say_next(self, generation: Generation, row: int) -> None:
        """Samples one token and says it, or ends; behind a sentence's end it is only looked at."""
        token = generation.sampler.sample(self._context, row)
        if self._model.ends_answer(token):
            self.end(generation, "sentence_boundary_eos" if generation.is_at_boundary else "stop")
        elif generation.is_at_boundary:
            generation.ahead = token
            self._hold(generation, "sentence_boundary")
        else:
            self._say(generation, token)

    def _say(self, generation: Generation, token: int) -> None:
        """One more token of the answer; it may be the last one, or the last one for now."""
        generation.tokens.append(token)
        generation.chunk_tokens += 1
        if text := generation.text.feed(self._model.piece(token)):
            generation.recent = (generation.recent + text)[-RECENT_CHARACTERS:]
            generation.listener.on_text(generation, text)
        if generation.text.is_stopped:
            self.end(generation, "stop")
        elif generation.generated >= generation.max_tokens or len(generation.tokens) >= generation.context:
            self.end(generation, "length")
        elif generation.chunk_tokens == generation.policy.max_tokens:
            self._hold(generation, "max_tokens")
        elif generation.policy.sentence_boundary:
            generation.is_at_boundary = ends_sentence(generation.recent)

    # Pauses

    def _hold(self, generation: Generation, reason: str) -> None:
        generation.is_held = True
        generation.listener.on_pause(generation, reason)

    def resume(self, generation: Generation) -> None:
        """Goes on; a token that was looked at in advance opens the next chunk."""
        generation.is_held, generation.is_at_boundary, generation.chunk_tokens = False, False, 0
        if generation.ahead is not None:
            token, generation.ahead = generation.ahead, None
            self._say(generation, token)

    # Slots

    def _place_waiting(self) -> None:
        """Gives slots to generations that want to run and have none, in their order."""
        for generation in self._generations:
            if generation.slot is None and not generation.is_held:
                slot = self._find_slot(generation)
                if slot is None:
                    return
                self._place(generation, slot)

    def _find_slot(self, generation: Generation) -> Slot | None:
        """The task's own slot, else an empty one, else the one unused for longest, else that of a held generation."""
        idle = [slot for slot in self._slots if slot.generation is None]
        if idle:
            return max(idle, key=lambda slot: (slot.task == generation.task, not slot.tokens, -slot.last_used))
        held = [slot for slot in self._slots if slot.generation is not None and slot.generation.is_held]
        if not held:
            return None
        slot = min(held, key=lambda slot: slot.last_used)
        self._save(slot)
        return slot

    def _save(self, slot: Slot) -> None:
        """Moves a held generation's cache out of its slot."""
        assert slot.generation is not None
        slot.generation.saved = (self._context.save(slot.index), slot.tokens)
        slot.generation.slot = None
        self._empty(slot)

    def _place(self, generation: Generation, slot: Slot) -> None:
        """Puts a generation into a slot, keeping whatever of the slot's tokens it begins with."""
        if generation.saved is not None:
            state, tokens = generation.saved
            self._empty(slot)
            self._context.restore(slot.index, state)
            slot.tokens, generation.saved = tokens, None
        else:
            reusable = len(generation.tokens) - self._recomputed
            self._shorten(slot, max(0, min(_common_length(slot.tokens, generation.tokens), reusable)))
        slot.task, slot.generation, slot.last_used = generation.task, generation, time.monotonic()
        generation.slot = slot

    def _shorten(self, slot: Slot, length: int) -> None:
        if not self._context.forget(slot.index, length):
            length = 0
            self._context.forget(slot.index)
        del slot.tokens[length:]

    def _empty(self, slot: Slot) -> None:
        self._context.forget(slot.index)
        slot.tokens, slot.task, slot.generation = [], "", None


def _common_length(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two sequences begin with in common."""
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return at
    return min(len(first), len(second))
