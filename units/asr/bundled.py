"""pocketsphinx with the model of its wheel: English with nothing downloaded; free speech or a JSGF grammar.

The library's endpointer detects speech. From a little before its beginning everything goes to the decoder, pauses too,
until the silence is long enough. So nothing is computed in silence, and a pause cuts no sentence.

A microphone may be 34 dB quieter than usual. The endpointer hears it through a gain that changes with every frame. The
decoder, which such changes mislead, hears it through a gain that is chosen when an utterance begins, and is 1 unless
speech is faint.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from units.asr.decoding import Decoding, FreeDecoding, GrammarDecoding, Pool, make_phone_decoder
from units.asr.engine import AsrOptions, Heard, Rules
from units.asr.grammar import check_grammar, check_trial, try_grammar
from units.base import LoadError
from units.setup_values import refusal
from units.sound.gain import Gain, amplified
from units.sound.upload import RATE, Samples
from units.sound.wav import SAMPLE_BYTES
from units.trials import Began, Trial

try:
    from pocketsphinx import Endpointer
except ImportError as error:
    raise LoadError("the bundled engine needs pocketsphinx: pip install pocketsphinx") from error

# 3 is the strictest: one utterance for each sentence read, the fewest errors.
_VAD_MODE = 3

# Sound before the endpointer's beginning, where soft consonants are.
_LEAD_SECONDS = 0.3

# Asking for the best path costs as much as a few frames of search.
_PARTIAL_SECONDS = 0.1


# The decoder understands speech of this level as well as louder one; below a quarter of it, it makes more errors.
_DECODED_RMS = 1000.0
_FAINT = 4.0
_FULL_SCALE = 32767

# Grammars that can be compiled: a task that comes back, or many with the same one, must not wait for that again.
_REMEMBERED = 32


class BundledEngine:
    """An engine whose streams borrow a decoder for each utterance: the library loads its model for each."""

    # With 0.8 s of rule2 breaths cut long sentences and cost 4 points of word error rate, with 1.2 s nothing is won.
    usual_rules = Rules(rule2=1.0)

    about = "pocketsphinx, en-us, free speech and JSGF grammars"

    def __init__(self, load: Mapping[str, Any]) -> None:
        self._free: Pool[Decoding] | None = None
        self._phones: Pool[Any] | None = None
        self._tried: deque[str] = deque(maxlen=_REMEMBERED)

    def trial_of(self, options: AsrOptions) -> Trial | None:
        """Return the trial of a grammar, which is first compiled in a process of its own; None if tried lately."""
        _check_language(options)
        if not options.grammar or options.grammar in self._tried:
            return None
        check_grammar(options.grammar)

        def begin() -> Began:
            process = try_grammar(options.grammar)
            return Began(process.connection, process.end, process.close)

        def check(result: str | None) -> None:
            check_trial(result)
            self._tried.append(options.grammar)

        return Trial(begin, check)

    def open(self, options: AsrOptions) -> "BundledRecogniser":
        """Return a stream; the first of its kind takes a quarter of a second."""
        _check_language(options)
        if options.grammar:
            phones = self._phones = self._phones or Pool(make_phone_decoder)
            return BundledRecogniser(Pool(lambda: GrammarDecoding(options.grammar, phones)), options.rules)
        self._free = self._free or Pool(FreeDecoding)
        return BundledRecogniser(self._free, options.rules)


def _check_language(options: AsrOptions) -> None:
    if options.language not in ("", "en"):
        raise refusal(f"language is {options.language!r}, the bundled engine knows en")


class BundledRecogniser:
    """One stream: an endpointer, and a decoder during speech."""

    def __init__(self, decodings: Pool[Decoding], rules: Rules) -> None:
        self._decodings = decodings
        self._decoding: Decoding | None = None
        self._rules = rules
        self._rest = b""
        self._spoken_seconds = self._since_partial = 0.0
        self._gain = Gain()
        self._decoder_gain = 1.0
        self.quiet_seconds = 0.0
        self.reset()

    @property
    def is_hearing_speech(self) -> bool:
        """Return True from the beginning of speech to the end of the utterance."""
        return self._decoding is not None

    def feed(self, samples: Samples) -> list[Heard]:
        """Return what has changed, frame by frame."""
        self._rest += samples.tobytes()
        heard = []
        while len(self._rest) >= self._frame_bytes:
            frame, self._rest = self._rest[: self._frame_bytes], self._rest[self._frame_bytes :]
            if (news := self._take(frame)) is not None:
                heard.append(news)
        return heard

    def finish(self) -> str:
        """Return what was said until now, with the last bytes."""
        said = ""
        if self._decoding is not None:
            self._decode(self._decoding, self._rest)
            said = self._end(self._decoding)
        self.reset()
        return said

    def reset(self) -> None:
        """Begin with a new endpointer: the library cannot clear one."""
        if self._decoding is not None:
            self._end(self._decoding)
        self._endpointer = Endpointer(vad_mode=_VAD_MODE)
        self._frame_bytes = self._endpointer.frame_bytes
        self._frame_seconds = self._endpointer.frame_length
        window = Endpointer.DEFAULT_WINDOW + _LEAD_SECONDS
        self._before: deque[bytes] = deque(maxlen=round(window / self._frame_seconds))
        self._rest = b""
        self._frames = 0
        self._quiet_seconds = 0.0
        self._text = ""

    def _take(self, frame: bytes) -> Heard | None:
        self._frames += 1
        samples = np.frombuffer(frame, "<i2")
        gain = self._gain.follow(samples, is_speech=self.is_hearing_speech)
        self._endpointer.process(amplified(samples, gain).tobytes())
        if self._decoding is not None:
            self._decode(self._decoding, frame)
            return self._end_or_partial(self._decoding)
        self._before.append(frame)
        if self._endpointer.in_speech:
            self._begin()
            return None
        return self._wait()

    def _begin(self) -> None:
        self._decoding = self._decodings.take()
        self._decoding.begin()
        self._spoken_seconds = self._since_partial = 0.0
        wanted = _DECODED_RMS / max(self._gain.loudest, 1.0)
        self._decoder_gain = wanted if wanted > _FAINT else 1.0
        self._decode(self._decoding, b"".join(self._before))
        self._before.clear()

    def _wait(self) -> Heard | None:
        """Return an empty final after a long enough silence, else None."""
        self._quiet_seconds += self._frame_seconds
        if self._quiet_seconds < self._rules.rule1:
            return None
        self._quiet_seconds = 0.0
        return Heard("", is_final=True)

    def _decode(self, decoding: Decoding, sound: bytes) -> None:
        self._spoken_seconds += len(sound) / SAMPLE_BYTES / RATE
        self._since_partial += len(sound) / SAMPLE_BYTES / RATE
        if sound:
            decoding.take(self._amplified(sound))

    def _amplified(self, sound: bytes) -> bytes:
        """Return the sound for the decoder; an utterance that becomes loud is amplified less from there on."""
        if self._decoder_gain == 1.0:
            return sound
        samples = np.frombuffer(sound, "<i2")
        peak = int(np.abs(samples.astype(np.int32)).max())
        self._decoder_gain = max(1.0, min(self._decoder_gain, _FULL_SCALE / max(peak, 1)))
        return amplified(samples, self._decoder_gain).tobytes()

    def _end_or_partial(self, decoding: Decoding) -> Heard | None:
        if self._trailing_silence() >= self._rules.rule2 or self._spoken_seconds >= self._rules.rule3:
            shown, said = self._text, self._end(decoding)
            # Noise ends nothing: after a cough the question may still come. But a text that was shown is taken back.
            return Heard(said, is_final=bool(said)) if said or shown else None
        if self._since_partial < _PARTIAL_SECONDS:
            return None
        self._since_partial = 0.0
        said = decoding.best()
        if said == self._text:
            return None
        self._text = said
        return Heard(said, is_final=False)

    def _trailing_silence(self) -> float:
        """Return the seconds since the endpointer's last speech."""
        if self._endpointer.in_speech:
            return 0.0
        silence: float = self._frames * self._frame_seconds - self._endpointer.speech_end
        return silence

    def _end(self, decoding: Decoding) -> str:
        self.quiet_seconds = self._trailing_silence() + len(self._rest) / SAMPLE_BYTES / RATE
        said = decoding.end()
        self._decodings.give_back(decoding)
        self._decoding = None
        self._quiet_seconds = 0.0
        self._text = ""
        return said
