"""The functions of clients: read from the data files, and named as one of many developers would name them."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from train.corpus.banks import bank
from train.corpus.base import Phrasings, Split, expand, is_held_combination
from train.corpus.tools.own.own_tools_fillers import Value, choices, is_number
from train.corpus.tools.toolbox import Call

FILES = ("own_office", "own_machines", "own_leisure", "own_system")
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Parameter:
    """A parameter: its names, of which the first is that of the slot, and what can stand in it."""

    names: tuple[str, ...]
    filler: str
    is_required: bool

    @property
    def slot(self) -> str:
        """Return the name of the slot in phrasings."""
        return self.names[0].replace(" ", "_")


@dataclass(frozen=True)
class Phrase:
    """A phrasing of a function: what its words decide, and the field of the result that it asks for."""

    template: str
    fixed: Mapping[str, str]
    field: str = ""

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the slots of the phrasing."""
        return tuple(SLOT.findall(self.template))


@dataclass(frozen=True)
class Function:
    """A function by its meaning: names in plain words, parameters, kind of the result, phrasings."""

    domain: str
    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    result: str
    phrasings: Phrasings

    @cached_property
    def is_held(self) -> bool:
        """Return whether no conversation of the training asks for this function."""
        return is_held_combination("own function", self.domain, self.names[0])

    @property
    def words(self) -> frozenset[str]:
        """Return the words of all its names, which tell what it is about."""
        return frozenset(f"{self.domain} {' '.join(self.names)}".split())

    def phrase(self, rng: random.Random, split: Split) -> Phrase:
        """Return a phrasing of the split; all those of a function that is never trained are as good as held out."""
        if self.is_held:
            return read_phrase(expand(rng, rng.choice([*self.phrasings.train, *self.phrasings.heldout])))
        return read_phrase(self.phrasings.pick(rng, split))

    def lacks(self, phrase: Phrase) -> list[Parameter]:
        """Return the required parameters that a phrasing does not say."""
        said = {*phrase.slots, *phrase.fixed}
        return [each for each in self.parameters if each.is_required and each.slot not in said]


def read_phrase(line: str) -> Phrase:
    """Return the phrasing of a line; its choices are made already."""
    template, _, after = line.partition(" => ")
    if after.startswith("@"):
        return Phrase(template, {}, after[1:])
    return Phrase(template, dict(part.split("=") for part in after.split(", ")) if after else {})


def read_function(header: str, phrasings: Phrasings) -> Function:
    """Return the function of a block; see own_office.txt for the form of the header."""
    title, parameters, result = (part.strip() for part in header.split(" | "))
    domain, _, names = title.partition(": ")
    parts = [part.partition(": ") for part in parameters.split("; ") if part]
    return Function(
        domain,
        tuple(names.split(", ")),
        tuple(Parameter(tuple(n.split("/")), filler.removesuffix("?"), filler[-1] != "?") for n, _, filler in parts),
        result,
        phrasings,
    )


@cache
def functions_of(name: str) -> tuple[Function, ...]:
    """Return the functions of a data file."""
    return tuple(read_function(header.replace("| |", "|  |"), lines) for header, lines in bank(name).items())


@cache
def all_functions() -> tuple[Function, ...]:
    """Return all functions."""
    return tuple(function for name in FILES for function in functions_of(name))


@dataclass(frozen=True)
class Style:
    """How a developer writes names."""

    joint: str
    """What joins the words of a name; "" is for camelCase."""

    has_domain: bool
    is_usual: bool
    """Whether the developer takes the usual names."""

    @classmethod
    def draw(cls, rng: random.Random) -> Style:
        """Return the style of one client."""
        return cls(rng.choices(("_", "", "-"), (70, 20, 10))[0], rng.random() < 0.15, rng.random() < 0.5)

    def spell(self, words: str) -> str:
        """Return a name of these words."""
        first, *others = words.split(" ")
        return first + "".join(map(str.capitalize, others)) if not self.joint else self.joint.join((first, *others))

    def function_name(self, rng: random.Random, domain: str, names: Sequence[str]) -> str:
        """Return the name of a function."""
        name = self.spell(names[0] if self.is_usual or rng.random() < 0.5 else rng.choice(names))
        return f"{self.spell(domain)}.{name}" if self.has_domain else name

    def parameter_name(self, rng: random.Random, names: Sequence[str]) -> str:
        """Return the name of a parameter."""
        words = names[0] if self.is_usual or rng.random() < 0.5 else rng.choice(names)
        return self.spell(words) if not self.joint else words.replace(" ", "_")


@dataclass(frozen=True)
class OwnTool:
    """A function as one client offers it."""

    function: Function
    name: str
    names: Mapping[str, str]
    """The name of each parameter, by its slot."""

    def schema(self) -> dict[str, Any]:
        """Return the tool in OpenAI's format."""
        properties = {self.names[each.slot]: _schema(each.filler) for each in self.function.parameters}
        required = [self.names[each.slot] for each in self.function.parameters if each.is_required]
        parameters = {"type": "object", "properties": properties, "required": required}
        return {"type": "function", "function": {"name": self.name, "parameters": parameters}}

    def call(self, values: Mapping[str, Value]) -> Call:
        """Return the call with these values, by slot; what was not said is left out."""
        slots = [each.slot for each in self.function.parameters if each.slot in values]
        return {"name": self.name, "arguments": {self.names[slot]: values[slot] for slot in slots}}

    def fixed(self, phrase: Phrase) -> dict[str, Value]:
        """Return the values that the words of a phrasing decide."""
        fillers = {each.slot: each.filler for each in self.function.parameters}
        return {slot: _typed(fillers[slot], text) for slot, text in phrase.fixed.items()}


def _typed(filler: str, text: str) -> Value:
    if filler == "flag":
        return text == "true"
    return int(text) if is_number(filler) else text


def _schema(filler: str) -> dict[str, Any]:
    kind = "boolean" if filler == "flag" else "string"
    if is_number(filler):
        kind = "integer" if filler.startswith("int ") or choices(filler) else "number"
    options = choices(filler)
    return {"type": kind, "enum": list(options)} if options else {"type": kind}


def named(rng: random.Random, function: Function, style: Style) -> OwnTool:
    """Return a function with the names of a client."""
    name = style.function_name(rng, function.domain, function.names)
    names: dict[str, str] = {}
    for each in function.parameters:
        chosen = style.parameter_name(rng, each.names)
        names[each.slot] = chosen if chosen not in names.values() else style.parameter_name(rng, each.names[:1])
    return OwnTool(function, name, names)
