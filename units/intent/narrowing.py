"""Which templates can match a text at all: hassil tries the others in vain, and in a home most of them are others.

hassil passes templates over whose literal words are missing. Here their lists count as well: without the name of a
device in the text no template that needs one can match, and none that needs a color without the word of one.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from sys import intern

from hassil import Intents, Sentence
from hassil.expression import Alternative, Expression, Group, ListReference, RuleReference, TextChunk
from hassil.intents import IntentData, SlotList, TextSlotList

Clause = frozenset[str]
"""Parts of which a text must hold at least one: pieces of words, and lists of names in braces."""

_SHORT = 3
"""Pieces of words below this length are in too many texts to decide much."""


@dataclass(frozen=True)
class _Block:
    data: IntentData
    domains: frozenset[str]
    """The domains of which a name must be said; empty if none needs to be."""

    sentences: tuple[tuple[Sentence, frozenset[Clause]], ...]


class Narrower:
    """The sentences of a language, each with what a text must hold to match it."""

    def __init__(self, intents: Intents, named: Iterable[str]) -> None:
        self._intents = intents
        self._named = frozenset(named)
        self._lists: dict[int, frozenset[Clause]] = {}
        self._blocks = {name: [self._block(data) for data in intent.data] for name, intent in intents.intents.items()}

    def narrowed(self, haystack: str, said: Mapping[str, frozenset[str]]) -> Intents:
        """Return the intents with the templates that may match a text; `said` has by list the domains of its names."""
        narrowed = copy(self._intents)
        narrowed.intents = {
            name: replace(intent, data=list(self._possible(self._blocks[name], haystack, said)))
            for name, intent in self._intents.intents.items()
        }
        return narrowed

    def _possible(
        self, blocks: Iterable[_Block], haystack: str, said: Mapping[str, frozenset[str]]
    ) -> Iterable[IntentData]:
        domains = frozenset[str]().union(*said.values())

        def has(part: str) -> bool:
            return part[1:] in said if part.startswith("{") else part in haystack

        for block in blocks:
            if block.domains and block.domains.isdisjoint(domains):
                continue
            sentences = [sentence for sentence, clauses in block.sentences if all(any(map(has, c)) for c in clauses)]
            if sentences:
                data = copy(block.data)
                data.__dict__["sentences"] = sentences  # a cached property: the templates are parsed already
                yield data

    def _block(self, data: IntentData) -> _Block:
        domain = data.requires_context.get("domain", ())
        rules = {**self._intents.expansion_rules, **data.expansion_rules}
        lists = {**self._intents.slot_lists, **data.slot_lists}
        known: dict[str, frozenset[Clause]] = {}

        def of_reference(expression: RuleReference | ListReference) -> frozenset[Clause]:
            if isinstance(expression, ListReference):
                return self._of_list(expression.list_name, lists)
            if expression.rule_name not in known:
                known[expression.rule_name] = frozenset()  # a rule that refers to itself says nothing
                rule = rules.get(expression.rule_name)
                known[expression.rule_name] = _clauses(rule.expression, of_reference) if rule else frozenset()
            return known[expression.rule_name]

        sentences = [(sentence, _clauses(sentence.expression, of_reference)) for sentence in data.sentences]
        domains = frozenset([domain] if isinstance(domain, str) else domain)
        return _Block(data, domains, tuple(sentences))

    def _of_list(self, name: str, lists: Mapping[str, SlotList]) -> frozenset[Clause]:
        if name in self._named:
            return frozenset([frozenset([f"{{{name}"])])
        values = lists.get(name)
        if not isinstance(values, TextSlotList):
            return frozenset()
        if id(values) not in self._lists:
            self._lists[id(values)] = _any_of(_clauses(value.text_in, lambda _: frozenset()) for value in values.values)
        return self._lists[id(values)]


def _clauses(
    expression: Expression, of_reference: Callable[[RuleReference | ListReference], frozenset[Clause]]
) -> frozenset[Clause]:
    """Return what a text must hold to match an expression."""
    if isinstance(expression, TextChunk):
        # Marks may be missing in a text: "whats" is "what's".
        return frozenset(_clause([intern(word.casefold())]) for word in expression.text.split() if word.isalnum())
    if isinstance(expression, RuleReference | ListReference):
        return of_reference(expression)
    if isinstance(expression, Alternative):
        return _any_of(_clauses(each, of_reference) for each in expression.items)
    if isinstance(expression, Group):
        return frozenset[Clause]().union(*(_clauses(each, of_reference) for each in expression.items))
    return frozenset()


def _any_of(branches: Iterable[frozenset[Clause]]) -> frozenset[Clause]:
    """Return the one clause that says that some branch can match: of each branch the clause that decides most."""
    found = list(branches)
    if not all(found):
        return frozenset()
    return frozenset([_clause(part for each in found for part in min(each, key=_vagueness))])


@cache
def _shared(parts: Clause) -> Clause:
    return parts


def _clause(parts: Iterable[str]) -> Clause:
    """Return a clause, each only once: thousands of templates need the same words."""
    return _shared(frozenset(parts))


def _vagueness(clause: Clause) -> tuple[int, int]:
    return sum(len(part) < _SHORT for part in clause), len(clause)
