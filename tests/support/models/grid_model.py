"""A model with M-RoPE and a projector for it, as those of Qwen2-VL: a picture is a grid, and moves text less far."""

from pathlib import Path

import gguf
import numpy as np

from tests.support.models.gguf_files import close
from tests.support.models.projector import TEXT_WIDTH
from tests.support.units.engine_bench import BUNDLED

WIDTH, HIDDEN, LAYERS, HEADS, PATCH = 64, 128, 2, 4, 14


def write_grid_model(path: Path) -> Path:
    """Write the bundled text model under Qwen2-VL's architecture, which makes its answers meaningless."""
    reader = gguf.GGUFReader(str(BUNDLED))
    writer = gguf.GGUFWriter(str(path), "qwen2vl")
    for field in reader.fields.values():
        if not field.name.startswith("GGUF.") and field.name != "general.architecture":
            element = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            name = field.name.replace("llama.", "qwen2vl.", 1)
            writer.add_key_value(name, field.contents(), field.types[0], element)
    writer.add_array("qwen2vl.rope.dimension_sections", [4, 6, 6, 0])
    for tensor in reader.tensors:
        weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, weights)
        if tensor.name.endswith(("attn_q.weight", "attn_k.weight", "attn_v.weight")):
            writer.add_tensor(tensor.name.replace("weight", "bias"), np.zeros(weights.shape[0], np.float32))
    close(writer)
    return path


def write_grid_projector(path: Path) -> Path:
    """Write a projector with random weights that looks at all pixels of a picture; four patches become a token."""
    writer = gguf.GGUFWriter(str(path), "clip")
    writer.add_type("mmproj")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "qwen2vl_merger")
    writer.add_bool("clip.use_gelu", True)
    numbers = {"image_size": 560, "patch_size": PATCH, "embedding_length": WIDTH, "feed_forward_length": HIDDEN}
    numbers |= {"block_count": LAYERS, "attention.head_count": HEADS, "projection_dim": TEXT_WIDTH}
    for key, value in numbers.items():
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    for key in ("image_mean", "image_std"):
        writer.add_array(f"clip.vision.{key}", [0.5, 0.5, 0.5])
    rng = np.random.default_rng(0)
    for name in ("v.patch_embd.weight", "v.patch_embd.weight.1"):
        writer.add_tensor(name, (rng.normal(size=(WIDTH, 3, PATCH, PATCH)) * 0.1).astype(np.float32))
    for name, outer, inner in _matrices():
        writer.add_tensor(f"{name}.weight", (rng.normal(size=(outer, inner)) * inner**-0.5).astype(np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(outer, np.float32))
    for name in ("v.post_ln", *(f"v.blk.{layer}.{norm}" for layer in range(LAYERS) for norm in ("ln1", "ln2"))):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(f"{name}.bias", np.zeros(WIDTH, np.float32))
    close(writer)
    return path


def _matrices() -> list[tuple[str, int, int]]:
    """Return the names of all matrices with their outer and inner sizes."""
    found = [("mm.0", 4 * WIDTH, 4 * WIDTH), ("mm.2", TEXT_WIDTH, 4 * WIDTH)]
    for layer in range(LAYERS):
        block = f"v.blk.{layer}"
        found += [(f"{block}.{name}", WIDTH, WIDTH) for name in ("attn_q", "attn_k", "attn_v", "attn_out")]
        found += [(f"{block}.ffn_up", HIDDEN, WIDTH), (f"{block}.ffn_down", WIDTH, HIDDEN)]
    return found
