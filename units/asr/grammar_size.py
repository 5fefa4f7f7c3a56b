"""The size of a JSGF grammar after the library expands it, counted without expanding it.

The library writes every rule out wherever it is used: 316 bytes of rules that use the next one twice become a million
states. A `+` writes its item twice. Each level of parentheses, `*`, `+` and `[]` is a rule of its own, and what joins
them takes memory with the square of the levels, so these are counted too.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

# The commands of a house with 300 things in 30 patterns have 10,000 bytes. A longer text was not written by a person.
MAX_BYTES = 64 * 1024
# Parentheses, brackets, `*` and `+` in each other.
MAX_LEVELS = 32
# Rules that lead to rules.
MAX_CHAIN = 64
# Of words and joints, of which each takes up to 6 KB.
MAX_STATES = 10_000

_CONSTANT = ""
_TOKENS = re.compile(
    r"(?P<tag>\{(?:\\.|[^}\\])*\}?)|(?P<rule><[^<>]*>)|(?P<weight>/[\d.e+-]*/)|(?P<mark>[=;|*+()\[\]])"
    r"|(?P<word>\"[^\"]*\"?|[^\s=;|*+<>()\[\]{}/]+)",
    re.DOTALL,
)
_PSEUDO_RULES = {"NULL", "VOID"}

Size = Counter[str]
"""How many states, and how often each rule is written out."""


class TooLarge(Exception):
    """The grammar is too large for the library."""

    def __init__(self, reason: str, place: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


@dataclass
class _Group:
    """What stands between two parentheses, or after a rule's name."""

    mark: str
    size: Size = field(default_factory=Counter)
    levels: int = 0
    item: Size | None = None
    """The last item, to which a following mark belongs."""

    item_levels: int = 0

    def add(self, item: Size | None, levels: int = 0) -> None:
        """Add an item; the one before it is complete."""
        if self.item is not None:
            self.size.update(self.item)
        self.levels = max(self.levels, levels)
        self.item, self.item_levels = item, levels


@dataclass
class _Rule:
    place: int
    is_public: bool
    size: Size


def check_size(grammar: str) -> None:
    """Raise TooLarge for a too large grammar (without comments and header); its syntax is not checked."""
    if (size := len(grammar.encode())) > MAX_BYTES:
        raise TooLarge(f"the grammar has {size} bytes, it may have {MAX_BYTES}", 0)
    rules = _rules_in(grammar)
    for name, rule in rules.items():
        if rule.is_public and (states := _states(name, rules, {}, [])) > MAX_STATES:
            reason = f"the rule <{name}> becomes {_shown(states)} states when all rules are written out, "
            raise TooLarge(f"{reason}it may be {MAX_STATES}", rule.place)


def _shown(states: int) -> str:
    return str(states) if states < 10**9 else "more than a billion"


def _rules_in(grammar: str) -> dict[str, _Rule]:
    rules: dict[str, _Rule] = {}
    groups = [_Group("")]
    name, place, is_public = "", 0, False
    for token in _TOKENS.finditer(grammar):
        kind, text = token.lastgroup, token.group()
        if text == "=":
            groups = [_Group("=")]
        elif text == ";":
            if groups[0].mark == "=":
                for group in groups:
                    group.add(None)
                size = sum((group.size for group in groups), Counter({_CONSTANT: 2}))
                rules[name] = _Rule(place, is_public, size)
            groups, is_public = [_Group("")], False
        elif groups[0].mark != "=":
            is_public = is_public or text == "public"
            if kind == "rule":
                name, place = _bare(text), token.start()
        else:
            _take(groups, kind or "", text, token.start())
    return rules


def _take(groups: list[_Group], kind: str, text: str, place: int) -> None:
    """Take one token of a rule."""
    group = groups[-1]
    if text in ("(", "["):
        groups.append(_Group(text))
    elif text in (")", "]") and len(groups) > 1:
        group.add(None)
        groups.pop()
        joints = 2 if text == ")" else 3
        groups[-1].add(group.size + Counter({_CONSTANT: joints}), group.levels + 1)
    elif text in ("*", "+") and group.item is not None:
        times, joints = (1, 3) if text == "*" else (2, 2)
        group.item = Counter({key: times * count for key, count in group.item.items()})
        group.item[_CONSTANT] += joints
        group.item_levels += 1
        group.levels = max(group.levels, group.item_levels)
    elif kind in ("word", "rule"):
        is_word = kind == "word" or _bare(text) in _PSEUDO_RULES
        group.add(Counter({_CONSTANT if is_word else _bare(text): 1}))
    if max(len(groups) - 1, groups[-1].levels) > MAX_LEVELS:
        raise TooLarge(f"more than {MAX_LEVELS} levels of parentheses, brackets, * and + in each other", place)
    if groups[-1].item is not None and groups[-1].item.total() > MAX_STATES:
        raise TooLarge(f"this becomes more than {MAX_STATES} states", place)


def _states(name: str, rules: dict[str, _Rule], known: dict[str, int], chain: list[str]) -> int:
    """Return how many states a rule becomes with all rules that it uses; a recursive use adds none."""
    if name in chain or name not in rules:
        return 1
    if name not in known:
        if len(chain) >= MAX_CHAIN:
            raise TooLarge(f"more than {MAX_CHAIN} rules that lead to each other, down to <{name}>", rules[name].place)
        chain.append(name)
        size = rules[name].size
        uses = (count * _states(used, rules, known, chain) for used, count in size.items() if used != _CONSTANT)
        known[name] = size[_CONSTANT] + sum(uses)
        chain.pop()
    return known[name]


def _bare(rule: str) -> str:
    """Return a rule's name without its grammar's."""
    return rule[1:-1].rpartition(".")[2]
