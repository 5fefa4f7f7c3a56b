"""Read the weights and the tokenizer of a model file, so that training can begin with them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import gguf
import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer
from torch import Tensor

from train.chatml import SPECIAL_TOKENS
from train.export import named_tensors
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


@torch.no_grad()
def begin_with(model: Decoder, path: Path, tokenizer: Tokenizer) -> None:
    """Give a new network the weights of a model file. Layers that the file does not have change nothing at first.

    A token that the file does not have begins with the mean of those with which the file would write it.

    Raises:
        ValueError: The file has another width, or more layers.
    """
    there = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    ours = dict(named_tensors(model))
    for name, tensor in there.items():
        values = np.array(gguf.dequantize(tensor.data, tensor.tensor_type), np.float32)
        if name not in ours or ours[name].numel() != values.size:
            raise ValueError(f"{path.name} has another shape ({name})")
        ours[name].copy_(torch.from_numpy(values).view_as(ours[name]))
    for name in ours.keys() - there.keys():
        if name.endswith(("attn_output.weight", "ffn_down.weight")):
            ours[name].zero_()
    model.embedding.weight.copy_(_embeddings(model.embedding.weight, read_tokenizer(path), tokenizer))


def _embeddings(weights: Tensor, old: Tokenizer, new: Tokenizer) -> Tensor:
    """Return the embeddings ``(vocabulary, width)`` of the tokens of another tokenizer."""
    known = old.get_vocab()
    rows = torch.zeros_like(weights)
    for token, number in new.get_vocab().items():
        ids = [known[token]] if token in known else old.encode(new.decode([number])).ids
        rows[number] = weights[ids].mean(0)
    return rows
