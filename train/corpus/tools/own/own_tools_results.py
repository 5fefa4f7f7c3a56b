"""What clients' tools return, and how the assistant reports it: every number, name, state and code unchanged.

The report follows from the form of the result alone, so that it is right for tools that were never seen: a sentence is
repeated, a state is put in a sentence, an object becomes a list of its fields, a list becomes an enumeration.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from train.corpus.base import Split
from train.corpus.names import invented
from train.corpus.tools.own.own_tools_catalog import OwnTool, Phrase
from train.corpus.tools.own.own_tools_fillers import Value, draw_value, lists
from train.corpus.tools.words import REASONS

DONE = "Done."
NOTHING = "I found nothing."
SUCCESSES = (
    "done", "done", "ok", "OK", "success", '{"ok": true}', '{"success": true}', '{"status": "ok"}', "true", "null",
    "{}", '{"result": "ok"}', '{"status": "success"}', "", '{"error": null}', "sent", '{"done": true}', '{"code": 0}',
)  # fmt: skip
"""What tools return when they did what was wanted and have nothing to tell."""

GENERIC = ("value", "result", "state", "status", "answer", "output", "response", "data", "reading")
"""Names of fields that say nothing about their values."""

PLACES = ("spot", "slotcode")


@dataclass(frozen=True)
class Outcome:
    """What a tool returned, and the assistant's answer."""

    result: str
    answer: str


def key_words(key: str) -> str:
    """Return the name of a field in plain words."""
    return " ".join(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).replace("_", " ").lower().split())


def shown(value: object) -> str:
    """Return a value as JSON shows it, without quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def enumerated(values: Sequence[str]) -> str:
    """Return values as an enumeration: a, b and c."""
    return " and ".join(filter(None, (", ".join(values[:-1]), values[-1])))


def told(fields: Mapping[str, object]) -> str:
    """Return the sentence about an object."""
    keys = list(fields)
    if keys == ["value", "unit"]:
        return f"It is {shown(fields['value'])} {fields['unit']}."
    if len(keys) == 1 and key_words(keys[0]) in GENERIC:
        return f"It is {shown(fields[keys[0]])}."
    if len(keys) == 2 and keys[1] in ("status", "state"):
        subject = "" if keys[0] in ("name", "title", "id") else f"{key_words(keys[0])} "
        said = f"{subject}{shown(fields[keys[0]])} is {shown(fields[keys[1]])}."
        return said[:1].upper() + said[1:]
    parts = [f"the {key_words(key)} is {shown(value)}" for key, value in fields.items()]
    said = enumerated(parts)
    return f"{said[:1].upper()}{said[1:]}."


def sorry(reason: str) -> str:
    """Return the report of an error."""
    return f"I'm sorry, that did not work: {reason}."


def draw_error(rng: random.Random) -> tuple[str, str]:
    """Return an error as tools return it, and its reason."""
    reason = rng.choice((rng.choice(REASONS), rng.choice(lists("own_answers")["reason"].train)))
    if rng.random() < 0.2:
        reason = f"{rng.choice((invented(rng), invented(rng).capitalize()))} {reason}"
    if rng.random() < 0.1:
        reason = f"{reason} ({rng.choice((404, 500, 503, 12, 7, 401, 110))})"
    forms: tuple[object, ...] = (
        {"error": reason}, {"ok": False, "error": reason}, {"success": False, "message": reason},
        {"status": "error", "message": reason}, {"error": {"message": reason}}, {"status": "failed", "reason": reason},
    )  # fmt: skip
    texts = (f"error: {reason}", f"Error: {reason}", f"failed: {reason}", f"ERROR {reason}")
    result = rng.choice(texts) if rng.random() < 0.4 else json.dumps(rng.choice(forms), ensure_ascii=False)
    return result, reason


def draw_outcome(
    rng: random.Random, split: Split, tool: OwnTool, phrase: Phrase, values: Mapping[str, Value]
) -> Outcome:
    """Return the result of a call and the answer after it: mostly a success, else an error or a sentence."""
    draw = rng.random()
    if draw < 0.1:
        result, reason = draw_error(rng)
        return Outcome(result, sorry(reason))
    if draw < 0.2:
        return _sentence(rng, split)
    kind, _, rest = tool.function.result.partition(" ")
    if kind == "done":
        return Outcome(rng.choice(SUCCESSES), DONE)
    if kind == "id":
        return _numbered(rng, split, rest)
    if kind == "value":
        return _value(rng, split, rest)
    if kind == "text":
        return _text(rng, split, rest)
    if kind == "fields":
        return _fields(rng, split, tool, phrase, values)
    return _list(rng, split, rest) if kind == "list" else _records(rng, split, rest)


def _dumped(rng: random.Random, found: object) -> str:
    ending = (", ", ": ") if rng.random() < 0.75 else (",", ":")
    return json.dumps(found, ensure_ascii=rng.random() < 0.03, separators=ending)


def _sentence(rng: random.Random, split: Split) -> Outcome:
    """Return a whole sentence, which is repeated word for word."""
    said = lists("own_answers")["message_answer"].pick(rng, split)
    if rng.random() < 0.5:
        said = f"The {invented(rng)} {rng.choice(('is', 'was', 'has'))} {invented(rng)} {invented(rng)}."
    if rng.random() < 0.3:
        return Outcome(_dumped(rng, {rng.choice(("message", "text", "answer")): said}), said)
    return Outcome(said, said)


def _numbered(rng: random.Random, split: Split, filler: str) -> Outcome:
    """Return a success that has the number of what was made."""
    if rng.random() < 0.4:
        return Outcome(rng.choice(SUCCESSES), DONE)
    key = rng.choice(("id", "id", "number", "code", "reference"))
    value = draw_value(rng, split, filler)
    found = {**({"ok": True} if rng.random() < 0.3 else {}), key: value}
    return Outcome(_dumped(rng, found), f"{DONE} The {key} is {shown(value)}.")


def _value(rng: random.Random, split: Split, filler: str) -> Outcome:
    """Return a single value."""
    value = draw_value(rng, split, filler)
    if filler in PLACES:
        key = rng.choice(("location", "position", "place"))
        return Outcome(_dumped(rng, {key: value}), told({key: value}))
    if rng.random() < 0.4:
        return Outcome(shown(value), told({"value": value}))
    key = rng.choice((*GENERIC, "count", "total", "number")) if isinstance(value, int) else rng.choice(GENERIC)
    found = {**({"ok": True} if rng.random() < 0.1 else {}), key: value}
    return Outcome(_dumped(rng, found), told({key: value}))


def _text(rng: random.Random, split: Split, filler: str) -> Outcome:
    """Return a text, which is repeated word for word."""
    text = shown(draw_value(rng, split, filler))
    if rng.random() < 0.45:
        return Outcome(text, text)
    return Outcome(_dumped(rng, {rng.choice(("text", "content", "result", "output", "translation")): text}), text)


def _fields(rng: random.Random, split: Split, tool: OwnTool, phrase: Phrase, values: Mapping[str, Value]) -> Outcome:
    """Return an object; the answer has the one field that was asked for, or all."""
    pairs = [part.split(" ", 1) for part in tool.function.result.removeprefix("fields ").split("; ")]
    asked = {each.filler: each.slot for each in tool.function.parameters if each.is_required and each.slot in values}
    found = {
        key: values[asked[filler]] if filler in asked and key == pairs[0][0] else draw_value(rng, split, filler)
        for key, filler in pairs
    }
    if phrase.field:
        others = [key for key in found if key != phrase.field and rng.random() < 0.6]
        kept = [key for key in found if key in (*others, phrase.field)]
        said = {phrase.field: found[phrase.field]}
    else:
        few = len(found) if "unit" in found else rng.randint(1, len(found))
        kept = sorted(rng.sample(list(found), few), key=list(found).index)
        said = {key: found[key] for key in kept}
    result = {key: found[key] for key in kept}
    spell = (lambda key: key) if rng.random() < 0.8 else _camel
    answer = told(said)
    if rng.random() < 0.15:
        return Outcome("\n".join(f"{key}: {shown(value)}" for key, value in result.items()), answer)
    start = {"ok": True} if rng.random() < 0.12 else {}
    return Outcome(_dumped(rng, {**start, **{spell(key): value for key, value in result.items()}}), answer)


def _camel(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(map(str.capitalize, others))


def _list(rng: random.Random, split: Split, filler: str) -> Outcome:
    """Return a list of things, possibly an empty one."""
    number = rng.choices((0, 1, 2, 3, 4, 5), (14, 18, 26, 22, 12, 8))[0]
    values = list(dict.fromkeys(shown(draw_value(rng, split, filler)) for _ in range(number)))
    answer = f"I found {enumerated(values)}." if values else NOTHING
    draw = rng.random()
    if not values and draw < 0.4:
        return Outcome(rng.choice(("null", "none", "", "not found", '{"results": []}', '{"count": 0}')), answer)
    if draw < 0.15 and values:
        return Outcome("\n".join(values), answer)
    if draw < 0.4:
        found: dict[str, object] = {rng.choice(("items", "results", "data", "list")): values}
        found |= {"count": len(values)} if rng.random() < 0.4 else {}
        return Outcome(_dumped(rng, found), answer)
    return Outcome(_dumped(rng, values), answer)


def _records(rng: random.Random, split: Split, rest: str) -> Outcome:
    """Return a list of objects of two fields."""
    pairs = [part.split(" ", 1) for part in rest.split("; ")]
    rows = [{key: draw_value(rng, split, filler) for key, filler in pairs} for _ in range(rng.choice((0, 1, 2, 3)))]
    said = [f"{shown(first)} ({shown(second)})" for first, second in (row.values() for row in rows)]
    answer = f"I found {enumerated(said)}." if rows else NOTHING
    return Outcome(_dumped(rng, rows if rng.random() < 0.7 else {"rows": rows}), answer)
