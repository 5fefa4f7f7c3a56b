"""Grammars, each in a process of its own that is forked from one that has the vocabulary and little else.

Theory of operation. llama.cpp follows all ways in which a grammar may have come to a text. An ambiguous grammar of some
hundred bytes has 2^25 of them, at once or after twenty tokens, and nothing can interrupt the search. So neither the
schema's converter, nor the compiler, nor the search runs in the program that serves all tasks: a `Grammar` is the
connection to a process with limits of memory, and of time for each answer.

The fork server (units.fork_server) is forked when the model is loaded, before the cache is there.

Each token that the model chooses is sent to the grammar, which mostly takes it: one message there and back, 0.1 ms.
Only when it refuses the token does it say which tokens it allows.
"""

from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any
from weakref import WeakSet

import llama_cpp
import numpy as np

from units import confined
from units.fork_server import ForkServer, hang_up, serve
from units.llm.calls import with_calls
from units.llm.gbnf import Allowed, Candidates, DeadEnd, allows, grammar_of_schema, make_grammar
from units.llm.llama import Model
from units.llm.options import SamplerSpec
from units.llm.tools import Tools

# The schemas of a hundred tools take 0.3 s, a look at a vocabulary of 150,000 tokens 0.05 s; a board is given ten times
# as long, and more for the latter, which is needed for each token.
COMPILING_SECONDS = 3.0
STEP_SECONDS = 2.0
# Those schemas take 42 MiB, a look at that vocabulary 26 MiB.
BYTES = 64 * 1024 * 1024
BYTES_PER_TOKEN = 512

TOO_COMPLEX = f"to compile it takes more than {COMPILING_SECONDS:g} s or {BYTES >> 20} MiB"
TOO_AMBIGUOUS = f"the grammar is too ambiguous: one token takes it more than {STEP_SECONDS:g} s or {BYTES >> 20} MiB"


class Grammars:
    """All grammars of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._fork_server = ForkServer(lambda: confined.start(self._fork_on_demand))
        self._begun: WeakSet[Grammar] = WeakSet()

    @property
    def in_use(self) -> int:
        """Return how many grammars wait for the tokens of answers."""
        return sum(each.is_in_use and not each.connection.closed for each in self._begun)

    def start(self) -> None:
        """Fork the first process; the earlier, the less memory of computations does it share."""
        self._fork_server.start()

    def begin(self, spec: SamplerSpec, tools: Tools | None = None, *, is_trial: bool = False) -> "Grammar":
        """Return a process that compiles the grammar of these settings; for a trial it also checks a first token."""
        ours = self._fork_server.begin()
        self._begun.add(grammar := Grammar(ours))
        with suppress(OSError):  # it died already: the wait for its answer fails
            ours.send((spec, tools, is_trial))
        return grammar

    def close(self) -> None:
        """End all processes."""
        self._fork_server.close()

    # In a grammar's own process

    def _fork_on_demand(self, connection: "Connection[Any, Any]") -> None:
        serve(
            connection,
            self._serve,
            prepare=lambda: self._model.byte_tokens,  # looked up in the whole vocabulary, once for all of them
            refusal=lambda error: f"grammar cannot be compiled now: {error.strerror}",
        )

    def _serve(self, connection: "Connection[Any, Any]") -> None:
        spec, tools, is_trial = connection.recv()
        confined.limit_memory(BYTES + BYTES_PER_TOKEN * self._model.vocab_size)
        confined.limit_time(COMPILING_SECONDS)
        try:
            made = _resolved(spec, tools)
            process = _Process(self._model, make_grammar(self._model, made.grammar))
        except ValueError as error:
            connection.send(str(error))
            return
        if is_trial:
            process.look_ahead()
        confined.limit_time(0)
        connection.send(made)
        while True:
            action, argument = connection.recv()
            confined.limit_time(STEP_SECONDS)
            answer = process.actions[action](argument)
            confined.limit_time(0)
            connection.send(answer)


def _resolved(spec: SamplerSpec, tools: Tools | None) -> SamplerSpec:
    """Return the settings with the one grammar that results from them."""
    spec = with_calls(spec, tools)
    grammar = grammar_of_schema(spec.json_schema) if spec.json_schema else spec.grammar
    return spec._replace(grammar=grammar, json_schema="")


class Grammar:
    """The connection to a compiled grammar, or to one that is being compiled."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self.connection = connection
        self.is_in_use = False
        """True when an answer uses it: its trial does not close it then."""

    def tell(self, action: str, argument: Any = None) -> None:
        """Ask for one of `_Process.actions`."""
        try:
            self.connection.send((action, argument))
        except OSError as error:
            raise DeadEnd(TOO_AMBIGUOUS) from error

    def maybe_answer(self, patience: float) -> tuple[Any] | None:
        """Return the answer in a tuple, or None while there is none; raise DeadEnd when none will come."""
        try:
            return (self.connection.recv(),) if self.connection.poll(patience) else None
        except (EOFError, OSError) as error:
            raise DeadEnd(TOO_AMBIGUOUS) from error

    def end(self) -> None:
        """Hang up, so that the process ends at once or by its limits. The connection stays for a thread that waits."""
        hang_up(self.connection)

    def close(self) -> None:
        """End the process and close the connection."""
        self.end()
        self.connection.close()


class _Process:
    """A compiled grammar and its actions."""

    def __init__(self, model: Model, grammar: Any) -> None:
        self._model = model
        self._grammar = grammar
        self.actions: dict[str, Callable[[Any], Any]] = {
            "take": self._take,
            "allowed": lambda _: np.packbits(self._allowed()).tobytes(),
            "go_through": self._go_through,
        }

    def look_ahead(self) -> None:
        """Do what the first token will need, so that a setup is not accepted for a grammar that dies of it."""
        self._allowed()

    def _allowed(self) -> Allowed:
        return Candidates(np.zeros(self._model.vocab_size, np.float32)).allowed_by(self._grammar)

    def _take(self, token: int) -> bool:
        """Take a token; return False, without any change, where it is forbidden."""
        if not allows(self._grammar, token):
            return False
        llama_cpp.llama_sampler_accept(self._grammar, token)
        return True

    def _go_through(self, said: bytes) -> bool:
        """Take all of a text; return False, back at its beginning, where it is forbidden.

        llama.cpp can wait for a mark by itself, but ends the process when what follows in the same token is forbidden.
        The text is bytes because tokens may begin before a mark and end after it.
        """
        for byte in said:
            token = self._model.byte_tokens.get(byte)
            if token is None or not self._take(token):
                llama_cpp.llama_sampler_reset(self._grammar)
                return False
        return True
