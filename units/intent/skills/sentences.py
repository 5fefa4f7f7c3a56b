"""What is wrong with the sentences of a skill, found before a person says one."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import cache

from hassil.expression import Alternative, Expression, Group, ListReference, RuleReference, Sentence, TextChunk
from hassil.parse_expression import parse_sentence
from hassil.parser import ParseError

from units.intent.skills.texts import Texts

Key = tuple[str, ...]
"""The way to a text in its table: ("sentences", "start")."""

Parse = Callable[[str], Sentence]
"""Returns a template as hassil reads it."""


def faults_in(texts: Texts, choosy: Collection[str] = (), parse: Parse = parse_sentence) -> Iterator[tuple[Key, str]]:
    """Yield the place and the fault of each text that hassil cannot use.

    `choosy` slots take only what a reader understands; of the others a sentence cannot consist.
    """
    rules: dict[str, Expression] = {}
    for name, template in texts.rules.items():
        try:
            rules[name] = parse(template).expression
        except (ParseError, AssertionError) as error:
            yield ("rules", name), f"{template!r} is no template: {error}"
            return
    for name, rule in rules.items():
        if words := _wrong_with(rule, rules, {name}):
            yield ("rules", name), words
            return

    @cache
    def has_words(rule: str) -> bool:
        return _has_words(rules[rule], has_words, choosy)

    for intent, templates in texts.sentences.items():
        for template in templates:
            try:
                sentence = parse(template).expression
            except (ParseError, AssertionError) as error:
                yield ("sentences", intent), f"{template!r}: {error}"
                continue
            words = _wrong_with(sentence, rules, set())
            if not words and not _has_words(sentence, has_words, choosy):
                words = "it needs a word beside its slots, or it would match anything"
            if words:
                yield ("sentences", intent), f"{template!r}: {words}"


def _wrong_with(expression: Expression, rules: Mapping[str, Expression], inside: Set[str]) -> str:
    """Return what is wrong with a rule, `inside` which is it and are those around it; or with a part of a sentence,
    for which `inside` is empty, and the rules have been looked at."""
    if isinstance(expression, RuleReference):
        name = expression.rule_name
        if name not in rules:
            return f"there is no rule <{name}>"
        if name in inside:
            return f"<{name}> refers to itself"
        return _wrong_with(rules[name], rules, {*inside, name}) if inside else ""
    return next(filter(None, (_wrong_with(each, rules, inside) for each in _parts(expression))), "")


def _has_words(expression: Expression, of_rule: Callable[[str], bool], choosy: Collection[str]) -> bool:
    """Return whether every text that matches has a word of the template, or one that a reader understands."""
    if isinstance(expression, TextChunk):
        return any(each.isalnum() for each in expression.text)
    if isinstance(expression, ListReference):
        return expression.list_name in choosy
    if isinstance(expression, RuleReference):
        return of_rule(expression.rule_name)
    found = [_has_words(each, of_rule, choosy) for each in _parts(expression)]
    return all(found) if isinstance(expression, Alternative) else any(found)


def _parts(expression: Expression) -> Sequence[Expression]:
    return expression.items if isinstance(expression, Group) else ()
