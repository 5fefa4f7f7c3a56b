"""A GGUF with the shape of Qwen2.5-0.5B and random weights: speed does not depend on the values of the weights.

    python -m bench.synthetic FILE

It has Q4_0 weights with a Q8_0 embedding, as llama.cpp's own quantizer writes them. Its tokenizer knows single bytes
only, so a prompt has as many tokens as bytes.
"""

import sys
from pathlib import Path
from typing import Any

import gguf
import numpy as np

LAYERS, WIDTH, HEADS, KV_HEADS, HIDDEN, VOCAB = 24, 896, 14, 2, 4864, 151_936
HEAD = WIDTH // HEADS
SCALE = 0.002
CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make(path: Path) -> None:
    """Write the file, 350 MB."""
    writer = gguf.GGUFWriter(str(path), "qwen2")
    writer.add_name("synthetic 0.5B")
    writer.add_context_length(32768)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
    _add_tokenizer(writer)
    _add_tensors(writer, np.random.default_rng(7))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: gguf.GGUFWriter) -> None:
    """Add byte tokens, then words that no merge ever makes, then ChatML's control tokens."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in visible]
    letters = {byte: chr(byte) for byte in visible} | {byte: chr(256 + at) for at, byte in enumerate(hidden)}
    control = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    words = [f"Ġw{number}" for number in range(VOCAB - 256 - len(control))]
    tokens = [letters[byte] for byte in range(256)] + words + control
    types = [gguf.TokenType.NORMAL] * (VOCAB - len(control)) + [gguf.TokenType.CONTROL] * len(control)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(["w 0"])
    writer.add_eos_token_id(VOCAB - 1)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHATML)


def _add_tensors(writer: gguf.GGUFWriter, rng: np.random.Generator) -> None:
    def weights(name: str, rows: int, columns: int, kind: Any = gguf.GGMLQuantizationType.Q4_0) -> None:
        writer.add_tensor(name, _blocks(rng, rows, columns, kind), raw_dtype=kind)

    def vector(name: str, size: int, value: float) -> None:
        writer.add_tensor(name, np.full(size, value, np.float32))

    weights("token_embd.weight", VOCAB, WIDTH, gguf.GGMLQuantizationType.Q8_0)
    vector("output_norm.weight", WIDTH, 1.0)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        for name in ("attn_norm", "ffn_norm"):
            vector(f"{block}{name}.weight", WIDTH, 1.0)
        for name, size in (("attn_q", WIDTH), ("attn_k", KV_HEADS * HEAD), ("attn_v", KV_HEADS * HEAD)):
            weights(f"{block}{name}.weight", size, WIDTH)
            vector(f"{block}{name}.bias", size, 0.0)
        weights(f"{block}attn_output.weight", WIDTH, WIDTH)
        weights(f"{block}ffn_gate.weight", HIDDEN, WIDTH)
        weights(f"{block}ffn_up.weight", HIDDEN, WIDTH)
        weights(f"{block}ffn_down.weight", WIDTH, HIDDEN)


def _blocks(rng: np.random.Generator, rows: int, columns: int, kind: Any) -> "np.ndarray[Any, np.dtype[np.uint8]]":
    """Return random quantized blocks: a half-precision scale, then 32 weights in 16 (Q4_0) or 32 (Q8_0) bytes."""
    size = 16 if kind == gguf.GGMLQuantizationType.Q4_0 else 32
    count = columns // 32
    blocks = np.empty((rows, count, 2 + size), np.uint8)
    blocks[:, :, :2] = np.frombuffer(np.float16(SCALE).tobytes(), np.uint8)
    blocks[:, :, 2:] = rng.integers(0, 256, (rows, count, size), np.uint8)
    return blocks.reshape(rows, count * (2 + size))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
