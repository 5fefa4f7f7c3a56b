"""Covers toml_lines: on which line of a TOML text each key stands."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unitd.core.config.problems import Key, Problem
from unitd.core.config.toml_lines import TomlLines, with_lines

TEXT = '''\
# a comment
log.level = "info"      # a dotted key

[tcp]
port = 1
"odd key" = { inner = [1, 2] }

[[pipeline]]
name = "a"
tasks = [
    # the first
    { name = "x", unit = "llm" },  # and a comment
    { name = "y", data = { input = [
        "w"
    ] } }, { name = "z" }
]

[[pipeline]]
name = """
[[pipeline]]
name = 'not this one'
"""
[[pipeline.tasks]]
name = "v"
[[pipeline.tasks]]
data = { input = ["w"] }
[pipeline.more.of.it]
key = 1
'''

PLACES: list[tuple[Key, int]] = [
    (("log",), 2),
    (("log", "level"), 2),
    (("tcp",), 4),
    (("tcp", "port"), 5),
    (("tcp", "odd key", "inner", 1), 6),
    (("pipeline", 0), 8),
    (("pipeline", 0, "name"), 9),
    (("pipeline", 0, "tasks"), 10),
    (("pipeline", 0, "tasks", 0, "unit"), 10),
    (("pipeline", 0, "tasks", 1, "name"), 10),
    (("pipeline", 1), 18),
    (("pipeline", 1, "name"), 19),
    (("pipeline", 1, "tasks", 0), 23),
    (("pipeline", 1, "tasks", 0, "name"), 24),
    (("pipeline", 1, "tasks", 1, "data", "input", 0), 26),
    (("pipeline", 1, "more", "of"), 27),
    (("pipeline", 1, "more", "of", "it", "key"), 28),
]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["unix", "dos"])
@pytest.mark.parametrize(("key", "line"), PLACES)
def test_a_key_stands_on_its_line(key: Key, line: int, line_end: str) -> None:
    """Dotted keys, inline tables, arrays of tables; what is in a list stands where the list begins."""
    lines = TomlLines(TEXT.replace("\n", line_end))

    assert key in lines
    assert lines.of(key) == line


@pytest.mark.parametrize(
    ("key", "line"),
    [(("tcp", "host"), 4), (("pipeline", 1, "tasks", 0, "unit"), 23), (("mqtt", "host"), None), ((), None)],
)
def test_a_missing_key_would_stand_in_its_table(key: Key, line: int | None) -> None:
    """The nearest table around it that is there."""
    lines = TomlLines(TEXT)

    assert key not in lines
    assert lines.of(key) == line


def test_mistakes_come_in_the_order_of_the_file() -> None:
    """Each with its file and line."""
    mistakes = [Problem(("pipeline", 1, "name"), "b"), Problem(("tcp", "port"), "a"), Problem(("xyzzy",), "c")]

    placed = with_lines(mistakes, "unitd.toml", TEXT)

    assert [str(each) for each in placed] == ["unitd.toml:1: c", "unitd.toml:5: a", "unitd.toml:19: b"]


def keys_of(value: Any, where: Key = ()) -> Iterator[Key]:
    """Every way into a document."""
    if where:
        yield where
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in parts:
        yield from keys_of(each, (*where, name))


@pytest.mark.parametrize("path", sorted(Path("configs").rglob("*.toml")), ids=str)
def test_every_key_of_our_own_files_has_a_line(path: Path) -> None:
    """On which its name can be read."""
    text = path.read_text()
    rows, lines = text.split("\n"), TomlLines(text)

    for key in keys_of(tomllib.loads(text)):
        assert key in lines
        if isinstance(key[-1], str):
            assert key[-1] in rows[(lines.of(key) or 0) - 1]


VALUES = [
    "1", "'#'", '"[a]"', "[1, 2]", "[ # one\n 1,\n\n # two\n 2\n]", '"""\n[t0]\nk0 = 1\n"""', "'''\n]\n'''",
    "{ a = 1 }", "{ a.b = [{ c = 1 }] }", "[\n { a = 1 },\n { a = 2 } ]", "[[\n1\n],\n[2]]", "1979-05-27T07:32:00Z",
]  # fmt: skip
STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["", "[t{}]\n", "[[rows]]\n", "[[rows.more]]\n", "[t{}.'a ]']\n"]),
        st.sampled_from(["", "\n", "# k1 = 2\n", "  "]),
        st.sampled_from(["k{}", "k{}.a", "'k{}'.\"b.c\""]),
        st.sampled_from(VALUES),
    ),
    max_size=8,
)


@settings(derandomize=True, deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(STATEMENTS)
def test_any_document_can_be_indexed(statements: list[tuple[str, str, str, str]]) -> None:
    """Each key of a statement stands on the line where the statement begins."""
    text, begins = "[[rows]]\n", {}
    for number, (header, gap, key, value) in enumerate(statements):
        text += header.format(number) + gap
        begins[f"k{number}"] = text.count("\n") + 1
        text += f"{key.format(number)} = {value}\n"

    lines = TomlLines(text)

    for way in keys_of(tomllib.loads(text)):
        assert way in lines
        if str(way[-1]).startswith("k"):
            assert lines.of(way) == begins[str(way[-1])]
