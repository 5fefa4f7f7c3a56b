"""What is known about a language: lists of phrases, each a regular expression over a sentence in lower case."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field


def listed(*lines: str) -> tuple[str, ...]:
    """Return the phrases of lines in which they stand with commas between them."""
    return tuple(", ".join(lines).split(", "))


@dataclass(frozen=True, eq=False)
class Language:
    """The phrases of a language. ß is written ss."""

    fillers: tuple[str, ...] = ()
    """What may stand before the first word that counts: "hey", "okay"."""

    questions: tuple[str, ...] = ()
    """Beginnings of a question."""

    questions_inside: tuple[str, ...] = ()
    """What makes a sentence a question wherever it stands."""

    polite: tuple[str, ...] = ()
    """Beginnings of a command in the form of a question."""

    tells: tuple[str, ...] = ()
    """What makes a polite command a question: "could you tell me"."""

    verbs: tuple[str, ...] = ()
    """Imperatives of a home."""

    wishes: tuple[str, ...] = ()
    """Other words that ask for something to be done, or name what is wrong."""

    statements: tuple[str, ...] = ()
    """Words of a sentence that tells something, if none of the above is in it: "I have four lamps"."""

    negations: tuple[str, ...] = ()
    not_negations: tuple[str, ...] = ()
    """Phrases with a negation that forbid nothing."""

    points: tuple[str, ...] = ()
    """Words for what was named before."""

    here: tuple[str, ...] = ()
    """Words for the room of the board."""

    every: tuple[str, ...] = ()
    excepts: tuple[str, ...] = ()
    """Words before what "all" does not mean."""

    more: tuple[str, ...] = ()
    """Wishes for more of something, from where it is."""

    less: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    """Other words that name nothing."""

    hours_and_minutes: tuple[str, ...] = ()
    point: str = ""
    """Between the digits of a spoken decimal number."""

    halves: str = ""
    """After a number: and a half."""

    values: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """What words other than numbers stand for."""

    has_spaces: bool = True

    contractions: tuple[str, ...] = ()
    """Words whose apostrophe transcripts leave out."""

    clause_starts: tuple[str, ...] = ()
    """What begins another part of a sentence, also without a mark before it: why something is wanted, or the wish."""

    state_questions: tuple[str, ...] = ()
    """Beginnings of a question about a state: no other question is answered with it."""

    also: tuple[str, ...] = ()
    """Words at the end of the second of two wishes: "and the fan too"."""

    limits: tuple[str, ...] = ()
    """Words of a part of a sentence without which the rest means something else: "if", "unless", "said"."""

    subjects: tuple[str, ...] = ()
    """Beginnings of a part of a sentence that only tells something: a wish may follow it without a mark."""

    open_ends: tuple[str, ...] = ()
    """Last words of a part of a sentence that goes on: "he tried to", before "turn it off"."""

    bare_starts: tuple[str, ...] = ()
    """First words of a part of a sentence that names one thing more, if it tells nothing: "and the fan"."""

    pronouns: tuple[str, ...] = ()
    """Words that stand for what was just named."""

    in_place: tuple[str, ...] = ()
    """What stands before a room."""

    near: tuple[str, ...] = ()
    """What stands between a thing and what it is near: "on the", in "the lamp on the desk"."""

    def pattern(self, phrases: Sequence[str]) -> re.Pattern[str]:
        """Return a pattern of whole words, the longest phrase first; in a script without spaces, of any place.

        Without phrases nothing matches.
        """
        either = "|".join(sorted(phrases, key=len, reverse=True)) or "(?!)"
        return re.compile(rf"(?<!\w)(?:{either})(?!\w)" if self.has_spaces else f"(?:{either})")


NO_LANGUAGE = Language()
"""A language of which no phrases are known."""

HALF, QUARTER, THIRD = (50.0, 0.5), (25.0, 0.25), (33.0, 0.33)
"""In percent, and as a number."""

TWO_THIRDS, THREE_QUARTERS = (66.0, 67.0, 0.66), (75.0, 0.75)

FULL, LEAST = (100.0,), (0.0, 1.0)
