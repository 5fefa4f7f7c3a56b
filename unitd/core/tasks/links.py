"""What one task's output does to another: the table in docs/original-firmware.md, section 4, and no loops.

A link lives in its target's `inputs`; this module only judges.
"""

from collections.abc import Mapping, Sequence
from enum import Enum

from unitd.wire.errors import BadLink
from unitd.wire.messages import is_task_id, unit_of


class Effect(Enum):
    """What the target does when the source has something to say."""

    STOP = "stop"
    """The running generation ends, the queue is dropped."""

    PROMPT = "prompt"
    """A finished text becomes an inference."""

    WAKE = "wake"
    """The target sleeps until it is woken."""

    SPEAK = "speak"
    """An answer is spoken while it is written."""

    SPEECH = "speech"
    """The target is told when somebody begins and ends to speak."""


EFFECTS: dict[tuple[str, str], Effect] = {
    ("kws", "llm"): Effect.STOP,
    ("kws", "tts"): Effect.STOP,
    ("kws", "melotts"): Effect.STOP,
    ("kws", "asr"): Effect.WAKE,
    ("kws", "whisper"): Effect.WAKE,
    ("kws", "vad"): Effect.WAKE,
    ("asr", "llm"): Effect.PROMPT,
    ("whisper", "llm"): Effect.PROMPT,
    ("llm", "tts"): Effect.SPEAK,
    ("llm", "melotts"): Effect.SPEAK,
    ("vad", "asr"): Effect.SPEECH,
    ("vad", "whisper"): Effect.SPEECH,
}


def effect_of(source: str, target: str) -> Effect | None:
    """The effect of one work_id on another, None when the pair means nothing."""
    return EFFECTS.get((unit_of(source), unit_of(target)))


def check_link(source: str, target: str, inputs: Mapping[str, Sequence[str]]) -> None:
    """Judges a new link; `inputs` maps every task to what it listens to.

    Raises:
        BadLink: the source is no task, the pair means nothing, or the link would close a loop.
    """
    if source not in inputs:
        raise missing_source(source)
    if _reaches(target, source, inputs):
        raise BadLink(f"{source} already listens to {target}, this would loop")
    if effect_of(source, target) is None:
        raise BadLink(f"{unit_of(target)} has no use for the output of {unit_of(source)}")


def missing_source(source: str) -> BadLink:
    """The error for a source that is not there, or not there for this client."""
    return BadLink(f"there is no task {source}")


def _reaches(start: str, goal: str, inputs: Mapping[str, Sequence[str]]) -> bool:
    """True when the output of `start` arrives at `goal` over any number of links."""
    pending, seen = [goal], set[str]()
    while pending:
        task = pending.pop()
        if task == start:
            return True
        if task not in seen:
            seen.add(task)
            pending += [each for each in inputs.get(task, ()) if is_task_id(each)]
    return False
