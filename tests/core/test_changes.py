"""Covers changes and exposure: what differs between two configurations, and what one leaves open."""

import pytest

from unitd.core.config.changes import changed_keys, with_keys_of
from unitd.core.config.exposure import warnings_of
from unitd.core.config.loader import read_settings
from unitd.wire.errors import ConfigError


def test_equal_settings_have_no_changed_keys() -> None:
    """The list of changed keys is empty."""
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


OPEN = {"tcp": {"host": "0.0.0.0"}, "http": {"host": "::"}}


def test_an_open_door_is_told() -> None:
    """Any address but the machine's own, where the configuration gives up tokens, or TLS."""
    nobody_asked = {"without_token": ["tcp"], "without_tls": ["tcp", "http"]}

    warnings = warnings_of(read_settings(OPEN | {"auth": nobody_asked}), tokens=1)

    assert warnings == [
        "tcp listens on 0.0.0.0 without token: every machine there may use this device",
        "http listens on :: without TLS: who listens on the way hears tokens and words",
    ]


def test_a_door_whose_tokens_are_still_to_be_made_is_told() -> None:
    """It would refuse everybody."""
    settings = read_settings({"tcp": {"host": "0.0.0.0"}, "auth": {"tls_cert": "c", "tls_key": "k"}})

    assert warnings_of(settings, tokens=0) == ["tcp listens on 0.0.0.0 and there is no token yet: unitd token new NAME"]


def test_a_locked_or_local_door_is_not() -> None:
    """The defaults, and HTTP with a key and a certificate."""
    locked = {"http": {"host": "0.0.0.0", "api_key": "x"}, "auth": {"tls_cert": "c", "tls_key": "k"}}

    assert warnings_of(read_settings({}), tokens=0) == []
    assert warnings_of(read_settings(locked), tokens=0) == []


@pytest.mark.parametrize("door", ["tcp", "http", "wyoming"])
def test_other_machines_are_let_in_only_by_words(door: str) -> None:
    """An address alone is a mistake of the configuration, which says what would mend it."""
    with pytest.raises(ConfigError, match=rf'{door}.host is 0.0.0.0; .*auth.without_tls = \["{door}"\]'):
        read_settings({door: {"host": "0.0.0.0"}})


def test_wyoming_needs_both_words() -> None:
    """The Wyoming protocol has no tokens, so both exceptions must be in the configuration."""
    with pytest.raises(ConfigError, match="neither tokens nor TLS"):
        read_settings({"wyoming": {"host": "0.0.0.0"}, "auth": {"without_tls": ["wyoming"]}})
    words = {"without_tls": ["wyoming"], "without_token": ["wyoming"]}

    assert read_settings({"wyoming": {"host": "0.0.0.0"}, "auth": words}).wyoming is not None


def test_wyoming_asks_nobody_on_a_machine_that_is_not_trusted_either() -> None:
    """Where anybody may come from 127.0.0.1, that has to be said."""
    with pytest.raises(ConfigError, match=r'wyoming.host is 127.0.0.1, .*auth.without_token = \["wyoming"\]'):
        read_settings({"wyoming": {}, "auth": {"trust_loopback": False}})

    said = read_settings({"wyoming": {}, "auth": {"trust_loopback": False, "without_token": ["wyoming"]}})
    assert said.wyoming is not None
