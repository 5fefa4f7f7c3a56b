"""Covers units.asr.offline: utterances found in a stream by silero, and models that are not there.

No offline model is at hand, so what reads an utterance is a function here; it is one in the engine too.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.units.ears import Ears
from tests.support.units.far_silero import FarSilero
from tests.support.units.spoken import RATE, Samples, cut_up, joined, silence, speak
from units.asr.engine import Heard, Rules, read_options
from units.asr.unit import AsrUnit
from units.base import LoadError, UnitFault

pytest.importorskip("sherpa_onnx", reason="sherpa-onnx is missing: pip install sherpa-onnx")

from units.asr.offline import Floats, OfflineEngine, OfflineRecogniser, check_language, find_family

LIGHT = "turn on the light"


class Reader:
    """Reads every utterance as a numbered one, and keeps it."""

    def __init__(self) -> None:
        self.read: list[Floats] = []

    def __call__(self, samples: Floats) -> str:
        self.read.append(samples)
        return f" Utterance {len(self.read)}. "


@pytest.fixture
def reader() -> Reader:
    """In place of a model."""
    return Reader()


@pytest.fixture
def silero(silero_process: None) -> FarSilero:
    """A detector of its own, out of llama.cpp's way."""
    return FarSilero()


def spoken(text: str) -> Samples:
    """What flite says without the silence around it."""
    samples = speak(text)
    loud = np.flatnonzero(np.abs(samples) > 300)
    return samples[loud[0] : loud[-1] + 1]


def feed(recogniser: OfflineRecogniser, samples: Samples) -> list[Heard]:
    """A tenth of a second at a time."""
    return [heard for piece in cut_up(samples, RATE // 10) for heard in recogniser.feed(piece)]


def test_each_utterance_is_read_once(reader: Reader, silero: FarSilero) -> None:
    """With what is around it, as floats between -1 and 1, without the model's own dot."""
    recogniser = OfflineRecogniser(reader, silero, Rules(rule2=0.8))

    heard = feed(recogniser, joined(silence(1), speak(LIGHT), silence(1.5), speak("good night"), silence(1.5)))

    assert heard == [Heard("Utterance 1", True), Heard("Utterance 2", True)]
    assert recogniser.quiet_seconds == pytest.approx(0.8, abs=0.1)
    assert len(speak(LIGHT)) / RATE * 0.8 < len(reader.read[0]) / RATE < len(speak(LIGHT)) / RATE + 1.6
    assert 0.05 < np.abs(reader.read[0]).max() <= 1


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ({}, ["Utterance 1"]),
        ({"silence_timeout": 400}, ["Utterance 1", "Utterance 2"]),
        ({"silence_timeout": 400, "rule2": 2.4}, ["Utterance 1", "Utterance 2"]),
        ({"silence_timeout": 3000}, []),
    ],
    ids=["a second", "shorter", "before rule2", "longer"],
)
def test_silence_timeout_is_the_silence_that_ends_an_utterance(
    reader: Reader, silero: FarSilero, setup: dict[str, Any], said: list[str]
) -> None:
    """In milliseconds, a thousand where setup says nothing: two sentences with 0.6 s between them are one or two."""
    options = read_options(setup, OfflineEngine.usual_rules, has_vad=False)
    recogniser = OfflineRecogniser(reader, silero, options.rules)

    heard = feed(recogniser, joined(spoken(LIGHT), silence(0.6), spoken("good night"), silence(1.5)))

    assert [each.text for each in heard] == said


def test_with_a_vad_only_the_vad_ends(reader: Reader, silero: FarSilero) -> None:
    """A pause does not."""
    recogniser = OfflineRecogniser(reader, silero, Rules(rule2=math.inf))

    heard = feed(recogniser, joined(speak(LIGHT), silence(3)))

    assert (heard, recogniser.is_hearing_speech) == ([], True)
    assert recogniser.finish() == "Utterance 1"


def test_an_utterance_is_no_longer_than_the_model_reads(reader: Reader, silero: FarSilero) -> None:
    """29 s, whatever rule3 says."""
    recogniser = OfflineRecogniser(reader, silero, Rules(rule2=math.inf, rule3=300))

    feed(recogniser, joined(speak(LIGHT), silence(29)))

    assert len(reader.read[0]) <= 29.1 * RATE


def test_silence_is_never_read(reader: Reader, silero: FarSilero) -> None:
    """Nor kept; rule1 tells that nobody spoke."""
    recogniser = OfflineRecogniser(reader, silero, Rules(rule1=2.0))

    heard = feed(recogniser, silence(5))

    assert heard == [Heard("", True), Heard("", True)]
    assert (recogniser.finish(), reader.read) == ("", [])


@pytest.mark.parametrize(
    ("files", "family"),
    [
        (("tiny-encoder.int8.onnx", "tiny-decoder.int8.onnx", "tiny-tokens.txt"), "whisper"),
        (("preprocess.onnx", "encode.int8.onnx", "uncached_decode.int8.onnx", "cached_decode.int8.onnx"), "moonshine"),
        (("model.int8.onnx", "tokens.txt"), "sense-voice"),
    ],
)
def test_the_files_tell_the_family(tmp_path: Path, files: tuple[str, ...], family: str) -> None:
    """By their usual names."""
    for name in files:
        (tmp_path / name).write_bytes(b"\x08")

    assert find_family(tmp_path) == family


@pytest.mark.parametrize(
    ("family", "language"), [("whisper", "klingon"), ("moonshine", "de"), ("sense-voice", "auto ")]
)
def test_an_unknown_language_is_refused(family: str, language: str) -> None:
    """Before the library ends the process; known ones and none pass."""
    check_language(family, "")
    check_language(family, "en")

    with pytest.raises(UnitFault, match=f"language is '{language}'"):
        check_language(family, language)


def test_an_incomplete_model_does_not_load(tmp_path: Path) -> None:
    """The missing file is named."""
    (tmp_path / "tiny-encoder.onnx").write_bytes(b"\x08" + bytes(100))

    with pytest.raises(LoadError, match=r"holds no \*decoder\*\.onnx"):
        Ears(AsrUnit, engine="sherpa-onnx-offline", path=str(tmp_path))
    with pytest.raises(LoadError, match="the card names no file"):
        Ears(AsrUnit, engine="sherpa-onnx-offline")
