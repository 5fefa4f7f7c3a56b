"""Covers fields: one reader of JSON objects, whose error names the key, what its value must be, and the value."""

from collections.abc import Callable
from typing import Any

import pytest

from unitd.wire.fields import Fields


class Form(Fields):
    """An object of a dialect."""

    def refusal(self, key: str, wanted: str, shown: str = "") -> Exception:
        """Return a ValueError."""
        return ValueError(f"{self.place(key)} must be {wanted}" + (f", it is {shown}" if shown else ""))


class Lenient(Form):
    """An object of a dialect in which null is no value."""

    null_is_absent = True


def test_values_are_read_by_their_kinds() -> None:
    """Each as it is; a whole number is a number, too."""
    form = Form({"name": "ann", "is_on": True, "speed": 2, "seed": 7, "pace": "fast", "input": "kws.1000"})

    assert (form.text("name", ""), form.flag("is_on", False), form.one_of("pace", "real", ("real", "fast"))) == (
        "ann",
        True,
        "fast",
    )
    assert (form.number("speed", 1.0, 0.25, 4.0), form.whole("seed", None)) == (2.0, 7)
    assert form.texts("input") == ["kws.1000"]


def test_what_is_absent_has_its_default() -> None:
    """The default is not held against the limits: None may say that there is no value."""
    form = Form({})

    assert (form.text("name", None), form.flag("is_on", None), form.number("speed", None, 1, 2)) == (None, None, None)
    assert (form.texts("input"), form.listed("messages"), form.table("pause").get("max_tokens")) == ([], [], None)


@pytest.mark.parametrize(
    ("read", "value", "words"),
    [
        (lambda form: form.text("key", ""), 7, "key must be a text"),
        (lambda form: form.flag("key", False), 1, "key must be true or false, it is 1"),
        (lambda form: form.number("key", 0), "soon", "key must be a number, it is 'soon'"),
        (lambda form: form.number("key", 0), True, "key must be a number, it is True"),
        (lambda form: form.number("key", 0), float("inf"), "key must be a number, it is inf"),
        (lambda form: form.number("key", 0, 0, 1), float("nan"), "key must be a number from 0 to 1, it is nan"),
        (lambda form: form.number("key", 0, 0.25, 4.0), 5, "key must be a number from 0.25 to 4.0, it is 5"),
        (lambda form: form.whole("key", 0, 1), 1.0, "key must be a whole number from 1, it is 1.0"),
        (lambda form: form.whole("key", 0, 1), 0, "key must be a whole number from 1, it is 0"),
        (lambda form: form.one_of("key", "a", ("a", "b")), ["a"], "key must be one of a, b, it is ['a']"),
        (lambda form: form.texts("key"), ["a", 7], "key must be a text or a list of texts"),
        (lambda form: form.listed("key"), {}, "key must be a list"),
        (lambda form: form.table("key"), [], "key must be an object"),
        (lambda form: form.table("key").flag("inner", False), {"inner": 0}, "key.inner must be true or false, it is 0"),
    ],
)
def test_a_bad_value_is_refused_by_name(read: Callable[[Form], Any], value: Any, words: str) -> None:
    """The error is the dialect's own."""
    with pytest.raises(ValueError) as refused:
        read(Form({"key": value}))

    assert str(refused.value) == words


def test_null_is_a_value_unless_the_dialect_says_otherwise() -> None:
    """Requests of some clients hold every key, most of them null."""
    with pytest.raises(ValueError, match="name must be a text"):
        Form({"name": None}).text("name", "")

    assert Lenient({"name": None}).text("name", "ann") == "ann"


def test_a_long_value_is_not_repeated() -> None:
    """An error is read by people."""
    with pytest.raises(ValueError, match=r"'x{99}…$"):
        Form({"is_on": "x" * 10_000}).flag("is_on", False)
