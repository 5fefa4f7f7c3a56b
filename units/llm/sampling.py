"""How the next token is chosen: llama.cpp's own samplers in one chain for each sequence, and a grammar beside it.

A grammar is checked the way llama.cpp's own programs do it: first the chain chooses freely, and only when the grammar
refuses that token are all candidates filtered and the choice made again. Most tokens of a well-written prompt fit, and
filtering a vocabulary of 150,000 tokens for each of them would cost more than the model.
"""

import ctypes
import json
import os
import re
from collections.abc import Sequence
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp.llama_grammar import SchemaConverter

from units.llm.llama import Context, Model
from units.llm.options import SamplerSpec

# Of the converter's strings, which may hold what JSON's may not: raw control characters and halves of surrogate pairs.
_ANY_CHARACTER = re.compile(r"^char ::= .*$", re.MULTILINE)
_CHARACTER = (
    r'char ::= [^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" '
    r"([0-9a-ce-fA-CE-F] [0-9a-fA-F] | [dD] [0-7]) [0-9a-fA-F] [0-9a-fA-F])"
)

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class DeadEnd(Exception):
    """A grammar allows nothing that the vocabulary has."""


class Sampler:
    """One sequence's choice; penalties count what this answer has said."""

    def __init__(self, model: Model, spec: SamplerSpec) -> None:
        """Builds the chain.

        Raises:
            ValueError: the grammar does not compile, or the JSON schema is none; the words name the key.
        """
        grammar = grammar_of_schema(spec.json_schema) if spec.json_schema else spec.grammar
        self._grammar = make_grammar(model, grammar, spec.wakes_at) if grammar else None
        self._is_asleep = bool(spec.wakes_at)
        self._wakes_at = spec.wakes_at.encode()
        self._model = model
        self._recent = b""
        self._bias = dict(spec.logit_bias)
        self._is_greedy = spec.temperature <= 0 and not spec.has_penalties
        self._chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        for sampler in _samplers(model, spec):
            llama_cpp.llama_sampler_chain_add(self._chain, sampler)
        self._vocab_size = model.vocab_size

    def sample(self, context: Context, row: int) -> int:
        """Chooses from the logits of one batch row, and remembers the choice.

        Raises:
            DeadEnd: there is none.
        """
        if self._grammar is not None and not self._is_asleep:
            return self._sample_by_grammar(context, row)
        token = self._sample_freely(context, row)
        if self._is_asleep:
            self._listen(token)
        return token

    def _sample_freely(self, context: Context, row: int) -> int:
        if not self._is_greedy:
            return int(llama_cpp.llama_sampler_sample(self._chain, context.handle, row))
        # The same token as the chain's, without its table of candidates, which takes longer than the search.
        logits = self._logits(context, row)
        for token, bias in self._bias.items():
            logits[token] += bias
        return int(logits.argmax())

    def _listen(self, token: int) -> None:
        """llama.cpp notices the mark by itself; here it is noticed so that nothing is filtered before."""
        llama_cpp.llama_sampler_accept(self._grammar, token)
        self._recent += self._model.piece(token)
        self._is_asleep = self._wakes_at not in self._recent
        self._recent = self._recent[-len(self._wakes_at) :]

    def _logits(self, context: Context, row: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context.handle, row), (self._vocab_size,))

    def _sample_by_grammar(self, context: Context, row: int) -> int:
        logits = self._logits(context, row)
        candidates = _Candidates(logits)
        token = candidates.choose(self._chain)
        if not _Candidates.of_one(token).survive(self._grammar):
            candidates = _Candidates(logits)
            if not candidates.survive(self._grammar):
                raise DeadEnd("the grammar allows nothing that the model could say next")
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


def make_grammar(model: Model, text: str, wakes_at: str = "") -> Any:
    """A compiled grammar; one that wakes at a text allows anything before, and is obeyed from that text on.

    Raises:
        ValueError: it does not compile.
    """
    if wakes_at:
        grammar = _make_sleeping_grammar(model, text, wakes_at)
    else:
        grammar = llama_cpp.llama_sampler_init_grammar(model.vocab, text.encode(), b"root")
    if not grammar:
        raise ValueError("grammar does not compile")
    return grammar


def _make_sleeping_grammar(model: Model, text: str, wakes_at: str) -> Any:
    """By the mark's own token, where the vocabulary has one; else by its letters: a search for each token."""
    marks = model.tokenize(wakes_at, parse_special=True)
    words = [] if len(marks) == 1 else [f"({re.escape(wakes_at)})".encode()]
    tokens = marks if len(marks) == 1 else []
    return llama_cpp.llama_sampler_init_grammar_lazy_patterns(
        model.vocab,
        text.encode(),
        b"root",
        (ctypes.c_char_p * len(words))(*words),
        len(words),
        (llama_cpp.llama_token * len(tokens))(*tokens),
        len(tokens),
    )


class _Converter(SchemaConverter):
    def _format_literal(self, literal: str) -> str:
        """The name or value of this JSON in GBNF, which escapes as JSON does: once more, and characters as they are."""
        return json.dumps(json.dumps(json.loads(literal), ensure_ascii=False), ensure_ascii=False)


def grammar_of_schema(schema: str) -> str:
    """The GBNF of a JSON schema, by llama.cpp's converter.

    Raises:
        ValueError: it is no schema, or uses what the converter does not know.
    """
    try:
        converter: Any = _Converter(  # type: ignore[no-untyped-call]
            prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False
        )
        converter.visit(converter.resolve_refs(json.loads(schema), ""), "")
        return _ANY_CHARACTER.sub(lambda _: _CHARACTER, converter.format_grammar())
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
