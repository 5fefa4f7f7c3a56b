"""Markdown and HTML are taken out of a text while it streams.

How it works. Each kind of mark is a rule with two patterns: `whole`, all of it (with what must follow, where that
decides), and `begun`, whatever may still become it. At each place of the text the rules are asked in their order. The
first whose `whole` matches replaces it; the first whose `begun` reaches to the end of what has arrived holds the rest
back until more arrives. Where no rule cares, the text goes out at once. So nothing is held back but what may still turn
out to be a mark, and the output does not depend on how the text was cut.

What counts as a mark is decided for speech: `2 * 3`, `5*3`, `snake_case`, `3 < 4`, `#1` and `[sic]` are text. Numbers
of lists stay. Code keeps its words and loses its fences and backticks. A mark that the end of the text cuts in half is
dropped.
"""

import html
import re
from collections.abc import Callable
from html.entities import html5
from typing import NamedTuple

# Longer ones are no links of a chat; held back for so long at most.
MAX_LINK_TEXT = 300


class Rule(NamedTuple):
    """One kind of mark."""

    whole: re.Pattern[str]
    begun: re.Pattern[str]
    say: Callable[["MarkdownStripper", re.Match[str]], str]
    """What stands in its place."""

    cut: Callable[[str], str | None]
    """What is left of one that the end of the text cuts off, None for all of it."""


class MarkdownStripper:
    """Feed pieces of a text, get it without its marks."""

    def __init__(self) -> None:
        self._held = ""
        self._before = "\n"
        """The character in front of the place that is looked at, as it came."""

        self._is_line_start = True
        """Nothing but spaces and marks since the last newline."""

        self._is_row = False
        """In the line of a table."""

        self._code = ""
        """The backticks that the code of this line began with."""

        self._fence = ""
        """The fence that the code of these lines began with."""

        self._inner: str | None = None
        """The text of a link, to be looked at once more."""

    def feed(self, text: str) -> str:
        """As much of the text so far as is certain."""
        self._held, said = self._scan(self._held + text, is_last=False)
        return said

    def finish(self) -> str:
        """The rest, now that nothing follows."""
        _, said = self._scan(self._held, is_last=True)
        self._held = ""
        return said

    def _scan(self, text: str, *, is_last: bool) -> tuple[str, str]:
        """What must wait, and what may be said."""
        said: list[str] = []
        at, end = 0, len(text)
        if is_last:
            text += "\n"  # the end of a text decides like the end of a line
        while at < end:
            step = self._step(text, at, end, is_last=is_last)
            if step is None:
                return text[at:], "".join(said)
            at, words = step
            said.append(words)
            if self._inner is not None:
                text, at, self._inner = self._inner + text[at:], 0, None
                end = len(text) - is_last
        return "", "".join(said)

    def _step(self, text: str, at: int, end: int, *, is_last: bool) -> tuple[int, str] | None:
        """The next place and what is said up to it; None when that is not certain yet."""
        for rule, is_line_mark in self._rules():
            if (match := rule.whole.match(text, at)) is not None:
                words = rule.say(self, match)
                self._pass(match[0], is_line_mark=is_line_mark)
                return match.end(), words
            if rule.begun.fullmatch(text, at, end):
                if not is_last:
                    return None
                if (rest := rule.cut(text[at:end])) is not None:
                    self._inner = rest
                    return end, ""
        plain = PLAIN.match(text, at, end)
        words = plain[0] if plain and not self._is_line_start else text[at]
        self._pass(words)
        return at + len(words), words

    def _rules(self) -> tuple[tuple[Rule, bool], ...]:
        if self._fence:
            return _IN_FENCE_AT_LINE_START if self._is_line_start else _IN_FENCE
        if self._code:
            return _IN_CODE
        return _AT_LINE_START if self._is_line_start else _IN_TEXT

    def _pass(self, passed: str, *, is_line_mark: bool = False) -> None:
        """Notes what lies behind us now."""
        self._before = passed[-1]
        last_line = passed[passed.rfind("\n") + 1 :]
        if last_line != passed:
            self._is_line_start = True
            self._is_row, self._code = False, ""
        if last_line.strip() and not is_line_mark:
            self._is_line_start = False

    # What the rules say

    def _say_nothing(self, match: re.Match[str]) -> str:
        """The mark goes."""
        return ""

    def _say_inside(self, match: re.Match[str]) -> str:
        """What the first group holds."""
        return match[1]

    def _say_link(self, match: re.Match[str]) -> str:
        """The words of a link, without their own marks."""
        self._inner = match[1]
        return ""

    def _say_entity(self, match: re.Match[str]) -> str:
        """The character that it stands for, if it is one."""
        is_number = match[0][1] == "#"
        return html.unescape(match[0]) if is_number else html5.get(match[0][1:], match[0])

    def _say_emphasis(self, match: re.Match[str]) -> str:
        """Stars and underscores, where they are no marks: alone, between digits, in the middle of a name."""
        marks, before, after = match[1], self._before, match[2]
        is_alone = before.isspace() and after.isspace()
        is_product = marks == "*" and before.isdigit() and after.isdigit()
        is_name = marks[0] == "_" and before.isalnum() and after.isalnum()
        return marks if is_alone or is_product or is_name else ""

    def _say_pipe(self, match: re.Match[str]) -> str:
        """Between two cells."""
        return " " if self._is_row else match[0]

    def _begin_row(self, match: re.Match[str]) -> str:
        """The first pipe of a table's row."""
        self._is_row = True
        return ""

    def _begin_code(self, match: re.Match[str]) -> str:
        """Backticks in a line."""
        self._code = match[0]
        return ""

    def _end_code(self, match: re.Match[str]) -> str:
        """As many backticks as the code began with end it."""
        if match[0] != self._code:
            return match[0]
        self._code = ""
        return ""

    def _begin_fence(self, match: re.Match[str]) -> str:
        """The line before a block of code."""
        self._fence = match[1]
        return ""

    def _end_fence(self, match: re.Match[str]) -> str:
        """The line behind it."""
        if not match[1].startswith(self._fence):
            return match[0]
        self._fence = ""
        return ""


_FLAGS = "async|autofocus|autoplay|checked|controls|defer|disabled|hidden|loop|multiple|muted|open|readonly|required"
_NAME = r"[A-Za-z_:@][\w:.@-]*"
_ATTRIBUTE = rf"""\s+(?:{_NAME}=(?:"[^"\n]*"|'[^'\n]*'|[^\s"'=<>`]+)|(?:{_FLAGS})(?=[\s/>]))"""
_ATTRIBUTE_BEGUN = rf"""\s+(?:{_NAME}(?:=(?:"[^"\n]*|'[^'\n]*|[^\s"'=<>`]*))?)?"""
_URL = r"(?:[^\s()]|\([^\s()]*\))*"
_LINK_TEXT = rf"[^\[\]\n]{{0,{MAX_LINK_TEXT}}}"


def _rule(
    whole: str,
    begun: str,
    say: Callable[[MarkdownStripper, re.Match[str]], str],
    cut: Callable[[str], str | None] = lambda held: None,
) -> Rule:
    return Rule(re.compile(whole, re.DOTALL), re.compile(begun, re.DOTALL), say, cut)


def _nothing(held: str) -> str:
    """Half of it is not shown."""
    return ""


def _link_text(held: str) -> str | None:
    """What is left of a link whose address has begun."""
    text, bracket, _ = held.partition("](")
    return text.lstrip("![") if bracket else None


_COMMENT = _rule(r"<!--.*?-->", r"<!(?:-(?:-(?:(?!-->).)*)?)?", MarkdownStripper._say_nothing, _nothing)
_DOCTYPE = _rule(r"<![A-Za-z][^<>\n]*>", r"<!(?:[A-Za-z][^<>\n]*)?", MarkdownStripper._say_nothing, _nothing)
_TAG = _rule(
    rf"</?[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>",
    rf"</?(?:[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*(?:{_ATTRIBUTE_BEGUN}|\s*/)?)?",
    MarkdownStripper._say_nothing,
    lambda held: None if held == "<" else "",
)
_ADDRESS = _rule(
    r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>",
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\s<>]*)?)?",
    MarkdownStripper._say_inside,
    lambda held: held[1:] if ":" in held else None,
)
_ENTITY = _rule(
    r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});",
    r"&(?:[A-Za-z][A-Za-z0-9]{0,31}|#[0-9]{0,7}|#[xX][0-9A-Fa-f]{0,6})?",
    MarkdownStripper._say_entity,
)
_ESCAPE = _rule(r"\\([!-/:-@\[-`{-~])", r"\\", MarkdownStripper._say_inside)
_LINK = _rule(
    rf'!?\[({_LINK_TEXT})\]\({_URL}(?: +"[^"\n]*")? *\)',
    rf'!?(?:\[{_LINK_TEXT}(?:\](?:\({_URL}(?:\([^\s()]*|(?: +"[^"\n]*")? *| +"[^"\n]*)?)?)?)?',
    MarkdownStripper._say_link,
    _link_text,
)
_EMPHASIS = _rule(r"(\*++|_++)(?=(.))", r"\*+|_+", MarkdownStripper._say_emphasis)
_STRIKE = _rule(r"~~(?=[^~])", r"~{1,2}", MarkdownStripper._say_nothing)
_CODE = _rule(r"`+(?=[^`])", r"`+", MarkdownStripper._begin_code)
_CODE_END = _rule(r"`+(?=[^`])", r"`+", MarkdownStripper._end_code)
_PIPE = _rule(r"\|", r"\|", MarkdownStripper._say_pipe)

_FENCE = _rule(r"(`{3,}|~{3,})[^`\n]*\n", r"`{1,2}|`{3,}[^`\n]*|~{1,2}|~{3,}[^`\n]*", MarkdownStripper._begin_fence)
_FENCE_END = _rule(r"(`{3,}|~{3,})[ \t]*(?=\n)", r"(?:`+|~+)[ \t]*", MarkdownStripper._end_fence)
_LINE = _rule(
    r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)\n",
    r"(?:-[ \t]*)+|(?:\*[ \t]*)+|(?:_[ \t]*)+|=+[ \t]*",
    MarkdownStripper._say_nothing,
)
_HEADING = _rule(r"#{1,6}(?:[ \t]+(?=[^ \t\n])|[ \t]*(?=\n))", r"#{1,6}[ \t]*", MarkdownStripper._say_nothing)
_QUOTE = _rule(r">", r">", MarkdownStripper._say_nothing)
_BULLET = _rule(r"[-+*](?:[ \t]+(?=[^ \t\n])|[ \t]*(?=\n))", r"[-+*][ \t]*", MarkdownStripper._say_nothing)
_TABLE_LINE = _rule(r"\|[ \t:|-]*-[ \t:|-]*\n", r"\|[ \t:|-]*", MarkdownStripper._say_nothing)
_ROW = _rule(r"\|", r"\|", MarkdownStripper._begin_row)

_HTML = (_COMMENT, _DOCTYPE, _TAG, _ADDRESS)
_TEXT = (*_HTML, _ENTITY, _ESCAPE, _LINK, _EMPHASIS, _STRIKE, _CODE, _PIPE)
_LINE_MARKS = (_FENCE, _LINE, _TABLE_LINE, _ROW, _HEADING, _QUOTE, _BULLET)

_IN_TEXT = tuple((rule, False) for rule in _TEXT)
_AT_LINE_START = (*((rule, True) for rule in _LINE_MARKS), *_IN_TEXT)
_IN_CODE = tuple((rule, False) for rule in (*_HTML, _CODE_END))
_IN_FENCE = tuple((rule, False) for rule in _HTML)
_IN_FENCE_AT_LINE_START = ((_FENCE_END, True), *_IN_FENCE)

PLAIN = re.compile(r"[^<&\\!\[*_~`|\n]+")
"""What no rule in the middle of a line begins with."""
