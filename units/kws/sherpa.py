"""sherpa-onnx: a small transducer that spots any phrase of its language; its model lies in the card's folder.

The library ends the process over a token or a file that it does not know, so everything is checked before it gets it.
One network serves all tasks; each stream of audio has its own phrases.
"""

import contextlib
import importlib.util
import io
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unitd.wire.errors import reason_of
from units.base import LoadError
from units.kws.options import KwsOptions, check_scale
from units.kws.spotter import Heard, Spotter, SpotterMaker, Warn
from units.setup_values import refusal
from units.sound.upload import RATE, Samples

if TYPE_CHECKING:
    import sherpa_onnx

DEFAULT_THRESHOLD = 0.25
DEFAULT_SCORE = 1.0
"""The library's own score; with both defaults its test clips are heard, and nothing else."""

LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.01, 1.0
"""Limits of a probability; under the lowest, any sound is the phrase."""

_INSTALL = "pip install sherpa-onnx sentencepiece pypinyin"
# As in the library's own example: the network looks that far ahead.
_TAIL: Samples = np.zeros(RATE * 66 // 100, np.int16)
_FULL_SCALE = np.float32(32768)
_CHINESE = re.compile("[\u4e00-\u9fff]+")
# The library prints this of a text that it leaves out.
_UNKNOWN = re.compile(r"(?:Can't find token|Word) (\S+)")


@dataclass(frozen=True)
class SherpaFiles:
    """The parts of a model."""

    tokens: Path
    encoder: Path
    decoder: Path
    joiner: Path
    bpe_model: Path | None
    lexicon: Path | None


def find_files(folder: Path) -> SherpaFiles:
    """Return the parts of the model in a folder, small (int8) ones first; raise LoadError if one is missing."""
    parts = {part: _find_part(folder, part) for part in ("encoder", "decoder", "joiner")}
    tokens = folder / "tokens.txt"
    if not tokens.is_file():
        raise LoadError(f"there is no tokens.txt in {folder}")
    bpe_model, lexicon = folder / "bpe.model", folder / "en.phone"
    return SherpaFiles(
        tokens,
        **parts,
        bpe_model=bpe_model if bpe_model.is_file() else None,
        lexicon=lexicon if lexicon.is_file() else None,
    )


def _find_part(folder: Path, part: str) -> Path:
    files = sorted(folder.glob(f"{part}*.onnx"), key=lambda path: ("int8" not in path.name, path.name))
    if not files:
        raise LoadError(f"there is no {part}*.onnx in {folder}")
    return files[0]


def read_tokens(path: Path) -> frozenset[str]:
    """Return the tokens of a model; raise LoadError for a file that is no list of tokens."""
    try:
        with path.open(encoding="utf-8") as lines:
            rows = [line.split() for line in lines]
        numbers = {row[0]: int(row[1]) for row in rows if len(row) == 2}
    except (OSError, ValueError) as error:
        raise LoadError(f"{path} is no list of tokens: {reason_of(error)}") from error
    if not rows or len(numbers) != len(rows):
        raise LoadError(f"{path} is no list of tokens: a line must be one token and its number")
    return frozenset(numbers)


class SherpaEngine:
    """One network for all tasks."""

    def __init__(self, path: str) -> None:
        """Load the model in the folder that `path` names, or lies in; raise LoadError for a missing or broken file."""
        missing = [each for each in ("sherpa_onnx", "sentencepiece", "pypinyin") if not importlib.util.find_spec(each)]
        if missing:
            raise LoadError(f"{', '.join(missing)} is not installed: {_INSTALL}")
        if not path:
            raise LoadError('the card of this model names no file: file = "tokens.txt", the others lie beside it')
        place = Path(path)
        if not place.exists():
            raise LoadError(f"there is no {place}, which the card names")
        self._files = find_files(place if place.is_dir() else place.parent)
        self._tokens = read_tokens(self._files.tokens)
        self._kinds = _kinds_of(self._files, self._tokens)
        self._spotter = _load(self._files)
        self.about = f"sherpa-onnx, {self._files.encoder.name}, phrases as {' or '.join(self._kinds)}"

    def prepare(self, options: KwsOptions, warn: Warn) -> SpotterMaker:
        """Turn the phrases into tokens."""
        score = DEFAULT_SCORE if options.keywords_score is None else options.keywords_score
        lines = []
        for number, phrase in enumerate(options.phrases):
            threshold = options.thresholds.get(phrase) or options.keywords_threshold or DEFAULT_THRESHOLD
            check_scale(phrase, threshold, "sherpa-onnx", LOWEST_THRESHOLD, HIGHEST_THRESHOLD)
            lines.append(f"{' '.join(self._tokens_of(phrase))} :{score} #{threshold} @{number}")
        keywords = "/".join(lines)

        def make() -> Sequence[Spotter]:
            return [SherpaSpotter(self._spotter, keywords, options.phrases)]

        return make

    def _tokens_of(self, phrase: str) -> list[str]:
        """Return the phrase in the model's tokens; English models know only capitals."""
        from sherpa_onnx import text2token

        said = io.StringIO()
        for kind in self._kinds:
            for text in dict.fromkeys((phrase, phrase.upper())):
                with contextlib.redirect_stdout(said):  # it prints which token is missing, and leaves the text out
                    found = text2token(
                        [text],
                        tokens=str(self._files.tokens),
                        tokens_type=kind,
                        bpe_model=str(self._files.bpe_model),
                        lexicon=str(self._files.lexicon),
                    )
                if found and found[0] and all(self._is_usable(token) for token in found[0]):
                    return [str(token) for token in found[0]]
        unknown = ", ".join(dict.fromkeys(_UNKNOWN.findall(said.getvalue())))
        reason = f": it has no token for {unknown}" if unknown else ""
        raise refusal(f"the phrase {phrase!r} of kws is not in this model's language{reason}")

    def _is_usable(self, token: object) -> bool:
        """Return True for a token that the model knows and that is no separator in a line of phrases."""
        return token in self._tokens and not str(token).startswith((":", "#", "@")) and "/" not in str(token)


def _kinds_of(files: SherpaFiles, tokens: frozenset[str]) -> tuple[str, ...]:
    """Return how text becomes tokens; a model without a list of pieces or words is Chinese, by character or by sound.

    It is never both: a model of sounds has letters, too, and "hello" spelt by them would never be heard.
    """
    if files.lexicon:
        return ("phone+ppinyin",)
    if files.bpe_model:
        return ("bpe", "cjkchar+bpe")
    return ("cjkchar",) if any(_CHINESE.fullmatch(token) for token in tokens) else ("ppinyin",)


def _load(files: SherpaFiles) -> "sherpa_onnx.KeywordSpotter":
    """Return the network. It wants a file of phrases, which is empty here, as each stream brings its own."""
    import sherpa_onnx

    with tempfile.NamedTemporaryFile(prefix="unitd-kws-") as no_phrases:
        try:
            return sherpa_onnx.KeywordSpotter(
                tokens=str(files.tokens),
                encoder=str(files.encoder),
                decoder=str(files.decoder),
                joiner=str(files.joiner),
                keywords_file=no_phrases.name,
                num_threads=1,
            )
        except RuntimeError as error:
            raise LoadError(f"sherpa-onnx does not load {files.encoder.parent}: {error}") from error


class SherpaSpotter:
    """The phrases of one task on the network of all tasks."""

    def __init__(self, spotter: "sherpa_onnx.KeywordSpotter", keywords: str, phrases: Sequence[str]) -> None:
        self._spotter = spotter
        self._keywords = keywords
        self._phrases = phrases
        self._stream = spotter.create_stream(keywords)

    def hear(self, block: Samples) -> list[Heard]:
        """Return what these samples decide; the library gives no score."""
        self._stream.accept_waveform(RATE, block.astype(np.float32) / _FULL_SCALE)
        heard = []
        while self._spotter.is_ready(self._stream):
            self._spotter.decode_stream(self._stream)
            if number := self._spotter.get_result(self._stream):
                heard.append(Heard(self._phrases[int(number)], None))
                self._spotter.reset_stream(self._stream)
        return heard

    def finish(self, rest: Samples) -> list[Heard]:
        """Return what the last samples decide."""
        heard = self.hear(np.concatenate([rest, _TAIL]))
        self._stream = self._spotter.create_stream(self._keywords)
        return heard
