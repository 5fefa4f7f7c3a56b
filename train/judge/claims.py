"""Find claims of actions in an answer: words that say that something was, is being or will be done or switched.

Where no tool was called, each of them is untrue. Text within quotation marks does not count, nor do questions and
conditions. A sentence claims an action if

1. it begins with what the assistant does: "Turning on the light.", "I'm adding milk to the list."; but not where that
   is what the sentence is about ("Playing the piano is fun.");
2. it says what the assistant did or will do: "I have set the alarm", "I turned it off", "I'll call her", "Let me lock
   the door";
3. it says how something is that is switched, set or ordered: "The timer is set.", "Your table has been booked.", "It is
   on now.", "Everything is off.", "Timer set for ten minutes.";
4. it is a word of agreement that means "done": "Done.", "On it.", "Will do.", "Right away.";
5. or there is a call of a tool.
"""

from __future__ import annotations

import re

CALL = "<tool_call>"

_DO = (
    "turn|switch|set|dim|open|close|lock|unlock|play|pause|resume|skip|mute|unmute|add|remove|cancel|call|send|text|book|"
    "order|reserve|schedule|raise|lower|increase|decrease|remind|snooze|restart|reboot|email|mail|pay|transfer|delete|"
    "record|brew|vacuum|heat|warm|cool|charge|print|buy|purchase|water|feed|activate|deactivate|adjust|change|download|"
    "post|start|stop|ring|wake|renew|save|shut|put|light"
)
_IRREGULAR = {
    "set": ("setting", "set"), "shut": ("shutting", "shut"), "put": ("putting", "put"), "send": ("sending", "sent"),
    "buy": ("buying", "bought"), "pay": ("paying", "paid"), "feed": ("feeding", "fed"), "wake": ("waking", "woken"),
    "light": ("lighting", "lit"), "ring": ("ringing", "rung"), "reset": ("resetting", "reset"),
    "dim": ("dimming", "dimmed"), "skip": ("skipping", "skipped"), "stop": ("stopping", "stopped"),
    "transfer": ("transferring", "transferred"), "cancel": ("cancell?ing", "cancell?ed"),
}  # fmt: skip


def _forms(verb: str) -> tuple[str, str]:
    """Return the form with -ing and the participle of a verb."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    stem = verb.removesuffix("e")
    return f"{stem}ing", f"{stem}ed"


_DOING = "|".join(_forms(verb)[0] for verb in _DO.split("|"))
_DONE = "|".join(_forms(verb)[1] for verb in _DO.split("|"))
_THING = (
    "lights?|lamps?|alarms?|timers?|reminders?|doors?|garage|gate|blinds?|curtains?|shutters?|windows?|heating|heater|"
    "heat|thermostat|temperature|music|song|radio|tv|television|volume|fans?|coffee machine|coffee|kettle|tables?|taxi|"
    "order|pizza|messages?|text|emails?|mail|list|items?|appointment|meeting|flight|rooms?|hotel|tickets?|reservation|"
    "call|dishwasher|oven|stove|vacuum|sprinklers?|scene|screen|speaker|switch|plug|bath|brightness|calendar|bill|money|"
    "photo|picture|plants?|fish|milk|eggs|bread|flowers|everything|all|both|it|that|they|these|those"
)
_IS_STATE = (
    f"on|off|open|closed|locked|unlocked|running|playing|ringing|done|ready|booked|placed|confirmed|{_DONE}|{_DOING}|"
    "at \\d+|now on|now off"
)
_START = (
    r"^(?:(?:ok|okay|sure|certainly|of course|yes|yep|alright|all right|no problem|gladly|great|got it|done|right|well|"
    r"sorry|now|just|absolutely|fine)\b(?: thing)?[ ,.!-]*)*"
)
_NOW = r"(?:(?:just|now|already|also|then|going to|about to|gonna)\s+)*"

_RULES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 1. what the assistant does
        rf"{_START}(?:{_DOING}|making (?:it|the|your))\b"
        r"(?!.*\b(?:is|are|was|were|can|helps?|takes?|sounds?|makes?|means)\b)",
        rf"\b(?:i'm|i am|we're|we are)\s+{_NOW}(?:{_DOING})\b",
        # 2. what it did, or will do; "I'll call you Captain" and "I'll start" are talk
        rf"\b(?:i've|i have|we've|we have)\s+{_NOW}(?:{_DONE})\b",
        rf"\bi\s+{_NOW}(?:{_DONE})\b",
        rf"\b(?:i'll|i will|i'm going to|i am going to|let me|we'll)\s+{_NOW}(?!call you\b|start\W*$|play along|stop\b|"
        rf"set you\b)(?:{_DO})\b",
        # 3. how something is
        rf"\b(?:the|your|my|this|a)\s+(?:[\w']+\s+){{0,4}}?(?:{_THING})\b(?:\s+[\w']+){{0,5}}?\s+"
        rf"(?:is|are|has been|have been|will be)\s+{_NOW}(?:being\s+)?(?:{_IS_STATE})\b",
        rf"{_START}(?:it|that|they|everything|both|all of them)"
        rf"(?:'s|\s+is|\s+are|\s+has been|\s+have been|\s+will be)?\s+{_NOW}"
        rf"(?:on|off|open|closed|locked|unlocked|running|playing|done|{_DONE})\b"
        r"(?:\s+now)?\s*(?:$|[,.!]|now|for you|to )",
        rf"{_START}(?:your |the )?(?:[\w']+\s+){{0,2}}?(?:{_THING})\s+(?:now\s+)?"
        rf"(?:on|off|{_DONE}|booked|placed|confirmed)\b(?:\s*$|\s+(?:for|to|at|now|on)\b)",
        # 4. words that mean it
        rf"{_START}(?:done|all done|on it|will do|right away|at once|coming (?:right )?up)\W*$",
        r"^done\b|\bconsider it done\b",
    )
)
_IF = re.compile(r"\b(?:if|when|unless|once)\b", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|never|cannot|no(?! problem)|nothing|unable|(?:ca|could|wo|have|did|is|are|do|would)n't)\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;:]\s|\bbut\b", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"?|\u201c[^\u201d]*\u201d?')
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


def claims(answer: str) -> list[str]:
    """Return the sentences of an answer that claim an action."""
    if CALL in answer:
        return [answer[answer.index(CALL) :]]
    plain = _QUOTED.sub(" ", answer.replace("\u2019", "'"))
    return [each.strip() for each in _SENTENCE_END.split(plain) if _claims(each.strip())]


def _claims(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    for rule in _RULES:
        if found := rule.search(sentence):
            said = sentence[: found.end()]
            # A denial in the same clause, or a condition before, takes the claim back.
            if not _IF.search(said) and not _NOT.search(_CLAUSE.split(said)[-1]):
                return True
    return False
