"""Covers detect: what a model without a card is, by its files, its header, the original's mode file."""

from typing import Any

import pytest

from unitd.core.models.detect import described_card, family_of, read_mode
from unitd.core.models.gguf import Description, Shape
from unitd.wire.errors import ConfigError

SHAPE = Shape(layers=24, width=896, hidden=4864, heads=14, cached_values=6144)
MODE: dict[str, Any] = {
    "mode": "qwen2.5-0.5B-Int4-ax650",
    "type": "llm",
    "homepage": "https://example.org/qwen",
    "capabilities": ["text_generation", "chat"],
    "input_type": ["llm.utf-8", "llm.chat_completion"],
    "output_type": ["llm.utf-8.stream"],
    "compile_flage": "none",
    "mode_param": {"tokenizer_type": 2, "temperature": 0.7, "b_bos": False},
    "mode_param_bak": {},
}


# By its files


@pytest.mark.parametrize(
    ("name", "files", "family"),
    [
        ("mine", "model.gguf README.md", ("llm", "llama")),
        ("en_US-amy", "en_US-amy.onnx en_US-amy.onnx.json", ("tts", "piper")),
        ("kokoro", "model.onnx voices.bin tokens.txt espeak-ng-data", ("tts", "sherpa-onnx")),
        ("matcha", "model-steps-3.onnx vocos.onnx tokens.txt espeak-ng-data", ("tts", "sherpa-onnx")),
        ("melo", "model.onnx tokens.txt lexicon.txt", ("tts", "sherpa-onnx")),
        ("kws-zh", "tokens.txt encoder-1.int8.onnx decoder-1.onnx joiner-1.onnx", ("kws", "sherpa-onnx")),
        ("zipformer", "tokens.txt encoder.onnx decoder.onnx joiner.onnx bpe.model", ("asr", "sherpa-onnx")),
        ("whisper", "tiny-encoder.onnx tiny-decoder.onnx tiny-tokens.txt", ("asr", "sherpa-onnx-offline")),
        ("moonshine", "uncached_decode.int8.onnx encode.int8.onnx tokens.txt", ("asr", "sherpa-onnx-offline")),
        ("my-sense-voice", "model.int8.onnx tokens.txt", ("asr", "sherpa-onnx-offline")),
        ("okay", "okay.tflite okay.json", ("kws", "auto")),
    ],
)
def test_a_release_is_known_by_its_files(name: str, files: str, family: tuple[str, str]) -> None:
    """As they come from their makers; nobody has to write down what they are."""
    assert family_of(name, files.split()) == family


@pytest.mark.parametrize("files", ["", "README.md", "model.onnx", "model.axmodel tokens.txt", "model.safetensors"])
def test_what_no_unit_runs_is_no_model(files: str) -> None:
    """Notes, halves of models, other engines' files."""
    assert family_of("mine", files.split()) is None


# By its header


def test_a_header_describes_its_model() -> None:
    """A template that knows tools makes a model that calls them."""
    description = Description(SHAPE, "qwen2", "model", "Qwen2.5 0.5B Instruct", "apache-2.0", 32768, "{% if tools %}")

    card = described_card("mine", description)

    assert (card.name, card.description, card.licence) == ("mine", "Qwen2.5 0.5B Instruct", "apache-2.0")
    assert (card.architecture, card.context_length, card.shape) == ("qwen2", 32768, SHAPE)
    assert card.capabilities == ("text_generation", "chat", "tools")


def test_a_model_without_a_template_only_goes_on_writing() -> None:
    """It was not trained to talk."""
    assert described_card("mine", Description(SHAPE)).capabilities == ("text_generation",)


# By the original's mode file


def test_a_mode_file_makes_a_card() -> None:
    """Its parameters become defaults; what only the original's hardware needs has no place."""
    card = read_mode("mine", MODE, "mode_mine.json")

    assert card is not None
    assert (card.name, card.unit, card.homepage) == ("mine", "llm", "https://example.org/qwen")
    assert card.defaults == {"tokenizer_type": 2, "temperature": 0.7, "b_bos": False}
    assert (card.input_type, card.output_type) == (("llm.utf-8", "llm.chat_completion"), ("llm.utf-8.stream",))


@pytest.mark.parametrize("document", [{}, [], "llm", 5, {"type": "llm"}, {"mode": "a", "wake_word": "b"}])
def test_other_json_is_no_mode_file(document: Any) -> None:
    """Tokenizers, voices and wake words have JSON beside them, too."""
    assert read_mode("mine", document, "mine.json") is None


@pytest.mark.parametrize("change", [{"mode_param": []}, {"capabilities": "chat"}, {"type": 5}, {"homepage": None}])
def test_a_mode_file_that_cannot_be_used_is_refused_by_name(change: dict[str, Any]) -> None:
    """The sentence names the file."""
    with pytest.raises(ConfigError, match=r"mode_mine\.json: \w+ must be"):
        read_mode("mine", MODE | change, "mode_mine.json")


def test_a_mode_of_a_vlm_is_that_of_an_llm_with_vision() -> None:
    """The original has two units where here is one program."""
    card = read_mode("mine", MODE | {"type": "vlm"}, "mode_mine.json")

    assert card is not None
    assert card.unit == "llm"
    assert "vision" in card.capabilities
