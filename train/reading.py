"""Read the weights and the tokenizer of a model file, so that training can begin with them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import gguf
import torch
from gguf.quants import dequantize
from tokenizers import AddedToken, Tokenizer
from torch import Tensor

from train.chatml import SPECIAL_TOKENS
from train.config import ModelShape
from train.export import LAYER_TENSORS
from train.model import Decoder
from train.tokenizer import make_tokenizer


def file_checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_tokenizer(path: Path) -> Tokenizer:
    """Return the tokenizer of a model file that `train.export` wrote."""
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = make_tokenizer({token: number for number, token in enumerate(tokens)}, merges)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in SPECIAL_TOKENS])
    return tokenizer


def _read_shape(reader: gguf.GGUFReader) -> ModelShape:
    def value(name: str) -> Any:
        return reader.fields[f"llama.{name}"].contents()

    return ModelShape(
        vocab=value("vocab_size"),
        width=value("embedding_length"),
        layers=value("block_count"),
        heads=value("attention.head_count"),
        kv_heads=value("attention.head_count_kv"),
        hidden=value("feed_forward_length"),
        rope_base=value("rope.freq_base"),
        norm_eps=value("attention.layer_norm_rms_epsilon"),
    )


def read_model(path: Path) -> Decoder:
    """Return the network of a model file with the weights as llama.cpp computes with them, all of them frozen."""
    reader = gguf.GGUFReader(path)
    model = Decoder(_read_shape(reader))
    names = {"token_embd.weight": "embedding.weight", "output_norm.weight": "final_norm.weight"}
    for number in range(model.shape.layers):
        names |= {f"blk.{number}.{theirs}": f"blocks.{number}.{ours}" for ours, theirs in LAYER_TENSORS.items()}
    found = {
        names[each.name]: torch.from_numpy(dequantize(each.data, each.tensor_type).copy()) for each in reader.tensors
    }
    model.load_state_dict(found)
    return model.requires_grad_(False)


@torch.no_grad()
def begin_with(model: Decoder, path: Path, tokenizer: Tokenizer) -> None:
    """Give a new network the weights of a model file. Layers that the file does not have change nothing at first.

    A token that the file does not have begins with the mean of those with which the file would write it.
    """
    there = read_model(path)
    model.load_state_dict(there.state_dict(), strict=False)
    for name, weight in model.blocks[there.shape.layers :].named_parameters():
        if name.endswith(("output.weight", "down.weight")):
            weight.zero_()
    model.embedding.weight.copy_(_embeddings(there.embedding.weight, read_tokenizer(path), tokenizer))


def _embeddings(weights: Tensor, old: Tokenizer, new: Tokenizer) -> Tensor:
    """Return the embeddings ``(vocabulary, width)`` of the tokens of another tokenizer."""
    known = old.get_vocab()
    rows = torch.zeros_like(weights)
    for token, number in new.get_vocab().items():
        ids = [known[token]] if token in known else old.encode(new.decode([number])).ids
        rows[number] = weights[ids].mean(0)
    return rows
