"""Covers units.asr.sherpa: a real streaming transducer, beside the bare library."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.units.ears import Ears, as_float
from tests.support.units.spoken import RATE, Samples, cut_up, joined, recording, recordings_folder, silence
from units.asr.unit import AsrUnit
from units.base import SETUP_REFUSED, LoadError, UnitFault

sherpa_onnx = pytest.importorskip("sherpa_onnx", reason="sherpa-onnx is missing: pip install sherpa-onnx")

STREAM = {"response_format": "asr.utf-8.stream"}
CLIPS = [f"kws-zh/test_wavs/{number}.wav" for number in (0, 3, 5)]


@pytest.fixture(scope="module")
def folder() -> Path:
    """A small model of Mandarin; its texts are pinyin."""
    return recordings_folder() / "kws-zh"


@pytest.fixture(scope="module")
def kept_ears(folder: Path) -> Ears:
    """That model, loaded once."""
    return Ears(AsrUnit, engine="sherpa-onnx", path=str(folder))


@pytest.fixture
def ears(kept_ears: Ears) -> Iterator[Ears]:
    """That model; its tasks end with the test."""
    yield kept_ears
    kept_ears.forget()


@pytest.fixture
def copied(folder: Path, tmp_path: Path) -> Path:
    """The model where a test may break it."""
    for file in folder.glob("*.*"):
        shutil.copyfile(file, tmp_path / file.name)
    return tmp_path


@pytest.mark.parametrize("clip", CLIPS)
def test_the_text_is_the_bare_librarys(ears: Ears, folder: Path, clip: str) -> None:
    """Though the audio comes period by period."""
    ears.setup(rule2=0.8)

    ears.hear(joined(recording(clip), silence(1.5)))

    assert ears.data() == [f"{bare_text(folder, joined(recording(clip), silence(1.5)))}."]


def test_partial_texts_follow_the_voice(ears: Ears) -> None:
    """No more than 0.4 s apart on the average, growing, none twice, then the end at the configured silence."""
    ears.setup(**STREAM, rule2=0.8)
    speech = recording(CLIPS[0])

    ears.hear(joined(speech, silence(1.5)))

    data = ears.data()
    assert [each["index"] for each in data] == list(range(len(data)))
    assert len(data) >= len(speech) / RATE / 0.4 * 0.7
    assert all(late["delta"].startswith(early["delta"]) for early, late in itertools.pairwise(data))
    assert data[-1]["finish"]
    assert 0.2 < ears.events()[-1]["heard_at"] - len(speech) / RATE < 0.8


def test_a_text_tells_when_the_last_of_it_was_spoken(ears: Ears) -> None:
    """By the time of its last token, also in the second utterance of a stream."""
    speech = recording(CLIPS[1])
    ears.setup(rule2=0.8)

    ears.hear(joined(speech, silence(2), speech, silence(2)))

    first, second = (event["speech_ended_at"] for event in ears.events())
    assert len(speech) / RATE - 0.9 < first < len(speech) / RATE
    assert second - first == pytest.approx(len(speech) / RATE + 2, abs=0.2)


def test_the_endpoint_is_where_the_rules_say(ears: Ears) -> None:
    """Two seconds of silence instead of 0.8."""
    ears.setup("asr.1", rule2=0.8)
    ears.setup("asr.2", rule2=2.0)

    ears.hear(joined(recording(CLIPS[0]), silence(3)), ("asr.1", "asr.2"))

    short, long = [event["heard_at"] for event in ears.events()]
    assert long - short == pytest.approx(1.2, abs=0.1)


def test_an_upload_ends_with_what_the_encoder_held_back(ears: Ears, folder: Path) -> None:
    """No silence follows, and still the last word is there."""
    ears.setup(input=["asr"])

    ears.upload(recording(CLIPS[0]).tobytes())

    assert ears.data() == [f"{bare_text(folder, joined(recording(CLIPS[0]), silence(1.5)))}."]


def test_a_sleeper_is_told_that_nobody_spoke(ears: Ears) -> None:
    """The library's rule1."""
    ears.setup(**STREAM, input=["sys.pcm", "kws.1"], rule1=1.0)

    ears.tell("wake", at=0.0)
    ears.hear(joined(silence(2), recording(CLIPS[0]), silence(1.5)))

    assert ears.data() == [{"delta": "", "finish": True, "index": 0}]


def test_a_grammar_is_refused(ears: Ears) -> None:
    """Only the bundled engine has them."""
    with pytest.raises(UnitFault, match="grammar needs the bundled engine") as fault:
        ears.setup(grammar="#JSGF V1.0; grammar g; public <g> = hello;")

    assert fault.value.code == SETUP_REFUSED


@pytest.mark.parametrize("pattern", ["tokens.txt", "encoder*", "decoder*", "joiner*"])
def test_a_missing_file_is_named(copied: Path, pattern: str) -> None:
    """Before the library can end the process."""
    next(copied.glob(pattern)).unlink()

    with pytest.raises(LoadError, match="holds no"):
        Ears(AsrUnit, engine="sherpa-onnx", path=str(copied))


@pytest.mark.parametrize(
    ("pattern", "content", "words"),
    [
        ("tokens.txt", b"one\ntwo\n", "line 1"),
        ("tokens.txt", b"\xff\xfe\x00", "no text"),
        ("encoder*", b"", "is empty"),
        ("encoder*", b"version https://git-lfs.github.com/spec/v1\n", "a pointer"),
        ("joiner*", b"<html>not found</html>" * 100, "is no ONNX model"),
        ("decoder*", b"\x08" + bytes(5000), "refuses the model"),
    ],
)
def test_a_broken_file_is_named(copied: Path, pattern: str, content: bytes, words: str) -> None:
    """What a failed download leaves behind."""
    next(copied.glob(pattern)).write_bytes(content)

    with pytest.raises(LoadError, match=words):
        Ears(AsrUnit, engine="sherpa-onnx", path=str(copied))


def bare_text(folder: Path, samples: Samples) -> str:
    """What the library says by itself."""
    files = {name: str(next(folder.glob(f"{name}*"))) for name in ("tokens", "encoder", "decoder", "joiner")}
    model = sherpa_onnx.OnlineRecognizer.from_transducer(**files, num_threads=1)
    stream = model.create_stream()
    for piece in cut_up(samples, RATE // 10):
        stream.accept_waveform(RATE, as_float(piece))
        while model.is_ready(stream):
            model.decode_stream(stream)
    return str(model.get_result(stream)).strip().lower()
