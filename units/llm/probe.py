"""A GGUF with the shape of a model and no content: what a transformer costs does not depend on its weights.

Header and tensor table are written, the weights are a hole in the file, which the kernel reads as zeros: a quarter of a
gigabyte takes no time and no room on the disk. The vocabulary has numbers and no words (`no_vocab`), so such a model
computes and never speaks. The weights are blocks of Q4_0 with an embedding of Q8_0, which is also the output matrix:
what llama.cpp's own quantizer makes of small models; other 4-bit to 8-bit formats take about as long per byte.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import NamedTuple

# ggml's numbers of tensor types.
_F32, _Q4_0, _Q8_0 = 0, 2, 8
_BITS = {_F32: 32.0, _Q4_0: 4.5, _Q8_0: 8.5}
# GGUF's numbers of value types.
_WORD, _FLOAT, _TEXT = 4, 6, 8
_ALIGNMENT = 32


class _Tensor(NamedTuple):
    """One matrix or vector; its last length is that of the rows."""

    name: str
    lengths: tuple[int, ...]
    kind: int

    @property
    def size(self) -> int:
        """Return the bytes in the file."""
        size = int(prod(self.lengths) * _BITS[self.kind]) // 8
        return -(-size // _ALIGNMENT) * _ALIGNMENT


@dataclass(frozen=True)
class Probe:
    """The proportions of language models with half a billion to a billion weights, and any number of layers."""

    layers: int
    width: int = 1024
    hidden: int = 4096
    heads: int = 16
    kv_heads: int = 4
    vocabulary: int = 32_768

    @classmethod
    def of_size(cls, size: int) -> "Probe":
        """Return a probe with at least so many bytes of weights."""
        one = cls(1)
        embedding = cls(0).size
        return cls(max(1, -(-(size - embedding) // (one.size - embedding))))

    @property
    def size(self) -> int:
        """Return the bytes of its weights."""
        return sum(tensor.size for tensor in self._tensors())

    def write(self, path: Path) -> None:
        """Write the file."""
        header = self._header()
        with path.open("wb") as file:
            file.write(header)
            file.truncate(len(header) + self.size)

    def _header(self) -> bytes:
        tensors, values = list(self._tensors()), self._values()
        data = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(values))
        data += b"".join(_value(key, value) for key, value in values.items())
        offset = 0
        for tensor in tensors:
            lengths = struct.pack(f"<I{len(tensor.lengths)}Q", len(tensor.lengths), *tensor.lengths)
            data += _text(tensor.name) + lengths + struct.pack("<IQ", tensor.kind, offset)
            offset += tensor.size
        return data + b"\0" * (-len(data) % _ALIGNMENT)

    def _values(self) -> dict[str, int | float | str]:
        return {
            "general.architecture": "llama",
            "llama.context_length": 1024,
            "llama.embedding_length": self.width,
            "llama.block_count": self.layers,
            "llama.feed_forward_length": self.hidden,
            "llama.attention.head_count": self.heads,
            "llama.attention.head_count_kv": self.kv_heads,
            "llama.attention.layer_norm_rms_epsilon": 1e-6,
            "llama.vocab_size": self.vocabulary,
            "tokenizer.ggml.model": "no_vocab",
        }

    def _tensors(self) -> Iterator[_Tensor]:
        width, hidden, cached = self.width, self.hidden, self.width // self.heads * self.kv_heads
        yield _Tensor("token_embd.weight", (width, self.vocabulary), _Q8_0)
        yield _Tensor("output_norm.weight", (width,), _F32)
        for layer in range(self.layers):
            block = f"blk.{layer}."
            yield _Tensor(f"{block}attn_norm.weight", (width,), _F32)
            yield _Tensor(f"{block}ffn_norm.weight", (width,), _F32)
            for name, columns, rows in (
                ("attn_q", width, width),
                ("attn_k", width, cached),
                ("attn_v", width, cached),
                ("attn_output", width, width),
                ("ffn_gate", width, hidden),
                ("ffn_up", width, hidden),
                ("ffn_down", hidden, width),
            ):
                yield _Tensor(f"{block}{name}.weight", (columns, rows), _Q4_0)


def _value(key: str, value: int | float | str) -> bytes:
    if isinstance(value, str):
        return _text(key) + struct.pack("<I", _TEXT) + _text(value)
    form, kind = ("<If", _FLOAT) if isinstance(value, float) else ("<II", _WORD)
    return _text(key) + struct.pack(form, kind, value)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data
