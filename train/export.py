"""Export PyTorch weights to GGUF, and quantize the file with llama.cpp's own quantizer."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gguf
import llama_cpp
import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from train.chatml import CALL_MARKS, CHAT_TEMPLATE, END_OF_TEXT, RESULT_MARKS, SPECIAL_TOKENS, TURN_END
from train.config import CONTEXT_LENGTH
from train.model import Decoder
from train.tokenizer import PRE_TOKENIZER_NAME, token_id

MODEL_NAME = "unitd-chat"
LAYER_TENSORS = {
    "attention_norm.weight": "attn_norm.weight",
    "attention.query.weight": "attn_q.weight",
    "attention.key.weight": "attn_k.weight",
    "attention.value.weight": "attn_v.weight",
    "attention.output.weight": "attn_output.weight",
    "feed_norm.weight": "ffn_norm.weight",
    "feed.gate.weight": "ffn_gate.weight",
    "feed.up.weight": "ffn_up.weight",
    "feed.down.weight": "ffn_down.weight",
}
QUANTIZATIONS = {
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0,
}


class ExportError(RuntimeError):
    """The model file could not be written."""


def named_tensors(model: Decoder) -> Iterator[tuple[str, Tensor]]:
    """Yield every weight under the name that llama.cpp expects; the tied output layer is not repeated."""
    yield "token_embd.weight", model.embedding.weight
    yield "output_norm.weight", model.final_norm.weight
    for number, block in enumerate(model.blocks):
        weights = dict(block.named_parameters())
        for ours, theirs in LAYER_TENSORS.items():
            yield f"blk.{number}.{theirs}", weights[ours]


def _write_shape(writer: gguf.GGUFWriter, model: Decoder) -> None:
    shape = model.shape
    writer.add_name(MODEL_NAME)
    writer.add_license("MIT")
    writer.add_size_label(f"{model.parameter_count() / 1e6:.1f}M")
    writer.add_context_length(CONTEXT_LENGTH)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.hidden)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_rope_dimension_count(shape.head_dim)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.norm_eps)
    writer.add_vocab_size(shape.vocab)


def _write_tokenizer(writer: gguf.GGUFWriter, tokenizer: Tokenizer, vocab: int) -> None:
    content = json.loads(tokenizer.to_str())
    tokens = [tokenizer.id_to_token(number) or f"<|unused_{number}|>" for number in range(vocab)]
    control = {*SPECIAL_TOKENS, *(t for t in tokens if t.startswith("<|unused_"))}
    types = [gguf.TokenType.CONTROL if token in control else gguf.TokenType.NORMAL for token in tokens]
    # A control token is never shown, but a program that runs the model must see where a call begins.
    for mark in (*CALL_MARKS, *RESULT_MARKS):
        types[token_id(tokenizer, mark)] = gguf.TokenType.USER_DEFINED
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(PRE_TOKENIZER_NAME)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([" ".join(pair) for pair in content["model"]["merges"]])
    end = token_id(tokenizer, TURN_END)
    writer.add_eos_token_id(end)
    writer.add_eot_token_id(end)
    writer.add_pad_token_id(token_id(tokenizer, END_OF_TEXT))
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def write_gguf(model: Decoder, tokenizer: Tokenizer, path: Path) -> None:
    """Write the model unquantized."""
    writer = gguf.GGUFWriter(path, "llama")
    _write_shape(writer, model)
    _write_tokenizer(writer, tokenizer, model.shape.vocab)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    for name, weight in named_tensors(model):
        writer.add_tensor(name, weight.detach().float().numpy().astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def quantize(source: Path, target: Path, kind: str) -> None:
    """Quantize the file with llama.cpp."""
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = QUANTIZATIONS[kind]
    status = llama_cpp.llama_model_quantize(str(source).encode(), str(target).encode(), params)
    if status != 0:
        raise ExportError(f"llama.cpp could not quantize {source.name} (status {status})")


def export_model(model: Decoder, tokenizer: Tokenizer, target: Path, kind: str = "q8_0") -> None:
    """Write the quantized model; replace the target only by a complete file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        full, small = Path(folder) / "full.gguf", Path(folder) / "small.gguf"
        write_gguf(model, tokenizer, full)
        quantize(full, small, kind)
        small.replace(target)
