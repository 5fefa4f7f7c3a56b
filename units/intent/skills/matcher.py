"""Which skill a sentence is for: the sentences of all skills in one language, matched by hassil."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hassil import Intents, Sentence, parse_sentence, recognize_all
from hassil.expression import Expression, Group, RuleReference
from hassil.recognize import RecognizeResult

from units.intent.library import settings_of
from units.intent.narrowing import Narrower
from units.intent.skills.accents import FOLDED, RESTORED, Accents, as_said, without_accents
from units.intent.skills.sentences import faults_in
from units.intent.skills.skill import Skill

log = logging.getLogger(__name__)

MAX_LENGTH = 300
"""Longer texts are for no skill."""

_MOST_READINGS = 200
"""A sentence with several slots has a reading for each way to divide its words."""


_NOT_SKIPPED = frozenset(
    {"for bed", "for the night", "for bedtime", "time to", "it's time to", "it is time to", "behind me"}
)
"""Words of a home that change what a sentence for a skill means: "time for bed" asks for no time."""


class Match(NamedTuple):
    """One way to understand a sentence: the skill, its intent, and the values of the slots."""

    skill: Skill
    intent: str
    slots: Mapping[str, Any]


class SkillMatcher:
    """The sentences of all skills that know a language."""

    def __init__(self, language: str, skills: Sequence[Skill]) -> None:
        self.language = language
        known = [each for each in (_Templates(skill, language) for skill in skills) if each.are_usable]
        self._skills = {each.skill.name: each.skill for each in known}
        settings = settings_of(language)
        skipped = [each for each in settings.get("skip_words", ()) if each not in _NOT_SKIPPED]
        blocks = {name: {"data": [block]} for each in known for name, block in each.blocks()}
        parsed = Intents.from_dict({**settings, "skip_words": skipped, "intents": blocks})
        for each in known:
            each.put_into(parsed)
        self._narrower = Narrower(parsed, ())
        self._narrower.prepare()
        self._places = {name: at for at, name in enumerate(self._skills)}
        templates = (template for each in known for template in each.templates())
        self._accents = Accents(language, templates) if language in RESTORED else None

    def warm(self) -> None:
        """Do now what the first sentences would have to wait for: many readers need the numbers of the language.

        A reader that takes much memory waits for the first sentence that needs it.
        """
        for skill in self._skills.values():
            for slot in skill.readers.keys() - skill.late:
                self._read(skill, slot, "1")

    def matches(self, text: str) -> Iterator[Match]:
        """Yield the readings of a sentence that the readers of its slots understand, the best first.

        Of two that are as good, that of the skill which comes first.
        """
        if not text.strip() or len(text) > MAX_LENGTH:
            return
        text = self.spelled(text)
        yield from self._matches(text, self._skills)
        for names, ways in self._plainer(text):
            for way in ways:
                yield from self._matches(way, names)

    def spelled(self, text: str) -> str:
        """Return a text with the accents that were not typed."""
        return self._accents.restored(text) if self._accents is not None else text

    def _plainer(self, text: str) -> Iterator[tuple[Collection[str], Sequence[str]]]:
        """Yield the plainer ways to say a sentence, each with the skills that it is tried for."""
        of = ((skill.name, skill.plainer(text, self.language)) for skill in self._skills.values() if skill.plainer)
        return ((frozenset({name}), ways) for name, ways in of)

    def _matches(self, text: str, names: Collection[str]) -> Iterator[Match]:
        folded = without_accents(text) if self.language in FOLDED else text
        narrowed = self._narrower.narrowed(folded.casefold(), {})
        narrowed.intents = {
            name: intent for name, intent in narrowed.intents.items() if name.partition(".")[0] in names
        }
        found: list[tuple[tuple[int, ...], str, Skill, RecognizeResult]] = []
        for at, result in enumerate(recognize_all(folded, narrowed, language=self.language)):
            if at == _MOST_READINGS:
                break
            skill_name, _, intent = result.intent.name.partition(".")
            found.append(((*_rank(result), self._places[skill_name]), intent, self._skills[skill_name], result))
        for _, intent, skill, result in sorted(found, key=lambda each: each[:2]):
            if (slots := self._slots(skill, result, text)) is not None:
                yield Match(skill, intent, slots)

    def _slots(self, skill: Skill, result: RecognizeResult, text: str) -> dict[str, Any] | None:
        """Return what the slots mean, or None if one means nothing; what loads much is read last."""
        slots = {}
        for slot, entity in sorted(result.entities.items(), key=lambda each: each[0] in skill.late):
            if (value := self._value(skill, slot, entity, text)) is None:
                return None
            slots[slot] = value
        return slots

    def _value(self, skill: Skill, slot: str, entity: Any, text: str) -> Any:
        """Return what a slot means, or None if its words mean nothing there."""
        if not entity.is_wildcard:
            return entity.value
        words = str(entity.text_clean).strip(" ,")
        words = as_said(words, text) if self.language in FOLDED else words
        if (value := self._read(skill, slot, words)) is not None or self._accents is None:
            return value
        other = self._accents.all_restored(words)
        return self._read(skill, slot, other) if other != words else None

    def _read(self, skill: Skill, slot: str, words: str) -> Any:
        reader = skill.readers.get(slot)
        try:
            return (words or None) if reader is None else reader(words, self.language)
        except Exception:  # a package of someone else may raise anything
            log.exception("the skill %s cannot read its %s", skill.name, slot)
            return None


class _Templates:
    """The sentences of one skill in a language. Each is parsed once, for the check and for use."""

    def __init__(self, skill: Skill, language: str) -> None:
        self.skill = skill
        self.are_usable = language in skill.texts
        self._parsed: dict[str, Sentence] = {}
        if not self.are_usable:
            return
        self._folds = language in FOLDED
        self._texts = skill.texts[language]
        for key, words in faults_in(self._texts, skill.readers.keys(), self._parse):
            log.error("the skill %s cannot be used in %s: %s: %s", skill.name, language, ".".join(key), words)
            self.are_usable = False

    def _parse(self, template: str) -> Sentence:
        if template not in self._parsed:
            self._parsed[template] = parse_sentence(without_accents(template) if self._folds else template)
        return self._parsed[template]

    def templates(self) -> Iterator[str]:
        """Yield the templates of all sentences and rules."""
        yield from self._texts.rules.values()
        for sentences in self._texts.sentences.values():
            yield from sentences

    def blocks(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name of each intent among those of all skills, with its block for hassil."""
        lists = {name: _list_of(values, self._folds) for name, values in self._texts.lists.items()}
        for intent, sentences in self._texts.sentences.items():
            slots = {slot for template in (*sentences, *self._texts.rules.values()) for slot in slots_in(template)}
            wildcards = {slot: {"wildcard": True} for slot in slots - lists.keys()}
            yield f"{self.skill.name}.{intent}", {"sentences": sentences, "lists": lists | wildcards}

    def put_into(self, intents: Intents) -> None:
        """Give hassil what is parsed already; rules have the name of their skill before their own."""
        for sentence in self._parsed.values():
            self._rename_rules(sentence.expression)
        for name, template in self._texts.rules.items():
            intents.expansion_rules[self._rule(name)] = self._parse(template)
        for intent, sentences in self._texts.sentences.items():
            (data,) = intents.intents[f"{self.skill.name}.{intent}"].data
            data.__dict__["sentences"] = [self._parse(each) for each in sentences]  # a cached property

    def _rename_rules(self, expression: Expression) -> None:
        if isinstance(expression, RuleReference):
            expression.rule_name = self._rule(expression.rule_name)
        elif isinstance(expression, Group):
            for item in expression.items:
                self._rename_rules(item)

    def _rule(self, name: str) -> str:
        return f"{self.skill.name}_{name}"


def _list_of(values: Mapping[str, Sequence[str]], folds: bool) -> dict[str, Any]:
    pairs = ((without_accents(words) if folds else words, value) for value, all_ in values.items() for words in all_)
    return {"values": [{"in": words, "out": value} for words, value in pairs]}


def slots_in(template: str) -> Iterator[str]:
    """Yield the names of the slots in a template of hassil."""
    for part in template.split("{")[1:]:
        yield part.partition("}")[0].partition(":")[0]


def _rank(result: RecognizeResult) -> tuple[int, ...]:
    """Return how good a reading is, the smaller the better: many words of the template, few of slots."""
    wildcards = [entity for entity in result.entities_list if entity.is_wildcard]
    return -result.text_chunks_matched, len(wildcards), sum(len(entity.text) for entity in wildcards)
