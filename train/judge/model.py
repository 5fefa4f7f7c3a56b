"""A model file as the daemon uses it: greedy, within the grammar of the tools as soon as it begins a call."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp.llama_grammar import LlamaGrammar

from train.chatml import CALL_MARKS, END_OF_TEXT, TURN_END, TURN_START, render_prompt
from train.corpus.base import Message
from units.llm.calls import grammar_of
from units.llm.tools import read_tools

CONTEXT = 4096
MOST_TOKENS = 300
STORY_TOKENS = 700
ANSWER_TOKENS = 128
"""What the daemon keeps free for an answer when it shortens a conversation (the default of the model's card)."""

_END_CONTEXT = 512


class Model:
    """A model file that answers, and that says how likely a text is at its end."""

    def __init__(self, path: Path) -> None:
        self._more: dict[str, Any] = {"n_threads": 1, "n_threads_batch": 1, "verbose": False, "seed": 1}
        self._path = path
        self._llama = llama_cpp.Llama(str(path), n_ctx=CONTEXT, **self._more)
        self._scorer: llama_cpp.Llama | None = None
        self.trained_tokens = min(CONTEXT, _context_of(path, dict(self._llama.metadata)))
        """So much of a conversation the daemon gives it."""

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text with special tokens in it."""
        return self._llama.tokenize(text.encode(), add_bos=False, special=True)

    def answer(
        self, messages: Sequence[Message], functions: Sequence[Mapping[str, Any]] = (), most: int = MOST_TOKENS
    ) -> str:
        """Return the answer to a conversation, which may be calls of these functions."""
        prompt = self.tokens(render_prompt(messages))
        if functions and self._complete(prompt, 1) == CALL_MARKS[0]:
            return self._complete(prompt, most, _grammar(json.dumps(list(functions))))
        return self._complete(prompt, most)

    def fits(self, messages: Sequence[Message]) -> bool:
        """Return whether an answer fits after a conversation within what the model was trained on."""
        return len(self.tokens(render_prompt(messages))) <= self.trained_tokens - ANSWER_TOKENS

    def end_probability(self, text: str) -> float:
        """Return the probability that the user's turn ends after these words, alone in a conversation."""
        if self._scorer is None:  # it keeps the scores of every position
            self._scorer = llama_cpp.Llama(str(self._path), n_ctx=_END_CONTEXT, logits_all=True, **self._more)
        tokens = self.tokens(f"{TURN_START}user\n{text}")
        self._scorer.reset()  # type: ignore[no-untyped-call]  # llama_cpp's has no types
        self._scorer.eval(tokens)
        scores = np.asarray(self._scorer.scores[len(tokens) - 1], np.float64)
        [end] = self.tokens(TURN_END)
        highest = float(scores.max())
        return math.exp(float(scores[end]) - highest) / float(np.exp(scores - highest).sum())

    def _complete(self, prompt: list[int], most: int, grammar: LlamaGrammar | None = None) -> str:
        room = CONTEXT - len(prompt) - 1
        if room < 1:
            return ""
        result = self._llama.create_completion(
            prompt,
            max_tokens=min(most, room),
            temperature=0.0,
            top_k=10,
            top_p=1.0,
            min_p=0.0,
            repeat_penalty=1.0,
            grammar=grammar,
            stop=[TURN_END, END_OF_TEXT],
        )
        assert isinstance(result, dict)
        return result["choices"][0]["text"]


@lru_cache(maxsize=8)
def _grammar(functions: str) -> LlamaGrammar:
    """Return the grammar of the calls of these functions."""
    tools = read_tools(json.loads(functions))
    return LlamaGrammar.from_string(grammar_of(tools) if tools else "", verbose=False)


def _context_of(path: Path, metadata: Mapping[str, str]) -> int:
    """Return the context that the model's card advertises; without a card, that of the file."""
    card = path.with_name("card.toml")
    if card.is_file():
        return int(tomllib.loads(card.read_text(encoding="utf-8")).get("context_length", CONTEXT))
    return int(metadata.get("llama.context_length", CONTEXT))
