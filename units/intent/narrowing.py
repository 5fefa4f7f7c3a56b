"""Which templates can match a text at all: hassil tries the others in vain, and in a home most of them are others.

hassil passes templates over whose literal words are missing. Here their lists count as well: without the name of a
device in the text no template that needs one can match, and none that needs a color without the word of one.
"""

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from string import digits
from sys import intern

from hassil import Intents, Sentence
from hassil.expression import Alternative, Expression, Group, ListReference, RuleReference, TextChunk
from hassil.expression import Sequence as Sequence_
from hassil.intents import IntentData, RangeSlotList, SlotList, TextSlotList
from hassil.numbers import get_rbnf_engine

from units.intent.leaves import LeafSharer

Clause = frozenset[str]
"""Parts of which a text must hold at least one: pieces of words, and lists of names in braces."""

_Sentences = tuple[tuple[Sentence, tuple[tuple[str, ...], ...]], ...]
"""Templates, with each its clauses, in the form that takes the least memory."""

_WORD = re.compile(r"\w+")

_SHORT_COUNTS = {1: 30, 2: 15, 3: 4}
"""Short pieces are in so many more texts than a word of four letters."""

_MOST_CLAUSES = 3


class _Block:
    """Sentences that share their slots; they are parsed when a text can match them for the first time."""

    def __init__(self, data: IntentData, read: Callable[[IntentData], _Sentences]) -> None:
        self.data = data
        domain = data.requires_context.get("domain", ())
        self.domains = frozenset([domain] if isinstance(domain, str) else domain)
        """The domains of which a name must be said; empty if none needs to be."""

        self._read = read

    @cached_property
    def sentences(self) -> _Sentences:
        """The templates, each with its clauses."""
        return self._read(self.data)


class Narrower:
    """The sentences of a language, each with what a text must hold to match it."""

    def __init__(self, intents: Intents, named: Iterable[str]) -> None:
        self._intents = intents
        self._named = frozenset(named)
        self._share = LeafSharer()
        self._lists: dict[int, frozenset[Clause]] = {}
        self._rules: dict[str, frozenset[Clause]] = {}
        for rule in intents.expansion_rules.values():
            self._share(rule)
        self._blocks = {
            name: [_Block(data, self._sentences) for data in intent.data] for name, intent in intents.intents.items()
        }

    def prepare(self, domains: frozenset[str] | None = None) -> None:
        """Parse now what a text with names of devices of these domains may match; without `domains` everything."""
        for block in itertools.chain.from_iterable(self._blocks.values()):
            if domains is None or not block.domains or not block.domains.isdisjoint(domains):
                block.sentences  # noqa: B018  # it is read when it is looked at
        # What is left will hardly ever be needed, and these take several MiB.
        self._share = LeafSharer()
        self._lists.clear()
        self._rules.clear()
        _stored.cache_clear()
        _vagueness.cache_clear()

    def narrowed(
        self, haystack: str, said: Mapping[str, frozenset[str]], names: Collection[str] | None = None
    ) -> Intents:
        """Return the intents with the templates that may match a text.

        `said` has by list the domains of its names; `names` are the intents that count, by default all.
        """
        narrowed = copy(self._intents)
        domains = frozenset[str]().union(*said.values())
        known: dict[int, bool] = {}

        def has(part: str) -> bool:
            return part[1:] in said if part.startswith("{") else part in haystack

        def holds(clause: tuple[str, ...]) -> bool:
            if (found := known.get(id(clause))) is None:  # each clause is there only once
                found = known[id(clause)] = any(map(has, clause))
            return found

        narrowed.intents = {
            name: replace(intent, data=list(self._possible(self._blocks[name], domains, holds)))
            for name, intent in self._intents.intents.items()
            if names is None or name in names
        }
        return narrowed

    def _possible(
        self, blocks: Iterable[_Block], domains: frozenset[str], holds: Callable[[tuple[str, ...]], bool]
    ) -> Iterable[IntentData]:
        for block in blocks:
            if block.domains and block.domains.isdisjoint(domains):
                continue
            sentences = [sentence for sentence, clauses in block.sentences if all(map(holds, clauses))]
            if sentences:
                data = copy(block.data)
                data.__dict__["sentences"] = sentences  # a cached property: the templates are parsed already
                yield data

    def _sentences(self, data: IntentData) -> _Sentences:
        for sentence in (*data.expansion_rules.values(), *data.sentences):
            self._share(sentence)
        rules = {**self._intents.expansion_rules, **data.expansion_rules}
        lists = {**self._intents.slot_lists, **data.slot_lists}
        # A rule means the same in all blocks but those with rules or lists of their own.
        known: dict[str, frozenset[Clause]] = {} if data.expansion_rules or data.slot_lists else self._rules

        def of_reference(expression: RuleReference | ListReference) -> frozenset[Clause]:
            if isinstance(expression, ListReference):
                return self._of_list(expression.list_name, lists)
            if expression.rule_name not in known:
                known[expression.rule_name] = frozenset()  # a rule that refers to itself says nothing
                rule = rules.get(expression.rule_name)
                known[expression.rule_name] = _clauses(rule.expression, of_reference) if rule else frozenset()
            return known[expression.rule_name]

        return tuple(
            (way, tuple(map(_stored, sorted(_clauses(way.expression, of_reference), key=_vagueness))))
            for sentence in data.sentences
            for way in _ways(sentence, rules)
        )

    def _of_list(self, name: str, lists: Mapping[str, SlotList]) -> frozenset[Clause]:
        if name in self._named:
            return frozenset([frozenset([f"{{{name}"])])
        values = lists.get(name)
        if isinstance(values, RangeSlotList):
            if not values.words:
                return frozenset([frozenset(digits)])
            language = values.words_language or self._intents.language
            return frozenset([_number_words(language, range(values.start, values.stop + 1, values.step))])
        if not isinstance(values, TextSlotList):
            return frozenset()
        if id(values) not in self._lists:
            self._lists[id(values)] = _any_of(_clauses(value.text_in, lambda _: frozenset()) for value in values.values)
        return self._lists[id(values)]


def _ways(sentence: Sentence, rules: Mapping[str, Sentence]) -> Sequence[Sentence]:
    """Return a template as one for each of the ways that it begins with, of which each needs words of its own.

    hassil would try all ways of a template of which one can match.
    """
    ways = _alternatives(sentence.expression, rules)
    # In a group, for what is not in one at its begin or end may be a wildcard, for which hassil has other rules.
    return [Sentence(Sequence_([way]), sentence.text) for way in ways] if len(ways) > 1 else [sentence]


def _alternatives(expression: Expression, rules: Mapping[str, Sentence]) -> Sequence[Expression]:
    """Return the ways to say an expression where that is or begins with a choice, also in a rule; or else itself."""
    if isinstance(expression, RuleReference) and expression.rule_name in rules:
        rule = rules[expression.rule_name].expression
        return _alternatives(rule, rules) if isinstance(rule, Alternative | Sequence_) else [expression]
    if isinstance(expression, Alternative) and not expression.is_optional and not all(map(_is_words, expression.items)):
        return expression.items
    if isinstance(expression, Sequence_) and expression.items:
        first, *others = expression.items
        ways = _alternatives(first, rules)
        return [Sequence_([way, *others]) for way in ways] if len(ways) > 1 else [expression]
    return [expression]


def _is_words(expression: Expression) -> bool:
    return all(map(_is_words, expression.items)) if isinstance(expression, Group) else isinstance(expression, TextChunk)


def _clauses(
    expression: Expression, of_reference: Callable[[RuleReference | ListReference], frozenset[Clause]]
) -> frozenset[Clause]:
    """Return what a text must hold to match an expression."""
    if isinstance(expression, TextChunk):
        # Marks may be missing in a text: "whats" is "what's".
        return frozenset(frozenset([intern(word.casefold())]) for word in expression.text.split() if word.isalnum())
    if isinstance(expression, RuleReference | ListReference):
        return of_reference(expression)
    if isinstance(expression, Alternative):
        # Most of them are optional.
        return frozenset() if expression.is_optional else _any_of(_clauses(e, of_reference) for e in expression.items)
    if isinstance(expression, Group):
        return frozenset[Clause]().union(*(_clauses(each, of_reference) for each in expression.items))
    return frozenset()


def _any_of(branches: Iterable[frozenset[Clause]]) -> frozenset[Clause]:
    """Return what says that some branch can match, of each branch the clauses that decide most."""
    found = [sorted(each, key=_vagueness)[:_MOST_CLAUSES] for each in branches]
    if not all(found):
        return frozenset()
    return frozenset(
        frozenset(part for each in found for part in each[min(place, len(each) - 1)])
        for place in range(max(map(len, found), default=0))
    )


@cache
def _number_words(language: str, numbers: range) -> Clause:
    """Return digits and the pieces of words of which each number of a range has one."""
    engine = get_rbnf_engine(language)
    spelled = {words for number in numbers for words in engine.format_number(number).text_by_ruleset.values()}
    first = sorted({_WORD.findall(words.casefold())[0] for words in spelled}, key=len)
    return frozenset([*digits, *(word for at, word in enumerate(first) if not any(map(word.__contains__, first[:at])))])


@cache
def _stored(clause: Clause) -> tuple[str, ...]:
    """Return the parts of a clause, each clause only once: thousands of templates need the same words."""
    return tuple(sorted(clause))


@cache
def _vagueness(clause: Clause) -> tuple[float, list[str]]:
    """Return about how many texts hold a part of a clause; the parts make the order certain."""
    return sum(_SHORT_COUNTS.get(len(part), 1) for part in clause), sorted(clause)
