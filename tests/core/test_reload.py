"""Covers reload and openness: what differs between two configurations, and what one leaves open."""

import pytest

from unitd.core.openness import warnings_of
from unitd.core.reading import read_settings
from unitd.core.reload import changed_keys, with_keys_of


def test_equal_settings_have_no_changed_keys() -> None:
    """Nothing to do."""
    assert changed_keys(read_settings({}), read_settings({})) == set()


def test_changed_keys_are_named_as_in_the_file() -> None:
    """By table and key, however deep."""
    old = read_settings({"http": {"api_key": "a", "barge_in": {"messages": 1}}})
    new = read_settings({"http": {"api_key": "b", "barge_in": {"messages": 2}}, "limits": {"tasks": 3}})

    assert changed_keys(old, new) == {"http.api_key", "http.barge_in.messages", "limits.tasks"}


@pytest.mark.parametrize("turned", [False, True], ids=["comes", "goes"])
def test_a_door_that_comes_or_goes_is_one_key(turned: bool) -> None:
    """A table that is there or not."""
    pair = [read_settings({}), read_settings({"serial": {"device": "/dev/ttyS1"}})]

    assert changed_keys(*(reversed(pair) if turned else pair)) == {"serial"}


def test_only_named_keys_are_taken_over() -> None:
    """The others stay what they are, so that a second look finds them changed again."""
    old = read_settings({})
    new = read_settings({"http": {"api_key": "b", "port": 9}, "limits": {"tasks": 3}})

    merged = with_keys_of(old, new, {"http.api_key", "limits.tasks"})

    assert (merged.http.api_key, merged.limits.tasks, merged.http.port) == ("b", 3, old.http.port)
    assert changed_keys(merged, new) == {"http.port"}


def test_an_open_door_is_told() -> None:
    """Any address but the machine's own, without a key."""
    warnings = warnings_of(read_settings({"tcp": {"host": "0.0.0.0"}, "http": {"host": "::"}}))

    assert warnings == [
        "tcp listens on 0.0.0.0: every machine that reaches it may use this device",
        "http listens on ::: every machine that reaches it may use this device",
    ]


def test_a_locked_or_local_door_is_not() -> None:
    """The defaults, and HTTP with a key."""
    assert warnings_of(read_settings({})) == []
    assert warnings_of(read_settings({"http": {"host": "0.0.0.0", "api_key": "x"}})) == []
