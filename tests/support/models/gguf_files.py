"""GGUF files made of the bundled model: LoRA adapters that change what it says, and the model with full weights."""

import functools
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from tests.support.units.engine_bench import BUNDLED

RANK = 4
CHANGED = ("attn_output.weight", "ffn_down.weight")


def write_adapter(path: Path, *, seed: int = 1, strength: float = 0.2, width: int = 0, kind: Any = np.float32) -> Path:
    """Write an adapter with random matrices for a model of this width; 0 is the width of the bundled model."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(RANK))
    for name, (inner, outer) in _changed_tensors().items():
        down, up = rng.normal(size=(RANK, inner)) / inner**0.5, rng.normal(size=(width or outer, RANK)) * strength
        writer.add_tensor(f"{name}.lora_a", down.astype(kind))
        writer.add_tensor(f"{name}.lora_b", up.astype(kind))
    close(writer)
    return path


@functools.cache
def _changed_tensors() -> dict[str, tuple[int, int]]:
    """Return the shapes of the bundled model's tensors that an adapter changes, by name."""
    tensors = gguf.GGUFReader(str(BUNDLED)).tensors
    return {each.name: (int(each.shape[0]), int(each.shape[1])) for each in tensors if each.name.endswith(CHANGED)}


def without_template(path: Path) -> Path:
    """Write the bundled model with its chat template under another key."""
    path.write_bytes(BUNDLED.read_bytes().replace(b"tokenizer.chat_template", b"tokenizer.chat_nothing_"))
    return path


def write_full_weights(path: Path) -> Path:
    """Write the bundled model with its weights as floating-point numbers."""
    reader = gguf.GGUFReader(str(BUNDLED))
    writer = gguf.GGUFWriter(str(path), "llama")
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            element = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, field.contents(), field.types[0], element)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    close(writer)
    return path


def close(writer: gguf.GGUFWriter) -> None:
    """Write the file."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
