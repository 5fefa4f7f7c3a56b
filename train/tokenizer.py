"""The tokenizer: byte-level BPE with a pre-tokenizer that llama.cpp knows by name.

The split rule is the one that llama.cpp calls ``qwen2``: digits are separate, which arithmetic needs. There is no text
normaliser, because llama.cpp applies none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from train.chatml import CALL_MARKS, SPECIAL_TOKENS, TOOLS_TITLE, TURN_END, TURN_START
from train.config import VOCAB_SIZE
from train.corpus.base import Message

CALL_WEIGHT = 3
REPEATED = re.compile(r'(?<=: ")[^"\n]+"')
"""The name at the end of a line in the list of devices."""

PRE_TOKENIZER_NAME = "qwen2"
SPLIT_RULE = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def make_tokenizer(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> Tokenizer:
    """Return a tokenizer with the split rule, from its vocabulary and its merges."""
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT_RULE), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def train_tokenizer(texts: Iterable[str], vocab_size: int = VOCAB_SIZE) -> Tokenizer:
    """Learn the merges from the texts and return the tokenizer; the special tokens get the first ids."""
    tokenizer = make_tokenizer({}, [])
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[AddedToken(token, normalized=False, special=True) for token in SPECIAL_TOKENS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, path: Path) -> None:
    """Write the tokenizer as one JSON file."""
    tokenizer.save(str(path))


def load_tokenizer(path: Path) -> Tokenizer:
    """Return the tokenizer that :func:`save_tokenizer` wrote."""
    return Tokenizer.from_file(str(path))


def token_id(tokenizer: Tokenizer, token: str) -> int:
    """Return the id of a token that must be in the vocabulary."""
    found = tokenizer.token_to_id(token)
    if found is None:
        raise LookupError(f"the vocabulary has no {token!r}")
    return int(found)


def _weights(message: Message, offsets: Sequence[tuple[int, int]], *, has_tools: bool) -> list[int]:
    """Return how often each token of a message, and its end, counts in the loss.

    In a call only few tokens say which device is meant, and these are hard to learn. Looking a name up in a list is
    learned much sooner if names also count where the list repeats them and where the user says them. The first token of
    any answer decides whether there is a call, and has the same weight where no call is required.

    The user's words count with their end: so the model knows how likely somebody has finished speaking.
    """
    if message.role == "assistant" and message.content.startswith(CALL_MARKS[0]):
        return [CALL_WEIGHT] * (len(offsets) + 1)
    if message.role == "assistant":
        return [CALL_WEIGHT if has_tools else 1] + [1] * len(offsets)
    if message.role == "user":
        return [1] * (len(offsets) + 1)
    if has_tools and message.role == "system":
        repeated = [found.span() for found in REPEATED.finditer(message.content)]
        return [int(any(start <= each[0] < end for start, end in repeated)) for each in offsets] + [0]
    return [0] * (len(offsets) + 1)


class ChatEncoder:
    """Turns a conversation into token ids and weights the tokens that the assistant must learn."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._start = token_id(tokenizer, TURN_START)
        self._end = token_id(tokenizer, TURN_END)
        self._newline = tokenizer.encode("\n").ids

    def encode(self, messages: Sequence[Message]) -> tuple[list[int], list[int]]:
        """Return the ids of the whole conversation, and for each how often its prediction counts in the loss.

        A text without a frame is learned from its second token to its end.
        """
        if messages[0].role == "text":
            text = [*self._tokenizer.encode(messages[0].content).ids, self._end]
            return text, [1] * len(text)
        texts = [f"{m.role}\n" for m in messages] + [m.content for m in messages]
        pieces = self._tokenizer.encode_batch(texts)
        has_tools = messages[0].role == "system" and TOOLS_TITLE in messages[0].content
        ids: list[int] = []
        learn: list[int] = []
        for index, message in enumerate(messages):
            head = [self._start, *pieces[index].ids]
            body = pieces[len(messages) + index]
            ids += [*head, *body.ids, self._end, *self._newline]
            weights = _weights(message, body.offsets, has_tools=has_tools)
            learn += [0] * len(head) + weights + [0] * len(self._newline)
        return ids, learn
