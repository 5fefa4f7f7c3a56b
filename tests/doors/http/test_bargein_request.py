"""Covers unitd.doors.http.bargein.request: what messages mean, and what is wrong with the others."""

from typing import Any

import orjson
import pytest

from unitd.core.config.schema import BargeInSettings
from unitd.doors.http.bargein.request import (
    MAX_SESSION_ID,
    Cancel,
    ChatPrompt,
    End,
    Message,
    Ping,
    Pong,
    Refusal,
    Start,
    Warm,
    read_message,
)

SETTINGS = BargeInSettings()
START = {"type": "start", "session_id": "ann", "user_utterance": "hi"}


def refused(message: str | bytes) -> dict[str, Any]:
    """The error that this message is answered with."""
    with pytest.raises(Refusal) as caught:
        read_message(message, SETTINGS)
    return caught.value.frame


def start(**fields: Any) -> Message:
    """What a start with these fields means."""
    return read_message(orjson.dumps(START | fields).decode(), SETTINGS)


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ('{"type":"ping"}', Ping()),
        ('{"type":"pong"}', Pong()),
        ('{"type":"end"}', End()),
        ("__END__", End()),
        (" __END__ \n", End()),
        ('{"type":"cancel"}', Cancel()),
        ('{"type":"cancel","request_id":"r"}', Cancel("r")),
        ('{"cancel":true,"request_id":7}', Cancel(7)),
        ("__CANCEL__", Cancel()),
        ('{"type":"warm_persona","persona_text":"x"}', Warm("persona", "x", {"persona": "x"})),
        ('{"type":"warm_history","history_text":"x"}', Warm("history", "x")),
        ('{"type":"chat_prompt","session_id":"ann","gender":"man"}', ChatPrompt("ann", {"gender": "man"})),
        ('{"type":"chat_prompt","chat_prompt":"x"}', ChatPrompt(None, {"persona": "x"})),
    ],
)
def test_a_message_means_one_thing(message: str, meaning: Message) -> None:
    """In all its spellings."""
    assert read_message(message, SETTINGS) == meaning


def test_a_start_has_a_persona_a_history_and_an_utterance() -> None:
    """By the names that the template has."""
    told = {"persona_text": "a", "persona_style": "b", "gender": "c", "user_identity": "d", "history_text": "e"}

    persona = {"persona": "a", "style": "b", "gender": "c", "identity": "d"}
    assert start(**told) == Start("ann", "hi", "e", persona)


def test_null_is_absent_and_strange_keys_are_ignored() -> None:
    """Clients of the original send more, or less."""
    told: dict[str, Any] = {"gender": None, "sampling": None, "history_text": None, "seed": 7, "personality": {}}

    assert start(**told) == Start("ann", "hi")
    assert start(sampling={"top_k": None, "seed": 7}) == Start("ann", "hi", sampling={})


def test_the_sampling_of_the_document_is_taken() -> None:
    """Every key of the document's table is read."""
    sampling = {"temperature": 0.8, "top_p": 0.85, "top_k": 40, "min_p": 0, "repetition_penalty": 1.1}
    sampling |= {"presence_penalty": -1, "frequency_penalty": 0.5, "sanitize_output": False}

    assert start(sampling=sampling) == Start("ann", "hi", sampling=sampling)


def test_sentinels_are_the_configuration_s() -> None:
    """An empty one is none."""
    settings = BargeInSettings(end_sentinel="BYE", cancel_sentinel="")

    assert read_message("BYE", settings) == End()
    with pytest.raises(Refusal):
        read_message("__END__", settings)
    with pytest.raises(Refusal):
        read_message(" ", settings)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("hello", "invalid_message"),
        ('{"type":', "invalid_message"),
        ("[]", "invalid_message"),
        ("null", "invalid_message"),
        ("", "invalid_message"),
        ("{}", "invalid_message"),
        ('{"type": 7}', "invalid_message"),
        ('{"cancel": false}', "invalid_message"),
        (b"\x00\x01", "invalid_message"),
        (b'{"type":"ping"}', "invalid_message"),
        ('{"type": "sing"}', "unknown_message_type"),
        ('{"type": "start", "user_utterance": "hi"}', "missing_session_id"),
        ('{"type": "start", "session_id": "", "user_utterance": "hi"}', "missing_session_id"),
        ('{"type": "start", "session_id": 7, "user_utterance": "hi"}', "validation_error"),
        ('{"type": "start", "session_id": "ann"}', "validation_error"),
        ('{"type": "start", "session_id": "ann", "user_utterance": " "}', "validation_error"),
        ('{"type": "start", "session_id": "ann", "user_utterance": ["hi"]}', "validation_error"),
        ('{"type": "start", "session_id": "ann", "user_utterance": "hi", "gender": 1}', "validation_error"),
        ('{"type": "start", "session_id": "ann", "user_utterance": "hi", "sampling": []}', "validation_error"),
        ('{"type": "start", "session_id": "ann", "user_utterance": "hi", "history_text": {}}', "validation_error"),
        ('{"type": "cancel", "request_id": {}}', "validation_error"),
        ('{"type": "warm_persona"}', "validation_error"),
        ('{"type": "warm_history", "history_text": 1}', "validation_error"),
        ('{"type": "chat_prompt", "session_id": "ann"}', "validation_error"),
    ],
)
def test_nonsense_is_refused(message: str | bytes, code: str) -> None:
    """In the dialect's form, with words."""
    refusal = refused(message)

    assert (refusal["type"], refusal["error_code"]) == ("error", code)
    assert refusal["message"]


def test_a_session_id_is_no_book() -> None:
    """It is kept, and sent back."""
    assert refused(orjson.dumps(START | {"session_id": "x" * (MAX_SESSION_ID + 1)}).decode())["error_code"] == (
        "validation_error"
    )


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": "0.8"},
        {"temperature": -1},
        {"temperature": True},
        {"top_p": 1.1},
        {"top_k": 1.5},
        {"min_p": [0]},
        {"repetition_penalty": 0},
        {"presence_penalty": 1000},
        {"frequency_penalty": {}},
        {"sanitize_output": "no"},
    ],
)
def test_a_bad_sampling_value_is_refused(sampling: dict[str, Any]) -> None:
    """The words name the key."""
    refusal = refused(orjson.dumps(START | {"sampling": sampling}).decode())

    assert refusal["error_code"] == "validation_error"
    assert next(iter(sampling)) in refusal["message"]
