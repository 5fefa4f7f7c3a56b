"""An engine with the bundled model, and the means to ask it questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from unitd.settings import find_program_folders
from units.llm.context import Context, Entry
from units.llm.engine import Engine
from units.llm.grammars import Grammars
from units.llm.llama import Blend, Model
from units.llm.messages import Message
from units.llm.options import SamplerSpec
from units.llm.prompt import PromptMaker
from units.llm.sampling import Sampler
from units.llm.sequence import Generation
from units.llm.text import TextStream

BUNDLED = find_program_folders().bundled_models / "unitd-chat" / "unitd-chat.gguf"
SLOTS = 3
GREEDY = SamplerSpec()


@dataclass(eq=False)
class Ear:
    """Keeps what generations say."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    pauses: dict[str, list[str]] = field(default_factory=dict)
    ends: dict[str, list[str]] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)

    def on_read(self, generation: Generation) -> None:
        """Keep the task of a prompt that was read."""
        self.prompts.append(generation.task)

    def on_text(self, generation: Generation, text: str) -> None:
        """Keep a piece of text."""
        self.texts.setdefault(generation.task, []).append(text)

    def on_pause(self, generation: Generation, reason: str) -> None:
        """Keep the reason of a pause."""
        self.pauses.setdefault(generation.task, []).append(reason)

    def on_end(self, generation: Generation, reason: str, error: str = "") -> None:
        """Keep the reason of an end."""
        self.ends.setdefault(generation.task, []).append(reason)

    def text(self, task: str) -> str:
        """Return everything that one task said."""
        return "".join(self.texts.get(task, []))


class CountingContext(Context):
    """A context that counts the tokens it has computed."""

    computed = 0
    sequences: tuple[int, ...] = ()
    """The sequences of the last batch, in its order."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.batches: set[tuple[int, ...]] = set()
        """The sequences of all batches."""

    def decode(self, entries: Sequence[Entry]) -> bool:
        """Count the tokens, then decode them."""
        self.computed += len(entries)
        self.sequences = tuple(entry.sequence for entry in entries)
        self.batches.add(self.sequences)
        return super().decode(entries)


@dataclass(eq=False)
class Bench:
    """An engine and the means to ask it questions."""

    model: Model
    grammars: Grammars
    engine: Engine
    ear: Ear
    context: CountingContext

    def ask(
        self,
        task: str,
        text: str,
        *,
        max_tokens: int = 40,
        spec: SamplerSpec = GREEDY,
        blend: Blend = (),
        owner: str = "",
        client: str = "",
        priority: int = 0,
    ) -> Generation:
        """Start an answer."""
        prompt = PromptMaker(self.model).make([Message("user", text)], context=512, thinks=False)
        sampler = Sampler(self.model, self.grammars, spec)
        generation = Generation(
            task, prompt, max_tokens, 512, sampler, TextStream(), self.ear, blend, owner, client, priority=priority
        )
        self.engine.start(generation)
        return generation

    def run(self) -> None:
        """Step until nothing is left to do."""
        while self.engine.is_busy:
            self.engine.step()
