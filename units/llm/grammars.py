"""Grammars, each in a process of its own that is forked from one that has the vocabulary and little else.

Theory of operation. llama.cpp follows all ways in which a grammar may have come to what was said. An ambiguous one of
some hundred bytes has 2^25 of them, at once or behind twenty tokens, and nothing can interrupt the search. So neither
the schema's converter, nor the compiler, nor the search runs in the program that serves everybody: a `Grammar` is the
connection to a process that has limits of time for each answer, and of memory.

The first process (the nursery) is forked when the model is loaded, before the cache is there: what it has in common
with the program is never written to again, and a fork of it takes some milliseconds. It waits for connections and forks
for each one.

A token that the model chooses is told to the grammar, which mostly takes it: one message there and back, 0.1 ms. Only
when it refuses it says which tokens it allows.
"""

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any
from weakref import WeakSet

import llama_cpp
import numpy as np

from units import confined
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
        self._nursery: confined.Confined | None = None
        self._begun: WeakSet[Grammar] = WeakSet()

    @property
    def in_use(self) -> int:
        """How many grammars wait for what answers say."""
        return sum(each.is_in_use and not each.connection.closed for each in self._begun)

    def start(self) -> None:
        """Forks the first process; the earlier, the less it has in common with what the program computes."""
        if self._nursery is None:
            self._nursery = confined.start(self._fork_on_demand)

    def begin(self, spec: SamplerSpec, tools: Tools | None = None, *, is_trial: bool = False) -> "Grammar":
        """A process that compiles the grammar of these settings, and looks at a first token for a trial."""
        ours, theirs = Pipe()
        try:
            self._hand_over(theirs)
        except OSError:  # somebody has ended the first process
            self.close()
            self._hand_over(theirs)
        theirs.close()
        self._begun.add(grammar := Grammar(ours))
        with suppress(OSError):  # it died already: whoever waits for its answer is told
            ours.send((spec, tools, is_trial))
        return grammar

    def _hand_over(self, connection: "Connection[Any, Any]") -> None:
        """To a new process."""
        self.start()
        assert self._nursery is not None
        send_handle(self._nursery.connection, connection.fileno(), self._nursery.pid)

    def close(self) -> None:
        """Ends all of them."""
        if self._nursery is not None:
            self._nursery.close()
            self._nursery = None

    # In the first process

    def _fork_on_demand(self, connection: "Connection[Any, Any]") -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for its children
        _ = self._model.byte_tokens  # looked up in the whole vocabulary, once for all of them
        while True:
            wanted: Connection[Any, Any] = Connection(recv_handle(connection))
            try:
                confined.fork(self._serve, wanted)
            except OSError as error:  # there are as many processes as there may be
                wanted.send(f"grammar cannot be compiled now: {error.strerror}")
            wanted.close()

    # In a grammar's own process

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
    """The settings with the one grammar that they come to."""
    spec = with_calls(spec, tools)
    grammar = grammar_of_schema(spec.json_schema) if spec.json_schema else spec.grammar
    return spec._replace(grammar=grammar, json_schema="")


class Grammar:
    """The connection to a compiled grammar, or to one that is being compiled."""

    def __init__(self, connection: "Connection[Any, Any]") -> None:
        self.connection = connection
        self.is_in_use = False
        """Whoever tried it does not close it."""

    def tell(self, action: str, argument: Any = None) -> None:
        """Asks for one of `_Process.actions`."""
        try:
            self.connection.send((action, argument))
        except OSError as error:
            raise DeadEnd(TOO_AMBIGUOUS) from error

    def maybe_answer(self, patience: float) -> tuple[Any] | None:
        """What it answers; None when it has not yet.

        Raises:
            DeadEnd: it never will.
        """
        try:
            return (self.connection.recv(),) if self.connection.poll(patience) else None
        except (EOFError, OSError) as error:
            raise DeadEnd(TOO_AMBIGUOUS) from error

    def end(self) -> None:
        """Hangs up, at which the process ends: at once, or by its limits. The connection stays for whoever waits."""
        with socket.socket(fileno=os.dup(self.connection.fileno())) as end, suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Ends it, connection and all."""
        self.end()
        self.connection.close()


class _Process:
    """A compiled grammar, and what it can be asked."""

    def __init__(self, model: Model, grammar: Any) -> None:
        self._model = model
        self._grammar = grammar
        self.actions: dict[str, Callable[[Any], Any]] = {
            "take": self._take,
            "allowed": lambda _: np.packbits(self._allowed()).tobytes(),
            "go_through": self._go_through,
        }

    def look_ahead(self) -> None:
        """Does once what the first token asks for, so that a setup is not acknowledged for what dies over it."""
        self._allowed()

    def _allowed(self) -> Allowed:
        return Candidates(np.zeros(self._model.vocab_size, np.float32)).allowed_by(self._grammar)

    def _take(self, token: int) -> bool:
        """Goes on with a token; False, and stays where it is, where that is forbidden."""
        if not allows(self._grammar, token):
            return False
        llama_cpp.llama_sampler_accept(self._grammar, token)
        return True

    def _go_through(self, said: bytes) -> bool:
        """Takes all of what was said; False, and back to its beginning, where that is forbidden.

        llama.cpp can wait for a mark by itself, and ends the process when what follows in the same token is forbidden.
        Bytes, because tokens of a mark may begin before it and end behind it.
        """
        for byte in said:
            token = self._model.byte_tokens.get(byte)
            if token is None or not self._take(token):
                llama_cpp.llama_sampler_reset(self._grammar)
                return False
        return True
