"""Evaluate tool calls, with houses, names, areas and phrasings that were not in training.

Every question is answered twice: freely, and as in the llm unit, where a grammar made of the tools (including the names
of the devices) applies as soon as a call begins. The decision whether to call is free in both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from train.chatml import CALL_MARKS
from train.corpus.base import Message, normal
from train.corpus.tools.talk import Probe
from train.corpus.tools.toolbox import read_calls
from units.llm.calls import grammar_of
from units.llm.tools import read_tools

NEEDED_TOOL = 0.92
NEEDED_ARGUMENTS = 0.90
NEEDED_SILENCE = 0.97


class Answerer(Protocol):
    """A model that answers, within a grammar if there is one."""

    def answer(self, messages: Sequence[Message], *, grammar: str = "") -> str:
        """Return the model's answer."""


@dataclass
class ToolFigures:
    """The right and wrong answers, question by question."""

    tool: list[bool] = field(default_factory=list)
    """If a call is required: whether the tools are the right ones, and no others."""

    arguments: list[bool] = field(default_factory=list)
    """If a call is required: whether the tools and their arguments are right."""

    silence: list[bool] = field(default_factory=list)
    """If no call is required: whether there is none."""

    words: list[bool] = field(default_factory=list)
    """The words for a missing device or tool, and after a result."""

    kinds: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)

    @property
    def is_good_enough(self) -> bool:
        """Return whether the model may be shipped."""
        return (
            share(self.tool) >= NEEDED_TOOL
            and share(self.arguments) >= NEEDED_ARGUMENTS
            and share(self.silence) >= NEEDED_SILENCE
        )

    def report(self) -> str:
        """Return one table."""
        rows = {
            "tool chosen right": self.tool,
            "arguments right too": self.arguments,
            "no call where none is due": self.silence,
            "said rightly": self.words,
            **{f"  {kind}": results for kind, results in sorted(self.kinds.items())},
        }
        return "\n".join(f"{name:26} {share(results):6.1%} of {len(results)}" for name, results in rows.items())


def share(results: Sequence[bool]) -> float:
    """Return the part that is right."""
    return sum(results) / len(results) if results else 0.0


def evaluate_tools(speaker: Answerer, probes: Sequence[Probe]) -> tuple[ToolFigures, ToolFigures]:
    """Ask every question, freely and within the grammar, and return the figures."""
    free, bound = ToolFigures(), ToolFigures()
    for probe in probes:
        said = speaker.answer(probe.messages)
        _judge(free, probe, said)
        if said.startswith(CALL_MARKS[0]):
            tools = read_tools(probe.functions)
            said = speaker.answer(probe.messages, grammar=grammar_of(tools) if tools else "")
        _judge(bound, probe, said)
    return free, bound


def _judge(figures: ToolFigures, probe: Probe, said: str) -> None:
    if not (_judge_calls if probe.calls else _judge_words)(figures, probe, said):
        asked = next(message.content for message in reversed(probe.messages) if message.role == "user")
        expected = [call["arguments"] for call in probe.calls] or probe.answer
        figures.wrong.append(f"{probe.kind}: {asked!r}: {said!r} not {expected!r}")


def _judge_calls(figures: ToolFigures, probe: Probe, said: str) -> bool:
    calls = read_calls(said) or []
    names = [call.get("name") for call in calls]
    figures.tool.append(names == [call["name"] for call in probe.calls])
    figures.arguments.append(calls == list(probe.calls))
    figures.kinds[probe.kind].append(figures.arguments[-1])
    return figures.arguments[-1]


def _judge_words(figures: ToolFigures, probe: Probe, said: str) -> bool:
    is_silent = read_calls(said) == []
    is_right = normal(said) == normal(probe.answer)
    if probe.kind != "spoken":
        figures.silence.append(is_silent)
    if probe.kind != "chat":
        figures.words.append(is_right)
    figures.kinds[probe.kind].append(is_silent if probe.kind == "chat" else is_right)
    return figures.kinds[probe.kind][-1]
