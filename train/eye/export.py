"""Export the eye as llama.cpp's multimodal library reads it, and the additions of the text model as a LoRA adapter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
from gguf.quants import quantize
from torch import Tensor

from train.export import LAYER_TENSORS
from train.eye.text import LowRank
from train.eye.vision import DEVIATION, MEAN, NORM_EPS, Eye
from train.eye.watcher import ADAPTER_FILE, EYE_FILE
from train.model import Decoder

LICENSE = "MIT"
MATRIX_TYPE = gguf.GGMLQuantizationType.Q8_0


def named_tensors(eye: Eye) -> Iterator[tuple[str, Tensor]]:
    """Yield every weight under the name that llama.cpp expects."""
    shape = eye.shape
    yield "v.patch_embd.weight", eye.patch_embd.weight.reshape(-1, 3, shape.patch, shape.patch)
    yield "v.patch_embd.bias", eye.patch_embd.bias
    yield "v.position_embd.weight", eye.position_embedding
    for number, block in enumerate(eye.blocks):
        for name, weight in block.named_parameters():
            yield f"v.blk.{number}.{name}", weight
    for part in ("post_ln", "mm_0", "mm_2"):
        for name, weight in getattr(eye, part).named_parameters():
            prefix = "v.post_ln" if part == "post_ln" else part.replace("_", ".")
            yield f"{prefix}.{name}", weight


def _write(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_eye(eye: Eye, path: Path, *, is_exact: bool = False) -> None:
    """Write the eye with matrices in Q8_0, or with every weight unchanged."""
    shape = eye.shape
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_name("unitd-eye")
    writer.add_license(LICENSE)
    writer.add_size_label(f"{eye.parameter_count() / 1e6:.1f}M")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", "mlp")
    writer.add_bool("clip.use_gelu", True)
    writer.add_array("clip.vision.image_mean", [MEAN] * 3)
    writer.add_array("clip.vision.image_std", [DEVIATION] * 3)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", NORM_EPS)
    # Without this llama.cpp leaves out the last layer, as LLaVA does.
    writer.add_array("clip.vision.feature_layer", [shape.layers])
    numbers = {
        "image_size": shape.side,
        "patch_size": shape.patch,
        "embedding_length": shape.width,
        "feed_forward_length": shape.hidden,
        "block_count": shape.layers,
        "projection_dim": eye.mm_2.out_features,
        "attention.head_count": shape.heads,
    }
    for name, number in numbers.items():
        writer.add_uint32(f"clip.vision.{name}", number)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if is_exact else gguf.LlamaFileType.MOSTLY_Q8_0)
    for name, weight in named_tensors(eye):
        values = weight.detach().float().numpy()
        if is_exact or weight.ndim == 1 or "position" in name:
            writer.add_tensor(name, values)
        elif weight.ndim == 4:  # a convolution, which llama.cpp computes from no smaller type
            writer.add_tensor(name, values.astype(np.float16))
        else:
            writer.add_tensor(name, quantize(values, MATRIX_TYPE), raw_dtype=MATRIX_TYPE)
    _write(writer)


def write_adapter(text: Decoder, path: Path) -> None:
    """Write the additions of the text model as a LoRA adapter."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("unitd-eye-lora")
    writer.add_license(LICENSE)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    ours = {name.removesuffix(".weight"): theirs for name, theirs in LAYER_TENSORS.items()}
    rank = 0
    for number, block in enumerate(text.blocks):
        for name, layer in block.named_modules():
            if isinstance(layer, LowRank):
                rank = layer.lora_a.shape[0]
                for part, weight in (("lora_a", layer.lora_a), ("lora_b", layer.lora_b)):
                    writer.add_tensor(f"blk.{number}.{ours[name]}.{part}", weight.detach().numpy().astype(np.float16))
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, float(rank))
    _write(writer)


def export_eye(eye: Eye, text: Decoder, folder: Path) -> None:
    """Write both files; replace what is there only by complete ones."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / "fresh.gguf"
    write_eye(eye, fresh)
    fresh.replace(folder / EYE_FILE)
    write_adapter(text, fresh)
    fresh.replace(folder / ADAPTER_FILE)
