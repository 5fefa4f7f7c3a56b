"""The KV cache as a resource: which generation gets which slot, and how much of its tokens can be kept.

A task comes back to the slot it had, if that is idle; else it gets what an ended task left, if that begins like its
prompt (a client that sends its whole conversation with each question), else an empty slot, else the one unused for
longest, else that of a held generation, whose cache is saved to memory and comes back bit for bit. What a slot and a
prompt have in common at the beginning is not computed again. If another task's slot holds more of it (a shared system
prompt), its cache is copied. Tokens that were computed with other adapters have nothing in common, and neither have
those of another owner: only a beginning that is the board's own is shared with all. Otherwise the time to an answer
would tell what others have asked.

As many tokens are saved as one slot holds (`core.models.memory` counts them). What is beyond that is computed again; in
exact mode as it was before, the prompt in chunks and the answer token by token, so that no letter is different.

llama.cpp computes only neighbouring sequences together: four speakers in slots 0 to 3 take 29 ms for a token each, in
slots 0, 2, 4 and 6 they take 48 ms (0.5B, two x86 cores). So a generation that finds no useful slot gets one beside
those at work, and what that slot held moves to the slot that the generation would have had.
"""

import time
from collections.abc import Sequence

from units.llm.context import Context
from units.llm.sequence import Generation, Slot, common_length
from units.llm.vision.layout import TEXT_ONLY

# Copying the 2,500 tokens of a long conversation takes 4 ms with a 0.5B model: worth it from as many tokens as are read
# in that time, and some more because they are computed together.
SMALLEST_COPY = 16


class Slots:
    """All slots of one context. `recomputed` tokens of a reused beginning are always computed again."""

    def __init__(self, context: Context, count: int, recomputed: int, *, is_exact: bool) -> None:
        self._context = context
        self._is_exact = is_exact
        self._slots = [Slot(index) for index in range(count)]
        self._recomputed = recomputed
        self._saved: dict[Generation, int] = {}
        """The number of saved tokens of each waiting generation."""

    def place(self, generation: Generation) -> bool:
        """Give a generation a slot; return False when all are busy."""
        slot = self._choose(generation)
        if slot is None:
            return False
        if generation.saved is not None:
            self._restore(slot, generation)
        else:
            self._reuse(slot, generation)
        slot.task, slot.generation, slot.last_used = generation.task, generation, time.monotonic()
        slot.blend, slot.owner = generation.blend, generation.owner
        slot.public, slot.layout = max(slot.public, generation.public), generation.layout
        generation.slot, generation.turn_began = slot, slot.last_used
        return True

    def hand_over(self, giver: Generation, taker: Generation) -> None:
        """Give the slot of a generation at work to another one; the former waits for its return."""
        assert giver.slot is not None
        self._saved.pop(taker, None)  # what was saved of it gets its slot in a moment
        self._save(giver.slot)
        giver.is_returning, giver.waits_since = True, time.monotonic()
        self.place(taker)

    def can_rotate(self, taker: Generation) -> bool:
        """Return True when there is room to save all that is at work once this one has a slot.

        A single one that returned to others twice as long as itself would make them wait: attention takes as long for
        each sequence of a batch as for the longest.
        """
        at_work = sum(len(slot.tokens) for slot in self._slots if slot.generation is not None)
        return self._room_beside(taker) >= at_work

    def leave(self, generation: Generation) -> None:
        """Free the slot of an ended generation; its tokens stay for the next prompt of its task."""
        self._saved.pop(generation, None)
        if generation.slot is not None:
            generation.slot.generation = None
            generation.slot.last_used = time.monotonic()

    def release(self, task: str) -> None:
        """Free what an ended task left; it is still a good beginning for a prompt that says the same."""
        for slot in self._slots:
            if slot.task == task and slot.generation is None:
                slot.task = ""

    def shorten(self, slot: Slot, length: int) -> None:
        """Forget what comes after the first `length` tokens; everything, where the model cannot forget a part.

        Of a picture no part is kept.
        """
        length = slot.layout.cut(length, self._recomputed)
        if not self._context.forget(slot.index, slot.layout.position(length)):
            length = 0
            self._context.forget(slot.index)
        del slot.tokens[length:]
        slot.public = min(slot.public, length)

    def has_free(self) -> bool:
        """Return True while there is a slot without a generation at work."""
        return any(slot.generation is None or slot.generation.is_resting for slot in self._slots)

    def has_empty(self) -> bool:
        """Return True while there is a slot whose use costs no task anything."""
        return any(slot.generation is None and not slot.task for slot in self._slots)

    def _choose(self, generation: Generation) -> Slot | None:
        idle = [slot for slot in self._slots if slot.generation is None]
        if idle:
            slot = max(idle, key=lambda slot: _preference(slot, generation))
            return slot if _is_of_use(slot, generation) else self._beside_others(slot, idle, generation)
        held = [slot for slot in self._slots if slot.generation is not None and slot.generation.is_resting]
        if not held:
            return None
        slot = min(held, key=lambda slot: slot.last_used)
        self._save(slot)
        return slot

    def _beside_others(self, chosen: Slot, idle: Sequence[Slot], generation: Generation) -> Slot:
        """Return a slot beside generations at work with the same adapters; what it holds moves to `chosen`."""
        at_work = {
            slot.index
            for slot in self._slots
            if slot.generation is not None and not slot.generation.is_resting and slot.blend == generation.blend
        }

        def neighbours(slot: Slot) -> int:
            return len(at_work & {slot.index - 1, slot.index + 1})

        nearest = max(idle, key=lambda slot: (neighbours(slot), slot is chosen, -slot.last_used))
        if nearest is not chosen and nearest.tokens:
            self._move(nearest, chosen)
        return nearest

    def _move(self, source: Slot, target: Slot) -> None:
        self._empty(target)
        self._context.copy(source.index, target.index)
        target.tokens, target.task, target.last_used = source.tokens, source.task, source.last_used
        target.blend, target.owner, target.public = source.blend, source.owner, source.public
        target.layout = source.layout
        self._empty(source)

    def _reuse(self, slot: Slot, generation: Generation) -> None:
        """Keep, or copy from another slot, as much of the prompt as there is."""
        wanted = len(generation.prompt) if generation.is_relearning else len(generation.tokens)
        usable = max(0, wanted - self._recomputed)
        own = min(_in_common(slot, generation), usable)
        best = max(self._slots, key=lambda each: _in_common(each, generation))
        length = min(_in_common(best, generation), usable)
        if best is not slot and length >= own + SMALLEST_COPY:
            self._empty(slot)
            self._context.copy(best.index, slot.index)
            slot.tokens, slot.public, own = list(best.tokens), best.public, length
            slot.layout = best.layout
        self.shorten(slot, own)

    def _save(self, slot: Slot) -> None:
        """Move a generation's cache out of its slot, as far as there is room for it."""
        generation = slot.generation
        assert generation is not None
        if len(slot.tokens) > self._room_beside(generation):
            generation.is_relearning = self._is_exact
        else:
            generation.saved = (self._context.save(slot.index), slot.tokens)
            self._saved[generation] = len(slot.tokens)
        generation.slot = None
        self._empty(slot)

    def _room_beside(self, generation: Generation) -> int:
        """Return how many tokens can be saved besides what is saved of others."""
        taken = sum(self._saved.values()) - self._saved.get(generation, 0)
        return self._context.context - taken

    def _restore(self, slot: Slot, generation: Generation) -> None:
        assert generation.saved is not None
        state, tokens = generation.saved
        self._empty(slot)
        self._context.restore(slot.index, state)
        slot.tokens, slot.layout, generation.saved = list(tokens), generation.layout, None
        self._saved.pop(generation, None)
        if not generation.generated:
            self.shorten(slot, max(0, len(generation.tokens) - self._recomputed))

    def _empty(self, slot: Slot) -> None:
        self._context.forget(slot.index)
        slot.tokens, slot.task, slot.owner, slot.public, slot.generation = [], "", "", 0, None
        slot.layout = TEXT_ONLY


def _preference(slot: Slot, generation: Generation) -> tuple[bool, int, bool, bool, float]:
    """Rank a slot: its own, a similar beginning that an ended task left, one that no task needs, the oldest."""
    common = 0 if slot.task else _in_common(slot, generation)
    useful = common if common >= SMALLEST_COPY else 0
    return slot.task == generation.task, useful, not slot.tokens, not slot.task, -slot.last_used


def _is_of_use(slot: Slot, generation: Generation) -> bool:
    """Return True when the generation would lose something by taking another slot."""
    return slot.task == generation.task or _in_common(slot, generation) >= SMALLEST_COPY


def _in_common(slot: Slot, generation: Generation) -> int:
    """Return how many tokens a slot and a generation have in common, of those that its owner may know of."""
    if slot.blend != generation.blend:
        return 0
    common = common_length(slot.tokens, generation.tokens)
    return common if slot.owner == generation.owner else min(common, slot.public)
