"""Read the file of an eye, for another text model."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import torch
from gguf.quants import dequantize

from train.eye.export import named_tensors
from train.eye.vision import Eye


@torch.no_grad()
def read_eye(eye: Eye, path: Path) -> None:
    """Give an eye the weights of a file, but for the end of the projector, which is made of the text model's words."""
    ours = {name: weight for name, weight in named_tensors(eye) if not name.startswith("mm.2.")}
    there = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    for name, weight in ours.items():
        values = np.array(dequantize(there[name].data, there[name].tensor_type), np.float32)
        weight.copy_(torch.from_numpy(values).view_as(weight))
