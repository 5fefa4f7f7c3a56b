"""`sanitize_output`: an answer is turned into plain text for a voice, while it streams.

Three filters follow each other: they remove marks of markdown and HTML, emoji, and needless spaces. Only a possible
mark is held back (see `markdown`), and white space until words follow: there is none at the end of a line and of the
answer. Output is never taken back.
"""

import re

from unitd.doors.http.bargein.markdown import MarkdownStripper

# Emoji, their colours and joining signs. A digit in a box stays as the digit.
EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u25b6\u25c0\u25fb-\u25fe"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\u20e3\ufe0e\ufe0f\U000e0020-\U000e007f]"
)
# Joins emoji, and in some scripts letters, where it must stay.
JOINER = "\u200d"
SPACES = " \t\r\n\u00a0\u2000-\u200a\u202f\u3000"
PIECES = re.compile(f"[{SPACES}]+|[^{SPACES}]+")


class Sanitizer:
    """The filter of one answer."""

    def __init__(self) -> None:
        self._markup = MarkdownStripper()
        self._was_emoji = False
        self._gap = ""
        """White space after the last output."""

        self._is_empty = True

    def feed(self, text: str) -> str:
        """Return the next part of the plain text."""
        return self._without_spaces(self._without_emoji(self._markup.feed(text)))

    def finish(self) -> str:
        """Return the rest, which was held back."""
        return self._without_spaces(self._without_emoji(self._markup.finish()))

    def _without_emoji(self, text: str) -> str:
        kept = []
        for each in text:
            self._was_emoji = bool(EMOJI.match(each)) or (each == JOINER and self._was_emoji)
            if not self._was_emoji:
                kept.append(each)
        return "".join(kept)

    def _without_spaces(self, text: str) -> str:
        """Reduce white space to one space, or to its newlines if it has some; drop it before the first word."""
        said = []
        for piece in PIECES.findall(text):
            if piece.isspace():
                self._gap += piece
                continue
            if self._gap and not self._is_empty:
                said.append("\n" * self._gap.count("\n") or " ")
            said.append(piece)
            self._gap, self._is_empty = "", False
        return "".join(said)
