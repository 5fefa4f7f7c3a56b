"""Functions that are made of a verb and a thing, so that names of functions must be read and not known by heart."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from train.corpus.base import Phrasings, Split
from train.corpus.names import invented
from train.corpus.tools.own.own_tools_catalog import Function, Parameter
from train.corpus.tools.own.own_tools_fillers import lists

KINDS = {"do": 5, "set": 5, "get": 4, "name": 4, "mode": 4, "flag": 3, "give": 2, "count": 1}
PLURALS_ENDS = ("s", "y", "h", "x", "f")


def _words(name: str) -> list[str]:
    return list(lists("own_made")[name].train)


@cache
def _verbs() -> dict[str, tuple[str, ...]]:
    lines = [*lists("own_made")["verbs"].train, *lists("own_made")["verbs"].heldout]
    pairs = [line.split(": ") for line in lines]
    return {verb: tuple(said.split(", ")) for verb, said in pairs}


def _forms(kind: str, spell: Callable[[str], str]) -> Phrasings:
    """Return the phrasings of a kind, with their words filled in."""
    forms, made = lists("own_made")[kind], Phrasings(())
    made.train = [spell(each) for each in forms.train]
    made.heldout = [spell(each) for each in forms.heldout]
    return made


def _parameters(rng: random.Random, kind: str, attribute: str) -> tuple[Parameter, ...]:
    if kind == "set":
        filler = rng.choice(("int 0-100", "int 0-100", "int 1-10", "int 20-2000", "num 0-50"))
        return (Parameter(("value", attribute, "amount", "to"), filler, True),)
    if kind == "name":
        filler = rng.choice(("invented", "code", "word", "code", "fullname"))
        return (Parameter(("name", "id", "title", "which", "value"), filler, True),)
    if kind == "mode":
        options = rng.sample(_words("modes"), rng.choice((2, 3, 3, 4, 5)))
        options = [invented(rng) if rng.random() < 0.08 else each.replace(" ", "_") for each in options]
        return (Parameter(("mode", "setting", "program", "state", "value"), "|".join(dict.fromkeys(options)), True),)
    if kind == "flag":
        return (Parameter(("on", "enabled", "state", "active"), "flag", True),)
    if kind == "give":
        return (Parameter(("to", "recipient", "person", "who"), "person", True),)
    return (Parameter(("count", "number", "amount", "quantity"), "int 2-99", True),) if kind == "count" else ()


def draw_made(rng: random.Random, split: Split) -> Function:
    """Return a function of the split: a tenth of all pairs of a verb and a thing is never trained."""
    while True:
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        thing = rng.choice(_words("things")) if rng.random() < 0.85 else invented(rng)
        if rng.random() < 0.25:
            thing = f"{rng.choice(_words('things'))} {thing}"
        verb, attribute = rng.choice(list(_verbs())), rng.choice(_words("attributes"))
        if kind == "count" and thing.endswith(PLURALS_ENDS):
            continue
        function = _made(rng, kind, thing, verb, attribute)
        if function.is_held == (split != "train"):
            return function


def _made(rng: random.Random, kind: str, thing: str, verb: str, attribute: str) -> Function:
    said = verb if rng.random() < 0.6 else rng.choice(_verbs()[verb])
    names = {
        "set": (f"set {thing} {attribute}", f"change {thing} {attribute}"),
        "get": (f"get {thing} {attribute}", f"read {thing} {attribute}", f"{thing} {attribute}"),
        "mode": (f"set {thing} mode", f"{thing} mode", f"change {thing} mode"),
        "flag": (f"set {thing}", f"switch {thing}", f"{thing} power"),
        "give": (f"send {thing}", f"share {thing}"),
    }.get(kind, (f"{verb} {thing}", f"{thing} {verb}"))
    parameters = _parameters(rng, kind, attribute)
    slot = f"{{{parameters[0].slot}}}" if parameters else ""
    phrasings = _forms(kind, lambda form: form.format(verb=said, thing=thing, attribute=attribute, value=slot))
    result = rng.choice(("value int 0-900", "value num 0-99", f"fields {attribute.replace(' ', '_')} int 0-500"))
    if kind != "get":
        result = rng.choice(("done", "done", "id code")) if kind in ("name", "count") else "done"
    return Function(thing, names, parameters, result, phrasings)
