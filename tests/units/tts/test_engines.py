"""Covers units.tts.engine, espeak_program, espeak_voices, piper, sherpa: which voice, and what is said without it."""

import importlib.util
import itertools
import shutil
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from units.base import LoadError, UnitFault
from units.engines import find_engine
from units.tts.engine import Engine, SpeechFailed, Voice
from units.tts.espeak_voices import EspeakVoices
from units.tts.sherpa import find_voice_files
from units.tts.speech import resampled

ROOT = Path(__file__).parents[3]
FILES = {
    "en-us": "gmw/en-US",
    "en-gb": "gmw/en",
    "fr-fr": "roa/fr",
    "fr-be": "roa/fr-BE",
    "cmn": "sit/cmn",
    "ja": "jpx/ja",
}

GRAMMAR = """#JSGF V1.0;
grammar some;
public <some> = turn (on | off) the (kitchen | bedroom) (light | heater)
    | it is (three | four) point (one four | five) degrees
    | set a timer for (five | ten | twenty) minutes | what time is it;
"""

needs_program = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="needs apt install espeak-ng")
needs_sherpa = pytest.mark.skipif(not importlib.util.find_spec("sherpa_onnx"), reason="needs pip install sherpa-onnx")


def load(engine: str, path: Path | str = "") -> Engine:
    """An engine as a card would choose it."""
    loaded: Engine = find_engine("tts", engine)({"engine": engine, "path": str(path)})
    return loaded


def load_program() -> Engine:
    """The engine that starts espeak-ng as a program."""
    return load("espeak-program")


# espeak-ng


@pytest.mark.parametrize(
    ("asked", "file"),
    [
        ("en", "gmw/en-US"),
        ("EN_GB", "gmw/en"),
        ("fr", "roa/fr"),
        ("fr-CA", "roa/fr"),
        ("zh-cn", "sit/cmn"),
        ("jp", "jpx/ja"),
    ],
)
def test_a_language_is_found_by_what_clients_call_it(asked: str, file: str) -> None:
    """Other names, other regions, other writing."""
    assert EspeakVoices(FILES, ["f1"]).name_of(Voice(language=asked), "") == file


@pytest.mark.parametrize(
    ("text", "file"), [("hello", "gmw/en-US"), ("你好", "sit/cmn"), ("日本語です", "jpx/ja"), ("привет", "gmw/en-US")]
)
def test_without_a_language_the_letters_decide(text: str, file: str) -> None:
    """As far as there is a voice for them."""
    assert EspeakVoices(FILES, ["f1"]).name_of(Voice(), text) == file


def test_the_bundled_card_names_languages_that_the_engine_has() -> None:
    """By them the daemon knows which voices it can stand in for."""
    card = tomllib.loads((ROOT / "units/models/unitd-tts/card.toml").read_text())
    engine = load("espeak")

    for language in card["languages"]:
        engine.check(Voice(language=language))


@pytest.mark.parametrize(
    ("voice", "words"), [(Voice(language="tlh"), "language 'tlh'"), (Voice(speaker="f11"), "near it are f1")]
)
def test_an_unknown_voice_is_named_with_known_ones(voice: Voice, words: str) -> None:
    """So that a person can choose."""
    with pytest.raises(UnitFault, match=words):
        EspeakVoices(FILES, ["f1"]).name_of(voice, "")


@needs_program
def test_the_program_speaks(tmp_path: Path) -> None:
    """In stretches; a cut ends it and its process."""
    engine = load_program()
    engine.check(Voice(language="en-gb"))

    whole = list(engine.speak("Hello world. " * 20, Voice(), lambda: False))
    cut = list(engine.speak("Hello world. " * 20, Voice(), lambda: True))

    assert 15 < sum(len(sound.samples) for sound in whole) / whole[0].rate < 40
    assert len(cut) < len(whole)


def test_a_program_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its status becomes the text's error, no sound is made up."""
    program = tmp_path / "espeak-ng"
    program.write_text(
        '#!/bin/sh\ncase "$1" in --voices*) printf "Pty\\n 5 en-us --/M E gmw/en-US\\n";; *) exit 3;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    with pytest.raises(SpeechFailed, match="status 3"):
        list(load_program().speak("Hello.", Voice(), lambda: False))


def test_nothing_that_speaks_is_answered_with_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to get the bundled voice."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(LoadError, match=r"pip install espeakng-loader.*apt install espeak-ng"):
        load("auto")


def test_an_unknown_engine_is_answered_with_the_known() -> None:
    """A card's mistake."""
    with pytest.raises(LoadError, match="there is auto, espeak"):
        load("festival")


# piper


def piper_folder(folder: Path, description: Any) -> Path:
    """A voice as far as its files go."""
    (folder / "voice.onnx").write_bytes(bytes(5000))
    if description is not None:
        (folder / "voice.onnx.json").write_bytes(
            description if isinstance(description, bytes) else orjson.dumps(description)
        )
    return folder


@pytest.mark.parametrize(
    ("description", "words"),
    [(None, "voice.onnx.json is missing"), (b"{", "cannot be read"), ({}, "no piper voice"), ([1], "no piper voice")],
)
def test_a_piper_voice_without_its_description_is_told(tmp_path: Path, description: Any, words: str) -> None:
    """Before the library sees it, with the command."""
    with pytest.raises(LoadError, match=words):
        load("piper", piper_folder(tmp_path, description))


@pytest.mark.parametrize("path", ["", "voice.onnx"])
def test_a_missing_piper_voice_is_told(tmp_path: Path, path: str) -> None:
    """By its folder or its file."""
    with pytest.raises(LoadError, match="no piper voice"):
        load("piper", tmp_path / path)


def test_a_missing_piper_is_told_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are there, the package is not."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(LoadError, match="pip install piper-tts"):
        load("piper", piper_folder(tmp_path, {"phoneme_id_map": {}}))


# sherpa-onnx


def sherpa_folder(folder: Path, *names: str) -> Path:
    """Files by name, with something in them."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x" * 2000)
    return folder


@pytest.mark.parametrize(
    ("names", "kind", "keys"),
    [
        (["model.onnx", "tokens.txt", "lexicon.txt", "number.fst"], "vits", {"model", "tokens", "lexicon"}),
        (["a.onnx", "a.int8.onnx", "tokens.txt", "espeak-ng-data/phontab"], "vits", {"model", "tokens", "data_dir"}),
        (
            ["model-steps-3.onnx", "vocos.onnx", "tokens.txt", "espeak-ng-data/phontab"],
            "matcha",
            {"acoustic_model", "vocoder", "tokens", "data_dir"},
        ),
        (
            ["model.onnx", "voices.bin", "tokens.txt", "lexicon-us-en.txt", "lexicon-zh.txt", "espeak-ng-data/phontab"],
            "kokoro",
            {"model", "voices", "tokens", "lexicon", "data_dir"},
        ),
    ],
)
def test_the_kind_of_a_sherpa_voice_is_seen_by_its_files(
    tmp_path: Path, names: list[str], kind: str, keys: set[str]
) -> None:
    """As its releases name them; the full model where a smaller lies beside it."""
    files = find_voice_files(sherpa_folder(tmp_path, *names))

    assert (files.kind, set(files.arguments)) == (kind, keys)
    assert "int8" not in files.arguments.get("model", "")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "no sherpa-onnx voice"),
        (["model.onnx", "lexicon.txt"], "tokens.txt is missing"),
        (["model.onnx", "tokens.txt"], "neither lexicon.txt nor espeak-ng-data"),
        (["model.onnx", "tokens.txt", "espeak-ng-data/other"], "phontab is missing"),
        (["vocos.onnx", "tokens.txt"], "no acoustic model"),
    ],
)
def test_a_missing_file_of_a_sherpa_voice_is_told(tmp_path: Path, names: list[str], words: str) -> None:
    """Before the library sees it, which would end the process."""
    with pytest.raises(LoadError, match=words):
        load("sherpa", sherpa_folder(tmp_path, *names))


@needs_sherpa
def test_a_sherpa_model_that_is_none_is_told(tmp_path: Path) -> None:
    """The library's own word."""
    with pytest.raises(LoadError, match="sherpa-onnx"):
        load("sherpa", sherpa_folder(tmp_path, "model.onnx", "tokens.txt", "lexicon.txt"))


@pytest.mark.parametrize("engine", ["piper", "sherpa"])
def test_a_card_without_a_voice_is_told(engine: str) -> None:
    """The current folder is not searched."""
    with pytest.raises(LoadError, match="the card names no"):
        load(engine)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Turn off the bedroom heater.", "turn off the bedroom heater"),
        ("It is 3.14 degrees.", "it is three point one four degrees"),
    ],
)
def test_what_the_bundled_voice_says_is_understood(tmp_path: Path, text: str, words: str) -> None:
    """A recogniser that has to choose among some sentences hears the one that was spoken."""
    pytest.importorskip("espeakng_loader", reason="pip install espeakng-loader")
    pocketsphinx = pytest.importorskip("pocketsphinx", reason="pip install pocketsphinx")
    (tmp_path / "some.gram").write_text(GRAMMAR)
    ears = pocketsphinx.Decoder(jsgf=str(tmp_path / "some.gram"), lm=None, loglevel="FATAL")

    (sound,) = load("auto").speak(text, Voice(), lambda: False)
    ears.start_utt()
    ears.process_raw(bytes(3200) + resampled(sound, 16000).tobytes() + bytes(6400), full_utt=True)
    ears.end_utt()

    assert ears.hyp().hypstr == words


def test_the_bundled_voice_can_be_cut_in_the_middle_of_a_word() -> None:
    """It asks after some 20 ms of sound, which take it far less to make."""
    pytest.importorskip("espeakng_loader", reason="pip install espeakng-loader")
    asked = itertools.count()

    (sound,) = load("auto").speak("several words without any stop " * 10, Voice(), lambda: next(asked) >= 5)

    assert 0 < len(sound.samples) / sound.rate < 0.5


def test_the_bundled_voice_says_numbers_as_words() -> None:
    """A number is as long as its words, not as its digits read one by one."""
    pytest.importorskip("espeakng_loader", reason="pip install espeakng-loader")
    engine = load("auto")

    def length(text: str) -> int:
        return sum(len(sound.samples) for sound in engine.speak(text, Voice(), lambda: False))

    assert length("It costs 1,250 dollars.") == pytest.approx(
        length("It costs one thousand two hundred fifty dollars."), rel=0.1
    )
    assert np.abs(length("It is 3.14.") / length("It is three point one four.") - 1) < 0.1
