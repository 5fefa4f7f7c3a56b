"""Text that comes in bits becomes pieces that are spoken one by one.

A piece ends at a mark or a line break. A full stop ends one only when what follows says so: not in `3.14`, not after
`Mr.` or `e.g.`, after `etc.` only before a capital. So a stop at the end of what has come waits for the next character,
or for `finish`. Commas end a piece where waiting for the stop would take too long: in the first piece, which delays the
first sound, and in sentences that would keep an engine busy for long.
"""

import re
import unicodedata

FIRST_PIECE = 40
"""A first piece longer than this is cut at a comma: about 2.5 s of speech."""

LONG_PIECE = 200
"""Every piece longer than this is cut at a comma."""

MAX_PIECE = 320
"""A piece is never longer, so that a step of an engine stays short."""

# Text is looked at in blocks of so many characters, so that a book takes no longer than its sentences.
_BLOCK = 1000

_WIDE_WEIGHT = 3
"""A Chinese or Japanese character takes as long to speak as three letters."""

# ruff: noqa: RUF001  # the marks of several scripts look alike
_STOP = re.compile(r"[。！？；!?;\n]|[.…]+")
_COMMA = re.compile(r"[，、：]|[,:](?=\s)")
_CLOSING = "\"'”’»)]}」』）】*_"
_LEFT_OVER = "”’»)}」』）】"
"""Brackets and quotes that came too late for the piece that they close."""

_TITLES = re.compile(r"mrs?|ms|dr|prof|st|mt|rev|hon|gen|col|capt|lt|sgt|messrs|sr|jr|vs|fig|vol|e\.g|i\.e|cf", re.I)
_NUMBERED = re.compile(r"nos?|nr", re.I)
_SHORTENED = re.compile(
    r"etc|inc|ltd|co|corp|dept|approx|a\.m|p\.m|u\.s|u\.k|jan|feb|mar|apr|aug|sept?|oct|nov|dec", re.I
)
_LAST_WORD = re.compile(r"[\w.]+$")


class Pieces:
    """The pieces of one text, ready to be spoken, with their marks."""

    def __init__(self) -> None:
        self._rest = ""
        self._searched = 0
        self._is_first = True

    def feed(self, text: str) -> list[str]:
        """Return the pieces that this text completes."""
        found = []
        for start in range(0, len(text), _BLOCK):
            self._rest += text[start : start + _BLOCK]
            while (end := self._find_end()) is not None:
                found += self._take(end)
        return found

    def finish(self) -> list[str]:
        """Return what is left."""
        return self._take(len(self._rest))

    def _take(self, end: int) -> list[str]:
        piece, self._rest, self._searched = self._rest[:end].strip().lstrip(_LEFT_OVER), self._rest[end:], 0
        if not any(char.isalnum() for char in piece):
            return []
        self._is_first = False
        return [piece]

    def _find_end(self) -> int | None:
        """Return where the next piece ends, None when that is not known yet."""
        for mark in _STOP.finditer(self._rest, self._searched):
            is_end = self._is_end(mark)
            if is_end is None:
                return self._find_comma(mark.start())
            if is_end:
                end = _behind_closing(self._rest, mark.end())
                return self._find_comma(end) or end
            self._searched = mark.end()
        return self._find_comma(len(self._rest))

    def _find_comma(self, before: int) -> int | None:
        """Return where a text is cut that is too long to wait for its end, or None."""
        long = FIRST_PIECE if self._is_first else LONG_PIECE
        if _weight(self._rest[:before], long) <= long:
            return None
        if self._is_first:
            for comma in _COMMA.finditer(self._rest, 0, before):
                if _weight(self._rest[: comma.end()], long) > long // 2:
                    return comma.end()
        return self._find_last_resort(before)

    def _find_last_resort(self, before: int) -> int | None:
        within = self._rest[: min(before, MAX_PIECE)]
        if _weight(within, LONG_PIECE) <= LONG_PIECE:
            return None
        commas = [comma.end() for comma in _COMMA.finditer(within)]
        if commas:
            return commas[-1]
        if _weight(within, MAX_PIECE - 1) < MAX_PIECE:
            return None
        return max(within.rfind(" "), 0) or len(within)

    def _is_end(self, mark: re.Match[str]) -> bool | None:
        """Return whether this mark ends a piece; None when that depends on what has not come yet."""
        if mark.group()[0] not in ".…":
            return True
        rest = self._rest[mark.end() :]
        following = rest.lstrip(_CLOSING)
        if not following:
            return None
        if not following[0].isspace():
            return unicodedata.east_asian_width(following[0]) == "W"
        if len(mark.group()) > 1:
            return True
        return self._is_sentence_end(self._rest[: mark.start()], following.lstrip())

    def _is_sentence_end(self, before: str, after: str) -> bool | None:
        found = _LAST_WORD.search(before)
        word = found.group() if found else ""
        if _TITLES.fullmatch(word) or (len(word) == 1 and word.isupper() and word != "I"):
            return False
        if word.isdecimal() and not before[: -len(word)].strip():
            return False  # the number of a list's item
        is_shortened = _SHORTENED.fullmatch(word)
        if not is_shortened and not _NUMBERED.fullmatch(word):
            return True
        if not after:
            return None
        return after[0].isupper() if is_shortened else not after[0].isdecimal()


def _behind_closing(text: str, end: int) -> int:
    while end < len(text) and text[end] in _CLOSING:
        end += 1
    return end


def _weight(text: str, enough: int) -> int:
    """Return how long the text takes to speak, in letters; counted no further than just over `enough`."""
    if len(text) > enough:
        return len(text)
    return sum(_WIDE_WEIGHT if unicodedata.east_asian_width(char) == "W" else 1 for char in text)


# Marks of Markdown that are not to be read out. A Markdown library wants whole documents; pieces are halves of
# them (`**Hello.` and `How are you?**`).
_MARKDOWN = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # [text](address)
    (re.compile(r"^\s*(?:#{1,6}|[-*+>]|[-*_=]{3,}|`{3,}\w*)(?=\s|$)", re.M), ""),  # headings, items, rules, fences
    (re.compile(r"`+|~{2,}|\*{2,}|(?<!\w)_{2,}|_{2,}(?!\w)"), ""),
    (re.compile(r"(?<!\w)[*_](?=\w)|(?<=[\w.,!?])[*_](?!\w)"), ""),  # *so* and _so_, but not 2 * 3, 2*3, a_name
    (re.compile(r"\s*\|\s*"), ", "),  # a table's cells
)
_SPOKEN_SYMBOLS = "°©®™№℃℉$€£¥"


def speakable(text: str) -> str:
    """Return the text without what has no sound: emoji, marks of Markdown. "" when nothing is left to say."""
    for pattern, instead in _MARKDOWN:
        text = pattern.sub(instead, text)
    spoken = "".join(char for char in text if _has_sound(char))
    spoken = " ".join(spoken.split()).lstrip(", ")
    return spoken if any(char.isalnum() for char in spoken) else ""


def _has_sound(char: str) -> bool:
    # So: emoji and other pictures; Sk: skin tones; Cf: joiners; Me: keycaps; Mn at FE0x: variation selectors.
    if char in _SPOKEN_SYMBOLS or char.isspace():
        return True
    return unicodedata.category(char) not in ("So", "Sk", "Cf", "Me", "Cc", "Co", "Cn", "Cs") and char != "\ufe0f"
