"""Banks of phrasings in text files (train.corpus.banks)."""

from __future__ import annotations

import pytest

from train.corpus.banks import BankError, parse_bank


def test_a_block_has_its_phrasings_in_order() -> None:
    """Comments and empty lines are no phrasings."""
    text = "; what people say\n# hello\nhi\n\nhello [there|]\n# bye\n; of {slots}\nbye {name}\n"

    assert parse_bank("greetings", text) == {"hello": ["hi", "hello [there|]"], "bye": ["bye {name}"]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("# a\none\ntwo\none\n", "line 4: the phrasing of line 2 again: 'one'"),
        ("# a\n# b\nx\n", "line 1: the block 'a' is empty"),
        ("# a\nx\n# a\ny\n", "line 3: the block 'a' begins twice"),
        ("x\n", "line 1: a phrasing stands before the first block"),
        ("# a\n[x|y\n", "line 2: a bracket without its other one: '[x|y'"),
        ("# a\n{x\n", "line 2: a brace that is no slot: '{x'"),
    ],
)
def test_a_mistake_is_reported_with_its_line(text: str, problem: str) -> None:
    """The error says where to look."""
    with pytest.raises(BankError) as error:
        parse_bank("words", text)

    assert str(error.value) == f"data/words.txt, {problem}"
