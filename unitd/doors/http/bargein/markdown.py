"""Removal of markdown and HTML from a text while it streams.

Algorithm. Each kind of mark is a rule with two patterns: `whole` matches the whole mark (and what must follow it, where
that decides), `begun` matches any beginning of it. At each position of the text the rules are tried in order. The first
whose `whole` matches replaces the mark; the first whose `begun` matches up to the end of the input holds the rest back
until more arrives. Where no rule matches, the text is passed on at once. So only a possible mark is held back, and the
output does not depend on how the text was cut into pieces.

Marks are defined for speech: `2 * 3`, `5*3`, `snake_case`, `3 < 4`, `#1` and `[sic]` are text. Numbers of lists stay.
Code keeps its words and loses its fences and backticks. A mark that the end of the text cuts in half is dropped.
"""

import html
import re
from collections.abc import Callable
from html.entities import html5
from typing import NamedTuple

# A longer text in brackets is no link; so at most so much text is held back.
MAX_LINK_TEXT = 300


class Rule(NamedTuple):
    """One kind of mark."""

    whole: re.Pattern[str]
    begun: re.Pattern[str]
    say: Callable[["MarkdownStripper", re.Match[str]], str]
    """Returns the text in its place."""

    cut: Callable[[str], str | None]
    """Returns the rest of a mark that the end of the text cuts off; None when it is no mark and stays as it is."""


class MarkdownStripper:
    """A filter: feed it the pieces of a text, and it returns the text without marks."""

    def __init__(self) -> None:
        self._held = ""
        self._before = "\n"
        """The input character before the present position."""

        self._is_line_start = True
        """True while there have been only spaces and marks since the last newline."""

        self._is_row = False
        """True inside a line of a table."""

        self._code = ""
        """The backticks that began the code in this line; "" outside of code."""

        self._fence = ""
        """The fence that began this block of code; "" outside of a block."""

        self._inner: str | None = None
        """The text of a link, which is scanned for marks, too."""

    def feed(self, text: str) -> str:
        """Return the part of the text so far that can no longer change."""
        self._held, said = self._scan(self._held + text, is_last=False)
        return said

    def finish(self) -> str:
        """Return the rest: the text has ended."""
        _, said = self._scan(self._held, is_last=True)
        self._held = ""
        return said

    def _scan(self, text: str, *, is_last: bool) -> tuple[str, str]:
        """Return the text that must wait, and the text that is passed on."""
        said: list[str] = []
        at, end = 0, len(text)
        if is_last:
            text += "\n"  # the end of a text counts as the end of a line
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
        """Return the next position and the output up to it; None when more input must decide."""
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
        """Update the state for text that has been passed."""
        self._before = passed[-1]
        last_line = passed[passed.rfind("\n") + 1 :]
        if last_line != passed:
            self._is_line_start = True
            self._is_row, self._code = False, ""
        if last_line.strip() and not is_line_mark:
            self._is_line_start = False

    # Replacements of the rules

    def _say_nothing(self, match: re.Match[str]) -> str:
        """Drop the mark."""
        return ""

    def _say_inside(self, match: re.Match[str]) -> str:
        """Return the first group."""
        return match[1]

    def _say_link(self, match: re.Match[str]) -> str:
        """Scan the text of a link next."""
        self._inner = match[1]
        return ""

    def _say_entity(self, match: re.Match[str]) -> str:
        """Return the character of an entity; an unknown one stays as it is."""
        is_number = match[0][1] == "#"
        return html.unescape(match[0]) if is_number else html5.get(match[0][1:], match[0])

    def _say_emphasis(self, match: re.Match[str]) -> str:
        """Drop stars and underscores, except alone, between digits, and inside a name."""
        marks, before, after = match[1], self._before, match[2]
        is_alone = before.isspace() and after.isspace()
        is_product = marks == "*" and before.isdigit() and after.isdigit()
        is_name = marks[0] == "_" and before.isalnum() and after.isalnum()
        return marks if is_alone or is_product or is_name else ""

    def _say_pipe(self, match: re.Match[str]) -> str:
        """Return a space between two cells of a table."""
        return " " if self._is_row else match[0]

    def _begin_row(self, match: re.Match[str]) -> str:
        """Drop the first pipe of a table's row."""
        self._is_row = True
        return ""

    def _begin_code(self, match: re.Match[str]) -> str:
        """Drop the backticks that begin code in a line."""
        self._code = match[0]
        return ""

    def _end_code(self, match: re.Match[str]) -> str:
        """Drop as many backticks as the code began with; others are part of the code."""
        if match[0] != self._code:
            return match[0]
        self._code = ""
        return ""

    def _begin_fence(self, match: re.Match[str]) -> str:
        """Drop the line before a block of code."""
        self._fence = match[1]
        return ""

    def _end_fence(self, match: re.Match[str]) -> str:
        """Drop the line after a block of code."""
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
    """Drop a mark that is cut in half."""
    return ""


def _link_text(held: str) -> str | None:
    """Return the text of a link whose address has begun; None before that."""
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
"""Characters with which no rule in the middle of a line begins."""
