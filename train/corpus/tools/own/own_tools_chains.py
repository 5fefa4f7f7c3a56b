"""Requests that need two functions of a client, one after the other: the first finds what the second is done with."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from functools import cache, cached_property

from train.corpus.banks import bank
from train.corpus.base import Message, Phrasings, Split, expand, is_held_combination
from train.corpus.tools.own.own_tools_catalog import Function, OwnTool, Style, named, read_function, read_phrase
from train.corpus.tools.own.own_tools_fillers import Value, draw_filled, draw_value
from train.corpus.tools.own.own_tools_results import NOTHING, draw_error, draw_outcome, sorry
from train.corpus.tools.own.own_tools_saying import say
from train.corpus.tools.own.own_tools_turns import answered, called, resulted

EXTRAS = {
    "city": "city",
    "email": "email",
    "phone": "phone",
    "status": "customer_status",
    "since": "year",
    "note": "word",
}
"""Fields that a found object may have besides those that are needed."""


@dataclass(frozen=True)
class Chain:
    """Two functions, and the field of the first one's result that the second one needs."""

    finder: Function
    actor: Function
    key: str
    filler: str
    phrasings: Phrasings

    @cached_property
    def is_held(self) -> bool:
        """Return whether no conversation of the training has this chain."""
        return is_held_combination("own chain", self.finder.names[0], self.actor.domain, self.actor.names[0])

    def line(self, rng: random.Random, split: Split) -> str:
        """Return a phrasing of the split."""
        if self.is_held:
            return expand(rng, rng.choice([*self.phrasings.train, *self.phrasings.heldout]))
        return self.phrasings.pick(rng, split)


@cache
def all_chains() -> tuple[Chain, ...]:
    """Return the chains of the data file."""
    return tuple(_read(header, phrasings) for header, phrasings in bank("own_chains").items())


def _read(header: str, phrasings: Phrasings) -> Chain:
    first, second = header.split(" > ")
    finder = read_function(first.replace("| |", "|  |"), phrasings)
    key, filler = finder.result.split(" ", 1)
    return Chain(finder, read_function(second, phrasings), key, filler, phrasings)


@dataclass(frozen=True)
class ChainTools:
    """A chain as one client offers it."""

    chain: Chain
    finder: OwnTool
    actor: OwnTool


def draw_chain(rng: random.Random, split: Split, style: Style) -> ChainTools:
    """Return a chain of the split."""
    chain = rng.choice([each for each in all_chains() if split != "train" or not each.is_held])
    return ChainTools(chain, named(rng, chain.finder, style), named(rng, chain.actor, style))


def chain_messages(rng: random.Random, split: Split, tools: ChainTools) -> list[Message]:
    """Return an exchange with both calls, or with one where the sentence says or the search finds enough."""
    chain = tools.chain
    phrase = read_phrase(chain.line(rng, split))
    parameters = (*chain.finder.parameters, *chain.actor.parameters)
    filled = {each.slot: draw_filled(rng, split, each.filler) for each in parameters}
    said = say(rng, phrase.template, filled)
    user, link = Message("user", said.text), chain.actor.parameters[0].slot
    if link in said.values:
        return [user, *_act(rng, split, tools, dict(said.values))]
    sought = {each.slot: said.values[each.slot] for each in chain.finder.parameters if each.slot in said.values}
    first = [user, called(tools.finder.call(sought))]
    draw = rng.random()
    if draw < 0.08:
        result, reason = draw_error(rng)
        return [*first, resulted(result), answered(sorry(reason))]
    if draw < 0.16:
        return [*first, resulted(rng.choice(("[]", "null", "not found", '{"results": []}', "{}"))), answered(NOTHING)]
    value = draw_value(rng, split, chain.filler)
    found = _found(rng, split, chain, value, sought)
    rest = {each.slot: said.values[each.slot] for each in chain.actor.parameters if each.slot in said.values}
    return [*first, resulted(found), *_act(rng, split, tools, {**rest, link: value})]


def _act(rng: random.Random, split: Split, tools: ChainTools, values: dict[str, Value]) -> list[Message]:
    phrase = read_phrase("")
    outcome = draw_outcome(rng, split, tools.actor, phrase, values)
    return [called(tools.actor.call(values)), resulted(outcome.result), answered(outcome.answer)]


def _found(rng: random.Random, split: Split, chain: Chain, value: Value, sought: dict[str, Value]) -> str:
    """Return what the first function found: the value alone, an object, or a list of one object."""
    if rng.random() < 0.15:
        return str(value)
    fields: dict[str, object] = {}
    if sought and rng.random() < 0.5:
        fields[rng.choice(("name", "title"))] = next(iter(sought.values()))
    extras = [key for key in EXTRAS if key != chain.key]
    for key in rng.sample(extras, rng.choice((0, 0, 1, 2))):
        fields[key] = draw_value(rng, split, EXTRAS[key])
    fields[chain.key if rng.random() < 0.8 or not chain.key.endswith("_id") else "id"] = value
    keys = list(fields)
    rng.shuffle(keys)
    row = {key: fields[key] for key in keys}
    shape = rng.random()
    return json.dumps(row if shape < 0.65 else [row] if shape < 0.9 else {"results": [row]}, ensure_ascii=False)
