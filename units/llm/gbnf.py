"""GBNF grammars: checks before llama.cpp gets them, llama.cpp's own functions, and grammars of schemas.

Only the processes of `units.llm.grammars` use this module: a grammar of some hundred bytes may keep llama.cpp busy for
ever, take all memory, or end the process.
"""

import ctypes
import json
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp import llama_grammar

from units.llm.llama import Model, log_filter

# The converter's strings may hold what JSON's may not: raw control characters and halves of surrogate pairs.
_ANY_CHARACTER = re.compile(r"^char ::= .*$", re.MULTILINE)
_ESCAPE = r'"\\" (["\\/bfnrt] | "u" ([0-9a-ce-fA-CE-F] [0-9a-fA-F] | [dD] [0-7]) [0-9a-fA-F] [0-9a-fA-F])'
_LESS = '"<" char-0'
_CHARACTER = rf'char ::= [^"\\\x7F\x00-\x1F] | {_ESCAPE}'

QUOTED = re.compile(r'"(?:\\.|[^"\\])*+"?|\[(?:\\.|[^\]\\])*+\]?|<[^>]*+>?|#[^\r\n]*+', re.DOTALL)
"""Parts of GBNF without names of rules: texts, sets of characters, tokens, comments."""

# llama.cpp's parser and its search for left recursion call themselves: of 8 MiB of stack 5,000 parentheses and 50,000
# rules leave something, 20,000 and 100,000 do not. A schema needs a fraction.
MAX_DEPTH = 500
MAX_RULES = 20_000
MAX_REPEATS = 1000  # llama.cpp counts to 2,000 rules
MAX_REPEATS_OF_GBNF = 2000  # beyond, "at most" is no limit to it

# A hundred tools with ten parameters each take half of it.
MAX_BYTES = 1024 * 1024
# Each repetition is written out, and each time may take 220 bytes: a thousand texts of 200 characters at most.
MAX_PARTS = 200_000
_DIGITS = 20

_ONE_CHARACTER = re.compile(rf"^{re.escape(_CHARACTER)}$", re.MULTILINE)

_RANGE = re.compile(r"\{\s*+(\d{1,19}+)\s*+,\s*+(\d{1,19}+)\s*+\}")

_REPEATED = re.compile(rf"\s++|({QUOTED.pattern}|[\w-]++|.)(?:\s*+\{{([\d\s,]*+)\}})?+", QUOTED.flags)
_NO_RULE = re.compile(r"Undefined rule identifier '([^']*)'")

Allowed = np.ndarray[Any, np.dtype[np.bool_]]
"""Whether each token of the vocabulary may come next."""

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class DeadEnd(Exception):
    """A grammar allows no token of the vocabulary, or none that a bias has left."""


class Candidates:
    """The tokens among which samplers choose, in llama.cpp's own layout."""

    def __init__(self, logits: np.ndarray[Any, np.dtype[np.float32]], ids: Sequence[int] | None = None) -> None:
        self._table = np.zeros(len(logits), _CANDIDATE)
        self._table["id"] = np.arange(len(logits)) if ids is None else ids
        self._table["logit"] = logits
        data = self._table.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_token_data))
        self._array = llama_cpp.llama_token_data_array(data=data, size=len(logits), selected=-1, sorted=False)

    def choose(self, chain: Any) -> int:
        """Let the samplers choose; raise DeadEnd when they chose a forbidden token, for want of any other."""
        llama_cpp.llama_sampler_apply(chain, ctypes.byref(self._array))
        chosen = self._array.data[self._array.selected]
        if chosen.logit == -math.inf:
            raise DeadEnd("the grammar allows nothing that the model could say next")
        return int(chosen.id)

    def forbid_all_but(self, allowed: Allowed) -> None:
        """Forbid what a grammar refuses."""
        self._table["logit"][~allowed] = -math.inf

    def allowed_by(self, grammar: Any) -> Allowed:
        """Return the candidates that a grammar allows, and forbid the others."""
        llama_cpp.llama_sampler_apply(grammar, ctypes.byref(self._array))
        allowed: Allowed = np.isfinite(self._table["logit"])
        return allowed


def allows(grammar: Any, token: int) -> bool:
    """Return whether a token may come next; llama.cpp ends the process when a grammar gets what it refuses."""
    return bool(Candidates(np.ones(1, np.float32), [token]).allowed_by(grammar)[0])


def check_size(text: str) -> None:
    """Raise ValueError for a grammar that is more than llama.cpp could compile, without expanding it."""
    if (size := len(text.encode())) > MAX_BYTES:
        raise ValueError(f"grammar has {size} bytes, it may have {MAX_BYTES}")
    if "\0" in text:
        raise ValueError("grammar holds a zero byte")
    bare = QUOTED.sub("", text)
    depth = max(accumulate(1 if each == "(" else -1 for each in re.findall("[()]", bare)), default=0)
    if depth > MAX_DEPTH or bare.count("::=") > MAX_RULES:
        raise ValueError(f"grammar is too large: over {MAX_DEPTH} parentheses in each other, or {MAX_RULES} rules")
    if any(int(least) > int(most) for least, most in _RANGE.findall(bare)):  # llama.cpp would count down from 2^64
        raise ValueError("grammar does not compile: it repeats something at least more often than at most")
    items = ((item[1], item[2]) for item in _REPEATED.finditer(text) if item[2])
    parts = sum((len(item) if item.startswith('"') else 1) * _copies(times) for item, times in items)
    if parts > MAX_PARTS:
        raise ValueError(f"grammar is too large: its repetitions become {parts} parts, they may be {MAX_PARTS}")


def _copies(times: str) -> int:
    """Return how often a repeated item is written out."""
    numbers = [int(each[:_DIGITS]) for each in re.findall(r"\d+", times)]
    return max(numbers, default=0) if max(numbers, default=0) <= MAX_REPEATS_OF_GBNF else numbers[0]


def make_grammar(model: Model | None, text: str) -> Any:
    """Return a compiled grammar (without a model, one that names no token); raise ValueError if it does not compile."""
    check_size(text)
    grammar: Any = None

    def compile_it() -> None:
        nonlocal grammar
        grammar = llama_cpp.llama_sampler_init_grammar(model.vocab if model else None, text.encode(), b"root")

    log_filter().last_error = ""
    said = _said_by(compile_it)
    if not grammar:
        raise ValueError(_why_not(text, said + log_filter().last_error))
    return grammar


def _said_by(work: Callable[[], None]) -> str:
    """Return what some work writes to stderr, where llama.cpp reports errors of syntax."""
    sys.stderr.flush()
    kept, heard = os.dup(2), os.memfd_create("stderr")
    os.dup2(heard, 2)
    try:
        work()
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        with open(heard, "rb") as file:
            file.seek(0)
            said = file.read(2 * MAX_BYTES)
    return said.decode(errors="replace")


def _why_not(text: str, said: str) -> str:
    """Return why a grammar does not compile, with the line where llama.cpp names one."""
    if found := _NO_RULE.search(said):
        use = re.search(rf"(?<![A-Za-z0-9-]){re.escape(found[1])}(?![A-Za-z0-9-])", text)
        return f"grammar does not compile: {_line_of(text, use.start() if use else 0)}there is no rule {found[1]!r}"
    if "left recursion" in said:
        return "grammar does not compile: a rule begins with itself (left recursion)"
    if "does not contain a 'root'" in said:
        return "grammar does not compile: it has no rule 'root'"
    _, _, reason = said.partition("error parsing grammar: ")
    what, _, rest = reason.partition(" at ")
    rest = rest.partition(f"\n\n{text}\n")[0]
    if rest and text.endswith(rest):
        return f"grammar does not compile: {_line_of(text, len(text) - len(rest))}{what} before {rest[:20]!r}"
    what = what.partition("\n")[0].strip()
    return f"grammar does not compile: {what}" if what else "grammar does not compile"


def _line_of(text: str, place: int) -> str:
    return f"line {text.count(chr(10), 0, place) + 1}: "


def _repetition(
    item: str, least: int, most: int | None, separator_rule: str = "", item_rule_is_literal: bool = False
) -> str:
    """Return a repetition in GBNF's own form; the converter would write a pair of parentheses for each time.

    A limit beyond what can be counted is left out: no answer is as long as a database's column may be.
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
        """Return the name or value of this JSON in GBNF, which escapes as JSON does, with characters as they are."""
        return json.dumps(json.dumps(json.loads(literal), ensure_ascii=False), ensure_ascii=False)


@lru_cache(maxsize=32)
def grammar_of_schema(schema: str) -> str:
    """Return the GBNF of a JSON schema, by llama.cpp's converter; cached, as schemas are repeated.

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
    """Return the rule for a character, with one more rule for each beginning of a mark."""
    beginnings = sorted({mark[:size] for mark in marks for size in range(1, len(mark))}, key=len)
    names = {beginning: f"char-{at}" for at, beginning in enumerate(beginnings)}
    rules = [rf'char ::= [^"\\<\x7F\x00-\x1F] | char-escape | {_LESS}', f"char-escape ::= {_ESCAPE}"]
    for beginning, name in names.items():
        following = sorted({mark[len(beginning)] for mark in marks if mark.startswith(beginning)})
        longer = [f'"{each}" {names[beginning + each]}' for each in following if beginning + each in names]
        others = rf'[^"\\<\x7F\x00-\x1F{"".join(following)}]'
        rules.append(" | ".join([f"{name} ::= {others}", "char-escape", _LESS, *longer]))
    return "\n".join(rules)
