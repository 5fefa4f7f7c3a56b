"""What is wrong with the sentences of a skill, found before a person says one."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set

from hassil.expression import Alternative, Expression, Group, ListReference, RuleReference, TextChunk
from hassil.parse_expression import parse_sentence
from hassil.parser import ParseError

from units.intent.skills.texts import Texts

Key = tuple[str, ...]
"""The way to a text in its table: ("sentences", "start")."""


def faults_in(texts: Texts, choosy: Collection[str] = ()) -> Iterator[tuple[Key, str]]:
    """Yield the place and the fault of each text that hassil cannot use.

    `choosy` slots take only what a reader understands; of the others a sentence cannot consist.
    """
    rules: dict[str, Expression] = {}
    for name, template in texts.rules.items():
        try:
            rules[name] = parse_sentence(template).expression
        except (ParseError, AssertionError) as error:
            yield ("rules", name), f"{template!r} is no template: {error}"
            return
    for name, rule in rules.items():
        if words := _wrong_with(rule, rules, {name}):
            yield ("rules", name), words
            return
    for intent, templates in texts.sentences.items():
        for template in templates:
            if words := _wrong_with_sentence(template, rules, choosy):
                yield ("sentences", intent), f"{template!r}: {words}"


def _wrong_with_sentence(template: str, rules: Mapping[str, Expression], choosy: Collection[str]) -> str:
    try:
        sentence = parse_sentence(template).expression
    except (ParseError, AssertionError) as error:
        return str(error)
    if words := _wrong_with(sentence, rules, set()):
        return words
    return "" if _has_words(sentence, rules, choosy) else "it needs a word beside its slots, or it would match anything"


def _wrong_with(expression: Expression, rules: Mapping[str, Expression], inside: Set[str]) -> str:
    """Return what is wrong with a part of a sentence; `inside` are the rules around it."""
    if isinstance(expression, RuleReference):
        name = expression.rule_name
        if name not in rules:
            return f"there is no rule <{name}>"
        return f"<{name}> refers to itself" if name in inside else _wrong_with(rules[name], rules, {*inside, name})
    return next(filter(None, (_wrong_with(each, rules, inside) for each in _parts(expression))), "")


def _has_words(expression: Expression, rules: Mapping[str, Expression], choosy: Collection[str]) -> bool:
    """Return whether every text that matches has a word of the template, or one that a reader understands."""
    if isinstance(expression, TextChunk):
        return any(each.isalnum() for each in expression.text)
    if isinstance(expression, ListReference):
        return expression.list_name in choosy
    if isinstance(expression, RuleReference):
        return _has_words(rules[expression.rule_name], rules, choosy)
    found = [_has_words(each, rules, choosy) for each in _parts(expression)]
    return all(found) if isinstance(expression, Alternative) else any(found)


def _parts(expression: Expression) -> Sequence[Expression]:
    return expression.items if isinstance(expression, Group) else ()
