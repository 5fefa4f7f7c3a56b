"""The sentences of one language: the responses of `home_assistant_intents`, and ours for what it lacks.

Both are Jinja templates, and are rendered strictly: a template that uses a value that is missing or None says nothing,
so that the next one is tried. States and numbers stay in templates what they are on the wire, because many of the
library's compare them ("on", "21.5"); what is put out is replaced by the language's word or spelling.
"""

import functools
import logging
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hassil.parse_expression import parse_sentence
from hassil.sample import sample_sentence
from home_assistant_intents import get_intents
from jinja2 import StrictUndefined, Template, TemplateError, UndefinedError, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

logger = logging.getLogger(__name__)

_OURS = Path(__file__).parent / "responses"
_OURS_BY_TAG = {"en": "en", "de": "de", "fr": "fr", "es": "es", "zh": "zh-CN"}

# The languages of the library that write 21,5.
_WITH_COMMA = frozenset(
    {
        "af", "bg", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu", "hy", "id", "is",
        "it", "ka", "lb", "lt", "lv", "nb", "nl", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sr", "sr-Latn", "sv",
        "tr", "uk", "vi",
    }
)  # fmt: skip

_END_MARKS = ".!?。！？"  # noqa: RUF001  # Chinese has marks of its own
_UNTRANSLATED = "TODO"  # a mark of the library's authors, which would be said

_STATE_LISTS = ("on_off_states", "cover_states", "lock_states")

# What a template of the library may fail with, besides what Jinja raises: it is written for other values.
_FAULTS = (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

_REQUIRED: Any = object()


class Wording:
    """What can be said in one language."""

    def __init__(self, language: str) -> None:
        data = get_intents(language) or {}
        responses = data.get("responses", {})
        self._responses: Mapping[str, Mapping[str, str]] = responses.get("intents", {})
        self._errors: Mapping[str, str] = responses.get("errors", {})
        self._has_comma = language in _WITH_COMMA
        self.is_ours = language.partition("-")[0] in _OURS_BY_TAG
        """Whether there are words of ours in this language; otherwise ours are English."""

        self._ours = _read_ours(language)
        is_exact = language in _OURS_BY_TAG.values()
        self._states = self._ours["states"] if is_exact else _listed_states(data) or self._ours["states"]
        self._templates: dict[str, Template] = {}

    def response(self, intent: str, key: str, values: Mapping[str, Any]) -> str:
        """Return the library's response of this key, or "" if there is none or it needs what is missing."""
        source = self._responses.get(intent, {}).get(key, "")
        return "" if _UNTRANSLATED in source else self._render(source, values)

    def error(self, key: str, values: Mapping[str, Any]) -> str:
        """Return the library's sentence about an error, or "" if there is none or it needs what is missing."""
        return self._render(self._errors.get(key, ""), values)

    def own(self, table: str, keys: Sequence[str], values: Mapping[str, Any]) -> str:
        """Return our sentence of the first of these keys that can be said; "" if there is none."""
        rendered = (self._render(self._ours[table].get(key, ""), values) for key in keys)
        return capitalized(next(filter(None, rendered), ""))

    def reason(self, code: str, values: Mapping[str, Any]) -> str:
        """Return our words for the reason of a failure, a part of a sentence; "" if there are none."""
        return self._render(self._ours["reasons"].get(code, ""), {"shown": {}, **values})

    def said(self, template: str, values: Mapping[str, Any]) -> str:
        """Return a sentence of a skill; "" if it needs a value that is missing."""
        return capitalized(self._render(template, {"shown": {}, **values}))

    def part(self, template: str, values: Mapping[str, Any]) -> str:
        """Return a part of a sentence of a skill, as its template has it; "" if it needs a value that is missing."""
        return self._render(template, {"shown": {}, **values})

    def ended(self, sentence: str) -> str:
        """Return a sentence with a full stop, if it ends without a mark."""
        return sentence if sentence[-1] in _END_MARKS else f"{sentence}{self._ours['full_stop']}"

    def phrase(self, names: Sequence[str], joint: str = "and") -> str:
        """Return names with their articles, joined by the word for "and" or "or"."""
        article = self._ours["article"]
        said = [_with_article(name, article) for name in names]
        return str(self._ours[joint]).join(filter(None, (self._ours["comma"].join(said[:-1]), said[-1])))

    def counted(self, count: int, kind: str) -> str:
        """Return how many devices of a kind there are; a kind is a domain or a class of devices."""
        kinds = self._ours["kinds"]
        return f"{count}{self._ours['space']}{kinds.get(kind) or kinds['device']}"

    def state(self, state: str) -> str:
        """Return the word for a state, or its number as this language writes it."""
        if is_number(state):
            return self.number(float(state))
        plain = state.casefold()
        return str(self._states.get(plain) or self._ours["states"].get(plain) or state.replace("_", " "))

    def number(self, value: float) -> str:
        """Return a number with at most one decimal, two below 10, as this language writes it."""
        digits = f"{round(value, 1 if abs(value) >= 10 else 2):.12g}"
        return digits.replace(".", ",") if self._has_comma else digits

    def _render(self, source: str, values: Mapping[str, Any]) -> str:
        if not source:
            return ""
        try:
            if source not in self._templates:
                self._templates[source] = _environment().from_string(source)
            return " ".join(self._templates[source].render(values, wording=self).split())
        except _FAULTS as error:
            logger.debug("= response passed over: %s", error)
            return ""


@functools.cache
def wording_in(language: str) -> Wording:
    """Return the wording of a language of the library; it is read once."""
    return Wording(language)


def capitalized(words: str) -> str:
    """Return words with a capital letter first, and the others as they are."""
    return words[:1].upper() + words[1:]


def _read_ours(language: str) -> dict[str, Any]:
    name = _OURS_BY_TAG.get(language.partition("-")[0], "en")
    return tomllib.loads((_OURS / f"{name}.toml").read_text(encoding="utf-8"))


def _listed_states(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the library's words for states, the first form of each: "aan" for "on"."""
    lists = [data.get("lists", {}).get(name, {}).get("values", ()) for name in _STATE_LISTS]
    words: dict[str, str] = {}
    for value in (each for values in lists for each in values if isinstance(each, dict)):
        words.setdefault(value["out"], next(iter(sample_sentence(parse_sentence(value["in"])))).strip())
    return words


def _with_article(name: str, article: str) -> str:
    """Return "the kitchen light", but "Anna's lamp"."""
    return name if not article or "'s " in name or name.lower().startswith(("the ", "my ")) else f"{article} {name}"


@functools.cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, finalize=_put_out)
    # As in Home Assistant, text that is no number is an error and not 0, unless the template has a default.
    environment.filters.update(capitalize=_capitalize, int=_to_int, float=_to_float)
    return environment


@pass_context
def _put_out(context: Context, value: Any) -> Any:
    """Return what is put out for a value of an expression.

    Raises:
        UndefinedError: the value is None or a collection.
    """
    if value is None or isinstance(value, list | tuple | dict):
        raise UndefinedError("a value is no text")
    if isinstance(value, float):
        return context["wording"].number(value)
    return context["shown"].get(value, value) if isinstance(value, str) else value


def _capitalize(value: Any) -> str:
    """Return a text with a capital letter first; Jinja's own filter makes "TV" of a name "tv", and a text of None."""
    if value is None:
        raise UndefinedError("a value is None")
    return capitalized(str(value))


def _to_int(value: Any, default: Any = _REQUIRED) -> Any:
    return _converted(lambda: int(float(value)), default)


def _to_float(value: Any, default: Any = _REQUIRED) -> Any:
    return _converted(lambda: float(value), default)


def _converted(convert: Any, default: Any) -> Any:
    try:
        return convert()
    except (TypeError, ValueError):
        if default is _REQUIRED:
            raise
        return default


def is_number(text: str) -> bool:
    return _to_float(text, None) is not None and text[-1:].isdigit()
