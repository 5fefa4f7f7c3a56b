"""Questions for the clock in other words: the same question as its parts are known, without what says nothing.

"My phone died, what time is it" is "what time is it"; "what date comes after November 30" is "what is the day after
November 30"; "12/25/2024" is "december 25 2024".
"""

import re
from collections.abc import Callable

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_MONTH = r"(?P<month>1[0-2]|0?[1-9])"
_CENTURY = 70
"""Years in two digits from this one on are those of the last century."""

_AMERICAN = re.compile(rf"(?<![\w/.-]){_MONTH}(?P<mark>[/-]){_DAY}(?:(?P=mark)(?P<year>\d{{4}}|\d\d))?(?![\w/-]|\.\d)")
_BRITISH = re.compile(rf"(?<![\w/.-]){_DAY}(?P<mark>[/.-]){_MONTH}(?:(?P=mark)(?P<year>\d{{4}}|\d\d))(?![\w/-]|\.\d)")
_ISO = re.compile(rf"(?<![\w/.-])(?P<year>\d{{4}})-{_MONTH}-{_DAY}(?![\w/-])")

_BEFORE_QUESTION = (
    r"(?:i|i am|i have|i cannot|i can't|we|my|the|it is|there is|sorry)\b(?! (?:in|from|at)\b)"
    r"(?:(?! (?:if|when|while|not|don't) )[^,])*?"
)
_PRESENT = (
    r"(?:what time is it|what is the time|what time it is|what day is it|what day is it today|what is today's date|"
    r"what is the date|what is the date today|what is today|how late is it|tell me the time|give me the time)"
    r"(?: right| now| please)*"
)
_HOUR_WORD = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

_REWORDINGS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"\bo'? clock\b", "o'clock"),
        (r"\b(a|p) m\b", r"\1m"),
        (r"\brn\b", "right now"),
        (r"\bwhats\b", "what is"),
        (r"\b(in|after) another ", r"\1 "),
        (r"\b(after|in) (?=hour\b)", r"\1 an "),
        (r"^(?:to (?:bother|interrupt|disturb) you|for (?:bothering|interrupting|asking)) (?:but )?", ""),
        (rf"^what is (the \d+(?:st|nd|rd|th) of (?:{'|'.join(_MONTHS)}))$", r"what day is \1"),
        (r"^is it (?:a )?(\w+day) (tomorrow|today)$", r"is \2 \1"),
        (
            r"^(is|does) (.+?) (?:be )?(?:a|on a|fall on|fall on a|land on|land on a) (\w+day|weekend) this year$",
            r"is \2 a \3",
        ),
        (r"^does (.+?) (?:fall|land|come) on (?:a |the )?(\w+day|weekend)$", r"is \1 on a \2"),
        (r"^mind (?:telling|giving) (?:me|us) ", "tell me "),
        (r"^gimme ", "give me "),
        (r"^you(?: have)? got ", "have you got "),
        (r"^(?:has|did|have) (?:it|we) (?:turned|turn|hit|reached|reach|gotten to be|struck|become|gone) ", "is it "),
        (r"^(?:isn't|is not) (?=it|today|tomorrow)", "is "),
        (r"^(?:it|today) is (.+?)(?: today)? (?:isn't|is not) it$", r"is it \1"),
        (
            r"^(?:it is |the time is )(?!what)(.+?) (?:so |then |and )?((?:what time|tell me|how late) .*)$",
            r"if it is \1 \2",
        ),
        (
            r"^(?:i|we|he|she|my|our|the|they)\b.*? (?:in|to|from|at) (?P<place>\w+(?: \w+)?) (?:so |and )?"
            r"(?P<asked>(?:what|tell me|how late) .*?) (?:over )?there( (?:right )?now)?$",
            r"\g<asked> in \g<place>",
        ),
        (rf"^{_BEFORE_QUESTION}[, ](?P<asked>{_PRESENT})$", r"\g<asked>"),
        (r"^(.+) countdown$", r"countdown to \1"),
        (r"^(what day is it) (of the week)$", r"what day of the week is it"),
        (r"^(?:be|act (?:as|like)|play|pretend to be|you are) (?:my|a|the|our) clock$", "what time is it"),
        (
            r"^(?:(?:(?:read|check|look at|see|tell me|ask|consult)(?: me| us)? )?(?:the|your) (?:clock|watch)"
            r"(?: and tell (?:me|us) (?:the time|what time it is))?|is it (?:getting )?(?:too )?late(?: yet| already)?"
            r"|what time it is|(?:what|which) o'clock is it|(?:is it )?(?:am or pm|a\.m\. or p\.m\.)|"
            r"is it (?:still )?(?:the )?(?:morning|afternoon|evening|night|noon|day|daytime)(?: time)?"
            r"(?: or (?:the )?(?:morning|afternoon|evening|night|day))?(?: yet| already| right now| now)?)$",
            "what time is it",
        ),
        (r"^is (?:it|today) a (?:weekday|week day|work day|workday|weekend day)$", "what day is it"),
        (
            r"^(?:what|which) (?:is )?(?:the )?(?:full |exact |next )?(?:date|day|weekday)(?: of the week)? (?:that )?"
            r"(?:(?:is|comes|falls|was|will be|follows|right|immediately|directly|just|come|coming) )*"
            r"(?P<way>after|before|following|follows|preceding|precedes) (?P<base>.+)$",
            lambda found: f"what date is the day {_way(found['way'])} {_not_today(found['base'])}",
        ),
        (
            r"^what (?:was|will be) (?:the )?(?:full )?(?:date|day) (?P<way>after|before) (?P<base>.+)$",
            r"what date is the day \g<way> \g<base>",
        ),
        (r"^what (?:is|are|date is|day is) (.+ from) today$", r"what date is \1 now"),
        (r"^(?:after|in) (.+? (?:days?|weeks?|months?|years?)) ((?:what|which) (?:day|date) .+)$", r"\2 in \1"),
        (r"^what is ((?:the )?(?:last|first) day of .+)$", r"what date is \1"),
    )
)


def _not_today(base: str) -> str:
    """Return what a day is counted from; "today" is the subject of other questions."""
    return "now" if base == "today" else base


def _way(word: str) -> str:
    return "before" if word in ("before", "preceding", "precedes") else "after"


def reworded(text: str) -> str:
    """Return a question without marks in the words that the parts of questions have."""
    for dates in (_ISO, _AMERICAN, _BRITISH):
        text = dates.sub(_written_out, text)
    for pattern, instead in _REWORDINGS:
        text = pattern.sub(instead, text)
    return text


def _written_out(found: re.Match[str]) -> str:
    """Return a date in digits with the name of its month; without a year only where slashes mark it as a date."""
    year = found["year"]
    if not year and found["mark"] != "/":
        return found[0]
    if year and len(year) == 2:
        year = f"{'19' if int(year) >= _CENTURY else '20'}{year}"
    return f"{_MONTHS[int(found['month']) - 1]} {int(found['day'])}" + (f" {year}" if year else "")
