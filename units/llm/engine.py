"""The batching engine: several sequences over one copy of the weights, one small step at a time.

Theory of operation. A `Generation` is a growing list of tokens; a `Slot` is one sequence of the KV cache and knows
which tokens it holds. Tokens that a generation has and its slot has not are missing: the whole prompt at first, one
token while it speaks. A step computes one batch of all speakers (one token each) and one chunk of one reader's prompt,
so that a long prompt never stalls another stream. A slot keeps its tokens when its generation ends: the next prompt of
that task reuses the longest common beginning.

Adapters (LoRA) belong to the whole context while it computes, so speakers with other adapters have a batch of their own
in each step.

A held generation (pause) stays where it is. `slots` has the rules by which slots change hands, `shares` those by which
a generation gives its slot up for another one. It comes back later and continues its text without any difference.

Pictures are encoded elsewhere (`vision`). Their embeddings are read in batches of their own, as a prompt's chunks are.
A generation whose next tokens are of a picture that is not encoded yet rests: it computes nothing, and others may have
its slot.

A cut (cancel, exit) arrives in another thread: it rings the alarm if the task is part of the running batch, llama.cpp
gives up between two graph nodes, and the step takes back whatever part of the batch is in the cache. The other
sequences of that batch are computed again in the next step.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from units.llm.context import Alarm, Context, Entry, Rows
from units.llm.gbnf import DeadEnd
from units.llm.llama import Blend, Model
from units.llm.pace import Pace
from units.llm.policy import ends_sentence
from units.llm.sequence import Generation
from units.llm.shares import Shares
from units.llm.slots import Slots
from units.llm.vision.layout import Place

if TYPE_CHECKING:
    from units.llm.vision.vision import Vision

# Measured with Q4_0 and Q8_0 weights: kernels for fewer tokens round differently, so in exact mode no chunk is
# smaller and as many tokens of a reused beginning are computed again.
SMALLEST_EXACT_CHUNK = 8


# The rules of turns are not applied with each token of a small model.
LOOK_SECONDS = 0.05
# While a grammar is slow and nothing else is to do, messages are looked for so often.
THINKING_SECONDS = 0.02

# A sentence's end with its closing quotes and brackets is shorter.
RECENT_CHARACTERS = 32


class Engine:
    """All generations of one model. One thread calls everything but `cut`."""

    def __init__(
        self,
        model: Model,
        context: Context,
        alarm: Alarm,
        *,
        slots: int,
        is_exact: bool,
        on_spoken: Callable[[], None] = lambda: None,
        pictures: "Vision | None" = None,
    ) -> None:
        """`on_spoken` is called when all speakers have said their token, before a prompt is read."""
        self._model = model
        self._context = context
        self._alarm = alarm
        self._on_spoken = on_spoken
        self._pictures = pictures
        self._recomputed = SMALLEST_EXACT_CHUNK if is_exact else 1
        self._slots = Slots(context, slots, self._recomputed, is_exact=is_exact)
        self._pace = Pace(SMALLEST_EXACT_CHUNK)
        self._generations: list[Generation] = []
        self._in_batch: frozenset[str] = frozenset()
        self._cut: set[str] = set()
        self._next_look = 0.0
        self._reads = 0

    @property
    def is_busy(self) -> bool:
        """Return True while there is something to compute."""
        return any(not generation.is_resting for generation in self._generations)

    def start(self, generation: Generation) -> None:
        """Take a generation; it gets a slot when one is free."""
        self._generations.append(generation)
        self._next_look = 0.0

    def end(self, generation: Generation, reason: str, error: str = "") -> None:
        """End a generation and tell its listener; do nothing if it is over."""
        if generation not in self._generations:
            return
        self._generations.remove(generation)
        self._slots.leave(generation)
        if self._pictures is not None:
            self._pictures.forget(generation)
        generation.sampler.close()
        if rest := generation.text.finish():
            generation.listener.on_text(generation, rest)
        generation.listener.on_end(generation, reason, error)

    def has_room(self) -> bool:
        """Return True while a slot is empty, so that reading ahead takes nothing from others."""
        return self._slots.has_empty()

    def state_of(self, generation: Generation) -> bytearray:
        """Return the cache of a generation that has a slot."""
        assert generation.slot is not None
        return self._context.save(generation.slot.index)

    def release(self, task: str) -> None:
        """Free the cache of a task that is gone."""
        self._cut.discard(task)
        self._slots.release(task)

    # Interrupts

    def cut(self, task: str) -> None:
        """Cut a batch that holds this task short; called in the reader thread."""
        self._cut.add(task)
        if task in self._in_batch:
            self._alarm.ring()

    def cut_handled(self, task: str) -> None:
        """Forget a cut whose message has been handled."""
        self._cut.discard(task)

    # Steps

    def step(self) -> None:
        """Compute one batch of all speakers, then a chunk of one prompt."""
        if waiting := [each for each in self._generations if each.slot is None and not each.is_resting]:
            self._place(waiting)
        active = self._active()
        speakers = [each for each in active if each.is_speaking]
        if speakers:
            self._speak(speakers)
            self._on_spoken()
        self._choose_on(has_company=bool(speakers))
        readers = [each for each in active if each in self._generations and each.missing and not each.is_speaking]
        if readers:
            self._read(self._next_reader(readers), has_company=bool(speakers))

    def _active(self) -> list[Generation]:
        return [each for each in self._generations if each.slot is not None and not each.is_resting]

    def _place(self, waiting: list[Generation]) -> None:
        """Give away free slots; else, now and then, a slot whose holder has had it long enough."""
        while waiting and self._slots.has_free():
            line = self._shares()
            first = min(waiting, key=line.place_in_line)
            self._slots.place(first)
            self._want_pictures(first)
            waiting.remove(first)
        now = time.monotonic()
        if not waiting or now < self._next_look:
            return
        self._next_look = now + LOOK_SECONDS
        shares = self._shares()
        for generation in sorted(waiting, key=shares.place_in_line):
            if (giver := shares.maybe_giver(generation, self._slots.can_rotate)) is not None:
                self._slots.hand_over(giver, generation)
                self._want_pictures(generation)
                return

    def _shares(self) -> Shares:
        return Shares(self._active())

    def _choose_on(self, *, has_company: bool) -> None:
        """Continue choices that wait for a grammar."""
        patience = 0.0 if has_company else THINKING_SECONDS
        for generation in [each for each in self._active() if each.sampler.is_choosing]:
            self._take(generation, partial(generation.sampler.go_on, patience))

    def _speak(self, speakers: Sequence[Generation]) -> None:
        """Compute the next token of every speaker."""
        seconds = 0.0
        for group in _batches(speakers, self._context.batch_size):
            began = time.monotonic()
            if self._compute([(each, 1) for each in group]):
                seconds += time.monotonic() - began
                for row, generation in enumerate(group):
                    if not generation.missing:  # else the token was said before
                        self._say_next(generation, row)
        if seconds:
            self._pace.note_step(seconds)

    def _next_reader(self, readers: Sequence[Generation]) -> Generation:
        """Return the most urgent reader; by turns the one with least to read and the one that has waited longest.

        So a short question is soon read beside long texts, and many short ones do not keep a long text waiting.
        """
        self._reads += 1
        is_shortest_next = self._reads % 2
        return min(readers, key=lambda each: (-each.priority, each.unread if is_shortest_next else each.last_step))

    def _read(self, reader: Generation, *, has_company: bool) -> None:
        """Read a chunk of a prompt; after the last chunk comes the first token."""
        assert reader.slot is not None
        reader.last_step = began = time.monotonic()
        largest = self._context.batch_size
        start = len(reader.slot.tokens)
        run, place = reader.layout.run_end(start, start + reader.unread) - start, reader.layout.at(start)
        budget = self._pace.chunk(largest) if has_company else self._pace.chunk_alone(run, largest)
        size = run if place is not None and not place.shown.slice.is_causal else self._chunk_size(run, budget)
        if not (self._compute([(reader, size)]) if place is None else self._look(reader, place, size)):
            return
        self._pace.note_read(time.monotonic() - began, size, has_company=has_company)
        if reader.missing == 0 and reader.max_tokens:
            if not reader.generated:
                reader.listener.on_read(reader)
            self._say_next(reader, size - 1)
        elif reader.missing == 0:
            self.end(reader, "stop")

    def _chunk_size(self, missing: int, budget: int) -> int:
        """Return at most `budget`, but never so that less than the smallest chunk is read or left over."""
        if missing <= budget or missing < 2 * self._recomputed:
            return missing
        return min(budget, missing - self._recomputed)

    def _compute(self, parts: Sequence[tuple[Generation, int]]) -> bool:
        """Decode the next `count` missing tokens of each; return False when that was cut short or failed."""
        entries: list[Entry] = []
        for generation, count in parts:
            assert generation.slot is not None
            start = len(generation.slot.tokens)
            position = generation.layout.position(start)
            wants_logits = generation.missing == count
            entries += [
                Entry(token, position + at, generation.slot.index, wants_logits and at == count - 1)
                for at, token in enumerate(generation.tokens[start : start + count])
            ]
        return self._run(parts, lambda: self._context.decode(entries))

    def _run(self, parts: Sequence[tuple[Generation, int]], decode: Callable[[], bool]) -> bool:
        """Decode a batch that holds the next `count` tokens of each; return as `_compute` does."""
        self._in_batch = frozenset(generation.task for generation, _ in parts)
        self._context.leaves_core = self._pictures is not None and self._pictures.is_encoding
        try:
            self._context.use(parts[0][0].blend)
            is_done = not (self._in_batch & self._cut) and decode()
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

    # Pictures

    def _want_pictures(self, generation: Generation) -> None:
        """Have the pictures encoded that are not in the cache."""
        if self._pictures is not None and generation.slot is not None and generation.layout.places:
            missing = generation.layout.missing_from(len(generation.slot.tokens))
            self._pictures.want(generation, [each.key for each in missing])

    def _look(self, reader: Generation, place: Place, size: int) -> bool:
        """Decode embeddings of a picture, or rest until they are there; return as `_compute` does."""
        assert reader.slot is not None and self._pictures is not None
        self._want_pictures(reader)
        if (rows := self._pictures.rows(place.shown.key)) is None:
            reader.is_awaiting = True
            return False
        start = len(reader.slot.tokens) - place.start
        batch = Rows(
            values=rows[place.shown.row + start :][:size],
            positions=place.positions(start, size),
            sequence=reader.slot.index,
            wants_logits=reader.missing == size,
            is_causal=place.shown.slice.is_causal,
        )
        return self._run([(reader, size)], lambda: self._context.decode_rows(batch))

    def encoded(self, key: bytes, words: str) -> None:
        """Go on with a picture that is encoded; end the answers that need it, where `words` say why it cannot be."""
        for generation in list(self._generations):
            if words and key in generation.wanted_pictures:
                self.end(generation, "error", f"{generation.wanted_pictures[key].where} cannot be read: {words}")
            elif generation.is_awaiting:
                generation.is_awaiting, generation.waits_since = False, time.monotonic()

    def _take_back(self, parts: Sequence[tuple[Generation, int]]) -> None:
        """Make the cache agree with the slots."""
        for generation, _ in parts:
            assert generation.slot is not None
            self._slots.shorten(generation.slot, len(generation.slot.tokens))

    def _say_next(self, generation: Generation, row: int) -> None:
        """Sample one token and say it, or end; after a sentence's end only look at it."""
        if not generation.sampler.is_choosing:  # else it lost its slot meanwhile, and this was computed once more
            self._take(generation, partial(generation.sampler.sample, self._context, row))

    def _take(self, generation: Generation, choose: Callable[[], int | None]) -> None:
        """Say the chosen token; do nothing while the choice goes on."""
        try:
            token = choose()
        except DeadEnd as error:
            self.end(generation, "error", str(error))
            return
        if token is None:
            return
        if self._model.ends_answer(token):
            generation.stop_word = self._model.turn_end(token)
            self.end(generation, "sentence_boundary_eos" if generation.is_at_boundary else "stop")
        elif generation.is_at_boundary:
            generation.ahead = token
            self._hold(generation, "sentence_boundary")
        else:
            self._say(generation, token)

    def _say(self, generation: Generation, token: int) -> None:
        """Say one more token of the answer; it may be the last one, or the last one for now."""
        generation.tokens.append(token)
        generation.chunk_tokens += 1
        if text := generation.text.feed(self._model.piece(token)):
            generation.recent = (generation.recent + text)[-RECENT_CHARACTERS:]
            generation.listener.on_text(generation, text)
        if generation.text.stop_word:
            generation.stop_word = generation.text.stop_word
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
        """Go on; a token that was looked at in advance opens the next chunk."""
        generation.is_held, generation.is_at_boundary, generation.chunk_tokens = False, False, 0
        generation.waits_since, generation.is_returning = time.monotonic(), False  # for one that has no slot any more
        generation.recent = ""  # a sentence that ended the last chunk does not end this one
        if generation.ahead is not None:
            token, generation.ahead = generation.ahead, None
            self._say(generation, token)


def _batches(speakers: Sequence[Generation], largest: int) -> Iterator[Sequence[Generation]]:
    """Return groups that can be computed together: speakers with the same adapters, at most `largest` of them.

    They are in the order of their slots: llama.cpp is quick only with neighbouring sequences.
    """
    alike: dict[Blend, list[Generation]] = {}
    for speaker in sorted(speakers, key=lambda each: each.slot.index if each.slot else 0):
        alike.setdefault(speaker.blend, []).append(speaker)
    for group in alike.values():
        for start in range(0, len(group), largest):
            yield group[start : start + largest]
