"""Covers sanitizer and markdown of unitd.doors.http.bargein: what a voice gets to speak, token by token."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unitd.doors.http.bargein.markdown import MAX_LINK_TEXT
from unitd.doors.http.bargein.sanitizer import Sanitizer

# What marks are made of, and what stands between them.
SHREDS = [
    *'ab 1\n\t*_`~<>/!-[]()#|&;="\\.:+',
    *("😀", "\u200d", "\ufe0f", "<b>", "</b>", "<!--", "-->", "[a](b)", "```", '<a href="', "&amp;", "**"),
]


def tidied(*pieces: str) -> str:
    """The whole of an answer that comes in these pieces."""
    tidy = Sanitizer()
    return "".join([*map(tidy.feed, pieces), tidy.finish()])


def said_so_far(*pieces: str) -> str:
    """What has gone out when these pieces have come and more will."""
    tidy = Sanitizer()
    return "".join(map(tidy.feed, pieces))


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("**Hello** _world_, ***all*** of __you__!", "Hello world, all of you!"),
        ("un*believ*able and ~~gone~~ **Note:** yes", "unbelievable and gone Note: yes"),
        ("# Title\ntext\n### More", "Title\ntext\nMore"),
        ("Title\n=====\ntext\n---\nend\n* * *\n", "Title\ntext\nend"),
        ("- one\n* two\n+ three\n  - four\n1. five", "one\ntwo\nthree\nfour\n1. five"),
        ("> a quote\n>> of a quote", "a quote\nof a quote"),
        ("use `a_b*c` or ``x`y``", "use a_b*c or x`y"),
        ("```python\nprint('*')\n```\nafter", "print('*')\n\nafter"),
        ("~~~\na_b_c\n~~~", "a_b_c"),
        ('see [the **docs**](http://x.y/a_(b) "title") now', "see the docs now"),
        ("![a cat](cat.png) and <https://x.y/z>", "a cat and https://x.y/z"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\nend", "a b\n1 2\nend"),
        ("five\\* \\_stars\\_ \\# \\\\", "five* _stars_ # \\"),
    ],
    ids=[
        "emphasis",
        "inside",
        "heading",
        "rule",
        "list",
        "quote",
        "code",
        "fence",
        "tildes",
        "link",
        "image",
        "table",
        "escape",
    ],
)
def test_markdown_is_taken_out(raw: str, plain: str) -> None:
    """The words stay, whether the answer comes whole or letter by letter."""
    assert tidied(raw) == plain
    assert tidied(*raw) == plain


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("<b>bold</b><br/> <i class='x'>it</i>", "bold it"),
        ('<a href="x>y" target=_blank disabled>here</a>', "here"),
        ("a<!-- not **this** -->b<!DOCTYPE html>c", "abc"),
        ("Tom &amp; Jerry &lt;b&gt; &#169; &#x41; &nbsp;&mdash; x", "Tom & Jerry <b> © A — x"),
        ("AT&T &nothing; & more", "AT&T &nothing; & more"),
    ],
    ids=["tags", "attributes", "comments", "entities", "no entities"],
)
def test_html_is_taken_out(raw: str, plain: str) -> None:
    """Tags and comments go, entities become what they stand for."""
    assert tidied(raw) == plain
    assert tidied(*raw) == plain


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("Hi 😀 there", "Hi there"),
        ("Great!🎉🎉", "Great!"),
        ("a family 👨‍👩‍👧, a flag 🇬🇧, a hand 👋🏽", "a family , a flag , a hand"),
        ("❤️ love ☀️", "love"),
        ("1️⃣ one ™ © → 5€", "1 one ™ © → 5€"),
        ("क्‍ष", "क्‍ष"),
    ],
    ids=["between", "behind", "joined", "signs", "letters", "joiner of letters"],
)
def test_emoji_are_taken_out(raw: str, plain: str) -> None:
    """With their colours and joiners; signs that can be spoken stay."""
    assert tidied(raw) == plain
    assert tidied(*raw) == plain


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\n\n \r\n Hello", "Hello"),
        ("a  b \t c\u00a0d", "a b c d"),
        ("line  \n   line\n\nline", "line\nline\n\nline"),
        ("the end \n", "the end"),
        (" \n 😀 ", ""),
    ],
    ids=["in front", "runs", "lines", "behind", "nothing"],
)
def test_needless_space_is_taken_out(raw: str, plain: str) -> None:
    """No empty lines in front, one space between words."""
    assert tidied(raw) == plain
    assert tidied(*raw) == plain


@pytest.mark.parametrize(
    "text",
    [
        "2 * 3 = 6, 5*3*2, 7 - 4 and -5",
        "snake_case_name, #1 and C#",
        "3 < 4, a<b and c>d, I <3 you",
        "[sic] and [1], (this) too",
        "about ~5, a | b, x = y",
        "What?! No... yes; ok: 'fine'",
        "**",
    ],
)
def test_what_only_looks_like_a_mark_is_left_alone(text: str) -> None:
    """Sums, names and brackets are words."""
    assert tidied(text) == text
    assert tidied(*text) == text


@given(st.lists(st.sampled_from(SHREDS), max_size=25))
@settings(max_examples=400, deadline=None)
def test_the_cut_into_tokens_changes_nothing(shreds: list[str]) -> None:
    """However it comes, the same goes out."""
    text = "".join(shreds)

    assert tidied(text) == tidied(*shreds) == tidied(*text)


@pytest.mark.parametrize("pieces", [("<", "b", ">x"), ("<b", ">x"), ("<", "b>x"), ("<b c", "lass='", "y'>x")])
def test_no_half_a_tag_gets_out(pieces: tuple[str, ...]) -> None:
    """No part of a tag is sent, wherever the tokens are cut."""
    assert said_so_far(*pieces[:-1]) == ""
    assert tidied(*pieces) == "x"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("go **on", "go on"),
        ("go [there](http://x", "go there"),
        ("go <stro", "go"),
        ('go <a href="http', "go"),
        ("go <!-- on", "go"),
        ("go `on", "go on"),
        ("go\n```pyth", "go"),
    ],
)
def test_a_mark_that_the_end_cuts_in_half_is_dropped(text: str, left: str) -> None:
    """An answer may end at its limit of tokens, in the middle of anything."""
    assert tidied(text) == left
    assert tidied(*text) == left


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        (("Hello",), "Hello"),
        (("Hello", " world", ","), "Hello world,"),
        (("**Hel", "lo"), "Hello"),
        (("3 <", " 4"), "3 < 4"),
        (("a <b", " and", " c"), "a <b and c"),
        (("see [1]", " and"), "see [1] and"),
        (("snake_", "case"), "snake_case"),
        (("<b>bold</b>",), "bold"),
        (("- ", "item"), "item"),
        (("`code` is",), "code is"),
        (("[" + "x" * MAX_LINK_TEXT, "y"), "[" + "x" * MAX_LINK_TEXT + "y"),
    ],
)
def test_what_is_certain_goes_out_at_once(pieces: tuple[str, ...], said: str) -> None:
    """Text that no later token can change is sent without delay."""
    assert said_so_far(*pieces) == said


@pytest.mark.parametrize("held", ["<", "<a href=", "*", "**", "[text](", "&am", "~", "!", "\\"])
def test_what_may_become_a_mark_waits(held: str) -> None:
    """And only that."""
    assert said_so_far("word" + held) == "word"
