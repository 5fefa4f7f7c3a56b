"""Answers that may be calls: the grammar that keeps them well-formed, the stream that takes them out of the text."""

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from units.llm.gbnf import QUOTED, grammar_of_schema, without_marks
from units.llm.options import SamplerSpec
from units.llm.text import TextStream, suspect_length
from units.llm.tools import CALL_MARKS, CLOSE, OPEN, ToolCall, Tools, maybe_call

# A model that cannot stop calling is stopped.
MAX_CALLS = 8

_NO_ARGUMENTS = {"type": "object", "properties": {}}
_ANY_ARGUMENTS = {"type": "object"}
_DEFINITIONS = ("$defs", "definitions")

_NAME = re.compile(QUOTED.pattern + r"|[A-Za-z][A-Za-z0-9-]*", QUOTED.flags)
"""The parts of GBNF: texts, sets of characters, tokens, comments, and names of rules."""


def with_calls(spec: SamplerSpec, tools: Tools | None) -> SamplerSpec:
    """Return the sampler's settings of an answer that may, or must, call; raise ValueError for a bad JSON schema."""
    if tools is None:
        return spec
    if tools.must_call:
        return spec._replace(grammar=grammar_of(tools), json_schema="")
    words = without_marks(grammar_of_schema(spec.json_schema), CALL_MARKS) if spec.json_schema else spec.grammar
    return spec._replace(grammar=grammar_of(tools, words), json_schema="", wakes_at="" if words else OPEN)


def grammar_of(tools: Tools, answer: str = "") -> str:
    """Return the GBNF of an answer with calls, from its first mark on.

    An answer in words with a grammar of its own (`answer`) may stand instead.
    """
    calls = _grammar(json.dumps(tools.callable), MAX_CALLS if tools.is_parallel else 1)
    if not answer:
        return calls
    return f"root ::= call-root | said-root\n{_renamed(calls, 'call-')}\n{_renamed(answer, 'said-')}"


@lru_cache(maxsize=32)
def _grammar(functions: str, most: int) -> str:
    """Return the grammar, cached: a conversation repeats its tools, and schemas are slow to translate."""
    definitions: dict[str, Any] = {}
    calls = []
    for at, function in enumerate(json.loads(functions)):
        arguments, its_definitions = _hoisted(function.get("parameters") or _NO_ARGUMENTS, f"tool-{at}-")
        definitions |= its_definitions
        named = {"name": {"const": function["name"]}, "arguments": arguments}
        calls.append({"type": "object", "properties": named, "required": ["name", "arguments"]})
    schema = json.dumps({"anyOf": calls, "$defs": definitions})
    rules = _renamed(without_marks(grammar_of_schema(schema), CALL_MARKS), "json-")
    more = f" (nl call){{0,{most - 1}}}" if most > 1 else ""
    return f'root ::= call{more}\ncall ::= "{OPEN}" nl json-root nl "{CLOSE}"\nnl ::= "\\n"?\n{rules}'


def _hoisted(parameters: dict[str, Any], prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a schema as part of a larger one, and its definitions; one that is too large allows anything."""
    rest = {key: each for key, each in parameters.items() if key not in _DEFINITIONS}
    tables = [parameters.get(key) or {} for key in _DEFINITIONS]
    if not all(isinstance(table, dict) for table in tables):
        return _ANY_ARGUMENTS, {}
    try:
        schema = _with_references(rest, prefix)
        definitions = {
            prefix + name: _with_references(each, prefix) for table in tables for name, each in table.items()
        }
        grammar_of_schema(json.dumps({**schema, "$defs": definitions}))
    except (ValueError, RecursionError):
        return _ANY_ARGUMENTS, {}
    return schema, definitions


def _renamed(grammar: str, prefix: str) -> str:
    """Return the same grammar with other names for its rules."""
    return _NAME.sub(lambda found: prefix + found[0] if found[0][0].isalpha() else found[0], grammar)


def _with_references(schema: Any, prefix: str) -> Any:
    """Return the schema with references to a tool's own definitions under their new names."""
    if isinstance(schema, list):
        return [_with_references(each, prefix) for each in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _with_references(each, prefix) for key, each in schema.items()}
    if isinstance(target := schema.get("$ref"), str):
        changed["$ref"] = f"#/$defs/{prefix}{target.rpartition('/')[2]}"
    return changed


_CLOSE_OR_TEXT = re.compile(rf'"(?:\\.|[^"\\])*(?:"|\\?\Z)|{re.escape(CLOSE)}', re.DOTALL)


def _call_of(text: str) -> tuple[str, str, str]:
    """Partition a text at the mark that ends a call; a mark within a JSON text does not count."""
    for found in _CLOSE_OR_TEXT.finditer(text):
        if found[0] == CLOSE:
            return text[: found.start()], CLOSE, text[found.end() :]
    return text, "", ""


class CallStream(TextStream):
    """A text stream that passes what stands between the marks of a call to `on_call` instead."""

    def __init__(self, stop: Sequence[str], on_call: Callable[[ToolCall], None]) -> None:
        super().__init__(stop)
        self._on_call = on_call
        self._unread = ""
        """The beginning of a call, or of what may become a mark."""

        self._is_calling = False
        self._has_called = False

    def finish(self) -> str:
        """Return what was held back; a call that was not completed is dropped."""
        rest = "" if self._is_calling else super()._show(self._unread)
        self._unread = ""
        return rest + super().finish()

    def _show(self, text: str) -> str:
        self._unread += text
        shown = ""
        while not self.stop_word:
            before, mark, behind = _call_of(self._unread) if self._is_calling else self._unread.partition(OPEN)
            if not mark:
                return shown if self._is_calling else shown + self._show_plain()
            self._unread = behind
            shown += self._called(before) if self._is_calling else self._between(before)
            self._is_calling = not self._is_calling
        return shown

    def _show_plain(self) -> str:
        """Show all that cannot become a mark."""
        keep = len(self._unread) - suspect_length(self._unread, (OPEN,))
        text, self._unread = self._unread[:keep], self._unread[keep:]
        return self._between(text)

    def _between(self, text: str) -> str:
        """Show text between calls, unless it only separates them."""
        return "" if self._has_called and not text.strip() else super()._show(text)

    def _called(self, text: str) -> str:
        """Report a whole call; show what only looks like one."""
        if (call := maybe_call(text)) is None:
            return super()._show(f"{OPEN}{text}{CLOSE}")
        self._has_called = True
        self._on_call(call)
        return ""
