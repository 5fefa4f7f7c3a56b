"""The text model that the eye is trained for: its file's weights, its tokens, low-rank additions to its matrices."""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path

import torch
from torch import Tensor, nn

from train.chatml import TURN_END, TURN_START
from train.corpus.base import Message
from train.eye.questions import Question
from train.eye.watcher import Vocabulary
from train.model import Decoder, rotary_table

PICTURE = -1
"""Stands in a row of ids for an embedding of the picture."""

Row = tuple[list[int], list[int]]


class LowRank(nn.Module):
    """A frozen matrix and a trained addition of low rank."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base
        self.lora_a = nn.Parameter(torch.randn(rank, base.in_features) * base.in_features**-0.5)
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, states: Tensor) -> Tensor:
        """Return what the matrix and its addition make of the states."""
        first, second = self.lora_a.to(states.dtype), self.lora_b.to(states.dtype)
        result: Tensor = self.base(states) + nn.functional.linear(nn.functional.linear(states, first), second)
        return result


def add_low_rank(model: Decoder, rank: int) -> None:
    """Give every matrix of the layers an addition that is trained."""
    for block in model.blocks:
        for part in (block.attention, block.feed):
            for name, layer in list(part.named_children()):  # type: ignore[union-attr]  # torch's module lists are untyped
                setattr(part, name, LowRank(layer, rank))


def hidden_states(model: Decoder, ids: Tensor, pictures: Tensor) -> Tensor:
    """Return the final states of rows of ids in which the places of the picture hold its embeddings.

    All of it has the precision of the model's weights; autocast would convert to and fro, which takes half of the time.
    """
    with torch.autocast("cpu", enabled=False):
        states = model.embedding(ids.clamp(min=0))
        states = torch.where((ids == PICTURE)[..., None], _spread(ids, pictures).to(states.dtype), states)
        turns = rotary_table(model.shape, ids.shape[1])
        for block in model.blocks:
            states = block(states, turns)
        result: Tensor = model.final_norm(states)
    return result


def _spread(ids: Tensor, pictures: Tensor) -> Tensor:
    """Return the embeddings of each row's picture at the places that are marked in it."""
    order = ((ids == PICTURE).cumsum(1) - 1).clamp(0, pictures.shape[1] - 1)
    return pictures.gather(1, order[..., None].expand(-1, -1, pictures.shape[2]))


class Tokens:
    """The tokens of conversations about a picture, as llama.cpp splits them."""

    def __init__(self, path: Path, picture_tokens: int) -> None:
        self._path, self._picture = path, [PICTURE] * picture_tokens

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._path)

    @lru_cache(maxsize=200_000)  # noqa: B019  # there is one of these, which lives as long as the training
    def split(self, text: str) -> tuple[int, ...]:
        """Return the tokens of a text; the marks of the frame are tokens of their own."""
        return tuple(self._vocabulary.tokens(text))

    def _answer(self, question: Question) -> list[int]:
        """Return an answer's tokens; what is read from the picture is split into characters, as it is seen."""
        if not question.spelled:
            return [*self.split(question.answer)]
        before, _, after = question.answer.partition(f" {question.spelled}")
        pieces = (f" {question.spelled[0]}", *question.spelled[1:])
        spelled = [token for piece in pieces for token in self.split(piece)]
        return [*self.split(before), *spelled, *self.split(after)]

    def row(
        self, questions: list[Question], gap: str, *, is_first: bool, system: str, others: dict[int, list[Message]]
    ) -> Row:
        """Return the ids of a conversation about a picture and for each whether its prediction counts.

        The picture stands before the first question or after it; `others` are exchanges about something else, by the
        number of the question that they follow.
        """
        ids: list[int] = [*self.split(f"{TURN_START}system\n{system}{TURN_END}\n")] if system else []
        learn = [0] * len(ids)
        for number, question in enumerate(questions):
            head = [*self.split(f"{TURN_START}user\n")]
            if number:
                head += self.split(question.asked)
            elif is_first:
                head += [*self._picture, *self.split(gap + question.asked)]
            else:
                head += [*self.split(question.asked + gap), *self._picture]
            self._add(ids, learn, head, self._answer(question))
            for message in others.get(number, ()):
                if message.role == "assistant":
                    self._add(ids, learn, head, [*self.split(message.content)])
                head = [*self.split(f"{TURN_START}user\n{message.content}")]
        return ids, learn

    def _add(self, ids: list[int], learn: list[int], head: list[int], answer: list[int]) -> None:
        frame = [*head, *self.split(f"{TURN_END}\n{TURN_START}assistant\n")]
        tail = self.split(f"{TURN_END}\n")
        ids += [*frame, *answer, *tail]
        learn += [0] * len(frame) + [1] * (len(answer) + 1) + [0] * (len(tail) - 1)
