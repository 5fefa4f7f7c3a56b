"""How the next token is chosen: llama.cpp's own samplers in one chain for each sequence, and a grammar beside it.

A grammar is checked the way llama.cpp's own programs do it: first the chain chooses freely, and only when the grammar
refuses that token are all candidates filtered and the choice made again. Most tokens of a well-written prompt fit, and
filtering a vocabulary of 150,000 tokens for each of them would cost more than the model.
"""

import ctypes
import json
import math
import os
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp import llama_grammar

from units.llm.llama import Context, Model
from units.llm.options import SamplerSpec

# Of the converter's strings, which may hold what JSON's may not: raw control characters and halves of surrogate pairs.
_ANY_CHARACTER = re.compile(r"^char ::= .*$", re.MULTILINE)
_ESCAPE = r'"\\" (["\\/bfnrt] | "u" ([0-9a-ce-fA-CE-F] [0-9a-fA-F] | [dD] [0-7]) [0-9a-fA-F] [0-9a-fA-F])'
_LESS = '"<" char-0'
_CHARACTER = rf'char ::= [^"\\\x7F\x00-\x1F] | {_ESCAPE}'

QUOTED = re.compile(r'"(?:\\.|[^"\\])*"?|\[(?:\\.|[^\]\\])*\]?|<[^>]*>?|#[^\r\n]*', re.DOTALL)
"""What stands for itself in GBNF: texts, sets of characters, tokens, comments."""

# llama.cpp's parser and its search for left recursion call themselves: of 8 MiB of stack 5,000 parentheses and 50,000
# rules leave something, 20,000 and 100,000 do not. A schema needs a fraction.
MAX_DEPTH = 500
MAX_RULES = 20_000
MAX_REPEATS = 1000  # llama.cpp counts to 2,000 rules

_ONE_CHARACTER = re.compile(rf"^{re.escape(_CHARACTER)}$", re.MULTILINE)

_RANGE = re.compile(r"\{\s*(\d+)\s*,\s*(\d+)\s*\}")

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class DeadEnd(Exception):
    """A grammar allows nothing that the vocabulary has, or that a bias has left of it."""


class Sampler:
    """One sequence's choice; penalties count what this answer has said."""

    def __init__(self, model: Model, spec: SamplerSpec) -> None:
        """Builds the chain.

        Raises:
            ValueError: the grammar does not compile, or the JSON schema is none; the words name the key.
        """
        grammar = grammar_of_schema(spec.json_schema) if spec.json_schema else spec.grammar
        self._grammar = make_grammar(model, grammar) if grammar else None
        self._is_asleep = bool(spec.wakes_at)
        self._wakes_at = spec.wakes_at.encode()
        self._model = model
        self._recent = b""
        self._bias = spec.logit_bias
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
        for token, bias in self._bias:
            logits[token] += bias
        return int(logits.argmax())

    def _listen(self, token: int) -> None:
        """Wakes at the mark, unless what its last token brings along is none of the grammar's."""
        self._recent += self._model.piece(token)
        _, mark, behind = self._recent.partition(self._wakes_at)
        self._is_asleep = not (mark and self._go_through(mark + behind))
        self._recent = self._recent[-len(self._wakes_at) :]

    def _go_through(self, said: bytes) -> bool:
        """Takes the grammar to the end of what was said; False, and back to its beginning, where that is forbidden.

        llama.cpp can wait for a mark by itself, and ends the process when what follows in the same token is forbidden.
        Bytes, because tokens of a mark may begin before it and end behind it.
        """
        for byte in said:
            token = self._model.byte_tokens.get(byte)
            if token is None or not _allows(self._grammar, token):
                llama_cpp.llama_sampler_reset(self._grammar)
                return False
            llama_cpp.llama_sampler_accept(self._grammar, token)
        return True

    def _logits(self, context: Context, row: int) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context.handle, row), (self._vocab_size,))

    def _sample_by_grammar(self, context: Context, row: int) -> int:
        logits = self._logits(context, row)
        token = _Candidates(logits).choose(self._chain)
        if not _allows(self._grammar, token):
            candidates = _Candidates(logits)
            candidates.obey(self._grammar)
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

    def choose(self, chain: Any) -> int:
        """Lets the samplers choose.

        Raises:
            DeadEnd: they took what is forbidden, for want of anything else.
        """
        llama_cpp.llama_sampler_apply(chain, ctypes.byref(self._array))
        chosen = self._array.data[self._array.selected]
        if chosen.logit == -math.inf:
            raise DeadEnd("the grammar allows nothing that the model could say next")
        return int(chosen.id)

    def obey(self, grammar: Any) -> bool:
        """Forbids what the grammar refuses; False when nothing is left."""
        llama_cpp.llama_sampler_apply(grammar, ctypes.byref(self._array))
        return bool(np.isfinite(self._table["logit"]).any())


def _allows(grammar: Any, token: int) -> bool:
    """Whether this may come next; llama.cpp ends the process when a grammar is given what it refuses."""
    return _Candidates(np.ones(1, np.float32), [token]).obey(grammar)


def make_grammar(model: Model | None, text: str) -> Any:
    """A compiled grammar; without a model no rule can name a token.

    Raises:
        ValueError: it does not compile, or is more than llama.cpp could compile.
    """
    bare = QUOTED.sub("", text)
    depth = max(accumulate(1 if each == "(" else -1 for each in re.findall("[()]", bare)), default=0)
    if depth > MAX_DEPTH or bare.count("::=") > MAX_RULES:
        raise ValueError(f"grammar is too large: over {MAX_DEPTH} parentheses in each other, or {MAX_RULES} rules")
    if any(int(least) > int(most) for least, most in _RANGE.findall(bare)):  # llama.cpp would count down from 2^64
        raise ValueError("grammar does not compile: it repeats something at least more often than at most")
    grammar = llama_cpp.llama_sampler_init_grammar(model.vocab if model else None, text.encode(), b"root")
    if not grammar:
        raise ValueError("grammar does not compile")
    return grammar


def _repetition(
    item: str, least: int, most: int | None, separator_rule: str = "", item_rule_is_literal: bool = False
) -> str:
    """Repeats as GBNF itself can; the converter writes a pair of parentheses for each time.

    No answer is as long as a database's column may be: a limit beyond what can be counted is none.
    """
    if least > MAX_REPEATS:
        raise ValueError(f"something must be repeated {least} times, a grammar can at most {MAX_REPEATS} times")
    if most is not None and most < least:
        raise ValueError(f"something must be repeated {least} times, and at most {most} times")
    most = None if most is None or most > MAX_REPEATS else most
    if not separator_rule or most == 0:
        return item + _times(least, most)
    more = f"{item} ({separator_rule} {item}){_times(max(least - 1, 0), most and most - 1)}"
    return more if least else f"({more})?"


def _times(least: int, most: int | None) -> str:
    return f"{{{least},{'' if most is None else most}}}"


# The converter's methods look it up here; a subclass could not give them another.
llama_grammar._build_repetition = _repetition


class _Converter(llama_grammar.SchemaConverter):
    def _format_literal(self, literal: str) -> str:
        """The name or value of this JSON in GBNF, which escapes as JSON does: once more, and characters as they are."""
        return json.dumps(json.dumps(json.loads(literal), ensure_ascii=False), ensure_ascii=False)


@lru_cache(maxsize=32)
def grammar_of_schema(schema: str) -> str:
    """The GBNF of a JSON schema, by llama.cpp's converter; the same ones come again and again.

    Raises:
        ValueError: it is no schema, uses what the converter does not know, or its grammar does not compile.
    """
    try:
        converter: Any = _Converter(  # type: ignore[no-untyped-call]
            prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False
        )
        converter.visit(converter.resolve_refs(json.loads(schema), ""), "")
        grammar = _ANY_CHARACTER.sub(lambda _: _CHARACTER, converter.format_grammar())
        llama_cpp.llama_sampler_free(make_grammar(None, grammar))
        return grammar
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError, IndexError, RecursionError) as error:
        raise ValueError(f"json_schema cannot be used: {error!r}") from error


def without_marks(grammar: str, marks: Sequence[str]) -> str:
    """Return the grammar of a JSON schema without these marks, which all begin with "<", inside its texts.

    A text ends before what may become a mark is known to be none, so "<" as its last character has to be escaped; and
    what follows a "<" is counted as one character with it.
    """
    return _ONE_CHARACTER.sub(lambda _: _marked_characters(tuple(marks)), grammar)


@lru_cache
def _marked_characters(marks: tuple[str, ...]) -> str:
    """The rule for a character, with one more for each beginning of a mark."""
    beginnings = sorted({mark[:size] for mark in marks for size in range(1, len(mark))}, key=len)
    names = {beginning: f"char-{at}" for at, beginning in enumerate(beginnings)}
    rules = [rf'char ::= [^"\\<\x7F\x00-\x1F] | char-escape | {_LESS}', f"char-escape ::= {_ESCAPE}"]
    for beginning, name in names.items():
        following = sorted({mark[len(beginning)] for mark in marks if mark.startswith(beginning)})
        longer = [f'"{each}" {names[beginning + each]}' for each in following if beginning + each in names]
        others = rf'[^"\\<\x7F\x00-\x1F{"".join(following)}]'
        rules.append(" | ".join([f"{name} ::= {others}", "char-escape", _LESS, *longer]))
    return "\n".join(rules)


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
