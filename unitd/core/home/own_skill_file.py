"""Reading of a person's own skills: one TOML file each. Pure.

[en.sentences]                      # by language; docs/own-skills.md explains the templates
water = ["water the garden [for {minutes} minutes]"]

[en.answers]                        # Jinja; without one, the answer is the text that the action returns
water = "The garden is watered for {{ minutes or 10 }} minutes."

[slots]                             # "number" or "text", which is usual
minutes = "number"

[actions.water]                     # one of three; an intent without an action only answers
topic = "garden/pump/set"           # an MQTT message
payload = '{"minutes": {{ minutes or 10 }}}'
# url = "http://pump.local/on?minutes={{ minutes or 10 }}"    # a request
# method = "POST"
# body = '{"on": true}'
# program = ["/usr/local/bin/water", "{{ minutes or 10 }}"]   # a program, without a shell
"""

import re
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

from unitd.core.config.problems import Key, Problem, Problems, name_of
from unitd.core.home.tools_file import TemplateError, TemplateNames

SLOT_KINDS = ("text", "number")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
FAILED = "failed"
"""The key of the answer that is said when an action fails."""

_TEXTS = ("sentences", "answers", "rules", "lists")
_WAYS = ("topic", "url", "program")
_ACTION_KEYS = {"topic": ("payload",), "url": ("method", "body"), "program": ()}
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,8})?")
_SLOT = re.compile(r"\{(\w+)")
_URL = re.compile(r"https?://[^/?#{}\s@]+([/?].*)?", re.DOTALL)


@dataclass(frozen=True)
class OwnAction:
    """What an intent does; one of `topic`, `url` and `program` is set. All texts but the program are templates."""

    topic: str = ""
    payload: str = ""
    url: str = ""
    method: str = ""
    body: str = ""
    program: tuple[str, ...] = ()
    """The program and the templates of its arguments."""


@dataclass(frozen=True)
class OwnSkill:
    """One file."""

    name: str
    texts: Mapping[str, Mapping[str, Any]]
    """By language the tables `sentences`, `answers`, `rules` and `lists`."""

    slots: Mapping[str, str]
    """The kind of each slot that is named in `[slots]`."""

    actions: Mapping[str, OwnAction]
    """By intent."""

    def as_data(self) -> dict[str, Any]:
        """Return what the intent program needs."""
        texts = {language: dict(table) for language, table in self.texts.items()}
        return {"name": self.name, "texts": texts, "slots": dict(self.slots), "actions": sorted(self.actions)}


def read_own_skill(name: str, document: Mapping[str, Any], template_error: TemplateError) -> OwnSkill:
    """Return the skill of a parsed file.

    Raises:
        Problems: the document has mistakes; it names all of them.
    """
    wrong = list(_misshapen(document))
    if wrong:
        raise Problems(wrong)
    texts = {key: table for key, table in document.items() if key not in ("slots", "actions")}
    slots, actions = document.get("slots", {}), document.get("actions", {})
    wrong += _wrong_with_texts(texts, actions, template_error)
    known = _slots_in(texts)
    wrong += [
        Problem(("slots", slot), f"slots.{slot}: no sentence has {{{slot}}}") for slot in slots if slot not in known
    ]
    for intent, table in actions.items():
        wrong += _wrong_with_action(("actions", intent), table, known, template_error)
    if wrong:
        raise Problems(wrong)
    return OwnSkill(name, texts, slots, {intent: _action(table) for intent, table in actions.items()})


def _misshapen(document: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the tables, keys and values that have no meaning."""
    for key, table in document.items():
        if not isinstance(table, dict):
            yield Problem((key,), f"{key} must be a table")
        elif key == "slots":
            yield from _misfits((key,), table, lambda kind: kind in SLOT_KINDS, " or ".join(map(repr, SLOT_KINDS)))
        elif key == "actions":
            yield from _misfits((key,), table, lambda each: isinstance(each, dict), "a table")
        elif not _LANGUAGE.fullmatch(key):
            yield Problem((key,), f"{key} is neither slots, nor actions, nor a language such as en")
        else:
            yield from _misshapen_texts(key, table)
    if not any(isinstance(each, dict) and each.get("sentences") for each in document.values()):
        yield Problem((), "there are no sentences, such as those of a table [en.sentences]")


def _misshapen_texts(language: str, table: Mapping[str, Any]) -> Iterator[Problem]:
    for key, entries in table.items():
        at = (language, key)
        if key not in _TEXTS or not isinstance(entries, dict):
            yield Problem(at, f"{name_of(at)} must be one of the tables {', '.join(_TEXTS)}")
        elif key == "sentences":
            yield from _misfits(at, entries, _is_texts, "a list of texts")
        elif key == "lists":
            for name, values in entries.items():
                of_list: Mapping[str, Any] = values if isinstance(values, dict) else {"": 0}
                yield from _misfits((*at, name), of_list, _is_texts, "a list of texts")
        else:
            yield from _misfits(at, entries, lambda each: isinstance(each, str), "a text")


def _misfits(at: Key, table: Mapping[str, Any], fits: Callable[[Any], bool], wanted: str) -> Iterator[Problem]:
    for name, value in table.items():
        key = (*at, name)
        if not fits(value):
            yield Problem(key, f"{name_of(key)} must be {wanted}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) and each.strip() for each in value)


def _wrong_with_texts(
    texts: Mapping[str, Any], actions: Mapping[str, Any], template_error: TemplateError
) -> Iterator[Problem]:
    intents = {intent for table in texts.values() for intent in table.get("sentences", {})}
    for intent in actions.keys() - intents:
        yield Problem(("actions", intent), f"actions.{intent}: no language has sentences of {intent}")
    names: TemplateNames = {**dict.fromkeys(_slots_in(texts), frozenset()), "text": frozenset(), "data": frozenset()}
    for language, table in texts.items():
        answers = table.get("answers", {})
        for intent in table.get("sentences", {}):
            if intent not in answers and intent not in actions:
                key = (language, "sentences", intent)
                yield Problem(key, f"{name_of(key)} has neither an answer nor an action")
        for name, template in answers.items():
            key = (language, "answers", name)
            if name != FAILED and name not in intents:
                yield Problem(key, f"{name_of(key)}: there are no sentences of {name}")
            elif words := template_error(template, names):
                yield Problem(key, f"{name_of(key)} is no template: {words}")


def _wrong_with_action(
    at: Key, table: Mapping[str, Any], slots: Set[str], template_error: TemplateError
) -> Iterator[Problem]:
    ways = [way for way in _WAYS if table.get(way)]
    if len(ways) != 1:
        yield Problem(at, f"{name_of(at)} must have one of {', '.join(_WAYS[:-1])} and {_WAYS[-1]}")
        return
    allowed = (ways[0], *_ACTION_KEYS[ways[0]])
    for key in table.keys() - set(allowed):
        yield Problem((*at, key), f"{name_of((*at, key))}: with {ways[0]} there may be {' and '.join(allowed)}")
    for key in table.keys() & set(allowed):
        wanted = "a list of texts" if key == "program" else "a text"
        fits = _is_texts if key == "program" else lambda each: isinstance(each, str)
        yield from _misfits(at, {key: table[key]}, fits, wanted)
    yield from _wrong_with_values(at, table)
    names: TemplateNames = dict.fromkeys(slots, frozenset())
    for key, value in table.items():
        for template in value if isinstance(value, list) else [value]:
            if isinstance(template, str) and (words := template_error(template, names)):
                yield Problem((*at, key), f"{name_of((*at, key))} is no template: {words}")


def _wrong_with_values(at: Key, table: Mapping[str, Any]) -> Iterator[Problem]:
    url, method, program = table.get("url"), table.get("method"), table.get("program")
    if isinstance(url, str) and not _URL.fullmatch(url):
        words = "it must begin like http://host:port/, without a template before the third slash"
        yield Problem((*at, "url"), f"{name_of((*at, 'url'))} is {url!r}, {words}")
    if method is not None and method not in METHODS:
        yield Problem((*at, "method"), f"{name_of((*at, 'method'))} must be one of {', '.join(METHODS)}")
    if table.get("body") and method in (None, "GET"):
        yield Problem((*at, "body"), f"{name_of((*at, 'body'))} needs a method such as POST")
    if isinstance(program, list) and program and "{" in str(program[0]):
        yield Problem((*at, "program"), f"{name_of((*at, 'program'))}: the program itself must be no template")


def _action(table: Mapping[str, Any]) -> OwnAction:
    fields = {key: value for key, value in table.items() if key != "program"}
    return OwnAction(**fields, program=tuple(table.get("program", ())))


def _slots_in(texts: Mapping[str, Any]) -> set[str]:
    """Return the names of all slots in the sentences and their rules."""
    templates = [
        template
        for table in texts.values()
        for several in (*table.get("sentences", {}).values(), list(table.get("rules", {}).values()))
        for template in several
    ]
    return {slot for template in templates for slot in _SLOT.findall(template)}
