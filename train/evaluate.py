"""Evaluate a model file as it will be used: quantized, in llama.cpp, on questions that were not in training.

``python -m train.evaluate [FILE]`` reports held-out perplexity and the share of right answers per category, and for a
model that was trained on tools, how well it calls them. It fails under 90 % overall, or when calls are worse than
required.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp.llama_grammar import LlamaGrammar

from train.chatml import render_prompt
from train.corpus.base import Message
from train.corpus.dialogue import PROBES, Conversation, make_probes
from train.corpus.tools.follow_ups.follow_ups import make_follow_up_probes
from train.corpus.tools.more_devices import make_device_probes
from train.corpus.tools.own.own_tools import make_own_tool_probes
from train.corpus.tools.skills.skill_talk import make_skill_probes
from train.corpus.tools.talk import Probe, make_home_probes, make_tool_probes
from train.evaluate_tools import evaluate_tools

DEFAULT_FILE = Path("units/models/unitd-chat/unitd-chat.gguf")
CONTEXT = 4096
MOST_TOKENS = 700
FEWEST_STORY_TOKENS = 80
FEWEST_LONG_STORY_TOKENS = 250
NEEDED_SHARE = 0.9
CALL_PROBES: Mapping[str, Callable[[], list[Probe]]] = {
    "a house": make_tool_probes,
    "a house as people have it": make_home_probes,
    "skills": make_skill_probes,
    "tools of a client": make_own_tool_probes,
    "other devices": make_device_probes,
    "follow-ups": make_follow_up_probes,
}
COUNTING = "a house"
"""The table that decides whether a model may be shipped."""


class Speaker:
    """A model file that answers; one thread, because a second one mostly waits for the first in so small a model."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        more: dict[str, Any] = {"n_ctx": CONTEXT, "n_threads": threads, "n_threads_batch": threads, "verbose": False}
        self._llama = llama_cpp.Llama(str(path), seed=1, **more)
        # Keeping the scores of every position makes answering many times slower, so a second model does only that.
        self._judge = llama_cpp.Llama(str(path), logits_all=True, **more)

    @property
    def metadata(self) -> dict[str, str]:
        """Return the metadata of the file."""
        return dict(self._llama.metadata)

    def tokens(self, text: str) -> list[int]:
        """Return the text as llama.cpp tokenizes it, including special tokens."""
        return self._llama.tokenize(text.encode(), add_bos=False, special=True)

    def answer(self, messages: Sequence[Message], temperature: float = 0.0, grammar: str = "") -> str:
        """Return the model's answer: greedy by default, and restricted by a GBNF grammar if there is one."""
        result = self._llama.create_completion(
            self.tokens(render_prompt(messages)),
            max_tokens=MOST_TOKENS,
            temperature=temperature,
            top_k=10,
            top_p=1.0,
            min_p=0.0,
            repeat_penalty=1.0,
            grammar=LlamaGrammar.from_string(grammar, verbose=False) if grammar else None,
        )
        assert isinstance(result, dict)
        return result["choices"][0]["text"]

    def surprise(self, messages: Sequence[Message]) -> tuple[float, int]:
        """Return the negative log likelihood of the last message, and its length in tokens."""
        prompt = self.tokens(render_prompt(messages[:-1]))
        reply = self.tokens(messages[-1].content + "<|im_end|>")
        self._judge.reset()  # type: ignore[no-untyped-call]  # llama_cpp's has no types
        self._judge.eval(prompt + reply)
        scores = np.asarray(self._judge.scores[len(prompt) - 1 : len(prompt) + len(reply) - 1], np.float64)
        scores -= scores.max(axis=1, keepdims=True)
        log_probabilities = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -float(log_probabilities[np.arange(len(reply)), reply].sum()), len(reply)


def is_right(speaker: Speaker, probe: Conversation, answer: str) -> bool:
    """Return whether the answer obeys the rule of its category; a story must also have its length in tokens."""
    if not answer.strip() or not probe.check(answer):
        return False
    if probe.category != "story":
        return True
    fewest = FEWEST_LONG_STORY_TOKENS if " long" in f" {probe.asked}" else FEWEST_STORY_TOKENS
    return len(speaker.tokens(answer)) >= fewest


def evaluate(speaker: Speaker, probes: Sequence[Conversation]) -> tuple[dict[str, float], float, list[str]]:
    """Return the share of right answers per category, the perplexity, and a description of every wrong answer."""
    right: dict[str, list[bool]] = defaultdict(list)
    wrong: list[str] = []
    surprise, length = 0.0, 0
    for probe in probes:
        answer = speaker.answer(probe.messages[:-1])
        right[probe.category].append(is_right(speaker, probe, answer))
        if not right[probe.category][-1]:
            expected = probe.messages[-1].content
            wrong.append(f"{probe.category}: {probe.messages[-2].content!r}: {answer!r} not {expected!r}")
        more_surprise, more_length = speaker.surprise(probe.messages)
        surprise, length = surprise + more_surprise, length + more_length
    shares = {category: sum(results) / len(results) for category, results in right.items()}
    return shares, math.exp(surprise / length), wrong


def evaluate_file(path: Path, per_category: int = PROBES, show_wrong: bool = False) -> bool:
    """Print the figures of a model file; return whether it is good enough.

    The share that counts is that of held-out phrasings: templates and words that were trained, but never together. The
    other tables are harder: one has sentences of which half were never trained in any form, with words from outside the
    corpus; the other also has typing errors, capitals, chat spellings and invented names.
    """
    speaker = Speaker(path)
    composed = make_probes(per_category, is_plain=True, split="composed")
    counting = _report(speaker, "templates and words never trained together", composed, show_wrong)
    _report(speaker, "never trained sentences and words", make_probes(per_category, is_plain=True), show_wrong)
    _report(speaker, "with slips, capitals and made-up words", make_probes(per_category), show_wrong)
    are_good_enough = {}
    for title, make in CALL_PROBES.items():
        free, bound = evaluate_tools(speaker, make())
        lines = [f"{title}: calls, decoded freely", *(free.wrong if show_wrong else []), free.report(), ""]
        lines += [f"{title}: calls in the grammar of their tools", *(bound.wrong if show_wrong else [])]
        sys.stdout.write("\n".join([*lines, bound.report(), ""]) + "\n")
        sys.stdout.flush()
        are_good_enough[title] = bound.is_good_enough
    return counting >= NEEDED_SHARE and are_good_enough[COUNTING]


def _report(speaker: Speaker, title: str, probes: Sequence[Conversation], show_wrong: bool) -> float:
    """Print one table; return the overall share."""
    shares, perplexity, wrong = evaluate(speaker, probes)
    overall = sum(shares.values()) / len(shares)
    lines = [f"{category:12} {share:6.1%}" for category, share in shares.items()]
    lines += [f"{'overall':12} {overall:6.1%}", f"perplexity of the answers {perplexity:.3f}", ""]
    sys.stdout.write("\n".join([title, *(wrong if show_wrong else []), *lines]) + "\n")
    sys.stdout.flush()
    return overall


def main() -> int:
    """Read the command line, and evaluate; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m train.evaluate", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=DEFAULT_FILE)
    parser.add_argument("--per-category", type=int, default=PROBES)
    parser.add_argument("--show-wrong", action="store_true")
    arguments = parser.parse_args()
    return 0 if evaluate_file(arguments.file, arguments.per_category, arguments.show_wrong) else 1


if __name__ == "__main__":
    sys.exit(main())
