"""Covers units.llm.sampling, through options and the engine with the bundled model."""

import json
import math
import re
from typing import Any

import pytest

from tests.support.units.engine_bench import Bench
from units.base import UnitFault
from units.llm.grammars import Grammars
from units.llm.options import SamplerSpec, read_options

COLOURS = 'root ::= "red" | "green" | "blue"'
SCHEMA = {
    "type": "object",
    "properties": {"room": {"type": "string", "maxLength": 8}, "on": {"type": "boolean"}},
    "required": ["room", "on"],
}


def test_a_grammar_is_obeyed(bench: Bench) -> None:
    """The answer is one of its words and ends there."""
    bench.ask("a", "which colour do you like", spec=SamplerSpec(grammar=COLOURS))
    bench.run()

    assert bench.ear.text("a") in ("red", "green", "blue")


def test_a_grammar_that_leads_nowhere_ends_its_own_answer(bench: Bench) -> None:
    """No character is none of all characters; the neighbour's answer goes on."""
    grammar = r'root ::= "red" [^\x00-\U7FFFFFFF]'
    bench.ask("a", "which colour do you like", spec=SamplerSpec(grammar=grammar))
    bench.ask("b", "hello")
    bench.run()

    assert bench.ear.text("a") == "red"
    assert bench.ear.ends["a"] == ["error"]
    assert bench.ear.ends["b"] == ["stop"]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_bias_that_leaves_a_grammar_nothing_ends_its_own_answer(bench: Bench, temperature: float) -> None:
    """Behind the word only the end may come, and the bias forbids the end."""
    no_end = tuple((token, -math.inf) for token in bench.model.end_tokens)
    spec = SamplerSpec(grammar='root ::= "red"', logit_bias=no_end, temperature=temperature)
    bench.ask("a", "which colour do you like", spec=spec)
    bench.ask("b", "hello")
    bench.run()

    assert bench.ear.text("a") == "red"
    assert bench.ear.ends["a"] == ["error"]
    assert bench.ear.ends["b"] == ["stop"]


@pytest.mark.parametrize(
    ("behind", "text"),
    [('"{rest}, my friend"', "{said}, my friend"), ('"☂"', "{whole}")],
    ids=["obeyed from its middle on", "asleep again where it forbids the rest of the token"],
)
def test_a_grammar_wakes_in_the_middle_of_a_token(bench: Bench, behind: str, text: str) -> None:
    """A mark of more than one token may end there; nobody's answer ends with it."""
    free = bench.ask("free", "hello")
    bench.run()
    pieces = [bench.model.piece(token) for token in free.tokens[len(free.prompt) :]]
    last = next(at for at, piece in enumerate(pieces) if at > 0 and len(piece) > 1 and piece.isascii())
    said = b"".join(pieces[: last + 1]).decode()
    mark, rest = said[:-1], said[-1]

    grammar = f"root ::= {json.dumps(mark, ensure_ascii=False)} {behind.format(rest=rest)}"
    bench.ask("a", "hello", spec=SamplerSpec(grammar=grammar, wakes_at=mark))
    bench.run()

    assert bench.ear.text("a") == text.format(said=said, whole=bench.ear.text("free"))
    assert bench.ear.ends["a"] == ["stop"]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_schema_makes_json(bench: Bench, temperature: float) -> None:
    """Whatever is sampled, the text parses and has the schema's keys."""
    sampler = read_options({"json_schema": SCHEMA, "temperature": temperature, "seed": 3}, 512).sampler
    bench.ask("a", "turn on the kitchen light", spec=sampler, max_tokens=100)
    bench.run()

    answer = json.loads(bench.ear.text("a"))
    assert isinstance(answer["room"], str)
    assert isinstance(answer["on"], bool)


@pytest.mark.parametrize(("most", "longest"), [(2, 2), (1000, 1000), (1001, math.inf), (65_535, math.inf)], ids=str)
def test_a_schema_counts_as_far_as_anyone_speaks(bench: Bench, most: int, longest: float) -> None:
    """What a database column holds is no limit of an answer; what is less is one to the last character."""
    schema = {"type": "array", "items": {"type": "string", "maxLength": most}, "minItems": 3, "maxItems": most + 1}

    bench.ask("a", "tell me a story", spec=SamplerSpec(json_schema=json.dumps(schema)), max_tokens=200)
    bench.run()

    said = bench.ear.text("a")
    assert bench.ear.ends["a"] == ["stop"] or len(said) > 100
    assert all(len(each) <= longest for each in re.findall('"([^"]*)"', said))


def test_a_forbidden_token_is_not_said(bench: Bench) -> None:
    """A bias of minus infinity; the answer begins otherwise."""
    free = bench.ask("a", "hello")
    bench.run()
    first = free.tokens[len(free.prompt)]

    biased = bench.ask("b", "hello", spec=SamplerSpec(logit_bias=((first, -math.inf),)))
    bench.run()

    assert first not in biased.tokens[len(biased.prompt) :]


def test_the_greedy_shortcut_is_the_chain(bench: Bench) -> None:
    """A penalty too small to matter goes the long way, through llama.cpp's samplers, to the same text."""
    bias = ((100, 0.5), (200, -math.inf))
    for task, spec in (
        ("short", SamplerSpec(logit_bias=bias)),
        ("long", SamplerSpec(logit_bias=bias, presence_penalty=1e-9)),
    ):
        bench.ask(task, "tell me a story", spec=spec, max_tokens=120)
    bench.run()

    assert len(bench.ear.text("short")) > 100
    assert bench.ear.text("short") == bench.ear.text("long")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (SamplerSpec(grammar="root ::= ("), "grammar does not compile"),
        (SamplerSpec(grammar="root ::= " + 501 * "(" + '"a"' + 501 * ")"), "grammar is too large"),
        (SamplerSpec(grammar="root ::= " + 501 * "( # a comment\r" + '"a"' + 501 * ")"), "grammar is too large"),
        (SamplerSpec(grammar='root ::= "a" #\n' + 20_000 * 'b ::= "b"\n'), "grammar is too large"),
        (SamplerSpec(grammar='root ::= "a"{5, 3}'), "grammar does not compile"),
        (SamplerSpec(json_schema='{"type": "house"}'), "json_schema cannot be used"),
        (SamplerSpec(json_schema='{"type": "string", "minLength": 1000000000}'), "json_schema cannot be used"),
        (SamplerSpec(json_schema='{"type": "string", "minLength": 5, "maxLength": 3}'), "json_schema cannot be used"),
        (SamplerSpec(json_schema='{"type": "string", "pattern": "^\\\\d$"}'), "json_schema cannot be used"),
    ],
)
def test_what_does_not_compile_is_refused(grammars: Grammars, spec: SamplerSpec, words: str) -> None:
    """Before any token is sampled."""
    assert re.search(words, str(tried(grammars, spec)))


def test_parentheses_that_are_text_nest_nothing(grammars: Grammars) -> None:
    """In quotation marks, sets of characters and comments."""
    texts = 300 * r'"((\"" [(\](] '
    spec = SamplerSpec(grammar=f"root ::= {texts} # ((\n")

    assert tried(grammars, spec) == spec


def tried(grammars: Grammars, spec: SamplerSpec) -> Any:
    """What comes of a grammar: the settings, or a reason against them; None when its process has died."""
    grammar = grammars.begin(spec)
    try:
        assert grammar.connection.poll(30)
        return grammar.connection.recv()
    except EOFError:
        return None
    finally:
        grammar.close()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"json_schema": [1]}, "json_schema must be an object"),
        ({"json_schema": {"type": "object"}, "grammar": COLOURS}, "exclude each other"),
        ({"grammar": 7}, "grammar must be a text"),
        ({"logit_bias": [1]}, "logit_bias must be an object"),
        ({"logit_bias": {"word": 1}}, "logit_bias holds 'word'"),
        ({"logit_bias": {"7": "high"}}, "logit_bias holds '7'"),
        ({"logit_bias": {"7": 1e39}}, "to numbers from -1000000 to 1000000"),
        ({"logit_bias": {"7": math.nan}}, "logit_bias holds '7'"),
        ({"logit_bias": {5000 * "7": 1}}, "logit_bias holds '777"),
    ],
)
def test_a_bad_shape_names_its_field(data: dict[str, object], words: str) -> None:
    """At setup."""
    with pytest.raises(UnitFault, match=words):
        read_options(data, 512)
