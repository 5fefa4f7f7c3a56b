"""Train in three stages: the eye learns to write words, the text model to answer from right ones, then from those."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader

from train.batches import NOT_LEARNED
from train.config import Recipe
from train.eye.reading import read_eye
from train.eye.samples import BATCHES, LABELS, Sight, Sights, Talk, Talks
from train.eye.slots import SLOTS, WORDS, spoken
from train.eye.text import Tokens, add_low_rank, hidden_states
from train.eye.vision import RARE_LOGIT, Eye, EyeShape
from train.model import Decoder
from train.optimizer import Optimizer
from train.reading import read_model

LOG = logging.getLogger(__name__)
LOG_EVERY = 20
WORD_WEIGHT, LABEL_WEIGHT = 30.0, 5.0
MEMORY = 0.97
CLEAR = 4.5
"""The score of a word that the eye is sure of."""


@dataclass(frozen=True)
class EyeRecipe:
    """The length and the speed of training: those of the shipped eye, which was made in parts (train/README.md)."""

    word_steps: int = 7500
    read_steps: int = 180
    talk_steps: int = 1080
    pictures: int = 128
    talks: int = 32
    rank: int = 16
    seed: int = 11
    threads: int = 2
    checkpoint_every: int = 60
    word_rate: float = 0.02
    talk_rate: float = 0.01

    def schedule(self, steps: int, rate: float) -> Recipe:
        """Return what an optimizer has to know."""
        return Recipe(steps=steps, warmup=50, matrix_rate=rate, other_rate=rate / 6)


class Sighted(nn.Module):
    """The eye, with a layer that names what each patch shows, which is for training alone."""

    def __init__(self, shape: EyeShape, words: Tensor) -> None:
        super().__init__()
        self.eye = Eye(shape, words)
        self.naming = nn.Linear(shape.width, len(LABELS))
        nn.init.constant_(self.naming.bias, RARE_LOGIT)

    def losses(self, sight: Sight) -> tuple[Tensor, Tensor]:
        """Return the loss of words and labels, and the hidden units of the projector."""
        early, units = self.eye.look(sight.pixels)
        scores = self.eye.words(units)[:, :SLOTS].float()
        words = functional.binary_cross_entropy_with_logits(scores, sight.words)
        labels = functional.binary_cross_entropy_with_logits(self.naming(early).float(), sight.labels)
        return WORD_WEIGHT * words + LABEL_WEIGHT * labels, units


def word_embeddings(text: Decoder, tokens: Tokens) -> Tensor:
    """Return the text model's embeddings of the words that the eye writes; of several tokens the mean."""
    rows = [text.embedding.weight[list(tokens.split(spoken(word)))].mean(0) for word in WORDS]
    return torch.stack(rows).detach()


@dataclass
class Progress:
    """The progress of a stage."""

    step: int = 0
    seconds: float = 0.0
    loss: float = 0.0

    def count(self, loss: float, seconds: float, stage: str) -> None:
        """Count a step, and report from time to time."""
        self.step += 1
        self.seconds += seconds
        self.loss = loss if self.step == 1 else MEMORY * self.loss + (1 - MEMORY) * loss
        if self.step % LOG_EVERY == 0:
            LOG.info("%s: step %d loss %.4f, %.0f s", stage, self.step, self.loss, self.seconds)


class Stage:
    """A stage of training that can be continued: the trained weights, their optimizer, and the progress."""

    def __init__(self, file: Path, model: nn.Module, optimizer: Optimizer) -> None:
        self._file, self._model, self._optimizer = file, model, optimizer
        self.progress = Progress()
        if file.exists():
            content: dict[str, Any] = torch.load(file, weights_only=True)
            model.load_state_dict(content["model"], strict=False)
            optimizer.restore(content["optimizer"])
            self.progress = Progress(**content["progress"])
            LOG.info("%s: going on from step %d", file.stem, self.progress.step)

    @property
    def name(self) -> str:
        """Return the name of the stage, which is that of its file."""
        return self._file.stem

    def save(self) -> None:
        """Write everything that training needs to continue; replace the old file only by a complete one."""
        names = {name for name, weight in self._model.named_parameters() if weight.requires_grad}
        weights = {name: weight for name, weight in self._model.state_dict().items() if name in names}
        temporary = self._file.with_suffix(".new")
        torch.save({"model": weights, "optimizer": self._optimizer.state(), "progress": vars(self.progress)}, temporary)
        temporary.replace(self._file)

    def advance(self, loss_of: Callable[[], Tensor]) -> None:
        """Do one step."""
        started = time.monotonic()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of()
        self._model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch's has no types
        self._optimizer.step(self.progress.step)
        self.progress.count(float(loss.detach()), time.monotonic() - started, self._file.stem)


def _loader(samples: Any, start: int) -> Iterator[Any]:
    return iter(
        DataLoader(samples, batch_size=None, sampler=range(start, len(samples)), num_workers=1, prefetch_factor=4)
    )


def learn_words(sighted: Sighted, recipe: EyeRecipe, file: Path) -> None:
    """Train the eye to write words."""
    sighted.eye.mm_2.requires_grad_(False)
    stage = Stage(file, sighted, Optimizer(sighted, recipe.schedule(recipe.word_steps, recipe.word_rate)))
    samples = Sights(sighted.eye.shape, size=recipe.pictures, steps=recipe.word_steps, seed=recipe.seed)
    for sight in _loader(samples, stage.progress.step):
        stage.advance(partial(_words_loss, sighted, sight))
        if stage.progress.step % recipe.checkpoint_every == 0 or stage.progress.step == recipe.word_steps:
            stage.save()
    sighted.eye.mm_2.requires_grad_(True)


def _words_loss(sighted: Sighted, sight: Sight) -> Tensor:
    return sighted.losses(sight)[0]


class Talker(nn.Module):
    """The eye and the text model that answers from it, with its low-rank additions if the rank is not 0."""

    def __init__(self, sighted: Sighted, text: Decoder, rank: int) -> None:
        super().__init__()
        self.sighted = sighted
        if rank:
            add_low_rank(text, rank)
        for weight in text.parameters():
            if not weight.requires_grad:
                weight.data = weight.data.bfloat16()
        self.text = text

    def reading_loss(self, talk: Talk) -> Tensor:
        """Return the loss of the answers if the eye wrote the right words, and wrote them more or less clearly."""
        eye = self.sighted.eye
        right = functional.pad(talk.sight.words, (0, 0, 0, eye.shape.tokens - SLOTS))
        scores = torch.where(right > 0, CLEAR, RARE_LOGIT) + torch.randn_like(right)
        units = functional.pad(scores, (0, eye.shape.projector - len(WORDS)))
        return self._answers(eye.project(units), talk)

    def talking_loss(self, talk: Talk) -> Tensor:
        """Return the loss of the answers about what the eye sees."""
        with torch.no_grad():
            units = self.sighted.eye.look(talk.sight.pixels)[1]
        return self._answers(self.sighted.eye.project(units), talk)

    def _answers(self, pictures: Tensor, talk: Talk) -> Tensor:
        states = hidden_states(self.text, talk.text.inputs, pictures)
        logits = self.text.logits(states.flatten(0, 1)[talk.text.places]).float()
        return functional.cross_entropy(logits, talk.text.targets, ignore_index=NOT_LEARNED)


def learn_to_answer(talker: Talker, text_model: Path, recipe: EyeRecipe, file: Path, *, is_seeing: bool) -> None:
    """Train the text model's additions and the projector's end, on the right words or on what the eye writes."""
    talker.sighted.requires_grad_(False)
    talker.sighted.eye.mm_2.requires_grad_(True)
    steps, loss_of = (recipe.talk_steps, talker.talking_loss) if is_seeing else (recipe.read_steps, talker.reading_loss)
    stage = Stage(file, talker, Optimizer(talker, recipe.schedule(steps, recipe.talk_rate)))
    samples = Talks(
        text_model,
        talker.sighted.eye.shape,
        size=recipe.talks,
        steps=-(-steps // BATCHES),
        seed=f"{stage.name} {recipe.seed}",
    )
    for talks in _loader(samples, stage.progress.step // BATCHES):
        for talk in talks:
            stage.advance(partial(loss_of, talk))
        if stage.progress.step % recipe.checkpoint_every == 0:
            stage.save()
    stage.save()


def train_eye(text_model: Path, shape: EyeShape, recipe: EyeRecipe, work: Path, eye_file: Path | None = None) -> Talker:
    """Train all stages, from their checkpoints if there are any; return the networks.

    An eye that was made for another text model writes the same words: with its file the first stage is left out.
    """
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    text = read_model(text_model)
    sighted = Sighted(shape, word_embeddings(text, Tokens(text_model, shape.tokens)))
    if eye_file:
        read_eye(sighted.eye, eye_file)
    else:
        learn_words(sighted, recipe, work / "words.pt")
    talker = Talker(sighted, text, recipe.rank)
    learn_to_answer(talker, text_model, recipe, work / "reading.pt", is_seeing=False)
    learn_to_answer(talker, text_model, recipe, work / "talking.pt", is_seeing=True)
    return talker
