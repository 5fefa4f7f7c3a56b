"""How likely somebody has finished speaking: the probability of the end of the turn after the words so far."""

from collections.abc import Callable

import numpy as np

from unitd.wire.envelope import Envelope
from units.base import UNAVAILABLE, UnitFault
from units.host import Host
from units.llm.context import Context
from units.llm.engine import Engine
from units.llm.grammars import Grammars
from units.llm.llama import Model
from units.llm.options import SamplerSpec
from units.llm.sampling import Sampler
from units.llm.sequence import Generation
from units.llm.task import LlmTask


class EndSampler(Sampler):
    """Reads from the first logits how likely the turn ends there, and ends the generation."""

    def __init__(self, model: Model, grammars: Grammars) -> None:
        super().__init__(model, grammars, SamplerSpec())
        self._ends = sorted(model.end_tokens)
        self.probability: float | None = None
        """From 0 to 1; None before the words were read."""

    def sample(self, context: Context, row: int) -> int:
        """Keep the probability and return a token that ends a generation."""
        logits = self._logits(context, row).astype(np.float64)
        weights = np.exp(logits - logits.max())
        self.probability = float(weights[self._ends].sum() / weights.sum())
        return self._ends[0]


class TurnEnds:
    """The generations that only tell a probability. A question of the same task is more urgent."""

    def __init__(self, engine: Engine, host: Host, make_sampler: Callable[[], EndSampler]) -> None:
        self._engine = engine
        self._host = host
        self._make_sampler = make_sampler
        self._asked: dict[Generation, tuple[EndSampler, Envelope]] = {}

    def __contains__(self, generation: Generation) -> bool:
        return generation in self._asked

    def begin(self, task: LlmTask, asked: Envelope, start: Callable[..., Generation]) -> None:
        """Start a generation that tells the probability, with `start`; raise UnitFault while the task answers."""
        if task.generation is not None:
            raise UnitFault(UNAVAILABLE, f"{task.work_id} is answering")
        sampler = self._make_sampler()
        self._asked[start(sampler=sampler)] = sampler, asked

    def stop(self, task: LlmTask) -> None:
        """Give up what a task was asked for; the words that have been read stay in the cache."""
        if task.generation in self._asked:
            self._engine.end(task.generation, "interrupted")

    def end(self, generation: Generation, error: str) -> None:
        """Answer the message that asked."""
        sampler, asked = self._asked.pop(generation)
        if sampler.probability is None:
            self._host.answer(asked, code=UNAVAILABLE, message=error or "something else was asked meanwhile")
        else:
            self._host.answer(asked, probability=sampler.probability)
