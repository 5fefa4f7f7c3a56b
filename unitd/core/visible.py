"""Translation tables for text from clients and models before it goes to a terminal or a log. Pure.

Control and format characters are replaced by visible escapes: an escape sequence can move the cursor, and a
right-to-left override writes the rest of a line backwards, so that a name reads as another one.
"""

_FORMAT = (
    (0xAD, 0xAD), (0x600, 0x605), (0x61C, 0x61C), (0x6DD, 0x6DD), (0x70F, 0x70F), (0x890, 0x891), (0x8E2, 0x8E2),
    (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A),
    (0xE0001, 0xE007F),
)  # fmt: skip
"""First and last of each range: the format characters of Unicode 16 (category Cf), and its two line separators."""

SHOWN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
"""For `str.translate`: every control and format character becomes an escape sequence of Python."""
SHOWN |= {
    code: f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    for first, last in _FORMAT
    for code in range(first, last + 1)
}

SHOWN_IN_TEXT = {code: shown for code, shown in SHOWN.items() if chr(code) not in "\n\t"}
"""The same for text of several lines: newlines and tabs stay."""

SHOWN_IN_PROSE = {code: shown for code, shown in SHOWN_IN_TEXT.items() if code not in (0x200C, 0x200D)}
"""The same for what people and models write: the two joiners stay, which Persian words and many emoji need."""
