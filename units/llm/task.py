"""An llm task, for any engine: its options, its conversation, and its present answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from units.llm.messages import Message, pictures_of, read_images
from units.llm.options import LlmOptions, read_options
from units.llm.vision.picture import Picture
from units.setup_values import refusal

if TYPE_CHECKING:
    from units.llm.llama import Blend
    from units.llm.sequence import Generation

# The original's word and its answer, for models that keep context (docs/original-firmware.md, section 5).
RESET_WORD = "reset"
RESET_ANSWER = "Context has been reset."


class Turn(NamedTuple):
    """One exchange of a conversation."""

    user: str
    assistant: str
    pictures: tuple[Picture, ...] = ()
    """The pictures before the user's words."""


@dataclass(eq=False)
class LlmTask:
    """One task. `generation` is the engine's own record of the answer on its way."""

    work_id: str
    data: dict[str, Any]
    largest_context: int
    options: LlmOptions
    history: list[Turn] = field(default_factory=list)
    owner: str = ""
    """The name in which the task runs: only tasks of the same owner share what was read."""

    public_prompt: Sequence[int] = ()
    """The tokens of a system prompt that is the board's own, which all owners may share."""

    blend: "Blend" = ()
    generation: "Generation | None" = None
    question: str = ""
    images: tuple[Picture, ...] = ()
    """The pictures before the question."""

    said: list[str] = field(default_factory=list)
    has_called: bool = False
    """True when the answer so far is calls; the answer in words comes after their results."""

    is_paused: bool = False
    """True even before there is a generation: its grammar may still be tried."""

    is_warned: bool = False
    """True after a warning of a prompt longer than what the model was trained on."""

    @classmethod
    def from_setup(cls, work_id: str, data: dict[str, Any], memory: Any, largest_context: int) -> "LlmTask":
        """Read a setup and what was remembered before a crash; raise UnitFault for a bad value."""
        if "images" in data:
            raise refusal("images are for one inference, not for the setup of a task; messages may hold them")
        options = read_options(data, largest_context)
        turns = (memory or {}).get("history", []) if options.keeps_history else []
        return cls(work_id, data, largest_context, options, [Turn(*turn) for turn in turns])

    def options_with(self, changes: dict[str, Any]) -> LlmOptions:
        """Return the options with the changes of one inference; raise as `from_setup` does."""
        if "lora" in changes:
            raise refusal("lora is for the setup of a task, not for one inference")
        options = read_options(self.data | changes, self.largest_context)
        if "images" not in changes:
            return options
        if options.messages is not None or options.is_raw:
            raise refusal("images go with a question, neither with messages nor with raw; messages may hold them")
        return replace(options, images=read_images(changes["images"]))

    def pictures_for(self, options: LlmOptions) -> list[Picture]:
        """Return the pictures of the next prompt."""
        if options.messages is not None:
            return pictures_of(options.messages)
        remembered = [picture for turn in self.history for picture in turn.pictures]
        return [*remembered, *options.images]

    def is_reset(self, text: str) -> bool:
        """Return True for the word that clears the conversation."""
        return self.options.keeps_history and text.strip() == RESET_WORD

    def begin(self, question: str) -> None:
        """Begin a new exchange."""
        self.question, self.images, self.said, self.has_called = question, (), [], False

    def ready_answer(self, given: str) -> str:
        """Return the answer for which no model is needed, and remember the exchange; "" when a model is needed.

        The daemon has `given` an answer when it has used tools; the word that clears the conversation has one too.
        """
        if self.is_reset(self.question):
            self.history.clear()
            return RESET_ANSWER
        if given:
            self.said.append(given.strip())
            self.remember()
        return given

    def remember(self) -> None:
        """Add the exchange to the conversation, as far as it was said."""
        if self.options.keeps_history and self.question and not self.has_called:
            self.history.append(Turn(self.question, "".join(self.said), self.images))

    @property
    def memory(self) -> dict[str, Any]:
        """Return what a finish message carries, so that the daemon can give it back; empty without history.

        Pictures are not given back: they would be sent with each answer.
        """
        turns = [[turn.user, turn.assistant] for turn in self.history]
        return {"memory": {"history": turns}} if self.options.keeps_history else {}


def conversation(
    system: str, history: Sequence[Turn], user: str | None, images: Sequence[Picture] = ()
) -> list[Message]:
    """Return the messages of a conversation that the task keeps itself."""
    messages = [Message("system", system)] if system else []
    for turn in history:
        messages += [_asked(turn.user, turn.pictures), Message("assistant", turn.assistant)]
    if user is not None:
        messages.append(_asked(user, images))
    return messages


def _asked(text: str, images: Sequence[Picture]) -> Message:
    return Message("user", text, parts=(*images, text) if images else ())
