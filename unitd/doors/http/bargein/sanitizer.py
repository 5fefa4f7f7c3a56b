"""`sanitize_output`: an answer becomes plain text that a voice can speak, while it streams.

Three filters in a row, each fed with what the one before lets through: marks of markdown and HTML, emoji, needless
spaces. Held back is only what may still turn out to be a mark (see `markup`), and white space until it is known that
words follow: at the end of a line, and of the answer, there is none. What has been said is never taken back.
"""

import re

from unitd.doors.http.bargein.markdown import MarkdownStripper

# Pictures, their colours and the signs that glue them together. A digit in a box stays as the digit.
EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u25b6\u25c0\u25fb-\u25fe"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\u20e3\ufe0e\ufe0f\U000e0020-\U000e007f]"
)
# Joins pictures to one, and letters in some scripts, where it has to stay.
JOINER = "\u200d"
SPACES = " \t\r\n\u00a0\u2000-\u200a\u202f\u3000"
PIECES = re.compile(f"[{SPACES}]+|[^{SPACES}]+")


class Sanitizer:
    """One answer."""

    def __init__(self) -> None:
        self._markup = MarkdownStripper()
        self._was_emoji = False
        self._gap = ""
        """White space behind what was said last."""

        self._is_empty = True

    def feed(self, text: str) -> str:
        """What may be said of the answer so far, beyond what was said already."""
        return self._without_spaces(self._without_emoji(self._markup.feed(text)))

    def finish(self) -> str:
        """What was held back."""
        return self._without_spaces(self._without_emoji(self._markup.finish()))

    def _without_emoji(self, text: str) -> str:
        kept = []
        for each in text:
            self._was_emoji = bool(EMOJI.match(each)) or (each == JOINER and self._was_emoji)
            if not self._was_emoji:
                kept.append(each)
        return "".join(kept)

    def _without_spaces(self, text: str) -> str:
        """One space for a run of them, newlines for one that holds some, nothing in front of the first word."""
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
