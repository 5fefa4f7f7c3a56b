"""How the next token is chosen: llama.cpp's own samplers in one chain for each sequence, and a grammar beside it.

A grammar is checked the way llama.cpp's own programs do it: first the chain chooses freely, and only when the grammar
refuses that token are all candidates filtered and the choice made again. Most tokens of a well-written prompt fit, and
filtering a vocabulary of 150,000 tokens for each of them would cost more than the model.
"""

import ctypes
import os
from collections.abc import Sequence
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp.llama_grammar import json_schema_to_gbnf

from units.llm.llama import Context, Model
from units.llm.options import SamplerSpec

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Sampler:
    """One sequence's choice; penalties count what this answer has said."""

    def __init__(self, model: Model, spec: SamplerSpec) -> None:
        """Builds the chain.

        Raises:
            ValueError: the grammar does not compile, or the JSON schema is none; the words name the key.
        """
        grammar = grammar_of_schema(spec.json_schema) if spec.json_schema else spec.grammar
        self._grammar = make_grammar(model, grammar) if grammar else None
        self._bias = dict(spec.logit_bias)
        self._is_greedy = spec.temperature <= 0 and not spec.has_penalties and self._grammar is None
        self._chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for sampler in _samplers(model, spec):
            llama_cpp.llama_sampler_chain_add(self._chain, sampler)
        self._vocab_size = model.vocab_size

    def sample(self, context: Context, row: int) -> int:
        """Chooses from the logits of one batch row, and remembers the choice."""
        if self._grammar is None and not self._is_greedy:
            return int(llama_cpp.llama_sampler_sample(self._chain, context.handle, row))
        logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context.handle, row), (self._vocab_size,))
        if self._is_greedy:
            # The same token as the chain's, without its table of candidates, which takes longer than the search.
            for token, bias in self._bias.items():
                logits[token] += bias
            return int(logits.argmax())
        candidates = _Candidates(logits)
        token = candidates.choose(self._chain)
        if not _Candidates.of_one(token).survive(self._grammar):
            candidates = _Candidates(logits)
            candidates.survive(self._grammar)
            token = candidates.choose(self._chain)
        llama_cpp.llama_sampler_accept(self._grammar, token)
        llama_cpp.llama_sampler_accept(self._chain, token)
        return token

    def close(self) -> None:
        """Frees the samplers; safe to call twice."""
        for sampler in (self._chain, self._grammar):
            if sampler:
                llama_cpp.llama_sampler_free(sampler)
        self._chain = self._grammar = None


class _Candidates:
    """The tokens among which samplers choose, in llama.cpp's own layout."""

    def __init__(self, logits: np.ndarray[Any, np.dtype[np.float32]], ids: Sequence[int] | None = None) -> None:
        self._table = np.zeros(len(logits), _CANDIDATE)
        self._table["id"] = np.arange(len(logits)) if ids is None else ids
        self._table["logit"] = logits
        data = self._table.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
        self._array = llama_cpp.llama_token_data_array(data=data, size=len(logits), selected=-1, sorted=False)

    @classmethod
    def of_one(cls, token: int) -> "_Candidates":
        """Only this token, to ask a grammar about it."""
        return cls(np.ones(1, np.float32), [token])

    def choose(self, chain: Any) -> int:
        """Lets the samplers choose."""
        llama_cpp.llama_sampler_apply(chain, ctypes.byref(self._array))
        return int(self._array.data[self._array.selected].id)

    def survive(self, grammar: Any) -> bool:
        """Forbids what the grammar refuses; False when nothing is left."""
        llama_cpp.llama_sampler_apply(grammar, ctypes.byref(self._array))
        return bool(np.isfinite(self._table["logit"]).any())


def make_grammar(model: Model, text: str) -> Any:
    """A compiled grammar.

    Raises:
        ValueError: it does not compile.
    """
    grammar = llama_cpp.llama_sampler_init_grammar(model.vocab, text.encode(), b"root")
    if not grammar:
        raise ValueError("grammar does not compile")
    return grammar


def grammar_of_schema(schema: str) -> str:
    """The GBNF of a JSON schema, by llama.cpp's converter.

    Raises:
        ValueError: it is no schema, or uses what the converter does not know.
    """
    try:
        return str(json_schema_to_gbnf(schema))
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError, IndexError, RecursionError) as error:
        raise ValueError(f"json_schema cannot be used: {error!r}") from error


def _samplers(model: Model, spec: SamplerSpec) -> list[Any]:
    """llama.cpp's own order: bias, penalties, truncation, temperature, choice."""
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
