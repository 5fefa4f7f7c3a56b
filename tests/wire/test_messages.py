"""Covers messages and errors: what a frame must hold, what a line looks like, and the codes that clients compare."""

import inspect
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unitd.wire import errors
from unitd.wire.errors import BadField, BadIndex, InternalError, LoadFailed, UnitdError, WireError
from unitd.wire.framing import Frame
from unitd.wire.messages import (
    Reply,
    Request,
    encode_reply,
    error_reply,
    escape_line,
    is_task_id,
    parse_request,
    unit_of,
)

# Requests

FIELDS: dict[str, Any] = {"request_id": "2", "work_id": "llm.1002", "action": "inference"}


def test_a_whole_request_is_read() -> None:
    """Every documented key has its place, the payload comes along."""
    frame = Frame(FIELDS | {"object": "llm.utf-8", "data": "hello", "extra": 1}, b"bytes")

    assert parse_request(frame) == Request("2", "llm.1002", "inference", "llm.utf-8", "hello", b"bytes")


@pytest.mark.parametrize("absent", [{}, {"object": None}, {"object": ""}, {"data": None}])
def test_object_and_data_may_be_left_out(absent: dict[str, Any]) -> None:
    """A ping carries neither."""
    assert parse_request(Frame(FIELDS | absent)) == Request("2", "llm.1002", "inference", "None", None)


def test_an_empty_work_id_means_sys() -> None:
    """The original takes "" for its own unit."""
    assert parse_request(Frame(FIELDS | {"work_id": ""})).work_id == "sys"


@pytest.mark.parametrize("name", FIELDS)
def test_a_missing_field_is_named(name: str) -> None:
    """The reason says which field is missing."""
    fields = {key: value for key, value in FIELDS.items() if key != name}

    with pytest.raises(BadField, match=f"^json format error: {name} is missing"):
        parse_request(Frame(fields))


@pytest.mark.parametrize("value", [2, True, 1.5, [], {}, ["2"]], ids=repr)
@pytest.mark.parametrize("name", [*FIELDS, "object"])
def test_a_field_of_another_type_is_named(name: str, value: Any) -> None:
    """Ids, actions and objects are strings."""
    with pytest.raises(BadField, match=f"{name} must be a string"):
        parse_request(Frame(FIELDS | {name: value}))


@pytest.mark.parametrize(
    ("fields", "request_id", "work_id"),
    [
        ({}, "0", "sys"),
        ({"request_id": "2"}, "2", "sys"),
        ({"work_id": "llm.1002"}, "0", "llm.1002"),
        ({"request_id": 2, "work_id": ""}, "0", "sys"),
        ({"request_id": "2", "work_id": 7, "action": "x"}, "2", "sys"),
        ({"request_id": "2", "work_id": "llm", "action": None}, "2", "llm"),
        ({"request_id": "2", "work_id": "llm", "action": "x", "object": 1}, "2", "llm"),
    ],
)
def test_a_refused_request_gets_back_what_was_readable(fields: dict[str, Any], request_id: str, work_id: str) -> None:
    """A readable id is echoed, else "0" and "sys"."""
    with pytest.raises(WireError) as caught:
        parse_request(Frame(fields))

    assert (caught.value.request_id, caught.value.work_id) == (request_id, work_id)


@pytest.mark.parametrize(
    ("text", "unit", "is_named", "is_task"),
    [
        ("llm.1002", "llm", True, True),
        ("llm", "llm", False, False),
        ("llm.x", "llm", True, False),
        ("llm.utf-8", "llm", True, False),
        ("sys.pcm", "sys", True, False),
        ("llm.utf-8.1", "llm", True, False),
        ("1002", "1002", False, False),
        ("", "", False, False),
    ],
)
def test_work_ids_are_told_from_other_names(text: str, unit: str, is_named: bool, is_task: bool) -> None:
    """A task is a unit, one dot and a number."""
    assert (unit_of(text), is_task_id(text)) == (unit, is_task)


# Replies


def test_a_plain_answer_is_the_original_s_line() -> None:
    """Byte for byte what the seed document shows, and a newline."""
    line = encode_reply(Reply("2", "llm.1002"), 1731488402)

    assert line == (
        b'{"created":1731488402,"data":"None","error":{"code":0,"message":""},'
        b'"object":"None","request_id":"2","work_id":"llm.1002"}\n'
    )


def test_a_stream_frame_is_the_original_s_line() -> None:
    """Keys are alphabetical inside data, too; text is raw UTF-8."""
    reply = Reply("2", "llm.1003", "llm.utf-8.stream", {"index": 0, "finish": False, "delta": "Ähm, {🙂}"})

    assert (
        encode_reply(reply, 1742779468)
        == (
            '{"created":1742779468,"data":{"delta":"Ähm, {🙂}","finish":false,"index":0},"error":'
            '{"code":0,"message":""},"object":"llm.utf-8.stream","request_id":"2","work_id":"llm.1003"}\n'
        ).encode()
    )


def test_extra_keys_take_their_place_in_the_order() -> None:
    """What the original does not know stands among the documented keys."""
    line = encode_reply(Reply("2", "llm.1002", extra={"usage": {"b": 1, "a": 2}, "about": 1}), 5)

    assert list(json.loads(line)) == ["about", "created", "data", "error", "object", "request_id", "usage", "work_id"]
    assert list(json.loads(line)["usage"]) == ["a", "b"]


@pytest.mark.parametrize("text", ["a\nb", "\r\n", "\u2028", "\x00", '"', "\\", "\x7f", "\x85"], ids=repr)
def test_a_reply_is_one_line(text: str) -> None:
    """No text can break the line."""
    line = encode_reply(Reply(text, text, text, {"delta": text}, -1, text, {text: text}), 5)

    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line)["data"] == {"delta": text}


@pytest.mark.parametrize("data", [True, False, [], ["llm.1002"], 7, 0.5, "", None, {}], ids=repr)
def test_data_may_be_any_value(data: Any) -> None:
    """A wake word answers true, taskinfo a list."""
    assert json.loads(encode_reply(Reply("2", "kws.1000", "kws.bool", data), 5))["data"] == data


def test_an_error_answer_says_none_and_why() -> None:
    """Object and data are "None", the words come first."""
    reply = error_reply(BadIndex("index 1 never came"), "7", "llm.1002")

    assert reply == Reply(
        "7", "llm.1002", "None", "None", -25, "Stream data index error. index 1 never came", is_droppable=False
    )


# Lines for clients that count braces

UNSAFE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')

texts = st.text(st.one_of(st.sampled_from('{}"\\ué🙂\U0010ffff\n'), st.characters(exclude_categories=["Cs"])))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(texts, texts)
def test_an_escaped_line_says_the_same_in_ascii(text: str, key: str) -> None:
    """No brace and no wide character is left inside a string, and every parser reads the same value."""
    line = encode_reply(Reply(text, key, "llm.utf-8", {"delta": text, key: [text]}, -1, text), 5)

    escaped = escape_line(line)

    assert json.loads(escaped) == json.loads(line)
    assert escaped.isascii()
    assert not re.search(r"[{}]", "".join(UNSAFE.findall(escaped.decode())))
    assert escaped.endswith(b"}\n")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("{", b"\\u007b"),
        ("}", b"\\u007d"),
        ("é", b"\\u00e9"),
        ("🙂", b"\\ud83d\\ude42"),
        ("\\{", b"\\\\\\u007b"),
        ('"}', b'\\"\\u007d'),
        ("plain", b"plain"),
    ],
)
def test_each_unsafe_character_becomes_an_escape(text: str, escaped: bytes) -> None:
    """Astral characters become surrogate pairs, as JSON wants them."""
    assert escape_line(json.dumps({"a": text}, ensure_ascii=False).encode()) == b'{"a": "' + escaped + b'"}'


# Errors

ERRORS = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, UnitdError)]
GROUPS = {"UnitdError", "WireError", "RequestError", "UnitError"}
ON_THE_WIRE = [each for each in ERRORS if each.__name__ not in GROUPS | {"ConfigError"}]

# docs/original-firmware.md, section 3; -1 and -8 are ours.
FACT_SHEET = {
    -1: "internal error",
    -2: "json format error",
    -3: "action match false",
    -4: "inference data push false",
    -5: "Model loading failed.",
    -6: "Unit Does Not Exist",
    -8: "Not allowed.",
    -9: "unit call false",
    -10: "Not available at the moment.",
    -11: "Model run failed.",
    -17: "file path error",
    -18: "not have unit action!",
    -20: "link false",
    -21: "task full",
    -23: "Base64 decoding error.",
    -24: "The inference data is empty.",
    -25: "Stream data index error.",
}


@pytest.mark.parametrize("error", ON_THE_WIRE, ids=lambda error: error.__name__)
def test_codes_and_words_are_the_original_s(error: type[UnitdError]) -> None:
    """Clients compare both."""
    assert FACT_SHEET[error.code] == error.words


@pytest.mark.parametrize("code", FACT_SHEET)
def test_each_code_has_a_class(code: int) -> None:
    """No situation of the sheet was forgotten."""
    assert [error for error in ON_THE_WIRE if error.code == code]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_the_words_come_first(error: type[UnitdError]) -> None:
    """The original's words, then, if there is one, the reason."""
    assert str(error()) == error.words
    assert re.fullmatch(re.escape(error.words) + ":? the reason", str(error("the reason")))


@pytest.mark.parametrize("error", ON_THE_WIRE, ids=lambda error: error.__name__)
def test_the_drawing_shows_each_error(error: type[UnitdError]) -> None:
    """The tree in the module's docstring has the class and its code."""
    assert re.search(rf"\b{error.__name__} .*{error.code}\b", errors.__doc__ or "")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_can_be_answered(error: type[UnitdError]) -> None:
    """Whatever is raised becomes one line."""
    reply = json.loads(encode_reply(error_reply(error("why"), "1", "llm"), 5))

    assert reply["error"] == {"code": error.code, "message": str(error("why"))}
    assert (reply["data"], reply["object"]) == ("None", "None")


def test_a_reason_is_joined_to_the_words() -> None:
    """After a full stop a blank is enough."""
    assert str(LoadFailed("no such file")) == "Model loading failed. no such file"
    assert str(InternalError("see the log")) == "internal error: see the log"
