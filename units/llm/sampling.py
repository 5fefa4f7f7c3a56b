"""The choice of the next token: llama.cpp's own samplers in one chain for each sequence, and a grammar beside it.

A grammar is checked the way llama.cpp's own programs do it: first the chain chooses freely, and only when the grammar
refuses that token are all candidates filtered and the choice made again. Most tokens of a well-written prompt fit, and
filtering a vocabulary of 150,000 tokens for each of them would cost more than the model.

Grammars answer from processes of their own (units.llm.grammars). A choice whose grammar does not answer at once goes on
in a later step, so that other answers do not wait.
"""

import os
from collections.abc import Generator
from functools import cached_property
from typing import Any

import llama_cpp
import numpy as np

from units.llm.context import Context
from units.llm.gbnf import Candidates, DeadEnd
from units.llm.grammars import Grammar, Grammars
from units.llm.llama import Model
from units.llm.options import SamplerSpec

# Most answers come within 0.1 ms, and those of a whole vocabulary within some more.
PATIENCE_SECONDS = 0.02

Logits = np.ndarray[Any, np.dtype[np.float32]]
Choosing = Generator[None, None, int]
"""A choice that returns the token, and yields while a grammar has not answered."""


class Sampler:
    """The choices of one sequence; penalties count what this answer has said."""

    def __init__(self, model: Model, grammars: Grammars, spec: SamplerSpec, compiled: Grammar | None = None) -> None:
        """Take the settings; a grammar must have been tried before, and may be `compiled`."""
        self._model = model
        self._grammars = grammars
        self._grammar = compiled
        if compiled is not None:
            compiled.is_in_use = True
        self._spec = spec
        self._has_grammar = bool(spec.grammar or spec.json_schema)
        self._is_asleep = bool(spec.wakes_at)
        self._wakes_at = spec.wakes_at.encode()
        self._recent = b""
        self._bias = spec.logit_bias
        self._is_greedy = spec.temperature <= 0 and not spec.has_penalties
        self._vocab_size = model.vocab_size
        self._choosing: Choosing | None = None
        self._patience = 0.0

    @cached_property
    def _chain(self) -> Any:
        """Return the chain, made when it is first needed: reading and the usual greedy answers need none."""
        chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for sampler in _samplers(self._model, self._spec):
            llama_cpp.llama_sampler_chain_add(chain, sampler)
        return chain

    @property
    def is_choosing(self) -> bool:
        """Return True while a choice waits for the grammar."""
        return self._choosing is not None

    def sample(self, context: Context, row: int) -> int | None:
        """Choose from the logits of one batch row, and remember the choice; return None when `go_on` must be called.

        Raises:
            DeadEnd: no token is allowed.
        """
        if not self._has_grammar:
            return self._sample_freely(context, row)
        self._choosing = self._choose(context, row)
        return self.go_on(PATIENCE_SECONDS)

    def go_on(self, patience: float) -> int | None:
        """Continue a choice; return None while the grammar has not answered. Raise DeadEnd if no token is allowed."""
        assert self._choosing is not None
        self._patience = patience
        try:
            next(self._choosing)
        except StopIteration as end:
            self._choosing = None
            return int(end.value)
        except BaseException:
            self._choosing = None
            raise
        return None

    def _choose(self, context: Context, row: int) -> Choosing:
        if not self._is_asleep:
            # A later step computes other logits in the same place.
            return (yield from self._choose_by_grammar(np.array(self._logits(context, row))))
        token = self._sample_freely(context, row)
        yield from self._listen(token)
        return token

    def _sample_freely(self, context: Context, row: int) -> int:
        if not self._is_greedy:
            return int(llama_cpp.llama_sampler_sample(self._chain, context.handle, row))
        # The same token as the chain's, without its table of candidates, which takes longer than the search.
        logits = self._logits(context, row)
        for token, bias in self._bias:
            logits[token] += bias
        return int(logits.argmax())

    def _listen(self, token: int) -> Generator[None, None, None]:
        """Obey the grammar from the mark on, unless the rest of the mark's last token is forbidden."""
        self._recent += self._model.piece(token)
        _, mark, behind = self._recent.partition(self._wakes_at)
        self._is_asleep = not (mark and (yield from self._ask("go_through", mark + behind)))
        self._recent = self._recent[-len(self._wakes_at) :]

    def _logits(self, context: Context, row: int) -> Logits:
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context.handle, row), (self._vocab_size,))

    def _choose_by_grammar(self, logits: Logits) -> Choosing:
        token = Candidates(logits).choose(self._chain)
        if not (yield from self._ask("take", token)):
            bits = np.frombuffer((yield from self._ask("allowed")), np.uint8)
            candidates = Candidates(logits)
            candidates.forbid_all_but(np.unpackbits(bits, count=self._vocab_size).view(np.bool_))
            token = candidates.choose(self._chain)
            yield from self._ask("take", token)
        llama_cpp.llama_sampler_accept(self._chain, token)
        return token

    def _ask(self, action: str, argument: Any = None) -> Generator[None, None, Any]:
        """Return the grammar's answer; the grammar is compiled when it is first asked."""
        if self._grammar is None:
            self._grammar = self._grammars.begin(self._spec)
            if isinstance(refused := (yield from self._answer(self._grammar)), str):
                raise DeadEnd(refused)
        self._grammar.tell(action, argument)
        return (yield from self._answer(self._grammar))

    def _answer(self, grammar: Grammar) -> Generator[None, None, Any]:
        while (answer := grammar.maybe_answer(self._patience)) is None:
            yield
        return answer[0]

    def close(self) -> None:
        """Free the samplers; safe to call twice."""
        if self._choosing is not None:
            self._choosing.close()
        if self._grammar is not None:
            self._grammar.close()
        if chain := self.__dict__.pop("_chain", None):
            llama_cpp.llama_sampler_free(chain)
        self._grammar = self._choosing = None


def _samplers(model: Model, spec: SamplerSpec) -> list[Any]:
    """Return samplers in llama.cpp's own order: bias, penalties, truncation, temperature, choice."""
    chain = []
    if spec.logit_bias:
        pairs = [llama_cpp.llama_logit_bias(token, bias) for token, bias in spec.logit_bias]
        biases = (llama_cpp.llama_logit_bias * len(pairs))(*pairs)
        chain.append(llama_cpp.llama_sampler_init_logit_bias(model.vocab_size, len(spec.logit_bias), biases))
    if spec.has_penalties:
        chain.append(
            llama_cpp.llama_sampler_init_penalties(
                model.vocab_size,
                spec.penalty_window,
                spec.repeat_penalty,
                spec.frequency_penalty,
                spec.presence_penalty,
            )
        )
    if spec.temperature <= 0:
        return [*chain, llama_cpp.llama_sampler_init_greedy()]
    if spec.top_k > 0:
        chain.append(llama_cpp.llama_sampler_init_top_k(spec.top_k))
    if spec.top_p < 1:
        chain.append(llama_cpp.llama_sampler_init_top_p(spec.top_p, 1))
    if spec.min_p > 0:
        chain.append(llama_cpp.llama_sampler_init_min_p(spec.min_p, 1))
    seed = int.from_bytes(os.urandom(4)) if spec.seed is None else spec.seed
    return [
        *chain,
        llama_cpp.llama_sampler_init_temp(spec.temperature),
        llama_cpp.llama_sampler_init_dist(seed),
    ]
