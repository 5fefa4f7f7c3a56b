"""Covers gguf: what a header tells of a model, and what a hostile one can do with that, which is nothing."""

import io
import struct
import time
from pathlib import Path

import gguf
import pytest

from unitd.core.models.gguf import (
    Description,
    Shape,
    read_description,
    read_shape,
)

BUNDLED = Path("units/models/unitd-chat/unitd-chat.gguf")
TEXT, LIST, NUMBER = 8, 9, 4


def text(value: bytes) -> bytes:
    """As the format writes it."""
    return struct.pack("<Q", len(value)) + value


def header(*values: bytes, count: int | None = None, version: int = 3) -> io.BytesIO:
    """A file of these values, of which it may claim to have more."""
    start = struct.pack("<4sIQQ", b"GGUF", version, 0, len(values) if count is None else count)
    return io.BytesIO(start + b"".join(values))


def number(key: bytes, value: int) -> bytes:
    """A key with a whole number."""
    return text(key) + struct.pack("<II", NUMBER, value)


def words(key: bytes, value: bytes) -> bytes:
    """A key with a text."""
    return text(key) + struct.pack("<I", TEXT) + text(value)


def list_of(key: bytes, kind: int, count: int) -> bytes:
    """The beginning of a list."""
    return text(key) + struct.pack("<IIQ", LIST, kind, count)


# The happy day


def test_the_bundled_models_shape_is_read() -> None:
    """Six layers, eight heads of which two are cached, 64 values each: 6 x 2 x (64 + 64)."""
    with BUNDLED.open("rb") as file:
        shape = read_shape(file)

    assert shape == Shape(layers=6, width=256, hidden=704, heads=8, cached_values=1536)


def test_what_the_formats_own_writer_writes_is_read(tmp_path: Path) -> None:
    """Whatever stands between the wanted keys; heads and sizes that differ by layer count for their layer."""
    writer = gguf.GGUFWriter(str(tmp_path / "model.gguf"), "llama")
    writer.add_token_list([f"token {number}" for number in range(1000)])
    writer.add_block_count(3)
    writer.add_embedding_length(64)
    writer.add_feed_forward_length([100, 300, 200])
    writer.add_head_count(4)
    writer.add_head_count_kv([4, 0, 2])
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_key_length(24)
    writer.add_value_length(8)
    writer.add_add_bos_token(False)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()

    with (tmp_path / "model.gguf").open("rb") as file:
        shape = read_shape(file)

    assert shape == Shape(layers=3, width=64, hidden=300, heads=4, cached_values=(4 + 0 + 2) * (24 + 8))


def test_keys_of_a_picture_encoder_are_not_the_models() -> None:
    """Only what stands right behind the architecture's name counts."""
    shape = read_shape(header(number(b"qwen2vl.block_count", 2), number(b"clip.vision.block_count", 99)))

    assert shape == Shape(layers=2, width=0, hidden=0, heads=0, cached_values=0)


@pytest.mark.parametrize(
    "file",
    [io.BytesIO(b""), io.BytesIO(b"I am a poem."), io.BytesIO(b"GGUF and nothing else"), header(version=4)],
    ids=["empty", "poem", "no version", "later version"],
)
def test_what_is_no_known_gguf_is_left_to_the_engine(file: io.BytesIO) -> None:
    """It knows better what to say of it."""
    assert read_shape(file) is None


def test_a_model_says_what_it_is(tmp_path: Path) -> None:
    """Its name, architecture, licence, how much it may read, and its template behind a whole vocabulary."""
    writer = gguf.GGUFWriter(str(tmp_path / "model.gguf"), "qwen2")
    writer.add_type("model")
    writer.add_name("Qwen2.5 0.5B Instruct")
    writer.add_license("apache-2.0")
    writer.add_context_length(32768)
    writer.add_token_list([f"token {number}" * (number % 40) for number in range(50_000)])
    writer.add_token_merges([f"a{number} b" for number in range(50_000)])
    writer.add_chat_template("{{ messages }} größer")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()

    with (tmp_path / "model.gguf").open("rb") as file:
        description = read_description(file)

    assert description == Description(
        Shape(0, 0, 0, 0, 0), "qwen2", "model", "Qwen2.5 0.5B Instruct", "apache-2.0", 32768, "{{ messages }} größer"
    )


def test_texts_longer_than_a_block_are_stepped_over() -> None:
    """A vocabulary is read in pieces, and its texts do not end where they do."""
    lengths = (10, 300_000, 0, 262_136, 262_144, 262_145, 5)
    tokens = b"".join(text(b"x" * length) for length in lengths)

    description = read_description(
        header(list_of(b"tokenizer.ggml.tokens", TEXT, len(lengths)) + tokens, words(b"general.name", b"behind"))
    )

    assert description is not None
    assert description.name == "behind"


def test_a_text_that_is_too_long_is_left_out() -> None:
    """A template of half a megabyte is none; what follows it is read."""
    description = read_description(
        header(words(b"tokenizer.chat_template", b"x" * 500_000), words(b"general.name", b"behind"))
    )

    assert description is not None
    assert (description.chat_template, description.name) == ("", "behind")


def test_a_value_of_another_type_says_nothing() -> None:
    """A name that is a number is no name."""
    description = read_description(header(number(b"general.name", 5), words(b"general.type", b"adapter")))

    assert description is not None
    assert (description.name, description.kind) == ("", "adapter")


# The damage


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (header(count=1), "ends in the middle of its header"),
        (header(number(b"llama.block_count", 6)[:-1]), "ends in the middle of its header"),
        (header(number(b"a", 1), count=2**64 - 1), "claims 18446744073709551615 keys, 4096 are the most"),
        (header(struct.pack("<Q", 2**64 - 1)), "has a key of 18446744073709551615 bytes"),
        (header(text(b"a") + struct.pack("<IQ", TEXT, 2**63)), "longer than 32 MiB"),
        (header(list_of(b"tokenizer.ggml.tokens", TEXT, 2**40)), "claims more than 1200000 texts"),
        (header(list_of(b"tokenizer.ggml.scores", 6, 2**62)), "longer than 32 MiB"),
        (header(list_of(b"llama.attention.head_count_kv", NUMBER, 2**32)), "for 4294967296 layers"),
        (header(list_of(b"tokenizer.ggml.tokens", TEXT, 2) + text(b"one")), "ends in the middle of its header"),
        (header(words(b"general.name", b"")[:-8] + struct.pack("<Q", 2**63)), "longer than 32 MiB"),
        (header(words(b"general.name", b"cut off")[:-3]), "ends in the middle of its header"),
        (header(list_of(b"a", LIST, 3)), "unknown type 9"),
        (header(text(b"a") + struct.pack("<I", 77)), "unknown type 77"),
        (header(text(b"llama.block_count") + struct.pack("<Ii", 5, -6)), "block_count is -6"),
        (header(text(b"llama.block_count") + struct.pack("<If", 6, 0.5)), "block_count is 0.5"),
        (header(text(b"llama.block_count") + struct.pack("<I", TEXT) + text(b"six")), "unknown type 8"),
    ],
)
def test_a_header_that_makes_no_sense_is_refused(file: io.BytesIO, said: str) -> None:
    """Nothing is read, stepped over or allocated because the file says so."""
    with pytest.raises(ValueError, match=said):
        read_shape(file)


@pytest.mark.parametrize(
    ("key", "times"),
    [
        (list_of(b"tokenizer.ggml.tokens", TEXT, 1_200_000) + 1_200_000 * text(b""), 1),
        (text(b"llama.block_count") + struct.pack("<IIQ", LIST, 0, 1024) + bytes(1024), 4096),
        (words(b"general.name", bytes(4096)), 4096),
    ],
    ids=["empty texts", "a number for each layer", "texts"],
)
def test_as_much_as_a_header_may_hold_is_read_in_under_a_second(key: bytes, times: int) -> None:
    """What costs time is counted: 0.3 to 0.5 s on a PC, and a board is given ten times as long."""
    file = header(*[key] * times)

    began = time.process_time()
    description = read_description(file)

    assert description is not None
    assert time.process_time() - began < 5


def test_absurd_figures_are_only_figures() -> None:
    """Layers and heads by the billion cost nothing to multiply."""
    most = 2**32 - 1
    keys = (b"block_count", b"attention.head_count_kv", b"attention.key_length", b"attention.value_length")

    shape = read_shape(header(*(number(b"llama." + key, most) for key in keys)))

    assert shape is not None
    assert shape.cached_values == most * most * 2 * most
