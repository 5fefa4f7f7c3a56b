"""pocketsphinx keyphrase spotting: any English phrase, spelled in phones.

The library is fed one endless utterance, which a hit ends. Two of its habits make that difficult, both seen in its
source and measured:

- It subtracts the mean of the sound so far, and moves that mean every three seconds. Silence pulls it far off: after
  15 s of a quiet room 4 recordings of "jarvis" are heard instead of 17. So the mean is put back to where the model's
  makers set it before it moves, and every word is heard as by a fresh decoder (17 again, with no false hit more).
- Its scores only ever fall, and after some days they reach the bottom. So an utterance ends after ten minutes, and
  the new one begins with the last two seconds again: no phrase in progress is lost.
"""

import importlib.util
import tempfile
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from units.base import LoadError
from units.kws.phones import phones_of
from units.kws.spotter import BLOCK, Heard
from units.setup_values import refusal
from units.sound.upload import RATE, Samples

if TYPE_CHECKING:
    from pocketsphinx import Decoder

THRESHOLDS = {4: 1e-5, 5: 1e-15, 6: 1e-20, 7: 1e-25, 8: 1e-30}
"""By number of phones, measured: the most hits with hardly any false ones. More phones use the last."""

LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 1e-60, 1.0
"""Limits of a likelihood ratio; under the lowest, nearly every sentence holds every phrase."""

FEWEST_SAFE_PHONES = 5
"""Shorter phrases occur in other words: "hello" is heard three times in 109 s of reading at 1e-5."""

_BLOCKS_PER_SECOND = RATE // BLOCK
_MEAN_BLOCKS = 2 * _BLOCKS_PER_SECOND
"""Well before the 300 frames after which the library moves the mean."""

_UTTERANCE_BLOCKS = 600 * _BLOCKS_PER_SECOND
_REPLAYED_BLOCKS = 2 * _BLOCKS_PER_SECOND
_SPACES = str.maketrans("-_", "  ")
_EDGES = '.,;:!?"“”«»()[]'


@dataclass(frozen=True)
class Keyphrase:
    """A phrase as the library needs it."""

    phrase: str
    """The phrase as the client wrote it."""

    pronunciation: tuple[tuple[str, tuple[str, ...]], ...]
    """Each word with its phones."""

    threshold: float

    @property
    def spelling(self) -> str:
        """Return the words in the form that the library reads."""
        return " ".join(word for word, _ in self.pronunciation)


def is_installed() -> bool:
    """Return whether the library is installed; it is not loaded."""
    return importlib.util.find_spec("pocketsphinx") is not None


def words_of(phrase: str) -> tuple[str, ...]:
    """Return the words to be spoken: lower case, without punctuation around them; satellites write `hey_jarvis`."""
    words = (
        word.strip(_EDGES)
        for word in phrase.casefold().translate(_SPACES).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split()
    )
    return tuple(word for word in words if word)


def spell(phrases: Iterable[tuple[str, float | None]]) -> list[Keyphrase]:
    """Return each phrase with its phones and its threshold, the one asked for or the measured one.

    Raises:
        UnitFault: a word cannot be pronounced; the words name it.
    """
    wanted = [(phrase, words_of(phrase), threshold) for phrase, threshold in phrases]
    known = _look_up({word for _, words, _ in wanted for word in words})
    keyphrases = []
    for phrase, words, threshold in wanted:
        if not words:
            raise refusal(f"the phrase {phrase!r} of kws has no words")
        pronunciation = tuple((word, known.get(word) or phones_of(word)) for word in words)
        keyphrases.append(Keyphrase(phrase, pronunciation, threshold or default_threshold(pronunciation)))
    return keyphrases


def phone_count(pronunciation: Iterable[tuple[str, tuple[str, ...]]]) -> int:
    """Return the phones of all words together."""
    return sum(len(phones) for _, phones in pronunciation)


def default_threshold(pronunciation: Iterable[tuple[str, tuple[str, ...]]]) -> float:
    """Return the measured threshold for so many phones."""
    return THRESHOLDS[min(max(phone_count(pronunciation), min(THRESHOLDS)), max(THRESHOLDS))]


def _look_up(words: set[str]) -> dict[str, tuple[str, ...]]:
    """Return the phones of those words that the model's dictionary has, in its first pronunciation."""
    try:
        import pocketsphinx
    except ImportError as error:
        raise refusal(f"these phrases need pocketsphinx: pip install pocketsphinx ({error})") from error
    found = {}
    with Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict")).open() as lines:
        for line in lines:
            word, _, phones = line.partition(" ")
            if word in words:
                found[word] = tuple(phones.split())
    return found


class SphinxSpotter:
    """All phrases of one task that are spelled in phones; one decoder hears them all."""

    def __init__(self, keyphrases: Sequence[Keyphrase]) -> None:
        self._phrases = {each.spelling: each.phrase for each in keyphrases}
        self._decoder = _decoder_of(keyphrases)
        self._initial_mean: str = self._decoder.get_cmn(False)
        self._recent: deque[bytes] = deque(maxlen=_REPLAYED_BLOCKS)
        self._age = 0
        """Blocks of this utterance; 0 means that none has begun."""

    def hear(self, block: Samples) -> list[Heard]:
        """Return what these samples decide."""
        if self._age >= _UTTERANCE_BLOCKS:
            self._begin_again()
        self._process(block.tobytes())
        heard = self._heard()
        if heard:
            self._end()
        return heard

    def finish(self, rest: Samples) -> list[Heard]:
        """Return what the last samples decide."""
        if len(rest):
            self._process(rest.tobytes())
        if self._age == 0:
            return []
        self._decoder.end_utt()
        heard = self._heard()
        self._forget()
        return heard

    def _process(self, data: bytes) -> None:
        if self._age == 0:
            self._decoder.start_utt()
        elif self._age % _MEAN_BLOCKS == 0:
            self._decoder.set_cmn(self._initial_mean)
        self._decoder.process_raw(data, False, False)
        self._recent.append(data)
        self._age += 1

    def _heard(self) -> list[Heard]:
        """Return the surest of the spotted phrases; one phrase may contain another."""
        if self._decoder.hyp() is None:
            return []
        surest = max(self._decoder.seg(), key=lambda segment: float(segment.prob))
        return [Heard(self._phrases[surest.word.strip()], round(float(surest.prob), 4))]

    def _begin_again(self) -> None:
        recent = list(self._recent)
        self._end()
        for data in recent:
            self._process(data)

    def _end(self) -> None:
        self._decoder.end_utt()
        self._forget()

    def _forget(self) -> None:
        """Begin anew: what comes next is heard as by a fresh decoder."""
        self._decoder.reinit_feat()
        self._recent.clear()
        self._age = 0


def _decoder_of(keyphrases: Sequence[Keyphrase]) -> "Decoder":
    """Return a decoder with a dictionary of these words alone: the same hits in a fifth of the memory."""
    from pocketsphinx import Decoder

    words = {word: phones for each in keyphrases for word, phones in each.pronunciation}
    with tempfile.TemporaryDirectory(prefix="unitd-kws-") as folder:
        dictionary, phrases = Path(folder) / "words.dict", Path(folder) / "phrases"
        dictionary.write_text("".join(f"{word} {' '.join(phones)}\n" for word, phones in words.items()))
        phrases.write_text("".join(f"{each.spelling} /{each.threshold!r}/\n" for each in keyphrases))
        try:
            return Decoder(kws=str(phrases), dict=str(dictionary), lm=None, loglevel="FATAL")
        except RuntimeError as error:
            raise LoadError(f"pocketsphinx does not take these phrases: {error}") from error
