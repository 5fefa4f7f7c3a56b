"""What English says at the edges of a part of a sentence on a timer, adding nothing: "that is set to ring after"."""

_BEFORE_TIME = (
    r"(?: from| to| up to)?(?= (?:after|in|at|for|on|once|when|every|to|daily|tomorrow|tonight|today|noon|midnight"
    r"|half|quarter|from)\b| \d|$)"
)
"""Behind what an alarm does: when it does it."""

_DOES = (
    r"goes off|rings|sounds|beeps|buzzes|(?:alerts|notifies) (?:me|us)|ends|stops|expires|finishes|runs(?: out)?|lasts"
    r"|counts down"
)
_DO = (
    r"go(?:ing)? off|ring(?:ing)?|sound|beep|buzz|(?:alert|notify) (?:me|us)|end|stop|expire|finish|run(?: out)?|last"
    r"|be (?:done|up|over)|count down"
)
_THAT = "that|which|it|and|so it|so that it"
_TO = f"{_THAT}|to|and (?:have|let|make) it|i want it to|which i want to|should|must"
_SET = "set|scheduled|timed|programmed"
_NOW = (
    r"(?:starting|beginning|counting|as of|right|from|right from|effective)(?: right| just)?"
    r" (?:now|away|immediately|this (?:minute|moment|second|instant))"
)
_AT_ONCE = "immediately|instantly|straight away|at once|this (?:minute|instant)"

EDGES = (
    rf"^(?:(?:{_THAT}) )+(?:(?:is|gets) (?:{_SET}) (?:to )?)?(?:{_DOES}){_BEFORE_TIME}"
    rf"|^(?:(?:{_TO}) )*(?:(?:is|will be|be|are|will|should|must) )?(?:(?:{_SET}) )?(?:to )?(?:{_DO}){_BEFORE_TIME}"
    r"|^(?:after|once|when|through|worth|length of|(?:a )?(?:period|total|duration|interval) of|equal to)$"
    rf"|^(?:{_NOW}|{_AT_ONCE})(?= |$)| (?:{_NOW}|from here|{_AT_ONCE}|as of now|in total|total|or so|so)$"
)

WITHOUT_DAYS = (
    r"\b(?:every ?day|each day|daily|every week|weekdays?|all week|every (?:morning|evening|night|afternoon))\b"
    r"(?:(?! alarm).)*? (?:except|excluding|but not|other than)(?: (?:for|on|the))*"
    r" (?=week|mon|tue|wed|thu|fri|sat|sun)"
)
"""Says on which days of every week an alarm rings: those are understood, other limits are not."""

NO_LENGTH = r"\b(?:more|extra|longer|additional) .*\b(?:to|on|off|from)\b"
"""Beside a unit of time, before the word: it is to be added to a timer, or taken from it."""
