"""Utterances through pocketsphinx: free speech, or a command grammar that may also say "none of these".

A grammar decoder forces whatever it hears into one of its sentences. So a second decoder with phones instead of words
hears the same, which costs 3 % of a core, and a sentence counts only where its sounds fit nearly as well as any sounds.
"""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from units.asr.grammar import make_grammar_decoder
from units.base import LoadError

try:
    from pocketsphinx import Decoder, get_model_path
except ImportError as error:
    raise LoadError("the bundled engine needs pocketsphinx: pip install pocketsphinx") from error

# Measured on read English (docs/voice.md): the second pass over the words (fwdflat) takes 0.4 s for a long utterance
# while somebody waits, and makes more errors than it mends.
_FREE = {"fwdflat": False, "loglevel": "FATAL"}

# Log-likelihood of a sentence's sounds over the best phones', per frame of 10 ms. Of 48 flite-spoken commands none is
# below -0.0023; of 40 other sentences, one half is below -0.005 and 4 are above -0.003.
WORST_FIT = -0.003


class Decoding(Protocol):
    """What becomes of the sound of one utterance."""

    def begin(self) -> None:
        """An utterance begins."""

    def take(self, sound: bytes) -> None:
        """More of it."""

    def best(self) -> str:
        """What it seems to be until now."""

    def end(self) -> str:
        """What it was; "" for nothing that is known."""


T = TypeVar("T")


class Pool(Generic[T]):
    """Decoders are large (30 to 100 MB) and needed only while somebody speaks: as many as speak at once are enough."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._idle = [make()]

    def take(self) -> T:
        """One that nobody uses, a new one if need be."""
        return self._idle.pop() if self._idle else self._make()

    def give_back(self, used: T) -> None:
        """For whoever speaks next."""
        self._idle.append(used)


class FreeDecoding:
    """The large English vocabulary of the package."""

    def __init__(self) -> None:
        self._decoder = Decoder(**_FREE)

    def begin(self) -> None:
        """What the decoder learned of one voice misleads it about the next, so it is forgotten."""
        _begin(self._decoder)

    def take(self, sound: bytes) -> None:
        """Searches on."""
        self._decoder.process_raw(sound)

    def best(self) -> str:
        """The best words."""
        return _text_of(self._decoder)

    def end(self) -> str:
        """The best words, with all that followed each of them."""
        self._decoder.end_utt()
        return self.best()


class GrammarDecoding:
    """Sentences of a JSGF grammar, or nothing.

    Raises:
        UnitFault: the grammar cannot be read, or holds words that are not in the dictionary.
    """

    def __init__(self, grammar: str, phones: Pool[Any]) -> None:
        self._decoder = make_grammar_decoder(grammar)
        self._pool = phones
        self._phones: Any = None

    def begin(self) -> None:
        """Both from the beginning."""
        self._phones = self._pool.take()
        _begin(self._decoder)
        _begin(self._phones)

    def take(self, sound: bytes) -> None:
        """Both search on."""
        self._decoder.process_raw(sound)
        self._phones.process_raw(sound)

    def best(self) -> str:
        """The beginning of a sentence."""
        return _text_of(self._decoder)

    def end(self) -> str:
        """A whole sentence whose sounds fit."""
        self._decoder.end_utt()
        self._phones.end_utt()
        said = _text_of(self._decoder)
        is_known = bool(said) and self._fit() >= WORST_FIT
        self._pool.give_back(self._phones)
        return said if is_known else ""

    def _fit(self) -> float:
        """Per frame from the first word to the last, pauses too: other words may hide in them."""
        words = [segment for segment in self._decoder.seg() if segment.word[0] not in "<(["]
        begin, end = words[0].start_frame, words[-1].end_frame
        between = _scores(self._decoder)[begin : end + 1]
        free = _scores(self._phones)[begin : end + 1]
        return (sum(between) - sum(free)) / len(between)


def make_phone_decoder() -> Any:
    """A decoder with phones for words."""
    phones = Path(get_model_path()) / "en-us" / "en-us-phone.lm.bin"
    return Decoder(allphone=str(phones), lm=None, loglevel="FATAL")


def _begin(decoder: Any) -> None:
    decoder.reinit_feat()
    decoder.start_utt()


def _text_of(decoder: Any) -> str:
    best = decoder.hyp()
    return "" if best is None else best.hypstr.strip().lower()


def _scores(decoder: Any) -> list[float]:
    """The log-likelihood of each frame, evenly within each word or phone."""
    scores: list[float] = []
    for segment in decoder.seg():
        # What takes no time (the grammar's joints) has no frames; what is hopeless is rounded to 0.
        if (length := segment.end_frame - segment.start_frame + 1) > 0:
            scores += [math.log(max(segment.ascore, sys.float_info.min)) / length] * length
    return scores
