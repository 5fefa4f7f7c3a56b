"""Projector files (mmproj) with random weights: a real vision encoder, small enough for tests, that learned nothing."""

from pathlib import Path
from typing import NamedTuple

import gguf
import numpy as np

from tests.support.models.gguf_files import close
from tests.support.units.engine_bench import BUNDLED

BLIND = "unitd-blind-test"
TEXT_WIDTH = 256
"""The width of the bundled text model."""


class Eye(NamedTuple):
    """The shape of a vision encoder."""

    image_size: int = 64
    patch_size: int = 16
    width: int = 64
    hidden: int = 128
    layers: int = 2
    heads: int = 4
    longest_edge: int = 0
    """Pictures are scaled to this and cut into slices of `image_size` (idefics3); 0: they are not cut."""

    merge: int = 2
    """So many patches in each direction become one token (idefics3, gemma3)."""

    sees_ahead: bool = False
    """Whether each embedding is decoded with all others of its picture in view, also with those after it (gemma3)."""

    @property
    def projector_type(self) -> str:
        """The name by which libmtmd knows how it is built."""
        return "gemma3" if self.sees_ahead else "idefics3" if self.longest_edge else "mlp"


SMALL = Eye()
"""16 tokens a picture, half a megabyte."""

SMOLVLM_256M = Eye(image_size=512, width=768, hidden=3072, layers=12, heads=12)
"""The shape of the encoder of SmolVLM-256M; its patches are not merged, so a picture has 1,024 tokens."""


def write_projector(path: Path, width: int, *, seed: int = 0, eye: Eye = SMALL) -> Path:
    """Write a projector onto a text model of this width: a ViT and two matrices, with random weights of this seed."""
    rng = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(str(path), "clip")
    writer.add_type("mmproj")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_string("clip.projector_type", eye.projector_type)
    writer.add_bool("clip.use_gelu", True)
    for key, value in _numbers(eye, width).items():
        writer.add_uint32(f"clip.vision.{key}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    for key in ("image_mean", "image_std"):
        writer.add_array(f"clip.vision.{key}", [0.5, 0.5, 0.5])
    for name, shape in _tensors(eye, width).items():
        writer.add_tensor(name, _values(rng, name, shape))
    close(writer)
    return path


def _numbers(eye: Eye, width: int) -> dict[str, int]:
    return {
        "image_size": eye.image_size,
        "patch_size": eye.patch_size,
        "embedding_length": eye.width,
        "feed_forward_length": eye.hidden,
        "block_count": eye.layers,
        "attention.head_count": eye.heads,
        "projection_dim": width,
        **({"projector.scale_factor": eye.merge} if eye.projector_type != "mlp" else {}),
        **({"preproc_image_size": eye.longest_edge} if eye.longest_edge else {}),
    }


def _tensors(eye: Eye, width: int) -> dict[str, tuple[int, ...]]:
    patches = (eye.image_size // eye.patch_size) ** 2
    shapes: dict[str, tuple[int, ...]] = {
        "v.patch_embd.weight": (eye.width, 3, eye.patch_size, eye.patch_size),
        "v.patch_embd.bias": (eye.width,),
        "v.position_embd.weight": (patches, eye.width),
        **_linear("v.post_ln", eye.width),
        **_projection(eye, width),
    }
    for layer in range(eye.layers):
        block = f"v.blk.{layer}"
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            shapes |= _linear(f"{block}.{name}", eye.width, eye.width)
        for name in ("ln1", "ln2"):
            shapes |= _linear(f"{block}.{name}", eye.width)
        shapes |= _linear(f"{block}.ffn_up", eye.hidden, eye.width) | _linear(
            f"{block}.ffn_down", eye.width, eye.hidden
        )
    return shapes


def _projection(eye: Eye, width: int) -> dict[str, tuple[int, ...]]:
    if eye.sees_ahead:
        return {"mm.input_projection.weight": (eye.width, width), "mm.soft_emb_norm.weight": (eye.width,)}
    if eye.longest_edge:
        return {"mm.model.fc.weight": (width, eye.merge**2 * eye.width)}
    return _linear("mm.0", width, eye.width) | _linear("mm.2", width, width)


def _linear(name: str, *shape: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


def _values(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return random weights that keep the size of what goes through them; norms change nothing."""
    if name.endswith(".bias"):
        return np.zeros(shape, np.float32)
    if len(shape) == 1:
        return np.ones(shape, np.float32)
    inner = int(np.prod(shape[1:]))
    # What a picture shows counts for more than where it stands, so that few pictures look alike.
    scale = 0.3 if "position" in name else 8 * inner**-0.5 if "patch" in name else inner**-0.5
    kind = np.float16 if inner % 32 == 0 and "position" not in name and "patch" not in name else np.float32
    return (rng.normal(size=shape) * scale).astype(kind)


def vision_model(folder: Path, name: str = "unitd-eye-test", *, seed: int = 0, eye: Eye = SMALL) -> Path:
    """Make a model with vision in a folder of models: the bundled text model with a projector. Return its folder."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "model.gguf").symlink_to(BUNDLED)
    write_projector(place / "mmproj.gguf", TEXT_WIDTH, seed=seed, eye=eye)
    _write_card(place, projector="mmproj.gguf")
    return place


def blind_model(folder: Path, name: str = BLIND) -> Path:
    """Make a model without vision in a folder of models: the bundled text model alone. Return its folder."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "model.gguf").symlink_to(BUNDLED)
    _write_card(place)
    return place


def _write_card(place: Path, **more: str) -> None:
    card = {"name": place.name, "unit": "llm", "engine": "llama", "file": "model.gguf"} | more
    lines = [f'{key} = "{value}"\n' for key, value in card.items()]
    (place / "card.toml").write_text("".join([*lines, "exact = true\n"]))
