"""Sentences that set a timer, read from all of their words in any order: "in 15 minutes the timer should go off".

It serves where no template does. One length of time, one name at most, and words of known kinds: any other word makes
it a sentence about something else.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from units.intent.skills.known_words import Kinds, kinds_of, read_words, tokens_of
from units.intent.skills.plain_question import plainer
from units.intent.skills.timer_name import is_name, is_own
from units.intent.skills.timer_phrase import TIMER, TimerPhrase, as_said
from units.intent.values.duration import find_durations, has_unit
from units.intent.values.plain import base_of, plain

WORDS: Mapping[str, Mapping[str, str]] = read_words("timer_said_words")
"""By language."""

_LENGTH = "#"
_MOST_TOKENS = 24
_MOST_BETWEEN = 3
"""Words from "time", as a verb, to the length of time."""

_CLAUSES = re.compile(r"(?:[,.;!]|\b(?:because|since|so)\b)(?!\d)")
_REMINDS = re.compile(r"\bremind", re.IGNORECASE)
"""What somebody is to be reminded of may stand in the other part."""

_NAME = re.compile(
    rf"(?P<start>.*?{_LENGTH}.*?) for (?:the |my |our |an? |some |his |her )?(?P<last>[a-z][\w' ]*)"
    rf"|(?P<time>(?:.* )?time) (?:the |my |our |some )?(?P<timed>[a-z][\w' ]*?)(?P<end> for {_LENGTH}.*)"
)
"""Where a name stands: "set # for the oven", "time my tea for #"."""


def read_start(words: str, language: str) -> TimerPhrase | None:
    """Return the timer that a sentence sets; None if it is about something else, or not wholly understood."""
    base = base_of(language)
    if base not in WORDS or not has_unit(words, language):
        return None
    text = plain(words, language).replace("-", " ")
    found = list(find_durations(text, language))
    if len(found) != 1:
        return None
    frame = " ".join(f"{found[0].before} {_LENGTH} {found[0].after}".split())
    for name, rest in (("", frame), *_named(frame, language)):
        tokens = tokens_of(rest, _kinds(base), _MOST_TOKENS)
        if tokens and _sets([each.kind for each in tokens], rest, is_named=bool(name)):
            return TimerPhrase(kind=TIMER, seconds=(found[0].seconds,), name=as_said(name, words) if name else "")
    return None


def _without_reason(text: str, language: str) -> Sequence[str]:
    """Return a sentence without what somebody is doing: "I'm cooking an egg, timer for 3 minutes"."""
    base = base_of(language)
    if base not in WORDS:
        return ()
    clauses = [each.strip() for each in _CLAUSES.split(text) if each.strip()]
    wishes = [each for each in clauses if not re.fullmatch(WORDS[base]["context"], plain(each, language))]
    return wishes if len(clauses) > 1 and len(wishes) == 1 and not _REMINDS.search(wishes[0]) else ()


_plainer = plainer(
    {
        "de": (
            (r"([^,]+), (?:ich|wir|weil|damit|denn|da|sonst) [^,\d]+", r"\1"),
            (
                r"(?!.*\b(?:wenn|falls|sobald|bevor|nicht|kein\w*)\b)(?:ich|wir|es|der|die|das) [^,\d]+, "
                r"((?:stell|mach|start|weck|erinner|setz|sag|gib|timer|wecker).+)",
                r"\1",
            ),
        ),
        "fr": (
            (r"([^,]+), (?:j'|je |on |parce|car |sinon )[^,\d]+", r"\1"),
            (
                r"(?!.*\b(?:si|quand|lorsque|pas|avant)\b)(?:j'|je |on |il |le |la |les )[^,\d]+, "
                r"((?:mets|lance|règle|programme|démarre|réveille|rappelle|préviens|minuteur|alarme).+)",
                r"\1",
            ),
        ),
        "es": (
            (r"([^,]+), (?:que|porque|tengo|es que|estoy|ya que|si no) [^,\d]+", r"\1"),
            (
                r"(?!.*\b(?:si|cuando|no|antes)\b)(?:tengo|estoy|voy|hay|el|la|es que) [^,\d]+, "
                r"((?:pon|inicia|programa|despiérta|avísa|recuérda|temporizador|alarma|timer).+)",
                r"\1",
            ),
        ),
    }
)
"""What is said of the reason, with a comma before or after it, changes nothing."""


def other_ways(text: str, language: str) -> Sequence[str]:
    """Return a wish without the reason for it, in English without what somebody is doing."""
    return _without_reason(text, language) if base_of(language) in WORDS else _plainer(text, language)


def _named(frame: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the name in a sentence, with the sentence without it."""
    if found := _NAME.fullmatch(frame):
        name, rest = found["last"], found["start"]
        if name is None:
            name, rest = found["timed"], f"{found['time']}{found['end']}"
        if is_name(name, language) and is_own(name, f"for {name}", language) and is_own(name, name, language):
            yield name, rest


def _sets(kinds: Sequence[str], text: str, *, is_named: bool) -> bool:
    """Return whether words of these kinds say that a timer is to be set."""
    at = {kind: kinds.index(kind) for kind in reversed(kinds)}
    first = kinds.index("length")
    if "more" in kinds and kinds.index("more") == first - 1 and "timer" not in kinds[first : first + 2]:
        return False  # "another 5 minutes on the timer"
    before_end = min((at[kind] for kind in ("setting", "should", "want", "that") if kind in at), default=len(kinds))
    if "ending" in at and (before_end > at["ending"] or "timer" not in kinds[: at["ending"]]):
        return False  # "stop the timer in 5 minutes"
    if "timer" in kinds:
        return kinds.count("timer") == 1 and bool(at.keys() & {"setting", "should", "want", "that"})
    if "counting" in kinds:
        return 0 < first - kinds.index("counting") <= _MOST_BETWEEN
    return is_named and re.match(rf"(?:.* )?(?:set|start|run) {_LENGTH}", text) is not None


@cache
def _kinds(base: str) -> Kinds:
    kinds = {kind: words for kind, words in WORDS[base].items() if kind != "context"} | {"length": _LENGTH}
    return kinds_of(kinds, edge=r"(?!\S)")
