"""A day of the coming week: today, tomorrow, the day after it, or a weekday."""

import re
from datetime import date, timedelta

OTHER_DAY = "other"
"""A time that is no single day of the coming week."""

_AHEAD = {"": 0, "today": 0, "tonight": 0, "tomorrow": 1, "after": 2}


def near_day(word: str, today: date) -> date:
    """Return the day of a word of a skill's list `day`: one of the above, or a weekday from "0", which is Monday.

    A weekday is the next one, today included.
    """
    ahead = _AHEAD[word] if word in _AHEAD else (int(word) - today.weekday()) % 7
    return today + timedelta(days=ahead)


_LATER = re.compile(
    r"\b(?:next|weeks?|months?|days|hours|minutes|from now|\d+(?:st|nd|rd|th)|\d+/\d+|twenty|thirty|third|fourth|fifth|"
    r"sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|thirtieth|weekly|extended|january|february|"
    r"march|april|may \d+|june|july|august|september|october|november|december|christmas|thanksgiving|easter|"
    r"halloween|new year)\b"
)
_WEEKDAY = re.compile(r"\b(mon|tue|wed|wen|thu|fri|sat|sun)[a-z]*day")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def said_day(text: str) -> str:
    """Return the word for the day that an English question is about, as `near_day` takes it; OTHER_DAY for others."""
    if _LATER.search(text):
        return OTHER_DAY
    if "day after tomorrow" in text:
        return "after"
    if re.search(r"\btom+or+ow|\btmrw\b", text):
        return "tomorrow"
    if found := _WEEKDAY.search(text):
        return str(_WEEKDAYS.index(found[1].replace("wen", "wed")))
    if "weekend" in text:
        return "5"
    if re.search(r"\b(?:tonight|this evening)", text):
        return "tonight"
    return "today" if "today" in text else ""
