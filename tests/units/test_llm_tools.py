"""Covers units.llm.tools and the grammars of calls, with the bundled model."""

from typing import Any

import llama_cpp
import orjson
import pytest

from tests.support.units.tool_asker import ROOMS, SET_LIGHT, TOOL_TOKEN, TOOLS, Asker
from units.llm.calls import MAX_CALLS, grammar_of
from units.llm.gbnf import allows, grammar_of_schema, make_grammar, without_marks
from units.llm.llama import Model
from units.llm.tools import CALL_MARKS, Tools


def nested(depth: int) -> dict[str, Any]:
    """The schema of an object in an object in an object."""
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"properties": {"a": schema}}
    return schema


def obeys(model: Model, grammar: str, text: str) -> bool:
    """Whether a grammar takes a whole text, byte by byte."""
    sampler = make_grammar(model, grammar)
    for byte in text.encode():
        token = model.byte_tokens[byte]
        if not allows(sampler, token):
            return False
        llama_cpp.llama_sampler_accept(sampler, token)
    return True


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_required_call_obeys_the_functions_schema(asker: Asker, seed: int) -> None:
    """However wild the choice of words."""
    only_light = {"type": "function", "function": {"name": "set_light"}}

    calls = asker.ask("it is dark", tools=TOOLS, tool_choice=only_light, temperature=2.0, seed=seed)

    assert calls[0]["name"] == "set_light"
    assert calls[0]["arguments"]["room"] in ROOMS
    assert isinstance(calls[0]["arguments"]["is_on"], bool)
    assert asker.host.text() == ""


@pytest.mark.parametrize("name", ['TV 55"', "a\\b", "💡 kitchen", "größe", "two\nlines"])
def test_a_device_may_be_called_anything(asker: Asker, name: str) -> None:
    """Quotation marks, backslashes, emoji: in values and in names of parameters."""
    parameters = {"properties": {name: {"enum": [name]}}, "required": [name]}
    tool = {"type": "function", "function": {"name": "turn_on", "parameters": parameters}}

    calls = asker.ask("light!", tools=[tool], tool_choice="required", parallel_tool_calls=False)

    assert [call["arguments"] for call in calls] == [{name: name}]


SAY = {"name": "say", "parameters": {"properties": {"text": {"type": "string", "maxLength": 30}}, "required": ["text"]}}


@pytest.mark.parametrize("mark", ["<tool_call>", "</tool_call>"])
@pytest.mark.parametrize("temperature", [0, 1.5])
def test_no_mark_of_a_call_stands_in_a_text(asker: Asker, model: Model, mark: str, temperature: float) -> None:
    """However much the model wants it there: what a client gets is a call, and nothing beside it."""
    [token] = model.tokenize(mark, parse_special=True)
    tool = {"type": "function", "function": SAY}
    wish = {"logit_bias": {str(token): 50}, "temperature": temperature, "seed": 1}

    calls = asker.ask("say it", tools=[tool], tool_choice="required", parallel_tool_calls=False, **wish)

    assert [list(call["arguments"]) for call in calls] == [["text"]]
    assert mark not in calls[0]["arguments"]["text"]
    assert asker.host.text() == ""


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        ("a < b", True),
        ("</tool_cal", False),
        ("<tool_call> ", False),
        ("x<</tool_call>", False),
        ("<b>bold</b> <tool>", True),
        ("<tool_call", False),
        ("</tool_calls>", True),
        (r"<\u0074ool_call>", True),
        (r"ends with \u003c", True),
        ("ends with <", False),
    ],
)
def test_a_grammar_forbids_marks_and_nothing_else(model: Model, text: str, is_allowed: bool) -> None:
    """Also letter by letter. A text that ends with what may become a mark has to escape it."""
    grammar = without_marks(grammar_of_schema('{"type": "string"}'), CALL_MARKS)

    assert obeys(model, grammar, f'"{text}"') is is_allowed


def test_required_leaves_the_choice_of_the_function(asker: Asker) -> None:
    """Any of them, but one of them."""
    calls = asker.ask("what time is it?", tools=TOOLS, tool_choice="required")

    assert calls[0]["name"] in ("set_light", "get_time")
    assert calls[0]["id"].startswith("call_")


def test_words_stay_words_while_the_model_calls_nothing(asker: Asker) -> None:
    """The grammar sleeps."""
    calls = asker.ask("hello", tools=[TOOLS[1]])

    assert not calls
    assert asker.host.text().isprintable() and len(asker.host.text()) > 1


def test_a_call_that_the_model_begins_by_itself_obeys_the_schema(asker: Asker) -> None:
    """The grammar wakes at the mark."""
    calls = asker.ask("turn on the light", tools=[TOOLS[0]], logit_bias={TOOL_TOKEN: 50}, parallel_tool_calls=False)

    assert [call["arguments"]["room"] in ROOMS for call in calls] == [True]


def test_a_model_that_cannot_stop_calling_is_stopped(asker: Asker) -> None:
    """After so many calls nothing may follow but the end."""
    calls = asker.ask("time?", tools=[TOOLS[1]], logit_bias={TOOL_TOKEN: 50}, max_token_len=900)

    assert len(calls) == MAX_CALLS
    assert asker.host.ends()[0]["reason"] == "stop"


def test_without_parallel_calls_there_is_one(asker: Asker) -> None:
    """Although the model would go on."""
    calls = asker.ask("time?", tools=[TOOLS[1]], logit_bias={TOOL_TOKEN: 50}, parallel_tool_calls=False)

    assert len(calls) == 1


def test_an_answer_in_words_may_have_a_schema_of_its_own(asker: Asker) -> None:
    """Either a call, or JSON that obeys the schema."""
    schema = {"type": "object", "properties": {"is_on": {"type": "boolean"}}, "required": ["is_on"]}

    calls = asker.ask("is the light on?", tools=TOOLS, json_schema=schema, logit_bias={TOOL_TOKEN: -100})

    assert not calls
    assert list(orjson.loads(asker.host.text())) == ["is_on"]


def test_none_hides_the_tools(asker: Asker) -> None:
    """The prompt is the one without."""
    asker.ask("hello", tools=TOOLS, tool_choice="none")
    hidden = asker.host.ends()[0]["usage"]
    asker.ask("hello")

    assert asker.host.ends()[0]["usage"] == hidden


def test_json_holds_no_character_that_json_forbids(asker: Asker, model: Model) -> None:
    """A line's end in a string would be no JSON: it cannot be chosen, however much it is wanted."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 20}}, "required": ["a"]}
    newline = model.tokenize("\n", parse_special=False)[0]

    asker.ask("write a poem", json_schema=schema, logit_bias={str(newline): 50})

    assert orjson.loads(asker.host.text())["a"]


def test_definitions_of_different_tools_do_not_mix(model: Model) -> None:
    """Both may call theirs `Place`."""
    places: list[dict[str, Any]] = [{"enum": ["sea"]}, {"enum": ["hills"]}]
    functions = [
        {
            "name": f"go_{at}",
            "parameters": {"properties": {"to": {"$ref": "#/$defs/Place"}}, "$defs": {"Place": place}},
        }
        for at, place in enumerate(places)
    ]

    grammar = grammar_of(Tools(tuple(functions)))

    assert "sea" in grammar and "hills" in grammar
    assert make_grammar(model, grammar)


@pytest.mark.parametrize(
    "parameters",
    [
        {"properties": {"a": {"type": "string", "pattern": "(?=b)"}}},
        {"properties": {"a": {"type": "string", "pattern": r"^\d$"}}},
        {"properties": {"a": {"type": "string", "minLength": 10**9}}},
        {"$defs": [1]},
        {"definitions": {"a": {"$ref": "#/definitions/a"}}, "$ref": "#/definitions/a"},
        nested(400),
    ],
    ids=["no anchors", "a class of characters", "much text", "a list for a table", "a circle", "a deep one"],
)
def test_a_schema_that_is_too_much_allows_any_arguments(model: Model, parameters: dict[str, Any]) -> None:
    """The call parses all the same, and its caller judges the arguments."""
    odd = {"name": "odd", "parameters": parameters}

    grammar = grammar_of(Tools((odd, SET_LIGHT)))

    assert grammar == grammar_of(Tools((odd | {"parameters": {"type": "object"}}, SET_LIGHT)))
    assert make_grammar(model, grammar)
