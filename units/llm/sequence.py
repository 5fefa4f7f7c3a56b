"""Generations and slots: a generation is a growing list of tokens, a slot is one sequence of the KV cache."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from units.llm.llama import Blend
from units.llm.policy import NEVER, PausePolicy
from units.llm.sampling import Sampler
from units.llm.text import TextStream
from units.llm.vision.layout import TEXT_ONLY, Layout

if TYPE_CHECKING:
    from units.llm.vision.encoder import WantedPicture


class Listener(Protocol):
    """The receiver of what a generation says."""

    def on_text(self, generation: "Generation", text: str) -> None:
        """Take more of the answer."""

    def on_read(self, generation: "Generation") -> None:
        """Note that the prompt is in the cache and the first token comes next."""

    def on_pause(self, generation: "Generation", reason: str) -> None:
        """Note a stop by the policy: max_tokens or sentence_boundary."""

    def on_end(self, generation: "Generation", reason: str, error: str = "") -> None:
        """Note the one end: stop, length, sentence_boundary_eos, interrupted or error."""


@dataclass(eq=False)
class Slot:
    """One sequence of the KV cache; `tokens` are in it, in order from position 0."""

    index: int
    tokens: list[int] = field(default_factory=list)
    layout: Layout = TEXT_ONLY
    """Where pictures stand among the tokens."""

    blend: Blend = ()
    """The adapters with which the tokens were computed."""

    task: str = ""
    owner: str = ""
    """The owner of the tokens: the time to an answer must not tell others that they are known."""

    public: int = 0
    """How many of the first tokens are the board's own words, which all owners may share."""

    last_used: float = 0.0
    generation: "Generation | None" = None


@dataclass(eq=False)
class Generation:
    """One answer on its way. `max_tokens` 0 only warms the cache."""

    task: str
    prompt: list[int]
    max_tokens: int
    context: int
    sampler: Sampler
    text: TextStream
    listener: Listener
    blend: Blend = ()
    owner: str = ""
    """The name in which the task runs."""

    client: str = ""
    """The client of the owner that asked."""

    public: int = 0
    """How many of the prompt's first tokens are the board's own words."""

    layout: Layout = TEXT_ONLY
    """Where pictures stand in the prompt."""

    wanted_pictures: Mapping[bytes, "WantedPicture"] = field(default_factory=dict)
    """The pictures by their keys."""

    is_awaiting: bool = False
    """True while the next tokens are of a picture that is being encoded."""

    policy: PausePolicy = NEVER
    priority: int = 0
    """More urgent ones get a slot and have their prompts read first: speech before a background job."""

    tells_prompt: bool = False
    """True when the client wants to know that the prompt is read."""

    stop_word: str = ""
    """The stop string or end of a turn that ended it; "" for the end of the text itself."""

    number: int = 0
    tokens: list[int] = field(default_factory=list)
    chunk_tokens: int = 0
    """Tokens said since the start or the last pause."""

    recent: str = ""
    """The end of the text, as far as a sentence's end can be told from it."""

    is_at_boundary: bool = False
    ahead: int | None = None
    """A token that was sampled to learn whether anything follows, and not said yet."""

    slot: Slot | None = None
    is_held: bool = False
    saved: tuple[bytearray, list[int]] | None = None
    """A cache that waits for a slot, and the tokens that it holds."""

    began: float = field(default_factory=time.monotonic)
    last_step: float = 0.0
    waits_since: float = field(default_factory=time.monotonic)
    """The time since which it wants a slot, while it has none."""

    turn_began: float = 0.0
    """The time at which it got its slot."""

    is_returning: bool = False
    """True after it gave up a slot."""

    is_relearning: bool = False
    """True when its cache could not be kept: what it said is computed once more, token by token."""

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)

    @property
    def is_resting(self) -> bool:
        """Return True while nothing can be computed for it; its slot may be given to another one."""
        return self.is_held or self.is_awaiting

    @property
    def generated(self) -> int:
        """Return the number of tokens said so far."""
        return len(self.tokens) - len(self.prompt)

    @property
    def missing(self) -> int:
        """Return the number of tokens that are not in the cache."""
        return len(self.tokens) - (len(self.slot.tokens) if self.slot else 0)

    @property
    def unread(self) -> int:
        """Return the number of missing tokens that may be computed in chunks."""
        if not self.is_relearning or self.slot is None:
            return self.missing
        return len(self.prompt) - len(self.slot.tokens)

    @property
    def is_speaking(self) -> bool:
        """Return True when the next step is one token; False while a grammar chooses it."""
        if self.slot is None or not self.generated or not self.missing:
            return False
        return self.missing == 1 or self.unread <= 0


def common_length(first: Sequence[int], second: Sequence[int]) -> int:
    """Return how many tokens two sequences have in common at their beginnings."""
    for at, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return at
    return min(len(first), len(second))
