"""A day of the coming week: today, tomorrow, the day after it, or a weekday."""

from datetime import date, timedelta

_AHEAD = {"": 0, "today": 0, "tonight": 0, "tomorrow": 1, "after": 2}


def near_day(word: str, today: date) -> date:
    """Return the day of a word of a skill's list `day`: one of the above, or a weekday from "0", which is Monday.

    A weekday is the next one, today included.
    """
    ahead = _AHEAD[word] if word in _AHEAD else (int(word) - today.weekday()) % 7
    return today + timedelta(days=ahead)
