"""Covers think_filter: what a model thinks is not spoken, in whatever pieces it comes."""

import pytest

from unitd.core.tasks.think_filter import ThinkFilter

SAID = "Hello <b>you</b>. "
TEXTS = {
    "": "",
    "Hello.": "Hello.",
    "<think>Hm.</think>Hello.": "Hello.",
    "One. <think>Hm.\nOr not?</think> Two. <think></think>Three.": "One.  Two. Three.",
    "a < b and <thin air>": "a < b and <thin air>",
    "<think>never ends": "",
    "ends in <thi": "ends in <thi",
}


@pytest.mark.parametrize(("text", "spoken"), TEXTS.items())
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_only_what_is_no_thought_is_spoken(text: str, spoken: str, size: int) -> None:
    """A mark that is cut in half is still a mark."""
    thoughts = ThinkFilter()

    heard = [thoughts.feed(text[at : at + size]) for at in range(0, len(text), size)]

    assert "".join([*heard, thoughts.finish()]) == spoken


def test_what_cannot_become_a_mark_is_not_held_back() -> None:
    """A voice waits for nothing that it need not wait for."""
    assert ThinkFilter().feed(SAID) == SAID
