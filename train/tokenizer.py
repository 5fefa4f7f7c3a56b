"""The tokenizer: byte-level BPE whose pre-tokenizer llama.cpp knows by name.

The split rule is the one llama.cpp calls ``qwen2``: digits stand alone, which arithmetic needs.
There is no text normaliser, because llama.cpp applies none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from train.chatml import SPECIAL_TOKENS, TURN_END, TURN_START
from train.config import VOCAB_SIZE
from train.corpus.base import Message

PRE_TOKENIZER_NAME = "qwen2"
SPLIT_RULE = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def make_tokenizer(vocabulary: dict[str, int], merges: list[tuple[str, str]]) -> Tokenizer:
    """A tokenizer with the split rule, from its vocabulary and its merges."""
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
    """Learn the merges from the texts; the special tokens take the first ids."""
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
    """Read a tokenizer that :func:`save_tokenizer` wrote."""
    return Tokenizer.from_file(str(path))


def token_id(tokenizer: Tokenizer, token: str) -> int:
    """The id of a token that has to be in the vocabulary."""
    found = tokenizer.token_to_id(token)
    if found is None:
        raise LookupError(f"the vocabulary has no {token!r}")
    return int(found)


class ChatEncoder:
    """Turns a conversation into token ids and marks the ones the assistant has to learn."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._start = token_id(tokenizer, TURN_START)
        self._end = token_id(tokenizer, TURN_END)
        self._newline = tokenizer.encode("\n").ids

    def encode(self, messages: Sequence[Message]) -> tuple[list[int], list[bool]]:
        """Ids of the whole conversation, and for each whether its prediction counts in the loss."""
        texts = [f"{m.role}\n" for m in messages] + [m.content for m in messages]
        pieces = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts)]
        ids: list[int] = []
        learn: list[bool] = []
        for index, message in enumerate(messages):
            head = [self._start, *pieces[index]]
            body = [*pieces[len(messages) + index], self._end]
            ids += head + body + self._newline
            learn += [False] * len(head) + [message.role == "assistant"] * len(body)
            learn += [False] * len(self._newline)
        return ids, learn
