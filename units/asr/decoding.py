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
# while its user waits, and makes more errors than it mends.
_FREE = {"fwdflat": False, "loglevel": "FATAL"}

# Log-likelihood of a sentence's sounds over the best phones', per frame of 10 ms. Of 48 flite-spoken commands none is
# below -0.0023; of 40 other sentences, one half is below -0.005 and 4 are above -0.003.
WORST_FIT = -0.003


class Decoding(Protocol):
    """The sound of one utterance on its way to a text."""

    def begin(self) -> None:
        """Begin an utterance."""

    def take(self, sound: bytes) -> None:
        """Take more of the sound."""

    def best(self) -> str:
        """Return the best text so far."""

    def end(self) -> str:
        """Return the text; "" for nothing that is known."""


T = TypeVar("T")


class Pool(Generic[T]):
    """A pool of decoders: they are large (30 to 100 MB), and only as many are needed as people speak at once."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._idle = [make()]

    def take(self) -> T:
        """Return an idle decoder, or a new one."""
        return self._idle.pop() if self._idle else self._make()

    def give_back(self, used: T) -> None:
        """Keep the decoder for the next utterance."""
        self._idle.append(used)


class FreeDecoding:
    """The large English vocabulary of the package."""

    def __init__(self) -> None:
        self._decoder = Decoder(**_FREE)

    def begin(self) -> None:
        """Forget the last voice: what the decoder learned of it misleads the decoder about the next."""
        _begin(self._decoder)

    def take(self, sound: bytes) -> None:
        """Search on."""
        self._decoder.process_raw(sound)

    def best(self) -> str:
        """Return the best words."""
        return _text_of(self._decoder)

    def end(self) -> str:
        """Return the best words, with all that followed each of them."""
        self._decoder.end_utt()
        return self.best()


class GrammarDecoding:
    """Sentences of a JSGF grammar, or nothing. Raises UnitFault for a grammar that cannot be used."""

    def __init__(self, grammar: str, phones: Pool[Any]) -> None:
        self._decoder = make_grammar_decoder(grammar)
        self._pool = phones
        self._phones: Any = None

    def begin(self) -> None:
        """Begin with both decoders."""
        self._phones = self._pool.take()
        _begin(self._decoder)
        _begin(self._phones)

    def take(self, sound: bytes) -> None:
        """Search on with both decoders."""
        self._decoder.process_raw(sound)
        self._phones.process_raw(sound)

    def best(self) -> str:
        """Return the beginning of a sentence."""
        return _text_of(self._decoder)

    def end(self) -> str:
        """Return a whole sentence whose sounds fit, else ""."""
        self._decoder.end_utt()
        self._phones.end_utt()
        said = _text_of(self._decoder)
        is_known = bool(said) and self._fit() >= WORST_FIT
        self._pool.give_back(self._phones)
        return said if is_known else ""

    def _fit(self) -> float:
        """Return the fit per frame from the first word to the last, with pauses: other words may hide in them."""
        words = [segment for segment in self._decoder.seg() if segment.word[0] not in "<(["]
        begin, end = words[0].start_frame, words[-1].end_frame
        between = _scores(self._decoder)[begin : end + 1]
        free = _scores(self._phones)[begin : end + 1]
        return (sum(between) - sum(free)) / len(between)


def make_phone_decoder() -> Any:
    """Return a decoder with phones for words."""
    phones = Path(get_model_path()) / "en-us" / "en-us-phone.lm.bin"
    return Decoder(allphone=str(phones), lm=None, loglevel="FATAL")


def _begin(decoder: Any) -> None:
    decoder.reinit_feat()
    decoder.start_utt()


def _text_of(decoder: Any) -> str:
    best = decoder.hyp()
    return "" if best is None else best.hypstr.strip().lower()


def _scores(decoder: Any) -> list[float]:
    """Return the log-likelihood of each frame, evenly within each word or phone."""
    scores: list[float] = []
    for segment in decoder.seg():
        # Joints of the grammar have no frames; a hopeless score is rounded to 0.
        if (length := segment.end_frame - segment.start_frame + 1) > 0:
            scores += [math.log(max(segment.ascore, sys.float_info.min)) / length] * length
    return scores
