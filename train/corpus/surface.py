"""The surface forms of a user's sentence: how people type and how speech recognition writes.

Corpus modules write plain sentences, in lower case except for names, without a final stop.
"""

from __future__ import annotations

import random
import re

QUESTION_WORDS = (
    "what", "who", "why", "how", "when", "where", "which", "can", "could", "do", "does", "did", "is",
    "are", "will", "would", "should", "have", "has", "may", "am", "whose", "what's", "who's", "how's",
    "where's", "isn't", "aren't", "don't",
)  # fmt: skip
CHAT_SPELLINGS = {
    "your": "ur", "you are": "ur", "you": "u", "are": "r", "please": "pls", "thanks": "thx",
    "thank you": "ty", "what is": "whats", "what's": "whats", "because": "cuz",
    "great": "gr8", "okay": "k", "going to": "gonna", "want to": "wanna", "and": "n", "don't": "dont",
    "can't": "cant", "i'm": "im", "people": "ppl", "tomorrow": "tmrw", "why": "y", "that": "dat",
    "love": "luv", "something": "smth", "about": "abt", "know": "kno", "tell me": "tell me",
}  # fmt: skip
PREFIXES = (
    "hey, ", "hey ", "ok, ", "okay ", "hello, ", "hi, ", "so ", "so, ", "um, ", "please ", "well, ",
    "hey unitd, ", "unitd, ", "ok unitd, ", "hi unitd, ", "now ", "alright, ", "hmm, ", "and ", "oh, ",
    "hello unitd, ", "excuse me, ", "listen, ", "assistant, ", "right, ", "then ",
)  # fmt: skip
SUFFIXES = (
    " please", ", please", " then", " thanks", ", thanks", " for me", " now", ", will you", " ok",
    " my friend", ", buddy", ", would you", " if you can",
)  # fmt: skip
SMALL_WORDS = (
    "a", "an", "the", "is", "are", "am", "do", "does", "did", "will", "you", "me", "my", "it", "to", "of", "in", "on",
    "for", "that", "this", "there", "can", "could", "would",
)  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"
FIRST_PERSON = re.compile(r"\bi\b(?='|\b)")


class Verbatim(str):
    """A request that is already spelled as it is asked, because its letters decide about the answer."""


def wrap(rng: random.Random, text: str) -> str:
    """Return the request, sometimes with the small words that people put around it."""
    if isinstance(text, Verbatim):
        return text
    draw = rng.random()
    if draw < 0.12:
        return rng.choice(PREFIXES) + text
    if draw < 0.18:
        return text + rng.choice(SUFFIXES)
    return text


def wrap_twice(rng: random.Random, text: str) -> str:
    """Return the request with small words on both sides.

    `wrap` never does this, so no trained sentence is like it.
    """
    if isinstance(text, Verbatim):
        return Verbatim(rng.choice(PREFIXES) + text)
    return rng.choice(PREFIXES) + text + rng.choice(SUFFIXES)


def _capitalised(text: str) -> str:
    text = FIRST_PERSON.sub("I", text)
    return text[:1].upper() + text[1:]


def _end_mark(rng: random.Random, text: str) -> str:
    if text.endswith((".", "?", "!")):
        return ""
    words = text.lower().split()
    asks = any(word.strip(",") in QUESTION_WORDS for word in words[:3])
    return rng.choice("????? " if asks else "...! ").strip()


def written(rng: random.Random, text: str) -> str:
    """Return the sentence as a careful writer writes it."""
    return _capitalised(text) + _end_mark(rng, text)


def recognised(rng: random.Random, text: str) -> str:
    """Return the sentence as speech recognition writes it: lower case, no punctuation, sometimes no apostrophes."""
    plain = re.sub(r"[,!?;:]|\.(?!\d)", "", text.lower())
    return plain.replace("'", "") if rng.random() < 0.2 else plain


def shouted(rng: random.Random, text: str) -> str:
    """Return the sentence in capital letters."""
    return text.upper() + rng.choice(("", "!", "?", "!!"))


def chatty(rng: random.Random, text: str) -> str:
    """Return the sentence in the short spellings of chat messages."""
    text = text.lower() if rng.random() < 0.7 else _capitalised(text)
    for long, short in CHAT_SPELLINGS.items():
        if rng.random() < 0.5:
            text = re.sub(rf"\b{re.escape(long)}\b", short, text)
    return text + rng.choice(("", "", "?", "??", "!"))


def mistyped(rng: random.Random, text: str) -> str:
    """Return the sentence with one or two typing errors in the longer words."""
    words = text.split(" ")
    long_ones = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha() and word.islower()]
    for index in rng.sample(long_ones, min(len(long_ones), rng.choice((1, 1, 2)))):
        words[index] = _slip(rng, words[index])
    text = " ".join(words)
    return written(rng, text) if rng.random() < 0.5 else text


def _slip(rng: random.Random, word: str) -> str:
    place = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(4)
    if kind == 0:
        return word[:place] + word[place + 1 :]
    if kind == 1:
        return word[:place] + word[place] + word[place:]
    if kind == 2:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + rng.choice(LETTERS) + word[place + 1 :]


def clipped(rng: random.Random, text: str) -> str:
    """Return the sentence without one or two of its small words, as from people in a hurry or a far microphone."""
    words = text.split(" ")
    small = [i for i, word in enumerate(words) if word.lower() in SMALL_WORDS]
    lost = rng.sample(small, min(len(small), rng.choice((1, 1, 2)))) if len(words) > 3 else []
    return recognised(rng, " ".join(word for i, word in enumerate(words) if i not in lost))


def plain(rng: random.Random, text: str) -> str:
    """Return one of the two forms that are easy to read: a careful writer's or a speech recogniser's."""
    if isinstance(text, Verbatim):
        return text
    return rng.choice((written, recognised))(rng, text)


def surface(rng: random.Random, text: str, exact: bool = False) -> str:
    """Return one of the forms; with ``exact``, none with typing errors or short spellings."""
    if isinstance(text, Verbatim):
        return text
    draw = rng.random()
    if draw < 0.44:
        return written(rng, text)
    if draw < 0.74 or exact:
        return recognised(rng, text)
    if draw < 0.80:
        return clipped(rng, text)
    if draw < 0.84:
        return shouted(rng, text)
    if draw < 0.91:
        return chatty(rng, text)
    return mistyped(rng, text)
