"""The sentences of each language: those of `home-assistant-intents`, and ours beside them."""

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any

import yaml
from hassil import Intents
from hassil.intents import RangeSlotList, TextSlotList
from hassil.sample import sample_expression
from hassil.util import merge_dict
from home_assistant_intents import get_intents, get_languages

from units.intent.actions import ACTIONS, QUESTIONS, RELATIVE, REPLY, STOPS, TIMER
from units.intent.house import DOMAINS

REQUIRED = ("HassTurnOn", "HassTurnOff")
"""The intents without which a language cannot be used."""

OURS = "unitd"
"""The key in the metadata of sentences of ours."""

_VAGUE = ("{name}", "{area} {brightness}")
_OPTIONAL = re.compile(r"\[[^\[\]]*\]")
# libyaml takes a tenth of the time and of the memory.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OURS = resources.files("units.intent") / "sentences"
_USED_DOMAINS = frozenset(domain for domains in DOMAINS.values() for domain in domains)
_CLASSES = "cover_classes"
# Nobody says a color temperature in words, and thousands of them take a MiB.
_MOST_IN_WORDS = 1000
_REPLIES: Mapping[str, Any] = {"data": [{"sentences": ["{name}", "{area}", "{floor}"]}]}
"""The replies of languages that have no file of ours."""

_CLASS_SAMPLES = 40
"""The most forms of one word that are looked for in names of devices."""


_settings: dict[str, Mapping[str, Any]] = {}
"""Of the languages that were read, for reading one takes long."""


class UnknownLanguage(Exception):
    """No language of this tag has sentences to turn something on and off."""


def find_language(tag: str) -> str:
    """Return the language that has sentences for a tag: "de" for "de-AT", "zh-CN" for "zh".

    Raises:
        UnknownLanguage: there is none; the words say which there are.
    """
    wanted = tag.replace("_", "-").casefold()
    base = wanted.partition("-")[0]
    known = {language.casefold(): language for language in sorted(get_languages())}
    of_base = (known[each] for each in known if each.startswith(f"{base}-"))
    language = known.get(wanted) or known.get(base) or next(of_base, "")
    if not language:
        raise _unknown(tag)
    return language


def _unknown(tag: str) -> UnknownLanguage:
    working = ", ".join(each for each in sorted(get_languages()) if _has_required(_merged(each)))
    return UnknownLanguage(f"there are too few sentences in {tag!r}; languages that work: {working}")


def _has_required(merged: Mapping[str, Any]) -> bool:
    """Return whether there are sentences to turn something on and off."""
    intents = merged["intents"]
    return all(any(block["sentences"] for block in intents.get(name, {"data": ()})["data"]) for name in REQUIRED)


def load_intents(language: str) -> Intents:
    """Return the sentences of a language, without those for which a home has no devices.

    Raises:
        UnknownLanguage: it has none to turn something on and off.
    """
    merged = _merged(language)
    if not _has_required(merged):
        raise _unknown(language)
    _settings[language] = _settings_in(merged)
    merged["intents"] = {name: {"data": data} for name, data in _usable(merged["intents"])}
    intents = Intents.from_dict(merged)
    for numbers in intents.slot_lists.values():
        if isinstance(numbers, RangeSlotList) and numbers.stop > _MOST_IN_WORDS:
            numbers.words = False
    return intents


def settings_of(language: str) -> Mapping[str, Any]:
    """Return what holds for all sentences of a language: which words may be passed over, and whether spaces count."""
    if language not in _settings:
        _settings[language] = _settings_in(_merged(language))
    return _settings[language]


def _settings_in(merged: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: merged[key] for key in ("language", "settings", "skip_words") if key in merged}


def class_words(intents: Intents) -> dict[str, str]:
    """Return the language's words for classes of covers, doors and windows, with their classes."""
    listed = intents.slot_lists.get(_CLASSES)
    words: dict[str, str] = {}
    if isinstance(listed, TextSlotList):
        for value in listed.values:
            one = value.value_out[0] if isinstance(value.value_out, list) else value.value_out
            forms = sample_expression(value.text_in, intents.slot_lists, intents.expansion_rules)
            for _, form in zip(range(_CLASS_SAMPLES), forms, strict=False):
                words[form.strip().casefold()] = one
    return words


def _merged(language: str) -> dict[str, Any]:
    merged: dict[str, Any] = get_intents(language) or {"language": language, "intents": {}}
    merged.pop("responses", None)
    for listed in merged.get("lists", {}).values():
        # hassil keeps number words by the bounds of a range: with the same bounds "down two" would be two up, and "in
        # two minutes" two minutes ago.
        if "multiplier" in listed.get("range", {}):
            listed["range"]["to"] += 1
    ours = _OURS / f"{language}.yaml"
    if ours.is_file():
        added = yaml.load(ours.read_text(encoding="utf-8"), _Loader)
        for intent in added.get("intents", {}).values():
            for block in intent["data"]:
                block.setdefault("metadata", {})[OURS] = True
        merge_dict(merged, added)
    merged["intents"].setdefault(REPLY, _REPLIES)
    return merged


def _usable(intents: Mapping[str, Any]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the intents that can be carried out, with their blocks for devices of a home."""
    for name in (*ACTIONS, *RELATIVE, *QUESTIONS, *STOPS, TIMER, REPLY):
        blocks = [block for block in intents.get(name, {"data": ()})["data"] if _is_for_home(block)]
        if name == TIMER:
            blocks = [block for block in blocks if "conversation_command" in "".join(block["sentences"])]
        usable = blocks if name == REPLY else [_without_bare_names(block) for block in blocks]
        if any(block["sentences"] for block in usable):
            yield name, usable


def _without_bare_names(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a block without sentences that may be a name, or a room and a number, except those for scenes.

    "The desk lamp" would turn the lamp on, also as an answer to "Which lamp do you want to turn off?", and "the bedroom
    one" would dim the lights of the bedroom to 1 percent.
    """
    if block.get("requires_context", {}).get("domain") == ["scene"]:
        return block
    return {**block, "sentences": [text for text in block["sentences"] if _required_part(text) not in _VAGUE]}


def _required_part(template: str) -> str:
    """Return a template without its optional parts."""
    while (shorter := _OPTIONAL.sub("", template)) != template:
        template = shorter
    return " ".join(template.split())


def _is_for_home(block: Mapping[str, Any]) -> bool:
    for place in ("slots", "requires_context"):
        domains = block.get(place, {}).get("domain")
        if domains and _USED_DOMAINS.isdisjoint([domains] if isinstance(domains, str) else domains):
            return False
    return True
