"""Questions for what a tool needs and the user did not say, and the user's replies."""

from __future__ import annotations

import random
from collections.abc import Sequence

from train.corpus.base import Split
from train.corpus.tools.own.own_tools_fillers import TEXTS, Value, is_number, lists
from train.corpus.tools.own.own_tools_results import enumerated, key_words

QUESTIONS = (
    ("Who do you mean?", ("to", "recipient", "contact", "person", "who", "with", "customer", "guest", "student",
                          "attendee", "assignee", "member", "pupil", "patient", "user")),
    ("What should it say?", ("text", "message", "body", "content", "note", "reply", "comment", "announcement")),
    ("When?", ("when", "start", "time", "date", "day", "due", "deadline", "until", "arrival", "departure", "at",
               "start time", "new time")),
    ("Where?", ("location", "place", "where", "destination", "address", "spot", "dropoff")),
    ("From where?", ("from", "origin", "from city", "pickup", "source", "src")),
    ("Where to?", ("to city", "end", "dst", "target")),
    ("For how long?", ("minutes", "seconds", "hours", "duration", "length", "nights", "days", "stay")),
    ("How many?", ("quantity", "count", "copies", "people", "points", "pieces", "qty", "guests", "number of")),
    ("How much?", ("amount", "sum", "cost", "money", "volume")),
    ("To how many degrees?", ("degrees", "temperature", "angle", "setpoint")),
    ("To how many percent?", ("percent", "level", "opening", "intensity")),
)  # fmt: skip
"""What the assistant asks for a parameter of one of these names; for any other it asks "Which …?"."""

PEOPLE = ("person", "fullname", "email", "phone", "handle")
TIMES = ("when", "day", "clock")


def question_about(name: str, options: Sequence[Value] = ()) -> str:
    """Return the question for a parameter that was not said; a short list of values is offered."""
    words = key_words(name.replace("-", " "))
    found = next((question for question, names in QUESTIONS if words in names), f"Which {words}?")
    if 1 < len(options) <= 3 and found.startswith("Which"):
        said = enumerated([str(option).replace("_", " ") for option in options]).replace(" and ", " or ")
        return f"Which {words}: {said}?"
    return found


def reply_to(rng: random.Random, split: Split, filler: str) -> str:
    """Return the phrasing of a reply with a value of this filler."""
    block = "person" if filler in PEOPLE else "text" if filler in TEXTS else "time" if filler in TIMES else "other"
    return lists("own_replies")["number" if is_number(filler) else block].pick(rng, split)
